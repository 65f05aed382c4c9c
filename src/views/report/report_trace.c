#include "views/report/report_trace.h"

#include "base/mem.h"
#include "model/trace/program.h"
#include "views/report/report_parts.h"

bool report_trace(struct report *report, const struct query *query, bool wait, struct err *err)
{
	ENDED_BY(phrases_fini) struct phrases phrases = { .trace = query->trace };
	struct overview_facts *facts = xcalloc(1, sizeof *facts);
	struct diagnosis *diagnosis = xcalloc(1, sizeof *diagnosis);
	struct report_writer w = { .report = report,
				   .query = query,
				   .facts = facts,
				   .whole = query_time(query),
				   .diagnosis = diagnosis,
				   .p = &phrases,
				   .wait = wait };
	bool ok;

	overview_facts_make(facts, query);
	if (trace_records_alone(query->trace)) {
		ok = report_records(&w, err);
		goto done;
	}
	w.found = diagnosis_make(diagnosis, query, wait, err);
	ok = !query_stopped(query) && (w.found != DIAGNOSIS_NONE || !err || !err_is_set(err));
	report->searching = w.found == DIAGNOSIS_LOOKING;
	if (ok) {
		report_run(&w);
		report_rollcall(&w);
		report_recent(&w);
		report_time(&w);
		report_waits(&w);
		report_causes(&w);
		report_why(&w);
		report_efficiency(&w);
		report_imbalance(&w);
		report_ranks(&w);
		report_data(&w);
		report_trust(&w);
	}
done:
	free_all(diagnosis, facts);
	return ok;
}
