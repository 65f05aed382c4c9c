/* Times and columns: tiling, rulers, zooming. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/timeline/picture/timeline_scale.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* 10 ticks in 4 columns: edges at 0, 2.5, 5, 7.5, 10, each the first tick at or behind it. */
TEST(edges_are_the_first_ticks_behind_equal_parts)
{
	const struct time_scale s = { 100, 110, 4 };

	assert_int_equal(time_scale_edge(&s, 0), 100);
	assert_int_equal(time_scale_edge(&s, 1), 103);
	assert_int_equal(time_scale_edge(&s, 2), 105);
	assert_int_equal(time_scale_edge(&s, 3), 108);
	assert_int_equal(time_scale_edge(&s, 4), 110);
	assert_int_equal(time_scale_column(&s, 102), 0);
	assert_int_equal(time_scale_column(&s, 103), 1);
	assert_int_equal(time_scale_column(&s, 107), 2);
	assert_int_equal(time_scale_column(&s, 109), 3);
	assert_int_equal(time_scale_column(&s, 110), 4);
	assert_int_equal(time_scale_column(&s, 99), -1);
}

/* Three ticks in six columns: every column shows the tick around it. */
TEST(columns_without_a_tick_show_the_one_around_them)
{
	const struct time_scale s = { -1, 2, 6 };
	const int64_t shown[] = { -1, -1, 0, 0, 1, 1 };

	for (int i = 0; i < 6; i++)
		assert_int_equal(time_scale_tick(&s, i), shown[i]);
}

TEST(every_tick_falls_in_exactly_one_column)
{
	for (int round = 0; round < 2000; round++) {
		const int64_t t0 = (int64_t)(random_next() % 2000) - 1000;
		const int64_t t1 = t0 + 1 + (int64_t)(random_next() % 500);
		const struct time_scale s = { t0, t1, 1 + (int)(random_next() % 300) };
		int64_t t = t0;

		assert_int_equal(time_scale_edge(&s, 0), t0);
		assert_int_equal(time_scale_edge(&s, s.n), t1);
		for (int i = 0; i < s.n; i++) {
			assert_true(time_scale_edge(&s, i) <= time_scale_edge(&s, i + 1));
			for (; t < time_scale_edge(&s, i + 1); t++)
				assert_int_equal(time_scale_column(&s, t), i);
		}
		assert_int_equal(t, t1);
	}
}

TEST(the_whole_range_of_64_bits_is_a_window)
{
	const struct time_scale s = { INT64_MIN, INT64_MAX, 200 };

	assert_int_equal(time_scale_edge(&s, 0), INT64_MIN);
	assert_int_equal(time_scale_edge(&s, 200), INT64_MAX);
	assert_int_equal(time_scale_column(&s, -1), 99);
	assert_int_equal(time_scale_column(&s, INT64_MAX - 1), 199);
}

TEST(ruler_has_round_numbers_in_a_readable_unit)
{
	/* 412 ms to 418 ms in 90 columns: a millisecond is 15 columns, half of one is 7: too few
	 * for "412.5 ms" and the space between. */
	const struct time_scale s = { 412000000, 418000000, 90 };
	struct ruler r;

	ruler_make(&r, &s, &units_nanoseconds);
	assert_int_equal(r.n, 6);
	for (int i = 0; i < r.n; i++)
		assert_int_equal(r.ticks[i].column, 15 * i);
	assert_string_equal(r.ticks[0].label, "412 ms");
	assert_string_equal(r.ticks[5].label, "417 ms");
}

TEST(ruler_follows_fractions_and_negative_times)
{
	const struct time_scale s = { -1000, 1000, 40 };
	struct ruler r;

	/* -1 us to 1 us, 20 columns to the microsecond: 10 columns for half of one. */
	ruler_make(&r, &s, &units_nanoseconds);
	assert_int_equal(r.n, 4);
	assert_string_equal(r.ticks[0].label, "-1.0 us");
	assert_string_equal(r.ticks[1].label, "-0.5 us");
	assert_string_equal(r.ticks[2].label, "0.0 us");
	assert_int_equal(r.ticks[2].column, 20);
}

/* Ticks in thirds of a nanosecond: the label is the round time, its column that of the tick behind
 * it. */
TEST(ruler_labels_are_exact_where_ticks_are_not_decimal)
{
	const struct timescale odd = { 3000000000, 9 };
	const struct time_scale s = { 0, 300, 60 }; /* 100 ns */
	struct ruler r;

	ruler_make(&r, &s, &odd);
	assert_string_equal(r.ticks[0].label, "0 ns");
	assert_string_equal(r.ticks[1].label, "20 ns");
	assert_int_equal(r.ticks[1].column, 12);
}

TEST(no_ruler_label_is_cut_or_touches_the_next)
{
	for (int round = 0; round < 3000; round++) {
		const int64_t t0 = (int64_t)(random_next() >> (2 + random_next() % 60)) -
				   (int64_t)(random_next() >> (3 + random_next() % 60));
		const int64_t span = 1 + (int64_t)(random_next() >> (2 + random_next() % 60));
		const struct time_scale s = { t0, t0 + span, 1 + (int)(random_next() % 300) };
		struct ruler r;
		int end = -1;

		ruler_make(&r, &s, &units_nanoseconds);
		for (int i = 0; i < r.n; i++) {
			assert_int_equal(r.ticks[i].width, strlen(r.ticks[i].label));
			assert_true(r.ticks[i].column > end);
			end = r.ticks[i].column + r.ticks[i].width;
			assert_true(end < s.n);
		}
	}
}

TEST(zoom_keeps_the_place_of_the_cursor)
{
	const struct span w = { 1000, 3000 };
	const struct span in = zoom_in(w, 1500);

	assert_int_equal(in.t0, 1250);
	assert_int_equal(in.t1, 2250);
}

TEST(widening_stays_inside_the_run)
{
	const struct span run = { 0, 1000 };
	struct span w = zoom_out((struct span){ 10, 110 }, 20, run, NULL);

	assert_int_equal(w.t0, 0);
	assert_int_equal(w.t1, 200);
	w = zoom_out((struct span){ 0, 800 }, 400, run, NULL);
	assert_int_equal(w.t0, 0);
	assert_int_equal(w.t1, 1000);
}

TEST(zooming_in_and_out_again_returns)
{
	for (int round = 0; round < 20000; round++) {
		const int64_t t0 = (int64_t)(random_next() % 100000) - 50000;
		const struct span run = { t0, t0 + 8 + (int64_t)(random_next() % 100000) };
		const int64_t at = run.t0 + (int64_t)(random_next() % (uint64_t)(run.t1 - run.t0));
		struct span w[8];
		int depth = 0;

		w[0] = run;
		while (depth < 7 && w[depth].t1 - w[depth].t0 > 2 * ZOOM_MIN_TICKS) {
			w[depth + 1] = zoom_in(w[depth], at);
			depth++;
			assert_true(w[depth].t0 <= at && at < w[depth].t1);
			assert_true(w[depth].t0 >= w[depth - 1].t0);
			assert_true(w[depth].t1 <= w[depth - 1].t1);
		}
		for (; depth > 0; depth--) {
			const struct span out = zoom_out(w[depth], at, run, &w[depth - 1]);

			assert_int_equal(out.t0, w[depth - 1].t0);
			assert_int_equal(out.t1, w[depth - 1].t1);
		}
	}
}

TEST(the_narrowest_window_stays)
{
	const struct span w = { 10, 14 };
	const struct span in = zoom_in(w, 12);

	assert_int_equal(in.t1 - in.t0, ZOOM_MIN_TICKS);
}

/* ---- iterations ---- */

/* 40 iterations of 10 ticks, 2 columns each: a label of two digits needs 5, so every 5th has one,
 * and the first. */
TEST(iterations_are_counted)
{
	const struct time_scale s = { 0, 400, 80 };
	int64_t begin[41];
	struct ruler r;

	for (int k = 0; k <= 40; k++)
		begin[k] = 10 * k;
	ruler_make_iterations(&r, &s, begin, 40);
	assert_int_equal(r.n, 9);
	assert_string_equal(r.ticks[0].label, "1");
	assert_int_equal(r.ticks[0].column, 0);
	for (int i = 1; i < 9; i++) {
		/* "40" would be cut. */
		assert_int_equal(atoi(r.ticks[i].label), i < 8 ? 5 * i : 0);
		assert_int_equal(r.ticks[i].column, 2 * (5 * i - 1));
	}
}

/* Inside of the third one, which began before. */
TEST(inside_an_iteration)
{
	const struct time_scale s = { 25, 29, 80 };
	const int64_t begin[] = { 0, 10, 20, 30, 40 };
	struct ruler r;

	ruler_make_iterations(&r, &s, begin, 4);
	assert_int_equal(r.n, 1);
	assert_string_equal(r.ticks[0].label, "in 3");
	assert_int_equal(r.ticks[0].column, -1);
}

/* Of any lengths and windows: each label is where its iteration begins, and labels do not touch. */
TEST(labels_of_any_iterations)
{
	enum { MOST = 3000 };
	OWNED int64_t *begin = xcalloc(MOST + 1, sizeof *begin);
	uint64_t seed = 4;

	for (int run = 0; run < 300; run++) {
		const uint32_t n = 1 + draw(&seed, MOST);
		struct time_scale s = { 0, 0, 10 + (int)draw(&seed, 200) };
		struct ruler r;
		int free_from = 0;
		begin[0] = draw(&seed, 1000);
		for (uint32_t k = 0; k < n; k++)
			begin[k + 1] = begin[k] + 1 + draw(&seed, k % 7 ? 20 : 500);
		s.t0 = draw(&seed, (uint32_t)begin[n] + 1);
		s.t1 = s.t0 + 1 + draw(&seed, (uint32_t)begin[n] + 500);
		ruler_make_iterations(&r, &s, begin, n);
		for (int i = 0; i < r.n; i++) {
			const struct ruler_tick *t = &r.ticks[i];
			const bool within = t->column < 0;
			const uint32_t number = (uint32_t)atoi(t->label + 3 * within);
			assert_true(t->column >= (i ? free_from : -1));
			assert_true(t->column + 1 + t->width <= s.n);
			free_from = t->column + 1 + t->width;
			if (within)
				assert_true(begin[number - 1] < s.t0 && s.t0 < begin[number]);
			else if (t->width)
				assert_int_equal(t->column,
						 time_scale_column(&s, begin[number - 1]));
		}
	}
}
