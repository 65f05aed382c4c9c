/* What probes cost is taken out of statement records: a trace without events whose costs and counts
 * are written down, and its times worked out by hand. */
#include <math.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"

/* main (1): a loop (2) with a call of leaf (3), another call of it (4), MPI_Send (5); leaf (9). */
struct run {
	struct notation text;
	struct trace *trace;
	struct graph *graph;
	uint32_t main, leaf, loop, call3, call4, send;
};

static uint32_t place(struct run *r, enum statement_kind kind, const char *name, uint32_t line,
		      uint32_t parent, uint32_t callee)
{
	struct builder *b = r->text.b;
	const struct statement s = { .kind = (uint8_t)kind,
				     .line = line,
				     .parent = parent,
				     .callee = callee,
				     .name = builder_string(b, name, strlen(name)),
				     .file = builder_string(b, "h.c", 3),
				     .region = UINT32_MAX };

	return builder_statement(b, &s);
}

static void keep(struct run *r, uint32_t statement, uint32_t from, uint64_t count, int64_t time,
		 int64_t exclusive, uint64_t iterations, uint32_t flags)
{
	const struct statement_record record = { .statement = statement,
						 .location = r->text.places.data[0].location,
						 .from = from,
						 .partner = RANK_UNKNOWN,
						 .comm = UINT32_MAX,
						 .count = count,
						 .time = time,
						 .exclusive = exclusive,
						 .min = time / (int64_t)count,
						 .max = time / (int64_t)count,
						 .flags = flags,
						 .iterations = iterations };

	builder_statement_record(r->text.b, &record);
}

/* `more`: further properties, of a line of notation. */
static void begin_more(struct run *r, const char *costs, uint32_t flags, const char *more)
{
	static const struct graph_options all = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };
	struct err err = ERR_INIT;

	*r = (struct run){ 0 };
	notation_begin(&r->text, 1000000000);
	notation_write(&r->text, "ranks 1; property 'cost-guard' 'inline'");
	if (costs)
		notation_write(&r->text, "property 'cost-rows-ps' '%s'", costs);
	if (more)
		notation_write(&r->text, "%s", more);
	r->main = place(r, STATEMENT_PROCEDURE, "main", 1, NO_STATEMENT, NO_STATEMENT);
	r->leaf = place(r, STATEMENT_PROCEDURE, "leaf", 9, NO_STATEMENT, NO_STATEMENT);
	r->loop = place(r, STATEMENT_LOOP, "for", 2, r->main, NO_STATEMENT);
	r->call3 = place(r, STATEMENT_CALL, "leaf", 3, r->loop, r->leaf);
	r->call4 = place(r, STATEMENT_CALL, "leaf", 4, r->main, r->leaf);
	r->send = place(r, STATEMENT_COMMUNICATION, "MPI_Send", 5, r->main, NO_STATEMENT);
	keep(r, r->leaf, r->call3, 1000, 50000, 50000, 0, 0);
	keep(r, r->leaf, r->call4, 500, 20000, 20000, 0, 0);
	keep(r, r->loop, NO_STATEMENT, 1, 80000, 30000, 1000, flags);
	keep(r, r->send, NO_STATEMENT, 10, 1000, 1000, 0, 0);
	keep(r, r->main, NO_STATEMENT, 1, 116000, 15000, 0, 0);
	r->trace = notation_finish(&r->text);
	r->graph = graph_new(r->trace, &all, NULL, &err);
	assert_non_null(r->graph);
}

static void begin_with(struct run *r, const char *costs, uint32_t flags)
{
	begin_more(r, costs, flags, NULL);
}

static void begin(struct run *r, const char *costs)
{
	begin_with(r, costs, 0);
}

static void end(struct run *r)
{
	graph_free(r->graph);
	trace_free(r->trace);
	notation_fini(&r->text);
}

static struct graph_values values_of(const struct run *r, uint32_t statement)
{
	struct graph_values v;

	graph_values(r->graph, statement + 1, &v);
	return v;
}

static void assert_near(double is, double should)
{
	if (fabs(is - should) > 1e-6)
		fail_msg("%.9g is not %.9g", is, should);
}

static void assert_times(const struct run *r, uint32_t statement, int64_t time, int64_t exclusive)
{
	const struct graph_values v = values_of(r, statement);

	assert_int_equal(v.time, time);
	assert_int_equal(v.exclusive, exclusive);
}

/* A visit of a procedure takes 20 ns in a loop, 10 of them in its own time; of these 8 (5 to 10.5)
 * beside other work, and 0.4 (0 to 1.1) for the guard; as much is around. The same of a loop; twice
 * the share of the loop of MPI_Send, 16.4. So leaf loses 1,500 x 8.4, the loop what is around its
 * 1,000 visits and 8.4 of its own, main what is around 500 visits, 10 sends and the loop. */
TEST(each_record_loses_what_its_probes_took)
{
	ENDED_BY(end) struct run r;
	struct graph_origin origin;
	struct graph_values v;

	begin(&r, "20000 10000 20000 10000 40000 20000 10000");
	graph_origin(r.graph, &origin);
	assert_true(origin.compensated);
	assert_times(&r, r.leaf, 57400, 57400);
	assert_times(&r, r.call3, 41600, 41600);
	assert_times(&r, r.call4, 15800, 15800);
	assert_times(&r, r.loop, 63192, 21592); /* 16,808.4 and 8,408.4 less */
	assert_times(&r, r.send, 836, 836);     /* 164 less */
	assert_times(&r, r.main, 90447, 10619); /* 25,553.2 and 4,380.8 less */
	v = values_of(&r, r.leaf);
	assert_near(v.probes.best, 1500 * 8.4);
	assert_near(v.probes.low, 1500 * 5);
	assert_near(v.probes.high, 1500 * 11.6);
	assert_near(v.caused, 1500 * 16.8);
	/* 41.6 and 31.6 a visit, not 50 and 40 */
	assert_int_equal(v.max, 42);
	assert_int_equal(v.min, 32);
	graph_values(r.graph, GRAPH_PROGRAM, &v);
	assert_near(v.probes.best, 25553.2 + 8.4);
	assert_int_equal(v.count, 1);
}

/* 1,000 iterations of 8.4 more in the loop's own time, if each was timed. */
TEST(an_iteration_has_a_probe_of_its_own)
{
	ENDED_BY(end) struct run r;

	begin_with(&r, "20000 10000 20000 10000 40000 20000 10000", RECORD_ITERATED);
	assert_times(&r, r.loop, 63192 - 8400, 21592 - 8400);
	assert_times(&r, r.main, 90447 - 8400, 10619);
}

/* Functions with work: 4 ns inside (-3 to 6), 16 around (12 to 18), both with 0.4 (0 to 1.1) for the
 * guard. An empty visit has 10 inside and 10 around, which are bounds, too. Probes were timed to cost
 * 1.5 times that, those of loops 2 times: leaf 6.4 inside (-4.5 to 16.1) and 24.4 around (15 to
 * 28.1), the loop 8.4 and 32.4. */
TEST(visits_cost_what_functions_with_work_say)
{
	static const char more[] =
		"property 'cost-probes-ps' '4000 -3000 6000 16000 12000 18000 3000'; "
		"property 'probes-timed' '1.5 2'";
	ENDED_BY(end) struct run r;
	struct graph_values v;

	begin_more(&r, "20000 10000 20000 10000 40000 20000 10000", 0, more);
	assert_times(&r, r.leaf, 70000 - 9600, 70000 - 9600); /* 1,500 x 6.4 */
	v = values_of(&r, r.leaf);
	assert_near(v.probes_own.best, 1500 * 6.4);
	assert_near(v.probes_own.low, 1500 * -4.5);
	assert_near(v.probes_own.high, 1500 * 16.1);
	assert_near(v.caused, 1500 * (6.4 + 24.4));
	v = values_of(&r, r.loop); /* 1,000 x 24.4 and 8.4 of 30,000 */
	assert_near(v.probes_own.best, 24408.4);
	assert_near(v.probes_own.low, 1000 * 15 - 6);
	assert_near(v.probes_own.high, 1000 * 28.1 + 21.1);
	assert_int_equal(v.exclusive, 30000 - 24408);
}

/* Of 50 and 40 ns a visit, an empty one would have 32 inside and 8 around: they have 1.5625 and 1.25
 * times that, which is (2 - 1.5625) / 0.75 and all of the way from the usual 2.4 to 32.4, but what
 * is around loses no more than down to its least. */
TEST(visits_with_little_to_do_cost_what_empty_ones_do)
{
	static const char more[] = "property 'cost-probes-ps' '2000 2000 2000 16000 16000 16000 0'";
	ENDED_BY(end) struct run r;
	struct graph_values v;

	begin_more(&r, "40000 32000 40000 32000 0 0 0", 0, more);
	v = values_of(&r, r.leaf);
	assert_near(v.probes_own.best, 1000 * (2.4 + 30 * 0.4375 / 0.75) + 500 * 32.4);
	assert_near(v.caused, v.probes_own.best + 1500 * 8);
}

/* The rank had a processor for half of the 100 us, and MPI took 1: probes cost twice that, 98/49 of
 * it at most outside of MPI, 99/50 at least. */
TEST(probes_wait_for_a_processor_as_the_program_does)
{
	static const char more[] =
		"property 'cost-probes-ps' '4000 4000 4000 6000 6000 6000 3000'; "
		"property 'cpu-ns' '50000 100000'";
	ENDED_BY(end) struct run r;
	struct graph_values v;

	begin_more(&r, "10000 4000 10000 4000 0 0 0", 0, more);
	v = values_of(&r, r.leaf);
	assert_near(v.probes_own.best, 1500 * 4.4 * 2);
	assert_near(v.probes_own.low, 1500 * 4 * 1.98);
	assert_near(v.probes_own.high, 1500 * 5.1 * 99 / 49);
}

TEST(costs_that_are_not_known_take_nothing)
{
	static const char *const costs[] = { NULL, "", "0 0 0 0 0 0 0", "20000 10000", "x" };

	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		ENDED_BY(end) struct run r;
		struct graph_origin origin;
		begin(&r, costs[i]);
		graph_origin(r.graph, &origin);
		assert_false(origin.compensated);
		assert_times(&r, r.leaf, 70000, 70000);
		assert_times(&r, r.main, 116000, 15000);
	}
}

/* Costs that are too large leave nothing, not less; at most what was measured, as they are wrong. */
TEST(no_time_is_below_zero)
{
	ENDED_BY(end) struct run r;
	struct graph_values v;

	begin(&r, "900000 450000 900000 450000 900000 450000 0");
	assert_times(&r, r.leaf, 0, 0);
	assert_times(&r, r.main, 0, 0);
	v = values_of(&r, r.leaf);
	assert_near(v.probes_own.best, 70000);
	assert_near(v.probes_own.low, 0);
}
