/* replay_state: what the files of a replay share. */
#pragma once

#include "base/stream.h"
#include "base/time_heap.h"
#include "base/vec.h"
#include "correct/clocks/replay.h"

#define NOWHERE UINT32_MAX

enum waiting { WAITS_NOT, WAITS_MESSAGE, WAITS_GROUP, WAITS_HOME };

/* State of a location. */
struct replay_place {
	uint32_t nth, slot; /* next event: block of its location, slot */
	/* The part of the event at `slot`, once determined. */
	uint32_t row, party;
	uint8_t part;
	bool known, forced;
	uint8_t waits;       /* enum waiting */
	uint32_t send;       /* event it waits for */
	uint32_t prev, next; /* locations that wait in the same bucket; NOWHERE */
};

/* A group of which some begins or ends have been handed out and others have not. */
struct open {
	uint32_t id;
	uint32_t next;    /* in its bucket, or of the free ones; NOWHERE */
	uint32_t left;    /* begins and ends not handed out yet */
	uint32_t senders; /* parties that send */
	uint32_t begun;   /* of them */
	uint32_t front;   /* all parties before this one that send have begun */
	bool broken;      /* senders are absent */
	struct group group;
	uint8_t *flags; /* [parties] */
	char *memory;   /* the consumer's: state, then parties */
	size_t flags_cap, memory_cap;
};

/* Of a group at its home all parties are parked from the start. */
enum { PARTY_BEGUN = 1, PARTY_PARKED = 2, PARTY_FORCED = 4 };

struct replay_far;

struct replay {
	const struct logical *logical;
	const struct trace *trace;
	enum time_base base;
	struct replay_sizes sizes;
	struct replay_place *places; /* [locations] */
	uint32_t n_locations;
	uint32_t groups;         /* from here on a part's row is a party at its home elsewhere */
	uint32_t now;            /* location whose turn it is; NOWHERE: none */
	struct time_heap ready;  /* others that can go on */
	struct time_heap parked; /* those that wait; kept only once there was a deadlock */
	bool keeps_parked;
	uint64_t forced;
	uint32_t waiting;   /* locations that wait for a message */
	uint32_t *buckets;  /* by send: first location that waits */
	uint32_t *by_group; /* by id: first open group */
	uint32_t mask;      /* buckets - 1, of both */
	VEC(struct open *) open;
	uint32_t unused;        /* first free one in `open` */
	uint32_t closing;       /* its last party was handed out with the last step */
	struct replay_far *far; /* NULL: the trace is whole */
};

static inline uint32_t replay_bucket(const struct replay *replay, uint32_t key)
{
	return (key * 0x9e3779b1u) >> 7 & replay->mask;
}

/* Lets a location go on. */
void replay_wake(struct replay *replay, uint32_t location);
/* Wakes the locations that wait for a send that was handed out. */
void replay_wake_receivers(struct replay *replay, uint32_t send);

/* ---- replay_groups.c ---- */

/* The open group of an id; NOWHERE if no party waits for another. */
uint32_t replay_group(struct replay *replay, uint32_t id);
/* Hands out the begin or the end of a party. */
void replay_take_party(struct replay *replay, uint32_t slot, struct replay_step *step);
/* True if every sender that the end of a party needs has begun. */
bool replay_party_is_ready(const struct open *open, uint32_t party);
/* Goes on without the senders that have not begun. */
void replay_break_group(struct replay *replay, uint32_t slot);
void replay_close_group(struct replay *replay, uint32_t slot);

/* ---- replay_far.c: what crosses to other processes ---- */

struct replay_far *replay_far_new(const struct replay *replay);
void replay_far_free(struct replay_far *far);
/* Whether the value of a far message (by its place among these), or of a party's home, is here. */
bool replay_far_has_message(const struct replay_far *far, uint32_t place);
bool replay_far_has_answer(const struct replay_far *far, uint32_t number);
/* Sets the value of a step that crosses: of a PART_SEND or PART_BEGIN it is sent with the next call
 * of replay_far_say(). */
void replay_far_give(struct replay *replay, struct replay_step *step);
void replay_far_say(struct replay *replay);
/* A party of a group whose home this is can go on. */
void replay_far_answer(struct replay *replay, uint32_t slot, uint32_t party);
/* Takes what arrived. True: there is a step for a group whose home this is. */
bool replay_far_next(struct replay *replay, struct replay_step *step);
/* No location can go on here. False: so it is in all processes, and nothing is under way. */
bool replay_far_wait(struct replay *replay);
/* Whether this process has the earliest of all locations that are parked; *none: there is none.
 * `mine`: its earliest, or NULL. */
bool replay_far_is_earliest(struct replay *replay, const struct time_entry *mine, bool *none);
/* Asks the home of a party that is parked to go on without those that have not begun. */
void replay_far_break(struct replay *replay, uint32_t number);
