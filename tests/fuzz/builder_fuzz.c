/* libFuzzer target: the builder and the store under any sequence of calls a reader might make.
 * Bytes are calls: the first says which, the next ones are its arguments (builder_calls.h). */
#include <stdio.h>
#include <stdlib.h>

#include "harness/builder_calls.h"
#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/windows.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"

enum { LOCATIONS = 4, CHILDREN = 2 };

/* The last two locations are threads of one rank. */
static void define(struct builder *b, struct called *called)
{
	for (int i = 0; i < LOCATIONS; i++)
		builder_location(b, &(struct location){ .rank = i == 3 ? 2 : i,
							.process = -1,
							.thread = i == 3 });
	called_define(b, called);
}

/* ---- statements ---- */

/* A time, or what a reader may have taken for one. */
static int64_t take_span(struct call_bytes *in)
{
	const unsigned bits = call_byte(in);

	return bits < 250 ? (int64_t)bits : bits & 1 ? INT64_MAX : INT64_MIN;
}

/* One that exists, none, or one that does not exist. */
static uint32_t take_id(struct call_bytes *in, uint32_t n)
{
	const unsigned bits = call_byte(in);

	return bits == 255 ? UINT32_MAX : bits >= 250 ? n + bits : n ? bits % n : UINT32_MAX;
}

static void statement(struct builder *b, const struct called *called, struct call_bytes *in)
{
	const uint32_t n = builder_statement_count(b);
	const unsigned bits = call_byte(in);
	struct statement s = { .kind = (uint8_t)(bits % STATEMENT_KINDS),
			       .flags = (uint8_t)call_byte(in),
			       .column = (uint16_t)call_byte(in),
			       .line = call_byte(in),
			       .end_line = call_byte(in),
			       .parent = take_id(in, n),
			       .callee = take_id(in, n + 2),
			       .region = called->region[bits >> 6] };

	if (s.parent >= n) /* its parent is defined before it */
		s.parent = NO_STATEMENT;
	s.name = s.file = builder_string(b, "f.c", bits >> 2 & 3);
	s.region = s.line & 1 ? s.region : take_id(in, 4);
	builder_statement(b, &s);
}

static void statement_record(struct builder *b, struct call_bytes *in)
{
	const uint32_t n = builder_statement_count(b);
	struct statement_record r = { .statement = n ? call_byte(in) % n : 0,
				      .location = call_byte(in) % LOCATIONS,
				      .from = take_id(in, n),
				      .partner = (int32_t)(call_byte(in) % 7) - 3,
				      .comm = take_id(in, CALLED_COMMS),
				      .flags = call_byte(in),
				      .count = call_byte(in),
				      .inner = call_byte(in),
				      .time = take_span(in),
				      .exclusive = take_span(in),
				      .min = take_span(in),
				      .max = take_span(in),
				      .iterations = call_byte(in) };

	r.trans = take_span(in);
	r.sync = take_span(in);
	r.quickest = call_byte(in);
	r.slowest = r.quickest + call_byte(in);
	r.own = call_byte(in);
	r.carried = call_byte(in);
	r.sent = (uint64_t)take_span(in);
	r.received = (uint64_t)take_span(in);
	if (n)
		builder_statement_record(b, &r);
}

/* The first bytes are statements and their records, a count of each; the rest is events. */
static void state(struct builder *b, const struct called *called, struct call_bytes *in)
{
	for (unsigned n = call_byte(in) % 24; n > 0; n--)
		statement(b, called, in);
	for (unsigned n = call_byte(in) % 48; n > 0; n--)
		statement_record(b, in);
}

/* By the parent, or by children; a child may be given up. */
static void feed(struct builder *b, struct call_bytes *in, unsigned how)
{
	struct builder *children[CHILDREN] = { NULL };
	struct called called;

	define(b, &called);
	if (how & 16)
		state(b, &called, in);
	for (unsigned i = 0; how & 2 && i < CHILDREN; i++)
		children[i] = builder_fork(b);
	while (in->at < in->end) {
		const unsigned l = call_byte(in) % LOCATIONS;
		call_builder(children[0] ? children[l % CHILDREN] : b, &called, l, in);
	}
	if (!children[0])
		return;
	if (how & 4)
		builder_abandon(children[1]);
	builder_join(b, children, how & 4 ? 1 : CHILDREN);
}

/* Of events and of records alone; what asks for either gets one. */
static void look_at_graphs(const struct trace *trace)
{
	struct graph_options options = {
		.base = BASE_MEASURED, .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1
	};

	for (int records = 0; records < 2; records++) {
		struct graph_values values;
		struct err err = ERR_INIT;
		struct graph *graph;

		options.records = records;
		graph = graph_new(trace, &options, NULL, &err);
		must(graph, err.text);
		for (uint32_t i = 0; i < graph_node_count(graph); i++) {
			struct str path = STR_INIT;
			graph_values(graph, i, &values);
			graph_path(graph, i, &path);
			str_fini(&path);
		}
		graph_free(graph);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct call_bytes in = { data, data + size, 0 };
	const unsigned how = call_byte(&in);
	const struct builder_options options = { .decide_blocked = how & 1,
						 .jobs = how & 8 ? 2 : 1 };
	struct builder *b = builder_new("fuzz", &units_nanoseconds, NULL);
	struct err err = ERR_INIT;
	struct trace *trace;

	must(b, "there is a builder");
	feed(b, &in, how);
	trace = builder_finish(b, &options, NULL, &err);
	must(trace, err.text);
	must_be_sound(trace_broken(trace));
	must_be_sound(windows_broken(trace, 64 * (int64_t)fuzz_choice(data, size, 64)));
	look_at_graphs(trace);
	trace_free(trace);
	return 0;
}
