/* interval: what a location did between two of its synchronisation points, by call path (C12).
 *
 * R(a, e)[c] is the exclusive time of call path c in [enter of a's call, enter of e's call). The
 * idle time of a device's stream has the call paths that made it late (stream_idle.h).
 * Stretches between neighbouring points are summed up once, with the waiting of their first point
 * taken off; sums of 16, 256, ... stretches are above them. So an interval costs O(log points)
 * sums, however many events it has (the master of a farm has met thousands of others since it met
 * this one).
 *
 *	struct path_sheet sheet;			... one for a thread
 *	path_sheet_init(&sheet, call paths);
 *	intervals_add(intervals, location, a, e, &sheet);
 *	for (i < sheet.n) use(sheet.touched[i], sheet.of[sheet.touched[i]]);
 *	path_sheet_clear(&sheet);
 *
 * Memory: 8 bytes for each call path of each stretch, about 1.1 times that with the levels above.
 * Threads: made, any number may read. */
#pragma once

#include "patterns/causes/points.h"

/* Ticks by call path, of which few are not zero. */
struct path_sheet {
	int64_t *of;       /* [call paths] */
	uint32_t *touched; /* [n], in no order; some may be 0 in `of` */
	bool *is;          /* [call paths] in touched */
	uint32_t n;
};

void path_sheet_init(struct path_sheet *sheet, uint32_t paths);
void path_sheet_fini(struct path_sheet *sheet);
void path_sheet_clear(struct path_sheet *sheet);

static inline void path_sheet_add(struct path_sheet *sheet, uint32_t path, int64_t ticks)
{
	if (!sheet->is[path]) {
		sheet->is[path] = true;
		sheet->touched[sheet->n++] = path;
	}
	sheet->of[path] += ticks;
}

/* X of 8.2, from point `from` on: below 0 is nothing, and of the first call only what was its own
 * choice counts. */
void path_sheet_cut(struct path_sheet *sheet, uint32_t from, const struct point *first);

struct intervals;

/* One pass over all events. NULL: progress stopped it. Borrows the points and `idle`. */
struct stream_idle;
struct intervals *intervals_new(const struct trace *trace, enum time_base base,
				const struct points *points, const struct stream_idle *idle,
				unsigned jobs, const struct progress *progress);
void intervals_free(struct intervals *intervals);

/* Adds R(from, to) without the waiting at the points strictly between (8.2's X before it is cut at
 * 0 and the call of `from` is taken off). `to` may be the number of points: up to the location's
 * end. */
void intervals_add(const struct intervals *intervals, uint32_t location, uint32_t from, uint32_t to,
		   struct path_sheet *sheet);
/* Prefetch for an interval that begins at `from`: first the places of its sums, then the sums. */
void intervals_near(const struct intervals *intervals, uint32_t location, uint32_t from);
void intervals_here(const struct intervals *intervals, uint32_t location, uint32_t from);
/* The location's whole exclusive time by call path, waiting included. O(points / 16^k sums). */
void intervals_profile(const struct intervals *intervals, uint32_t location,
		       struct path_sheet *sheet);
const struct point *intervals_point(const struct intervals *intervals, uint32_t location,
				    uint32_t row);
/* Waiting at the points strictly between (8.2's P), ticks. */
int64_t intervals_waited(const struct intervals *intervals, uint32_t location, uint32_t from,
			 uint32_t to);

/* Adds the waiting at a point, `sign` times, to the call paths in which the location was: polling
 * is in several. */
void intervals_wait(const struct intervals *intervals, uint32_t location, const struct point *point,
		    int sign, struct path_sheet *sheet);

/* Adds what of [t0, t1) was estimated, by call path: an excess up to twice its error, half of it,
 * says nothing (model/trace/gap.h). */
void intervals_estimated(const struct intervals *intervals, uint32_t location, int64_t t0,
			 int64_t t1, struct path_sheet *sheet);
/* Whether there is anything that was estimated. */
bool intervals_have_gaps(const struct intervals *intervals);
/* Exclusive time by call path in [t0, t1), `sign` times. O(log events + events inside). */
void intervals_walk(const struct intervals *intervals, uint32_t location, int64_t t0, int64_t t1,
		    int sign, struct path_sheet *sheet);
