/* overhead_arrival: when a call ends that waits for others, or for none: for a message, or for
 * other ranks in a collective.
 *
 * A call depends on several sides: its own begin, and those of its partners. From each side on it
 * takes a lag until the call can end, and the last of them lets it end. Which one that was in the
 * measured run is mostly not known, so that the lag of the others is not: a message that is sent
 * before its receive begins may have been there since then, or have let the receive end. Each lag
 * is in a range, and over by the end of the call, `until`. So without recording, where the side is
 * at `a` instead of `time`, the call ends
 *
 *	not before	max (a + smallest lag), nor before the least a + (until - time) of the
 *			sides that may have let it end: those whose largest lag reaches `until`
 *	not after	max (a + min (largest lag, until - time))
 *
 * and later by the time that no lag explains, which is kept. If nothing is known of lags, that is
 * between the smallest and the largest time that was taken out of the sides (the recorder has the
 * same bounds: capture/lib/virtual_time.h). */
#pragma once

#include "correct/overhead/overhead_latency.h"

/* The bases, in the order of enum time_base. */
enum { BEST, LOWER, UPPER, WAYS };

/* Bounds of a call's end, of the sides so far; times are relative to it. */
struct call_sides {
	double until[WAYS]; /* its end, without what its own records cost */
	double low, high;
	double decided; /* the least that a side gives that may have let it end, */
	double any;     /* and the least of all */
	double reach;   /* the latest that ranges explain */
};

void sides_begin(struct call_sides *s, const double until[WAYS]);
void sides_add(struct call_sides *s, double time, const double a[WAYS], double least, double most);
/* Several of whose lags nothing is known: the latest begin in each base, and the least and the most
 * that was taken out of one. */
void sides_add_some(struct call_sides *s, const double latest[WAYS], double least, double most);
/* All sides are there: the end in the bases LOWER and UPPER, and that of BEST, which is between
 * them. */
void sides_end(const struct call_sides *s, double end[WAYS]);

/* A receive and what it depends on, relative to its measured time. */
struct arrival {
	double send, exit_send, enter; /* measured */
	double send_a[WAYS], enter_a[WAYS];
	double copy;
	bool latency_known, receive_known;
	struct quantiles latency, receive;
	double within; /* time in which all messages arrived; INFINITY: unknown */
	double latest; /* send of the last message that the call received */
	bool overlaid; /* it is another's: what was measured contains waiting for that */
};

/* The end in the base BEST; `call_cost`: of the call's own records. */
double arrival_best(const struct arrival *a, double call_cost);
/* Ticks that the call took beyond twice what nearly all messages take, after the last one was sent
 * and it began: something else may have come between. 0: nothing is known. */
double arrival_interrupted(const struct arrival *a, double call_cost);
/* The sender's side, and the receiver's. */
void arrival_sender(const struct arrival *a, struct call_sides *s);
void arrival_receiver(const struct arrival *a, struct call_sides *s);
