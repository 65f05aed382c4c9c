/* offsets_file: clock offsets measured by another tool, from a text file (`--offsets FILE`).
 *
 * One measurement a line:
 *
 *	rank[.thread]  time  offset  [round trip]
 *
 * `time` is when it was taken, on that rank's clock (the times of `--base measured`), `offset` is
 * what is to be added to that clock to get the reference clock; negative values are allowed.
 * Seconds, or with a unit after the number (12.5us, -3ms, 1.5e-5). The round trip may be left out.
 * `#` begins a comment, empty lines count for nothing. Any order, any number of measurements for a
 * rank: one shifts its clock, more are interpolated piecewise, ranks without any stay as they are.
 * Threads of a rank without lines of their own have those of its first. Lines of ranks that are not
 * in the trace are an error, unless only a part of the trace was loaded. */
#pragma once

#include "model/trace/trace.h"

struct offset_list {
	struct offset *data; /* owned */
	size_t n, cap;
};

/* False with err: file, line, what is wrong. */
bool offsets_file_read(struct offset_list *list, const struct trace *trace, const char *path,
		       struct err *err);
void offset_list_fini(struct offset_list *list);

/* Sorts measurements by location and time and takes those out that would turn a clock round: the
 * later one of two between which the corrected time does not rise (A2), or that have the same time.
 * Returns how many were taken out. */
size_t offsets_refuse(struct offset *list, size_t *n);
