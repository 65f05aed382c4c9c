/* From ranks' files to statements and their records: files made by hand, of a program whose tables
 * are in this executable itself, with clocks that count nanoseconds, so that every number is
 * known. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "capture/lib/record_words.h"
#include "capture/lib/sites.h"
#include "capture/lib/statistic.h"
#include "capture/run/merge.h"
#include "harness/files.h"
#include "harness/test.h"
#include "model/trace/program.h"

/* ---- the program's tables ---- */

struct text {
	char nothing[1];
	char source[8], folder[8], main[5], sweep[6], for_[4], while_[6], send[9], recv[9];
	char reason[16], header[11], twice[6];
	char fill[32 - (1 + 8 + 8 + 5 + 6 + 4 + 6 + 9 + 9 + 16 + 11 + 6) % 32];
};

#define T(field) ((uint32_t)offsetof(struct text, field))

enum {
	MAIN,
	MAIN_FOR,
	MAIN_SWEEP,
	MAIN_SEND,
	SWEEP,
	SWEEP_WHILE,
	SWEEP_SWEEP,
	SWEEP_RECV,
	TWICE,
	SITES
};

struct unit {
	struct tv_unit head;
	struct tv_site site[SITES];
	struct text text;
};

#define SITE(kind, flags, column, line, end, parent, name, file, callee, reason)            \
	{                                                                                   \
		TV_SITE_##kind, flags, column, line, end, parent, T(name), T(file), callee, \
			T(reason)                                                           \
	}
#define NONE TV_NO_SITE
/* clang-format off */
#define UNIT { \
	{ TV_UNIT_MAGIC, TV_UNIT_VERSION, sizeof(struct unit), SITES, offsetof(struct unit, text), \
	  sizeof(struct text), T(source), T(folder) }, \
	{ SITE(PROCEDURE, 0, 5, 10, 30, NONE, main, source, NONE, nothing), \
	  SITE(LOOP, 0, 2, 12, 15, MAIN, for_, source, NONE, nothing), \
	  SITE(CALL, 0, 3, 13, 13, MAIN_FOR, sweep, source, SWEEP, nothing), \
	  SITE(COMMUNICATION, 0, 3, 14, 14, MAIN_FOR, send, source, NONE, nothing), \
	  SITE(PROCEDURE, TV_SITE_LOCAL, 13, 40, 50, NONE, sweep, source, NONE, nothing), \
	  SITE(LOOP, 0, 2, 42, 45, SWEEP, while_, source, NONE, nothing), \
	  SITE(CALL, 0, 3, 44, 44, SWEEP_WHILE, sweep, source, SWEEP, nothing), \
	  SITE(COMMUNICATION, TV_SITE_ALONE, 2, 46, 46, SWEEP, recv, source, NONE, reason), \
	  SITE(PROCEDURE, TV_SITE_LOCAL, 19, 3, 5, NONE, twice, header, NONE, nothing) }, \
	{ "", "grid.c", "/src", "main", "sweep", "for", "while", "MPI_Send", "MPI_Recv", \
	  "is in a macro", "/inc/two.h", "twice", "" } }
/* clang-format on */

/* Two units of the same text, as of a header in two files: what is the same is one statement. */
__attribute__((section(TV_SITES_SECTION), aligned(TV_SLOT_SIZE),
	       used)) static const struct unit unit = UNIT,
					       other_unit = UNIT;
_Static_assert(sizeof(struct unit) % TV_SLOT_SIZE == 0, "units are slots");

extern const char __start_tview_sites[], __stop_tview_sites[];

static uint32_t slot_of(const struct unit *u, int site)
{
	return (uint32_t)(((const char *)&u->site[site] - __start_tview_sites) / TV_SLOT_SIZE);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

/* ---- files of ranks ---- */

enum { CALL_SEND, CALL_RECV, CALLS, CHUNKS = 4 };

struct made {
	char *bytes;
	size_t size;
	struct tv_file *head;
	struct tv_chunk *chunk[CHUNKS];
	uint64_t time;
};

static struct made *rank_new(int rank, int world, uint32_t state)
{
	struct made *m = xcalloc(1, sizeof *m);

	m->size = TV_HEADER_SIZE + (size_t)CHUNKS * TV_CHUNK_SIZE;
	m->bytes = xcalloc(1, m->size);
	m->head = (void *)m->bytes;
	memcpy(m->head->magic, TV_MAGIC, sizeof m->head->magic);
	*m->head = (struct tv_file){ .version = TV_VERSION,
				     .header_size = TV_HEADER_SIZE,
				     .chunk_size = TV_CHUNK_SIZE,
				     .chunks = CHUNKS,
				     .clock = TV_CLOCK_MONOTONIC,
				     .state = state | TV_INITIALISED | TV_FINALISED,
				     .rank = rank,
				     .world = world,
				     .pid = 100 + rank,
				     .first_tick = 1000,
				     .first_nano = 1000,
				     .last_tick = 900000,
				     .last_nano = 900000,
				     .calls = CALLS,
				     .call = { { "MPI_Send", TV_MPI }, { "MPI_Recv", TV_MPI } } };
	memcpy(m->head->magic, TV_MAGIC, sizeof m->head->magic);
	for (uint32_t i = 0; i < CHUNKS; i++)
		m->chunk[i] = (void *)(m->bytes + TV_HEADER_SIZE + (size_t)i * TV_CHUNK_SIZE);
	m->chunk[0]->used = sizeof(struct tv_chunk);
	m->time = 2000;
	return m;
}

static void *add(struct made *m, size_t size)
{
	uint64_t *at = (void *)((char *)m->chunk[0] + m->chunk[0]->used);

	*at = tv_word(TV_WORD_WHOLE, 0);
	m->chunk[0]->used += sizeof *at + size;
	return at + 1;
}

static void define(struct made *m, uint32_t what, uint32_t id, const void *payload, size_t n,
		   const char *text)
{
	const size_t length = n + strlen(text) + 1,
		     size = (sizeof(struct tv_define) + length + 15) & ~(size_t)15;
	struct tv_define *d = add(m, size);

	d->head = (struct tv_head){ .kind = TV_DEFINE, .call = (uint16_t)what, .id = id };
	d->size = (uint32_t)size;
	d->length = (uint32_t)length;
	memcpy(d + 1, payload, n);
	memcpy((char *)(d + 1) + n, text, strlen(text) + 1);
}

static void define_sites(struct made *m, const char *path)
{
	struct tv_def_sites where = { .start = (uintptr_t)__start_tview_sites,
				      .stop = (uintptr_t)__stop_tview_sites };

	dl_iterate_phdr(first_bias, &where.bias);
	define(m, TV_DEF_SITES, 3, &where, sizeof where, path);
}

static void define_world(struct made *m, int world)
{
	const struct tv_def_comm comm = { .flags = TV_COMM_WORLD, .size = world };

	define(m, TV_DEF_COMM, 0, &comm, sizeof comm, "");
}

static void site_event(struct made *m, enum tv_kind kind, int site, int from, uint64_t time)
{
	struct tv_function *f = add(m, sizeof *f);

	f->time = time;
	f->what = tv_site_make(kind, 3, slot_of(&unit, site), from < 0 ? 0 : slot_of(&unit, from));
}

static void mpi_event(struct made *m, uint32_t call, uint64_t place, uint64_t from, uint64_t to)
{
	struct tv_enter *enter = add(m, sizeof *enter);
	struct tv_head *leave;

	*enter = (struct tv_enter){ { from, TV_ENTER, 0, (uint16_t)call, 0 }, place, 0 };
	leave = add(m, sizeof *leave);
	*leave = (struct tv_head){ to, TV_LEAVE, 0, (uint16_t)call, 0 };
}

static uint64_t place(const struct unit *u, int site)
{
	return tv_place_site(3, slot_of(u, site));
}

static struct tv_statistic *row(struct made *m, int chunk, uint32_t thread, uint8_t kind,
				uint64_t at, uint64_t from)
{
	struct tv_chunk *c = m->chunk[chunk];
	struct tv_statistic *s;

	if (!c->used) {
		c->used = TV_STATISTIC_SIZE;
		c->thread = thread;
		c->serial = (uint32_t)chunk;
		c->statistics = 1;
	}
	s = (void *)((char *)c + c->used);
	c->used += TV_STATISTIC_SIZE;
	s->seq = 2;
	s->kind = kind;
	s->place = at;
	s->from = from;
	return s;
}

/* ---- a merge ---- */

struct merged {
	char folder[FOLDER_NAME];
	struct merge_summary summary;
	struct trace *trace;
};

/* Its end is that of its scope. */
#define MERGED ENDED_BY(end) struct merged

static struct merged begin(void)
{
	struct merged m = { .trace = NULL };

	folder_make(m.folder, "records");
	return m;
}

/* One rank with the tables of the program at `path` (NULL: this executable). */
static struct made *rank_of_program(int world, uint32_t state, const char *path)
{
	struct made *rank = rank_new(0, 1, state);
	char *self = path ? NULL : realpath("/proc/self/exe", NULL);

	define_sites(rank, path ? path : self);
	if (world)
		define_world(rank, world);
	free(self);
	return rank;
}

/* Writes the rank's file. */
static void take_rank(const struct merged *m, struct made *rank)
{
	char path[96];

	snprintf(path, sizeof path, "%s/%d.tvrank", m->folder, rank->head->rank);
	file_write(path, rank->bytes, rank->size);
	free(rank->bytes);
	free(rank);
}

static void merge(struct merged *m, bool anonymous)
{
	const struct merge_options options = { .folder = m->folder, .anonymous = anonymous };
	struct err err = ERR_INIT;

	m->trace = merge_ranks("run.trc", &options, &m->summary, &err);
	assert_false(err_is_set(&err));
	assert_non_null(m->trace);
}

static void merge_rank(struct merged *m, struct made *rank)
{
	take_rank(m, rank);
	merge(m, false);
}

/* As a look at a running job has it. */
static void look(struct merged *m)
{
	const struct merge_options options = { .folder = m->folder, .live = "now" };
	struct err err = ERR_INIT;

	m->trace = merge_ranks("run.trc", &options, &m->summary, &err);
	assert_false(err_is_set(&err));
	assert_non_null(m->trace);
}

static void end(struct merged *m)
{
	trace_free(m->trace);
	folder_remove(m->folder);
}

static uint32_t statement(const struct merged *m, enum statement_kind kind, uint32_t line)
{
	uint32_t id = NO_STATEMENT;

	for (uint32_t i = 0; i < trace_statement_count(m->trace); i++) {
		const struct statement *s = trace_statement(m->trace, i);
		if (s->kind != kind || s->line != line)
			continue;
		assert_int_equal(id, NO_STATEMENT);
		id = i;
	}
	assert_int_not_equal(id, NO_STATEMENT);
	return id;
}

/* The only record of a statement from somewhere, with somebody. */
static const struct statement_record *record(const struct merged *m, uint32_t id, uint32_t from,
					     int32_t partner)
{
	const struct statement_record *found = NULL;

	for (size_t i = 0; i < trace_statement_record_count(m->trace); i++) {
		const struct statement_record *r = trace_statement_record(m->trace, i);
		if (r->statement != id || r->from != from || r->partner != partner)
			continue;
		assert_null(found);
		found = r;
	}
	assert_non_null(found);
	return found;
}

/* Compares the fields of a record that are not 0. */
static void record_is(const struct merged *m, uint32_t id, uint32_t from, int32_t partner,
		      const char *wanted)
{
	const struct statement_record *r = record(m, id, from, partner);
	OWNED_STR text = STR_INIT;
	const struct {
		const char *name;
		double value;
	} fields[] = { { "count", (double)r->count },
		       { "inner", (double)r->inner },
		       { "time", (double)r->time },
		       { "exclusive", (double)r->exclusive },
		       { "min", (double)r->min },
		       { "max", (double)r->max },
		       { "iterations", (double)r->iterations },
		       { "quickest", r->quickest },
		       { "slowest", r->slowest },
		       { "trans", (double)r->trans },
		       { "sync", (double)r->sync },
		       { "own", (double)r->own },
		       { "carried", (double)r->carried },
		       { "sent", (double)r->sent },
		       { "received", (double)r->received },
		       { "flags", r->flags } };

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (fields[i].value != 0)
			str_add_fmt(&text, "%s%s %.10g", text.n ? " " : "", fields[i].name,
				    fields[i].value);
	assert_string_equal(text.text, wanted);
}

/* ---- tests ---- */

TEST(test_statements)
{
	const struct statement *s;
	MERGED m = begin();

	merge_rank(&m, rank_of_program(0, TV_STATISTICS, NULL));
	/* Those of the second unit are the same. */
	assert_int_equal(trace_statement_count(m.trace), SITES);
	assert_int_equal(trace_statement_record_count(m.trace), 0);
	s = trace_statement(m.trace, statement(&m, STATEMENT_CALL, 44));
	assert_string_equal(trace_string(m.trace, s->name), "sweep");
	assert_string_equal(trace_string(m.trace, s->file), "/src/grid.c");
	assert_int_equal(s->parent, statement(&m, STATEMENT_LOOP, 42));
	assert_int_equal(s->callee, statement(&m, STATEMENT_PROCEDURE, 40));
	assert_int_equal(s->column, 3);
	assert_int_equal(s->region, UINT32_MAX);
	s = trace_statement(m.trace, statement(&m, STATEMENT_COMMUNICATION, 46));
	assert_int_equal(s->flags, STATEMENT_ALONE);
	assert_string_equal(trace_string(m.trace, s->reason), "is in a macro");
	assert_int_equal(s->parent, statement(&m, STATEMENT_PROCEDURE, 40));
	s = trace_statement(m.trace, statement(&m, STATEMENT_PROCEDURE, 3));
	assert_string_equal(trace_string(m.trace, s->file), "/inc/two.h");
	assert_int_equal(s->flags, STATEMENT_LOCAL);
	assert_int_equal(s->end_line, 5);
	/* What was there for how long is known without events. */
	assert_int_equal(trace_location_count(m.trace), 1);
	assert_int_equal(trace_location(m.trace, 0)->begin, 0);
	assert_int_equal(trace_location(m.trace, 0)->end, 900000 - 1000);
	assert_string_equal(trace_property_value(m.trace, "statistics"), "alone");
}

TEST(test_records)
{
	MERGED m = begin();
	struct made *rank = rank_of_program(4, 0, NULL);
	struct tv_statistic *s;

	s = row(rank, 1, 0, TV_STAT_PROCEDURE, place(&unit, MAIN), 0);
	s->count = 1, s->time = 70000, s->children = 65000, s->least = s->most = 70000;
	/* Of both units: one call statement. */
	for (int i = 0; i < 2; i++) {
		const struct unit *u = i ? &other_unit : &unit;
		s = row(rank, 1, 0, TV_STAT_PROCEDURE, place(u, SWEEP), place(u, MAIN_SWEEP));
		s->count = 10, s->time = 5000 + (uint64_t)i, s->children = 4000;
		s->least = 30 - (uint64_t)i, s->most = 900 + (uint64_t)i;
	}
	s = row(rank, 1, 0, TV_STAT_PROCEDURE, place(&unit, SWEEP), place(&unit, SWEEP_SWEEP));
	s->count = 7, s->procedure.inner = 7, s->flags = TV_STAT_LIMITED | TV_STAT_LOST;
	s = row(rank, 1, 0, TV_STAT_LOOP, place(&unit, SWEEP_WHILE), 0);
	s->count = 27, s->loop.inner = 7, s->loop.iterations = 100, s->time = 8000;
	s->loop.quickest = 16 * 5 + 8, s->loop.slowest = 16 * 900, s->loop.iterated = 1;
	for (int peer = -1; peer < 4; peer += 2) {
		s = row(rank, 1, 0, TV_STAT_COMMUNICATION, place(&unit, MAIN_SEND), 0);
		s->call = CALL_SEND, s->count = 5, s->time = 1000;
		s->flags = TV_STAT_SENT;
		s->communication.peer = peer;
		s->communication.sync = 600, s->communication.trans = 300;
		s->communication.own = 2, s->communication.carried = 3;
		s->communication.sent = 4096;
	}
	row(rank, 1, 0, TV_STAT_LOOP, place(&unit, MAIN_FOR), 0); /* never executed: no record */
	s = row(rank, 1, 0, TV_STAT_LOOP, place(&unit, MAIN_FOR), 0);
	s->count = 1, s->seq = 3; /* torn */
	merge_rank(&m, rank);

	assert_int_equal(m.summary.records, 8);
	assert_int_equal(m.summary.torn, 1);
	assert_int_equal(m.summary.limited, 1);
	assert_int_equal(trace_finding_count(m.trace), 1);
	assert_string_equal(trace_finding(m.trace, 0)->code, "statistics-torn");
	assert_int_equal(trace_statement_record_count(m.trace), 7);
	record_is(&m, statement(&m, STATEMENT_PROCEDURE, 40), statement(&m, STATEMENT_CALL, 13),
		  RANK_UNKNOWN, "count 20 time 10001 exclusive 2001 min 29 max 901");
	record_is(&m, statement(&m, STATEMENT_PROCEDURE, 40), statement(&m, STATEMENT_CALL, 44),
		  RANK_UNKNOWN, "count 7 inner 7 flags 3");
	record_is(
		&m, statement(&m, STATEMENT_LOOP, 42), NO_STATEMENT, RANK_UNKNOWN,
		"count 27 inner 7 time 8000 exclusive 8000 iterations 100 quickest 5.5 slowest 900 "
		"flags 16");
	for (int32_t peer = -1; peer < 4; peer += 2)
		record_is(
			&m, statement(&m, STATEMENT_COMMUNICATION, 14), NO_STATEMENT,
			peer < 0 ? PARTNER_MANY : peer,
			"count 5 time 1000 exclusive 1000 trans 300 sync 600 own 2 carried 3 sent 4096 "
			"flags 4");
	record_is(&m, statement(&m, STATEMENT_PROCEDURE, 10), NO_STATEMENT, RANK_UNKNOWN,
		  "count 1 time 70000 exclusive 5000 min 70000 max 70000");
}

/* The place where a region was called, "grid.c:13 in main"; "0 in " without. */
static void called_at(const struct merged *m, const char *region, const char *wanted)
{
	for (uint32_t path = 1; path < trace_callpath_count(m->trace); path++) {
		const struct callpath *c = trace_callpath(m->trace, path);
		const struct site *site = trace_site(m->trace, c->site);
		char text[128];
		if (strcmp(trace_region_name(m->trace, site->region), region) != 0)
			continue;
		snprintf(text, sizeof text, "%s:%u in %s", trace_string(m->trace, site->file),
			 site->line,
			 c->parent ? trace_region_name(m->trace,
						       trace_callpath_region(m->trace, c->parent))
				   : "");
		assert_string_equal(text, wanted);
		return;
	}
	fail_msg("no region %s", region);
}

static const struct region *region_of(const struct merged *m, enum statement_kind kind,
				      uint32_t line)
{
	return trace_region(m->trace, trace_statement(m->trace, statement(m, kind, line))->region);
}

TEST(test_look_at_a_row_that_changes_all_the_time)
{
	MERGED m = begin();
	struct made *rank = rank_of_program(1, 0, NULL);
	struct tv_statistic *s;

	s = row(rank, 1, 0, TV_STAT_LOOP, place(&unit, MAIN_FOR), 0);
	s->count = 3, s->loop.iterations = 30;
	s = row(rank, 1, 0, TV_STAT_LOOP, place(&unit, SWEEP_WHILE), 0);
	s->count = 1, s->seq = 3;
	take_rank(&m, rank);
	look(&m);
	assert_int_equal(m.summary.records, 1);
	assert_int_equal(trace_finding_count(m.trace), 1);
	assert_string_equal(trace_finding(m.trace, 0)->code, "look-incomplete");
	assert_non_null(strstr(trace_finding(m.trace, 0)->text, "1 of the ranks"));
}

TEST(test_events)
{
	MERGED m = begin();
	struct made *rank = rank_of_program(2, 0, NULL);
	const struct region *region;

	site_event(rank, TV_SITE_ENTER, MAIN, -1, 2000);
	site_event(rank, TV_SITE_ENTER, MAIN_FOR, -1, 2100);
	site_event(rank, TV_SITE_ENTER, SWEEP, MAIN_SWEEP, 2200);
	site_event(rank, TV_SITE_LEAVE, SWEEP, -1, 2300);
	mpi_event(rank, CALL_SEND, place(&unit, MAIN_SEND), 2400, 2500);
	site_event(rank, TV_SITE_LEAVE, MAIN_FOR, -1, 2600);
	site_event(rank, TV_SITE_LEAVE, MAIN, -1, 2700);
	merge_rank(&m, rank);
	assert_int_equal(trace_finding_count(m.trace), 0);
	called_at(&m, "main", ":0 in ");
	called_at(&m, "for grid.c:12", "/src/grid.c:12 in main");
	called_at(&m, "sweep", "/src/grid.c:13 in for grid.c:12");
	called_at(&m, "MPI_Send", "/src/grid.c:14 in for grid.c:12");
	region = region_of(&m, STATEMENT_PROCEDURE, 10);
	assert_int_equal(region->line, 10);
	assert_string_equal(trace_string(m.trace, region->file), "/src/grid.c");
	assert_int_equal(region->cls, CLASS_USER);
	region = region_of(&m, STATEMENT_LOOP, 12);
	assert_int_equal(region->role, 3); /* a loop */
	assert_string_equal(trace_string(m.trace, region->name), "for grid.c:12");
	region = region_of(&m, STATEMENT_COMMUNICATION, 14);
	assert_string_equal(trace_string(m.trace, region->name), "MPI_Send");
}

/* The executable is gone, or another one: what was recorded is there all the same, and the trace
 * says why it has no names. */
TEST(test_program_gone)
{
	const char *const paths[] = { "/nowhere/app", "/bin/true" };

	for (size_t i = 0; i < 2; i++) {
		MERGED m = begin();
		struct made *rank = rank_of_program(0, 0, paths[i]);
		struct tv_statistic *s;
		site_event(rank, TV_SITE_ENTER, MAIN, -1, 2000);
		mpi_event(rank, CALL_SEND, place(&unit, MAIN_SEND), 2400, 2500);
		site_event(rank, TV_SITE_LEAVE, MAIN, -1, 2700);
		s = row(rank, 1, 0, TV_STAT_PROCEDURE, place(&unit, MAIN), 0);
		s->count = 1, s->time = 700;
		/* A number of a module, and a slot, that were never defined. */
		s = row(rank, 1, 0, TV_STAT_LOOP, tv_place_site(200, 77777), 0);
		s->count = 3, s->time = 9;
		merge_rank(&m, rank);
		assert_int_equal(trace_finding_count(m.trace), 1);
		assert_string_equal(trace_finding(m.trace, 0)->code, "program-changed");
		assert_int_equal(trace_event_count(m.trace), 5);
		assert_int_equal(trace_statement_record_count(m.trace), 2);
		assert_int_equal(trace_statement_record(m.trace, 0)->time, 700);
		assert_int_equal(trace_statement_record(m.trace, 1)->count, 3);
	}
}

TEST(test_anonymous)
{
	MERGED m = begin();
	struct made *rank = rank_of_program(0, TV_ANONYMOUS, NULL);
	struct tv_statistic *s;

	site_event(rank, TV_SITE_ENTER, SWEEP, MAIN_SWEEP, 2000);
	site_event(rank, TV_SITE_LEAVE, SWEEP, MAIN_SWEEP, 2100);
	s = row(rank, 1, 0, TV_STAT_PROCEDURE, place(&unit, SWEEP), place(&unit, MAIN_SWEEP));
	s->count = 1, s->time = 100;
	take_rank(&m, rank);
	merge(&m, true);
	/* Nothing tells that a procedure of another name is the same. */
	assert_int_equal(trace_statement_count(m.trace), 2 * SITES);
	for (uint32_t i = 0; i < trace_statement_count(m.trace); i++) {
		const struct statement *one = trace_statement(m.trace, i);
		const char *name = trace_string(m.trace, one->name);
		assert_string_equal(trace_string(m.trace, one->file),
				    one->line < 10 ? "file 2" : "file 1");
		assert_int_equal(one->reason, 0);
		if (one->kind == STATEMENT_PROCEDURE)
			assert_memory_equal(name, "function ", 9);
		if (one->kind == STATEMENT_CALL)
			assert_int_equal(one->name, trace_statement(m.trace, one->callee)->name);
	}
	for (uint32_t i = 0; i < trace_region_count(m.trace); i++)
		assert_string_not_equal(trace_region_name(m.trace, i), "sweep");
	assert_int_equal(trace_statement_record_count(m.trace), 1);
}

/* ---- addresses: this executable's own ---- */

static int executable_part(struct dl_phdr_info *info, size_t size, void *to)
{
	struct tv_def_module *where = to;

	(void)size;
	where->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		where->start = info->dlpi_addr + segment->p_vaddr;
		where->end = where->start + segment->p_memsz;
	}
	return 1;
}

static __attribute__((noinline)) uint64_t returned_to(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

enum { CALL_LINE = __LINE__ + 4 };
static __attribute__((noinline)) uint64_t caller_of(uint64_t add)
{
	/* Behind it something is left to do, or it would be a jump. */
	return returned_to() + add;
}

static struct made *addresses(const char *path)
{
	struct made *rank = rank_new(0, 1, 0);
	struct tv_def_module where = { 0 };
	const uint64_t call = caller_of(0);
	struct tv_statistic *s;

	dl_iterate_phdr(executable_part, &where);
	define(rank, TV_DEF_MODULE, 0, &where, sizeof where, path);
	define_world(rank, 1);
	/* caller_of() called returned_to() twice, and from somewhere outside was called itself. */
	s = row(rank, 1, 0, TV_STAT_PROCEDURE, (uintptr_t)returned_to, call);
	s->count = 2, s->time = 50;
	s = row(rank, 1, 0, TV_STAT_PROCEDURE, (uintptr_t)caller_of, 4711);
	s->count = 1, s->time = 70, s->children = 50;
	/* MPI_Recv from somebody, at the same line. */
	s = row(rank, 1, 0, TV_STAT_COMMUNICATION, call, 0);
	s->call = CALL_RECV, s->count = 9, s->communication.peer = 0;
	return rank;
}

TEST(test_addresses)
{
	OWNED char *path = realpath("/proc/self/exe", NULL);
	const struct statement_record *r;
	const struct statement *s;
	MERGED m = begin();
	uint32_t call, procedure, callee;

	merge_rank(&m, addresses(path));
	/* And those of this executable's own tables, which is the program. */
	assert_int_equal(trace_statement_count(m.trace), 4 + SITES);
	call = statement(&m, STATEMENT_CALL, CALL_LINE);
	s = trace_statement(m.trace, call);
	assert_string_equal(trace_string(m.trace, s->name), "returned_to");
	assert_non_null(strstr(trace_string(m.trace, s->file), "tests/capture/records_test.c"));
	assert_int_equal(s->flags, STATEMENT_FOUND);
	procedure = s->parent;
	callee = s->callee;
	s = trace_statement(m.trace, procedure);
	assert_int_equal(s->kind, STATEMENT_PROCEDURE);
	assert_int_equal(s->line, CALL_LINE - 3);
	assert_string_equal(trace_string(m.trace, s->name), "caller_of");
	assert_string_equal(trace_string(m.trace, trace_statement(m.trace, callee)->name),
			    "returned_to");
	r = record(&m, callee, call, RANK_UNKNOWN);
	assert_int_equal(r->count, 2);
	r = record(&m, procedure, NO_STATEMENT, RANK_UNKNOWN);
	assert_int_equal(r->exclusive, 20);
	r = record(&m, statement(&m, STATEMENT_COMMUNICATION, CALL_LINE), NO_STATEMENT, 0);
	assert_int_equal(r->count, 9);
	s = trace_statement(m.trace, r->statement);
	assert_int_equal(s->parent, procedure);
	assert_string_equal(trace_string(m.trace, s->name), "MPI_Recv");
}

TEST(test_regions_and_threads)
{
	struct made *rank = rank_new(0, 1, 0);
	struct tv_statistic *s;
	MERGED m = begin();

	define(rank, TV_DEF_STRING, 5, "", 0, "assemble");
	for (uint32_t thread = 0; thread < 3; thread += 2) {
		s = row(rank, thread ? 2 : 1, thread, TV_STAT_PROCEDURE, TV_PLACE_REGION | 5, 0);
		s->count = 1 + thread, s->time = 10;
	}
	merge_rank(&m, rank);
	assert_int_equal(trace_statement_record_count(m.trace), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct statement_record *r = trace_statement_record(m.trace, i);
		/* Strings are the thread's: the second one never said its name. */
		assert_string_equal(trace_string(m.trace,
						 trace_statement(m.trace, r->statement)->name),
				    i ? "region 5" : "assemble");
		assert_int_equal(trace_location(m.trace, r->location)->thread, i ? 2 : 0);
		assert_int_equal(r->count, i ? 3 : 1);
	}
}

/* Anything may stand in what was left by a process that wrote into it: no crash, and what makes
 * sense is there. */
TEST(test_hostile)
{
	uint64_t x = 88172645463325252u;

	for (int round = 0; round < 20; round++) {
		MERGED m = begin();
		struct made *rank = rank_of_program(1, round & 1 ? TV_STATISTICS : 0, NULL);
		for (int i = 0; i < 200; i++) {
			uint64_t *words = (uint64_t *)(void *)row(rank, 1, 0, 0, 0, 0);
			for (size_t w = 0; w < TV_STATISTIC_SIZE / sizeof *words; w++) {
				x ^= x << 13, x ^= x >> 7, x ^= x << 17;
				words[w] = x;
			}
			if (i & 1)
				((struct tv_statistic *)(void *)words)->kind = (uint8_t)(1 + i % 3);
			if (i & 2)
				((struct tv_statistic *)(void *)words)->place =
					TV_PLACE_SITE | UINT64_C(3) << 32 | (x & 15);
		}
		merge_rank(&m, rank);
		for (size_t i = 0; i < trace_statement_record_count(m.trace); i++) {
			const struct statement_record *r = trace_statement_record(m.trace, i);
			assert_true(r->statement < trace_statement_count(m.trace));
			assert_true(r->from == NO_STATEMENT ||
				    r->from < trace_statement_count(m.trace));
			assert_true(r->inner <= r->count);
		}
	}
}

/* A process that was killed before it wrote anything was there all the same. */
TEST(test_killed_at_once)
{
	struct made *first = rank_new(0, 2, 0), *second = rank_new(1, 2, 0);
	const struct tv_def_offset offset = { 1, 0, 2000, 2100, 2200, 3 };
	MERGED m = begin(), without_first = begin();

	define_world(first, 2);
	define(first, TV_DEF_OFFSET, 0, &offset, sizeof offset, "");
	second->chunk[0]->used = 0;
	take_rank(&m, first);
	take_rank(&m, second);
	merge(&m, false);
	assert_int_equal(m.summary.ranks, 2);
	assert_int_equal(trace_location_count(m.trace), 2);
	assert_int_equal(trace_location(m.trace, 1)->rank, 1);
	/* The same of rank 0, to which all clocks are compared. */
	first = rank_new(0, 2, TV_STATISTICS), second = rank_new(1, 2, TV_STATISTICS);
	first->chunk[0]->used = 0;
	define_world(second, 2);
	take_rank(&without_first, first);
	take_rank(&without_first, second);
	merge(&without_first, false);
	assert_int_equal(trace_location_count(without_first.trace), 2);
	assert_int_equal(trace_location(without_first.trace, 0)->rank, 0);
}

/* A communicator that is defined again, as one far larger: the members of the first definition are
 * not its members. */
TEST(test_communicator_again)
{
	const int32_t pair[] = { 0, 2, 0, 0, 0, 1 }, all[] = { 0, 1 << 24, 0, 0 };
	struct made *rank = rank_new(0, 2, 0);
	MERGED m = begin();

	define_world(rank, 2);
	define(rank, TV_DEF_COMM, 1, pair, sizeof pair, "");
	define(rank, TV_DEF_COMM, 1, all, sizeof all, "");
	/* Numbers that nobody can have come to. */
	define(rank, TV_DEF_COMM, (1 << 24) - 1, pair, sizeof pair, "");
	merge_rank(&m, rank);
	assert_int_equal(trace_comm_count(m.trace), 1);
}

TEST(test_world_too_large)
{
	struct merge_options options = { 0 };
	struct err err = ERR_INIT;
	MERGED m = begin();

	take_rank(&m, rank_new(0, INT32_MAX, 0));
	options.folder = m.folder;
	m.trace = merge_ranks("run.trc", &options, &m.summary, &err);
	assert_null(m.trace);
	assert_int_equal(m.summary.passed_over, 1);
	assert_non_null(strstr(m.summary.first_trouble, "damaged"));
}
