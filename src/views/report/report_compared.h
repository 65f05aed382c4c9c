/* report_compared: the report of two traces: differences by metric, call path and location, worst
 * first, and the efficiencies side by side. */
#pragma once

#include "views/report/report.h"

/* Fills a report_init()ed report of the query's window against query.other; report_fini() is due in
 * any case. False with err, or with err untouched if query->progress stopped it. */
bool report_compared(struct report *report, const struct query *query, struct err *err);
