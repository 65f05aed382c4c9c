/* The program's own tables of statements: read of every program and library with sites that the
 * ranks had mapped, one statement for each place in the source. What a header brings into several
 * units is one statement: the same procedure at the same place, and in it the same statements in
 * the same order. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "capture/run/merge_job.h"
#include "model/formats/site_tables.h"

enum { ROLE_LOOP = 3 /* as OTF2 numbers them */, SAME_PLACE_MAX = 255 };

/* One file with sites. */
struct site_module {
	char *path;
	uint64_t address; /* of the section, as linked */
	struct site_tables *tables;
	uint32_t section;
	VEC(uint32_t) statement; /* [site] */
};

struct program {
	VEC(struct site_module) modules;
	VEC(struct statement) statements;
	VEC(int32_t) picl;     /* [statement] of its region */
	VEC(uint32_t) unit_of; /* [statement] the unit that it was last met in */
	VEC(uint64_t) address; /* [statement] where its site is in its file; 0 none */
	VEC(const struct static_site *) site; /* [statement] NULL: found, not from tables */
	struct keymap files;                  /* (hash of a path) -> its number */
	struct keymap by_place; /* (parent or file, line, name, kind, which) -> statement */
	struct keymap by_name;  /* (kind, name, file, line) -> the first statement */
	struct keymap entered;  /* (statement, call statement) -> the builder's site */
	struct keymap unknown;  /* (module, slot) of sites without tables -> the builder's site */
	uint32_t units;         /* numbered over all modules */
};

/* ---- statements ---- */

struct statement *job_statement_at(struct job *job, uint32_t statement)
{
	return &job->program->statements.data[statement];
}

uint32_t job_statement_count(const struct job *job)
{
	return (uint32_t)job->program->statements.n;
}

/* Procedures by name and file alone: a look-up by code may give another line of the procedure. */
static struct key key_by_name(enum statement_kind kind, uint32_t name, uint32_t file, uint32_t line)
{
	return (struct key){ { (uint32_t)kind, name, file,
			       kind == STATEMENT_PROCEDURE ? 0 : line } };
}

uint32_t job_statement_named(const struct job *job, enum statement_kind kind, uint32_t name,
			     uint32_t file, uint32_t line)
{
	const uint32_t *known =
		keymap_find(&job->program->by_name, key_by_name(kind, name, file, line));

	return known ? *known : NO_STATEMENT;
}

uint32_t job_statement_add(struct job *job, const struct statement *statement)
{
	struct program *p = job->program;
	const uint32_t id = (uint32_t)p->statements.n;

	vec_push(&p->statements, *statement);
	vec_push(&p->picl, 0);
	vec_push(&p->unit_of, UINT32_MAX);
	vec_push(&p->address, 0);
	vec_push(&p->site, NULL);
	if (statement->file && statement->line) {
		uint32_t *first =
			keymap_add(&p->by_name, key_by_name(statement->kind, statement->name,
							    statement->file, statement->line));
		*first = *first == UINT32_MAX ? id : *first;
	}
	return id;
}

/* ---- reading the tables ---- */

static uint8_t kind_of(uint8_t kind)
{
	switch (kind) {
	case TV_SITE_PROCEDURE: return STATEMENT_PROCEDURE;
	case TV_SITE_LOOP: return STATEMENT_LOOP;
	case TV_SITE_CALL: return STATEMENT_CALL;
	default: return STATEMENT_COMMUNICATION;
	}
}

static uint8_t flags_of(uint8_t flags)
{
	return (uint8_t)((flags & TV_SITE_ALONE ? STATEMENT_ALONE : 0) |
			 (flags & TV_SITE_POINTER ? STATEMENT_POINTER : 0) |
			 (flags & TV_SITE_LOCAL ? STATEMENT_LOCAL : 0) |
			 (flags & TV_SITE_ITERATIONS ? STATEMENT_ITERATIONS : 0) |
			 (flags & TV_SITE_UNCOUNTED ? STATEMENT_UNCOUNTED : 0) |
			 (flags & TV_SITE_UNTIMED ? STATEMENT_UNTIMED : 0));
}

static uint32_t text(const struct job *job, const char *t)
{
	return *t ? builder_string(job->builder, t, strlen(t)) : 0;
}

/* The name of a procedure in an anonymous trace: made of its place in its file, which is the same
 * on every rank. */
static void name_procedure(const struct job *job, const struct static_site *site, uint64_t address,
			   struct str *out)
{
	if (job->options->anonymous)
		str_add_fmt(out, "function %llx", (unsigned long long)address);
	else
		str_add(out, site->name);
}

/* Kinds of loops and MPI functions are not names of the program. */
static uint32_t name_of(const struct job *job, const struct static_site *site, uint64_t address)
{
	OWNED_STR name = STR_INIT;

	if (site->kind == TV_SITE_PROCEDURE)
		name_procedure(job, site, address, &name);
	else
		str_add(&name, job->options->anonymous && site->kind == TV_SITE_CALL ? "call"
										     : site->name);
	return text(job, name.text);
}

/* The same as one that another unit brought, or a new one. */
static uint32_t merge_statement(struct job *job, const struct statement *s, uint32_t unit)
{
	struct program *p = job->program;
	const uint32_t where = s->parent == NO_STATEMENT ? s->file : s->parent;

	for (uint32_t which = 0; which < SAME_PLACE_MAX; which++) {
		uint32_t *known = keymap_add(&p->by_place,
					     (struct key){ { where, s->line, s->name,
							     s->kind | which << 8 |
								     (uint32_t)s->column << 16 } });
		if (*known == UINT32_MAX)
			return *known = job_statement_add(job, s);
		if (p->unit_of.data[*known] != unit)
			return *known;
	}
	return job_statement_add(job, s);
}

/* The file of a site, of which neighbours have the same. */
struct file_memory {
	const char *file;
	uint32_t unit, string;
};

/* Without names, files are numbered: statements of different files stay distinguishable. */
static void number_file(struct program *p, struct str *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	uint32_t *number;

	for (size_t i = 0; i < path->n; i++)
		hash = (hash ^ (unsigned char)path->text[i]) * UINT64_C(0x100000001b3);
	number = keymap_add(&p->files, (struct key){ { (uint32_t)hash, (uint32_t)(hash >> 32),
						       (uint32_t)path->n } });
	if (*number == UINT32_MAX)
		*number = (uint32_t)p->files.n;
	str_clear(path);
	str_add_fmt(path, "file %u", *number);
}

static uint32_t file_of(const struct job *job, const struct site_module *m, uint32_t i,
			struct file_memory *memory)
{
	const struct static_site *site = site_tables_site(m->tables, i);
	OWNED_STR path = STR_INIT;

	if (!*site->file)
		return 0;
	if (memory->file == site->file && memory->unit == site->unit)
		return memory->string;
	site_tables_path(m->tables, i, &path);
	if (job->options->anonymous)
		number_file(job->program, &path);
	*memory = (struct file_memory){ site->file, site->unit, text(job, path.text) };
	return memory->string;
}

static void add_site(struct job *job, struct site_module *m, uint32_t i, struct file_memory *memory)
{
	const struct static_site *site = site_tables_site(m->tables, i);
	const uint64_t address =
		m->address + (uint64_t)site_tables_slot(m->tables, i) * TV_SLOT_SIZE;
	const uint32_t unit = job->program->units + site->unit;
	const struct statement s = {
		.kind = kind_of(site->kind),
		.flags = flags_of(site->flags),
		.column = site->column,
		.line = site->line,
		.end_line = site->end_line,
		.parent =
			site->parent == SITE_NONE ? NO_STATEMENT : m->statement.data[site->parent],
		.name = name_of(job, site, address),
		.file = file_of(job, m, i, memory),
		.callee = NO_STATEMENT,
		.region = UINT32_MAX,
		/* It may name something. */
		.reason = job->options->anonymous ? 0 : text(job, site->reason),
	};
	const uint32_t id = merge_statement(job, &s, unit);

	job->program->unit_of.data[id] = unit;
	job->program->address.data[id] = address;
	job->program->site.data[id] = site;
	vec_push(&m->statement, id);
}

static void add_sites(struct job *job, struct site_module *m)
{
	const uint32_t n = site_tables_count(m->tables);
	struct file_memory memory = { NULL, 0, 0 };

	for (uint32_t i = 0; i < n; i++)
		add_site(job, m, i, &memory);
	for (uint32_t i = 0; i < n; i++) {
		const struct static_site *site = site_tables_site(m->tables, i);
		struct statement *call;
		if (site->callee == SITE_NONE)
			continue;
		call = job_statement_at(job, m->statement.data[i]);
		call->callee = m->statement.data[site->callee];
		if (job->options->anonymous)
			call->name = job_statement_at(job, call->callee)->name;
	}
	job->program->units += site_tables_unit_count(m->tables);
}

static void cannot_read(struct job *job, const struct err *err)
{
	OWNED_STR sentence = STR_INIT;

	str_add_clean(&sentence, err->text, strlen(err->text));
	str_add(&sentence, ": its statements have no names and lines");
	builder_finding(job->builder, FINDING_DAMAGE, "program-changed", 0, sentence.text);
}

/* The file's tables; empty if the file cannot be read or is not the one that ran. */
static uint32_t module_of(struct job *job, const struct rank_sites *where)
{
	struct program *p = job->program;
	const uint64_t address = where->where.start - where->where.bias;
	struct site_module *m;
	struct err err = ERR_INIT;

	vec_each (m, &p->modules)
		if (m->address == address && !strcmp(m->path, where->path))
			return (uint32_t)(m - p->modules.data);
	m = vec_add(&p->modules);
	m->path = xstrdup(where->path);
	m->address = address;
	m->tables = site_tables_read(where->path, &err);
	m->section = m->tables ? site_tables_section(m->tables, address) : SITE_NONE;
	if (m->tables && m->section == SITE_NONE)
		err_set(&err, STATUS_IO, "%s: changed since the run", where->path);
	if (m->section != SITE_NONE)
		add_sites(job, m);
	else
		cannot_read(job, &err);
	return (uint32_t)(m - p->modules.data);
}

/* A program without any probes may still say why: Fortran, files with hooks instead. */
static void add_without_probes(struct job *job, const char *path)
{
	struct program *p = job->program;
	struct site_tables *tables;
	struct site_module *m;
	struct err none = ERR_INIT; /* most have no tables */

	vec_each (m, &p->modules)
		if (!strcmp(m->path, path))
			return;
	tables = site_tables_read(path, &none);
	m = vec_add(&p->modules);
	m->path = xstrdup(path);
	m->section = SITE_NONE;
	m->tables = tables;
	if (tables)
		add_sites(job, m);
}

/* ---- all of them ---- */

void job_program_begin(struct job *job)
{
	struct rank *rank;

	job->program = xcalloc(1, sizeof *job->program);
	vec_each (rank, &job->ranks) {
		struct rank_sites *sites;
		vec_each (sites, &rank->site_modules)
			if (sites->path)
				sites->module = module_of(job, sites);
	}
	/* The first one is the program itself. */
	vec_each (rank, &job->ranks)
		if (rank->modules.n)
			add_without_probes(job, rank->modules.data[0].path);
	job_leave_out(job);
}

void job_program_end(struct job *job)
{
	OWNED struct program *p = job->program;
	struct site_module *m;

	vec_each (m, &p->modules) {
		free(m->path);
		site_tables_free(m->tables);
		vec_fini(&m->statement);
	}
	vec_fini(&p->modules);
	vec_fini(&p->statements);
	vec_fini(&p->picl);
	vec_fini(&p->unit_of);
	vec_fini(&p->address);
	vec_fini(&p->site);
	keymap_fini(&p->files);
	keymap_fini(&p->by_place);
	keymap_fini(&p->by_name);
	keymap_fini(&job->left_out);
	keymap_fini(&p->entered);
	keymap_fini(&p->unknown);
	job->program = NULL;
}

uint32_t job_statement(const struct job *job, const struct rank *rank, uint32_t module,
		       uint32_t slot)
{
	const struct rank_sites *sites;
	const struct site_module *m;
	uint32_t site;

	if (module >= rank->site_modules.n)
		return NO_STATEMENT;
	sites = &rank->site_modules.data[module];
	if (sites->module == UINT32_MAX)
		return NO_STATEMENT;
	m = &job->program->modules.data[sites->module];
	if (m->section == SITE_NONE)
		return NO_STATEMENT;
	site = site_tables_find(m->tables, m->section, slot);
	return site == SITE_NONE ? NO_STATEMENT : m->statement.data[site];
}

/* ---- regions and sites of events ---- */

/* A region of the source, one for each name, file, line and role. */
static struct named_region source_region(struct job *job, const struct region *region)
{
	uint32_t *known =
		keymap_add(&job->region_of, (struct key){ { region->name, region->file,
							    region->line, 1u + region->role } });

	if (*known == UINT32_MAX) {
		struct region define = *region;
		define.picl = job->next_user++;
		*known = (uint32_t)job->regions.n;
		vec_push(&job->regions,
			 ((struct named_region){ builder_region_define(job->builder, &define),
						 define.picl }));
	}
	return job->regions.data[*known];
}

/* Loops have no names: "for sweep.c:30". */
static void name_region(const struct job *job, uint32_t id, struct str *out)
{
	const struct static_site *site = job->program->site.data[id];
	const uint64_t address = job->program->address.data[id];

	if (site->kind != TV_SITE_LOOP)
		name_procedure(job, site, address, out);
	else if (*site->file && !job->options->anonymous)
		str_add_fmt(out, "%s %s:%u", site->name, path_name(site->file), site->line);
	else
		str_add_fmt(out, "%s %llx", site->name, (unsigned long long)address);
}

uint32_t job_statement_region(struct job *job, uint32_t id)
{
	struct statement *s = job_statement_at(job, id);
	struct named_region region;
	OWNED_STR name = STR_INIT;

	if (s->region != UINT32_MAX)
		return s->region;
	name_region(job, id, &name);
	region = source_region(job, &(struct region){
					    .name = builder_string(job->builder, name.text, name.n),
					    .file = s->file,
					    .line = s->line,
					    .end_line = s->end_line,
					    .cls = CLASS_USER,
					    .role = s->kind == STATEMENT_LOOP ? ROLE_LOOP : 0 });
	s->region = region.region;
	job->program->picl.data[id] = region.picl;
	return s->region;
}

void job_name_unknown(const struct job *job, const struct rank *rank, uint32_t module,
		      uint32_t slot, struct str *out)
{
	const struct rank_sites *sites =
		module < rank->site_modules.n ? &rank->site_modules.data[module] : NULL;

	if (sites && sites->path && !job->options->anonymous)
		str_add_fmt(out, "%s+0x%jx", path_name(sites->path),
			    (uintmax_t)(sites->where.start - sites->where.bias +
					(uint64_t)slot * TV_SLOT_SIZE));
	else
		str_add_fmt(out, "site %u", slot);
}

static uint32_t unknown_site(struct job *job, const struct rank *rank, uint32_t module,
			     uint32_t slot)
{
	const bool defined = module < rank->site_modules.n;
	uint32_t *known =
		keymap_add(&job->program->unknown,
			   (struct key){
				   { defined ? rank->site_modules.data[module].module : UINT32_MAX,
				     slot } });
	OWNED_STR name = STR_INIT;
	struct named_region region;

	if (*known != UINT32_MAX)
		return *known;
	job_name_unknown(job, rank, module, slot, &name);
	region = source_region(job, &(struct region){
					    .name = builder_string(job->builder, name.text, name.n),
					    .cls = CLASS_USER });
	return *known = builder_site(job->builder, region.region, 0, 0, region.picl);
}

uint32_t job_probe_site(struct job *job, const struct rank *rank, uint64_t what, uint64_t across)
{
	const uint32_t module = tv_site_module(what << 8), slot = tv_site_slot(what << 8),
		       caller = across ? tv_site_slot(across) : tv_site_from(what << 8);
	const uint32_t id = job_statement(job, rank, module, slot);
	const uint32_t from =
		caller && id != NO_STATEMENT
			? job_statement(job, rank, across ? tv_site_module(across) : module, caller)
			: NO_STATEMENT;
	const struct statement *place;
	uint32_t *site, region;

	if (id == NO_STATEMENT)
		return unknown_site(job, rank, module, slot);
	site = keymap_add(&job->program->entered, (struct key){ { id, from } });
	if (*site != UINT32_MAX)
		return *site;
	region = job_statement_region(job, id);
	place = from != NO_STATEMENT ? job_statement_at(job, from) : job_statement_at(job, id);
	if (from == NO_STATEMENT && place->kind != STATEMENT_LOOP)
		return *site = builder_site(job->builder, region, 0, 0,
					    job->program->picl.data[id]);
	return *site = builder_site(job->builder, region, place->file, place->line,
				    job->program->picl.data[id]);
}
