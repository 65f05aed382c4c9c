/* Pictures of random traces against brute force: cells, names, groups, and what is refined. */
#include <string.h>

#include "harness/random.h"
#include "harness/test.h"
#include "ui/timeline/picture/timeline_names.h"
#include "ui/timeline/timeline_aid.h"

static struct rng rng = { 2463534242u };

static struct trace *random_trace(int locations)
{
	struct shown m;

	shown_begin(&m, locations);
	for (int l = 0; l < locations; l++) {
		const int events = (int)rng_below(&rng, 300);
		int64_t t = (int64_t)rng_below(&rng, 50) - 25;
		int open[4], depth = 0;

		for (int i = 0; i < events; i++) {
			t += rng_below(&rng, 4) == 0 ? rng_below(&rng, 60) : rng_below(&rng, 3);
			if (depth < 4 && (depth == 0 || rng_below(&rng, 2))) {
				open[depth] = (int)rng_below(&rng, 5);
				shown_enter(&m, l, open[depth++], t);
			} else {
				shown_leave(&m, l, open[--depth], t);
			}
		}
		while (depth > 0)
			shown_leave(&m, l, open[--depth], ++t);
	}
	return shown_end(&m);
}

/* The state of one tick [t, t + 1), without any index. */
static unsigned state_of(const struct trace *trace, uint32_t location, int64_t t, unsigned level,
			 uint32_t *region)
{
	const struct location *l = trace_location(trace, location);
	uint32_t path;

	*region = NO_REGION;
	if (l->events == 0 || t < l->begin || t >= l->end)
		return CLASS_OUTSIDE;
	path = trace_path_at(trace, BASE_MEASURED, location, t);
	if (level) {
		if (trace_callpath(trace, path)->depth < level)
			return CLASS_OUTSIDE;
		while (trace_callpath(trace, path)->depth > level)
			path = trace_callpath(trace, path)->parent;
	}
	if (trace_callpath(trace, path)->depth == 0)
		return CLASS_USER;
	*region = trace_callpath_region(trace, path);
	return trace_region(trace, *region)->cls;
}

/* The ticks of a half, at least one. */
static struct span ticks_of(const struct time_scale *fine, int half)
{
	const int64_t t0 = time_scale_tick(fine, half), t1 = time_scale_edge(fine, half + 1);

	return (struct span){ t0, t1 > t0 ? t1 : t0 + 1 };
}

static void brute_add(const struct trace *trace, const struct timeline_lane *lane, struct span of,
		      uint64_t sums[STATE_COUNT])
{
	uint32_t region;

	for (int64_t t = of.t0; t < of.t1; t++)
		sums[state_of(trace, lane->location, t, lane->level, &region)]++;
}

static unsigned most_of(const uint64_t sums[STATE_COUNT])
{
	unsigned best = 0;

	for (unsigned s = 1; s < STATE_COUNT; s++)
		if (sums[s] > sums[best])
			best = s;
	return best;
}

/* A cell knows the sums of its ticks if it has two states in its halves, or others have an eighth
 * of it or more; else it is of one state. */
static void check_mix(const struct timeline_picture *p, const struct timeline_cell *c,
		      const uint64_t sums[STATE_COUNT])
{
	uint64_t hidden = 0, all = 0;

	for (unsigned s = 0; s < STATE_COUNT; s++) {
		all += sums[s];
		hidden += s != c->left && s != c->right && s != CLASS_OUTSIDE ? sums[s] : 0;
	}
	assert_int_equal(c->mixed, 8 * hidden >= all && hidden > 0);
	assert_int_equal(c->mix != NO_MIX, c->mixed || c->left != c->right);
	if (c->mix == NO_MIX)
		return;
	assert_memory_equal(p->mixes.data[c->mix].of, sums, STATE_COUNT * sizeof *sums);
	assert_int_equal(p->mixes.data[c->mix].all, all);
}

/* The block of 64 events that is under way at t. */
static uint32_t block_at(const struct trace *trace, uint32_t location, int64_t t)
{
	uint32_t events = 0;
	struct cursor c;

	for (bool on = cursor_first(&c, trace, BASE_MEASURED, location); on && cursor_time(&c) <= t;
	     on = cursor_next(&c))
		events++;
	return events ? (events - 1) / 64 : 0;
}

/* Has the location more blocks than columns? Then its cells are not parted. */
static bool is_dense(const struct trace *trace, const struct timeline_picture *p, uint32_t location)
{
	return block_at(trace, location, p->scale.t1) - block_at(trace, location, p->scale.t0) >
	       (uint32_t)p->scale.n;
}

/* Cells of a lane tile its time: where no half is shorter than a tick their sums are the window.
 * How many lanes are dense. */
static unsigned check_cells(const struct trace *trace, const struct timeline_picture *p)
{
	unsigned n_dense = 0;
	const struct time_scale fine = { p->scale.t0, p->scale.t1, 2 * p->scale.n };

	for (size_t i = 0; i < p->lanes.n; i++) {
		const struct timeline_lane *lane = &p->lanes.data[i];
		const struct timeline_cell *cells = p->cells + i * (size_t)p->options.width;
		const bool dense = is_dense(trace, p, lane->location);
		uint64_t row = 0;

		n_dense += dense;
		for (int x = 0; x < p->options.width; x++) {
			const struct span l = ticks_of(&fine, 2 * x),
					  r = ticks_of(&fine, 2 * x + 1);
			uint64_t left[STATE_COUNT] = { 0 }, right[STATE_COUNT] = { 0 },
				 both[STATE_COUNT];

			brute_add(trace, lane, l, left);
			brute_add(trace, lane, r, right);
			for (unsigned s = 0; s < STATE_COUNT; s++) {
				both[s] = left[s] + (l.t0 == r.t0 ? 0 : right[s]);
				row += both[s];
			}
			assert_int_equal(cells[x].left, most_of(dense ? both : left));
			assert_int_equal(cells[x].right, most_of(dense ? both : right));
			check_mix(p, &cells[x], both);
		}
		if (p->scale.t1 - p->scale.t0 >= fine.n)
			assert_int_equal(row, (uint64_t)(p->scale.t1 - p->scale.t0));
	}
	return n_dense;
}

/* A name stands in cells that all belong to its region, for 7/8 of their time at least, and touches
 * no other name. */
static void check_labels(const struct trace *trace, const struct timeline_picture *p)
{
	int end = 0;
	uint32_t lane = 0;

	for (size_t i = 0; i < p->labels.n; i++) {
		const struct timeline_label *label = &p->labels.data[i];
		int64_t mine = 0, all = 0;
		uint32_t region;

		if (label->lane != lane)
			end = 0;
		lane = label->lane;
		assert_true(label->x >= end);
		end = label->x + label->width;
		assert_true(end <= p->options.width);
		assert_int_equal(label->end, strlen(trace_region_name(trace, label->region)));
		assert_int_equal(label->width, label->end - label->skip);
		for (int64_t t = time_scale_edge(&p->scale, label->x);
		     t < time_scale_edge(&p->scale, end); t++, all++) {
			state_of(trace, p->lanes.data[lane].location, t, p->lanes.data[lane].level,
				 &region);
			mine += region == label->region;
		}
		assert_true(mine * 8 >= all * 7 - 8 * label->width);
	}
}

TEST(cells_are_those_of_brute_force)
{
	unsigned n_dense = 0;

	for (int round = 0; round < 60; round++) {
		OWNED_TRACE *trace = random_trace(1 + (int)rng_below(&rng, 4));
		ENDED_BY(drawn_fini) struct drawn d = drawn_new();
		struct query query = shown_whole(trace);
		int64_t begin, end;

		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (int view = 0; view < 6; view++) {
			const struct timeline_options options = {
				.width = 1 + (int)rng_below(&rng, 100),
				.height = 1 + (int)rng_below(&rng, 20),
				.depth = rng_below(&rng, 4),
			};
			drawn_make(&d, &query, &options);
			n_dense += check_cells(trace, &d.p);
			check_labels(trace, &d.p);
			query.t0 = begin - 20 + rng_below(&rng, (uint32_t)(end - begin) + 40);
			query.t1 = query.t0 + 1 + rng_below(&rng, (uint32_t)(end - begin) + 40);
		}
	}
	assert_true(n_dense > 0);
}

/* ---- by function ---- */

/* Ticks of each region where it is the innermost one, of all locations; the regions of a random
 * trace are five. */
static void brute_functions(const struct trace *trace, uint64_t of[8])
{
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);
		uint32_t region;

		for (int64_t t = location->begin; location->events && t < location->end; t++) {
			state_of(trace, l, t, 0, &region);
			if (region != NO_REGION)
				of[region]++;
		}
	}
}

static void check_functions(const struct trace *trace, const struct timeline_picture *p,
			    const struct colouring *c)
{
	const struct time_scale fine = { p->scale.t0, p->scale.t1, 2 * p->scale.n };

	for (size_t i = 0; i < p->lanes.n * (size_t)p->options.width; i++) {
		const struct timeline_lane *lane = &p->lanes.data[i / (size_t)p->options.width];
		const int x = (int)(i % (size_t)p->options.width);
		const struct span l = ticks_of(&fine, 2 * x), r = ticks_of(&fine, 2 * x + 1);
		uint64_t sums[STATE_COUNT] = { 0 }, rest = 0;

		for (int64_t t = l.t0; t < (r.t0 == l.t0 ? l.t1 : r.t1); t++) {
			uint32_t region;
			unsigned s = state_of(trace, lane->location, t, lane->level, &region);

			if (region != NO_REGION)
				for (s = STATE_FUNCTION; c->function[s - STATE_FUNCTION] != region;
				     s++)
					;
			else if (s != CLASS_OUTSIDE)
				s = STATE_OTHERS;
			if (c->hidden >> s & 1)
				s = STATE_FILTERED;
			sums[s]++;
		}
		if (p->cells[i].mix != NO_MIX) {
			assert_memory_equal(p->mixes.data[p->cells[i].mix].of, sums, sizeof sums);
			continue;
		}
		for (unsigned s = 0; s < STATE_COUNT; s++)
			rest += s == p->cells[i].whole || s == CLASS_OUTSIDE ? 0 : sums[s];
		assert_true(8 * rest < (uint64_t)(r.t1 - l.t0));
	}
}

TEST(functions_have_their_time_and_hidden_ones_are_left_out)
{
	for (int round = 0; round < 40; round++) {
		OWNED_TRACE *trace = random_trace(1 + (int)rng_below(&rng, 4));
		ENDED_BY(drawn_fini) struct drawn d = drawn_new();
		struct query query = shown_whole(trace);
		struct colouring c = { .by_function = true };
		uint64_t of[8] = { 0 };
		struct err err = ERR_INIT;
		int64_t begin, end;

		trace_span(trace, BASE_MEASURED, &begin, &end);
		assert_true(colouring_choose(&c, trace, BASE_MEASURED, NULL, &err));
		brute_functions(trace, of);
		for (unsigned i = 0; i < c.n; i++)
			assert_true(of[c.function[i]] > 0 &&
				    (i == 0 || of[c.function[i]] <= of[c.function[i - 1]]));
		query.colouring = &c;
		for (int view = 0; view < 4; view++) {
			const struct timeline_options options = {
				.width = 1 + (int)rng_below(&rng, 60),
				.height = 1 + (int)rng_below(&rng, 12),
				.depth = rng_below(&rng, 3),
			};
			c.hidden = rng_below(&rng, 2) << (STATE_FUNCTION + rng_below(&rng, 5));
			drawn_make(&d, &query, &options);
			check_functions(trace, &d.p, &c);
			query.t0 = begin - 20 + rng_below(&rng, (uint32_t)(end - begin) + 40);
			query.t1 = query.t0 + 61 + rng_below(&rng, 200);
		}
	}
}

/* A group's cells: the sums of its members' ticks, one by one; all cells of a row together are the
 * window, times the members. */
static void check_mixes(const struct trace *trace, const struct timeline_picture *p)
{
	for (uint32_t i = 0; i < p->visible; i++) {
		const struct timeline_mix *mix = timeline_mix_of(p, i);
		const uint32_t *members;
		uint64_t row = 0;
		uint32_t n, region;

		if (!mix)
			continue;
		members = timeline_row_members(p->rows, timeline_shown(p, i), &n);
		for (int x = 0; x < p->options.width; x++) {
			const int64_t t0 = time_scale_tick(&p->scale, x);
			const int64_t t1 = time_scale_edge(&p->scale, x + 1);
			uint64_t sums[STATE_COUNT] = { 0 };

			for (int64_t t = t0; t < (t1 > t0 ? t1 : t0 + 1); t++)
				for (uint32_t k = 0; k < n; k++)
					sums[state_of(trace, members[k], t, 0, &region)]++;
			assert_memory_equal(mix[x].of, sums, sizeof sums);
			row += t1 > time_scale_edge(&p->scale, x) ? mix[x].all : 0;
		}
		assert_int_equal(row, (uint64_t)(p->scale.t1 - p->scale.t0) * n);
	}
}

TEST(cells_of_groups_are_the_sums_of_their_members)
{
	for (int round = 0; round < 40; round++) {
		OWNED_TRACE *trace = random_trace(round % 10 ? 3 + (int)rng_below(&rng, 8) : 300);
		ENDED_BY(drawn_fini) struct drawn d = drawn_new();
		struct query query = shown_whole(trace);
		struct arrangement a = { .key = (enum group_key)(1 +
								 rng_below(&rng, GROUP_KEYS - 1)),
					 .fit = 1 + rng_below(&rng, 6) };
		int64_t begin, end;

		query.arrangement = &a;
		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (int view = 0; view < 4; view++) {
			const struct timeline_options options = {
				.width = 1 + (int)rng_below(&rng, 60),
				.height = 1 + (int)rng_below(&rng, 12),
				.depth = rng_below(&rng, 3),
				.ascii = rng_below(&rng, 2),
			};
			drawn_make(&d, &query, &options);
			check_mixes(trace, &d.p);
			query.t0 = begin - 20 + rng_below(&rng, (uint32_t)(end - begin) + 40);
			query.t1 = query.t0 + 1 + rng_below(&rng, 200);
			arrangement_toggle_open(&a, rng_below(&rng, 4));
		}
		arrangement_fini(&a);
	}
}

/* A frame without any time to sum in shows nothing at first, then what is exact, after that the
 * pyramid's coarse sums at once; and each in the end the exact ones. */
TEST(what_is_refined_becomes_exact)
{
	OWNED_TRACE *trace = random_trace(120);
	ENDED_BY(drawn_fini) struct drawn d = drawn_new();
	struct query query = shown_whole(trace);
	struct arrangement a = { .key = BY_RANGE, .range = 16 };
	struct timeline_sums *sums = timeline_sums_new(0, 0);
	struct timeline_rows rows = { .trace = NULL };
	struct timeline_options options = { .width = 40, .height = 20, .sums = sums };
	struct err err = ERR_INIT;
	int64_t begin, end;
	bool changed = false;

	query.arrangement = &a;
	trace_span(trace, BASE_MEASURED, &begin, &end);
	assert_true(timeline_rows_make(&rows, &query, d.shades, &err));
	options.rows = &rows;
	for (int view = 0; view < 12; view++) {
		uint64_t all = 0;

		drawn_make(&d, &query, &options);
		assert_int_equal(d.p.visible, 8);
		for (uint32_t i = 0; i < d.p.visible; i++)
			assert_int_equal(timeline_sums_of(&d.p, i), view ? SUMS_COARSE : SUMS_NONE);
		assert_true(timeline_sums_open(sums));
		/* Coarse or not, all of the time is somewhere. */
		for (int x = 0; view && x < options.width; x++)
			all += timeline_mix_of(&d.p, 2)[x].all;
		assert_true(view == 0 || all <= (uint64_t)(d.p.scale.t1 - d.p.scale.t0) * 16);
		assert_true(view == 0 ||
			    all + 40 * STATE_COUNT >= (uint64_t)(d.p.scale.t1 - d.p.scale.t0) * 16);
		while (timeline_sums_work(sums, &changed)) {}
		assert_false(timeline_sums_open(sums));
		drawn_make(&d, &query, &options);
		for (uint32_t i = 0; i < d.p.visible; i++)
			assert_int_equal(timeline_sums_of(&d.p, i), SUMS_EXACT);
		check_mixes(trace, &d.p);
		query.t0 = begin + rng_below(&rng, (uint32_t)(end - begin) - 60);
		query.t1 = query.t0 + 41 + rng_below(&rng, 200);
	}
	timeline_rows_fini(&rows);
	timeline_sums_free(sums);
}

/* With turns a frame without any time shows what is exact: all groups, once columns have changed;
 * where few have room the others are as before. */
TEST(groups_with_turns_are_exact_at_once)
{
	for (int round = 0; round < 3; round++) {
		OWNED_TRACE *trace = random_trace(120);
		ENDED_BY(drawn_fini) struct drawn d = drawn_new();
		struct query query = shown_whole(trace);
		struct arrangement a = { .key = BY_RANGE, .range = 16 };
		struct timeline_sums *sums = timeline_sums_new(0, round < 2 ? 1 << 20 : 40000);
		struct timeline_rows rows = { .trace = NULL };
		struct timeline_options options = { .width = 40, .height = 20, .sums = sums };
		struct err err = ERR_INIT;
		bool changed = false;
		int64_t begin, end;
		uint32_t exact = 0;

		query.arrangement = &a;
		trace_span(trace, BASE_MEASURED, &begin, &end);
		assert_true(timeline_rows_make(&rows, &query, d.shades, &err));
		options.rows = &rows;
		for (int view = 0; view < 12; view++) {
			drawn_make(&d, &query, &options);
			for (uint32_t i = 0; i < d.p.visible && view > 1; i++)
				exact += timeline_sums_of(&d.p, i) == SUMS_EXACT;
			while (timeline_sums_work(sums, &changed)) {}
			drawn_make(&d, &query, &options);
			check_mixes(trace, &d.p);
			query.t0 = begin + rng_below(&rng, (uint32_t)(end - begin) - 60);
			query.t1 = query.t0 + 41 + rng_below(&rng, 200);
		}
		assert_int_equal(d.p.visible, 8);
		assert_true(round < 2 ? exact == 10 * 8 : exact > 0 && exact < 10 * 8);
		timeline_rows_fini(&rows);
		timeline_sums_free(sums);
	}
}
