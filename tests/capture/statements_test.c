/* The whole way from source to record: programs that count what their statements do
 * (tests/capture/statements) are compiled with tvcc, run under tvrun with and without events, and
 * every number of every record is compared with their own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/traced.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/trace/program.h"

/* ---- the programs ---- */

struct programs {
	char folder[FOLDER_NAME];
	bool c, cxx, fortran; /* what could be built */
};

static bool has(const char *program)
{
	char command[96];

	snprintf(command, sizeof command, "command -v %s >/dev/null", program);
	if (system(command) == 0)
		return true;
	print_message("there is no %s here\n", program);
	return false;
}

static void build(const char *folder, const char *command)
{
	OWNED_STR line = STR_INIT;

	str_add_fmt(&line,
		    "S=$PWD/tests/capture/statements P=$PWD/tests/capture/programs B=$PWD/%s; "
		    "TVIEW_CC=mpicc.mpich TVIEW_CXX=mpicxx.mpich TVIEW_FC=mpifort.mpich; "
		    "export TVIEW_CC TVIEW_CXX TVIEW_FC; cd %s && %s",
		    TEST_BUILD, folder, command);
	assert_int_equal(system(line.text), 0);
}

static int setup(void **state)
{
	static struct programs programs;

	*state = &programs;
	folder_make(programs.folder, "statements");
	if (!traced_possible() || !has("mpicc.mpich"))
		return 0;
	build(programs.folder,
	      "mpicc.mpich -O2 -c $S/counts_write.c && $B/tvcc --all -O2 -g -o counts $S/counts.c $S/other.c "
	      "counts_write.o && $B/tvcc --all -O1 -o often $S/often.c counts_write.o && "
	      "$B/tvcc --all -O2 -o threads $S/threads.c -lpthread");
	programs.c = true;
	programs.cxx = has("g++") && has("mpicxx.mpich");
	if (programs.cxx)
		build(programs.folder,
		      "$B/tvcxx --all -O2 -g -o throws $S/throws.cpp counts_write.o");
	programs.fortran = has("gfortran") && has("mpifort.mpich");
	if (programs.fortran)
		build(programs.folder, "$B/tvfc -O1 -g -o lines $P/lines.f90");
	return 0;
}

static int teardown(void **state)
{
	const struct programs *programs = *state;

	folder_remove(programs->folder);
	return 0;
}

GROUP_FIXTURE(setup, teardown)

/* ---- the account ---- */

struct counted {
	int rank;
	char what[12], file[32], name[32];
	long line, partner, a, b, c;
	bool met;
};

struct run {
	struct traced *traced;
	VEC(struct counted) counted;
};

static void read_counts(struct run *run, const struct programs *programs, int rank)
{
	char path[128], line[256];
	FILE *in;

	snprintf(path, sizeof path, "%s/counts.%d", programs->folder, rank);
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof line, in)) {
		struct counted *c = vec_add(&run->counted);
		c->rank = rank;
		if (!strncmp(line, "with", 4))
			assert_int_equal(sscanf(line, "%11s %31s %31s %ld %ld %ld %ld %ld", c->what,
						c->file, c->name, &c->line, &c->partner, &c->a,
						&c->b, &c->c),
					 8);
		else
			assert_true(sscanf(line, "%11s %31s %31s %ld %ld %ld %ld", c->what, c->file,
					   c->name, &c->line, &c->a, &c->b, &c->c) >= 6);
	}
	fclose(in);
	unlink(path);
}

static void begin_one(struct run *run, const struct programs *programs, int ranks,
		      const char *options, const char *program, const char *arguments)
{
	char command[256];

	*run = (struct run){ 0 };
	snprintf(command, sizeof command, "env COUNTS=%s/counts mpiexec.mpich -n %d %s/%s %s",
		 programs->folder, ranks, programs->folder, program, arguments);
	run->traced = traced_command(ranks, options, command);
	if (run->traced->status != 0)
		fail_msg("%s", run->traced->said.text);
	assert_non_null(run->traced->trace);
}

static void begin(struct run *run, const struct programs *programs, int ranks, const char *options,
		  const char *program, const char *arguments)
{
	if (!programs->c)
		skip();
	begin_one(run, programs, ranks, options, program, arguments);
	for (int rank = 0; rank < ranks; rank++)
		read_counts(run, programs, rank);
}

static void end(struct run *run)
{
	vec_fini(&run->counted);
	traced_free(run->traced);
}

#define OWNED_RUN ENDED_BY(end) struct run

/* ---- comparison ---- */

static bool is_file(const struct trace *trace, uint32_t file, const char *name)
{
	const char *path = trace_string(trace, file), *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, name);
}

/* "Object::Object" is Object. */
static bool is_called(const char *full, const char *name)
{
	const char *colons = strstr(full, "::");

	return !strcmp(colons ? colons + 2 : full, name);
}

static const char *name_of(const struct trace *t, uint32_t statement)
{
	return trace_string(t, trace_statement(t, statement)->name);
}

/* Whether a record is of what was counted. */
static bool is_of(const struct trace *t, const struct statement_record *r, const struct counted *c)
{
	const struct statement *s = trace_statement(t, r->statement);
	const struct statement *from = r->from == NO_STATEMENT ? NULL : trace_statement(t, r->from);

	if (trace_location(t, r->location)->rank != c->rank)
		return false;
	if (!strcmp(c->what, "procedure")) {
		if (s->kind != STATEMENT_PROCEDURE || !is_called(trace_string(t, s->name), c->name))
			return false;
		/* Which of the calls from a library had a call statement under way is its own
		 * affair; a constructor has none. */
		if (!strcmp(c->name, "compare") || !strcmp(c->name, "Object"))
			return true;
		if (c->line == 499)
			return from && is_file(t, from->file, "other.c");
		return c->line ? from && is_file(t, from->file, c->file) &&
					 from->line == (uint32_t)c->line
			       : !from;
	}
	if (s->line != (uint32_t)c->line || !is_file(t, s->file, c->file))
		return false;
	if (!strcmp(c->what, "loop"))
		return s->kind == STATEMENT_LOOP;
	return !strcmp(c->what, "with") && s->kind == STATEMENT_COMMUNICATION &&
	       (c->partner < 0 ? r->partner == PARTNER_MANY || r->partner == RANK_UNKNOWN
			       : r->partner == c->partner);
}

struct sums {
	uint64_t count, inner, iterations, sent, received;
	int64_t time;
	uint32_t flags;
};

static struct sums sum_up(const struct trace *t, const struct counted *c)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		if (!is_of(t, r, c))
			continue;
		sums.count += r->count;
		sums.inner += r->inner;
		sums.iterations += r->iterations;
		sums.sent += r->sent;
		sums.received += r->received;
		sums.time += r->time;
		sums.flags |= r->flags;
	}
	return sums;
}

static void same(const struct counted *c, const char *field, long counted, uint64_t recorded)
{
	if ((uint64_t)counted != recorded)
		fail_msg("rank %d: %s %s:%ld %s with %ld: the program counted %ld %s, its records "
			 "%llu",
			 c->rank, c->what, c->file, c->line, c->name, c->partner, counted, field,
			 (unsigned long long)recorded);
}

static void compare_numbers(const struct trace *t, const struct counted *c)
{
	const struct sums sums = sum_up(t, c);

	same(c, "times", c->a, sums.count);
	if (!strcmp(c->what, "procedure")) {
		same(c, "times while open", c->b, sums.inner);
	} else if (!strcmp(c->what, "loop")) {
		same(c, "times while open", c->b, sums.inner);
		/* What longjmp() or exit() left took the number of its iterations along. */
		if (!(sums.flags & RECORD_LOST) || (uint64_t)c->c < sums.iterations)
			same(c, "iterations", c->c, sums.iterations);
	} else {
		same(c, "bytes sent", c->b, sums.sent);
		same(c, "bytes received", c->c, sums.received);
	}
}

/* Nothing is recorded that was not counted. */
static void compare_all(const struct run *run)
{
	const struct trace *t = run->traced->trace;

	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		const struct statement *s = trace_statement(t, r->statement);
		const struct counted *c;
		bool known = false;
		vec_each (c, &run->counted)
			known |= is_of(t, r, c);
		if (!known)
			fail_msg(
				"%s:%u %s is recorded %llu times from line %u with %d, and was not counted",
				trace_string(t, s->file), s->line, trace_string(t, s->name),
				(unsigned long long)r->count,
				r->from == NO_STATEMENT ? 0 : trace_statement(t, r->from)->line,
				r->partner);
	}
}

/* What the program saw of leaf() from inside, and around the call: two clocks agree to a thousandth
 * and the resolution. In a gap another function next to it may get what an interrupt took. */
static void compare_times(const struct run *run, const struct counted *c)
{
	struct counted as = *c;
	struct sums sums;

	if (trace_property_value(run->traced->trace, "gaps"))
		return;
	strcpy(as.what, "procedure");
	sums = sum_up(run->traced->trace, &as);
	assert_true(sums.time >= c->a - c->a / 1000 - 1000);
	if (c->b)
		assert_true(sums.time <= c->b + c->b / 1000 + 1000);
}

static void check_record(const struct statement_record *r)
{
	assert_true(r->exclusive >= 0 && r->exclusive <= r->time);
	assert_true(r->trans >= 0 && r->sync >= 0 && r->trans + r->sync <= r->time);
	assert_true(r->own + r->carried <= r->count);
	assert_true(r->inner <= r->count);
	if (r->count > r->inner)
		assert_true(r->min <= r->max && r->max <= r->time + 1);
}

/* The outermost loop of main(), in which all else happens but MPI_Init, MPI_Finalize and the
 * end. */
static uint32_t turns(const struct trace *t)
{
	for (uint32_t i = 0; i < trace_statement_count(t); i++) {
		const struct statement *s = trace_statement(t, i);
		if (s->kind == STATEMENT_LOOP && !strcmp(name_of(t, s->parent), "main"))
			return i;
	}
	fail_msg("main has no loop");
	return NO_STATEMENT;
}

/* Whether it happens in that loop. */
static bool is_part(const struct trace *t, uint32_t id, uint32_t loop)
{
	const char *procedure;

	for (; trace_statement(t, id)->parent != NO_STATEMENT; id = trace_statement(t, id)->parent)
		if (id == loop)
			return true;
	procedure = name_of(t, id);
	return strcmp(procedure, "main") != 0 && strcmp(procedure, "last") != 0;
}

/* All time in the loop is in a procedure or loop itself, or in communication: the parts are the
 * whole, up to rounding. */
static void compare_whole(const struct trace *t, uint32_t location)
{
	const uint32_t loop = turns(t);
	int64_t whole = 0, parts = 0, rows = 0;

	for (size_t i = 0; i < trace_statement_record_count(t); i++) {
		const struct statement_record *r = trace_statement_record(t, i);
		if (r->location != location)
			continue;
		rows++;
		whole += r->statement == loop ? r->time : 0;
		if (!is_part(t, r->statement, loop))
			continue;
		parts += trace_statement(t, r->statement)->kind == STATEMENT_COMMUNICATION
				 ? r->time
				 : r->exclusive;
	}
	assert_true(whole > 0);
	if (llabs(whole - parts) > rows)
		fail_msg("location %u: the loop took %lld ns, all its parts %lld", location,
			 (long long)whole, (long long)parts);
}

static void compare(const struct run *run)
{
	const struct trace *t = run->traced->trace;
	const struct counted *c;

	assert_true(run->counted.n > 5);
	vec_each (c, &run->counted)
		if (strcmp(c->what, "time") != 0)
			compare_numbers(t, c);
		else
			compare_times(run, c);
	compare_all(run);
	for (size_t i = 0; i < trace_statement_record_count(t); i++)
		check_record(trace_statement_record(t, i));
}

/* ---- the graph, as a person gets it ---- */

static struct csv graph_of(const struct run *run, const char *options)
{
	OWNED_STR text = STR_INIT;

	assert_int_equal(command_read(&text, "%s/tview export graph %s/run.trc --format csv %s",
				      TEST_BUILD, run->traced->folder, options),
			 0);
	return csv_parse(text.text);
}

/* The field of a row by its column's name. */
static const char *field(const struct csv *csv, size_t row, const char *name)
{
	for (size_t c = 0; c < csv->n_columns; c++)
		if (!strcmp(csv->rows[0][c], name))
			return csv->rows[row][c];
	fail_msg("no column %s", name);
	return NULL;
}

static bool is_field(const struct csv *csv, size_t row, const char *name, const char *value)
{
	return !strcmp(field(csv, row, name), value);
}

static long number(const struct csv *csv, size_t row, const char *name)
{
	return atol(field(csv, row, name));
}

static bool of_file(const struct csv *csv, size_t row, const char *file)
{
	const char *slash = strrchr(field(csv, row, "file"), '/');

	return slash && !strcmp(slash + 1, file);
}

/* Sums of the rows that are of what was counted. */
struct shown {
	long count, iterations;
};

static struct shown sum_rows(const struct csv *csv, const struct counted *c, const char *kind,
			     const char *name)
{
	struct shown shown = { 0 };

	for (size_t row = 1; row < csv->n_rows; row++) {
		if (!is_field(csv, row, "kind", kind) ||
		    (name && !is_field(csv, row, "name", name)) ||
		    number(csv, row, "line") != c->line || !of_file(csv, row, c->file) ||
		    number(csv, row, "rank") != c->rank)
			continue;
		shown.count += number(csv, row, "count");
		shown.iterations += number(csv, row, "iterations");
	}
	return shown;
}

static bool is_lost(const struct run *run, const struct counted *c)
{
	return sum_up(run->traced->trace, c).flags & RECORD_LOST;
}

static void compare_shown(const struct run *run)
{
	struct csv csv = graph_of(run, "--by rank");
	const struct counted *c;
	struct shown shown;
	char name[40];

	vec_each (c, &run->counted) {
		if (!strcmp(c->what, "loop")) {
			shown = sum_rows(&csv, c, "loop", NULL);
			same(c, "executions in the graph", c->a, (uint64_t)shown.count);
			if (!is_lost(run, c))
				same(c, "iterations in the graph", c->c,
				     (uint64_t)shown.iterations);
		} else if (!strcmp(c->what, "procedure") && c->line && c->line != 499 &&
			   strcmp(c->name, "Object") != 0) {
			snprintf(name, sizeof name, "%s()", c->name);
			shown = sum_rows(&csv, c, "call", name);
			same(c, "calls in the graph", c->a, (uint64_t)shown.count);
		}
	}
	csv_free(&csv);
}

/* All ranks together. */
static void compare_destinations(const struct run *run)
{
	struct csv csv = graph_of(run, "--by destination");
	const struct counted *c, *other;

	vec_each (c, &run->counted) {
		long count = 0, sent = 0, shown = 0, shown_sent = 0;
		char destination[24];
		if (strcmp(c->what, "with") != 0 || c->partner < 0)
			continue;
		snprintf(destination, sizeof destination, "%ld", c->partner);
		vec_each (other, &run->counted) {
			const bool is = !strcmp(other->what, "with") && other->line == c->line &&
					other->partner == c->partner;
			count += is ? other->a : 0;
			sent += is ? other->b : 0;
		}
		for (size_t row = 1; row < csv.n_rows; row++) {
			if (!is_field(&csv, row, "destination", destination) ||
			    number(&csv, row, "line") != c->line)
				continue;
			shown += number(&csv, row, "count");
			shown_sent += number(&csv, row, "sent_bytes");
		}
		same(c, "times in the graph", count, (uint64_t)shown);
		same(c, "bytes sent in the graph", sent, (uint64_t)shown_sent);
	}
	csv_free(&csv);
}

/* ---- tests ---- */

static void with_turns(const struct programs *programs, int ranks, const char *options, bool events,
		       const char *turns)
{
	OWNED_RUN run = { 0 };

	begin(&run, programs, ranks, options, "counts", turns);
	compare(&run);
	compare_shown(&run);
	compare_destinations(&run);
	if (events)
		assert_true(trace_event_count(run.traced->trace) > 1000);
	else
		assert_true(trace_event_count(run.traced->trace) <= 2 * (uint64_t)ranks);
	assert_int_equal(trace_location_count(run.traced->trace), ranks);
	for (uint32_t l = 0; l < (uint32_t)ranks; l++)
		compare_whole(run.traced->trace, l);
}

static void with_ranks(const struct programs *programs, int ranks, const char *options, bool events)
{
	with_turns(programs, ranks, options, events, "2");
}

TEST_WITH(test_statistics, const struct programs *programs)
{
	with_ranks(programs, 1, "--statistics", false);
	with_ranks(programs, 2, "--statistics --yield", false);
	with_ranks(programs, 4, "--statistics --yield", false);
}

TEST_WITH(test_events, const struct programs *programs)
{
	with_ranks(programs, 1, "--no-insitu", true);
	/* By default with gaps. */
	with_turns(programs, 4, "--yield", true, "50");
	with_ranks(programs, 4, "--no-insitu --yield", true);
}

TEST_WITH(test_exceptions, const struct programs *programs)
{
	static const char *const options[] = { "--statistics", "--no-insitu" };
	OWNED_RUN run = { 0 };

	if (!programs->cxx)
		skip();
	for (size_t i = 0; i < 2; i++) {
		begin(&run, programs, 1, options[i], "throws", "");
		compare(&run);
		compare_shown(&run);
	}
}

/* Neither the records nor their number grow with the run: its digits do. */
TEST_WITH(test_constant_size, const struct programs *programs)
{
	static const char *const turns_[] = { "1", "10", "100" };
	size_t records = 0;
	off_t size = 0;

	for (size_t i = 0; i < 3; i++) {
		char path[96];
		struct stat st;
		OWNED_RUN run = { 0 };
		size_t n;
		begin(&run, programs, 2, "--statistics --yield", "counts", turns_[i]);
		compare(&run);
		n = trace_statement_record_count(run.traced->trace);
		snprintf(path, sizeof path, "%s/run.trc", run.traced->folder);
		assert_int_equal(stat(path, &st), 0);
		if (i) {
			assert_int_equal(n, records);
			/* At most three digits more in each of a record's 25 numbers. */
			assert_true(st.st_size - size < (off_t)(n * 25 * 3));
		} else {
			records = n;
			size = st.st_size;
		}
	}
}

/* Whether a trace says that it lacks something (doc/format.md) that begins so. */
static bool lacks(const struct trace *trace, const char *what)
{
	for (size_t i = 0; i < trace_property_count(trace); i++) {
		const struct property *p = trace_property(trace, i);
		if (strcmp(trace_string(trace, p->key), "lacks") == 0 &&
		    strncmp(trace_string(trace, p->value), what, strlen(what)) == 0)
			return true;
	}
	return false;
}

/* Events of a tiny procedure end at the limit; its numbers do not. */
TEST_WITH(test_limit, const struct programs *programs)
{
	uint64_t events[2];

	for (int limited = 0; limited < 2; limited++) {
		OWNED_RUN run = { 0 };
		bool flagged = false;
		begin(&run, programs, 1,
		      limited ? "--no-insitu --limit 500" : "--no-insitu --limit 0", "often",
		      "2000");
		compare(&run);
		compare_shown(&run);
		events[limited] = trace_event_count(run.traced->trace);
		for (size_t i = 0; i < trace_statement_record_count(run.traced->trace); i++) {
			const struct statement_record *r =
				trace_statement_record(run.traced->trace, i);
			if (!(r->flags & RECORD_LIMITED))
				continue;
			flagged = true;
			assert_string_equal(name_of(run.traced->trace, r->statement), "leaf");
		}
		assert_int_equal(flagged, limited);
		assert_int_equal(strstr(run.traced->said.text, "--limit") != NULL, limited);
		assert_int_equal(lacks(run.traced->trace, "dropped "), limited);
	}
	/* 20,000 calls are 40,000 events. A noisy machine may let a call look slow for a while. */
	assert_true(events[0] >= 40000);
	assert_true(events[1] < events[0]);
}

/* Hooks and addresses: who called whom from which line, and what was sent from where
 * (tests/capture/programs/lines.f90). */
TEST_WITH(test_fortran, const struct programs *programs)
{
	static const struct counted expected[] = {
		{ 0, "procedure", "lines.f90", "exchange", 23, 0, 1, 0, 0, false },
		{ 1, "procedure", "lines.f90", "exchange", 24, 0, 1, 0, 0, false },
		{ 0, "with", "lines.f90", "", 10, 1, 6, 3 * 40 + 3 * 80, 0, false },
		{ 1, "with", "lines.f90", "", 12, 0, 6, 0, 3 * 40 + 3 * 80, false },
		{ 1, "with", "lines.f90", "", 25, -1, 1, 8, 8, false },
	};
	OWNED_RUN run = { 0 };

	if (!programs->fortran)
		skip();
	begin_one(&run, programs, 2, "--statistics --yield", "lines", "");
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		compare_numbers(run.traced->trace, &expected[i]);
	for (uint32_t i = 0; i < trace_statement_count(run.traced->trace); i++) {
		const struct statement *s = trace_statement(run.traced->trace, i);
		if (s->flags & STATEMENT_ALONE) {
			/* What tvfc says of the file. */
			assert_non_null(
				strstr(trace_string(run.traced->trace, s->reason), "loops"));
			continue;
		}
		assert_true(s->flags & STATEMENT_FOUND);
		if (s->kind != STATEMENT_COMMUNICATION || s->line > 15)
			continue;
		assert_string_equal(name_of(run.traced->trace, s->parent), "exchange");
	}
}

/* With events each thread is a location with records of its own. Without them those of one that has
 * ended are gone on with by the next, for what is kept must not grow with the number of threads. */
TEST_WITH(test_threads, const struct programs *programs)
{
	if (!programs->c)
		skip();
	for (int events = 0; events < 2; events++) {
		uint64_t called[4] = { 0 }, iterations[4] = { 0 };
		const struct trace *t;
		OWNED_RUN run = { 0 };
		begin_one(&run, programs, 1, events ? "--no-insitu" : "--statistics", "threads",
			  "");
		t = run.traced->trace;
		assert_int_equal(trace_location_count(t), events ? 4 : 2);
		for (size_t k = 0; k < trace_statement_record_count(t); k++) {
			const struct statement_record *r = trace_statement_record(t, k);
			const struct statement *s = trace_statement(t, r->statement);
			const int32_t thread = trace_location(t, r->location)->thread;
			assert_in_range(thread, 0, 3);
			check_record(r);
			if (!strcmp(trace_string(t, s->name), "leaf"))
				called[thread] += r->count;
			if (s->kind == STATEMENT_LOOP)
				iterations[thread] += r->iterations;
		}
		assert_int_equal(iterations[0], 3);
		assert_int_equal(called[0], 0);
		assert_int_equal(called[1] + called[2] + called[3], 1 + 2 + 3);
		assert_int_equal(iterations[1] + iterations[2] + iterations[3], 1 + 2 + 3);
		for (uint64_t thread = 1; events && thread < 4; thread++)
			assert_int_equal(called[thread], thread);
	}
}
