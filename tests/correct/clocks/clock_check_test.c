/* The checker against brute force: every pair of every group is gone over one by one. */
#include <string.h>

#include "correct/clocks/clock_check.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "model/build/builder.h"

/* What is expected of a base. */
struct truth {
	struct check_sum by_class[LOGICAL_CLASSES];
};

static int64_t at(const struct trace *t, uint32_t event)
{
	return trace_event_time(t, BASE_MEASURED, event);
}

/* True if (late, send, recv) is worse than what is there: later; as late, from a lower location, an
 * earlier send of it, to a lower location. */
static bool is_worse(const struct trace *t, const struct check_sum *sum, int64_t late,
		     uint32_t send, uint32_t recv)
{
	const uint32_t from = trace_event_location(t, send), to = trace_event_location(t, recv);
	const bool tied = late > 0 && late == sum->worst_violation;

	if (!tied)
		return late > sum->worst_violation;
	if (from != trace_event_location(t, sum->send))
		return from < trace_event_location(t, sum->send);
	if (send != sum->send)
		return trace_event_ordinal(t, send) < trace_event_ordinal(t, sum->send);
	return to < trace_event_location(t, sum->recv);
}

static void note_worst(struct check_sum *sum, const struct trace *t, int64_t late, uint32_t send,
		       uint32_t recv)
{
	if (!is_worse(t, sum, late, send, recv))
		return;
	sum->worst_violation = late;
	sum->send = send;
	sum->recv = recv;
}

/* Returns how late it is. */
static int64_t add_pair(struct check_sum *sum, const struct trace *t, enum logical_class cls,
			uint32_t send, uint32_t recv, const struct lmin *lmin)
{
	const int64_t early = at(t, send) - at(t, recv);
	const int64_t late = early + lmin_between(lmin, trace_event_location(t, send),
						  trace_event_location(t, recv), cls);

	sum->messages++;
	if (early > 0) {
		sum->reversed++;
		sum->sum += early;
		if (early > sum->worst)
			sum->worst = early;
	}
	sum->violating += late > 0;
	return late;
}

/* A receive of a group blames the sender that is latest, of equally late ones the lowest rank. Each
 * neighbour counts. */
static void add_receive(struct check_sum *sum, const struct trace *t, const struct group *g,
			uint32_t to, const struct lmin *lmin)
{
	const uint32_t recv = g->parties[to].end;
	uint32_t blamed = UINT32_MAX;
	int64_t most = 0;

	for (uint32_t from = 0; from < g->n; from++) {
		const uint32_t send = g->parties[from].begin;
		int64_t late;
		if (!group_sends_to(g, from, to))
			continue;
		late = add_pair(sum, t, g->cls, send, recv, lmin);
		if (g->cls == LOGICAL_NEIGHBOURS)
			note_worst(sum, t, late, send, recv);
		if (late > most) {
			most = late;
			blamed = send;
		}
	}
	if (blamed != UINT32_MAX)
		note_worst(sum, t, most, blamed, recv);
}

static void brute_force(struct truth *truth, const struct logical *logical, const struct lmin *lmin)
{
	const struct trace *t = logical_trace(logical);
	struct check_sum *p2p = &truth->by_class[LOGICAL_P2P];
	ENDED_BY(group_fini) struct group g = { 0 };

	for (uint32_t row = 0; row < trace_message_count(t); row++) {
		const struct message *m = trace_message(t, row);
		if (logical_message(logical, row))
			note_worst(p2p, t, add_pair(p2p, t, LOGICAL_P2P, m->send, m->recv, lmin),
				   m->send, m->recv);
	}
	for (uint32_t id = 0; id < logical_group_count(logical); id++) {
		if (!logical_group(logical, id, &g))
			continue;
		for (uint32_t to = 0; to < g.n; to++)
			if (g.parties[to].receives)
				add_receive(&truth->by_class[g.cls], t, &g, to, lmin);
	}
}

static void assert_sum(const struct check_sum *is, const struct check_sum *expected)
{
	assert_int_equal(is->messages, expected->messages);
	assert_int_equal(is->reversed, expected->reversed);
	assert_int_equal(is->violating, expected->violating);
	assert_int_equal(is->worst, expected->worst);
	assert_int_equal(is->worst_violation, expected->worst_violation);
	assert_true(is->sum == expected->sum);
	assert_int_equal(is->send, expected->send);
	assert_int_equal(is->recv, expected->recv);
}

/* The pairs: of messages exact, of groups a blamed sender for each late receive. */
static void assert_pairs(const struct check *check)
{
	uint64_t p2p = 0, worst = 0;

	for (size_t i = 0; i < check->n_pairs; i++) {
		const struct check_pair *pair = &check->pairs[i];
		assert_true(pair->sum.violating > 0);
		assert_true(pair->sum.messages >= pair->sum.violating);
		assert_true(pair->from != pair->to);
		p2p += pair->sum.violating;
		if (pair->sum.worst_violation > (int64_t)worst)
			worst = (uint64_t)pair->sum.worst_violation;
		if (i)
			assert_true(check->pairs[i - 1].sum.worst_violation >=
				    pair->sum.worst_violation);
	}
	assert_true(p2p >= check->by_class[LOGICAL_P2P].violating);
	assert_true(p2p <= check->all.violating);
	assert_int_equal(worst, check->all.worst_violation);
}

/* Adds the violations that were found to `reached`, which may be NULL. */
static void compare(const struct trace *t, struct lmin lmin, uint64_t *reached)
{
	struct err err = ERR_INIT;
	FREED_BY(logical_free) struct logical *logical = logical_new(t, NULL, &err);
	struct truth truth;
	ENDED_BY(check_fini) struct check check;
	uint64_t violating = 0;

	for (int cls = 0; cls < LOGICAL_CLASSES; cls++)
		truth.by_class[cls] = check_sum_nothing;
	lmin.trace = t;
	brute_force(&truth, logical, &lmin);
	assert_true(check_make(&check, logical, BASE_MEASURED, &lmin, NULL));
	for (int cls = 0; cls < LOGICAL_CLASSES; cls++) {
		assert_sum(&check.by_class[cls], &truth.by_class[cls]);
		violating += truth.by_class[cls].violating;
	}
	assert_int_equal(check.all.violating, violating);
	assert_pairs(&check);
	for (int cls = 0; cls < LOGICAL_CLASSES; cls++) {
		const struct check_sum *sum = &check.by_class[cls];
		if (reached && sum->violating)
			reached[cls] += sum->violating;
	}
}

/* ---- collectives on nodes, with clocks that are wrong by up to `wrong` ---- */

static const char *const operations[] = { "MPI_Barrier",   "MPI_Bcast", "MPI_Reduce",
					  "MPI_Allreduce", "MPI_Scan",  "MPI_Neighbor_allgather" };

static void make_ring(struct builder *b, uint32_t n)
{
	const int32_t size = (int32_t)n;
	const uint8_t periodic = 1;
	int32_t coords[16];
	const struct topology ring = {
		.dims = 1, .size = &size, .periodic = &periodic, .coords = coords
	};

	for (int32_t i = 0; i < size; i++)
		coords[i] = i;
	builder_world(b, coords, n);
	builder_topology(b, &ring, n);
}

static struct trace *make(uint64_t seed, int64_t wrong)
{
	struct rng r = { seed };
	struct err err = ERR_INIT;
	struct builder *b = builder_new("random.trc", &units_nanoseconds, &err);
	const uint32_t n = 2 + rng_below(&r, 12);
	uint32_t nodes[4] = { 0 };
	int64_t now[16];

	for (uint32_t i = 1; i < 4; i++)
		nodes[i] = builder_string(b, (const char[]){ (char)('a' + i), 0 }, 1);
	for (uint32_t l = 0; l < n; l++) {
		builder_location(b, &(struct location){ .rank = (int32_t)l,
							.process = -1,
							.node = nodes[rng_below(&r, 4)] });
		now[l] = (int64_t)rng_below(&r, (uint32_t)wrong);
	}
	make_ring(b, n);
	for (int i = 0; i < 12; i++) {
		const uint32_t region =
			builder_region(b, operations[rng_below(&r, 6)], CLASS_COLLECTIVE, 5);
		const int32_t root = (int32_t)rng_below(&r, n);
		for (uint32_t l = 0; l < n; l++) {
			const uint64_t sent = rng_below(&r, 4), received = rng_below(&r, 4);
			now[l] += (int64_t)rng_below(&r, 40);
			builder_collective_begin(b, l, now[l], 0, region, root, sent, received);
			now[l] += (int64_t)rng_below(&r, 60);
			builder_collective_end(b, l, now[l], sent, received);
		}
		for (uint32_t l = 0; l < n; l++) {
			struct message_end end = { .rank = (int32_t)((l + 1) % n),
						   .process = -1,
						   .tag = i };
			builder_send(b, l, now[l], &end);
			end.rank = (int32_t)((l + n - 1) % n);
			now[l] += (int64_t)rng_below(&r, 40);
			builder_recv(b, l, now[l], &end);
		}
	}
	return builder_finish(b, NULL, NULL, &err);
}

TEST(test_brute_force)
{
	uint64_t reached[LOGICAL_CLASSES] = { 0 };

	for (uint64_t seed = 1; seed <= 400; seed++) {
		OWNED_TRACE *t = make(seed, seed % 3 ? 100 : 10000);
		assert_non_null(t);
		compare(t, (struct lmin){ .inter = 30, .intra = 5, .omp = 1 }, reached);
		compare(t, (struct lmin){ .inter = 5, .intra = 30, .omp = 1 }, reached);
		compare(t, (struct lmin){ .inter = 0, .intra = 0, .omp = 0 }, reached);
	}
	/* Of every class that is made there were violations to count. */
	for (int cls = LOGICAL_P2P; cls <= LOGICAL_NEIGHBOURS; cls++)
		assert_true(reached[cls] > 1000);
}

TEST(test_random_traces)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		OWNED_TRACE *t = random_trace(seed, 300, 1000000000);
		compare(t, (struct lmin){ .inter = 1000, .intra = 100, .omp = 10 }, NULL);
	}
}

/* A message of 10 ns against a least latency of 15 violates, but is not reversed. */
TEST(test_by_hand)
{
	struct err err = ERR_INIT;
	OWNED_TRACE *t = notation_trace("rank 0: ->1 @100 ->1 @200 ->1 @300\n"
					"rank 1: <-0 @110 <-0 @190 <-0 @315");
	struct lmin lmin = { .inter = 15, .intra = 15, .trace = t };
	FREED_BY(logical_free) struct logical *logical;
	ENDED_BY(check_fini) struct check check;

	logical = logical_new(t, NULL, &err);
	assert_true(check_make(&check, logical, BASE_MEASURED, &lmin, NULL));
	assert_int_equal(check.all.messages, 3);
	assert_int_equal(check.all.reversed, 1);
	assert_int_equal(check.all.violating, 2);
	assert_int_equal(check.all.worst, 10);
	assert_int_equal(check.all.worst_violation, 25);
	assert_true(check.all.sum == 10);
	assert_int_equal(check.n_pairs, 1);
	assert_int_equal(check.pairs[0].from, 0);
	assert_int_equal(check.pairs[0].to, 1);
	assert_int_equal(check.pairs[0].sum.messages, 3);
	assert_int_equal(check.pairs[0].sum.violating, 2);
	assert_int_equal(at(t, check.pairs[0].sum.send), 200);
	assert_int_equal(at(t, check.pairs[0].sum.recv), 190);
}
