/* libFuzzer target: the builder and the store under any sequence of calls a reader might make. Bytes
 * are calls: the first says which, the next ones are its arguments. */
#include <stdio.h>
#include <stdlib.h>

#include "harness/invariants.h"
#include "model/builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

struct names {
	uint32_t location[4], site[4], region[4], comm[2];
};

static void define(struct builder *b, struct names *names)
{
	static const char *const text[] = { "main", "solve", "MPI_Send", "MPI_Bcast" };
	static const int32_t ranks[] = { 0, 2 };

	for (int i = 0; i < 4; i++) {
		const struct location location = { .rank = i, .process = -1 };

		names->location[i] = builder_location(b, &location);
		names->region[i] = builder_region(b, text[i], (enum region_class)i, i);
		names->site[i] = builder_site(b, names->region[i], 0, 0, i);
	}
	names->comm[0] = 0;
	names->comm[1] = builder_comm(b, "pair", ranks, 2, -2);
}

static void call(struct builder *b, const struct names *names, struct input *in)
{
	const unsigned op = take(in);
	const uint32_t l = names->location[op >> 4 & 3];
	const uint32_t site = names->site[op >> 6 & 3];
	const struct record record = { .rectype = 1000, .site = site };
	const int64_t t = take_time(in);
	struct message_end end;

	switch (op & 15) {
	case 0:
	case 1: builder_enter(b, l, t, site); break;
	case 2:
	case 3: builder_leave(b, l, t, site); break;
	case 4: builder_mark(b, l, t, site); break;
	case 5: builder_tracing(b, l, t, site, op >> 7); break;
	case 6: builder_record(b, l, t, EV_DATA, &record); break;
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
	case 14:
		builder_collective_begin(b, l, t, names->comm[op >> 6 & 1], names->region[3],
					 (int32_t)(op >> 7), take(in), UINT64_MAX);
		break;
	default: builder_collective_end(b, l, t, UINT64_MAX, take(in)); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct timescale scale = { 1000000000, 9 };
	struct input in = { data, data + size, 0 };
	const struct builder_options options = { .decide_blocked = take(&in) & 1, .jobs = 1 };
	struct builder *b = builder_new("fuzz", &scale, NULL);
	struct err err = ERR_INIT;
	struct names names;
	struct trace *trace;
	const char *broken;

	if (!b)
		abort();
	define(b, &names);
	while (in.at < in.end)
		call(b, &names, &in);
	trace = builder_finish(b, &options, NULL, &err);
	if (!trace) {
		fprintf(stderr, "no trace: %s\n", err.text);
		abort();
	}
	broken = trace_broken(trace);
	if (broken) {
		fprintf(stderr, "broken: %s\n", broken);
		abort();
	}
	trace_free(trace);
	return 0;
}
