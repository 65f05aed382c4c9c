/* The whole way from source to record: programs in C that count what their statements do are
 * compiled with tvcc and run under tvrun with and without events (statements_aid.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/statements_aid.h"
#include "harness/test.h"

/* ---- the programs ---- */

struct programs {
	char folder[FOLDER_NAME];
	bool built;
};

static int setup(void **state)
{
	static struct programs programs;

	*state = &programs;
	folder_make(programs.folder, "statements");
	programs.built = traced_possible() && counted_possible("mpicc.mpich");
	if (programs.built)
		counted_build(
			programs.folder,
			"mpicc.mpich -O2 -c $S/counts_write.c && $B/tvcc --all -O2 -g -o counts $S/counts.c "
			"$S/other.c counts_write.o && $B/tvcc --all -O1 -o often $S/often.c counts_write.o && "
			"$B/tvcc --all -O2 -o threads $S/threads.c -lpthread");
	return 0;
}

static int teardown(void **state)
{
	const struct programs *programs = *state;

	folder_remove(programs->folder);
	return 0;
}

GROUP_FIXTURE(setup, teardown)

static void begin(struct counted_run *run, const struct programs *programs, int ranks,
		  const char *options, const char *program, const char *arguments)
{
	if (!programs->built)
		skip();
	counted_run_begin(run, programs->folder, ranks, options, program, arguments);
}

/* ---- the parts and the whole ---- */

static const char *name_of(const struct trace *t, uint32_t statement)
{
	return trace_string(t, trace_statement(t, statement)->name);
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
	return strcmp(procedure, "main") != 0 && strcmp(procedure, "last") != 0 &&
	       !statement_is_overhead(t, trace_statement(t, id));
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

/* ---- tests ---- */

static void with_turns(const struct programs *programs, int ranks, const char *options, bool events,
		       const char *turns)
{
	OWNED_COUNTED_RUN run = { 0 };

	begin(&run, programs, ranks, options, "counts", turns);
	counted_compare(&run);
	counted_compare_graph(&run);
	counted_compare_destinations(&run);
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

/* Neither the records nor their number grow with the run: its digits do. */
TEST_WITH(test_constant_size, const struct programs *programs)
{
	static const char *const turns_[] = { "1", "10", "100" };
	size_t records = 0;
	off_t size = 0;

	for (size_t i = 0; i < 3; i++) {
		char path[96];
		struct stat st;
		OWNED_COUNTED_RUN run = { 0 };
		size_t n;
		begin(&run, programs, 2, "--statistics --yield", "counts", turns_[i]);
		counted_compare(&run);
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
		OWNED_COUNTED_RUN run = { 0 };
		bool flagged = false;
		begin(&run, programs, 1,
		      limited ? "--no-insitu --limit 500" : "--no-insitu --limit 0", "often",
		      "2000");
		counted_compare(&run);
		counted_compare_graph(&run);
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

/* With events each thread is a location with records of its own. Without them those of one that has
 * ended are gone on with by the next, for what is kept must not grow with the number of threads. */
TEST_WITH(test_threads, const struct programs *programs)
{
	if (!programs->built)
		skip();
	for (int events = 0; events < 2; events++) {
		uint64_t called[4] = { 0 }, iterations[4] = { 0 };
		const struct trace *t;
		OWNED_COUNTED_RUN run = { 0 };
		counted_run_alone(&run, programs->folder, 1,
				  events ? "--no-insitu" : "--statistics", "threads", "");
		t = run.traced->trace;
		assert_int_equal(trace_location_count(t), events ? 4 : 2);
		for (size_t k = 0; k < trace_statement_record_count(t); k++) {
			const struct statement_record *r = trace_statement_record(t, k);
			const struct statement *s = trace_statement(t, r->statement);
			const int32_t thread = trace_location(t, r->location)->thread;
			assert_in_range(thread, 0, 3);
			counted_check_record(r);
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
