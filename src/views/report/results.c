#include "views/report/results.h"

#include "base/mem.h"
#include "views/facts/diagnosis.h"
#include "views/facts/iteration_sums.h"
#include "views/facts/overview_facts.h"
#include "views/facts/sizes.h"
#include "views/query/analyses.h"
#include "views/query/view.h"
#include "views/report/report_parts.h"

/* All of one analysis. Where one of them fails, whoever asks for it again is told. */
static void make_of_analysis(struct query *query)
{
	OWNED struct diagnosis *d = xcalloc(1, sizeof *d);

	if (diagnosis_make(d, query, true, NULL) == DIAGNOSIS_THERE)
		report_why_prepare(query, d);
	query_wait_sums(query, NULL);
	analyses_cube(query->analyses, query->base, query->t0, query->t1, NULL, NULL);
	iteration_sums_free(iteration_sums_new(query, LEVEL_MAIN, NULL));
	table_free(statistics_table_new(query, NULL));
	table_free(explain_table_new(query, NULL));
	table_free(concurrency_table_new(query, NULL));
	table_free(critical_path_table_new(query, NULL));
	table_free(matrix_table_new(query, NULL));
	table_free(histograms_table_new(query, NULL));
	table_free(queues_table_new(query, NULL));
}

void results_prepare(struct trace *trace, const struct corrections *corrections)
{
	const struct analysis_options options = { 0 };
	struct query query = {
		.trace = trace,
		.base = trace_default_base(trace),
		.t0 = INT64_MIN,
		.t1 = INT64_MAX,
		.corrections = corrections,
		.metric = CUBE_NONE,
		.callpath = UINT32_MAX,
	};

	if (!trace_base_make(trace, query.base, NULL, NULL))
		return;
	overview_prepare_with(trace, NULL);
	query.analyses = analyses_new(trace, &options);
	make_of_analysis(&query);
	analyses_free(query.analyses);
	query.analyses = NULL;
	if (!graph_is_kept(trace, query.base))
		graph_free(query_graph(&query, NULL));
	sizes_prepare(trace, query.base);
}
