/* Gaps of a run that was written down by hand: what of its times was estimated. */
#include <string.h>

#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/sums/profile.h"
#include "model/trace/gap.h"

/* Rank 0: a gap from 20 (the end of the barrier) to 100, in which main and work go on and leaf is
 * visited twice; one more visit of leaf, 120 to 150, is after it. Rank 1 has none. */
static struct trace *run(void)
{
	return notation_trace("region MPI_Barrier class sync; region tview_gap class overhead\n"
			      "rank 0: main@0 { work@5 { MPI_Barrier@10-20\n"
			      "  leaf@30-40 leaf@60-90, gap 4 1 @100, tview_gap@100-101\n"
			      "  MPI_Barrier@101-110 leaf@120-150 } @160 } @200\n"
			      "rank 1: main@0 { MPI_Barrier@10-20 MPI_Barrier@30-110 } @200");
}

static const struct profile_row *row_of(const struct trace *trace, const struct profile *profile,
					const char *name)
{
	for (uint32_t r = 0; r < profile->n; r++)
		if (strcmp(trace_region_name(trace, r), name) == 0)
			return &profile->rows[r];
	fail_msg("no %s", name);
	return NULL;
}

static void assert_estimated(const struct profile_row *row, int64_t inclusive, int64_t exclusive,
			     int64_t visits)
{
	assert_int_equal(row->estimated.inclusive, inclusive);
	assert_int_equal(row->estimated.exclusive, exclusive);
	assert_int_equal(row->estimated.visits, visits);
}

static struct gap_counts counts_of(const char *gap)
{
	OWNED_STR text = STR_INIT;
	struct gap_counts counts = { 7, 7, 7 };

	str_add_fmt(&text,
		    "region MPI_Barrier class sync; region tview_gap class overhead\n"
		    "rank 0: main@0 { MPI_Barrier@10-20 leaf@30-40, gap %s @100 } @200\n",
		    gap);
	OWNED_TRACE *trace = notation_trace(text.text);
	struct cursor c;
	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, 0); ok; ok = cursor_next(&c))
		if (gap_of_event(trace, cursor_what(&c), &counts))
			return counts;
	return counts;
}

/* Without a third number there was a note of all; what contradicts itself is no gap. */
TEST(a_gap_says_what_was_seen)
{
	static const struct {
		const char *text;
		struct gap_counts counts;
	} gaps[] = {
		{ "4 1", { 4, 1, 4 } },   { "4 1 3", { 4, 1, 3 } }, { "4 0 0", { 4, 0, 0 } },
		{ "4 1 0", { 7, 7, 7 } }, { "4 1 5", { 7, 7, 7 } }, { "0 0 0", { 7, 7, 7 } },
	};

	for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
		const struct gap_counts counts = counts_of(gaps[i].text);
		assert_int_equal(counts.records, gaps[i].counts.records);
		assert_int_equal(counts.read, gaps[i].counts.read);
		assert_int_equal(counts.noted, gaps[i].counts.noted);
	}
}

TEST(a_gap_is_from_the_call_before_to_its_record)
{
	OWNED_TRACE *trace = run();
	const struct gap *gap;
	size_t n;

	assert_int_equal(trace_gap_count(trace), 1);
	gap = gaps_of(trace, 0, &n);
	assert_int_equal(n, 1);
	assert_int_equal(gap_begin_time(trace, BASE_MEASURED, gap), 20);
	assert_int_equal(gap_end_time(trace, BASE_MEASURED, gap), 100);
	assert_int_equal(gap->records, 4);
	assert_int_equal(gap->read, 1);
	gaps_of(trace, 1, &n);
	assert_int_equal(n, 0);
	/* Its ends are measured. */
	assert_null(gap_at(trace, BASE_MEASURED, 0, 20));
	assert_ptr_equal(gap_at(trace, BASE_MEASURED, 0, 21), gap);
	assert_ptr_equal(gap_at(trace, BASE_MEASURED, 0, 99), gap);
	assert_null(gap_at(trace, BASE_MEASURED, 0, 100));
	assert_null(gap_at(trace, BASE_MEASURED, 1, 50));
	assert_int_equal(gap_time_in(trace, BASE_MEASURED, 0, 0, 200), 80);
	assert_int_equal(gap_time_in(trace, BASE_MEASURED, 0, 50, 70), 20);
	/* What goes on through it is measured, what begins or ends in it is not. */
	assert_int_equal(gap_time_of_visit(trace, BASE_MEASURED, 0, 5, 160), 0);
	assert_int_equal(gap_time_of_visit(trace, BASE_MEASURED, 0, 30, 40), 10);
	assert_int_equal(gap_time_of_visit(trace, BASE_MEASURED, 0, 90, 120), 10);
	assert_int_equal(gap_time_of_visit(trace, BASE_MEASURED, 0, 5, 30), 10);
}

TEST(a_profile_says_what_of_it_was_estimated)
{
	OWNED_TRACE *trace = run();
	struct profile p;

	assert_true(profile_make(&p, trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, INT64_MIN,
				 INT64_MAX, NULL, NULL));
	assert_estimated(row_of(trace, &p, "leaf"), 40, 40, 40);
	assert_estimated(row_of(trace, &p, "work"), 0, 40, 0); /* 10 + 20 + 10 of its own */
	assert_estimated(row_of(trace, &p, "main"), 0, 0, 0);
	assert_estimated(row_of(trace, &p, "MPI_Barrier"), 0, 0, 0);
	profile_fini(&p);
	/* Half of the gap: half of all that it has. */
	assert_true(
		profile_make(&p, trace, BASE_MEASURED, PROFILE_REGION, NULL, 0, 0, 60, NULL, NULL));
	assert_estimated(row_of(trace, &p, "leaf"), 20, 20, 20);
	assert_estimated(row_of(trace, &p, "work"), 0, 20, 0);
	profile_fini(&p);
}

/* A visit that the filter asks about by itself is the same sum, visit by visit. */
TEST(a_profile_of_single_visits_says_the_same)
{
	OWNED_TRACE *trace = run();
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile("dur < 35ns", trace, &err);
	struct profile p;

	assert_non_null(filter);
	assert_true(profile_make_visits(&p, trace, BASE_MEASURED, PROFILE_REGION, NULL, 0,
					INT64_MIN, INT64_MAX, filter, NULL));
	assert_estimated(row_of(trace, &p, "leaf"), 40, 40, 40);
	assert_int_equal(row_of(trace, &p, "leaf")->inclusive, 70);
	profile_fini(&p);
	filter_free(filter);
}

TEST(up_to_one_per_cent_does_not_matter)
{
	assert_false(gap_matters(0, 0));
	assert_false(gap_matters(1, 100));
	assert_true(gap_matters(1.01, 100));
	assert_string_equal(gap_mark(5, 100), "~");
	assert_string_equal(gap_mark(0, 100), "");
}
