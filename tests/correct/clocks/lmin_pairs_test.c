/* Pairs of locations that are kept: the same in any order of their messages. */
#include "correct/clocks/lmin_pairs.h"

#include <stdlib.h>

#include "base/order.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/test.h"

enum { LOCATIONS = 40, MOST = 100, EACH = 3 };

struct flight {
	uint32_t from, to;
	int64_t took;
};

ORDERING(by_place, struct location_pair, low, high)

/* Every location sends EACH messages to every other one: 780 pairs, six messages each. */
static size_t make(struct flight *list)
{
	size_t n = 0;

	for (uint32_t from = 0; from < LOCATIONS; from++)
		for (uint32_t to = 0; to < LOCATIONS; to++)
			for (uint32_t i = 0; i < EACH && from != to; i++)
				list[n++] = (struct flight){ from, to, 1000 * from + 10 * to + i };
	return n;
}

static void shuffle(struct flight *list, size_t n, uint64_t seed)
{
	struct rng r = { seed };

	for (size_t i = n; i > 1; i--) {
		const size_t j = rng_below(&r, (uint32_t)i);
		const struct flight moved = list[j];
		list[j] = list[i - 1];
		list[i - 1] = moved;
	}
}

static void see(struct location_pairs *pairs, const struct flight *list, size_t n, size_t most)
{
	location_pairs_init(pairs, most);
	for (size_t i = 0; i < n; i++)
		location_pairs_see(pairs, list[i].from, list[i].to, list[i].took);
	vec_sort(&pairs->list, by_place);
}

TEST(test_any_order)
{
	struct flight *list = test_calloc(LOCATIONS * LOCATIONS * EACH, sizeof *list);
	const size_t n = make(list);
	struct location_pairs first, other;

	see(&first, list, n, MOST);
	/* Half of them at a time goes: more than a quarter of the room is in use. */
	assert_in_range(first.list.n, MOST / 4, MOST);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		shuffle(list, n, seed);
		see(&other, list, n, MOST);
		assert_int_equal(other.list.n, first.list.n);
		assert_memory_equal(other.list.data, first.list.data,
				    first.list.n * sizeof *first.list.data);
		location_pairs_fini(&other);
	}
	for (size_t i = 0; i < first.list.n; i++) {
		const struct location_pair *pair = &first.list.data[i];
		assert_int_equal(pair->n[0], EACH);
		assert_int_equal(pair->n[1], EACH);
		assert_int_equal(pair->fastest[0], 1000 * pair->low + 10 * pair->high);
		assert_int_equal(pair->fastest[1], 1000 * pair->high + 10 * pair->low);
	}
	location_pairs_fini(&first);
	test_free(list);
}

TEST(test_all_fit)
{
	struct flight *list = test_calloc(LOCATIONS * LOCATIONS * EACH, sizeof *list);
	const size_t n = make(list);
	struct location_pairs pairs;

	see(&pairs, list, n, LOCATIONS * (LOCATIONS - 1) / 2);
	assert_int_equal(pairs.list.n, LOCATIONS * (LOCATIONS - 1) / 2);
	location_pairs_fini(&pairs);
	test_free(list);
}

/* Each of several processes has the messages of some senders. */
struct pairs_sharing {
	const struct flight *list;
	size_t n;
	struct location_pairs pairs[LOCATIONS];
};

static void share(struct exchange *x, void *context)
{
	struct pairs_sharing *s = context;
	struct location_pairs *pairs = &s->pairs[x->process];

	location_pairs_init(pairs, MOST);
	for (size_t i = 0; i < s->n; i++) /* the first process has few */
		if ((s->list[i].from < 3 ? 0 : 1 + s->list[i].from % (x->processes - 1)) ==
		    x->process)
			location_pairs_see(pairs, s->list[i].from, s->list[i].to, s->list[i].took);
	location_pairs_share(pairs, x);
	vec_sort(&pairs->list, by_place);
}

TEST(test_shares)
{
	struct flight *list = test_calloc(LOCATIONS * LOCATIONS * EACH, sizeof *list);
	struct pairs_sharing s = { .list = list, .n = make(list) };
	struct location_pairs whole;

	see(&whole, list, s.n, MOST);
	for (uint32_t n = 2; n <= 8; n += 3) {
		processes_run(n, share, &s);
		for (uint32_t p = 0; p < n; p++) {
			assert_int_equal(s.pairs[p].list.n, whole.list.n);
			assert_memory_equal(s.pairs[p].list.data, whole.list.data,
					    whole.list.n * sizeof *whole.list.data);
			location_pairs_fini(&s.pairs[p]);
		}
	}
	location_pairs_fini(&whole);
	test_free(list);
}
