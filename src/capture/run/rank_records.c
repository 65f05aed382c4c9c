/* The ranks' statistics (capture/lib/statistic.h) as records of the trace, and the statements that
 * no table of the program has: functions by their hooks, calls by the address they return to,
 * regions that the program names. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "capture/run/merge_job.h"
#include "capture/run/run_probed.h"

/* Invalid rows; rows whose process died while it changed them; what a look did not get. */
struct lost {
	uint64_t torn, wrong, missed;
};

/* What a row is of. */
struct subject {
	uint32_t statement, from;
};

struct listed_loop {
	uint32_t file, line, statement;
};

ORDERING(by_place, struct listed_loop, file, line, statement)

struct finder {
	struct job *job;
	struct rank *rank;
	uint32_t number;       /* of the rank among the job's */
	uint32_t thread;       /* of the row */
	struct keymap known;   /* (kind, rank, place) -> statement */
	struct keymap unnamed; /* (kind, name, place in its file) of statements without a line */
	VEC(struct listed_loop) loops; /* of the program's tables */
	VEC(const char *) modules;     /* paths of those that have hooked functions */
	VEC(struct subject) subjects;  /* of all rows */
	size_t row;                    /* the next one */
	struct lost lost;
	struct run_probed probed;
};

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

/* The statement of that name and line, or a new one; where no line is known, that of that name and
 * `address`, which may be any number that distinguishes it. */
static uint32_t found(struct finder *f, const struct statement *s, uint64_t address)
{
	uint32_t id = s->file && s->line
			      ? job_statement_named(f->job, s->kind, s->name, s->file, s->line)
			      : NO_STATEMENT;
	uint32_t *same;

	if (id != NO_STATEMENT)
		return id;
	if (s->file && s->line) {
		struct statement inside = *s;
		inside.parent = loop_around(f, s);
		return job_statement_add(f->job, &inside);
	}
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
	id = found(f, &s, begin - (module ? module->where.bias : 0));
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

/* The procedure in whose text an address is; NO_STATEMENT without a name. */
static uint32_t procedure_around(struct finder *f, const struct rank_module *module,
				 uint64_t address)
{
	const struct symbol symbol =
		symbols_scope(f->job->symbols, module->path, address - module->where.bias);

	if (!symbol.function)
		return NO_STATEMENT;
	return procedure_of(f, &symbol, symbol.begin + module->where.bias);
}

/* A call that returns to an address. */
static uint32_t call_at(struct finder *f, struct statement s, uint64_t address)
{
	/* The byte before a return address belongs to the call's line. */
	const struct rank_module *module = rank_module_at(f->rank, address - 1);
	struct symbol symbol;

	if (!module)
		return found(f, &s, 0);
	symbol = symbols_at(f->job->symbols, module->path, address - 1 - module->where.bias);
	set_source(f, &s, &symbol);
	s.parent = procedure_around(f, module, address - 1);
	/* Events do not tell such calls in one function apart either (job_mpi_site()). */
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
	return *id = row->place ? call_at(f, s, row->place) : found(f, &s, 0);
}

/* If the compiler inlined a function into another one, only the address of that other function is
 * known of the call. */
static uint32_t call_within(struct finder *f, struct statement s, const struct rank_module *module,
			    uint64_t function)
{
	s.parent = procedure_at(f, function);
	return found(f, &s, function - module->where.bias);
}

static bool is_function(const struct finder *f, const struct rank_module *module, uint64_t address)
{
	const uint64_t relative = address - module->where.bias;
	const struct symbol symbol = symbols_at(f->job->symbols, module->path, relative);

	/* A call that never returns may be the last of its function, with nothing after it. */
	return symbol.function && symbol.begin == relative;
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

/* The call statement that an activation came from; callers outside of the program have none. */
static uint32_t caller(struct finder *f, const struct tv_statistic *row, uint32_t procedure)
{
	struct statement s = blank(STATEMENT_CALL);
	const struct rank_module *module;
	uint32_t *id;

	if (row->kind != TV_STAT_PROCEDURE || !row->from)
		return NO_STATEMENT;
	if ((is_region(row->place) || is_own(row->place)) &&
	    row->from & (TV_PLACE_SITE | TV_PLACE_REGION))
		return begin_within(f, row, procedure);
	if (row->from & TV_PLACE_SITE)
		return site_statement(f, row->from);
	module = rank_module_at(f->rank, row->from - 1);
	if (row->from & TV_PLACE_REGION || !module || !has_hooks(f, module->path))
		return NO_STATEMENT;
	/* One address calls several through a pointer, or where they are inlined: a statement for
	 * each. */
	id = known(f, STATEMENT_CALL, row->from, procedure);
	if (*id != UINT32_MAX)
		return *id;
	s.name = job_statement_at(f->job, procedure)->name;
	s.callee = procedure;
	return *id = is_function(f, module, row->from) ? call_within(f, s, module, row->from)
						       : call_at(f, s, row->from);
}

/* ---- records ---- */

/* At least half a year; sums of a hundred such rows still do not overflow. */
#define ROW_MOST (UINT64_C(1) << 56)

static bool is_row(const struct tv_statistic *row)
{
	return row->kind >= TV_STAT_PROCEDURE && row->kind <= TV_STAT_COMMUNICATION &&
	       row->count < ROW_MOST && row->time < ROW_MOST;
}

static int64_t nanoseconds(const struct finder *f, uint64_t ticks)
{
	return ticks_duration(&f->rank->clock, ticks, TICKS_NEAREST);
}

static void fill_loop(const struct finder *f, const struct tv_statistic *row,
		      struct statement_record *r)
{
	/* Sixteenths of ticks. */
	const double factor = ticks_length(&f->rank->clock) / 16;

	r->inner = row->loop.inner;
	r->iterations = row->loop.iterations;
	r->flags |= row->loop.iterated ? RECORD_ITERATED : 0;
	if (row->loop.iterations) {
		r->quickest = (double)row->loop.quickest * factor;
		r->slowest = (double)row->loop.slowest * factor;
	}
}

static void fill_communication(const struct finder *f, const struct tv_statistic *row,
			       struct statement_record *r)
{
	const int32_t peer = row->communication.peer;
	const uint32_t comm = row->communication.comm;
	const bool defined = comm < f->rank->comms.n && f->rank->comms.data[comm].def;

	r->partner = peer == TV_PEER_NONE ? RANK_UNKNOWN
		     : peer < 0           ? PARTNER_MANY
					  : rank_member(f->rank, comm, peer);
	r->comm = defined && peer != TV_PEER_NONE ? rank_comm_id(f->rank, comm) : UINT32_MAX;
	r->sync = nanoseconds(f, row->communication.sync);
	r->trans = nanoseconds(f, row->communication.trans);
	/* Both were rounded, but must remain parts of the time. */
	if (r->sync > r->time)
		r->sync = r->time;
	if (r->trans > r->time - r->sync)
		r->trans = r->time - r->sync;
	r->own = row->communication.own;
	r->carried = row->communication.carried;
	r->sent = row->communication.sent;
	r->received = row->communication.received;
}

static void add_record(const struct finder *f, const struct tv_statistic *row,
		       const struct subject *subject)
{
	struct statement_record r = { .statement = subject->statement,
				      .location = f->rank->locations.data[f->thread],
				      .from = subject->from,
				      .partner = RANK_UNKNOWN,
				      .comm = UINT32_MAX,
				      .count = row->count,
				      .time = nanoseconds(f, row->time),
				      .min = ticks_duration(&f->rank->clock, row->least,
							    TICKS_DOWN),
				      .max = ticks_duration(&f->rank->clock, row->most, TICKS_UP) };

	r.exclusive =
		r.time - nanoseconds(f, row->children < row->time ? row->children : row->time);
	/* Where there are no events, none is missing. */
	r.flags = (row->flags & TV_STAT_LIMITED && !f->job->summary->statistics ? RECORD_LIMITED
										: 0) |
		  (row->flags & TV_STAT_LOST ? RECORD_LOST : 0) |
		  (row->flags & TV_STAT_SENT ? RECORD_SENT : 0) |
		  (row->flags & TV_STAT_RECEIVED ? RECORD_RECEIVED : 0) |
		  (row->flags & TV_STAT_DETECTED ? RECORD_DETECTED : 0) |
		  (row->seq & 1 ? RECORD_TORN : 0);
	/* Of a torn one only the shortest may be there. */
	if (r.max < r.min)
		r.max = r.min;
	if (row->kind == TV_STAT_COMMUNICATION)
		fill_communication(f, row, &r);
	else if (row->kind == TV_STAT_LOOP)
		fill_loop(f, row, &r);
	else
		r.inner = row->procedure.inner;
	if (r.inner > r.count)
		r.inner = r.count;
	builder_statement_record(f->job->builder, &r);
	f->job->summary->records++;
}

/* ---- all of them ---- */

/* Goes over the rows of all ranks, in the same order each time. */
static void each_row(struct finder *f,
		     void (*use)(struct finder *f, const struct tv_statistic *row))
{
	struct tv_statistic row;
	struct rank_rows rows;

	f->number = 0;
	f->lost = (struct lost){ 0 };
	vec_each (f->rank, &f->job->ranks) {
		rank_rows_begin(&rows, f->rank->file);
		while (rank_rows_next(&rows, &row, &f->thread)) {
			if (!is_row(&row))
				f->lost.wrong++;
			else if (row.count)
				use(f, &row);
		}
		f->lost.torn += rows.torn;
		f->lost.missed += f->rank->file->missed;
		f->number++;
	}
}

static void note_module(struct finder *f, const struct tv_statistic *row)
{
	const struct rank_module *module;

	if (row->kind != TV_STAT_PROCEDURE || is_own(row->place) || is_region(row->place) ||
	    row->place & TV_PLACE_SITE)
		return;
	module = rank_module_at(f->rank, row->place);
	if (module && !has_hooks(f, module->path))
		vec_push(&f->modules, module->path);
}

static void find(struct finder *f, const struct tv_statistic *row)
{
	struct subject subject;

	subject.statement =
		row->kind == TV_STAT_COMMUNICATION ? communication(f, row) : activity(f, row);
	subject.from = caller(f, row, subject.statement);
	vec_push(&f->subjects, subject);
	f->job->summary->limited += (row->flags & TV_STAT_LIMITED) && !f->job->summary->statistics;
}

static void add(struct finder *f, const struct tv_statistic *row)
{
	add_record(f, row, &f->subjects.data[f->row++]);
	run_probed_add(&f->probed, f->rank, row);
}

static void tell_missed(const struct finder *f)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text,
		    "the ranks changed or overwrote %llu part%s of their records throughout the "
		    "look: not in it",
		    (unsigned long long)f->lost.missed, f->lost.missed == 1 ? "" : "s");
	builder_finding(f->job->builder, FINDING_MISSING, "look-incomplete", 0, text.text);
}

static void tell_lost(const struct finder *f)
{
	if (f->lost.missed)
		tell_missed(f);
	else if (f->lost.torn)
		builder_finding(f->job->builder, FINDING_INFO, "statistics-torn", 0,
				"a statement record was being changed when its process died: one "
				"execution may be in some of its figures alone");
	if (f->lost.wrong)
		builder_finding(f->job->builder, FINDING_DAMAGE, "statistics-damaged", 0,
				"data in a buffer that is not a statement record was skipped");
}

void job_records(struct job *job)
{
	struct finder f = { .job = job };

	list_loops(&f);
	each_row(&f, note_module);
	each_row(&f, find);
	job->summary->statements = job_statement_count(job);
	for (uint32_t i = 0; i < job_statement_count(job); i++)
		builder_statement(job->builder, job_statement_at(job, i));
	each_row(&f, add);
	run_probed_say(&f.probed, job->builder);
	job->summary->torn = f.lost.torn;
	tell_lost(&f);
	keymap_fini(&f.known);
	keymap_fini(&f.unnamed);
	vec_fini(&f.loops);
	vec_fini(&f.modules);
	vec_fini(&f.subjects);
}
