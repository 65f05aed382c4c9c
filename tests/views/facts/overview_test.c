/* The overview's numbers on the sample trace (tests/harness/sample.h), computed by hand:
 *
 * All time is 2 x 1000 us. User code: main 390 + 329, solve 701: 1420 = 71.0 %. Point-to-point:
 * 10 + 70 = 80 = 4.0 %. Barrier: 100 + 400 = 500 = 25.0 %.
 * main is 719 of 2000 = 35.9 %, rank 0 has 390 of it, 1.08 times the mean of 359.5. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "ui/canvas/canvas.h"
#include "views/facts/overview_facts.h"

TEST(facts)
{
	OWNED_TRACE *trace = views_sample();
	struct query query = sample_query(trace);
	struct overview_facts f;

	overview_facts_make(&f, &query);
	assert_int_equal(f.events, 24);
	assert_true(f.whole == 2000);
	assert_true(f.by_class[CLASS_USER] == 1420);
	assert_true(f.by_class[CLASS_P2P] == 80);
	assert_true(f.by_class[CLASS_SYNC] == 500);
	assert_string_equal(trace_region_name(trace, f.top[0]), "main");
	assert_int_equal(f.top_exclusive[0], 719);
	assert_string_equal(trace_region_name(trace, f.top[1]), "solve");
	assert_int_equal(f.top_exclusive[1], 701);
	assert_int_equal(trace_location(trace, f.top_location)->rank, 0);
	assert_int_equal(f.top_location_time, 390);
	assert_int_equal(f.messages, 1);
	assert_int_equal(f.bytes, 8);
	assert_int_equal(f.reversed, 0);
	assert_int_equal(f.slowest_time, 400);
}

TEST(sentences)
{
	OWNED_TRACE *trace = views_sample();
	const struct query query = sample_query(trace);
	OWNED char *text = sample_export("overview", &query, EXPORT_TEXT, 0);

	assert_string_equal(
		text,
		"sample.trc: 2 ranks, 1.00 ms, 24 events\n"
		"Where the time went (2 ranks x 1.00 ms)\n"
		"  user code          71.0 %     ############################\n"
		"  synchronisation    25.0 %     ##########\n"
		"  point-to-point      4.0 %     ##\n"
		"  Most time: main() (main.c:3), 35.9 % of total time in 2 visits; then solve()\n"
		"    35.0 %, MPI_Barrier 25.0 %.\n"
		"  Rank 0 spends 8 % more time in main() than the average rank (390 us, average\n"
		"    360 us).\n"
		"Communication\n"
		"  1 message, 8 B.\n"
		"  1 collective; it took 400 us (MPI_Barrier, 2 ranks).\n"
		"Reliability\n"
		"  Trace complete: all records read, none guessed.\n"
		"  Times: measured (as recorded; no clock offsets); no message arrives before\n"
		"    it is sent.\n");
}

/* Whatever the trace: lines of at most 80 columns, and not too many. */
TEST(fits_a_screen)
{
	struct overview overview;

	for (uint64_t seed = 1; seed <= 30; seed++) {
		OWNED_TRACE *trace = sample_random(seed, 1 + (int)(seed % 5), 400);
		struct query query = sample_query(trace);
		if (seed % 3 == 0)
			query.t0 = 100;
		overview_make(&overview, &query, true);
		assert_true(overview.lines.n > 3 && overview.lines.n <= 34);
		for (unsigned i = 0; i < overview.lines.n; i++)
			assert_true(text_width(overview.lines.data[i].text) <= 80);
		overview_fini(&overview);
	}
}
