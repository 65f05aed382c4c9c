/* The graph of a random program's events is that of its records. */
#include "harness/graphs.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"
#include "patterns/graph/graph_aid.h"
#include "patterns/graph/random_program.h"

enum { RANKS = 2 };

static void assert_same_node(const struct graph *one, const struct graph *other, uint32_t node,
			     uint32_t location)
{
	struct graph_values a, b;

	graph_values_at(one, node, location, &a);
	graph_values_at(other, node, location, &b);
	assert_int_equal(a.count, b.count);
	assert_int_equal(a.inner, b.inner);
	assert_int_equal(a.time, b.time);
	assert_int_equal(a.min, b.min);
	assert_int_equal(a.max, b.max);
	assert_int_equal(a.sent, b.sent);
	if (node != GRAPH_PROGRAM)
		assert_int_equal(a.exclusive, b.exclusive);
	if (graph_node(one, node)->kind == GRAPH_KIND_COMMUNICATION || node == GRAPH_PROGRAM) {
		assert_int_equal(a.trans, b.trans);
		assert_int_equal(a.own, b.own);
	}
}

static void assert_same_graph(const struct graph *one, const struct graph *other)
{
	assert_int_equal(graph_node_count(one), graph_node_count(other));
	assert_int_equal(graph_cycles(one), graph_cycles(other));
	for (uint32_t node = 1; node < graph_node_count(one); node++) {
		assert_int_equal(graph_node(one, node)->flags & GRAPH_CYCLE,
				 graph_node(other, node)->flags & GRAPH_CYCLE);
		for (uint32_t l = 0; l < RANKS; l++)
			assert_same_node(one, other, node, l);
	}
}

TEST(records_say_what_events_say)
{
	uint32_t cycles = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		OWNED_TRACE *events = random_program(seed, RANKS, true, false);
		OWNED_TRACE *records = random_program(seed, RANKS, false, true);
		OWNED_TRACE *both = random_program(seed, RANKS, true, true);
		struct graph_options options = graph_whole;
		FREED_BY(graph_free)
		struct graph *a = graph_of(events, &options), *b = graph_of(records, &options), *c;
		struct graph_origin origin;

		graph_origin(a, &origin);
		assert_false(origin.records);
		assert_true(origin.tables);
		graph_origin(b, &origin);
		assert_true(origin.records);
		/* No node but the program and its statements. */
		assert_int_equal(graph_node_count(a), trace_statement_count(events) + 1);
		assert_same_graph(a, b);
		options.records = true;
		c = graph_of(both, &options);
		assert_same_graph(a, c);
		cycles += graph_cycles(a);
	}
	assert_true(cycles > 20);
}
