/* Results of whole runs that are kept with a trace, and with its cache file: what exports make of
 * them is, byte for byte, what they make of the events. */
#include <string.h>
#include <unistd.h>

#include "correct/correct_keep.h"
#include "harness/cache_aid.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/random_trace.h"
#include "harness/rounds.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "model/filter/filter.h"
#include "model/trace/base_write.h"
#include "model/trace/keep.h"
#include "model/trace/piece.h"
#include "views/query/analyses.h"

GROUP_FIXTURE(cache_aid_setup, cache_aid_teardown)

static const char *const views[] = { "patterns",    "topology",   "graph",      "lines",
				     "iterations",  "statistics", "explain",    "critical-path",
				     "concurrency", "matrix",     "histograms", "queues" };
static const char *const names[] = { "severities",     "graph",         "iterations",
				     "statistics",     "longest-waits", "critical-path",
				     "critical-calls", "concurrency",   "matrix",
				     "histograms",     "under-way" };
enum {
	NAMES = sizeof names / sizeof *names,
	VIEWS = sizeof views / sizeof *views,
	SEEDS = 12,
	STEPS = 300
};

/* Corrections that found nothing. */
static const struct corrections corrections;

static struct query query_of(struct trace *trace)
{
	struct query query = sample_query(trace);

	query.corrections = &corrections;
	query.metric = CUBE_NONE;
	query.callpath = UINT32_MAX;
	if (!correct_kept_key(trace))
		correct_keep(trace, &corrections, 1, BASE_MEASURED);
	assert_true(trace_base_make(trace, query.base, NULL, NULL));
	return query;
}

/* `limit`: bytes that an analysis may take, 0 any. */
static char *export_of(const struct query *of, const char *view, uint64_t limit)
{
	struct query query = *of;
	const struct analysis_options options = { 0 };
	char *text;

	query.analyses = analyses_new(query.trace, &options);
	if (limit)
		analyses_limit(query.analyses, limit);
	text = sample_export(view, &query, EXPORT_CSV, 0);
	analyses_free(query.analyses);
	return text;
}

static void expect_same(const struct query *one, const struct query *two, uint64_t limit)
{
	for (size_t v = 0; v < VIEWS; v++) {
		OWNED char *a = export_of(one, views[v], 0);
		OWNED char *b = export_of(two, views[v], limit);

		assert_true(strlen(a) > 10);
		assert_string_equal(a, b);
	}
}

/* Makes what is kept, in the way that the program does before it writes a cache. */
static void make_kept(struct trace *trace)
{
	const struct query query = query_of(trace);

	for (size_t v = 0; v < VIEWS; v++)
		free(export_of(&query, views[v], 0));
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* A limit of one byte makes any analysis fail: there is none. */
TEST(kept_results_equal_computed_ones)
{
	size_t lines[VIEWS] = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		OWNED_TRACE *fresh = random_trace(seed, STEPS, 1000000),
			    *kept = random_trace(seed, STEPS, 1000000);
		const struct query one = query_of(fresh), two = query_of(kept);

		make_kept(kept);
		for (size_t v = 0; v < VIEWS; v++) {
			OWNED_TRACE *alone = random_trace(seed, STEPS, 1000000);
			const struct query of = query_of(alone);
			OWNED char *a = export_of(&of, views[v], 0);
			OWNED char *b = export_of(&two, views[v], 1);
			assert_string_equal(a, b);
			lines[v] += lines_of(a);
		}
		expect_same(&one, &two, 1);
	}
	for (size_t v = 0; v < VIEWS; v++)
		assert_true(lines[v] > SEEDS || strcmp(views[v], "iterations") == 0);
}

/* Whatever narrows the query is computed. */
TEST(narrowed_queries_do_not_take_kept_results)
{
	for (uint64_t seed = 1; seed <= rounds(SEEDS); seed++) {
		OWNED_TRACE *fresh = random_trace(seed, STEPS, 1000000),
			    *kept = random_trace(seed, STEPS, 1000000);
		struct query one = query_of(fresh), two = query_of(kept);
		const uint32_t some[] = { 2, 0 };
		struct err err = ERR_INIT;
		int64_t t0, t1;

		make_kept(kept);
		trace_span(kept, two.base, &t0, &t1);
		one.t0 = two.t0 = t0 + (t1 - t0) / 3;
		one.t1 = two.t1 = t1 - (t1 - t0) / 5;
		expect_same(&one, &two, 0);
		one.t0 = two.t0 = INT64_MIN;
		one.t1 = two.t1 = INT64_MAX;
		one.locations = two.locations = some;
		one.n_locations = two.n_locations = 2;
		expect_same(&one, &two, 0);
		one.locations = two.locations = NULL;
		one.filter = filter_compile("rank == 1", fresh, &err);
		two.filter = filter_compile("rank == 1", kept, &err);
		assert_non_null(one.filter);
		expect_same(&one, &two, 0);
		filter_free((struct filter *)(uintptr_t)one.filter);
		filter_free((struct filter *)(uintptr_t)two.filter);
	}
}

/* From a cache file, with no analysis. */
TEST_OF_FILES("traces/*.trc", cached_results_equal_computed_ones)
{
	OWNED char *copy = aid_copy(path, "kept.trc"), *cache = aid_path(".kept.trc.tvcache");
	OWNED_TRACE *read = trace_load(copy, NULL, NULL, NULL), *fresh = aid_open(path);
	OWNED_TRACE *mapped = NULL;
	struct query one, two;

	assert_non_null(read);
	make_kept(read);
	aid_keep(read);
	mapped = aid_open(copy);
	assert_true(trace_is_cached(mapped));
	one = query_of(fresh);
	two = query_of(mapped);
	expect_same(&one, &two, 1);
	unlink(copy);
	unlink(cache);
}

/* Results go with the times that they were made of. */
TEST_OF_FILES("traces/*.trc", results_end_with_their_base)
{
	OWNED_TRACE *trace = aid_open(path);
	struct query query = query_of(trace);
	size_t bytes;

	if (!trace_has_base(trace, BASE_LINEAR))
		return;
	assert_true(trace_base_make(trace, BASE_LINEAR, NULL, NULL));
	query.base = BASE_LINEAR;
	free(export_of(&query, "patterns", 0));
	assert_non_null(keep_lent(trace, "severities", BASE_LINEAR, &bytes));
	base_drop(trace, BASE_LINEAR);
	assert_null(keep_lent(trace, "severities", BASE_LINEAR, &bytes));
}

/* Whether a piece of so many bytes in all is kept. */
static bool keeps(const struct trace *trace, size_t bytes)
{
	enum { HEAD = 16 }; /* of its array */
	OWNED char *data = xcalloc(bytes, 1);
	struct piece piece = { VEC_INIT };
	struct piece_reader reader;

	piece_add(&piece, data, bytes - HEAD, 1);
	piece_keep(&piece, trace, "some", BASE_MEASURED);
	return piece_find(&reader, trace, "some", BASE_MEASURED);
}

/* Few events on many locations have room for their results, but not for anything. */
TEST(results_are_bounded_by_events_and_locations)
{
	OWNED_TRACE *small = random_trace(1, 10, 1000000), *large = random_trace(1, 10, 1000000);
	const size_t room =
		(trace_event_count(small) + 1024 * trace_location_count(small) + 256 * 1024) / 16 *
		16;

	assert_true(keeps(small, room));
	assert_false(keeps(large, room + 16));
}
