/* The picture of a trace that is being read, against sums of what was fed. */
#include "harness/built.h"
#include "harness/test.h"
#include "model/formats/preview.h"

#include <stdlib.h>
#include <string.h>

#include "harness/random.h"

FREES(preview_free, struct preview)
FREES(builder_abandon, struct builder)

/* What a location did, kept twice: in the builder, and as ticks of each class per time. */
enum { SPAN = 1 << 14, LOCATIONS = 5 };

struct plain {
	uint8_t cls[LOCATIONS][SPAN];
	int64_t end[LOCATIONS];
};

/* Looks, as the reader's thread does when it was asked. */
static void look(struct preview *p, const struct builder *b)
{
	preview_ask(p);
	preview_look(p, b);
}

static void check(struct preview *p, const struct plain *plain)
{
	struct preview_state state;

	preview_state(p, &state);
	assert_int_equal(state.rows, LOCATIONS);
	for (uint32_t l = 0; l < LOCATIONS; l++) {
		/* Parts of whole bins of 64 ticks: no share of a bin is guessed. */
		enum { PARTS = 32 };
		double sums[PARTS][CLASS_COUNT];
		preview_sweep(p, l, 0, SPAN, PARTS, sums);
		for (int i = 0; i < PARTS; i++) {
			uint64_t want[CLASS_COUNT] = { 0 };
			for (int64_t t = i * (SPAN / PARTS); t < (i + 1) * (SPAN / PARTS); t++)
				if (t < plain->end[l])
					want[plain->cls[l][t]]++;
			for (int c = 0; c < CLASS_COUNT; c++)
				assert_int_equal((uint64_t)(sums[i][c] + 0.5), want[c]);
		}
		assert_int_equal(preview_reached(p, l), plain->end[l] ? plain->end[l] : INT64_MIN);
	}
}

/* Random nests of classes on locations in turn, looked at again and again: what is seen is always
 * exactly what was fed up to the last event of each location. */
TEST(sums_are_those_of_the_events)
{
	OWNED struct plain *plain = calloc(1, sizeof *plain);
	FREED_BY(preview_free) struct preview *p = preview_new();
	FREED_BY(builder_abandon) struct builder *b = built_begin(0);
	uint32_t site[CLASS_OUTSIDE], stack[LOCATIONS][8];
	unsigned depth[LOCATIONS] = { 0 };
	struct rng r = { 7 };

	for (unsigned c = 0; c < CLASS_OUTSIDE; c++)
		site[c] = built_site(b, region_class_name((enum region_class)c),
				     (enum region_class)c, 17);
	for (int l = 0; l < LOCATIONS; l++) {
		built_rank(b, l, 0);
		builder_enter(b, (uint32_t)l, 0, site[CLASS_USER]);
		stack[l][0] = CLASS_USER;
		depth[l] = 1;
	}
	for (int i = 0; i < 12000; i++) {
		const unsigned l = rng_below(&r, LOCATIONS);
		const int64_t t = plain->end[l] + rng_below(&r, 12);
		if (t >= SPAN)
			continue;
		memset(&plain->cls[l][plain->end[l]], (int)stack[l][depth[l] - 1],
		       (size_t)(t - plain->end[l]));
		plain->end[l] = t;
		if (depth[l] < 8 && (depth[l] == 1 || rng_below(&r, 2))) {
			stack[l][depth[l]] = rng_below(&r, CLASS_OUTSIDE);
			builder_enter(b, l, t, site[stack[l][depth[l]++]]);
		} else {
			builder_leave(b, l, t, site[stack[l][--depth[l]]]);
		}
		if (i % 1500 == 1499) {
			look(p, b);
			for (unsigned k = 0; k < LOCATIONS; k++)
				assert_true(plain->end[k] > 0);
			check(p, plain);
		}
	}
}

/* More locations than rows: rows stand for 2, 4, ... of them, and nothing is lost. */
TEST(rows_stand_for_many)
{
	enum { MANY = 1000 };
	FREED_BY(preview_free) struct preview *p = preview_new();
	FREED_BY(builder_abandon) struct builder *b = built_begin(0);
	const uint32_t site = built_site(b, "io", CLASS_IO, 17);
	struct preview_state seen;
	double all = 0;
	char name[64];

	for (int l = 0; l < MANY; l++) {
		built_rank(b, l, 0);
		builder_enter(b, (uint32_t)l, 100, site);
		builder_leave(b, (uint32_t)l, 100 + l, site);
		if (l % 100 == 99)
			look(p, b);
	}
	preview_state(p, &seen);
	assert_int_equal(seen.locations, MANY);
	assert_int_equal(seen.per_row, 4);
	assert_int_equal(seen.rows, 250);
	assert_int_equal(seen.events, 2 * MANY);
	for (uint32_t row = 0; row < seen.rows; row++) {
		double sums[1][CLASS_COUNT];
		preview_sweep(p, row, 0, 2048, 1, sums);
		all += sums[0][CLASS_IO];
	}
	assert_int_equal((uint64_t)(all + 0.5), (uint64_t)MANY * (MANY - 1) / 2);
	preview_name(p, 1, name, sizeof name);
	assert_string_equal(name, "rank 4 to rank 7");
}

/* Times before the first and far behind it, and one that cannot be true. */
TEST(time_grows_both_ways)
{
	FREED_BY(preview_free) struct preview *p = preview_new();
	FREED_BY(builder_abandon) struct builder *b = built_begin(3);
	const uint32_t site = built_site(b, "f", CLASS_P2P, 17);
	double sums[1][CLASS_COUNT];
	struct preview_state seen;

	builder_enter(b, 0, 1000, site);
	builder_leave(b, 0, 1500, site);
	look(p, b);
	builder_enter(b, 1, -5000, site);
	builder_leave(b, 1, 700000, site);
	builder_enter(b, 2, 300, site);
	builder_leave(b, 2, 200, site); /* backwards: no time */
	look(p, b);
	preview_state(p, &seen);
	assert_int_equal(seen.begin, -5000);
	assert_int_equal(seen.end, 700001);
	preview_sweep(p, 0, -1000000, 1000000, 1, sums);
	assert_int_equal((uint64_t)(sums[0][CLASS_P2P] + 0.5), 500);
	preview_sweep(p, 1, -1000000, 1000000, 1, sums);
	assert_int_equal((uint64_t)(sums[0][CLASS_P2P] + 0.5), 705000);
	builder_enter(b, 2, INT64_MAX, site);
	look(p, b);
	preview_sweep(p, 0, INT64_MIN / 4, INT64_MAX / 4, 1, sums);
	assert_int_equal((uint64_t)(sums[0][CLASS_P2P] + 0.5), 500);
}

/* What two children feed is seen through each of them. */
TEST(children_show_what_they_feed)
{
	FREED_BY(preview_free) struct preview *p = preview_new();
	FREED_BY(builder_abandon) struct builder *b = built_begin(4);
	const uint32_t site = built_site(b, "f", CLASS_SYNC, 17);
	struct builder *children[2];
	struct preview_state seen;
	double sums[1][CLASS_COUNT];

	for (int i = 0; i < 2; i++)
		assert_non_null(children[i] = builder_fork(b));
	preview_ask(p);
	for (uint32_t l = 0; l < 4; l++) {
		builder_enter(children[l % 2], l, 0, site);
		builder_leave(children[l % 2], l, 1000 + l, site);
	}
	preview_look(p, children[0]);
	preview_state(p, &seen);
	assert_int_equal(seen.events, 4);
	assert_int_equal(preview_reached(p, 1), INT64_MIN);
	preview_look(p, children[1]);
	preview_look(p, children[1]);
	preview_state(p, &seen);
	assert_int_equal(seen.events, 8);
	for (uint32_t l = 0; l < 4; l++) {
		preview_sweep(p, l, 0, 2000, 1, sums);
		assert_int_equal((uint64_t)(sums[0][CLASS_SYNC] + 0.5), 1000 + l);
	}
	assert_true(builder_join(b, children, 2));
}

/* Who does not ask costs nothing and learns nothing. */
TEST(nobody_asks)
{
	FREED_BY(preview_free) struct preview *p = preview_new();
	FREED_BY(builder_abandon) struct builder *b = built_begin(1);
	struct preview_state seen;

	builder_mark(b, 0, 5, built_site(b, "m", CLASS_USER, 17));
	preview_look(p, b);
	preview_state(p, &seen);
	assert_false(seen.any);
	look(p, b);
	preview_look(p, b);
	preview_state(p, &seen);
	assert_true(seen.any);
	assert_int_equal(seen.pictures, 1);
	preview_reset(p);
	preview_state(p, &seen);
	assert_false(seen.any);
}
