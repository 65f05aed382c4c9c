/* What counters counted in visits: worked out by hand. */
#include "harness/built.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/sums/profile.h"

enum { A, B, REGIONS };

struct sample {
	int64_t t;
	uint64_t faults, cycles;
};

/*	0    10   20   30   40   50   60      100
 *	a....[b...[a...]....].........[b......]		rank 0; rank 1 has no counters
 *
 * Samples at each of them, and one within the last b. */
static const struct sample samples[] = {
	{ 0, 0, 1000 },   { 10, 4, 1100 },  { 20, 10, 1300 }, { 30, 11, 1300 },
	{ 40, 15, 1800 }, { 60, 15, 1900 }, { 80, 20, 2000 }, { 100, 22, 2050 },
};

static struct trace *by_hand(void)
{
	struct builder *b = built_begin(2);
	const uint32_t sites[REGIONS] = { built_site(b, "a", CLASS_USER, 1),
					  built_site(b, "b", CLASS_USER, 2) };
	uint32_t metrics[2];
	uint32_t set;
	size_t next = 0;
	static const struct {
		int64_t t;
		int region;
		bool leave;
	} events[] = { { 0, A, false }, { 10, B, false }, { 20, A, false }, { 30, A, true },
		       { 40, B, true }, { 60, B, false }, { 100, B, true }, { 100, A, true } };

	for (int i = 0; i < 2; i++)
		metrics[i] =
			builder_metric(b, &(struct metric){
						  .name = builder_string(b, i ? "cycles" : "faults",
									 6),
						  .mode = METRIC_ACCUMULATED_START,
						  .value = FIELD_UINT,
						  .base = 10 });
	set = builder_metric_set(b, &(struct metric_set){
					    .n = 2, .metrics = metrics, .recorder = UINT32_MAX });
	for (uint32_t rank = 0; rank < 2; rank++) {
		for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
			for (; rank == 0 && next < sizeof samples / sizeof *samples &&
			       samples[next].t <= events[i].t;
			     next++) {
				const uint64_t values[] = { set, samples[next].faults,
							    samples[next].cycles };
				builder_detail(b, 0, samples[next].t, DETAIL_METRIC, values, 3);
			}
			if (events[i].leave)
				builder_leave(b, rank, events[i].t, sites[events[i].region]);
			else
				builder_enter(b, rank, events[i].t, sites[events[i].region]);
		}
	}
	return built_end(b);
}

struct want {
	double exclusive[REGIONS][2], inclusive[REGIONS][2]; /* faults, cycles */
};

static void expect(const struct trace *trace, const struct filter *filter, int64_t t0, int64_t t1,
		   const struct want *want)
{
	static const uint32_t metrics[] = { 0, 1 };
	struct counters *counters = counters_new(trace);
	struct profile_counts counts = { .n = 2, .metric = metrics };

	assert_true(profile_counts_make(&counts, counters, trace, BASE_MEASURED, PROFILE_REGION,
					NULL, 0, t0, t1, filter, NULL, NULL));
	assert_int_equal(counts.rows, trace_region_count(trace));
	for (uint32_t r = 0; r < REGIONS; r++)
		for (uint32_t k = 0; k < 2; k++) {
			assert_float_equal(counts.exclusive[2 * r + k], want->exclusive[r][k],
					   1e-9);
			assert_float_equal(counts.inclusive[2 * r + k], want->inclusive[r][k],
					   1e-9);
		}
	profile_counts_fini(&counts);
	counters_free(counters);
}

TEST(all_of_the_run)
{
	OWNED_TRACE *trace = by_hand();

	/* a alone: 0-10 (4), 20-30 (1), 40-60 (0); b: 10-20 (6), 30-40 (4), 60-100 (7). */
	expect(trace, NULL, INT64_MIN, INT64_MAX,
	       &(struct want){ .exclusive = { { 5, 200 }, { 17, 850 } },
			       .inclusive = { { 22, 1050 }, { 18, 850 } } });
}

TEST(counts_grow_evenly_between_samples)
{
	OWNED_TRACE *trace = by_hand();

	/* From 5 to 70: half of the first 4; of 60-70 half of 5. */
	expect(trace, NULL, 5, 70,
	       &(struct want){ .exclusive = { { 2 + 1 + 0, 50 + 0 + 100 },
					      { 6 + 4 + 2.5, 200 + 500 + 50 } },
			       .inclusive = { { 15.5, 900 }, { 11 + 2.5, 700 + 50 } } });
}

TEST(visits_that_match)
{
	OWNED_TRACE *trace = by_hand();
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile("dur == 10ns", trace, &err);

	/* The inner a alone. */
	assert_non_null(filter);
	expect(trace, filter, INT64_MIN, INT64_MAX,
	       &(struct want){ .exclusive = { { 1, 0 } }, .inclusive = { { 1, 0 } } });
	filter_free(filter);
}

/* 0.1, 0.2 and 0.3 J on three locations: as doubles, the sum depends on which two are added first. */
TEST(no_order_of_locations_changes_a_sum)
{
	static const uint32_t orders[][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static const double joules[] = { 0.1, 0.2, 0.3 };
	struct builder *b = built_begin(3);
	const uint32_t site = built_site(b, "a", CLASS_USER, 1);
	const uint32_t metric =
		builder_metric(b, &(struct metric){ .name = builder_string(b, "energy", 6),
						    .mode = METRIC_ACCUMULATED_START,
						    .value = FIELD_FLOAT,
						    .base = 10 });
	const uint32_t set =
		builder_metric_set(b, &(struct metric_set){
					      .n = 1, .metrics = &metric, .recorder = UINT32_MAX });
	OWNED_TRACE *trace = NULL;
	struct counters *counters;

	for (uint32_t rank = 0; rank < 3; rank++)
		for (int end = 0; end < 2; end++) {
			uint64_t values[2] = { set, 0 };

			if (end)
				memcpy(&values[1], &joules[rank], sizeof *joules);
			builder_detail(b, rank, 10 * end, DETAIL_METRIC, values, 2);
			(end ? builder_leave : builder_enter)(b, rank, 10 * end, site);
		}
	trace = built_end(b);
	counters = counters_new(trace);
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct profile_counts counts = { .n = 1, .metric = &metric };

		assert_true(profile_counts_make(&counts, counters, trace, BASE_MEASURED,
						PROFILE_REGION, orders[i], 3, INT64_MIN, INT64_MAX,
						NULL, NULL, NULL));
		assert_float_equal(counts.exclusive[0], 0.6, 0);
		assert_float_equal(counts.inclusive[0], 0.6, 0);
		profile_counts_fini(&counts);
	}
	counters_free(counters);
}
