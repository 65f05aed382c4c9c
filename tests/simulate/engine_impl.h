/* engine_impl: what the parts of the engine share: records and calls (engine.c), messages
 * (letters.c), collectives and offset measurements (meetings.c). */
#pragma once

#include "base/keymap.h"
#include "capture/lib/virtual_keeper.h"
#include "chance.h"
#include "engine.h"
#include "queue.h"

#define NO_MESSAGE UINT32_MAX
#define NO_CALL    (UINT32_MAX - 1) /* of what comes next: a receive that is held looks again */

/* A message on its way, or not yet asked for. */
struct letter {
	int64_t arrival;
	int64_t entered; /* its send was */
	int64_t sent;    /* it left; from then on it is under way */
	int64_t intrusion;
	struct virtual_entry kept;
	bool synchronous; /* its sender waits until it is received */
	int32_t source;
	uint32_t dest;
	uint32_t bytes;
	uint32_t next; /* of those that wait at dest, or that are free */
	uint16_t tag;
};

/* A receive that waits, or the request of one; with `done` what it got. */
struct wanted {
	int32_t source;
	uint16_t tag;
	bool done;
	bool is_send;
	uint32_t request;
	uint32_t bytes;
	uint32_t rank;   /* whose, */
	uint64_t nth;    /* and of how many posts before */
	int64_t at;      /* when it was posted, then when it was done */
	int64_t entered; /* with `done`: the send of what it got */
	struct virtual_entry post, partner;
	struct virtual_entry kept_post, kept_partner; /* as recorders know them */
};

/* A point of a rank's way from one call of MPI to the next. */
struct stretch {
	int64_t real, moved;
};

/* The gap of a rank: a segment in which the clock is read seldom (gap.c). */
struct gap_state {
	bool open, blank; /* blank: no notes either */
	uint32_t number, blanks;
	uint32_t records, read; /* of functions, in this one; of them with the clock */
	size_t from;            /* first event since the clock was read, */
	int64_t read_at;        /* which was then */
};

struct actor {
	struct plan plan;
	int64_t now;
	struct op op;              /* the call of MPI it is in */
	int64_t entered;           /* since */
	VEC(struct wanted) wanted; /* in the order they were posted */
	size_t open;               /* of these not done */
	bool waits;                /* the call ends with the last of them */
	uint32_t first, last;      /* letters nobody has asked for */
	uint32_t requests;
	uint64_t sent, posts, calls, stamps, meetings;
	size_t followed;
	bool left_out; /* this segment has no probes */
	int64_t left_from;
	struct gap_state gap;
	bool measured_end; /* the offsets, inside MPI_Finalize */
	bool ended;
	int64_t intrusion; /* at its time */
	int64_t synchronisation;
	bool meets, rendezvous,
		held; /* what it waits for: a collective, a synchronous send, control */
	int64_t held_since, looks_at; /* looks_at: the next look that is queued */
	struct virtual_keeper keeper;
	struct virtual_learnt *learnt; /* NULL: it does not keep virtual time */
	VEC(uint32_t) under_way; /* control: letters sent to it and not received, by time sent */
	VEC(struct stretch) way; /* control: since it left the last call */
};

/* A collective, from the first that came to the last that left. */
struct meeting {
	uint32_t came, left;
	uint32_t upward;            /* ranks below have come */
	int64_t latest;             /* of those that came; upwards: of ranks below `upward` */
	int64_t *at;                /* [ranks] when each came, -1 not yet */
	int64_t *entered;           /* [ranks] its call */
	int64_t *intrusion;         /* [ranks] at `at` */
	struct virtual_entry *kept; /* [ranks] */
};

struct engine {
	const struct settings *settings;
	const struct run *follow;
	struct program program;
	struct run *run;
	struct actor *actors;
	bool measured;
	int64_t cost[REGIONS]; /* of a record */
	int64_t guard, gap_note;
	struct virtual_costs costs; /* as a recorder knows them */
	VEC(struct letter) letters;
	uint32_t free_letter;
	struct keymap pairs; /* (from, to): row of last_arrival */
	VEC(int64_t) last_arrival;
	VEC(struct meeting) meetings;
	uint64_t first_meeting;
	struct meeting offsets; /* the one in which they are measured: not counted */
	struct queue queue;
	int64_t now;   /* of what happens */
	size_t n_held; /* receives */
};

/* ---- engine.c ---- */

void engine_note(struct engine *e, uint32_t rank, enum happening_kind kind, uint8_t region,
		 int64_t time);
/* Plans up to the next call of MPI, which waits for its time: nothing else happens. */
void engine_go_on(struct engine *e, uint32_t rank);
/* The actor, whose call is over at its time, needed what `by` brought to a call that it entered
 * then. */
void engine_note_blocked(struct engine *e, uint32_t rank, uint32_t by, int64_t entered);
/* The call of MPI is over, at the actor's time. */
void engine_leave_call(struct engine *e, uint32_t rank);

/* The recorder takes time. */
static inline void engine_intrude(struct engine *e, uint32_t rank, int64_t time)
{
	e->actors[rank].now += time;
	e->actors[rank].intrusion += time;
}

/* The call ended at the actor's time, and depended on what the sum has. */
static inline void engine_settle(struct engine *e, uint32_t rank, struct virtual_sum *sum,
				 enum virtual_rule rule)
{
	const struct virtual_end end = virtual_complete(sum, rule);

	e->actors[rank].intrusion = end.intrusion;
	e->actors[rank].synchronisation = end.synchronisation;
}

/* It depended on this one, whose lag is known. */
static inline void engine_depend(struct virtual_sum *sum, struct virtual_entry e)
{
	virtual_depend(sum, e, virtual_about(e.lag, 0));
}

/* ---- keep.c: virtual time as a recorder keeps it, if settings->keep ---- */

void keep_begin(struct engine *e);
void keep_end(struct engine *e);
/* A record of a region, beside what it costs: the delay of a function's before its time. */
void keep_delay(struct engine *e, uint32_t rank);
/* A call is entered, and left, at these times: takes what recording it costs. */
void keep_enter(struct engine *e, uint32_t rank, int64_t time);
void keep_leave(struct engine *e, uint32_t rank, int64_t time);
/* The call under way goes on after a hold; received what that request has; sent what that receive
 * took; ends a collective. */
void keep_held(struct engine *e, uint32_t rank);
void keep_receive(struct engine *e, uint32_t rank, const struct wanted *w);
void keep_rendezvous(struct engine *e, uint32_t rank, const struct wanted *w);
void keep_meeting(struct engine *e, uint32_t rank, const struct meeting *m, enum virtual_rule rule);

/* ---- hold.c: control of receives from any source ---- */

/* The receive from any source is held, or gets its source at once. */
void hold_receive(struct engine *e, uint32_t rank);
/* Something has happened: lets in what is certain now. */
void hold_look(struct engine *e);
/* A letter that nobody takes yet, or its removal. */
void hold_add(struct engine *e, uint32_t id);
void hold_remove(struct engine *e, uint32_t id);

/* ---- letters.c ---- */

int64_t letter_copying(const struct engine *e, uint32_t bytes);
int64_t letter_latency(const struct engine *e, uint32_t from, uint32_t to);
/* The same, in that direction. */
int64_t letter_way(const struct engine *e, uint32_t from, uint32_t to);
/* How long something waits for a core; mostly not at all. */
int64_t letter_nap(const struct engine *e, enum chance what, uint64_t who, uint64_t nth);
/* An exponential addition to a latency, and a nap. */
int64_t letter_delay(const struct engine *e, enum chance what, uint64_t who, uint64_t nth);
/* What a call does when its time has come. */
void letter_send(struct engine *e, uint32_t rank);
void letter_receive(struct engine *e, uint32_t rank);
/* The same from this source. */
void letter_receive_from(struct engine *e, uint32_t rank, int32_t source);
void letter_wait(struct engine *e, uint32_t rank);
/* A message is there. */
void letter_arrive(struct engine *e, uint32_t rank, uint32_t id);

/* ---- meetings.c ---- */

void meeting_come(struct engine *e, uint32_t rank);
/* Offsets: behind MPI_Init and inside MPI_Finalize, which then comes itself. */
void meeting_measure(struct engine *e, uint32_t rank);

/* ---- gap.c ---- */

/* A segment begins; `drawn`: it may be a gap. */
void gap_begin(struct engine *e, uint32_t rank, bool drawn);
/* A function's record in it. */
void gap_record(struct engine *e, uint32_t rank, enum happening_kind kind, uint8_t region);
/* The segment ends. */
void gap_end(struct engine *e, uint32_t rank, int64_t time);
