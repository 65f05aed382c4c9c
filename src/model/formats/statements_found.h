/* statements_found: makes statements for a trace that has PICL's statistics and no other events. */
#pragma once

struct trace;

/* Makes statements and their records of the statistics records of a trace that was just read. Does
 * nothing if the trace has call paths, or statements already. */
void statements_find(struct trace *trace);
