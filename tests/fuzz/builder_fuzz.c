/* libFuzzer target: the builder and the store under any sequence of calls a reader might make.
 * Bytes are calls: the first says which, the next ones are its arguments. */
#include <stdio.h>
#include <stdlib.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "model/build/builder.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"

struct input {
	const uint8_t *at, *end;
	int64_t now;
};

static unsigned take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* Mostly a little later than the last; sometimes earlier, sometimes far away. */
static int64_t take_time(struct input *in)
{
	const unsigned step = take(in);

	if (step < 240)
		in->now += step / 4;
	else if (step < 248)
		in->now -= 50;
	else
		in->now = (int64_t)((uint64_t)(step & 1 ? 1 : -1) << (step & 3) * 20);
	return in->now;
}

static struct message_end take_end(struct input *in)
{
	const unsigned bits = take(in);
	struct message_end end = { .rank = (int32_t)(bits & 3),
				   .process = -1,
				   .tag = bits >> 2 & 3,
				   .bytes = take(in),
				   .request = bits >> 4 & 3 };

	if (bits >> 6 == 1)
		end.rank = RANK_UNKNOWN;
	else if (bits >> 6 == 2)
		end.rank = -1;
	else if (bits >> 6 == 3)
		end.has_request = true;
	return end;
}

enum { LOCATIONS = 4, COMMS = 5, CHILDREN = 2 };

struct names {
	uint32_t location[LOCATIONS], site[4], region[4], comm[COMMS], parameter, attribute;
};

static void define(struct builder *b, struct names *names)
{
	static const char *const text[] = { "main", "MPI_Init", "MPI_Send", "MPI_Bcast" };
	static const int32_t ranks[] = { 0, 2 }, others[] = { 1 };
	static const uint64_t string_type[] = { 0, 11 };
	const struct comm kinds[] = {
		{ .size = 2, .ranks = ranks, .kind = COMM_SELF },
		{ .size = 2,
		  .ranks = ranks,
		  .remote_size = 1,
		  .remote = others,
		  .kind = COMM_INTER },
		{ .size = 2, .ranks = ranks, .kind = COMM_THREADS },
	};

	for (int i = 0; i < 4; i++) {
		/* The last two are threads of one rank. */
		const struct location location = { .rank = i == 3 ? 2 : i,
						   .process = -1,
						   .thread = i == 3 };

		names->location[i] = builder_location(b, &location);
		names->region[i] = builder_region(b, text[i], (enum region_class)i, i);
		names->site[i] = builder_site(b, names->region[i], 0, 0, i);
	}
	names->comm[0] = 0;
	names->comm[1] = builder_comm(b, "pair", ranks, 2, -2);
	for (int i = 0; i < 3; i++)
		names->comm[2 + i] = builder_comm_define(b, &kinds[i]);
	names->parameter = builder_object(b, OBJECT_PARAMETER, 0, string_type, 1);
	names->attribute = builder_object(b, OBJECT_ATTRIBUTE, 0, string_type, 2);
}

/* Who is fed with a location's events. */
struct feeders {
	struct builder *b, *child[CHILDREN];
};

static struct builder *feeder(const struct feeders *f, unsigned location)
{
	return f->child[0] ? f->child[location % CHILDREN] : f->b;
}

static void collective(struct builder *b, const struct names *names, struct input *in, uint32_t l,
		       int64_t t)
{
	const unsigned bits = take(in);
	const uint32_t comm = names->comm[(bits >> 3) % COMMS];
	const int64_t request = bits >> 6;

	switch (bits & 7) {
	case 0:
	case 1:
		builder_collective_begin(b, l, t, comm, names->region[3], (int32_t)(bits >> 6),
					 bits, UINT64_MAX);
		break;
	case 2: builder_collective_begin_unknown(b, l, t); break;
	case 3: builder_collective_is(b, l, comm, names->region[2], -1); break;
	case 4:
	case 5: builder_collective_end(b, l, t, UINT64_MAX, bits); break;
	case 6: builder_collective_request(b, l, t, request); break;
	default:
		builder_collective_complete(b, l, t, request, comm, names->region[3], RANK_UNKNOWN,
					    1, 2);
	}
}

static void rare(struct builder *b, const struct names *names, struct input *in, uint32_t l,
		 int64_t t)
{
	const unsigned bits = take(in);
	char letter = (char)('a' + (bits >> 4));
	const uint32_t text = builder_string(b, &letter, 1);
	const uint64_t values[] = { names->parameter, text, bits, 4, 5, 6 };
	const struct record record = { 1000, names->site[0], text };

	switch (bits & 7) {
	case 0: builder_detail(b, l, t, DETAIL_PARAMETER_STRING, values, 2); break;
	case 1: builder_detail(b, l, t, DETAIL_METRIC, values, 1 + (bits >> 4) % 6); break;
	case 2: builder_detail(b, l, t, DETAIL_RMA_ATOMIC, values, 6); break;
	case 3: builder_attribute(b, l, names->attribute, text); break;
	case 4: builder_extra(b, l, &letter, 1); break;
	case 5: builder_time_text(b, l, &letter, 1); break;
	case 6: builder_request_test(b, l, t, bits >> 6); break;
	default: builder_record(b, l, t, EV_DATA, &record); break;
	}
}

static void call(const struct feeders *feeders, const struct names *names, struct input *in)
{
	const unsigned op = take(in);
	const uint32_t l = names->location[op >> 4 & 3];
	struct builder *b = feeder(feeders, op >> 4 & 3);
	const uint32_t site = names->site[op >> 6 & 3];
	const int64_t t = take_time(in);
	struct message_end end;

	switch (op & 15) {
	case 0:
	case 1: builder_enter(b, l, t, site); break;
	case 2:
	case 3: builder_leave(b, l, t, site); break;
	case 4: builder_mark(b, l, t, site); break;
	case 5: builder_tracing(b, l, t, site, op >> 7); break;
	case 6:
	case 15: rare(b, names, in, l, t); break;
	case 7:
	case 8:
		end = take_end(in);
		builder_send(b, l, t, &end);
		break;
	case 9: builder_send_complete(b, l, t, take(in) & 3, 0); break;
	case 10:
		end = take_end(in);
		builder_recv_request(b, l, t, &end);
		break;
	case 11:
	case 12:
		end = take_end(in);
		builder_recv(b, l, t, &end);
		break;
	case 13: builder_request_cancelled(b, l, t, take(in) & 3); break;
	default: collective(b, names, in, l, t); break;
	}
}

/* ---- statements ---- */

/* A time, or what a reader may have taken for one. */
static int64_t take_span(struct input *in)
{
	const unsigned bits = take(in);

	return bits < 250 ? (int64_t)bits : bits & 1 ? INT64_MAX : INT64_MIN;
}

/* One that exists, none, or one that does not exist. */
static uint32_t take_id(struct input *in, uint32_t n)
{
	const unsigned bits = take(in);

	return bits == 255 ? UINT32_MAX : bits >= 250 ? n + bits : n ? bits % n : UINT32_MAX;
}

static void statement(struct builder *b, const struct names *names, struct input *in)
{
	const uint32_t n = builder_statement_count(b);
	const unsigned bits = take(in);
	struct statement s = { .kind = (uint8_t)(bits % STATEMENT_KINDS),
			       .flags = (uint8_t)take(in),
			       .column = (uint16_t)take(in),
			       .line = take(in),
			       .end_line = take(in),
			       .parent = take_id(in, n),
			       .callee = take_id(in, n + 2),
			       .region = names->region[bits >> 6] };

	if (s.parent >= n) /* its parent is defined before it */
		s.parent = NO_STATEMENT;
	s.name = s.file = builder_string(b, "f.c", bits >> 2 & 3);
	s.region = s.line & 1 ? s.region : take_id(in, 4);
	builder_statement(b, &s);
}

static void statement_record(struct builder *b, const struct names *names, struct input *in)
{
	const uint32_t n = builder_statement_count(b);
	struct statement_record r = { .statement = n ? take(in) % n : 0,
				      .location = names->location[take(in) % LOCATIONS],
				      .from = take_id(in, n),
				      .partner = (int32_t)(take(in) % 7) - 3,
				      .comm = take_id(in, COMMS),
				      .flags = take(in),
				      .count = take(in),
				      .inner = take(in),
				      .time = take_span(in),
				      .exclusive = take_span(in),
				      .min = take_span(in),
				      .max = take_span(in),
				      .iterations = take(in) };

	r.trans = take_span(in);
	r.sync = take_span(in);
	r.quickest = take(in);
	r.slowest = r.quickest + take(in);
	r.own = take(in);
	r.carried = take(in);
	r.sent = (uint64_t)take_span(in);
	r.received = (uint64_t)take_span(in);
	if (n)
		builder_statement_record(b, &r);
}

/* The first bytes are statements and their records, a count of each; the rest is events. */
static void state(struct builder *b, const struct names *names, struct input *in)
{
	for (unsigned n = take(in) % 24; n > 0; n--)
		statement(b, names, in);
	for (unsigned n = take(in) % 48; n > 0; n--)
		statement_record(b, names, in);
}

/* By the parent, or by children; a child may be given up. */
static void feed(struct builder *b, struct input *in, unsigned how)
{
	struct feeders feeders = { .b = b };
	struct names names;

	define(b, &names);
	if (how & 16)
		state(b, &names, in);
	for (unsigned i = 0; how & 2 && i < CHILDREN; i++)
		feeders.child[i] = builder_fork(b);
	while (in->at < in->end)
		call(&feeders, &names, in);
	if (!feeders.child[0])
		return;
	if (how & 4) {
		builder_abandon(feeders.child[1]);
		builder_join(b, feeders.child, 1);
	} else {
		builder_join(b, feeders.child, CHILDREN);
	}
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
	struct input in = { data, data + size, 0 };
	const unsigned how = take(&in);
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
	look_at_graphs(trace);
	trace_free(trace);
	return 0;
}
