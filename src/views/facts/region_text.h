/* place: where something happened, as sentences name it: "MPI_Barrier (x.c:10)", of a function of the
 * program "compute() (x.c:31)". What is no call of the program is said as what it is: measuring itself, a
 * stretch whose probes were left out, time outside all that was recorded. Exports and tables keep the names
 * of the trace. */
#ifndef TVIEW_VIEWS_FACTS_REGION_TEXT_H
#define TVIEW_VIEWS_FACTS_REGION_TEXT_H

#include "base/str.h"
#include "model/trace/trace.h"

/* Appends the place of a call path, cleaned; 0: outside the recorded functions. Goes on after "in". */
void place_add(const struct trace *trace, uint32_t path, struct str *out);
/* Appends a region without its source, cleaned. Goes on after "in", too. */
void place_add_region(const struct trace *trace, uint32_t region, struct str *out);

#endif
