/* Statements of the program's own, and their records, by hand: shares, statements that are not all in
 * the events, places that no table has. */
#include <string.h>

#include "harness/notation.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"
#include "patterns/graph/graph_aid.h"

struct hand {
	struct notation text;
	struct builder *b; /* the text's */
	struct trace *t;
	struct graph *graph;
	uint32_t location;
	uint32_t main, call3, call4, f, loop, send, g, call9;
};

static uint32_t hand_text(const struct hand *h, const char *t)
{
	return builder_string(h->b, t, strlen(t));
}

static uint32_t place(struct hand *h, enum statement_kind kind, const char *name, uint32_t line,
		      uint32_t parent, uint32_t callee)
{
	struct statement s = { .kind = (uint8_t)kind,
			       .line = line,
			       .parent = parent,
			       .callee = callee,
			       .name = hand_text(h, name),
			       .file = hand_text(h, "h.c"),
			       .region = UINT32_MAX };

	if (kind != STATEMENT_CALL)
		s.region = notation_id(&h->text, NOTATION_REGION, name);
	return builder_statement(h->b, &s);
}

/* main (1): 3 call f, 4 call f; f (6): 7 for { 8 MPI_Send }, 9 call g; g (11). */
static void hand_begin(struct hand *h)
{
	*h = (struct hand){ 0 };
	notation_begin(&h->text, 1000000000);
	notation_write(&h->text,
		       "ranks 1; file h.c; region main file h.c line 1; region f file h.c line 6\n"
		       "region g file h.c line 11; region for role 3 file h.c line 7\n"
		       "region MPI_Send class p2p");
	h->b = h->text.b;
	h->location = h->text.places.data[0].location;
	h->main = place(h, STATEMENT_PROCEDURE, "main", 1, NO_STATEMENT, NO_STATEMENT);
	h->f = place(h, STATEMENT_PROCEDURE, "f", 6, NO_STATEMENT, NO_STATEMENT);
	h->g = place(h, STATEMENT_PROCEDURE, "g", 11, NO_STATEMENT, NO_STATEMENT);
	h->call3 = place(h, STATEMENT_CALL, "f", 3, h->main, h->f);
	h->call4 = place(h, STATEMENT_CALL, "f", 4, h->main, h->f);
	h->loop = place(h, STATEMENT_LOOP, "for", 7, h->f, NO_STATEMENT);
	h->send = place(h, STATEMENT_COMMUNICATION, "MPI_Send", 8, h->loop, NO_STATEMENT);
	h->call9 = place(h, STATEMENT_CALL, "", 9, h->f, NO_STATEMENT);
}

static void keep(struct hand *h, uint32_t statement, uint32_t from, uint64_t count, int64_t time,
		 int64_t exclusive)
{
	builder_statement_record(h->b, &(struct statement_record){ .statement = statement,
								   .location = h->location,
								   .from = from,
								   .partner = RANK_UNKNOWN,
								   .comm = UINT32_MAX,
								   .count = count,
								   .time = time,
								   .exclusive = exclusive,
								   .min = 1,
								   .max = time });
}

static void hand_made_in(struct hand *h, int64_t t0, int64_t t1)
{
	struct graph_options options = graph_whole;

	options.t0 = t0;
	options.t1 = t1;
	h->t = notation_finish(&h->text);
	h->graph = graph_of(h->t, &options);
}

static void hand_made(struct hand *h)
{
	hand_made_in(h, INT64_MIN, INT64_MAX);
}

static void hand_end(struct hand *h)
{
	graph_free(h->graph);
	trace_free(h->t);
}

static struct graph_values of(const struct hand *h, uint32_t statement)
{
	struct graph_values v;

	graph_values(h->graph, statement + 1, &v);
	return v;
}

/* f is entered for 300 from line 3, for 100 from line 4; 40 were transmitted and 80 waited in
 * it. */
TEST(what_is_in_a_procedure_is_shared_by_the_time_from_each_call)
{
	ENDED_BY(hand_end) struct hand h;

	hand_begin(&h);
	keep(&h, h.main, NO_STATEMENT, 1, 500, 100);
	keep(&h, h.f, h.call3, 3, 300, 120);
	keep(&h, h.f, h.call4, 1, 100, 40);
	keep(&h, h.loop, NO_STATEMENT, 4, 200, 80);
	keep(&h, h.g, h.call9, 4, 40, 40);
	builder_statement_record(h.b, &(struct statement_record){ .statement = h.send,
								  .location = h.location,
								  .from = NO_STATEMENT,
								  .partner = 1,
								  .comm = 0,
								  .count = 8,
								  .carried = 8,
								  .time = 120,
								  .exclusive = 120,
								  .trans = 40,
								  .sync = 80 });
	hand_made(&h);
	assert_int_equal(of(&h, h.loop).trans, 40);
	assert_int_equal(of(&h, h.loop).sync, 80);
	assert_int_equal(of(&h, h.f).trans, 40);
	assert_int_equal(of(&h, h.call3).trans, 30);
	assert_int_equal(of(&h, h.call3).sync, 60);
	assert_int_equal(of(&h, h.call4).trans, 10);
	assert_int_equal(of(&h, h.call4).sync, 20);
	assert_int_equal(of(&h, h.main).sync, 80);
	assert_int_equal(of(&h, h.call9).trans, 0);
	assert_int_equal(of(&h, h.call9).count, 4);
	/* The pointer's only procedure is what it called. */
	assert_string_equal(graph_name(h.graph, h.call9 + 1), "g()");
}

static void keep_loop(struct hand *h, int32_t rank, int64_t time, uint64_t iterations)
{
	const uint32_t location =
		builder_location(h->b, &(struct location){ .rank = rank, .process = rank });

	builder_statement_record(h->b, &(struct statement_record){ .statement = h->loop,
								   .location = location,
								   .from = NO_STATEMENT,
								   .partner = RANK_UNKNOWN,
								   .comm = UINT32_MAX,
								   .count = 1,
								   .time = time,
								   .exclusive = time,
								   .min = time,
								   .max = time,
								   .iterations = iterations });
}

/* Of three ranks two counted the iterations: their time alone is divided by them. */
TEST(an_iteration_takes_the_time_of_the_ranks_that_counted_them)
{
	ENDED_BY(hand_end) struct hand h;

	hand_begin(&h);
	keep_loop(&h, 1, 600, 60);
	keep_loop(&h, 2, 720, 60);
	keep_loop(&h, 3, 1320, 0);
	hand_made(&h);
	assert_int_equal(of(&h, h.loop).time, 2640);
	assert_int_equal(of(&h, h.loop).iterations, 120);
	assert_float_equal(graph_iteration_time(&(struct graph_values){ 0 }), 0, 0);
	const struct graph_values v = of(&h, h.loop);
	assert_float_equal(graph_iteration_time(&v), 11, 1e-9);
}

/* Events of g were no longer kept after the second of five: the other three, and 6 of its 10, are
 * in its record alone. f's own time is without them. */
TEST(statements_that_are_not_all_events_have_their_records_numbers)
{
	struct graph_options options = graph_whole;
	struct graph_origin origin;
	ENDED_BY(hand_end) struct hand h;

	hand_begin(&h);
	notation_write(&h.text,
		       "rank 0: main@0 { f:3@10 { g:9@20-22 g:9@30-32 for:7@40-60 } @90 } @100");
	builder_statement_record(h.b, &(struct statement_record){ .statement = h.g,
								  .location = h.location,
								  .from = h.call9,
								  .partner = RANK_UNKNOWN,
								  .comm = UINT32_MAX,
								  .flags = RECORD_LIMITED,
								  .count = 5,
								  .time = 10,
								  .exclusive = 10,
								  .min = 2,
								  .max = 2 });
	builder_statement_record(h.b, &(struct statement_record){ .statement = h.loop,
								  .location = h.location,
								  .from = NO_STATEMENT,
								  .partner = RANK_UNKNOWN,
								  .comm = UINT32_MAX,
								  .count = 1,
								  .time = 20,
								  .exclusive = 20,
								  .min = 20,
								  .max = 20,
								  .iterations = 4,
								  .quickest = 4.5,
								  .slowest = 6 });
	hand_made(&h);
	graph_origin(h.graph, &origin);
	assert_int_equal(origin.limited, 1);
	assert_false(origin.records);
	assert_int_equal(of(&h, h.g).count, 5);
	assert_int_equal(of(&h, h.g).time, 10);
	assert_int_equal(of(&h, h.call9).count, 5);
	/* 80 - 4 - 20, and 6 that events do not show */
	assert_int_equal(of(&h, h.f).exclusive, 80 - 4 - 20 - 6);
	assert_int_equal(of(&h, h.f).time, 80);
	assert_true(graph_node(h.graph, h.g + 1)->flags & GRAPH_LIMITED);
	/* Iterations are the records' alone. */
	assert_int_equal(of(&h, h.loop).iterations, 4);
	assert_float_equal(of(&h, h.loop).slowest, 6, 1e-9);
	assert_false(graph_node(h.graph, h.loop + 1)->flags & GRAPH_UNCOUNTED);
	/* Of a window only the events are known. */
	graph_free(h.graph);
	options.t1 = 50;
	h.graph = graph_of(h.t, &options);
	graph_origin(h.graph, &origin);
	assert_true(origin.incomplete);
	assert_int_equal(origin.limited, 0);
	assert_int_equal(of(&h, h.g).count, 2);
	assert_true(graph_node(h.graph, h.loop + 1)->flags & GRAPH_UNCOUNTED);
}

/* A call of MPI in a segment without probes stands where its line is; one on a line that no table
 * has is a node of its own; one found by its address goes where it is seen. */
TEST(places_without_tables_are_added)
{
	struct statement found = { .kind = STATEMENT_COMMUNICATION,
				   .flags = STATEMENT_FOUND,
				   .line = 77,
				   .parent = NO_STATEMENT,
				   .callee = NO_STATEMENT };
	ENDED_BY(hand_end) struct hand h;
	uint32_t id;

	hand_begin(&h);
	notation_write(&h.text, "region MPI_Barrier class sync");
	found.name = hand_text(&h, "MPI_Barrier");
	found.file = hand_text(&h, "other.c");
	found.region = notation_id(&h.text, NOTATION_REGION, "MPI_Barrier");
	id = builder_statement(h.b, &found);
	notation_write(&h.text, "rank 0: main@0 MPI_Send:8@5-7 MPI_Send:70@10-13\n"
				"file other.c; rank 0: MPI_Barrier:77@20-25 leave main @30");
	hand_made(&h);
	assert_int_equal(of(&h, h.send).count, 1);
	assert_int_equal(of(&h, h.send).time, 2);
	assert_int_equal(of(&h, id).time, 5);
	assert_int_equal(graph_node(h.graph, id + 1)->parent, h.main + 1);
	assert_int_equal(graph_node_count(h.graph), 9 + 1 + 1);
	assert_int_equal(graph_node(h.graph, 10)->line, 70);
	assert_int_equal(graph_node(h.graph, 10)->parent, h.main + 1);
	assert_int_equal(graph_node(h.graph, 10)->statement, NO_STATEMENT);
}

/* Events of hooks have no lines of calls, f's records have: 2 calls of 30 and 50 from line 3, one
 * of 20 from line 4, as far as records measured. */
TEST(records_tell_the_lines_that_hooks_do_not_know)
{
	const uint32_t *children;
	struct hand h;
	uint32_t n;

	hand_begin(&h);
	notation_write(&h.text, "rank 0: main@0 { f@100-140 f@200-260 f@300-325 } @500");
	keep(&h, h.f, h.call3, 2, 80, 80);
	keep(&h, h.f, h.call4, 1, 20, 20);
	hand_made(&h);
	assert_int_equal(of(&h, h.call3).count, 2);
	assert_int_equal(of(&h, h.call3).time, 100);
	assert_int_equal(of(&h, h.call4).count, 1);
	assert_int_equal(of(&h, h.call4).time, 25);
	assert_int_equal(of(&h, h.f).time, 125);
	assert_int_equal(of(&h, h.f).exclusive, 125);
	children = graph_children(h.graph, h.main + 1, &n);
	assert_int_equal(n, 2);
	assert_int_equal(children[0], h.call3 + 1);
	hand_end(&h);
}

/* Where records count otherwise they are of something else; but those of a job that runs are read a
 * moment before or after its events. */
TEST(records_that_count_otherwise_tell_the_only_line_of_a_job_that_runs)
{
	for (int lines = 1; lines <= 2; lines++)
		for (int live = 0; live < 2; live++) {
			const bool told = live && lines == 1;
			ENDED_BY(hand_end) struct hand h;
			hand_begin(&h);
			notation_write(&h.text, "rank 0: main@0 { f@100-150 } @500");
			if (live)
				builder_property(h.b, "live", "2026-11-28 03:00:00 UTC");
			keep(&h, h.f, h.call3, 2, 80, 80);
			if (lines == 2)
				keep(&h, h.f, h.call4, 1, 20, 20);
			hand_made(&h);
			assert_int_equal(of(&h, h.call3).count, told);
			assert_int_equal(of(&h, h.call3).time, told ? 50 : 0);
			assert_int_equal(graph_counts_visits(graph_node(h.graph, h.call3 + 1)),
					 told);
			assert_int_equal(of(&h, h.f).count, 1);
		}
}

/* Of the visits of f at 100, 200, 300 the window has two. */
TEST(a_window_has_the_line_of_the_only_call)
{
	static const char events[] = "rank 0: main@0 { f@100-140 f@200-260 f@300-325 } @500";
	struct hand h;

	hand_begin(&h);
	notation_write(&h.text, events);
	keep(&h, h.f, h.call3, 3, 125, 125);
	hand_made_in(&h, 150, 500);
	assert_int_equal(of(&h, h.call3).count, 2);
	assert_int_equal(of(&h, h.call3).time, 85);
	assert_true(graph_counts_visits(graph_node(h.graph, h.call3 + 1)));
	hand_end(&h);
	/* Two lines; or one, and a call from a place that is not known: which it was is not known. */
	for (int places = 0; places < 2; places++) {
		hand_begin(&h);
		notation_write(&h.text, events);
		keep(&h, h.f, h.call3, 2, 100, 100);
		keep(&h, h.f, places ? h.call4 : NO_STATEMENT, 1, 25, 25);
		hand_made_in(&h, 150, 500);
		assert_int_equal(of(&h, h.call3).count, 0);
		assert_false(graph_counts_visits(graph_node(h.graph, h.call3 + 1)));
		assert_false(graph_is_timed(graph_node(h.graph, h.call3 + 1)));
		assert_int_equal(of(&h, h.f).count, 2);
		hand_end(&h);
	}
}

/* Of exchange (80) only its send in a loop without a probe is known, from records as from events:
 * it has that much time, and is below the program. */
TEST(what_was_not_measured_takes_what_is_known_to_be_in_it)
{
	for (int records = 0; records < 2; records++) {
		ENDED_BY(hand_end) struct hand h;
		uint32_t exchange, loop, send, n;
		const uint32_t *children;
		struct statement s = { .kind = STATEMENT_PROCEDURE,
				       .flags = STATEMENT_FOUND,
				       .line = 80,
				       .parent = NO_STATEMENT,
				       .callee = NO_STATEMENT,
				       .region = UINT32_MAX };
		hand_begin(&h);
		s.name = hand_text(&h, "exchange");
		s.file = hand_text(&h, "h.c");
		exchange = builder_statement(h.b, &s);
		s = (struct statement){ .kind = STATEMENT_LOOP,
					.flags = STATEMENT_ALONE,
					.line = 81,
					.parent = exchange,
					.callee = NO_STATEMENT,
					.name = hand_text(&h, "for"),
					.file = s.file,
					.region = UINT32_MAX };
		loop = builder_statement(h.b, &s);
		notation_write(&h.text, "region MPI_Bsend class p2p");
		send = place(&h, STATEMENT_COMMUNICATION, "MPI_Bsend", 82, loop, NO_STATEMENT);
		if (records) {
			builder_statement_record(h.b,
						 &(struct statement_record){ .statement = send,
									     .location = h.location,
									     .from = NO_STATEMENT,
									     .partner = 1,
									     .comm = 0,
									     .count = 2,
									     .own = 2,
									     .time = 30,
									     .exclusive = 30,
									     .trans = 30 });
		} else {
			notation_write(&h.text, "rank 0: MPI_Bsend:82@10-20 MPI_Bsend:82@30-50");
		}
		hand_made(&h);
		assert_int_equal(of(&h, send).time, 30);
		assert_int_equal(of(&h, loop).time, 30);
		assert_int_equal(of(&h, exchange).time, 30);
		assert_int_equal(of(&h, exchange).trans, 30);
		assert_int_equal(of(&h, exchange).exclusive, 0);
		assert_int_equal(of(&h, exchange).count, 0);
		children = graph_children(h.graph, GRAPH_PROGRAM, &n);
		assert_int_equal(n, 1);
		assert_int_equal(children[0], exchange + 1);
		assert_int_equal(graph_hottest(h.graph, GRAPH_PROGRAM), exchange + 1);
		assert_int_equal(graph_hottest(h.graph, exchange + 1), loop + 1);
	}
}

/* Tables alone, as of a program that did not run: what nobody calls is below the program. */
TEST(tables_alone_are_a_graph)
{
	ENDED_BY(hand_end) struct hand h;
	uint32_t n;
	const uint32_t *children;

	hand_begin(&h);
	hand_made(&h);
	children = graph_children(h.graph, GRAPH_PROGRAM, &n);
	assert_int_equal(n, 2); /* main, and g, which a pointer calls */
	assert_int_equal(children[0], h.main + 1);
	children = graph_children(h.graph, h.call3 + 1, &n);
	assert_int_equal(n, 1);
	assert_int_equal(children[0], h.f + 1);
	children = graph_children(h.graph, h.f + 1, &n);
	assert_int_equal(n, 2);
	assert_int_equal(children[0], h.loop + 1);
	assert_int_equal(graph_hottest(h.graph, GRAPH_PROGRAM), GRAPH_NONE);
}

/* Statistics alone, of a run that was cut off: its events are what was open. */
TEST(what_was_open_is_not_all)
{
	struct graph_origin origin;
	ENDED_BY(hand_end) struct hand h;

	hand_begin(&h);
	notation_write(&h.text, "rank 0: main@0 { f@700 }");
	builder_property(h.b, "recorded", "statistics");
	keep(&h, h.main, NO_STATEMENT, 1, 900, 500);
	keep(&h, h.f, h.call3, 20, 400, 400);
	hand_made(&h);
	graph_origin(h.graph, &origin);
	assert_true(origin.records);
	assert_int_equal(of(&h, h.call3).count, 20);
	assert_int_equal(of(&h, h.call3).time, 400);
}

/* Events of a part of the run alone: the records have times, but no waiting. f() receives, g() does
 * not communicate. */
TEST(waiting_that_records_of_a_run_with_events_do_not_have_is_not_zero)
{
	struct graph_values v;
	struct graph_origin origin;
	ENDED_BY(hand_end) struct hand h;

	hand_begin(&h);
	notation_write(&h.text, "region tracing class overhead picl -913\n"
				"rank 0: main@0-50, mark tracing @50");
	keep(&h, h.main, NO_STATEMENT, 1, 900, 300);
	keep(&h, h.f, h.call3, 3, 600, 200);
	keep(&h, h.loop, NO_STATEMENT, 4, 300, 100);
	keep(&h, h.g, h.call9, 4, 100, 100);
	keep(&h, h.send, NO_STATEMENT, 4, 200, 200);
	hand_made(&h);
	graph_origin(h.graph, &origin);
	assert_true(origin.unsplit);
	for (size_t i = 0; i < 4; i++) {
		const uint32_t unknown[] = { h.main, h.f, h.loop, h.call3 };
		v = of(&h, unknown[i]);
		assert_false(graph_is_split(graph_node(h.graph, unknown[i] + 1), &v));
	}
	v = of(&h, h.g);
	assert_true(graph_is_split(graph_node(h.graph, h.g + 1), &v));
	v = of(&h, h.call9);
	assert_true(graph_is_split(graph_node(h.graph, h.call9 + 1), &v));
	graph_values(h.graph, GRAPH_PROGRAM, &v);
	assert_false(graph_is_split(graph_node(h.graph, GRAPH_PROGRAM), &v));
}

/* The whole run is asked for, and a rank's buffer was full. */
TEST(a_full_buffer_leaves_the_records)
{
	struct graph_options options = graph_whole;
	struct graph_values program;
	struct graph_origin origin;
	ENDED_BY(hand_end) struct hand h;

	hand_begin(&h);
	notation_write(&h.text, "region tracing class overhead picl -913\n"
				"rank 0: main@0-50, mark tracing @50");
	keep(&h, h.main, NO_STATEMENT, 1, 900, 900);
	hand_made(&h);
	graph_origin(h.graph, &origin);
	assert_true(origin.records);
	assert_false(origin.incomplete);
	assert_false(origin.whole);
	assert_int_equal(of(&h, h.main).time, 900);
	graph_values(h.graph, GRAPH_PROGRAM, &program);
	assert_int_equal(program.time, 900); /* no share is above 1 */
	graph_free(h.graph);
	options.t0 = 10;
	h.graph = graph_of(h.t, &options);
	graph_origin(h.graph, &origin);
	assert_false(origin.records);
	assert_true(origin.incomplete);
	assert_int_equal(of(&h, h.main).time, 40);
}
