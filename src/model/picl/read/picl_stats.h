/* picl_stats: compares the statistics in a PICL file (records -101 to -104) with its events.
 *
 * A statistics record holds pairs (event type, value), cumulative up to its time, inside one event
 * type (-1 and -901: the whole run). Each pair is compared by itself, so several records for one
 * type add up to their union. Not compared are: values of -1, event types without an event in the
 * trace of that process (PICL counts some that it does not record; a trace may be statistics only),
 * the volume of -901 (bytes of trace data), record type -105.
 *
 *	struct statistic *list;
 *	size_t n = picl_check_statistics(trace, &list);
 *	for (size_t i = 0; i < n; i++)
 *		if (!list[i].agrees) ...
 *	free(list); */
#pragma once

#include "model/trace/trace.h"

struct statistic {
	uint32_t event; /* the statistics record */
	uint32_t location;
	int32_t rectype;  /* -101 time, -102 count, -103 volume (sent where the file has -104), -104
			      received volume */
	int32_t relative; /* event type inside which it was measured; -1, -901 all */
	int32_t type;     /* event type or subset that it counts */
	int64_t recorded; /* ticks, number or bytes */
	int64_t computed; /* of the events */
	int64_t tolerance; /* for a time: one unit of its last digit per occurrence; else 0 */
	bool agrees;
};

/* ---- the pairs of a statistics record ---- */

struct statistic_pairs {
	const struct trace *trace;
	const char *p;
	int32_t rectype;
	/* The current pair. */
	int32_t type;
	int64_t value;    /* ticks, number or bytes; -1 not measured */
	const char *word; /* the value's text, `n` bytes */
	size_t n;
};

void statistic_pairs_init(struct statistic_pairs *pairs, const struct trace *trace,
			  const struct record *record);
/* The next pair; false at the end, or if it is not understood. */
bool statistic_pairs_next(struct statistic_pairs *pairs);

/* ---- comparing ---- */

/* All pairs that can be compared, in the order of the records; the caller frees *list. */
size_t picl_check_statistics(const struct trace *trace, struct statistic **list);

/* Appends a sentence: "rank 6: the statistics say 3 send0, the events 2". */
void statistic_text(const struct trace *trace, const struct statistic *s, struct str *out);
