/* picl_lines: the lines of a file and, where a line is a record in canonical form, that record.
 * With `ahead` a thread of its own reads, cuts and scans, while the caller interprets: lines come
 * in batches through a ring, so memory is bounded and small enough to stay in the cache. What comes
 * out is the same either way.
 *
 *	picl_lines_begin(&lines, &scan, &clock, jobs > 1);
 *	while (picl_lines_next(&lines, &line))
 *		if (picl_lines_record(&lines, &line, &record)) ...
 *	picl_lines_end(&lines);
 *
 * Between begin and end the scan is the module's. Its step is called by the caller's thread. */
#pragma once

#include "model/picl/read/picl_scan.h"

struct picl_ahead;

struct picl_lines {
	struct scan *scan;
	const struct picl_clock *clock;
	struct picl_ahead *ahead; /* NULL: line by line */
	bool finished;            /* the file has no more, and all of it was handed out */
	bool stopped;             /* the step said so */
};

/* The clock must not change until the end. */
void picl_lines_begin(struct picl_lines *lines, struct scan *scan, const struct picl_clock *clock,
		      bool ahead);
void picl_lines_end(struct picl_lines *lines);
/* From here on lines come in batches, if they do not yet, so that there is something to peek at. */
void picl_lines_batch(struct picl_lines *lines);
/* The next line; false at the end, on an error, or where the step said so. The line stays until the
 * next call. */
bool picl_lines_next(struct picl_lines *lines, struct line *line);
/* The record of the line handed out last; false where it is not canonical. */
bool picl_lines_record(const struct picl_lines *lines, const struct line *line,
		       struct picl_record *record);
/* The processor of the record `ahead` lines further on; false where that is not known yet, or no
 * record in canonical form. */
bool picl_lines_peek(const struct picl_lines *lines, size_t ahead, int32_t *processor);
/* The line handed out last will be handed out again. Once, and not after one that was too long. */
void picl_lines_back(struct picl_lines *lines);
