/* Analyses that would take more memory than they may are not made, and say so once. */
#include <string.h>

#include "harness/owners.h"
#include "harness/random_trace.h"
#include "harness/test.h"
#include "views/query/analyses.h"

FREES(analyses_free, struct analyses)

#define OWNED_ANALYSES FREED_BY(analyses_free) struct analyses

TEST(too_large)
{
	OWNED_TRACE *trace = random_trace(1, 60, 1000000000);
	OWNED_ANALYSES *analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	struct graph_sizes sizes;
	struct err err = ERR_INIT;

	analyses_limit(analyses, 1);
	assert_null(analyses_peek(analyses, BASE_MEASURED));
	assert_false(analyses_state(analyses).busy);
	assert_true(analyses_told(analyses));
	assert_true(analyses_trouble(analyses, &err));
	assert_non_null(strstr(err.text, "--max-mem"));
	assert_false(analyses_trouble(analyses, &err));
	assert_null(analyses_get(analyses, BASE_MEASURED, NULL, &err));
	assert_false(analyses_sizes(analyses, BASE_MEASURED, true, NULL, &sizes));
	assert_null(analyses_cube(analyses, BASE_MEASURED, INT64_MIN, INT64_MAX, NULL, &err));
}

TEST(within)
{
	OWNED_TRACE *trace = random_trace(1, 60, 1000000000);
	OWNED_ANALYSES *analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	struct err err = ERR_INIT;

	analyses_limit(analyses, 1 << 30);
	assert_non_null(analyses_get(analyses, BASE_MEASURED, NULL, &err));
	assert_false(err_is_set(&err));
}
