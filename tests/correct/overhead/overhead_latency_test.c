/* Latencies by pair of nodes: which pairs have some of their own where there are too many. */
#include <math.h>
#include <stdlib.h>

#include "correct/overhead/overhead_latency.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"

enum { NODES = 100, PAIRS = NODES * NODES, SETS = 4096 };

static struct trace *make(void)
{
	struct err err = ERR_INIT;
	struct builder *b = builder_new("nodes.trc", &units_nanoseconds, &err);

	for (int32_t l = 0; l < NODES; l++) {
		const char name[] = { 'n', (char)('0' + l / 10), (char)('0' + l % 10), 0 };
		builder_location(b, &(struct location){ .rank = l,
							.process = -1,
							.node = builder_string(b, name, 3) });
	}
	return builder_finish(b, NULL, NULL, &err);
}

static void shuffle(uint32_t *list, uint64_t seed)
{
	struct rng r = { seed };

	for (uint32_t i = 0; i < PAIRS; i++)
		list[i] = i;
	for (uint32_t i = PAIRS; i > 1; i--) {
		const uint32_t j = rng_below(&r, i), moved = list[j];
		list[j] = list[i - 1];
		list[i - 1] = moved;
	}
}

/* Messages of 8 B of every pair, as many as it takes; those of each pair take a time of its own. */
static struct overhead_latency fill(const struct trace *trace, uint64_t seed)
{
	struct overhead_latency latency = latency_init(trace);
	uint32_t list[PAIRS];

	shuffle(list, seed);
	for (int round = 0; round < LATENCY_LEAST; round++)
		for (uint32_t i = 0; i < PAIRS; i++)
			latency_add(&latency, list[i] / NODES, list[i] % NODES, 8, 1000 + list[i]);
	latency_finish(&latency);
	return latency;
}

TEST(test_any_order)
{
	OWNED_TRACE *trace = make();
	ENDED_BY(latency_fini) struct overhead_latency a = fill(trace, 1), b = fill(trace, 2);
	uint32_t own = 0;

	for (uint32_t i = 0; i < PAIRS; i++) {
		struct quantiles x, y;
		assert_true(latency_of(&a, i / NODES, i % NODES, 8, &x));
		assert_true(latency_of(&b, i / NODES, i % NODES, 8, &y));
		assert_true(x.low == y.low && x.middle == y.middle && x.high == y.high);
		own += x.low == 1000 + i && x.high == 1000 + i;
	}
	assert_in_range(own, SETS / 4, SETS);
}

/* Receives of 4 ticks that begin 0, 10, 20 ... 990 ticks after the send, of messages that take
 * `takes`: those end 4 ticks after they began, or when the message is there. */
static double within(const struct trace *trace, double takes, unsigned n)
{
	struct overhead_latency latency = latency_init(trace);
	double most;

	for (unsigned i = 0; i < n; i++) {
		const double begun = 10.0 * i, ended = begun + 4 > takes ? begun + 4 : takes;
		latency_bound(&latency, 0, 1, 8, begun, ended);
		if (begun > takes)
			latency_sample(&latency, OF_RECEIVE, 0, 8, 4);
	}
	latency_finish(&latency);
	most = latency_within(&latency, 0, 1, 8);
	assert_true(isinf(latency_within(&latency, 0, 1, 1 << 20)));
	latency_fini(&latency);
	return most;
}

/* The bound is twice what messages take, not far above twice the least time that shows it: one in
 * ten may not be seen to have been there. */
TEST(test_within)
{
	OWNED_TRACE *trace = make();

	for (double takes = 300; takes < 800; takes += 37) {
		const double most = within(trace, takes, 100);
		assert_true(most >= 2 * takes && most <= 2.2 * takes + 80);
	}
	/* All are there at once: the 20 that ended soonest show it. */
	assert_in_range(within(trace, 0, 100), 2 * 194, 2 * 204);
	/* Too few. */
	assert_true(isinf(within(trace, 0, 19)));
}
