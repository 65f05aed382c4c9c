/* The program graph, by numbers worked out by hand: paper 1, sections 4 to 6. A run is made event
 * by event, with the lines that calls stand on; nodes are named by graph_path(). */
#include <stdlib.h>
#include <string.h>

#include "harness/graphs.h"
#include "harness/made_run.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "patterns/graph/graph.h"

struct seen {
	struct made_run run;
	struct graph *graph;
};

static struct graph *look(const struct seen *s, const struct graph_options *options)
{
	struct err err = ERR_INIT;
	struct graph *graph = graph_new(s->run.t, options, NULL, &err);

	assert_non_null(graph);
	return graph;
}

static const struct graph_options everything = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };

/* The graph of a run; loops are called by their lines. */
static struct seen made(const char *text)
{
	struct seen s = { 0 };

	made_run_begin(&s.run, CLASS_P2P);
	for (int line = 7; line <= 13; line++)
		made_run_write(&s.run, "region loop%d role 3 file app.c line %d picl 200", line,
			       line);
	made_run_write(&s.run, "%s", text);
	made_run_finish(&s.run);
	s.graph = look(&s, &everything);
	return s;
}

static void end(struct seen *s)
{
	graph_free(s->graph);
	made_run_fini(&s->run);
}

static uint32_t node_in(const struct graph *graph, const char *path)
{
	struct str text = STR_INIT;
	uint32_t found = GRAPH_NONE;

	for (uint32_t i = 0; i < graph_node_count(graph) && found == GRAPH_NONE; i++) {
		text.n = 0;
		graph_path(graph, i, &text);
		if (strcmp(text.n ? text.text : "", path) == 0)
			found = i;
	}
	if (found == GRAPH_NONE)
		fail_msg("there is no node %s", path);
	str_fini(&text);
	return found;
}

static struct graph_values values(const struct seen *s, const char *path)
{
	struct graph_values v;

	graph_values(s->graph, node_in(s->graph, path), &v);
	return v;
}

static void assert_node(const struct seen *s, const char *path, uint64_t count, int64_t time,
			int64_t exclusive)
{
	const struct graph_values v = values(s, path);

	if (v.count != count || v.time != time || v.exclusive != exclusive)
		fail_msg("%s: count %llu time %lld exclusive %lld, not %llu %lld %lld", path,
			 (unsigned long long)v.count, (long long)v.time, (long long)v.exclusive,
			 (unsigned long long)count, (long long)time, (long long)exclusive);
}

static void assert_talk(const struct seen *s, const char *path, int64_t trans, int64_t sync)
{
	const struct graph_values v = values(s, path);

	if (v.trans != trans || v.sync != sync)
		fail_msg("%s: trans %lld sync %lld, not %lld %lld", path, (long long)v.trans,
			 (long long)v.sync, (long long)trans, (long long)sync);
}

/* ---- section 6.1 ----
 *
 *	 1 main:	 2 call P2, 3 call P3
 *	10 P2:		11 call P3, 12 loop { 13 loop { 14 receive }, 15 call P3 }, 16 send
 *	20 P3:		-
 */
static const char example[] =
	"rank 0: main@0 {\n"
	"  P2:2@10 {\n"
	"    P3:11@20-50\n"
	"    loop12@60 {\n"
	"      loop13@70 { MPI_Recv:14@80-100 <-1 100B } @110  P3:15@120-125\n"
	"      loop13@170 { MPI_Recv:14@180-200 <-1 100B } @210  P3:15@220-225\n"
	"    } @260\n"
	"    MPI_Send:16@270-300 ->1 8B\n"
	"  } @310\n"
	"  P3:3@320-390\n"
	"} @400\n"
	/* The other sends at 70 and 200, receives at 290. */
	"rank 1: main@0 { MPI_Send:30@70-75 ->0 100B\n"
	"  MPI_Send:31@200-201 ->0 100B  MPI_Recv:32@290-301 <-0 8B } @400";

TEST(the_papers_queries_have_answers)
{
	ENDED_BY(end) struct seen s = made(example);
	struct graph_values v;
	struct graph_part *parts;

	/* total execution time of the whole program: the record of main */
	assert_node(&s, "", 2, 800, 0);
	graph_values_at(s.graph, node_in(s.graph, "main"), 0, &v);
	assert_int_equal(v.time, 400);
	/* 400 - P2 300 - P3 70; of the other 400 - 5 - 1 - 11 */
	assert_int_equal(v.exclusive, 30);
	assert_node(&s, "main", 2, 800, 30 + 383);
	/* total transmission and synchronisation: receives at 80..100 (its send entered 70: 0 +
	 * 20), 180..200 (200: 20 + 0); send 270..300 (its receive entered 290: 20 + 10); the
	 * other's sends waited for nobody: 70..75 for the receive at 80, which it did not wait for,
	 * 200..201; its receive 290..301 was sent to at 270: 0 + 11 */
	assert_talk(&s, "", 20 + 0 + 10 + 5 + 1 + 11, 20 + 20);
	/* procedure calls in main, one by one and together */
	assert_node(&s, "main/P2():2", 1, 300, 300 - 30 - 200 - 30);
	assert_node(&s, "main/P3():3", 1, 70, 70);
	/* a procedure over all callers */
	assert_node(&s, "P3", 4, 30 + 5 + 5 + 70, 110);
	assert_int_equal(graph_callers(s.graph, node_in(s.graph, "P3"), UINT32_MAX, &parts), 3);
	assert_int_equal(parts[0].node, node_in(s.graph, "main/P3():3"));
	assert_int_equal(parts[1].node, node_in(s.graph, "P2/P3():11"));
	assert_int_equal(parts[2].node, node_in(s.graph, "P2/loop12:12/P3():15"));
	assert_int_equal(parts[2].values.count, 2);
	assert_int_equal(parts[2].values.time, 10);
	free(parts);
	/* communication statements, loops, what is in them */
	assert_node(&s, "P2/loop12:12/loop13:13/MPI_Recv:14", 2, 40, 40);
	assert_talk(&s, "P2/loop12:12/loop13:13/MPI_Recv:14", 20, 20);
	assert_node(&s, "P2/loop12:12", 1, 200, 200 - 80 - 10);
	assert_node(&s, "P2/loop12:12/loop13:13", 2, 80, 40);
	assert_talk(&s, "P2/loop12:12", 20, 20);
	assert_node(&s, "P2/MPI_Send:16", 1, 30, 30);
	assert_talk(&s, "P2", 30, 40);
	assert_talk(&s, "main/P2():2", 30, 40);
}

/* MPI_Init and MPI_Finalize take longest, and are not where the program's time goes. */
TEST(the_hottest_path_leaves_out_the_ends_of_a_run)
{
	ENDED_BY(end)
	struct seen s = made("rank 0: main@0 { MPI_Init:3@10-500 work:5@500-700\n"
			     " MPI_Finalize:9@700-990 } @1000");
	const uint32_t node = graph_hottest(s.graph, node_in(s.graph, "main"));

	assert_int_equal(node, node_in(s.graph, "main/work():5"));
}

TEST(a_walk_from_the_top_finds_what_costs)
{
	ENDED_BY(end) struct seen s = made(example);
	uint32_t node, n;
	const uint32_t *children;

	node = graph_hottest(s.graph, GRAPH_PROGRAM);
	assert_int_equal(node, node_in(s.graph, "main"));
	children = graph_children(s.graph, node, &n);
	assert_int_equal(n, 5);
	assert_int_equal(graph_node(s.graph, children[0])->line, 2);
	assert_int_equal(graph_node(s.graph, children[4])->line, 32);
	node = graph_hottest(s.graph, node);
	assert_int_equal(node, node_in(s.graph, "main/P2():2"));
	assert_string_equal(graph_name(s.graph, node), "P2()");
	node = graph_hottest(s.graph, node);
	assert_int_equal(node, node_in(s.graph, "P2"));
	node = graph_hottest(s.graph, node);
	assert_int_equal(node, node_in(s.graph, "P2/loop12:12"));
	node = graph_hottest(s.graph, node);
	assert_int_equal(node, node_in(s.graph, "P2/loop12:12/loop13:13"));
	node = graph_hottest(s.graph, node);
	assert_int_equal(node, node_in(s.graph, "P2/loop12:12/loop13:13/MPI_Recv:14"));
	assert_int_equal(graph_hottest(s.graph, node), GRAPH_NONE);
}

TEST(numbers_spread_over_locations)
{
	ENDED_BY(end) struct seen s = made(example);
	struct graph_spread spread;

	graph_spread(s.graph, node_in(s.graph, "P2"), &spread);
	assert_int_equal(spread.there, 1);
	assert_int_equal(spread.max, 300);
	assert_int_equal(spread.max_at, 0);
	assert_int_equal(spread.min, 0);
	assert_int_equal(spread.min_at, 1);
	assert_float_equal(spread.mean, 150, 1e-9);
	graph_spread(s.graph, node_in(s.graph, "main"), &spread);
	assert_int_equal(spread.there, 2);
	assert_int_equal(spread.min, 400);
}

/* The part of 100 .. 190: the receive 180..200 waits all of it that is inside; P3 was entered at
 * 120 and 220. */
TEST(a_window_has_what_is_in_it)
{
	ENDED_BY(end) struct seen s = made(example);
	struct graph_options options = everything;

	graph_free(s.graph);
	options.t0 = 90;
	options.t1 = 190;
	s.graph = look(&s, &options);
	assert_node(&s, "main", 0, 200, 100);
	assert_node(&s, "P2", 0, 100, 0);
	assert_node(&s, "P2/loop12:12/loop13:13", 1, 20 + 20, 10 + 10);
	assert_node(&s, "P2/loop12:12/loop13:13/MPI_Recv:14", 1, 10 + 10, 20);
	assert_talk(&s, "P2/loop12:12/loop13:13/MPI_Recv:14", 10, 10);
	assert_talk(&s, "", 10, 10);
	assert_node(&s, "P3", 1, 5, 5);
	/* main and P2 began before the window on both ranks, a loop of P2 and its receive on
	 * one. */
	assert_int_equal(values(&s, "main").earlier, 2);
	assert_int_equal(values(&s, "P2/loop12:12/loop13:13").earlier, 1);
	assert_int_equal(values(&s, "P3").earlier, 0);
	assert_int_equal(values(&s, "P2/loop12:12/loop13:13/MPI_Recv:14").max, 20);
}

/* What matches has numbers; what contains it has what was transmitted in it. */
TEST(a_filter_takes_visits_that_match)
{
	ENDED_BY(end) struct seen s = made(example);
	struct graph_options options = everything;
	struct err err = ERR_INIT;
	FREED_BY(filter_free) struct filter *filter;

	graph_free(s.graph);
	options.filter = filter = filter_compile("region == MPI_Recv && rank == 0", s.run.t, &err);
	assert_non_null(filter);
	s.graph = look(&s, &options);
	assert_node(&s, "P2/loop12:12/loop13:13/MPI_Recv:14", 2, 40, 40);
	assert_node(&s, "main/MPI_Recv:32", 0, 0, 0);
	assert_node(&s, "P2", 0, 0, 0);
	assert_talk(&s, "P2", 20, 20);
	assert_talk(&s, "", 20, 20);
}

/* ---- callers: what an average over them gets wrong ----
 *
 * solve is cheap from 3 (two calls of 10) and dear from 4 (one of 100); gprof's average of 40 would
 * give 80 and 40. */
TEST(callers_have_times_of_their_own)
{
	ENDED_BY(end)
	struct seen s = made("rank 0: main@0 { solve:3@10-20 solve:3@30-40 solve:4@50-150 } @200");

	assert_node(&s, "main/solve():3", 2, 20, 20);
	assert_node(&s, "main/solve():4", 1, 100, 100);
	assert_node(&s, "solve", 3, 120, 120);
	assert_int_equal(values(&s, "solve").min, 10);
	assert_int_equal(values(&s, "solve").max, 100);
}

/* ---- recursion ---- */

/* Rule a: main calls f (line 2), which calls itself twice deep (line 5). */
TEST(a_procedure_that_calls_itself_counts_its_time_once)
{
	ENDED_BY(end)
	struct seen s = made("rank 0: main@0 { f:2@10 { f:5@20 {\n"
			     "  f:5@30 { MPI_Send:6@32-36 ->0 1B } @40 } @60 } @90 } @100");

	assert_node(&s, "f", 3, 80, 76);
	assert_int_equal(values(&s, "f").inner, 2);
	assert_int_equal(values(&s, "f").min, 80);
	assert_node(&s, "main/f():2", 1, 80, 40);
	assert_node(&s, "f/f():5", 2, 0, 0);
	assert_int_equal(graph_cycles(s.graph), 1);
	assert_true(graph_node(s.graph, node_in(s.graph, "f"))->flags & GRAPH_CYCLE);
	assert_true(graph_node(s.graph, node_in(s.graph, "f/f():5"))->flags & GRAPH_CYCLE);
	assert_false(graph_node(s.graph, node_in(s.graph, "main/f():2"))->flags & GRAPH_CYCLE);
	/* The message was never received: in neither. */
	assert_talk(&s, "f", 0, 0);
	assert_node(&s, "f/MPI_Send:6", 1, 4, 4);
}

/* Rule b: main calls x (2) and y (3); x calls y (12), y calls x (22); y calls leaf (23). */
TEST(a_cycle_is_one_procedure_to_its_callers)
{
	ENDED_BY(end)
	struct seen s = made("rank 0: main@0 {\n"
			     "  x:2@10 { y:12@20 { x:22@30-50 leaf:23@60-65 } @80 } @100\n"
			     "  y:3@200-230 } @300");
	struct graph_values v;
	uint32_t n;

	/* x: 90 from main; its own 10 + 20 + 20. y: 30 from main; its own 10 + 10 + 15 and 30. */
	assert_node(&s, "x", 2, 90, 10 + 20 + 20);
	assert_node(&s, "y", 2, 30, 35 + 30);
	assert_node(&s, "main/x():2", 1, 90, 30);
	assert_node(&s, "main/y():3", 1, 30, 30);
	assert_node(&s, "x/y():12", 1, 0, 0);
	assert_node(&s, "y/x():22", 1, 0, 0);
	assert_node(&s, "y/leaf():23", 1, 5, 5);
	assert_int_equal(graph_cycles(s.graph), 1);
	graph_cycle(s.graph, 0, &n);
	assert_int_equal(n, 2);
	graph_cycle_values(s.graph, 0, &v);
	assert_int_equal(v.time, 90 + 30);
	assert_int_equal(v.count, 4);
	assert_int_equal(v.inner, 2);
	assert_int_equal(v.exclusive, 50 + 65);
	assert_int_equal(graph_node(s.graph, node_in(s.graph, "leaf"))->cycle, GRAPH_NONE);
	/* Exclusive times add up to the whole. */
	assert_int_equal(values(&s, "main").exclusive + 50 + 65 + 5, 300);
}

/* ---- destinations that change in a loop ---- */

/* Worker 1 receives at 5 (its message entered at 10) and 60; worker 2 the first at 32: the send of
 * 30 to 36 waited 2. */
TEST(each_destination_has_a_record)
{
	ENDED_BY(end)
	struct seen s = made(
		"rank 0: master@0 { loop7@0 {\n"
		"  MPI_Send:8@10-15 ->1 100B  MPI_Send:8@30-36 ->2 100B\n"
		"  MPI_Send:8@50-57 ->1 100B  MPI_Send:8@70-78 ->2 100B } @100 } @100\n"
		"rank 1: worker@0 { MPI_Recv:20@5-16 <-0 100B  MPI_Recv:20@60-61 <-0 100B } @100\n"
		"rank 2: worker@0 { MPI_Recv:20@32-37 <-0 100B  MPI_Recv:20@60-79 <-0 100B } @100");
	struct graph_part *parts;

	assert_int_equal(graph_destinations(s.graph, node_in(s.graph, "master/loop7:7/MPI_Send:8"),
					    0, &parts),
			 2);
	/* To 1: 10..15, 50..57: 12. To 2: 30..36, 70..78: 14. */
	assert_int_equal(parts[0].partner, 2);
	assert_int_equal(parts[0].values.time, 6 + 8);
	assert_int_equal(parts[0].values.sync, 2);
	assert_int_equal(parts[0].values.trans, 4 + 8);
	assert_int_equal(parts[0].values.sent, 200);
	assert_int_equal(parts[0].comm, 0);
	assert_true(parts[0].values.flags & RECORD_SENT);
	assert_int_equal(parts[1].partner, 1);
	assert_int_equal(parts[1].values.time, 5 + 7);
	/* the receive of the second was entered at 60, when the send was over */
	assert_int_equal(parts[1].values.sync, 0);
	assert_int_equal(parts[1].values.told, 2);
	free(parts);
	/* Receives: 5..16 waited until 10; 60..79 until 70; 60..61, 32..37 for nobody. */
	assert_talk(&s, "worker/MPI_Recv:20", 6 + 1 + 5 + 9, 5 + 10);
	assert_int_equal(values(&s, "worker/MPI_Recv:20").received, 400);
}

/* ---- ways out ---- */

/* The leave of an outer region ends what is open in it; what is open at the end lasts until
 * there. */
TEST(what_is_left_early_ends_with_what_it_is_in)
{
	ENDED_BY(end)
	struct seen s = made("rank 0: main@0 f:2@10 loop9@20 g:10@25 leave f:2 @40\n"
			     "  f:3@50-55 g:4@60 mark here @100");

	assert_node(&s, "f", 2, 35, 10 + 5);
	assert_node(&s, "f/loop9:9", 1, 20, 5);
	assert_node(&s, "f/loop9:9/g():10", 1, 15, 15);
	assert_node(&s, "g", 2, 15 + 40, 55);
	assert_node(&s, "main", 1, 100, 10 + 10 + 5);
}

/* ---- traces without procedures ---- */

TEST(statements_hang_below_the_program_without_procedures)
{
	ENDED_BY(end)
	struct seen s = made("rank 0: MPI_Send@10-20 ->1 1B; rank 1: MPI_Recv@5-25 <-0 1B");
	const uint32_t *children;
	uint32_t n;

	children = graph_children(s.graph, GRAPH_PROGRAM, &n);
	assert_int_equal(n, 2);
	assert_int_equal(graph_node(s.graph, children[0])->kind, GRAPH_KIND_COMMUNICATION);
	assert_talk(&s, "MPI_Recv", 15, 5);
	assert_talk(&s, "", 10 + 15, 5);
	/* The program's time is from the first event to the last. */
	assert_node(&s, "", 2, 10 + 20, 0);
	assert_int_equal(graph_hottest(s.graph, GRAPH_PROGRAM), node_in(s.graph, "MPI_Recv"));
}

/* ---- section 6.2 ---- */

/* A loop with a receive and three sends, each always to the same: four records, however often it
 * goes round. */
TEST(records_stay_where_events_grow)
{
	static const uint64_t rounds[] = { 1, 25, 250 };

	for (int i = 0; i < 3; i++) {
		struct graph_sizes sizes;
		struct str text = STR_INIT;
		ENDED_BY(end) struct seen s;
		for (uint64_t k = 0; k < 100 * rounds[i]; k += 100)
			str_add_fmt(&text,
				    "rank 0: MPI_Recv:1@%d-%d <-0 MPI_Send:2@%d-%d ->0\n"
				    "  MPI_Send:3@%d-%d ->0 MPI_Send:4@%d-%d ->0\n",
				    (int)k + 10, (int)k + 15, (int)k + 20, (int)k + 25, (int)k + 30,
				    (int)k + 35, (int)k + 40, (int)k + 45);
		s = made(text.text);
		str_fini(&text);
		graph_sizes(s.graph, &sizes);
		assert_int_equal(sizes.records, 4);
		assert_int_equal(sizes.record_bytes, 4 * 128);
		/* enter 32, message 32, leave 16 */
		assert_int_equal(sizes.events, rounds[i] * 4 * 3);
		assert_int_equal(sizes.event_bytes, rounds[i] * 4 * (32 + 32 + 16));
	}
}
