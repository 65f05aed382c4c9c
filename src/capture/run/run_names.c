/* Regions and sites: names of MPI functions from the rank's file, of the program's functions and of
 * call sites from its debug information, of user regions as the program gave them. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/path.h"
#include "capture/run/merge_job.h"
#include "model/meaning/meaning.h"
#include "model/meaning/picl_types.h"

/* The region of a name: functions that have a number in PICL or MPICL get it, all others are user
 * events with a label. A user's region may have the name of a function of MPI. */
struct named_region job_region_named(struct job *job, const char *name, enum region_class cls)
{
	const uint32_t text = builder_string(job->builder, name, strlen(name));
	uint32_t *known = keymap_add(&job->region_of, KEY_OF(text, 0, 0, cls == CLASS_USER));

	if (*known == UINT32_MAX) {
		struct named_region fresh = { .picl = cls == CLASS_USER ? 0
									: picl_type_of_mpi(name) };
		if (!fresh.picl)
			fresh.picl = job->next_user++;
		fresh.region = builder_region(job->builder, name, cls, fresh.picl);
		*known = (uint32_t)job->regions.n;
		vec_push(&job->regions, fresh);
	}
	return job->regions.data[*known];
}

/* A region that its name and the place of its definition tell from others. */
static struct named_region placed_region(struct job *job, const struct region *region)
{
	uint32_t *known =
		keymap_add(&job->region_of, KEY_OF(region->name, region->file, region->line));
	struct region fresh = *region;

	if (*known == UINT32_MAX) {
		fresh.picl = job->next_user++;
		*known = (uint32_t)job->regions.n;
		vec_push(&job->regions,
			 ((struct named_region){
				 .picl = fresh.picl,
				 .region = builder_region_define(job->builder, &fresh) }));
	}
	return job->regions.data[*known];
}

struct named_region job_function_region(struct job *job, const char *name,
					const struct symbol *symbol, enum region_paradigm paradigm)
{
	struct region region = { .name = builder_string(job->builder, name, strlen(name)),
				 .cls = CLASS_USER,
				 .paradigm = (uint8_t)paradigm };

	if (symbol->file && !job->options->anonymous) {
		region.file = builder_string(job->builder, symbol->file, strlen(symbol->file));
		region.line = symbol->line;
	}
	return placed_region(job, &region);
}

/* ---- addresses ---- */

const struct rank_module *rank_module_at(const struct rank *rank, uint64_t address)
{
	const struct rank_module *module;

	vec_each (module, &rank->modules) {
		if (address >= module->where.start && address < module->where.end)
			return module;
	}
	return NULL;
}

uint64_t rank_program_place(const struct rank *rank, uint64_t address)
{
	const struct rank_module *module = address ? rank_module_at(rank, address - 1) : NULL;

	return module && !strcmp(path_name(module->path), "libtvcapture.so") ? 0 : address;
}

struct symbol rank_symbol_at(const struct job *job, const struct rank *rank, uint64_t address)
{
	const struct rank_module *module = rank_module_at(rank, address);

	if (!module)
		return (struct symbol){ 0 };
	return symbols_at(job->symbols, module->path, address - module->where.bias);
}

struct symbol rank_function_at(const struct job *job, const struct rank *rank, uint64_t address)
{
	const struct rank_module *module = rank_module_at(rank, address);

	if (!module)
		return (struct symbol){ 0 };
	return symbols_function(job->symbols, module->path, address - module->where.bias);
}

/* Where the site of (address, call) is kept; UINT32_MAX while it is not known. */
static uint32_t *site_of(struct rank *rank, uint64_t address, uint32_t call)
{
	return keymap_add(&rank->sites,
			  (struct key){ { (uint32_t)address, (uint32_t)(address >> 32), call } });
}

/* ---- sites ---- */

/* The name of a call; "MPI" where the file has none. */
static const char *mpi_name(const struct rank *rank, uint32_t call, char name[TV_NAME_MAX])
{
	const struct tv_file *head = rank->file->head;

	if (call >= head->calls)
		return "MPI";
	memcpy(name, head->call[call].name, TV_NAME_MAX);
	name[TV_NAME_MAX - 1] = '\0';
	return name;
}

static struct named_region mpi_region(struct job *job, const struct rank *rank, uint32_t call)
{
	const struct tv_file *head = rank->file->head;
	char name[TV_NAME_MAX];

	return job_region_named(job, mpi_name(rank, call, name),
				call < head->calls && head->call[call].cls == TV_OVERHEAD
					? CLASS_OVERHEAD
					: CLASS_MPI_OTHER);
}

uint32_t job_mpi_name(const struct job *job, const struct rank *rank, uint32_t call)
{
	char text[TV_NAME_MAX];
	const char *name = mpi_name(rank, call, text);

	return builder_string(job->builder, name, strlen(name));
}

uint32_t job_mpi_region(struct job *job, const struct rank *rank, uint32_t call)
{
	return mpi_region(job, rank, call).region;
}

/* A call of which the program's tables know the statement. */
static uint32_t statement_site(struct job *job, const struct rank *rank, uint32_t call,
			       uint64_t place)
{
	const struct named_region region = mpi_region(job, rank, call);
	const uint32_t id = job_statement(job, rank, tv_place_module(place), tv_place_slot(place));
	struct statement *statement;

	if (id == NO_STATEMENT)
		return builder_site(job->builder, region.region, 0, 0, region.picl);
	statement = job_statement_at(job, id);
	if (statement->region == UINT32_MAX)
		statement->region = region.region;
	return builder_site(job->builder, region.region, statement->file, statement->line,
			    region.picl);
}

/* A call that a line of Python made. */
static uint32_t line_site(struct job *job, const struct rank *rank, uint32_t call, uint64_t place)
{
	const struct named_region region = mpi_region(job, rank, call);
	const struct rank_frame *frame = rank_frame_at(rank, place);
	uint32_t file = 0, line = 0;

	if (frame)
		job_frame_source(job, frame, &file, &line);
	return builder_site(job->builder, region.region, file, line, region.picl);
}

/* "exchange()": the function around an address that has no line, and where it begins; empty:
 * unknown. */
static uint64_t name_around(struct job *job, const struct rank *rank, uint64_t address,
			    struct str *name)
{
	const struct rank_module *module = rank_module_at(rank, address);
	struct symbol symbol = { 0 };

	if (module)
		symbol = symbols_scope(job->symbols, module->path, address - module->where.bias);
	if (!symbol.function)
		return 0;
	job_name_function(job, rank, symbol.begin + module->where.bias, &symbol, name);
	str_add(name, "()");
	return symbol.begin + module->where.bias;
}

/* The same as the file of a site (struct site); 0 unknown. */
static uint32_t function_around(struct job *job, const struct rank *rank, uint64_t address)
{
	OWNED_STR name = STR_INIT;

	name_around(job, rank, address, &name);
	return name.n ? builder_string(job->builder, name.text, name.n) : 0;
}

uint32_t job_mpi_site(struct job *job, struct rank *rank, uint32_t call, uint64_t address)
{
	uint32_t *site = site_of(rank, address, call);
	struct named_region region;
	struct symbol symbol = { 0 };
	uint32_t file = 0;

	if (*site != UINT32_MAX)
		return *site;
	if (address & TV_PLACE_SITE)
		return *site = statement_site(job, rank, call, address);
	if (address & TV_PLACE_FRAME)
		return *site = line_site(job, rank, call, address);
	region = mpi_region(job, rank, call);
	/* The byte before a return address belongs to the call's line. */
	if (address && !job->options->anonymous)
		symbol = rank_symbol_at(job, rank, address - 1);
	if (symbol.file)
		file = builder_string(job->builder, symbol.file, strlen(symbol.file));
	else if (address && !job->options->anonymous)
		file = function_around(job, rank, address - 1);
	return *site = builder_site(job->builder, region.region, file, symbol.line, region.picl);
}

void job_name_function(struct job *job, const struct rank *rank, uint64_t address,
		       const struct symbol *symbol, struct str *out)
{
	const struct rank_module *module = rank_module_at(rank, address);

	if (job->options->anonymous) {
		/* The same function gets the same number on every rank: by its place in its
		 * module. */
		str_add_fmt(out, "function %llx",
			    (unsigned long long)(module ? address - module->where.bias : address));
	} else if (symbol->function) {
		str_add(out, symbol->function);
	} else if (module) {
		str_add_fmt(out, "%s+0x%llx", path_name(module->path),
			    (unsigned long long)(address - module->where.bias));
		job_name_missing(job, module, out->text);
	} else {
		str_add_fmt(out, "0x%llx", (unsigned long long)address);
	}
}

static uint32_t function_site(struct job *job, struct rank *rank, uint64_t address,
			      enum region_paradigm paradigm)
{
	uint32_t *site = site_of(rank, address, FUNCTION_CALL);
	struct named_region region;
	OWNED_STR name = STR_INIT;
	struct symbol symbol;

	if (*site != UINT32_MAX)
		return *site;
	symbol = rank_function_at(job, rank, address);
	job_name_function(job, rank, address, &symbol, &name);
	region = job_function_region(job, name.text, &symbol, paradigm);
	return *site = builder_site(job->builder, region.region, 0, 0, region.picl);
}

uint32_t job_function_site(struct job *job, struct rank *rank, uint64_t address)
{
	return function_site(job, rank, address, PARADIGM_UNKNOWN);
}

uint32_t job_stack_site(struct job *job, struct rank *rank, uint64_t address)
{
	return function_site(job, rank, address, PARADIGM_SAMPLING);
}

bool job_has_name(const struct job *job, const struct rank *rank, uint64_t address)
{
	return job->options->anonymous ? rank_module_at(rank, address) != NULL
				       : rank_function_at(job, rank, address).function != NULL;
}

/* ---- constructs of OpenMP: named and placed as Score-P does it ---- */

static const struct construct {
	const char *name;
	uint8_t role; /* enum region_role */
} constructs[CONSTRUCTS] = {
	[TV_OMP_BARRIER] = { "!$omp barrier", REGION_ROLE_BARRIER },
	[TV_OMP_IMPLICIT_BARRIER] = { "!$omp implicit barrier", REGION_ROLE_IMPLICIT_BARRIER },
	[TV_OMP_LOOP] = { "!$omp for", REGION_ROLE_UNKNOWN },
	[TV_OMP_SECTIONS] = { "!$omp sections", REGION_ROLE_UNKNOWN },
	[TV_OMP_SINGLE] = { "!$omp single", REGION_ROLE_UNKNOWN },
	[TV_OMP_CRITICAL] = { "!$omp critical", REGION_ROLE_CRITICAL },
	[TV_OMP_LOCK] = { "omp_set_lock", REGION_ROLE_UNKNOWN },
	[TV_OMP_ORDERED] = { "!$omp ordered", REGION_ROLE_ORDERED },
	[TV_OMP_TASK] = { "!$omp task", REGION_ROLE_UNKNOWN },
	[TV_OMP_TASKWAIT] = { "!$omp taskwait", REGION_ROLE_TASK_WAIT },
	[CONSTRUCT_PARALLEL] = { "!$omp parallel", REGION_ROLE_PARALLEL },
	[CONSTRUCT_INSIDE] = { "!$omp critical sblock", REGION_ROLE_UNKNOWN },
};

/* Adds the place in the program, as far as it is known. */
static void add_place(struct job *job, const struct rank *rank, uint64_t address,
		      const struct symbol *symbol, struct str *name)
{
	const struct rank_module *module = rank_module_at(rank, address);
	OWNED_STR around = STR_INIT;
	uint64_t begin;

	if (!module)
		return;
	if (symbol->file && symbol->line)
		str_add_fmt(name, " @%s:%u", path_name(symbol->file), symbol->line);
	else if (job->options->anonymous)
		str_add_fmt(name, " @%llx", (unsigned long long)(address - module->where.bias));
	else if ((begin = name_around(job, rank, address, &around)))
		str_add_fmt(name, " @%s+0x%llx", around.text,
			    (unsigned long long)(address - begin));
	else
		str_add_fmt(name, " @%s+0x%llx", path_name(module->path),
			    (unsigned long long)(address - module->where.bias));
}

static struct named_region construct_region(struct job *job, const struct construct *construct,
					    const char *name, const struct symbol *symbol)
{
	struct region region = { .name = builder_string(job->builder, name, strlen(name)),
				 .line = symbol->line,
				 .role = construct->role,
				 .paradigm = PARADIGM_OPENMP };

	if (symbol->file)
		region.file = builder_string(job->builder, symbol->file, strlen(symbol->file));
	region.cls =
		(uint8_t)meaning_of_region(name, CLASS_COUNT, region.role, region.paradigm).cls;
	return placed_region(job, &region);
}

/* The line of a call is the byte's before its return address; GCC gives that of the statement
 * before a construct, but the function that it makes of the inside begins at the right one. */
static struct symbol place_of_construct(const struct job *job, const struct rank *rank,
					uint64_t address, uint64_t body)
{
	const struct rank_module *module = body ? rank_module_at(rank, body) : NULL;
	struct symbol symbol = { 0 };

	if (job->options->anonymous)
		return symbol;
	if (module)
		symbol = symbols_begin(job->symbols, module->path, body - module->where.bias);
	return symbol.line || !address ? symbol : rank_symbol_at(job, rank, address - 1);
}

uint32_t job_construct_site(struct job *job, struct rank *rank, uint32_t construct,
			    uint64_t address, uint64_t body)
{
	uint32_t *site = site_of(rank, body ? body : address, CONSTRUCT_CALL + construct);
	struct symbol symbol = { 0 };
	struct named_region region;
	struct str name = STR_INIT;

	if (*site != UINT32_MAX)
		return *site;
	str_add(&name, constructs[construct].name);
	if (construct != TV_OMP_LOCK) {
		symbol = place_of_construct(job, rank, address, body);
		add_place(job, rank, address ? address : body, &symbol, &name);
	}
	region = construct_region(job, &constructs[construct], name.text, &symbol);
	str_fini(&name);
	return *site = builder_site(job->builder, region.region, 0, 0, region.picl);
}

ORDERING(compare_string, struct rank_string, thread, id)

void job_user_name(const struct job *job, const struct rank *rank, uint32_t thread, uint32_t id,
		   struct str *out)
{
	const struct rank_string key = { thread, id, NULL };
	const struct rank_string *known =
		rank->strings.n ? bsearch(&key, rank->strings.data, rank->strings.n, sizeof key,
					  compare_string)
				: NULL;

	if (job->options->anonymous || !known)
		str_add_fmt(out, "region %u", id);
	else
		str_add(out, known->text);
}

uint32_t job_user_site(struct job *job, const struct rank *rank, uint32_t thread, uint32_t id)
{
	struct named_region region;
	OWNED_STR name = STR_INIT;

	job_user_name(job, rank, thread, id, &name);
	region = job_region_named(job, name.text, CLASS_USER);
	return builder_site(job->builder, region.region, 0, 0, region.picl);
}

uint32_t job_gap_site(struct job *job)
{
	const struct named_region region = job_region_named(job, "tview_gap", CLASS_OVERHEAD);

	return builder_site(job->builder, region.region, 0, 0, region.picl);
}

uint32_t job_attribute(struct job *job, enum job_attribute which)
{
	enum { OTF2_UINT8 = 1, OTF2_UINT64 = 4, OTF2_INT64 = 8, OTF2_STRING = 11 };
	static const struct {
		const char *name;
		uint64_t type;
	} attributes[JOB_ATTRIBUTES] = {
		[JOB_CALLS_BEFORE] = { CALLS_BEFORE, OTF2_UINT64 },
		[JOB_ELEMENT_TYPE] = { COLLECTIVE_TYPE, OTF2_STRING },
		[JOB_OPERATION] = { COLLECTIVE_OPERATION, OTF2_STRING },
		[JOB_FROM_ALL] = { COLLECTIVE_FROM_ALL, OTF2_UINT8 },
		[JOB_BLOCK_LOCATION] = { "location", OTF2_INT64 },
		[JOB_BLOCK_PARAMETER] = { "parameter", OTF2_INT64 },
	};
	const char *name = attributes[which].name;
	const uint64_t values[] = { builder_string(job->builder, "", 0), attributes[which].type };

	if (!job->attribute[which])
		job->attribute[which] =
			1 + builder_object(job->builder, OBJECT_ATTRIBUTE,
					   builder_string(job->builder, name, strlen(name)), values,
					   2);
	return job->attribute[which] - 1;
}

uint32_t job_now_site(struct job *job)
{
	const struct named_region region = job_region_named(job, "tview_now", CLASS_OVERHEAD);

	return builder_site(job->builder, region.region, 0, 0, region.picl);
}

uint32_t job_tracing_site(struct job *job, int32_t picl)
{
	const char *name = picl_type_name(picl);
	const uint32_t region =
		builder_region(job->builder, name ? name : "tracing", CLASS_OVERHEAD, picl);

	return builder_site(job->builder, region, 0, 0, picl);
}
