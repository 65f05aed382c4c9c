/* Cells drawn as shares: the steps that a state gets are its share of the cell's time. */
#include <string.h>

#include "harness/random.h"
#include "harness/test.h"
#include "ui/timeline/drawing/timeline_parts_draw.h"

enum { STEPS = 8, MOST_LINES = 3 };

static struct rng rng = { 88172645463325252u };

/* Roles of a column's steps from below, as the blocks in it show them. */
static void steps_of(const struct canvas *canvas, enum role steps[MOST_LINES * STEPS])
{
	for (int y = 0; y < canvas->h; y++) {
		const struct cell *c = &canvas->cells[y];
		const unsigned low = c->ch == ' ' || c->ch == 0xb7 ? 0 : c->ch - 0x2580;

		assert_in_range(low, 0, STEPS);
		for (unsigned i = 0; i < STEPS; i++)
			steps[(unsigned)(canvas->h - 1 - y) * STEPS + i] =
				(enum role)(i < low ? c->fg : c->bg);
	}
}

static int count_of(const enum role *steps, int n, unsigned state)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		count += steps[i] == timeline_state_role(state, 0);
	return count;
}

/* Draws a mix, whose states are waiting or classes that are recorded; number of steps. */
static int draw_mix(const struct timeline_mix *mix, int lines, enum role steps[MOST_LINES * STEPS])
{
	struct canvas canvas;

	canvas_init(&canvas, 1, lines, false);
	timeline_stack_put(&canvas, (struct rect){ 0, 0, 1, lines }, mix, 0);
	steps_of(&canvas, steps);
	canvas_fini(&canvas);
	return lines * STEPS;
}

/* User code 5, point-to-point 2, waiting for a sender 1 of 8: a step each, in this order. */
TEST(shares_are_steps_from_below)
{
	struct timeline_mix mix = { .all = 0 };
	enum role steps[MOST_LINES * STEPS];

	timeline_mix_put(&mix, STATE_WAIT, 300);
	timeline_mix_put(&mix, CLASS_P2P, 600);
	timeline_mix_put(&mix, CLASS_USER, 1500);
	assert_int_equal(draw_mix(&mix, 3, steps), 24);
	for (int i = 0; i < 24; i++)
		assert_int_equal(steps[i], i < 15   ? ROLE_CLASS_FIRST + CLASS_USER
					   : i < 21 ? ROLE_CLASS_FIRST + CLASS_P2P
						    : ROLE_WAIT);
}

/* Two states, or one and a time that was not recorded, are exact to the nearest step. */
TEST(two_states_have_their_shares)
{
	for (int round = 0; round < 3000; round++) {
		const int lines = 1 + (int)rng_below(&rng, MOST_LINES);
		const unsigned a = rng_below(&rng, CLASS_OUTSIDE);
		const unsigned b = round % 3 ? rng_below(&rng, CLASS_OUTSIDE) : CLASS_OUTSIDE;
		struct timeline_mix mix = { .all = 0 };
		enum role steps[MOST_LINES * STEPS];
		int n;

		timeline_mix_put(&mix, a, 1 + rng_below(&rng, 1000000));
		timeline_mix_put(&mix, b, rng_below(&rng, 1000000));
		if (a == b)
			continue;
		n = draw_mix(&mix, lines, steps);
		assert_true(2 * (uint64_t)count_of(steps, n, a) * mix.all + mix.all + 1 >=
			    2 * (uint64_t)n * mix.of[a]);
		assert_true(2 * (uint64_t)count_of(steps, n, a) * mix.all <=
			    2 * (uint64_t)n * mix.of[a] + mix.all + 1);
		assert_int_equal(count_of(steps, n, a) + count_of(steps, n, b), n);
	}
}

/* Of many states a line shows two: what has all of a line is there, and states are in order. */
TEST(many_states_are_in_order)
{
	for (int round = 0; round < 3000; round++) {
		struct timeline_mix mix = { .all = 0 };
		enum role steps[MOST_LINES * STEPS];
		unsigned below = 0;
		int n;

		for (int i = 0; i < 6; i++)
			timeline_mix_put(&mix, rng_below(&rng, CLASS_OUTSIDE),
					 rng_below(&rng, 1000));
		if (mix.all == 0)
			continue;
		n = draw_mix(&mix, MOST_LINES, steps);
		for (int i = 0; i < n; i++) {
			assert_in_range(steps[i], ROLE_CLASS_FIRST + below,
					ROLE_CLASS_FIRST + CLASS_OUTSIDE - 1);
			below = steps[i] - ROLE_CLASS_FIRST;
		}
		for (unsigned s = 0; s < CLASS_OUTSIDE; s++)
			if (mix.of[s] * MOST_LINES >= 2 * mix.all)
				assert_true(count_of(steps, n, s) >= STEPS);
	}
}
