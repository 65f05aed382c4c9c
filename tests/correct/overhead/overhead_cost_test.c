/* What recording costs, as headers and options say it, and as samples tell it. */
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "correct/overhead/overhead_aid.h"
#include "correct/overhead/overhead_classes.h"
#include "correct/overhead/overhead_cost.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/build/builder.h"

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

struct header {
	const char *pairs, *copy, *guard, *chain, *delay, *work;
	bool beside; /* and what is beside records */
};

/* The costs of a trace with that header, ticks of 1 / per_second. */
static struct overhead_cost costs_of(const struct header *h, int64_t per_second,
				     const struct overhead_options *options, bool known)
{
	const struct timescale scale = { per_second, 9 };
	struct err err = ERR_INIT;
	struct builder *b = builder_new("cost.trc", &scale, &err);
	struct overhead_cost cost;
	struct trace *trace;

	if (h->pairs)
		builder_property(b, "cost-pairs-ps", h->pairs);
	if (h->copy)
		builder_property(b, "cost-copy-ps", h->copy);
	if (h->guard)
		builder_property(b, "cost-guard", h->guard);
	if (h->chain)
		builder_property(b, "cost-hook-chain-ps", h->chain);
	if (h->delay)
		builder_property(b, "cost-delay-ps", h->delay);
	if (h->work)
		builder_property(b, "cost-work-ps", h->work);
	if (h->beside) { /* of notes, of probes that do nothing, of messages */
		builder_property(b, "cost-gap-ps", "7000 5000 9000");
		builder_property(b, "cost-blank-ps", "3000 2000 4000");
		builder_property(b, "cost-message-ps", "20000");
	}
	trace = builder_finish(b, NULL, NULL, &err);
	assert_int_equal(cost_read(&cost, trace, options), known);
	trace_free(trace);
	return cost;
}

static const struct overhead_options defaults = OVERHEAD_DEFAULTS;
static const char table[] = "9000 10000 15000 15000 11000 9000 15000 15000 "
			    "15000 15000 20000 20000 15000 15000 22000 20000";

TEST(the_table_is_in_ticks)
{
	const struct header h = { table, NULL, "call", "1500", NULL, NULL, false };
	struct overhead_cost cost = costs_of(&h, 1000000000, &defaults, true);

	assert_true(near(cost.pair[COST_ENTER][COST_ENTER], 9));
	assert_true(near(cost.pair[COST_ENTER][COST_LEAVE], 10));
	assert_true(near(cost.pair[COST_LEAVE][COST_ENTER], 11));
	assert_true(near(cost.pair[COST_MPI_LEAVE][COST_MPI_ENTER], 22));
	assert_true(near(cost.function, 10.5));
	assert_true(near(cost.record, 15.75)); /* (2 * 10.5 + 20 + 22) / 4 */
	assert_true(near(cost.note.high, 3));  /* 2 * 1.5 ns: a hook that finds nothing to do */
	/* Scaled to a half: each function record of the pair loses half of half its cost. */
	assert_true(near(cost_between(&cost, COST_ENTER, COST_LEAVE, 0.5), 10 - 5.25));
	assert_true(near(cost_between(&cost, COST_LEAVE, COST_MPI_ENTER, 0.5), 15 - 2.625));
	assert_true(near(cost_between(&cost, COST_MPI_ENTER, COST_MPI_LEAVE, 0.5), 20));
	assert_true(cost_between(&cost, COST_ENTER, COST_ENTER, 0) == 0); /* never negative */
	cost_fini(&cost);
	cost = costs_of(&(struct header){ table, NULL, "inline", NULL, NULL, NULL, false },
			1000000000000, &defaults, true);
	assert_true(near(cost.pair[COST_ENTER][COST_LEAVE], 10000));
	assert_true(near(cost.note.high, 200));
	cost_fini(&cost);
}

static void assert_range(struct cost_range range, double best, double low, double high)
{
	assert_true(near(range.best, best) && near(range.low, low) && near(range.high, high));
}

/* Behind guards a probe that does nothing is that of the specification, not the hook's. */
TEST(what_is_beside_records)
{
	struct header h = { table, NULL, "call", NULL, NULL, NULL, true };
	struct overhead_cost cost = costs_of(&h, 1000000000, &defaults, true);

	assert_range(cost.note, 7, 5, 9);
	assert_range(cost.blank, 3, 2, 4);
	assert_range(cost.message, 50, 20, 90);
	cost_fini(&cost);
	h.guard = "inline";
	cost = costs_of(&h, 1000000000, &defaults, true);
	assert_range(cost.blank, 0.4, 0, 1.1);
	cost_fini(&cost);
	h.beside = false;
	cost = costs_of(&h, 1000000000, &defaults, true);
	assert_range(cost.message, 0, 0, 0);
	cost_fini(&cost);
}

/* A visit of 19.2 ns in a loop, as published: 0.8 (0.5 to 1.05) of that, and 0.8 (0 to 2.2) behind a
 * guard, 4.6 (2.3 to 6.7) of a hook; a record is half of it. */
TEST(costs_that_are_not_calibrated_are_ranges)
{
	const struct header h = { table, NULL, "inline", NULL, NULL, NULL, false },
			    call = { table, NULL, "call", NULL, NULL, NULL, false };
	struct overhead_cost cost = costs_of(&h, 1000000000, &defaults, true);

	assert_range(cost_uncalibrated(&cost, 9.6), 8.08, 4.8, 11.18);
	cost_fini(&cost);
	cost = costs_of(&call, 1000000000000, &defaults, true);
	assert_range(cost_uncalibrated(&cost, 9600), 9980, 5950, 13430);
	cost_fini(&cost);
}

/* What functions with work measured is the estimate; bounds are as wide as they would be without, or
 * a tenth wider than the functions (0.9 * 3 = 2.7, 1.1 * 30 = 33). No range: as without. */
TEST(costs_beside_work_are_measured)
{
	struct header h = { table, NULL, "inline", NULL, NULL, "7000 6000 9600", false };
	struct overhead_cost cost = costs_of(&h, 1000000000, &defaults, true);

	assert_range(cost_uncalibrated(&cost, 9.6), 7, 4.8, 11.18);
	cost_fini(&cost);
	h.work = "20000 3000 30000";
	cost = costs_of(&h, 1000000000, &defaults, true);
	assert_range(cost_uncalibrated(&cost, 9.6), 20, 2.7, 33);
	cost_fini(&cost);
	h.work = "5000 6000 9600";
	cost = costs_of(&h, 1000000000, &defaults, true);
	assert_range(cost_uncalibrated(&cost, 9.6), 8.08, 4.8, 11.18);
	cost_fini(&cost);
	/* The delay is all there in each of them. */
	h.delay = "100000000";
	h.work = "100007000 100003000 100030000";
	cost = costs_of(&h, 1000000000, &defaults, true);
	assert_range(cost_uncalibrated(&cost, 100009.6), 100007, 100002.7, 100033);
	cost_fini(&cost);
}

/* Of a delay of 100 us all is there, and the rest of the cost as without. */
TEST(a_delay_is_hidden_by_nothing)
{
	const struct header h = { table, NULL, "inline", NULL, "100000000", NULL, false };
	ENDED_BY(cost_fini) struct overhead_cost cost = costs_of(&h, 1000000000, &defaults, true);

	assert_range(cost_uncalibrated(&cost, 100009.6), 100008.08, 100004.8, 100011.18);
}

/* Costs a byte are interpolated between the sizes, and held at the ends (A16). */
TEST(copies_are_interpolated)
{
	/* 1, 0.5, 0.25 ns a byte. */
	const struct header h = { table, "1024:256000 64:64000 256:128000", NULL, NULL, NULL, NULL,
				  false };
	ENDED_BY(cost_fini) struct overhead_cost cost = costs_of(&h, 1000000000, &defaults, true);

	assert_int_equal(cost.n_copy, 3);
	assert_true(near(cost_of_copy(&cost, 0), 0));
	assert_true(near(cost_of_copy(&cost, 10), 10));
	assert_true(near(cost_of_copy(&cost, 64), 64));
	assert_true(near(cost_of_copy(&cost, 160), 160 * 0.75));
	assert_true(near(cost_of_copy(&cost, 256), 128));
	assert_true(near(cost_of_copy(&cost, 640), 640 * 0.375));
	assert_true(near(cost_of_copy(&cost, 100000), 25000));
	assert_true(near(cost_of_copy(&cost, UINT64_MAX), 0)); /* unknown */
}

TEST(options_win)
{
	const struct overhead_options options = { OVERHEAD_INSITU, 7e-9, 2e-9 };
	const struct header h = { table, "64:64000", NULL, NULL, NULL, NULL, false };
	ENDED_BY(cost_fini) struct overhead_cost cost = costs_of(&h, 1000000000, &options, true);

	assert_true(cost.given);
	for (int i = 0; i < COST_KINDS; i++)
		for (int j = 0; j < COST_KINDS; j++)
			assert_true(near(cost.pair[i][j], 7));
	assert_true(near(cost_of_copy(&cost, 100), 200));
}

TEST(damaged_headers_are_no_costs)
{
	static const struct header headers[] = {
		{ NULL, NULL, NULL, NULL, NULL, NULL, false },
		{ "", "", "", "", NULL, NULL, false },
		{ "1 2 3", "64", NULL, "x", NULL, NULL, false },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -16", "64:", NULL, NULL, NULL, NULL, false },
		{ "nan nan 3 4 5 6 7 8 9 10 11 12 13 14 15 16", ":3", NULL, "inf", NULL, NULL,
		  false },
		{ "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", "0:3 -1:4", NULL, NULL, NULL, NULL, false },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 x", "1e999:3", NULL, NULL, NULL, NULL,
		  false },
	};

	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		ENDED_BY(cost_fini)
		struct overhead_cost cost = costs_of(&headers[i], 1000000000, &defaults, false);
		assert_true(cost_of_copy(&cost, 1000) == 0);
	}
}

/* ---- spreads ---- */

ORDERING_OF_NUMBERS(by_value, double)

/* Against sorted values: means without the longest, quantiles within a bin's width. */
TEST(spreads_are_as_sorted_values)
{
	uint64_t random = 42;

	for (int round = 0; round < 50; round++) {
		const size_t n = 1 + xorshift_below(&random, 2000);
		ENDED_BY(spread_fini) struct spread spread = { 0 };
		double *values = malloc(n * sizeof *values), sum = 0, squares = 0;
		struct spread_mean all, most;
		for (size_t i = 0; i < n; i++) {
			values[i] = (double)(xorshift_below(&random, 1000) + 1) *
				    pow(10, (double)(xorshift_below(&random, 5)));
			spread_add(&spread, values[i], 2 * values[i]);
			sum += values[i];
		}
		for (size_t i = 0; i < n; i++)
			squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
		SORT(values, n, by_value);
		all = spread_mean(&spread, 0);
		assert_true(near(all.mean, sum / (double)n));
		assert_true(near(all.weight, 2 * sum / (double)n));
		assert_true(n < 2 || fabs(all.error / sqrt(squares / (double)(n - 1) / (double)n) -
					  1) < 1e-6);
		most = spread_mean(&spread, 0.02);
		assert_true(near(most.n, (double)(n - (size_t)((double)n * 0.02))));
		sum = 0;
		for (size_t i = 0; i < (size_t)most.n; i++)
			sum += values[i];
		assert_true(fabs(most.mean / (sum / most.n) - 1) < 0.02);
		for (int q = 0; q <= 20; q++) {
			const double exact = values[(size_t)((double)(n - 1) * q / 20)];
			const double got = spread_quantile(&spread, q / 20.0);
			assert_true(got >= exact * 0.93 && got <= exact * 1.07);
		}
		free(values);
	}
}

TEST(spreads_do_not_depend_on_the_order)
{
	uint64_t random = 43;

	for (int round = 0; round < 20; round++) {
		ENDED_BY(spread_fini) struct spread forth = { 0 }, back = { 0 };
		double values[500];
		struct spread_mean a, b;
		for (int i = 0; i < 500; i++) {
			values[i] = pow(1.7, (double)xorshift_below(&random, 3000) / 100);
			spread_add(&forth, values[i], 1 / values[i]);
		}
		for (int i = 500; i-- > 0;)
			spread_add(&back, values[i], 1 / values[i]);
		a = spread_mean(&forth, 0.1);
		b = spread_mean(&back, 0.1);
		assert_true(a.mean == b.mean && a.error == b.error && a.weight == b.weight);
		assert_true(spread_quantile(&forth, 0.3) == spread_quantile(&back, 0.3));
	}
}

/* ---- outliers ---- */

/* Of 100 segments of 1,000 records at 19, 20 and 21 ticks a record, `more` took another 40,000
 * ticks. */
static struct outliers outliers_with(int more, double cost)
{
	ENDED_BY(spread_fini) struct spread rates = { 0 };

	for (int i = 0; i < 100; i++) {
		const double ticks = 1000 * (19 + i % 3) + (i < 3 * more && i % 3 == 0 ? 41000 : 0);
		spread_add(&rates, ticks / 1000, ticks);
	}
	return outliers_of(&rates, cost);
}

/* The share of the time in probes, and two errors of what so many events show. */
TEST(outliers_may_have_met_probes)
{
	struct outliers o = outliers_with(4, 2);

	assert_true(near(o.usual, 20));
	assert_true(o.limit > 21 && o.limit < 60);
	assert_true(near(o.share, 0.1 + 2 * sqrt(0.1 * 0.9 / 4)));
	assert_true(near(outliers_with(16, 2).share, 0.1 + 2 * sqrt(0.1 * 0.9 / 16)));
	assert_true(near(outliers_with(0, 2).share, 0.1 + 2 * sqrt(0.1 * 0.9)));
	assert_true(near(outliers_with(4, 16).share, 1));
	assert_true(near(outliers_share(0, 1), 0) && near(outliers_share(2, 1), 1));
}

/* Seven are too few to say what is usual. */
TEST(few_segments_have_no_outliers)
{
	ENDED_BY(spread_fini) struct spread rates = { 0 };

	for (int i = 0; i < 7; i++)
		spread_add(&rates, i < 6 ? 20 : 200, 1000);
	assert_true(near(outliers_of(&rates, 10).limit, 0));
	spread_add(&rates, 20, 1000);
	assert_true(near(outliers_of(&rates, 10).usual, 20));
}

/* ---- classes ---- */

static const struct overhead_cost loop_of_10 = { .function = 10 };

static void add(struct overhead_classes *classes, uint32_t location, uint32_t site, bool skipped,
		double duration, uint32_t records, int times)
{
	const struct segment s = { location, site,  site + 1, skipped, duration,
				   records,  false, 0,        false };

	for (int i = 0; i < times; i++)
		classes_add(classes, &s);
}

TEST(classes_need_samples_of_their_own)
{
	ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };
	const struct record_cost *cost;

	add(&classes, 0, 1, false, 1000 + 100 * 6, 100, 20);
	add(&classes, 0, 1, true, 1000, 0, 8);
	add(&classes, 1, 1, false, 3000 + 100 * 9, 100, 80);
	add(&classes, 1, 1, true, 3000, 0, 30);
	add(&classes, 2, 1, false, 3000 + 100 * 2, 100, 80); /* too few without */
	add(&classes, 2, 1, true, 3000, 0, 7);
	add(&classes, 3, 1, false, 3000 + 19 * 8, 19, 80); /* too few records */
	add(&classes, 3, 1, true, 3000, 0, 30);
	classes_finish(&classes, &loop_of_10, NULL);
	assert_true(classes.sampled);
	assert_int_equal(classes.own, 2);
	assert_true(near(classes_cost(&classes, 0, 1, 2)->cost, 6));
	assert_true(near(classes_cost(&classes, 1, 1, 2)->cost, 9));
	assert_true(near(classes.lowest, 6) && near(classes.highest, 9));
	/* (20 * 600 + 80 * 900 + 80 * 200 + 80 * 152) / (20 * 100 + 2 * 80 * 100 + 80 * 19) */
	assert_true(near(classes.all.cost, 112160. / 19520));
	cost = classes_cost(&classes, 2, 1, 2);
	assert_false(cost->own);
	cost = classes_cost(&classes, 7, 7, 7);
	assert_true(cost == &classes.all);
}

/* Of a class each fourth segment is a gap, where 100 records cost nothing, or a note each. */
static void add_gaps(struct overhead_classes *classes, uint32_t site, double each, double note,
		     bool blank)
{
	for (uint32_t i = 0; i < 96; i++) {
		const bool gap = i % 4 == 2;
		const struct segment s = {
			0,   site, site + 1, false,       3000 + 100 * (gap ? note : each),
			100, gap,  0,        gap && blank
		};
		classes_add(classes, &s);
	}
}

/* A record is compared with a probe that does nothing, or with a note: what these cost is beside
 * it. Where both are known, their sums agree if a note costs what was measured. */
TEST(blank_gaps_are_compared_with_nothing)
{
	static const struct overhead_cost known = { .function = 10,
						    .note = { 6, 5, 9 },
						    .blank = { 0.5, 0, 1 } };
	ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };
	const struct record_cost *cost;

	add_gaps(&classes, 1, 12, 0, true);
	add_gaps(&classes, 5, 12, 5.5, false);
	classes_finish(&classes, &known, NULL);
	cost = classes_cost(&classes, 0, 1, 2);
	assert_true(cost->own && near(cost->cost, 12) && near(cost->beside.best, 0.5));
	assert_true(near(cost->beside.high, 1));
	cost = classes_cost(&classes, 0, 5, 6);
	assert_true(cost->own && near(cost->cost, 6.5) && near(cost->beside.best, 6));
	assert_true(near(classes.lowest, 12.5) && near(classes.highest, 12.5));
}

/* An estimate that its error leaves open stays near to what is known of all. */
TEST(noise_is_drawn_to_the_mean)
{
	ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };
	const struct record_cost *cost;

	add(&classes, 0, 1, false, 100000 + 1000 * 8, 1000, 5000);
	add(&classes, 0, 1, true, 100000, 0, 500);
	for (int i = 0; i < 24; i++) { /* +-50,000 over 1,000 records, 30 ns apart by chance */
		add(&classes, 1, 5, false, 100000 + 30000 + (i % 2 ? 50000 : -50000), 1000, 1);
		if (i < 8)
			add(&classes, 1, 5, true, 100000 + (i % 2 ? 50000 : -50000), 0, 1);
	}
	classes_finish(&classes, &loop_of_10, NULL);
	cost = classes_cost(&classes, 1, 5, 6);
	assert_true(cost->own);
	assert_true(cost->cost > 7 && cost->cost < 11);
	assert_true(near(classes_cost(&classes, 0, 1, 2)->cost, 8));
}

/* Of the segments of a class some call no function: without probes both look alike, but for their
 * lengths. Either way they are no reason to take what they lack for overhead. */
TEST(empty_segments_do_not_count_as_overhead)
{
	ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };

	add(&classes, 0, 1, false, 24000 + 100 * 6, 100, 400); /* far apart */
	add(&classes, 0, 1, true, 24000, 0, 40);
	add(&classes, 0, 1, false, 10, 0, 400);
	add(&classes, 0, 1, true, 10, 0, 40);
	add(&classes, 0, 5, false, 900 + 100 * 6, 100, 300); /* not told apart */
	add(&classes, 0, 5, true, 900, 0, 30);
	add(&classes, 0, 5, false, 800, 0, 300);
	add(&classes, 0, 5, true, 800, 0, 30);
	classes_finish(&classes, &loop_of_10, NULL);
	assert_int_equal(classes.own, 2);
	assert_true(near(classes_cost(&classes, 0, 1, 2)->cost, 6));
	assert_true(near(classes_cost(&classes, 0, 1, 2)->error, 0));
	assert_true(fabs(classes_cost(&classes, 0, 5, 6)->cost - 6) < 0.5);
}

TEST(too_few_gaps_tell_nothing)
{
	ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };

	add(&classes, 0, 1, false, 2000, 100, 500);
	add(&classes, 0, 1, true, 1000, 0, 7);
	classes_finish(&classes, &loop_of_10, NULL);
	assert_false(classes.sampled);
}

/* A class that was not sampled costs what the others do, but classes differ by a quarter. */
TEST(what_was_not_sampled_may_differ)
{
	ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };

	add_gaps(&classes, 1, 12, 0, true); /* no noise at all */
	classes_finish(&classes, &loop_of_10, NULL);
	assert_true(near(classes_cost(&classes, 0, 1, 2)->error, 0));
	assert_true(near(classes_cost(&classes, 0, 7, 8)->cost, 12));
	assert_true(near(classes_cost(&classes, 0, 7, 8)->error, 12. / 4));
}

static double share(struct rng *rng)
{
	return rng_below(rng, 1 << 30) / (double)(1 << 30);
}

/* Of a short run: three to six gaps between segments whose own time scatters by `noise`. */
static void add_few(struct overhead_classes *classes, struct rng *rng, double cost, double noise)
{
	const uint32_t gaps = 3 + rng_below(rng, 4);

	for (uint32_t i = 0; i < 4 * gaps; i++) {
		const bool gap = i % 4 == 2;
		double own = 0; /* nearly normal, of variance 1 */
		for (int k = 0; k < 12; k++)
			own += share(rng) - 0.5;
		classes_add(classes, &(struct segment){ 0, 1, 2, false,
							5000 + own * noise + (gap ? 0 : 100 * cost),
							100, gap, 0, gap });
	}
}

/* Whatever the few gaps say, together with the loop: in bounds in 95 of 100 runs, and nearer to the
 * truth than the loop. */
TEST(few_gaps_count_by_their_error)
{
	enum { RUNS = 1000 };
	struct rng rng = { 5 };
	double squares = 0, of_loop = 0;
	int inside = 0, sampled = 0;

	for (int run = 0; run < RUNS; run++) {
		ENDED_BY(classes_fini) struct overhead_classes classes = { 0 };
		const double truth = 5 + 5.5 * share(&rng);
		const double noise = 400 * share(&rng); /* up to 4 a record */
		const struct record_cost *cost;
		double off;
		add_few(&classes, &rng, truth, noise);
		classes_finish(&classes, &loop_of_10, NULL);
		cost = classes_cost(&classes, 0, 1, 2);
		off = cost->cost - truth;
		sampled += classes.sampled && cost->own;
		inside += truth >= 0.95 * cost->cost - 2 * cost->error &&
			  truth <= 1.05 * cost->cost + 2 * cost->error;
		squares += off * off;
		of_loop += (8 - truth) * (8 - truth);
	}
	assert_int_equal(sampled, RUNS);
	assert_true(inside >= RUNS * 95 / 100);
	assert_true(squares < 0.5 * of_loop);
}
