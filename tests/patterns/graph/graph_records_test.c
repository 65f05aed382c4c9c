/* Statements of the program's own, and their records: a program made at random runs on two ranks,
 * writes its events at the sites of its statements and keeps records as capture does; the graph of
 * the one is that of the other. And by hand: shares, statements that are not all in the events,
 * places that no table has. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "harness/graphs.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"

enum { ROLE_LOOP = 3, RANKS = 2, PROCEDURES = 6, MOST = 200, DEEPEST = 12, STEPS = 600 };

static const struct graph_options everything = { .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1 };

/* A program, and its run. */
struct program {
	struct rng random;
	struct statement statements[MOST];
	uint32_t n;
	/* of the run */
	struct builder *b;
	bool events, records;
	uint32_t location;
	int64_t time;
	int steps, depth;
	int open[MOST]; /* [statement] */
};

static uint32_t text(struct program *p, const char *t)
{
	return builder_string(p->b, t, strlen(t));
}

/* ---- the tables: names and files are strings of a builder, of each the same ---- */

static uint32_t add(struct program *p, enum statement_kind kind, uint32_t parent)
{
	p->statements[p->n] = (struct statement){ .kind = (uint8_t)kind,
						  .line = p->n + 1,
						  .parent = parent,
						  .callee = NO_STATEMENT,
						  .region = UINT32_MAX };
	return p->n++;
}

static void fill(struct program *p, uint32_t parent, int nesting)
{
	const uint32_t n = 1 + rng_below(&p->random, 3);

	for (uint32_t i = 0; i < n && p->n < MOST - PROCEDURES; i++)
		switch (rng_below(&p->random, 4)) {
		case 0:
			if (nesting < 2)
				fill(p, add(p, STATEMENT_LOOP, parent), nesting + 1);
			break;
		case 1: add(p, STATEMENT_COMMUNICATION, parent); break;
		default: {
			const uint32_t call = add(p, STATEMENT_CALL, parent);
			p->statements[call].callee = rng_below(&p->random, PROCEDURES);
		}
		}
}

static void make_program(struct program *p, uint64_t seed)
{
	*p = (struct program){ 0 };
	p->random.state = seed * 0x9e3779b97f4a7c15u;
	for (uint32_t i = 0; i < PROCEDURES; i++)
		add(p, STATEMENT_PROCEDURE, NO_STATEMENT);
	for (uint32_t i = 0; i < PROCEDURES; i++)
		fill(p, i, 0);
}

static void name_of(const struct program *p, uint32_t id, char *name)
{
	const struct statement *s = &p->statements[id];
	const uint32_t what = s->kind == STATEMENT_CALL ? s->callee : id;

	if (s->kind == STATEMENT_LOOP)
		strcpy(name, "for");
	else if (s->kind == STATEMENT_COMMUNICATION)
		strcpy(name, "MPI_Bsend");
	else
		name[0] = 'f', name[1] = (char)('0' + what), name[2] = '\0';
}

static void define(struct program *p)
{
	char name[16];

	for (uint32_t i = 0; i < p->n; i++) {
		struct statement *s = &p->statements[i];
		name_of(p, i, name);
		s->name = text(p, name);
		s->file = text(p, "p.c");
		if (s->kind == STATEMENT_COMMUNICATION)
			s->region = builder_region(p->b, name, CLASS_P2P, 50);
		else if (s->kind != STATEMENT_CALL)
			s->region = builder_region_define(p->b,
							  &(struct region){
								  .name = s->name,
								  .file = s->file,
								  .line = s->line,
								  .picl = 100 + (int32_t)i,
								  .cls = CLASS_USER,
								  .role = s->kind == STATEMENT_LOOP
										  ? ROLE_LOOP
										  : 0 });
		assert_int_equal(builder_statement(p->b, s), i);
	}
}

/* ---- the run ---- */

static void event(struct program *p, uint32_t id, uint32_t from, bool enter)
{
	const struct statement *s = &p->statements[id];
	const struct statement *at = from == NO_STATEMENT ? s : &p->statements[from];
	const bool known = s->kind != STATEMENT_PROCEDURE || from != NO_STATEMENT;
	const uint32_t site = builder_site(p->b, s->region, known ? s->file : 0,
					   known ? at->line : 0, 100 + (int32_t)id);

	p->time += 1 + rng_below(&p->random, 9);
	if (!p->events)
		return;
	if (enter)
		builder_enter(p->b, p->location, p->time, site);
	else
		builder_leave(p->b, p->location, p->time, site);
}

static void account(struct program *p, uint32_t id, uint32_t from, int64_t time, int64_t below)
{
	const bool talks = p->statements[id].kind == STATEMENT_COMMUNICATION;
	const bool first = p->open[id] == 0;
	struct statement_record r = { .statement = id,
				      .location = p->location,
				      .from = from,
				      .partner = talks ? 1 : RANK_UNKNOWN,
				      .comm = talks ? 0 : UINT32_MAX,
				      .count = 1,
				      .inner = !first,
				      .exclusive = time - below };

	if (first)
		r.time = r.min = r.max = time;
	if (talks) {
		r.trans = time;
		r.own = 1;
		r.sent = 8;
		r.flags = RECORD_SENT;
	}
	/* What has no time has no extremes: it is added up without them. */
	if (p->records)
		builder_statement_record(p->b, &r);
}

static int64_t run(struct program *p, uint32_t id, uint32_t from);

/* What stands in a procedure or a loop; the time that it took. */
static int64_t run_inside(struct program *p, uint32_t parent)
{
	int64_t below = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct statement *s = &p->statements[i];
		if (s->parent != parent || s->kind == STATEMENT_PROCEDURE || p->steps <= 0)
			continue;
		if (rng_below(&p->random, 10) == 0)
			break; /* return, break */
		if (s->kind != STATEMENT_CALL)
			below += run(p, i, NO_STATEMENT);
		else if (p->depth < DEEPEST)
			below += run(p, s->callee, i);
	}
	return below;
}

static int64_t run(struct program *p, uint32_t id, uint32_t from)
{
	const struct statement *s = &p->statements[id];
	int64_t enter, below = 0;

	p->steps--;
	p->depth++;
	event(p, id, from, true);
	enter = p->time;
	p->open[id]++;
	if (s->kind == STATEMENT_COMMUNICATION && p->events)
		builder_send(p->b, p->location, p->time,
			     &(struct message_end){ .rank = 1, .process = -1, .bytes = 8 });
	for (uint32_t i = rng_below(&p->random, 3); s->kind == STATEMENT_LOOP && i > 0; i--)
		below += run_inside(p, id);
	if (s->kind == STATEMENT_PROCEDURE)
		below += run_inside(p, id);
	p->open[id]--;
	event(p, id, from, false);
	p->depth--;
	account(p, id, from, p->time - enter, below);
	return p->time - enter;
}

static struct trace *run_program(struct program *p, uint64_t seed, bool events, bool records)
{
	struct err err = ERR_INIT;
	struct trace *t;

	make_program(p, seed);
	p->b = builder_new("test.trc", &units_nanoseconds, NULL);
	p->events = events;
	p->records = records;
	define(p);
	for (int32_t rank = 0; rank < RANKS; rank++) {
		p->location =
			builder_location(p->b, &(struct location){
						       .rank = rank, .process = -1, .thread = 0 });
		p->time = 0;
		p->steps = STEPS;
		/* One procedure after the other, until there is nothing to be done any more. */
		for (uint32_t i = 0; i < PROCEDURES && p->steps > 0; i++)
			run(p, i, NO_STATEMENT);
	}
	t = builder_finish(p->b, NULL, NULL, &err);
	assert_non_null(t);
	return t;
}

static struct graph *look(const struct trace *t, const struct graph_options *options)
{
	struct err err = ERR_INIT;
	struct graph *graph = graph_new(t, options, NULL, &err);

	assert_non_null(graph);
	return graph;
}

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
		static struct program program;
		OWNED_TRACE *events = run_program(&program, seed, true, false);
		OWNED_TRACE *records = run_program(&program, seed, false, true);
		OWNED_TRACE *both = run_program(&program, seed, true, true);
		struct graph_options options = everything;
		FREED_BY(graph_free)
		struct graph *a = look(events, &options), *b = look(records, &options), *c;
		struct graph_origin origin;

		graph_origin(a, &origin);
		assert_false(origin.records);
		assert_true(origin.tables);
		graph_origin(b, &origin);
		assert_true(origin.records);
		/* No node but the program and its statements. */
		assert_int_equal(graph_node_count(a), program.n + 1);
		assert_same_graph(a, b);
		options.records = true;
		c = look(both, &options);
		assert_same_graph(a, c);
		cycles += graph_cycles(a);
	}
	assert_true(cycles > 20);
}

/* ---- by hand ---- */

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

static void hand_made(struct hand *h)
{
	h->t = notation_finish(&h->text);
	h->graph = look(h->t, &everything);
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
	struct graph_options options = everything;
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
	h.graph = look(h.t, &options);
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
	/* Where they count otherwise they are of something else. */
	hand_begin(&h);
	notation_write(&h.text, "rank 0: main@0 { f@100-150 } @500");
	keep(&h, h.f, h.call3, 2, 80, 80);
	hand_made(&h);
	assert_int_equal(of(&h, h.call3).count, 0);
	assert_int_equal(of(&h, h.f).count, 1);
	hand_end(&h);
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

/* The whole run is asked for, and a rank's buffer was full. */
TEST(a_full_buffer_leaves_the_records)
{
	struct graph_options options = everything;
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
	graph_free(h.graph);
	options.t0 = 10;
	h.graph = look(h.t, &options);
	graph_origin(h.graph, &origin);
	assert_false(origin.records);
	assert_true(origin.incomplete);
	assert_int_equal(of(&h, h.main).time, 40);
}
