/* Results of whole runs that are kept with a trace and were damaged, with sums that are right: as in
 * a cache file that somebody made. What is made of them may be wrong, but all that is used was
 * checked: nothing is read elsewhere, and nothing is written that a terminal obeys. */
#include "correct/correct.h"
#include "harness/kept_damage.h"
#include "harness/random_trace.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/trace/base_write.h"
#include "views/query/analyses.h"
#include "views/report/results.h"

static const char *const views[] = { "overview", "patterns",    "topology",      "graph",
				     "lines",    "iterations",  "statistics",    "explain",
				     "waits",    "concurrency", "critical-path", "corrections",
				     "matrix",   "histograms",  "queues" };

static void expect_clean(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 32 && *text != '\n')
			fail_msg("a control character is written: %d", *text);
}

static void look_at_all(const struct query *of)
{
	const struct analysis_options options = { 0 };
	struct query query = *of;

	query.analyses = analyses_new(query.trace, &options);
	for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
		OWNED char *text = sample_export(views[v], &query, EXPORT_TEXT, 100);
		expect_clean(text);
	}
	analyses_free(query.analyses);
}

static void try(uint64_t seed)
{
	const struct correct_options how = { 0 };
	OWNED_TRACE *trace = random_trace(1 + seed % 3, 60, 1000000);
	struct corrections *corrections = correct_run(trace, &how, NULL, NULL);
	struct query query = sample_query(trace);

	query.base = trace_default_base(trace);
	query.corrections = corrections;
	assert_true(trace_base_make(trace, query.base, NULL, NULL));
	results_prepare(trace, corrections);
	for (unsigned k = 0; k < 20; k++) {
		kept_damage(trace, &seed);
		look_at_all(&query);
	}
	corrections_free(corrections);
}

TEST(damaged_results_are_never_used_unchecked)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
		try(seed * 7919);
}
