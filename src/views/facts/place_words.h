/* place_words: names of locations, source lines, regions and call paths in sentences. Texts are
 * clean and appended. Call paths that are not calls of the program get a description: tool
 * overhead, a sampled segment, code outside all recorded functions; exports and tables keep the
 * names of the trace. */
#pragma once

#include "base/str.h"
#include "model/trace/trace.h"

/* "rank 3", with its thread and, if asked for, its node. */
void words_location(const struct trace *trace, uint32_t location, bool node, struct str *out);
/* "sweep.c:141", or "in sweep()" (struct site); false, and nothing appended, if neither file nor
 * line is known. */
bool words_source(const struct trace *trace, uint32_t file, uint32_t line, struct str *out);
/* "MPI_Barrier (x.c:10)", "compute() (x.c:31)": a call path; 0 is outside the recorded functions.
 * The text fits after "in". */
void words_path(const struct trace *trace, uint32_t path, struct str *out);
/* "MPI_Barrier", "compute()", of C++ without its arguments, "tool overhead (tview_setup)": a region
 * without its source; fits after "in", too. */
void words_region(const struct trace *trace, uint32_t region, struct str *out);
/* "exchange()", "int main(int, char**)": any function, in a chain of callers. */
void words_caller(const struct trace *trace, uint32_t region, struct str *out);
/* A time base in words: "clocks fitted to the messages". */
const char *words_base(enum time_base base);
