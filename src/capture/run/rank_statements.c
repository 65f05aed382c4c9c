#include "capture/run/rank_statements.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

ORDERING(by_place, struct listed_loop, file, line, statement)

static uint32_t text(const struct finder *f, const char *t)
{
	return t && *t ? builder_string(f->job->builder, t, strlen(t)) : 0;
}

/* The statement of a place, UINT32_MAX while it is not known. `beside` distinguishes several
 * statements of one place: regions by thread, calls by what they call. */
static uint32_t *known(struct finder *f, enum statement_kind kind, uint64_t place, uint32_t beside)
{
	return keymap_add(&f->known, (struct key){ { (uint32_t)kind | beside << 3, f->number,
						     (uint32_t)place, (uint32_t)(place >> 32) } });
}

static bool is_region(uint64_t place)
{
	return place & TV_PLACE_REGION && !(place & TV_PLACE_SITE);
}

static bool is_line(uint64_t place)
{
	return place & TV_PLACE_FRAME && !(place & (TV_PLACE_SITE | TV_PLACE_REGION));
}

static bool is_own(uint64_t place)
{
	return place & TV_PLACE_OWN;
}

/* ---- statements by address ---- */

static bool has_hooks(const struct finder *f, const char *path)
{
	const char *const *module;

	vec_each (module, &f->modules)
		if (*module == path || !strcmp(*module, path))
			return true;
	return false;
}

/* Those of the program's tables, which are all before others. */
static void list_loops(struct finder *f)
{
	for (uint32_t i = 0; i < job_statement_count(f->job); i++) {
		const struct statement *s = job_statement_at(f->job, i);
		if (s->kind == STATEMENT_LOOP)
			vec_push(&f->loops, ((struct listed_loop){ s->file, s->line, i }));
	}
	vec_sort(&f->loops, by_place);
}

/* The innermost loop of the program's tables around a line, else its parent: a call that was found
 * by its address has no other way to know it. */
static uint32_t loop_around(const struct finder *f, const struct statement *s)
{
	size_t low = 0, high = f->loops.n;
	uint32_t loop;

	if (s->kind != STATEMENT_CALL && s->kind != STATEMENT_COMMUNICATION)
		return s->parent;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct listed_loop *l = &f->loops.data[middle];
		if (l->file < s->file || (l->file == s->file && l->line <= s->line))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || f->loops.data[low - 1].file != s->file)
		return s->parent;
	/* Of those that begin before, the last one, or one around it. */
	loop = f->loops.data[low - 1].statement;
	while (loop != NO_STATEMENT && job_statement_at(f->job, loop)->kind == STATEMENT_LOOP) {
		if (s->line <= job_statement_at(f->job, loop)->end_line)
			return loop;
		loop = job_statement_at(f->job, loop)->parent;
	}
	return s->parent;
}

/* A statement at a line. Instances of a template have calls at the same one: each is in its own; a
 * line may have calls of functions with one name. */
static uint32_t found_at_line(struct finder *f, const struct statement *s)
{
	const uint32_t id = job_statement_named(f->job, s->kind, s->name, s->file, s->line);
	struct statement inside = *s;
	uint32_t *same;

	if (id != NO_STATEMENT && (s->kind == STATEMENT_PROCEDURE || s->parent == NO_STATEMENT ||
				   !(job_statement_at(f->job, id)->flags & STATEMENT_FOUND)))
		return id;
	inside.parent = loop_around(f, s);
	same = keymap_add(&f->placed, KEY_OF(s->kind | (inside.parent + 1) << 3,
					     s->kind == STATEMENT_CALL ? s->callee : s->name,
					     s->file, s->line));
	if (*same == UINT32_MAX && id != NO_STATEMENT &&
	    job_statement_at(f->job, id)->parent == inside.parent &&
	    job_statement_at(f->job, id)->callee == inside.callee)
		*same = id;
	if (*same == UINT32_MAX)
		*same = job_statement_add(f->job, &inside);
	return *same;
}

/* The statement of that name and line, or a new one; where no line is known, that of that name and
 * `address`, which may be any number that distinguishes it. */
static uint32_t found(struct finder *f, const struct statement *s, uint64_t address)
{
	uint32_t *same;

	if (s->file && s->line)
		return found_at_line(f, s);
	same = keymap_add(&f->unnamed, (struct key){ { s->kind, s->name, (uint32_t)address,
						       (uint32_t)(address >> 32) } });
	if (*same == UINT32_MAX)
		*same = job_statement_add(f->job, s);
	return *same;
}

static struct statement blank(enum statement_kind kind)
{
	return (struct statement){ .kind = (uint8_t)kind,
				   .flags = STATEMENT_FOUND,
				   .parent = NO_STATEMENT,
				   .callee = NO_STATEMENT,
				   .region = UINT32_MAX };
}

static void set_source(const struct finder *f, struct statement *s, const struct symbol *symbol)
{
	if (f->job->options->anonymous || !symbol->file)
		return;
	s->file = text(f, symbol->file);
	s->line = symbol->line;
}

/* Functions of one name in one file are several, if both were found; tables may have another line
 * of the only one. */
static uint32_t found_procedure(struct finder *f, const struct statement *s)
{
	const uint32_t id = job_statement_named(f->job, s->kind, s->name, s->file, s->line);
	uint32_t *same;

	if (id != NO_STATEMENT && (!(job_statement_at(f->job, id)->flags & STATEMENT_FOUND) ||
				   job_statement_at(f->job, id)->line == s->line))
		return id;
	same = keymap_add(&f->placed, KEY_OF(s->kind, s->name, s->file, s->line));
	if (*same == UINT32_MAX)
		*same = job_statement_add(f->job, s);
	return *same;
}

/* `symbol` is that of the function that begins at, or is around, an address. */
static uint32_t procedure_of(struct finder *f, const struct symbol *symbol, uint64_t begin)
{
	struct statement s = blank(STATEMENT_PROCEDURE);
	OWNED_STR name = STR_INIT;
	const struct rank_module *module = rank_module_at(f->rank, begin);
	uint32_t id;

	job_name_function(f->job, f->rank, begin, symbol, &name);
	s.name = text(f, name.text);
	set_source(f, &s, symbol);
	id = symbol->defined && s.file && s.line
		     ? found_procedure(f, &s)
		     : found(f, &s, begin - (module ? module->where.bias : 0));
	job_statement_found(f->job, id);
	return id;
}

static uint32_t procedure_at(struct finder *f, uint64_t address)
{
	const struct rank_module *module = rank_module_at(f->rank, address);
	struct symbol symbol = { 0 };
	uint32_t id;

	if (module)
		symbol = symbols_function(f->job->symbols, module->path,
					  address - module->where.bias);
	id = procedure_of(f, &symbol, address);
	if (job_statement_at(f->job, id)->region == UINT32_MAX) {
		const uint32_t site = job_function_site(f->job, f->rank, address);
		job_statement_at(f->job, id)->region = builder_site_region(f->job->builder, site);
	}
	return id;
}

/* ---- constructs of OpenMP ---- */

static bool is_same_function(const struct symbol *a, const struct symbol *b)
{
	return a->function && b->function && !strcmp(a->function, b->function) &&
	       a->begin == b->begin;
}

/* Whether a function is what the compiler made of the inside of a construct: if that begins at
 * `body`, 0 unknown. */
static bool is_inside(const struct finder *f, const struct symbol *function, uint64_t body)
{
	const struct rank_module *module = body ? rank_module_at(f->rank, body) : NULL;

	return function->outlined && (!module || function->begin == body - module->where.bias);
}

static uint32_t construct_at(struct finder *f, uint32_t construct, uint64_t address, uint64_t body)
{
	const uint64_t place = rank_program_place(f->rank, address), at = body ? body : place;
	const struct rank_module *module = rank_module_at(f->rank, at);
	const uint32_t site = job_construct_site(f->job, f->rank, construct, place, body);
	struct statement s = blank(STATEMENT_PROCEDURE);

	s.region = builder_site_region(f->job->builder, site);
	s.name = builder_region_of(f->job->builder, site)->name;
	s.file = builder_region_of(f->job->builder, site)->file;
	s.line = builder_region_of(f->job->builder, site)->line;
	return found(f, &s, at - (module ? module->where.bias : 0));
}

/* The construct that a row's call is in; NO_STATEMENT: none, or it is not of the function around
 * the call. */
static uint32_t construct_around(struct finder *f, const struct tv_statistic *row,
				 const struct symbol *around)
{
	const uint32_t construct = (uint32_t)row->procedure.construct - 1;
	uint64_t at = row->procedure.within;
	const struct rank_module *module;
	struct symbol function;

	if (f->job->summary->statistics || !row->procedure.construct ||
	    row->procedure.construct > 1 + CONSTRUCT_PARALLEL)
		return NO_STATEMENT;
	if (construct == CONSTRUCT_PARALLEL)
		at = at < f->rank->teams.n ? f->rank->teams.data[at].site : 0;
	if (construct == CONSTRUCT_PARALLEL || (construct == TV_OMP_TASK && around->outlined))
		return is_inside(f, around, row->procedure.body)
			       ? construct_at(f, construct, at, row->procedure.body)
			       : NO_STATEMENT;
	module = at ? rank_module_at(f->rank, at - 1) : NULL;
	if (!module)
		return NO_STATEMENT;
	function = symbols_scope(f->job->symbols, module->path, at - 1 - module->where.bias);
	if (!is_same_function(&function, around))
		return NO_STATEMENT;
	return construct_at(f, construct == TV_OMP_CRITICAL ? CONSTRUCT_INSIDE : construct, at, 0);
}

/* The construct or the function that contains a row's call. `around` is what
 * symbols_scope() says; NO_STATEMENT without a name. */
static uint32_t container_of_call(struct finder *f, const struct tv_statistic *row,
				  const struct rank_module *module, const struct symbol *around)
{
	const uint32_t construct = construct_around(f, row, around);

	if (construct != NO_STATEMENT)
		return construct;
	return around->function ? procedure_of(f, around, around->begin + module->where.bias)
				: NO_STATEMENT;
}

/* ---- calls by address ---- */

/* A call, or with `row` the call of its procedure, that returns to an address. */
static uint32_t call_at(struct finder *f, struct statement s, const struct tv_statistic *row,
			uint64_t address)
{
	/* The byte before a return address belongs to the call's line. */
	const struct rank_module *module = rank_module_at(f->rank, address - 1);
	struct symbol symbol, around;
	uint32_t function;

	if (!module)
		return found(f, &s, 0);
	symbol = symbols_at(f->job->symbols, module->path, address - 1 - module->where.bias);
	around = symbols_scope(f->job->symbols, module->path, address - 1 - module->where.bias);
	set_source(f, &s, &symbol);
	if (s.kind == STATEMENT_CALL)
		function = s.parent = container_of_call(f, row, module, &around);
	else if (s.line && around.outlined && !f->job->summary->statistics)
		function = NO_STATEMENT; /* events have the construct it is in */
	else
		function = s.parent =
			around.function
				? procedure_of(f, &around, around.begin + module->where.bias)
				: NO_STATEMENT;
	/* Events do not tell such calls in one function apart either (job_mpi_site()). */
	return found(f, &s, function == NO_STATEMENT ? 0 : TV_PLACE_REGION | function);
}

/* A call that the compiler replaced by the function. */
static uint32_t call_inlined(struct finder *f, struct statement s, const struct tv_statistic *row,
			     const struct rank_module *module, const struct symbols_entry *entry)
{
	set_source(f, &s, &entry->call);
	s.parent = container_of_call(f, row, module, &entry->around);
	return found(f, &s, s.parent == NO_STATEMENT ? 0 : TV_PLACE_REGION | s.parent);
}

/* A call that a line of Python made, in a function of it. */
static uint32_t call_of_line(struct finder *f, struct statement s, uint64_t place)
{
	const struct rank_frame *frame = rank_frame_at(f->rank, place);
	struct statement function = blank(STATEMENT_PROCEDURE);
	OWNED_STR name = STR_INIT;
	uint32_t line;

	if (!frame)
		return found(f, &s, 0);
	job_name_frame(f->job, frame, &name);
	function.name = text(f, name.text);
	job_frame_source(f->job, frame, &function.file, &line);
	function.line = function.file ? frame->def->first : 0;
	s.file = function.file;
	s.line = line;
	function.region =
		builder_site_region(f->job->builder, job_frame_site(f->job, f->rank, place, 0));
	s.parent = found(f, &function, frame->def->first);
	return found(f, &s, place);
}

/* ---- places ---- */

/* A site without tables, or an unknown place: only its name is known. */
static uint32_t nameless(struct finder *f, enum statement_kind kind, uint64_t place)
{
	const uint32_t module = tv_place_module(place), slot = tv_place_slot(place);
	struct statement s = blank(kind);
	OWNED_STR name = STR_INIT;

	if (place & TV_PLACE_SITE) {
		const uint32_t site =
			job_probe_site(f->job, f->rank, module | (uint64_t)slot << 8, 0);
		s.region = builder_site_region(f->job->builder, site);
		job_name_unknown(f->job, f->rank, module, slot, &name);
	} else {
		str_add(&name, "unknown");
	}
	s.name = text(f, name.text);
	return found(f, &s, place);
}

static uint32_t region_statement(struct finder *f, uint32_t id)
{
	struct statement s = blank(STATEMENT_PROCEDURE);
	OWNED_STR name = STR_INIT;

	job_user_name(f->job, f->rank, f->thread, id, &name);
	s.name = text(f, name.text);
	s.region =
		builder_site_region(f->job->builder, job_user_site(f->job, f->rank, f->thread, id));
	return found(f, &s, 0);
}

static uint32_t own_statement(struct finder *f, uint32_t call)
{
	struct statement s = blank(STATEMENT_PROCEDURE);

	s.name = job_mpi_name(f->job, f->rank, call);
	s.region = job_mpi_region(f->job, f->rank, call);
	return found(f, &s, TV_PLACE_OWN);
}

static uint32_t site_statement(const struct finder *f, uint64_t place)
{
	return job_statement(f->job, f->rank, tv_place_module(place), tv_place_slot(place));
}

static uint32_t activity(struct finder *f, const struct tv_statistic *row)
{
	const enum statement_kind kind =
		row->kind == TV_STAT_LOOP ? STATEMENT_LOOP : STATEMENT_PROCEDURE;
	uint32_t *id = known(f, kind, row->place, is_region(row->place) ? f->thread : 0);

	if (*id != UINT32_MAX)
		return *id;
	if (row->place & TV_PLACE_SITE) {
		*id = site_statement(f, row->place);
		if (*id == NO_STATEMENT)
			*id = nameless(f, kind, row->place);
		else
			job_statement_region(f->job, *id);
	} else if (is_region(row->place)) {
		*id = region_statement(f, (uint32_t)row->place);
	} else if (is_own(row->place)) {
		*id = own_statement(f, (uint32_t)row->place);
	} else if (row->place && kind == STATEMENT_PROCEDURE) {
		*id = procedure_at(f, row->place);
	} else {
		*id = nameless(f, kind, row->place);
	}
	return *id;
}

static uint32_t communication(struct finder *f, const struct tv_statistic *row)
{
	struct statement s = blank(STATEMENT_COMMUNICATION);
	uint32_t *id;

	/* One address, one function of MPI; what has no address, or is a line of Python, is
	 * distinguished by the function. */
	id = known(f, STATEMENT_COMMUNICATION, row->place ? row->place : row->call,
		   is_line(row->place) ? row->call : 0);
	if (*id != UINT32_MAX)
		return *id;
	s.region = job_mpi_region(f->job, f->rank, row->call);
	s.name = job_mpi_name(f->job, f->rank, row->call);
	if (row->place & TV_PLACE_SITE) {
		*id = site_statement(f, row->place);
		if (*id == NO_STATEMENT)
			*id = found(f, &s, row->place);
		else if (job_statement_at(f->job, *id)->region == UINT32_MAX)
			job_statement_at(f->job, *id)->region = s.region;
		return *id;
	}
	if (is_line(row->place))
		return *id = call_of_line(f, s, row->place);
	return *id = row->place ? call_at(f, s, NULL, row->place) : found(f, &s, 0);
}

/* The place at which a region of the program's own, or tool overhead, is begun in a procedure, loop
 * or region. */
static uint32_t begin_within(struct finder *f, const struct tv_statistic *row, uint32_t region)
{
	struct statement s = blank(STATEMENT_CALL);
	uint32_t *id = known(f, STATEMENT_CALL, row->from, region);

	if (*id != UINT32_MAX)
		return *id;
	s.name = job_statement_at(f->job, region)->name;
	s.callee = region;
	s.parent = row->from & TV_PLACE_SITE ? site_statement(f, row->from)
					     : region_statement(f, (uint32_t)row->from);
	if (s.parent == NO_STATEMENT)
		return NO_STATEMENT;
	id = known(f, STATEMENT_CALL, row->from, region);
	return *id = found(f, &s, TV_PLACE_REGION | s.parent);
}

/* Of a function of the compiler's hooks: how it was entered. False: by a call. */
static bool is_inlined(const struct finder *f, const struct tv_statistic *row,
		       struct symbols_entry *entry)
{
	const uint64_t hook = row->procedure.hook;
	const struct rank_module *module = hook ? rank_module_at(f->rank, hook - 1) : NULL;
	struct symbol function;

	if (!module)
		return false;
	function = rank_function_at(f->job, f->rank, row->place);
	function.begin = row->place - module->where.bias;
	*entry = symbols_entry(f->job->symbols, module->path, &function,
			       hook - 1 - module->where.bias);
	return entry->inlined;
}

/* A call that never returns may be the last of its function, with nothing after it. */
static bool is_function(const struct finder *f, uint64_t address)
{
	const struct rank_module *module = rank_module_at(f->rank, address);
	struct symbol symbol;

	if (!module)
		return false;
	symbol = symbols_at(f->job->symbols, module->path, address - module->where.bias);
	return symbol.function && symbol.begin == address - module->where.bias;
}

/* A region or overhead begins in a function: no line is known. */
static uint32_t call_within(struct finder *f, struct statement s, uint64_t function)
{
	const struct rank_module *module = rank_module_at(f->rank, function);

	if (!module || !has_hooks(f, module->path))
		return NO_STATEMENT;
	s.parent = procedure_at(f, function);
	return found(f, &s, function - module->where.bias);
}

/* The function that was made of the inside of a construct ended with a jump to the last one that it
 * called: the address that this call would return to; 0 unknown. */
static uint64_t called_last(const struct finder *f, const struct tv_statistic *row)
{
	const struct rank_module *module = rank_module_at(f->rank, row->procedure.body);
	struct symbol function;
	uint64_t address;

	if (!module)
		return 0;
	function = rank_function_at(f->job, f->rank, row->place);
	address = symbols_tail_call(f->job->symbols, module->path,
				    row->procedure.body - module->where.bias, &function);
	return address ? address + module->where.bias : 0;
}

static uint32_t call_of_function(struct finder *f, const struct tv_statistic *row,
				 uint32_t procedure)
{
	struct statement s = blank(STATEMENT_CALL);
	const struct rank_module *module;
	struct symbols_entry entry;
	uint64_t from = row->from;

	s.name = job_statement_at(f->job, procedure)->name;
	s.callee = procedure;
	if (!row->procedure.hook && is_function(f, row->from))
		return call_within(f, s, row->from);
	if (is_inlined(f, row, &entry))
		return call_inlined(f, s, row, rank_module_at(f->rank, row->procedure.hook - 1),
				    &entry);
	if (from && from == row->procedure.body)
		from = called_last(f, row);
	module = from ? rank_module_at(f->rank, from - 1) : NULL;
	return module && has_hooks(f, module->path) ? call_at(f, s, row, from) : NO_STATEMENT;
}

uint32_t finder_caller(struct finder *f, const struct tv_statistic *row, uint32_t procedure)
{
	if (row->kind != TV_STAT_PROCEDURE || (!row->from && !row->procedure.hook))
		return NO_STATEMENT;
	if ((is_region(row->place) || is_own(row->place)) &&
	    row->from & (TV_PLACE_SITE | TV_PLACE_REGION))
		return begin_within(f, row, procedure);
	if (row->from & TV_PLACE_SITE)
		return site_statement(f, row->from);
	if (row->from & TV_PLACE_REGION)
		return NO_STATEMENT;
	return call_of_function(f, row, procedure);
}

/* ---- all ---- */

uint32_t finder_statement(struct finder *f, const struct tv_statistic *row)
{
	return row->kind == TV_STAT_COMMUNICATION ? communication(f, row) : activity(f, row);
}

void finder_see(struct finder *f, const struct tv_statistic *row)
{
	const struct rank_module *module;

	if (row->kind != TV_STAT_PROCEDURE || is_own(row->place) || is_region(row->place) ||
	    row->place & TV_PLACE_SITE)
		return;
	module = rank_module_at(f->rank, row->place);
	if (module && !has_hooks(f, module->path))
		vec_push(&f->modules, module->path);
}

void finder_init(struct finder *f, struct job *job)
{
	*f = (struct finder){ .job = job };
	list_loops(f);
}

void finder_fini(struct finder *f)
{
	keymap_fini(&f->known);
	keymap_fini(&f->placed);
	keymap_fini(&f->unnamed);
	vec_fini(&f->loops);
	vec_fini(&f->modules);
}
