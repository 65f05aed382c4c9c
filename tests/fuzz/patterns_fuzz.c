/* libFuzzer target: the meaning of any trace. Bytes that begin with '-' or ' ' are a trace in PICL;
 * others are calls of MPI (and of OpenMP) of a few ranks, in any order: the first says which, the
 * next ones are its arguments. Whatever it is, what severities.h names holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/graphs.h"
#include "harness/severities.h"
#include "model/build/builder.h"
#include "model/picl/picl.h"
#include "patterns/analysis/rollcall.h"
#include "patterns/patterns.h"
#include "patterns/topology/topology.h"

/* ---- calls ---- */

enum { RANKS = 4, LOCATIONS = 6, COMMS = 5 };

static const struct {
	const char *name;
	enum region_class cls;
} calls[] = {
	{ "main", CLASS_USER },
	{ "solve", CLASS_USER },
	{ "MPI_Send", CLASS_P2P },
	{ "MPI_Ssend", CLASS_P2P },
	{ "MPI_Isend", CLASS_P2P },
	{ "MPI_Recv", CLASS_P2P },
	{ "MPI_Irecv", CLASS_P2P },
	{ "MPI_Sendrecv", CLASS_P2P },
	{ "MPI_Wait", CLASS_P2P },
	{ "MPI_Waitall", CLASS_P2P },
	{ "MPI_Waitany", CLASS_P2P },
	{ "MPI_Test", CLASS_P2P },
	{ "MPI_Start", CLASS_P2P },
	{ "MPI_Init", CLASS_START_END },
	{ "MPI_Finalize", CLASS_START_END },
	{ "MPI_Win_fence", CLASS_RMA },
	{ "MPI_Win_start", CLASS_RMA },
	{ "MPI_Win_complete", CLASS_RMA },
	{ "MPI_Win_post", CLASS_RMA },
	{ "MPI_Win_wait", CLASS_RMA },
	{ "MPI_Win_lock", CLASS_RMA },
	{ "MPI_Put", CLASS_RMA },
	{ "MPI_Barrier", CLASS_SYNC },
	{ "MPI_Allreduce", CLASS_COLLECTIVE },
	{ "MPI_Bcast", CLASS_COLLECTIVE },
	{ "MPI_Reduce", CLASS_COLLECTIVE },
	{ "MPI_Scan", CLASS_COLLECTIVE },
	{ "MPI_Ibarrier", CLASS_COLLECTIVE },
	{ "MPI_Neighbor_allgather", CLASS_COLLECTIVE },
	{ "!$omp parallel", CLASS_USER },
	{ "!$omp barrier", CLASS_USER },
	{ "trace flush", CLASS_OVERHEAD },
};
enum { CALLS = (int)(sizeof calls / sizeof *calls), FIRST_COLLECTIVE = 22 };

struct input {
	const uint8_t *at, *end;
	struct builder *b;
	uint32_t region[CALLS], site[CALLS], location[LOCATIONS], comm[COMMS];
	int64_t now[LOCATIONS];
};

static unsigned take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static void define(struct input *in)
{
	static const int32_t world[RANKS] = { 0, 1, 2, 3 }, half[] = { 0, 2 }, other[] = { 1, 3 },
			     team[] = { 0, 4, 5 };
	const struct comm kinds[] = {
		{ .size = 2,
		  .ranks = half,
		  .parent = UINT32_MAX,
		  .remote_size = 2,
		  .remote = other,
		  .kind = COMM_INTER },
		{ .size = 3, .ranks = team, .parent = UINT32_MAX, .kind = COMM_THREADS },
		{ .size = 2, .ranks = other, .parent = UINT32_MAX },
	};

	for (int i = 0; i < CALLS; i++) {
		in->region[i] = builder_region(in->b, calls[i].name, calls[i].cls, i + 1);
		in->site[i] = builder_site(in->b, in->region[i], 0, 0, i + 1);
	}
	for (int i = 0; i < LOCATIONS; i++)
		in->location[i] =
			builder_location(in->b, &(struct location){
							.rank = i < RANKS ? i : 0,
							.process = -1,
							.thread = i < RANKS ? 0 : i - RANKS + 1 });
	builder_world(in->b, world, RANKS);
	in->comm[0] = 0;
	in->comm[1] = builder_comm(in->b, "half", half, 2, -2);
	for (int i = 0; i < 3; i++)
		in->comm[2 + i] = builder_comm_define(in->b, &kinds[i]);
}

static struct message_end an_end(struct input *in)
{
	const unsigned bits = take(in);
	struct message_end end = { .rank = (int32_t)(bits & 3),
				   .process = -1,
				   .tag = bits >> 2 & 1,
				   .bytes = bits & 8 ? 100 : 0,
				   .request = bits >> 5 };

	end.has_request = bits & 16;
	return end;
}

static void collective(struct input *in, uint32_t l, int64_t t, unsigned which)
{
	const unsigned bits = take(in);
	const uint32_t comm = in->comm[bits % COMMS];
	const uint32_t region =
		in->region[FIRST_COLLECTIVE + (bits >> 3) % (CALLS - FIRST_COLLECTIVE)];

	switch (which) {
	case 0:
		builder_collective_begin(in->b, l, t, comm, region, bits >> 7 ? -1 : 1, 8,
					 UINT64_MAX);
		break;
	case 1: builder_collective_end(in->b, l, t, UINT64_MAX, bits & 1); break;
	case 2: builder_collective_request(in->b, l, t, bits >> 6); break;
	default: builder_collective_complete(in->b, l, t, bits >> 6, comm, region, 0, 8, 8);
	}
}

/* A whole call, as a capture has it: entered, then what it did, then left. */
static void whole(struct input *in, uint32_t l, int64_t *t, unsigned call)
{
	struct message_end end;

	builder_enter(in->b, l, *t, in->site[call]);
	if (call >= FIRST_COLLECTIVE && call < FIRST_COLLECTIVE + 5)
		builder_collective_begin(in->b, l, *t, in->comm[0], in->region[call], 0, 8, 8);
	*t += take(in);
	end = an_end(in);
	if (call >= FIRST_COLLECTIVE && call < FIRST_COLLECTIVE + 5)
		builder_collective_end(in->b, l, *t, 8, 8);
	else if (call == 2 || call == 3 || call == 4)
		builder_send(in->b, l, *t, &end);
	else if (call == 6)
		builder_recv_request(in->b, l, *t, &end);
	else if (call >= 5 && call <= 11)
		builder_recv(in->b, l, *t, &end);
	builder_leave(in->b, l, *t, in->site[call]);
}

static void detail(struct input *in, uint32_t l, int64_t t)
{
	const uint64_t values[] = { take(in) & 3, take(in) & 3, take(in), 1, 2, 3, 4, 5 };
	const enum detail_type type = (enum detail_type)(take(in) % OBJECT_PARAMETER);
	const uint32_t n = detail_info(type)->fields;

	if (type != DETAIL_METRIC && n <= 8)
		builder_detail(in->b, l, t, type, values, n);
}

static void step(struct input *in)
{
	const unsigned op = take(in), where = (op >> 4) % LOCATIONS, call = take(in) % CALLS;
	const uint32_t l = in->location[where];
	int64_t *t = &in->now[where];
	struct message_end end;

	*t += take(in);
	switch (op & 15) {
	case 0:
	case 1: builder_enter(in->b, l, *t, in->site[call]); break;
	case 2:
	case 3: builder_leave(in->b, l, *t, in->site[call]); break;
	case 4:
		end = an_end(in);
		builder_send(in->b, l, *t, &end);
		break;
	case 5:
		end = an_end(in);
		builder_recv(in->b, l, *t, &end);
		break;
	case 6:
		end = an_end(in);
		builder_recv_request(in->b, l, *t, &end);
		break;
	case 7: builder_send_complete(in->b, l, *t, call & 7, 0); break;
	case 8: builder_tracing(in->b, l, *t, in->site[call], call & 1); break;
	case 9: detail(in, l, *t); break;
	case 10:
	case 11: collective(in, l, *t, call & 3); break;
	default: whole(in, l, t, call); break;
	}
}

static struct trace *trace_of_calls(const uint8_t *data, size_t size)
{
	const struct builder_options options = { .jobs = 1 };
	struct input in = { .at = data, .end = data + size };
	struct err err = ERR_INIT;

	in.b = builder_new("fuzz", &units_nanoseconds, &err);
	must(in.b, "there is a builder");
	define(&in);
	while (in.at < in.end)
		step(&in);
	return builder_finish(in.b, &options, NULL, &err);
}

static struct trace *trace_of_picl(const uint8_t *data, size_t size)
{
	const struct picl_options options = { .jobs = 1 };
	const int fd = fuzz_file(data, size);
	struct err err = ERR_INIT;
	struct trace *trace = picl_read("fuzz.trc", fd, &options, NULL, &err);

	close(fd);
	return trace;
}

/* ---- what holds ---- */

static void call_the_roll(const struct trace *trace)
{
	struct rollcall roll;
	uint32_t n = 0;

	if (!rollcall_make(&roll, trace, BASE_MEASURED, NULL))
		return;
	for (uint32_t g = 0; g < roll.n_groups; g++)
		n += roll.groups[g].n;
	must(n == roll.n, "groups hold every location once");
	for (uint32_t i = 0; i < roll.n_cycle; i++)
		must(roll.cycle[i] < roll.n, "a cycle is one of locations");
	rollcall_fini(&roll);
}

/* Severities of windows are many analyses: a part of the inputs is enough. */
static void analyse(const struct trace *trace, uint64_t dice)
{
	static const char *const wishes[] = { NULL, "guess", "2x2", "2x2x2,order=col,flip=y" };
	const struct analysis_options options = { .topology = wishes[dice >> 3 & 3], .jobs = 1 };
	struct err err = ERR_INIT;
	struct analysis *a = analysis_new(patterns, trace, BASE_MEASURED, &options, NULL, &err);

	must(a || (err_is_set(&err) && err.text[0]), "what is refused is refused with a sentence");
	if (!a)
		return;
	if (dice % 8 == 0)
		must_be_sound(severities_broken(a, dice >> 3));
	analysis_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool picl = size && (*data == '-' || *data == ' ');
	uint64_t dice = 1;
	struct trace *trace;

	for (size_t i = size > 6 ? size - 6 : 0; i < size; i++)
		dice = dice * 257 + data[i];
	trace = picl ? trace_of_picl(data, size) : trace_of_calls(data, size);
	if (!trace)
		return 0;
	/* Larger ones say nothing more, and cubes are looked at cell by cell. */
	if (trace_callpath_count(trace) < 500 && trace_location_count(trace) < 40) {
		must_be_sound(graph_broken(trace));
		call_the_roll(trace);
		analyse(trace, dice);
	}
	trace_free(trace);
	return 0;
}
