/* analysed: a trace with its analyses, and a query of all of it in the measured times. What goes
 * wrong on the way fails the test.
 *
 *	ANALYSED a = analysed(notation_trace("..."));
 */
#pragma once

#include "harness/test.h"
#include "views/query/analyses.h"

struct analysed {
	struct trace *trace;       /* owned */
	struct analyses *analyses; /* owned */
	const struct analysis *analysis;
	const struct causes *causes;
	struct query query;
};

#define ANALYSED ENDED_BY(analysed_fini) struct analysed

/* Takes the trace; waits and their causes are there. */
struct analysed analysed(struct trace *trace);
/* The analyses alone are gone, from the query too. */
void analysed_forget(struct analysed *a);
void analysed_fini(struct analysed *a);
