/* place_words: what sentences call a location, a line of source, a region and a call path. Texts
 * are clean and appended. What is not a call of the program is named as what it is: tool
 * overhead, a stretch without function records, code outside all recorded functions; exports and
 * tables keep the names of the trace. */
#pragma once

#include "base/str.h"
#include "model/trace/trace.h"

/* "rank 3", with its thread and, if asked for, its node. */
void words_location(const struct trace *trace, uint32_t location, bool node, struct str *out);
/* "sweep.c:141"; false, and nothing, if neither is known. */
bool words_source(const struct trace *trace, uint32_t file, uint32_t line, struct str *out);
/* "MPI_Barrier (x.c:10)", "compute() (x.c:31)": a call path, 0: outside the recorded functions.
 * Goes on after "in". */
void words_path(const struct trace *trace, uint32_t path, struct str *out);
/* "MPI_Barrier", "compute()", "tool overhead (tview_setup)": a region without its source. After
 * "in", too. */
void words_region(const struct trace *trace, uint32_t region, struct str *out);
/* What a time base is: "clocks fitted to the messages". */
const char *words_base(enum time_base base);
