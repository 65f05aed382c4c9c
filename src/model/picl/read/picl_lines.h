/* picl_lines: the lines of a file and, if a line is a record in canonical form, that record. With
 * `ahead` a second thread reads, splits and scans, while the caller interprets: lines come in
 * batches through a ring, so memory is bounded and small enough to stay in the cache. The results
 * are the same either way.
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
	bool finished;            /* all lines of the file were handed out */
	bool stopped;             /* the step said so */
};

/* The clock must not change until the end. */
void picl_lines_begin(struct picl_lines *lines, struct scan *scan, const struct picl_clock *clock,
		      bool ahead);
void picl_lines_end(struct picl_lines *lines);
/* From here on lines come in batches, so that picl_lines_peek() can look ahead. */
void picl_lines_batch(struct picl_lines *lines);
/* The next line; false at the end, on an error, or if the step returned false. The line stays until
 * the next call. */
bool picl_lines_next(struct picl_lines *lines, struct line *line);
/* The record of the line handed out last; false if it is not canonical. */
bool picl_lines_record(const struct picl_lines *lines, const struct line *line,
		       struct picl_record *record);
/* The processor of the record `ahead` lines further on; false if that line is not read yet, or is
 * not a canonical record. */
bool picl_lines_peek(const struct picl_lines *lines, size_t ahead, int32_t *processor);
/* Hands the last line out again at the next call. Once, and not after one that was too long. */
void picl_lines_back(struct picl_lines *lines);
