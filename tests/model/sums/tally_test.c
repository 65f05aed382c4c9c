/* Sums of groups of locations, by their turns, and the pyramid of them: against the sums of each of them, and
 * against every single tick. */
#include <stdlib.h>
#include <string.h>

#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/sums/pyramid.h"
#include "model/sums/turns.h"

FREES(pyramid_free, struct pyramid)
FREES(turns_free, struct turns)

static struct rng rng = { 88172645463325252u };

static uint32_t random_next(uint32_t limit)
{
	return rng_below(&rng, limit);
}

/* Locations of 0 to `events` enters and leaves, marks, and spans that are not traced. */
static struct trace *random_trace(uint32_t locations, uint32_t events)
{
	struct builder *b = built_begin((int32_t)locations);
	uint32_t site[CLASS_OVERHEAD + 1], mark;

	for (unsigned c = 0; c <= CLASS_OVERHEAD; c++) {
		const char name[] = { (char)('a' + c), 0 };

		site[c] = built_site(b, name, (enum region_class)c, (int)c + 1);
	}
	mark = built_site(b, "mark", CLASS_USER, 99);
	for (uint32_t at = 0; at < locations; at++) {
		const uint32_t n = random_next(events + 1);
		int64_t t = (int64_t)random_next(400) - 200;
		uint32_t open[4], depth = 0;

		for (uint32_t i = 0; i < n; i++) {
			const uint32_t dice = random_next(20);

			t += random_next(4) == 0 ? random_next(70) : random_next(3);
			if (dice == 0) {
				builder_mark(b, at, t, mark);
			} else if (dice == 1) {
				builder_tracing(b, at, t, mark, random_next(2));
			} else if (depth < 4 && (depth == 0 || random_next(2))) {
				open[depth] = site[random_next(CLASS_OVERHEAD + 1)];
				builder_enter(b, at, t, open[depth++]);
			} else {
				builder_leave(b, at, t, open[--depth]);
			}
		}
	}
	return built_end(b);
}

/* Ascending edges that cut [t0, t1) into about n cells, none of them empty. */
static size_t cut(int64_t t0, int64_t t1, size_t n, int64_t *edges)
{
	size_t cells = 0;

	edges[0] = t0;
	for (size_t i = 1; i <= n; i++) {
		const int64_t edge = t0 + (t1 - t0) * (int64_t)i / (int64_t)n;

		if (edge > edges[cells])
			edges[++cells] = edge;
	}
	return cells;
}

/* The same sums, location by location, cell by cell. */
TEST(sums_are_those_of_the_locations)
{
	enum { CELLS = 400 };
	static int64_t edges[CELLS + 1];
	static uint64_t expected[CELLS * SHADING_SLOTS], swept[CELLS * SHADING_SLOTS];

	for (int round = 0; round < 40; round++) {
		const uint32_t n = 1 + random_next(round < 30 ? 6 : 300);
		OWNED_TRACE *trace = random_trace(n, round % 3 ? 40 : 3000);
		const struct shading *s = trace_class_shading(trace, BASE_MEASURED);
		int64_t begin, end;

		trace_span(trace, BASE_MEASURED, &begin, &end);
		for (int window = 0; window < 6; window++) {
			const int64_t t0 = begin - 50 + random_next((uint32_t)(end - begin) + 100);
			const int64_t t1 = t0 + 1 + random_next((uint32_t)(end - begin) + 100);
			const size_t cells = cut(t0, t1, 1 + random_next(CELLS), edges);
			ENDED_BY(tally_fini) struct tally tally;

			memset(expected, 0, sizeof expected);
			tally_init(&tally, s, edges, cells);
			for (uint32_t l = 0; l < n; l++) {
				tally_add(&tally, l);
				if (random_next(8) == 0) /* in between, too */
					tally_sums(&tally);
				shading_sweep(s, l, edges, cells, swept);
				for (size_t i = 0; i < cells * SHADING_SLOTS; i++)
					expected[i] += swept[i];
			}
			assert_memory_equal(tally_sums(&tally), expected,
					    cells * SHADING_SLOTS * sizeof *expected);
		}
	}
}

/* Where the first switch turns tracing on it was off before. */
static bool on_at_first(const struct trace *trace, uint32_t location)
{
	struct cursor c;

	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c))
		if (what_kind(cursor_what(&c)) >= EV_TRACING_ON)
			return what_kind(cursor_what(&c)) == EV_TRACING_OFF;
	return true;
}

/* One class at a tick, found by looking at the events from the first one on. */
static unsigned class_at(const struct trace *trace, uint32_t location, int64_t t)
{
	struct cursor c;
	bool on = on_at_first(trace, location);
	uint32_t path = 0;
	bool ok = cursor_first(&c, trace, BASE_MEASURED, location);

	if (!ok || cursor_time(&c) > t)
		return CLASS_OUTSIDE;
	for (; ok && cursor_time(&c) <= t; ok = cursor_next(&c)) {
		const uint32_t what = cursor_what(&c);

		if (what_kind(what) == EV_ENTER)
			path = what_id(what);
		else if (what_kind(what) == EV_LEAVE)
			path = trace_callpath(trace, what_id(what))->parent;
		else if (what_kind(what) >= EV_TRACING_ON)
			on = what_kind(what) == EV_TRACING_ON;
	}
	return on && ok ? trace_callpath_class(trace, path) : CLASS_OUTSIDE;
}

TEST(sums_are_those_of_every_tick)
{
	enum { CELLS = 30 };
	int64_t edges[CELLS + 1];

	for (int round = 0; round < 12; round++) {
		const uint32_t n = 1 + random_next(4);
		OWNED_TRACE *trace = random_trace(n, 80);
		const int64_t t0 = (int64_t)random_next(600) - 250, t1 = t0 + 1 + random_next(300);
		const size_t cells = cut(t0, t1, 1 + random_next(CELLS), edges);
		ENDED_BY(tally_fini) struct tally tally;

		tally_init(&tally, trace_class_shading(trace, BASE_MEASURED), edges, cells);
		for (uint32_t l = 0; l < n; l++)
			tally_add(&tally, l);
		for (size_t i = 0; i < cells; i++) {
			uint64_t expected[SHADING_SLOTS] = { 0 };

			for (int64_t t = edges[i]; t < edges[i + 1]; t++)
				for (uint32_t l = 0; l < n; l++)
					expected[class_at(trace, l, t)]++;
			assert_memory_equal(tally_sums(&tally) + i * SHADING_SLOTS, expected,
					    sizeof expected);
		}
	}
}

TEST(a_tally_begins_anew)
{
	OWNED_TRACE *trace = random_trace(3, 200);
	const int64_t edges[] = { 0, 40, 80, 120 };
	uint64_t first[3 * SHADING_SLOTS];
	ENDED_BY(tally_fini) struct tally tally;

	tally_init(&tally, trace_class_shading(trace, BASE_MEASURED), edges, 3);
	for (uint32_t l = 0; l < 3; l++)
		tally_add(&tally, l);
	memcpy(first, tally_sums(&tally), sizeof first);
	tally_add(&tally, 1);
	tally_clear(&tally);
	for (uint32_t l = 3; l-- > 0;)
		tally_add(&tally, l);
	assert_memory_equal(tally_sums(&tally), first, sizeof first);
}

/* ---- turns ---- */

struct interval {
	int64_t t0, t1;
	unsigned slot;
};

/* Those of a tally, for any windows; and what of intervals is in a cell, tick by tick. */
TEST(sums_of_turns_are_those_of_the_locations)
{
	enum { CELLS = 400, OTHERS = 3, INTERVALS = 40 };
	static int64_t edges[CELLS + 1];
	static uint64_t sums[CELLS * SHADING_SLOTS], others[CELLS * OTHERS];

	for (int round = 0; round < 60; round++) {
		const uint32_t n = random_next(round < 50 ? 6 : 300);
		OWNED_TRACE *trace = random_trace(n + 1, round % 3 ? 40 : 3000);
		const struct shading *s = trace_class_shading(trace, BASE_MEASURED);
		struct interval intervals[INTERVALS];
		FREED_BY(turns_free) struct turns *turns = NULL;
		int64_t begin, end;

		trace_span(trace, BASE_MEASURED, &begin, &end);
		turns = turns_new(s, OTHERS, begin);
		for (uint32_t l = 0; l < n; l++)
			turns_add(turns, l);
		for (int i = 0; i < INTERVALS; i++) {
			const int64_t t0 = begin + random_next(300);
			intervals[i] = (struct interval){ t0, t0 + 1 + random_next(90),
							  random_next(OTHERS) };
			turns_add_interval(turns, t0, intervals[i].t1, intervals[i].slot);
		}
		assert_true(turns_ready(turns));
		for (int window = 0; window < 6; window++) {
			const int64_t t0 = begin - 50 + random_next((uint32_t)(end - begin) + 100);
			const int64_t t1 = t0 + 1 + random_next((uint32_t)(end - begin) + 100);
			const size_t cells = cut(t0, t1, 1 + random_next(CELLS), edges);
			ENDED_BY(tally_fini) struct tally tally;

			tally_init(&tally, s, edges, cells);
			for (uint32_t l = 0; l < n; l++)
				tally_add(&tally, l);
			turns_sums(turns, edges, cells, sums, others);
			assert_memory_equal(tally_sums(&tally), sums,
					    cells * SHADING_SLOTS * sizeof *sums);
			for (size_t i = 0; i < cells; i++) {
				uint64_t expected[OTHERS] = { 0 };

				for (int k = 0; k < INTERVALS; k++) {
					const struct interval *x = &intervals[k];
					const int64_t from = x->t0 > edges[i] ? x->t0 : edges[i];
					const int64_t to =
						x->t1 < edges[i + 1] ? x->t1 : edges[i + 1];
					expected[x->slot] += to > from ? (uint64_t)(to - from) : 0;
				}
				assert_memory_equal(others + i * OTHERS, expected, sizeof expected);
			}
		}
	}
}

/* Times before the first one are a caller's mistake that is told; so are too many slots. */
TEST(turns_that_do_not_fit_are_refused)
{
	OWNED_TRACE *trace = random_trace(1, 0);
	const struct shading *s = trace_class_shading(trace, BASE_MEASURED);
	FREED_BY(turns_free)
	struct turns *early = turns_new(s, 1, 100), *late = turns_new(s, 1, 100);

	turns_add_interval(early, 99, 120, 0);
	assert_false(turns_ready(early));
	turns_add_interval(late, 100, INT64_MAX, 0);
	assert_false(turns_ready(late));
	assert_null(turns_new(s, 32, 0));
}

/* ---- the pyramid ---- */

/* How far off a span may be: the time of the bins that it does not begin or end with. */
static uint64_t slack_of(uint32_t members, int64_t begin, int64_t bin, int64_t t0, int64_t t1)
{
	return (uint64_t)(((t0 - begin) % bin != 0) + ((t1 - begin) % bin != 0)) * (uint64_t)bin *
		       members +
	       1;
}

/* Exact where a span begins and ends with bins, off by no more than the bins at its ends elsewhere;
 * and never more bins than the memory has room for. */
TEST(pyramids_are_exact_at_bins)
{
	for (int round = 0; round < 30; round++) {
		enum { BINS = 64, BIN = 10 };
		const uint32_t n = 4 + random_next(20), groups = 1 + random_next(4);
		OWNED_TRACE *trace = random_trace(n, 600);
		const struct shading *s = trace_class_shading(trace, BASE_MEASURED);
		uint32_t first[5], members[24];
		const int64_t t0 = (int64_t)random_next(100) - 100;
		FREED_BY(pyramid_free) struct pyramid *p;

		for (uint32_t g = 0; g <= groups; g++)
			first[g] = n * g / groups;
		for (uint32_t i = 0; i < n; i++)
			members[i] = n - 1 - i;
		p = pyramid_new(s, t0, t0 + BINS * BIN, groups, first, members,
				(size_t)BINS * groups * shading_slots(s) * 8);
		assert_false(pyramid_has(p, 0));
		while (pyramid_work(p, 0)) {}
		for (int window = 0; window < 40; window++) {
			const uint32_t g = random_next(groups), cells = 1 + random_next(5);
			const bool aligned = random_next(2);
			int64_t edges[6];
			uint64_t sums[5 * SHADING_SLOTS];

			edges[0] = t0 - 30 + random_next(BINS * BIN);
			for (uint32_t i = 1; i <= cells; i++)
				edges[i] = edges[i - 1] + 1 + random_next(BINS * BIN / 4);
			for (uint32_t i = 0; aligned && i <= cells; i++)
				edges[i] = t0 + random_next(BINS / 5) * BIN +
					   (int64_t)i * BIN * (BINS / 5);
			pyramid_sums(p, g, edges, cells, sums);
			for (uint32_t i = 0; i < cells; i++) {
				uint64_t expected[SHADING_SLOTS] = { 0 }, swept[SHADING_SLOTS];
				const uint64_t slack = slack_of(first[g + 1] - first[g], t0, BIN,
								edges[i], edges[i + 1]);

				for (uint32_t m = first[g]; m < first[g + 1]; m++) {
					shading_window(s, members[m], edges[i], edges[i + 1],
						       swept);
					for (unsigned k = 0; k < SHADING_SLOTS; k++)
						expected[k] += swept[k];
				}
				for (unsigned k = 0; k < shading_slots(s); k++) {
					const uint64_t got = sums[i * SHADING_SLOTS + k];
					const uint64_t off = got > expected[k] ? got - expected[k]
									       : expected[k] - got;

					if (aligned && edges[i + 1] <= t0 + BINS * BIN)
						assert_int_equal(off, 0);
					else if (edges[i] >= t0 && edges[i + 1] <= t0 + BINS * BIN)
						assert_true(off <= slack);
				}
			}
		}
	}
}
