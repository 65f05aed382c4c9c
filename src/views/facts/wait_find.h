/* wait_find: the wait states of a visit, at an event, after a time, and how long they were.
 * Waits that are part of another one's time (wait_counts()) are skipped. */
#pragma once

#include "patterns/analysis/analysis.h"
#include "views/query/view.h"

/* The index of the first wait of a location that begins at or after t, or its number of waits if
 * none does. O(log waits). */
size_t wait_first(const struct analysis *analysis, uint32_t location, int64_t t);

/* The waits of a visit [t0, t1) of a call path: how many, how long together, and the longest, NULL
 * without. O(waits that begin in the visit), bounded. */
struct visit_waits {
	const struct wait *longest;
	size_t n;
	int64_t length; /* ticks */
};
struct visit_waits waits_of_visit(const struct analysis *analysis, uint32_t location, uint32_t path,
				  int64_t t0, int64_t t1);

/* The wait that an event ends or is inside of; UINT32_MAX without. */
uint32_t wait_of_event(const struct analysis *analysis, uint32_t event);

/* True for a wait of a metric or of one below it in the tree. */
bool wait_is_of(const struct wait *wait, enum cube_metric metric);
/* ---- lengths, with their lower and upper bounds ---- */

/* The waits in the bases lower and upper, if the query's base is compensated and those bases exist.
 * Borrows the query's analyses.
 *
 *	wait_bounds_begin(&bounds, &query, BOUNDS_WAIT);
 *	wait_length_text(&bounds, location, wait, 3, scale, &text);	"41.2 ms [40.1-41.9 ms]" */
struct wait_bounds {
	const struct analysis *of[2]; /* lower, upper; NULL both: there are none, or not yet */
	bool pending;                 /* they are being looked for */
};

enum bounds_wish {
	BOUNDS_PEEK, /* takes what is there; starts the analyses that are missing */
	BOUNDS_WAIT, /* waits for them */
};

/* If an analysis fails or is stopped there are no bounds. */
void wait_bounds_begin(struct wait_bounds *bounds, const struct query *query,
		       enum bounds_wish wish);
/* The bounds of a wait's length in ticks, which include its own length; false if unknown. */
bool wait_range(const struct wait_bounds *bounds, uint32_t location, const struct wait *wait,
		double *low, double *high);
/* Appends a wait's length, and its range if that is known and its ends differ in the digits
 * shown. */
void wait_length_text(const struct wait_bounds *bounds, uint32_t location, const struct wait *wait,
		      int digits, const struct timescale *scale, struct str *out);
/* "Late Sender 1.702 ms [1.699-1.705 ms]". */
void wait_text(const struct trace *trace, const struct wait_bounds *bounds, uint32_t location,
	       const struct wait *wait, struct str *out);
