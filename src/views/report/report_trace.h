/* report_trace: the report of one trace: the run, where its time went, wait states and their
 * causes, communication, and reliability. The overview shows the same. */
#pragma once

#include "views/report/report.h"

/* Fills a report_init()ed report of the query's window and locations; report_fini() is due in any
 * case. `wait`: until wait states and their causes are known; else the report may say that the
 * search goes on. False with err, or with err untouched if query->progress stopped it. */
bool report_trace(struct report *report, const struct query *query, bool wait, struct err *err);
/* What the overview says of a report, its sentences broken into lines of `width` columns. */
void overview_lines(struct overview *overview, const struct report *report, int width);
