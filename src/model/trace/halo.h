/* halo: the other ends of messages between processes that share a trace (base/exchange.h). A
 * process has copies of those events of other processes' locations that end, or post, a message of
 * its own locations: its ghosts. So a message has both ends wherever one of them is, and whoever
 * looks at an end need not know whose it is.
 *
 * A ghost is a visit of three events in a block of its location that no list of blocks has: the
 * enter of the innermost region around it, the event, and the leave. Where the trace has no enter
 * (leave), the ghost's has the time of its location's first (last) event. Ghosts have all ids from
 * trace->halo->first on. Their times in a base are the owner's, exchanged when the base is made.
 * The ghost of a party of a group has its begin, and its end in the place of the leave.
 *
 * A message between two processes has a row in both. The receiver's is called far: what counts
 * messages leaves it out. Far rows follow those of the process' own sends; unmatched receives come
 * last. */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"

enum { GHOST_EVENTS = 3 };

/* An event of this process that another one has as a ghost, and the call around it; EVENT_NONE
 * where the trace has none. */
struct halo_call {
	uint32_t enter, event, leave;
};

/* Calls given and ghosts taken, by process; what a process gives, its partner takes in the same
 * order. */
struct halo_list {
	struct halo_call *given;
	uint32_t *taken;                   /* ghosts */
	size_t *given_first, *taken_first; /* [processes + 1] */
};

enum halo_kind {
	HALO_SENDS,
	HALO_RECVS,   /* completions, or the request where it was never completed */
	HALO_POSTS,   /* requests of receives that were completed */
	HALO_PARTIES, /* of groups, for their homes; only after ghosts_share() */
	HALO_KINDS
};

/* A collective whose members may be in several processes. */
struct halo_turn {
	uint32_t turn;    /* of its callers on their communicator */
	uint32_t which;   /* of the collectives of that turn */
	uint32_t members; /* in all processes */
};

struct halo {
	uint32_t *process;           /* [locations] that has its events */
	uint32_t first;              /* ghost; events below it are this process' */
	size_t ghosts;               /* but those of parties */
	uint32_t *at;                /* [ghosts] place of the event on its location */
	uint32_t far_first, far_end; /* message rows */
	struct halo_list lists[HALO_KINDS];
	bool by_time;                /* collectives are in the order in which they began */
	uint32_t first_turn;         /* collective; those below it have all their members here */
	VEC(struct halo_turn) turns; /* of those from first_turn on */
};

/* process[location] has a location's events (copied). */
struct halo *halo_new(const uint32_t *process, size_t locations);
void halo_free(struct halo *halo);

/* Makes room for n calls that processes to[i] get: the i-th is given[place[i]]. */
void halo_list_give(struct halo_list *list, uint32_t processes, const uint32_t *to, size_t n,
		    size_t *place);
/* Makes room for ghosts of which each process sent rows of `size` bytes: first[p] .. first[p + 1] -
 * 1 bytes. */
void halo_list_take(struct halo_list *list, uint32_t processes, const size_t *first, size_t size);

/* Writes the ghosts' times in a base whose column has those of all other events, be it made or not.
 * All processes call it; without memory it ends the program. */
void halo_times(struct trace *trace, enum time_base base);
/* The same for one kind of ghosts, whose blocks are the last ones, from `block` on. */
void halo_times_of(struct trace *trace, enum time_base base, enum halo_kind kind, uint32_t block);

/* Takes over the places of the ghosts' events on their locations, once all ghosts are made. All
 * processes call it. */
void halo_places(struct trace *trace);

/* Ghosts have numbers: below the count, but for those of parties. */
size_t halo_number(const struct halo *halo, uint32_t ghost);
size_t halo_ghosts(const struct halo *halo);
/* What the owners of a kind of ghosts say of their events, `size` bytes each: said[number of the
 * ghost]. All processes call it. */
typedef void halo_say(void *context, uint32_t event, void *said);
void halo_ask(const struct trace *trace, enum halo_kind kind, size_t size, halo_say *say,
	      void *context, void *said);

/* ---- for those who only read ---- */

/* Whether another process' location has the event. */
bool trace_is_ghost(const struct trace *trace, uint32_t event);
/* The place of a ghost's event on its location; not of a party's. */
uint32_t halo_place(const struct halo *halo, uint32_t ghost);
/* [locations] trace_event_number() of each one's first event; NULL where the trace is whole, and an
 * event's number is its id. The caller's. */
uint64_t *trace_first_numbers(const struct trace *trace);
/* trace_event_number() of an event by these, in O(1). */
uint64_t trace_number_by(const struct trace *trace, const uint64_t *first, uint32_t event);
/* The event of a location of this process with a number: they ascend. O(log events). */
uint32_t trace_event_numbered(const struct trace *trace, uint32_t location, uint64_t number);
/* Whether the message is counted by another process, that of its sender. */
bool trace_message_is_far(const struct trace *trace, uint32_t row);
/* Whether this process has a location's events. */
bool trace_has_location(const struct trace *trace, uint32_t location);
/* The process that has them; 0 where the trace is whole. */
uint32_t trace_process_of(const struct trace *trace, uint32_t location);
/* [messages] Of one that this process sends to another: its place among all that it sends there;
 * else UINT32_MAX. The caller's. */
uint32_t *halo_send_places(const struct trace *trace);
/* Tells the receivers' processes of messages that were sent here, and are received elsewhere (the
 * others are left out): *told are the rows of far messages that others told of, *n of them; the
 * caller's. All processes call it. O(messages). */
void halo_tell(const struct trace *trace, const uint32_t *rows, size_t n_rows, uint32_t **told,
	       size_t *n);
/* The first collective whose members may be in several processes, of a trace that is shared, and
 * what is known of one of them. */
uint32_t trace_first_turn(const struct trace *trace);
const struct halo_turn *trace_turn(const struct trace *trace, uint32_t collective);
/* The process that evaluates the calls of a turn on a communicator. */
uint32_t trace_home(const struct trace *trace, uint32_t comm, uint32_t turn);
/* The blocks with ghosts: first .. end - 1; none where the trace is whole. */
void trace_ghost_blocks(const struct trace *trace, uint32_t *first, uint32_t *end);
