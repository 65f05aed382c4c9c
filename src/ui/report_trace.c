#include "ui/report_trace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/report_parts.h"

bool report_trace(struct report *report, const struct query *query, struct err *err)
{
	struct overview_facts *facts = xcalloc(1, sizeof *facts);
	struct report_writer w = { .report = report, .query = query, .facts = facts };

	(void)err;
	overview_facts_make(facts, query);
	report_run(&w);
	report_rollcall(&w);
	report_time(&w);
	report_waits(&w);
	report_data(&w);
	report_trust(&w);
	free(facts);
	return !query_stopped(query);
}
