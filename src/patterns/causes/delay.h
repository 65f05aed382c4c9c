/* delay: which work, and which waiting, made a location wait: delay costs (C13 to C15).
 *
 * A waiter and its delayer both start at the last point that they met at. What the delayer did
 * beyond the waiter since (d, by call path), and the waiting that it did itself (P), made the
 * waiter wait; so its waiting w is charged in the shares d[c] / (d + P) to call paths, and w' / (d
 * + P) to the delayer's own waits, whose causes are charged in turn (long-term). All of that is
 * linear in what is waited: the shares are found once, and the costs of the waits of any window
 * follow from a replay over the points against time, in which a location passes a point when all
 * that waited for it there are done.
 *
 * Intervals of waits overlap: what they charge to the points in them is a running sum, entered at
 * the end of the interval and left at its beginning. O(points + shares), no recursion. Cycles of
 * waits (the trace contradicts itself) are cut, and counted.
 *
 * Threads: made, any number may read. Borrows points and intervals. */
#pragma once

#include "patterns/causes/interval.h"

struct delay {
	uint32_t location, point;    /* who waited, and where */
	uint32_t other, other_point; /* who was waited for */
	uint32_t from, other_from;   /* points: the last that they met at; 0 the beginning */
	uint32_t next_from;          /* that begins at the same point of the other, POINT_NONE */
	uint32_t n;                  /* call paths in which the other did more */
	uint32_t slot;               /* of the charges to points between, POINT_NONE: none */
	size_t first;                /* in the shares of the other */
	int64_t waited;              /* P, ticks */
	double total;                /* d + P, ticks; 0: nothing explains it */
	double estimated; /* of d, in no share: an excess that may be an error (interval.h) */
	double most;      /* largest share of this wait that made another one wait */
};

/* What a location did beyond those that waited for it. */
struct excesses {
	uint32_t *paths;
	double *ticks;
	size_t n, paths_cap, ticks_cap;
};

/* Of a delay whose waiter is in another process: what that one found. */
struct far_delay {
	double scale; /* delay_scale() */
	uint8_t cls;  /* enum delay_class */
};

/* Who waited for a point of another location. */
struct waiter {
	uint32_t row;  /* of its delay */
	uint32_t slot; /* the delay's */
};

struct delays {
	const struct points *points;
	const struct intervals *intervals;
	struct delay *data; /* [n] by location, then point; then those of other processes' waiters
			       for points of this one, as points->far has them */
	size_t n, own;      /* own: of this process' waiters */
	struct far_delay *far;  /* [n - own] */
	struct waiter *waiters; /* [n_waiters] by point that was waited for, then by row */
	uint32_t n_waiters;
	uint32_t slots;          /* numbered in the order of `waiters` */
	struct excesses *excess; /* [locations] */
	uint32_t **at; /* [locations][points + 1] who waited for the point: waiters from here to the
			  next point's */
	uint32_t **from; /* [locations][points] first that begins there */
};

/* NULL: progress stopped it. `points` gets the rows of its delays. */
struct delays *delays_new(const struct trace *trace, struct points *points,
			  const struct intervals *intervals, unsigned jobs,
			  const struct progress *progress);
void delays_free(struct delays *delays);
/* ---- for delay.c ---- */

/* How many rows ahead to prefetch: they are scattered in memory. */
enum { DELAYS_AHEAD = 12 };

/* n rows of POINT_NONE, the caller's. */
uint32_t *delay_rows(size_t n);
/* Makes a delay for each wait of which the other point is known, and lists the waiters of each
 * point of this process. */
void delays_pair(struct delays *delays, unsigned jobs);

/* ---- asking ---- */

/* w / (d + P): at most 1 between two, of collectives as it is (C13, C14); 0 without a cause. */
double delay_scale(const struct delays *delays, const struct delay *delay);

/* What came of the waiting in a window, ticks; waited = charged + unexplained. */
struct delay_account {
	double waited[DELAY_CLASSES];
	double charged[DELAY_CLASSES];
	double unexplained[DELAY_CLASSES];
	uint64_t cut; /* points that were passed before all who waited there */
};

/* Adds delay_* and the classes of waits (8.5) of the waits in [t0, t1) to a cube. False:
 * stopped. */
bool delays_charge(const struct delays *delays, const struct analysis *analysis, struct cube *cube,
		   int64_t t0, int64_t t1, struct delay_account *account,
		   const struct progress *progress);
/* Who is told what is charged to the work of a location between two of its points; for each delay
 * once, in no order. */
struct delay_listener {
	void (*on_cost)(void *context, const struct delay *delay, double ticks);
	void *context;
};
/* Charges the waits of the whole run, and tells the costs to the process of the one that was waited
 * for. False: stopped. */
bool delays_tell(const struct delays *delays, const struct analysis *analysis,
		 const struct delay_listener *listener, const struct progress *progress);
/* Ticks of a point's wait inside [t0, t1). */
int64_t delay_inside(const struct analysis *analysis, uint32_t location, const struct point *point,
		     int64_t t0, int64_t t1);
