/* Bounds of clock errors in words. */
#include <math.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "views/facts/clock_bounds.h"

static void assert_text(double low, double high, const char *text)
{
	const struct timescale scale = { .per_second = 1000000000 };
	OWNED_STR out = STR_INIT;

	clock_bounds_text(&out, (struct room_span){ low, high }, &scale);
	assert_string_equal(out.text, text);
}

TEST(a_span_in_words)
{
	assert_text(-12400, 61000, "-12.4 us .. +61.0 us");
	assert_text(-12400, 12400, "+-12.4 us");
	assert_text(-11500, 12400, "+-12.4 us");
	assert_text(-11000, 12400, "-11.0 us .. +12.4 us");
	assert_text(0, 0, "0");
	assert_text(3000, 5000, "+3.00 us .. +5.00 us");
	assert_text(-INFINITY, INFINITY, "unknown");
	assert_text(-12400, INFINITY, ">= -12.4 us");
	assert_text(-INFINITY, 61000, "<= +61.0 us");
}

/* ---- a trace ---- */

static struct trace *trace_of(const char *settings, const char *ranks)
{
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks 6; %s", settings);
	notation_write(&n, "%s", ranks);
	return notation_finish(&n);
}

static void say(void *context, const char *sentence, bool unknown)
{
	assert_int_equal(unknown, strstr(sentence, "unknown") != NULL);
	str_add_fmt(context, "%s\n", sentence);
}

static void assert_said(struct trace *trace, const char *all, const char *islands)
{
	const struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	struct corrections *c = correct_run(trace, &options, NULL, &err);
	ENDED_BY(phrases_fini) struct phrases p = { .trace = trace };
	OWNED_STR out = STR_INIT;

	assert_non_null(c);
	assert_string_equal(clock_bounds_sentence(&p, c), all);
	clock_bounds_islands(&p, c, say, &out);
	assert_string_equal(out.n ? out.text : "", islands);
	corrections_free(c);
	trace_free(trace);
}

/* Three times there and back, 1 ms each way; ranks 2 and 3 in the same way, then 4 to 5 one way. */
static const char ranks[] =
	"rank 0: ->1 @1000000 <-1 @3000000 ->1 @4000000 <-1 @6000000 ->1 @7000000 <-1 @9000000\n"
	"rank 1: <-0 @2000000 ->0 @2000000 <-0 @5000000 ->0 @5000000 <-0 @8000000 ->0 @8000000\n"
	"rank 2: ->3 @1000000 <-3 @3000000 ->3 @4000000 <-3 @6000000 ->3 @7000000 <-3 @9000000\n"
	"rank 3: <-2 @2000000 ->2 @2000000 <-2 @5000000 ->2 @5000000 <-2 @8000000 ->2 @8000000\n"
	"rank 4: main@1000000-9000000; rank 5: main@1000000-9000000";

TEST(islands)
{
	assert_said(
		trace_of("", ranks),
		"Clock errors against rank 0 are within +-1.00 ms (rank 1, the least certain).",
		"The clocks of ranks 2,3 are unknown against rank 0: they exchange fewer than three "
		"messages each way with it; among themselves +-1.00 ms.\n"
		"The clocks of ranks 4,5 are unknown against rank 0: they exchange fewer than three "
		"messages each way with it.\n");
}

static void assert_drift(struct corrections *c, struct trace *trace, enum room_drift drift,
			 const char *text)
{
	ENDED_BY(phrases_fini) struct phrases p = { .trace = trace };
	bool exceeded;

	for (uint32_t k = 1; k < c->room.bounds.clocks; k++)
		c->room.bounds.of[k].drift = (uint16_t)(k < 3 ? drift : DRIFT_SHOWN);
	assert_string_equal(clock_bounds_drift(&p, c, &exceeded), text);
	assert_int_equal(exceeded, drift == DRIFT_DOUBTED || drift == DRIFT_EXCEEDED);
}

TEST(drift_in_words)
{
	const struct correct_options options = CORRECT_DEFAULTS;
	struct trace *trace = trace_of("", ranks);
	struct err err = ERR_INIT;
	struct corrections *c = correct_run(trace, &options, NULL, &err);

	assert_non_null(c);
	c->room.bounds.drift = 1.3e-3;
	c->room.bounds.of[2].least = 6.507e-4;
	assert_drift(c, trace, DRIFT_EXCEEDED,
		     "The clocks of ranks 1,2 drift by more than 200 ppm (650 or more), or they "
		     "were set: bounds of clock errors are made for 1300 ppm, and may not hold.");
	assert_drift(c, trace, DRIFT_DOUBTED,
		     "The clocks of ranks 1,2 drift by more than 200 ppm as it seems, or messages "
		     "contradict each other: bounds of clock errors are made for 1300 ppm, and may "
		     "not hold.");
	assert_drift(c, trace, DRIFT_ASSUMED,
		     "Bounds of clock errors assume that clocks drift by at most 200 ppm; messages "
		     "are too few or too slow to show it.");
	assert_drift(c, trace, DRIFT_SHOWN,
		     "Bounds of clock errors are made for drifts of at most 200 ppm; messages show "
		     "that clocks drift no more.");
	corrections_free(c);
	trace_free(trace);
}

TEST(clocks_unknown)
{
	assert_said(trace_of("", "rank 0: main@1-9; rank 1: main@1-9; rank 2: main@1-9\n"
				 "rank 3: main@1-9; rank 4: main@1-9; rank 5: main@1-9"),
		    "Clocks unknown: there are no messages between them, and no clock offsets.",
		    "");
}

/* Ranks 2 and 3 have a zero of their own, rank 4 has no other one. */
TEST(islands_have_their_own_zero)
{
	OWNED_TRACE *trace = trace_of("", ranks);
	const struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	struct corrections *c = correct_run(trace, &options, NULL, &err);
	struct clock_island island;

	assert_non_null(c);
	assert_int_equal(clock_island_of(&c->room, 0).zero, UINT32_MAX);
	assert_int_equal(clock_island_of(&c->room, 1).zero, UINT32_MAX);
	island = clock_island_of(&c->room, 2);
	assert_true(island.zero == 2 && island.usual.low == 0 && island.usual.high == 0);
	island = clock_island_of(&c->room, 3);
	assert_int_equal(island.zero, 2);
	assert_true(fabs(island.usual.low + 1e6) < 2e3 && fabs(island.usual.high - 1e6) < 2e3);
	assert_int_equal(clock_island_of(&c->room, 4).zero, 4);
	corrections_free(c);
}

/* One wait, of 50 us, for what rank 1 did. */
TEST(a_wait)
{
	OWNED_TRACE *trace = trace_of("", ranks);
	const struct correct_options options = CORRECT_DEFAULTS;
	struct err err = ERR_INIT;
	struct corrections *c = correct_run(trace, &options, NULL, &err);
	ENDED_BY(phrases_fini) struct phrases p = { .trace = trace };
	const struct clock_place zero = { 0, true, 1e6, 0 }, one = { 1, true, 1e6, 0 },
				 four = { 4, true, 1e6, 0 };

	assert_non_null(c);
	assert_string_equal(clock_bounds_wait(&p, &c->room, &zero, &one, 2e6), "");
	assert_non_null(strstr(clock_bounds_wait(&p, &c->room, &zero, &one, 50e3),
			       "not certain: by the clocks of rank 0 and rank 1 it may be 0 s to "
			       "1.05 ms long"));
	assert_string_equal(clock_bounds_wait(&p, &c->room, &zero, &four, 2e6),
			    "not certain: the clocks of rank 0 and rank 4 are unknown against each "
			    "other");
	/* The same in short, without the other one's events: 1 ms is what the messages leave. */
	for (int i = 0; i < 5; i++) {
		static const struct {
			uint32_t partner;
			int64_t length;
			bool unsure;
		} cases[] = { { 1, 2000000, false },
			      { 1, 50000, true },
			      { 4, 2000000, true },
			      { 0, 1, false },
			      { EVENT_NONE, 1, false } };
		const struct wait wait = { .partner = cases[i].partner,
					   .flags = WAIT_ELSEWHERE,
					   .begin = 1000000,
					   .length = cases[i].length };
		assert_int_equal(clock_bounds_unsure(&c->room, trace, BASE_MEASURED, 0, &wait),
				 cases[i].unsure);
	}
	corrections_free(c);
}

/* Three halves of a round trip of 2 us. */
TEST(what_bounds_an_island)
{
	static const char alone[] = "rank 0: main@1000-9000; rank 1: main@1000-9000\n"
				    "rank 2: main@1000-9000; rank 3: main@1000-9000\n"
				    "rank 4: main@1000-9000; rank 5: main@1000-9000";
	static const char offsets[] =
		"offset 0 0 0 0; offset 1 1000 7 2000; offset 2 1000 7 2000\n"
		"offset 3 1000 7 2000; offset 4 1000 7 2000; offset 5 1000 7 2000";

	assert_said(
		trace_of(offsets, alone),
		"Clock errors against rank 0 are within +-3.00 us (rank 1, the least certain).",
		"Ranks 1-5 exchange fewer than three messages each way with rank 0: their clocks "
		"are bounded by offset records (+-3.00 us).\n");
}
