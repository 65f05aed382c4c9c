/* report_trace: the report of one trace: what the run is, where its time went, what waits and
 * why, what was exchanged, and how far all of it can be trusted. What the overview shows, too. */
#pragma once

#include "views/report/report.h"

/* Fills a report_init()ed report of the query's window and locations; report_fini() is due in
 * any case. `wait`: until it is known what waits and why; else the report may say that it is
 * being looked for. False where query->progress stopped it, or with err. */
bool report_trace(struct report *report, const struct query *query, bool wait, struct err *err);
