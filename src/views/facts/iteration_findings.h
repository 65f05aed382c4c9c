/* iteration_findings: which iterations of a level differ, in sentences: which ranks
 * are slow, in which iterations; by their work (patterns/iterations/iteration_outliers.h).
 *
 * Where several processes share the trace all call iteration_findings_make(), and get the same. */
#pragma once

#include "patterns/iterations/iteration_outliers.h"
#include "views/facts/iteration_sums.h"
#include "views/facts/phrases.h"

struct iteration_findings {
	struct iteration_outliers of;
	uint32_t n;          /* locations that are compared */
	uint32_t *locations; /* [n] rows of `of` */
	uint32_t columns;    /* of `of` */
	uint32_t each;       /* iterations in a column: 1, or more of very many */
};

/* Of the query's locations. */
void iteration_findings_make(struct iteration_findings *findings, const struct query *query,
			     const struct iteration_sums *sums);
void iteration_findings_fini(struct iteration_findings *findings);

enum { ITERATION_LINES = 4 };
/* Fills in whole sentences: what the iterations are, or that there are none; which differ; what
 * is common to all ranks. Returns how many. */
unsigned iteration_sentences(struct phrases *phrases, const struct iteration_sums *sums,
			     const struct iteration_findings *findings,
			     const char *lines[ITERATION_LINES]);
