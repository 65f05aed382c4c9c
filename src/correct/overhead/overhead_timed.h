/* overhead_timed: what ranks that keep virtual time (tvrun --virtual-time) timed of each call of
 * MPI themselves: from its entry until it went on into MPI, with a hold of a receive from any
 * source, and what recording took after it. Compensation takes both out as they are. */
#pragma once

#include "base/vec.h"
#include "correct/overhead/overhead_paths.h"
#include "correct/virtual/virtual_values.h"

struct overhead_timed {
	uint32_t set;           /* of the values; UINT32_MAX: the trace has none */
	VEC(int64_t) distances; /* before the records of a stretch */
};

struct overhead_timed timed_make(const struct trace *trace);

/* Between two calls: what of the time before events was timed, beside regions of the tool. Each
 * function's record has the same, as far as there was time before it; what even they have no room
 * for is before regions of the tool and the next call, as late as there is time. Bounds do not know
 * where it was: as early as can be, as late. */
struct timed_stretch {
	bool known;
	bool even;                /* in all bases: the location's first one has no earlier time */
	double each, rest;        /* ticks before each record, and before others, */
	double room;              /* whose time this is, of those to come */
	double early, late, free; /* not taken yet; the time of all to come */
	uint32_t
		end; /* the enter of the next call, or a thread's wait for others, as it was kept */
};
/* From an event on; its first one is `first`. `after`: ticks of recording right after the event;
 * `left`: intrusion after that, as it was kept. */
struct timed_stretch timed_ahead(struct overhead_timed *timed, const struct trace *trace,
				 const struct overhead_paths *paths, enum time_base base,
				 uint32_t event, bool first, int64_t after, int64_t left);
/* Whether the first record of a location, which begins with an event, is a function's: what was
 * timed before it is before all times of the location. */
bool timed_begins_delayed(const struct trace *trace, const struct overhead_paths *paths,
			  enum time_base base, uint32_t event);
/* What was timed before the run's first record. */
double timed_before_first(struct overhead_timed *timed, const struct trace *trace,
			  const struct overhead_paths *paths, enum time_base base);
/* Whether the location that begins with an event is a thread that the program made, and what it
 * knew of itself. */
bool timed_birth(const struct overhead_timed *timed, const struct trace *trace, enum time_base base,
		 uint32_t event, struct virtual_call *birth);
void timed_fini(struct overhead_timed *timed);
/* The values of the call that begins with an event, or that a message of its is at: false where it
 * has none. O(1). */
bool timed_call(const struct overhead_timed *timed, const struct trace *trace,
		const struct overhead_paths *paths, enum time_base base, uint32_t event,
		struct virtual_call *call);
/* Takes over from their processes what is known of the calls around ghosts, for paths->far; where
 * the trace is whole, nothing. All processes call it. */
void timed_share(const struct overhead_timed *timed, const struct trace *trace,
		 struct overhead_paths *paths, enum time_base base);
/* Ticks from the entry of the call around an event until it went on into MPI; 0 unknown. */
int64_t timed_inside(const struct overhead_timed *timed, const struct trace *trace,
		     const struct overhead_paths *paths, enum time_base base, uint32_t event);
