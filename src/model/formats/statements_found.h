/* statements_found: statements of a trace that has PICL's statistics and no events beside them. */
#pragma once

struct trace;

/* Makes them of the records; for a trace that has just been read. Nothing where there are events,
 * or statements already. */
void statements_find(struct trace *trace);
