#include "harness/sample_trace.h"

#include "model/build/builder.h"

enum { US = 1000, TAG = 7, BYTES = 1024 };

static void visit(struct builder *b, uint32_t location, int64_t t0, int64_t t1, uint32_t site)
{
	builder_enter(b, location, t0, site);
	builder_leave(b, location, t1, site);
}

static struct message_end end_of(int rank)
{
	return (struct message_end){ .rank = rank, .process = -1, .tag = TAG, .bytes = BYTES };
}

static void step(struct builder *b, uint32_t location, int rank, int ranks, int64_t t,
		 const uint32_t *sites)
{
	const struct message_end to = end_of((rank + 1) % ranks);
	const struct message_end from = end_of((rank + ranks - 1) % ranks);
	visit(b, location, t, t + 600 * US, sites[0]);
	builder_enter(b, location, t + 600 * US, sites[1]);
	builder_send(b, location, t + 600 * US, &to);
	builder_leave(b, location, t + 650 * US, sites[1]);
	builder_enter(b, location, t + 650 * US, sites[2]);
	builder_recv(b, location, t + 800 * US, &from);
	builder_leave(b, location, t + 800 * US, sites[2]);
	builder_enter(b, location, t + 800 * US, sites[3]);
	builder_collective_begin(b, location, t + 800 * US, 0, sites[4], -1, 8, 8);
	builder_collective_end(b, location, t + 1000 * US, 8, 8);
	builder_leave(b, location, t + 1000 * US, sites[3]);
}

struct trace *sample_trace(int ranks, int steps)
{
	const struct timescale scale = { 1000000000, 9 };
	struct builder *b = builder_new("sample.trc", &scale, NULL);
	const uint32_t regions[] = {
		builder_region(b, "compute", CLASS_USER, 1),
		builder_region(b, "MPI_Send", CLASS_P2P, -21),
		builder_region(b, "MPI_Recv", CLASS_P2P, -51),
		builder_region(b, "MPI_Allreduce", CLASS_COLLECTIVE, -100),
		builder_region(b, "main", CLASS_USER, 2),
	};
	uint32_t sites[5];
	for (int i = 0; i < 4; i++)
		sites[i] = builder_site(b, regions[i], 0, 0, 1);
	sites[4] = regions[3];
	const uint32_t top = builder_site(b, regions[4], 0, 0, 2);
	for (int r = 0; r < ranks; r++) {
		const uint32_t location =
			builder_location(b, &(struct location){ .rank = r, .process = -1 });
		const int64_t late = (int64_t)r * 10 * US;
		builder_enter(b, location, late, top);
		for (int s = 0; s < steps; s++)
			step(b, location, r, ranks, late + (int64_t)s * 1000 * US, sites);
		builder_leave(b, location, late + (int64_t)steps * 1000 * US, top);
	}
	const struct builder_options options = { 0 };
	return builder_finish(b, &options, NULL, NULL);
}
