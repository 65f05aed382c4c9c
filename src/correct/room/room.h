/* room: bounds of each clock's error at each time. The error has to be added to the times that the
 * clock shows; that of the clock of reference is 0. From what cannot be otherwise: no message
 * arrives before it is sent, an offset record is right to within its round trip, and clocks run at
 * nearly the same rate. No latency is assumed, and no symmetry (doc/references.md).
 *
 *	room = room_new(clocks, first, last, tick);
 *	room_message(room, from, send, to, recv);	as shown, one call a message
 *	room_group(room, parties, n, ROOM_ALL);		one call a collective
 *	room_rate(room, clock, mean, bend);
 *	room_watch(room);				drift is looked at, not only assumed
 *	room_share(room, x);				of several processes: all have all
 *	room_solve(room, x, &bounds);
 *
 * A message from s to r says x_s(send) - x_r(recv) <= recv - send, x the error. Of each two clocks
 * and pair of windows the tightest message is kept. With the drift from window to window, a path of
 * such bounds is a bound, too, and the shortest one is the tightest.
 *
 * Where bounds contradict each other, the clocks concerned were set or drift more than any should:
 * they are let drift until nothing contradicts.
 *
 * All times are on one line, in any one unit: that of the bounds. Clock 0 is the reference. What is
 * not bounded is infinite. Collectives of more than ROOM_PAIRS clocks go through a node of their
 * own, two bounds a clock; of those of the same clocks the ROOM_GROUPS shortest of a window are
 * kept. Memory: O(clocks x windows + what is kept). Time: one look in a table a message. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exchange.h"
#include "base/shortest.h"

enum { ROOM_WINDOWS = 64, ROOM_PAIRS = 16, ROOM_GROUPS = 8 };

/* Clocks run within 200 ppm of each other: an assumption. */
#define DRIFT_MOST 2e-4

/* MPI_Init and MPI_Finalize may be far from the other messages: clocks may drift so much there at
 * least, twice what is usual. */
#define DRIFT_OUTSIDE 4e-4

/* -INFINITY, INFINITY: nothing bounds it on this side. */
struct room_span {
	double low, high;
};

/* The tightest message of two clocks between two windows. */
struct room_row {
	uint32_t from, to;       /* clocks */
	uint16_t sent, received; /* windows */
	uint32_t n;              /* of how many, but those of MPI_Init and MPI_Finalize */
	double slack;
	double outside; /* how far its ends are outside of the windows */
};

/* Whether a clock drifts by at most DRIFT_MOST against its part's root; a root against clock 0.
 */
enum room_drift {
	DRIFT_ASSUMED, /* messages leave room for more */
	DRIFT_SHOWN,   /* of the mean over each eighth of the run, by messages */
	DRIFT_DOUBTED, /* the shown times drift more, or bounds contradict each other */
	DRIFT_EXCEEDED /* messages exclude it */
};

/* How a clock may still drift, and the part that it is of: clocks that three messages or more
 * connect both ways. */
struct room_clock {
	uint32_t part;            /* the part's root, its first clock */
	uint16_t is_loose, drift; /* in some window; enum room_drift */
	double low, high;         /* drift against the part's root */
	/* The clock's own drift, by messages alone: at least, in the mean over some part of
	 * the run, and at most over an eighth (INFINITY: not known). */
	double least, most;
	/* Medians over windows: of its bounds against clock 0; against the part's root, from
	 * messages. */
	struct room_span usual, usual_inside;
};

/* A clock is set. */
struct room_set {
	uint32_t clock;
	uint32_t window; /* the first one after it; filled in */
	double at;       /* the first time after it */
	double spread;   /* width of the bounds of its size */
	double from, to; /* where it can be: times there may be wrong by its size */
	double size;     /* what was taken out of times after it */
};

/* No window has both sides of a step of its clock. */
struct room_windows {
	double first, length;
	struct room_set *sets; /* [n] by clock and time */
	size_t n;
};

/* Of more edges none are kept: they would take 16 MiB. */
#define ROOM_EDGES_KEPT (UINT64_C(1) << 20)

/* The bounds that the spans were made from, for questions of two clocks: lengths >= 0, to which
 * value[to] - value[from] has to be added. */
struct room_edges {
	uint32_t nodes;
	uint64_t n;             /* 0: none are kept, or their bounds contradict each other */
	struct path_edge *data; /* [n] x_to <= x_from + length */
	double *value;          /* [nodes] */
};

struct room_bounds {
	uint32_t clocks;
	struct room_windows windows;
	/* [clocks * ROOM_WINDOWS] against clock 0; against the part's root, from messages. */
	struct room_span *all, *inside;
	/* [clocks * ROOM_WINDOWS] what a clock may differ by in a window from what drift allows,
	 * because bounds contradict each other there; 0 in general. */
	double *loose;
	struct room_clock *of; /* [clocks] */
	struct room_edges edges;
	uint64_t records, dropped; /* offset records; of them contradicted by messages */
	double drift;              /* what clocks were taken to drift by, at most */
	double reversed;           /* the most by which a message arrives before it is sent */
};

struct room;

/* Times are counted in grains: a difference of two is wrong by less than one. */
struct room *room_new(uint32_t clocks, double first, double last, double grain);
void room_free(struct room *room);

/* Steps of clocks; before messages. */
void room_steps(struct room *room, const struct room_set *sets, size_t n);
uint32_t room_window(const struct room_windows *windows, uint32_t clock, double time);
const struct room_windows *room_windows(const struct room *room);

void room_message(struct room *room, uint32_t from, double send, uint32_t to, double recv);

/* A party of a collective; NAN: it does not send, or does not receive. */
struct room_party {
	uint32_t clock;
	double begin, end;
};

enum room_group {
	ROOM_ALL,    /* the end of each comes after the begin of every other one */
	ROOM_WORLD,  /* the same of MPI_Init and MPI_Finalize, which join no parts */
	ROOM_PREFIX, /* after those of the parties before it */
};

/* The array is reordered. */
void room_group(struct room *room, struct room_party *parties, uint32_t n, enum room_group kind);

/* An offset record says that the error is within +-half of `error` at a time; so many times as much
 * as room_trust() says (1), or more if messages show that records are farther off. */
void room_record(struct room *room, uint32_t clock, double time, double error, double half);

void room_trust(struct room *room, double half_trips);

/* What the times shown make of the clock: its mean rate against what it counted, less 1, and by how
 * much its rate differs from that at most; what that of any clock may differ by unseen. */
void room_rate(struct room *room, uint32_t clock, double mean, double bend);
void room_bend(struct room *room, double bend);

/* Looks at how fast clocks drift by messages alone. Where that is, or may be, more than DRIFT_MOST,
 * all are let drift by some times as much. */
void room_watch(struct room *room);

/* Gives all processes what each has; all call it. x NULL: nothing. */
void room_share(struct room *room, struct exchange *x);

/* Several processes: the first one solves, all get the bounds. room_bounds_fini(). */
void room_solve(struct room *room, struct exchange *x, struct room_bounds *bounds);
void room_bounds_fini(struct room_bounds *bounds);

/* Of the error of `to` at a window less that of `from`: along the shortest paths between the two,
 * which need not lead over the reference, and are never longer than those that do. For details,
 * O(edges log edges). Infinite without edges. */
struct room_span room_between(const struct room_bounds *bounds, uint32_t from, uint32_t from_window,
			      uint32_t to, uint32_t to_window);

/* The kept messages, by from, to, sent, received, until the next call that adds one. */
const struct room_row *room_rows(struct room *room, size_t *n);

/* Half the width of a clock's bounds against its part's root, from messages, the median over
 * windows: its error if messages alone placed it is at most so large. INFINITY: unknown; 0: a root.
 */
double room_half(const struct room_bounds *bounds, uint32_t clock);
/* The least and the largest over windows. */
struct room_span room_worst(const struct room_span *spans);
