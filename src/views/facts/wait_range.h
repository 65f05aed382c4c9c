/* wait_range: a wait between the least and the most that it can have been: its lengths in the bases lower and
 * upper, where the times looked at are the compensated ones and those bases are there. One piece for all
 * that tell waits to people: the list, the explanation, the line below the timeline.
 *
 *	struct wait_bounds bounds;
 *	wait_bounds_begin(&bounds, &query, BOUNDS_WAIT);
 *	wait_length_text(&bounds, location, wait, 3, scale, &text);	"41.2 ms [40.1-41.9 ms]"
 *
 * Borrows the query's analyses. */
#ifndef TVIEW_VIEWS_FACTS_WAIT_RANGE_H
#define TVIEW_VIEWS_FACTS_WAIT_RANGE_H

#include "views/query/view.h"

struct analysis;
struct wait;

struct wait_bounds {
	const struct analysis *of[2]; /* lower, upper; NULL both: there are none, or not yet */
	bool pending;                 /* they are being looked for */
};

enum bounds_wish {
	BOUNDS_PEEK, /* what is there; what is missing is begun */
	BOUNDS_WAIT, /* waits for them */
};

/* Where an analysis fails or is stopped there are no bounds. */
void wait_bounds_begin(struct wait_bounds *bounds, const struct query *query,
		       enum bounds_wish wish);
/* The least and the most in ticks, the wait's own length among them; false where nobody knows. */
bool wait_range(const struct wait_bounds *bounds, uint32_t location, const struct wait *wait,
		double *low, double *high);
/* Appends its length, and the range where one is known and the digits tell its ends apart. */
void wait_length_text(const struct wait_bounds *bounds, uint32_t location, const struct wait *wait,
		      int digits, const struct timescale *scale, struct str *out);

#endif
