#include "harness/analysed.h"

struct analysed analysed(struct trace *trace)
{
	struct analysed a = { .trace = trace };
	struct err err = ERR_INIT;

	a.analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 2 });
	a.analysis = analyses_get(a.analyses, BASE_MEASURED, NULL, &err);
	assert_non_null(a.analysis);
	a.causes = analyses_causes(a.analyses, BASE_MEASURED);
	a.query = (struct query){ .trace = trace,
				  .base = BASE_MEASURED,
				  .t0 = INT64_MIN,
				  .t1 = INT64_MAX,
				  .analyses = a.analyses,
				  .metric = CUBE_NONE,
				  .callpath = UINT32_MAX };
	return a;
}

void analysed_forget(struct analysed *a)
{
	analyses_free(a->analyses);
	a->analyses = a->query.analyses = NULL;
}

void analysed_fini(struct analysed *a)
{
	analyses_free(a->analyses);
	trace_free(a->trace);
}
