/* overhead_replay: the compensated times of three bases in one pass (paper 3): every event in the
 * order of replay.h.
 *
 * For each location and base two sums say how much was taken out of the measured time so far:
 * `gone` for the virtual time v, which runs backward where costs are too large, and `held` for the
 * approximated time a, which never does:
 *
 *	v(e) = v(p) + m(e) - m(p) - cost(p, e)      a(e) = max(a(p), v(e))
 *
 * Paper 3's model clamps each interval instead. Deficits end where the other side decides (a
 * receive, the end of a collective). O(events + messages + parties); memory O(locations + open
 * groups + regions). */
#pragma once

#include "correct/clocks/replay.h"
#include "correct/overhead/overhead_arrival.h"
#include "correct/overhead/overhead_survey.h"

enum { NO_RECORD = COST_KINDS, RECORD_KINDS };
#define NO_TIME INT64_MIN

/* Shares of a segment's records of which the clock was read, and that were noted at all: both 1
 * outside of gaps; and whether each has a delay that was asked for, which gaps have not. */
struct gap_shares {
	double read, noted;
	bool delayed;
};

/* What records cost in one base. */
struct way_cost {
	double factor;  /* of a function's record where its class is not known, 1: as in a loop */
	double of_cost; /* factor of a class: of_cost * cost + of_error * error + its beside */
	double of_error;
	double calls; /* of records of MPI calls */
	double crowd; /* of all of that, where ranks share cores (overhead_crowd.h) */
};

/* Slots of a block that wait for the time of the next event. */
struct untold {
	uint32_t block, from, n;
};

struct overhead_place {
	bool begun;
	int64_t last;                  /* measured time of the event before */
	int64_t t[WAYS];               /* times given to it */
	double gone[WAYS], held[WAYS]; /* ticks */
	uint32_t path;                 /* open */
	uint32_t flush;                /* outermost tool region, 0 none */
	int64_t flush_begin;
	bool told_later;   /* it is at the end of a call, and placed with what follows it */
	uint32_t call;     /* outermost MPI call, 0 none */
	uint32_t sent;     /* message of the last blocking send in it, UINT32_MAX none */
	uint32_t received; /* messages that the call has received */
	struct call_sides sides;
	bool looked;         /* `receives` and `latest_send` are known */
	uint32_t receives;   /* that complete in it */
	int64_t latest_send; /* measured, of all of them */
	int64_t call_begin;
	int64_t call_late;        /* ticks of tool overhead in it, after it came back from MPI */
	int64_t call_pause;       /* the same before it went on into MPI, records and all, */
	int64_t inside;           /* of that: until it went on into MPI, as it was timed, */
	int64_t rest;             /* and of that: what is still to be taken out */
	int64_t after;            /* recording after the latest call, as it was timed; -1 unknown */
	struct virtual_call kept; /* what the open call's rank knew of it, if `keeps` */
	bool keeps;
	bool asked;                   /* the trace knows for whom the call waited */
	struct timed_stretch stretch; /* up to the next one */
	double call_gone[WAYS];
	struct untold untold[2]; /* a call's completions may be in two blocks */
	bool skipped;            /* the segment begins with a gap: a stretch without probes */
	int64_t segment_begin;
	bool gap_ended; /* at gap_end */
	int64_t gap_end;
	uint8_t before;    /* kind of the last record, NO_RECORD */
	uint32_t messages; /* of the call before, which were sent or received: not yet paid */
	bool paid;         /* the cost of the next enter or leave is taken out already */
	const struct record_cost *class; /* whose costs are in the table, NULL the loop's */
	struct gap_shares shares;        /* of records, in the table */
	double cost[WAYS][RECORD_KINDS][RECORD_KINDS]; /* ticks */
	/* sums */
	double removed; /* ticks: of records, best base */
	uint64_t records;
	int64_t local, carried; /* ticks: intervals that no partner set; in deficit */
	int64_t work[2];        /* ticks outside of calls: measured, best */
	int64_t blocking;       /* ticks in sends that waited for their receiver */
};

struct overhead_replay {
	struct trace *trace;
	const struct logical *logical;
	enum time_base from;
	const struct overhead_cost *cost;
	const struct overhead_paths *paths;
	const struct overhead_survey *survey;
	struct overhead_timed *timed;
	bool paper;    /* the paper's model: each interval clamped, every record costs the same */
	bool alike;    /* with that: its equation (12) instead of (13) */
	bool one_cost; /* every record costs the same, also those that are not enters or leaves */
	struct way_cost ways[WAYS];
	struct overhead_place *places; /* [locations] */
	struct overhead_sum *regions;  /* [regions] */
	double zero;                   /* ticks: what was timed before the run's first record */
	uint32_t *posts;               /* [messages] event of a receive's post, or EVENT_NONE */
	uint64_t clamped, extended, violations, flushes;
	int64_t flushed;
};

/* Kept by replay.h of an open group, and of each of its parties. */
struct begin_times {
	bool any;
	int64_t m; /* measured begin, and the tool overhead inside the call added to it */
	int64_t t[WAYS];
	double most, least; /* ticks that were taken out, at most, at least */
};

struct overhead_group {
	struct begin_times latest; /* of the senders */
	bool ended;                /* first_end is known */
	int64_t first_end;         /* (12): the earliest of the receivers, measured */
	uint32_t done;             /* prefix: parties that are folded into their followers' */
};

/* What the end of a party needs to know of the others. */
struct needed_begins {
	struct begin_times latest; /* of those that it waits for */
	int64_t root_end;          /* of one root: measured; NO_TIME without */
	int64_t first_end;         /* (12): of all; NO_TIME: it is not asked for */
	uint64_t bytes;            /* of the group */
	uint64_t parties;
};

/* What goes to other processes with a send: the times given to it. */
struct send_times {
	int64_t t[WAYS];
};

/* Makes the three bases; they are begun before, and not committed. False where progress dropped it
 * or with err. */
bool overhead_replay_run(struct overhead_replay *r, const struct progress *progress,
			 struct err *err);
void overhead_replay_fini(struct overhead_replay *r);

/* ---- overhead_take.c: what records and calls cost, which goes to place->gone ---- */

/* Which costs are in force: of a class of segments (NULL: a loop's), in a gap or not; and in the
 * segment after a call, which is left. */
void take_class(const struct overhead_replay *r, struct overhead_place *place,
		const struct record_cost *class, struct gap_shares shares);
void take_segment(const struct overhead_replay *r, struct overhead_place *place, uint32_t path,
		  uint32_t event);
/* A record `distance` ticks after the event before. True if an interval was clamped. */
bool take_out_record(const struct overhead_replay *r, struct overhead_place *place, unsigned kind,
		     int64_t distance);
/* What was timed inside a call before it went on into MPI, and before the call. */
void take_out_timed(const struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		    int64_t m, uint32_t event);
/* The waiting that recording made, in a call for whose partners the trace has no event. */
void take_out_waiting(const struct overhead_replay *r, struct overhead_place *place, uint32_t what,
		      int64_t m);
/* The same, or less, where a thread was joined. */
void take_out_unshown(const struct overhead_replay *r, struct overhead_place *place, uint32_t what);

/* ---- overhead_pause.c: tool overhead inside calls ---- */

/* Whether a region of the tool from `begin` up to an event, its leave, in the open call, is after
 * the call came back from MPI. */
bool pause_is_late(const struct overhead_replay *r, const struct overhead_place *place,
		   uint32_t event, int64_t begin);
/* Whether an event enters such a region, and a receive or the end of a collective follows it: that
 * one tells when the region began, and not the rank's own clock, which ran on while it waited. */
bool pause_is_told_later(const struct overhead_replay *r, const struct overhead_place *place,
			 uint32_t what, int64_t m, uint32_t event);
/* Its enter, and its leave, which is the next event. */
void pause_note(struct overhead_replay *r, struct overhead_place *place, uint32_t what, int64_t m);
/* Ticks of tool overhead that are still to come in the call around an event, before it goes on into
 * MPI, as far as the next events show them; but for what ends by `until`, which was timed. */
int64_t pause_ahead(const struct overhead_replay *r, const struct overhead_place *place,
		    uint32_t event, int64_t until);

/* ---- overhead_depend.c: events that depend on other locations ---- */

extern const enum time_base way_base[WAYS];
/* Ticks between the stamps of an MPI call, which every measured communication time contains. */
double depend_call_cost(const struct overhead_replay *r, int way);
/* What is taken out of the measured time `m` up to a logical receive goes to gone[WAYS], which
 * holds what it would be if the event were independent. False: it is independent. */
bool depend_receive(struct overhead_replay *r, struct overhead_place *place, int64_t m,
		    uint32_t event, const struct replay_step *step, double *gone);
bool depend_end(struct overhead_replay *r, const struct overhead_place *place, int64_t m,
		uint32_t what, const struct replay_step *step, double *gone);
/* Limits what is taken out: no event comes before those that it depends on. */
void depend_at_least(const struct overhead_replay *r, int64_t m, const struct replay_step *step,
		     double *gone);
/* Notes when a party that sends has begun, once the place has its times. */
void depend_begin(const struct overhead_replay *r, const struct overhead_place *place,
		  uint32_t event, const struct replay_step *step);
/* A step of a group with this process as its home. */
void depend_home(const struct overhead_replay *r, const struct replay_step *step);
/* Ticks of a call that ends now and sent a message, where it waited for the receiver: a large
 * message, or one that is sent synchronously, and the receive began before the call's end. Else
 * 0. */
int64_t depend_blocking(const struct overhead_replay *r, const struct overhead_place *place,
			int64_t m);
