/* message: point-to-point messages and collectives as rows of their own, and searches for those
 * that cross a window of time.
 *
 * Messages are matched FIFO per (source, destination, tag, communicator): sends in their order,
 * receives in the order in which they were posted (MPI's non-overtaking rule). If the source is
 * unknown, the earliest unmatched send with that destination and tag is taken and the row is marked
 * guessed. MPI does not order what several threads of a rank send or receive at once: those are
 * paired by time and marked, too. A row whose other end is missing has a flag for it and the
 * partner's rank. Receives that
 * were posted and never completed keep their turn; cancelled sends and receives have none. Ends are
 * distinguished by rank, not by PICL's process. */
#pragma once

#include "model/trace/trace.h"

enum message_flag {
	MSG_NO_SEND = 1 << 0, /* `send` holds the source's rank (RANK_UNKNOWN without) instead of an
				 event */
	MSG_NO_RECV = 1 << 1, /* `recv` holds the destination's rank instead of an event */
	MSG_GUESSED = 1 << 2, /* matched without knowing the source */
	MSG_BROADCAST = 1 << 3,    /* one of several rows of a send to all (PICL destination -1) */
	MSG_SEND_REQUEST = 1 << 4, /* nonblocking send */
	MSG_RECV_REQUEST = 1 << 5, /* nonblocking receive */
	MSG_CANCELLED = 1 << 6,
	MSG_RECV_PENDING = 1 << 7, /* request without completion: `recv` is the request */
	MSG_RECV_BLOCKED = 1 << 8, /* the completing call waited (PICL -52, -61) */
	MSG_SEND_BLOCKED = 1 << 9, /* PICL -31 */
	MSG_MODE_SHIFT = 10,       /* two bits: standard, buffered, synchronous, ready */
	MSG_MODE_MASK = 3 << 10,
	MSG_NO_BYTES = 1 << 12, /* size unknown */
	MSG_NO_TAG = 1 << 13,
	MSG_TURN_GUESSED = 1 << 14, /* threads of one end's rank sent or received at once: which of
				       their messages it is was decided by time */
	MSG_NO_COMM = 1 << 15,      /* of a posted receive: its completion has the communicator */
};

struct message {
	uint32_t send; /* event, or (int32_t) rank: MSG_NO_SEND */
	uint32_t recv; /* event, or (int32_t) rank: MSG_NO_RECV */
	uint32_t comm;
	int32_t tag;
	uint32_t bytes_low;
	uint16_t bytes_high;
	uint16_t flags; /* enum message_flag */
};

static inline uint64_t message_bytes(const struct message *m)
{
	return (uint64_t)m->bytes_high << 32 | m->bytes_low;
}

/* True if both ends are events, and the receive was completed: the message has a latency. */
static inline bool message_arrived(const struct message *m)
{
	return !(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING | MSG_CANCELLED));
}

uint32_t trace_message_count(const struct trace *trace);
const struct message *trace_message(const struct trace *trace, uint32_t id);
/* True where a thread of a process tests or completes a request that another one began. Writers
 * then number requests by their messages, since numbers by location would be ambiguous. */
bool trace_hands_over(const struct trace *trace);
/* The number of a request by its message, from 1. */
static inline uint32_t message_request(uint32_t id, bool sends)
{
	return 2 * id + (sends ? 1 : 2);
}
/* World ranks of sender and receiver (RANK_UNKNOWN if not recorded), matched or not. */
int32_t message_source(const struct trace *trace, const struct message *m);
int32_t message_destination(const struct trace *trace, const struct message *m);

struct member {
	uint32_t begin, end; /* events; EVENT_NONE missing */
	uint64_t sent;       /* bytes; UINT64_MAX unknown */
	uint64_t received;
};

/* Name of an attribute of a collective's begin: how many its caller called on the communicator
 * before, of which the trace says nothing. */
#define CALLS_BEFORE "tview:calls before"

/* The same of a call that did not end: the type of the elements, and the operation of a reduction,
 * as text; neither where it is not known. */
#define COLLECTIVE_TYPE      "tview:type"
#define COLLECTIVE_OPERATION "tview:operation"
/* Such that the program made. */
#define TYPE_OWN             "a type of its own"
#define OPERATION_OWN        "an operation of its own"

/* 1 if every other member sends the caller something in MPI_Alltoallv or MPI_Alltoallw; of the
 * completion if it is nonblocking. */
#define COLLECTIVE_FROM_ALL "tview:from all"

enum collective_flag {
	COLL_INCOMPLETE = 1 << 0, /* members of the communicator are missing */
	COLL_GUESSED = 1 << 1,    /* communicator or order had to be guessed */
	COLL_REQUEST = 1 << 2,    /* nonblocking: members begin with the request, end with the
				     completion */
};

struct collective {
	uint32_t comm;
	uint32_t region; /* the operation */
	int32_t root;    /* world rank, -1 none, RANK_UNKNOWN */
	uint32_t first;  /* its members are rows first .. first + members - 1, by location */
	uint32_t members;
	uint32_t flags;
};

uint32_t trace_collective_count(const struct trace *trace);
const struct collective *trace_collective(const struct trace *trace, uint32_t id);
const struct member *trace_member(const struct trace *trace, uint32_t id);
uint32_t trace_member_collective(const struct trace *trace,
				 uint32_t member); /* O(log collectives) */
/* Earliest begin and latest end over the members. */
void collective_span(const struct trace *trace, enum time_base base, const struct collective *c,
		     int64_t *begin, int64_t *end);
/* Whether none of its members can leave before all have begun, by COLLECTIVE_FROM_ALL. */
bool collective_is_from_all(const struct trace *trace, const struct collective *c);
bool member_is_from_all(const struct trace *trace, const struct collective *c,
			const struct member *member); /* as far as this one says */
/* The begin of the member that began last (of equals the first), EVENT_NONE without. */
uint32_t collective_last(const struct trace *trace, enum time_base base,
			 const struct collective *c);

/* ---- windows: rows by their earlier end, per base, under a tree of largest later ends ---- */

struct span_query {
	const struct trace *trace;
	enum time_base base;
	int64_t t0, t1;
	uint32_t next; /* position in the order */
	uint32_t stop;
	bool collectives;
};

/* Rows of matched messages (or collectives) that cross [t0, t1): earlier end < t1, later end >= t0.
 * Unmatched rows count with their one end. O(log n + hits) for hits close to each other, O(log n)
 * for each isolated one. */
void messages_in_window(struct span_query *q, const struct trace *trace, enum time_base base,
			int64_t t0, int64_t t1);
void collectives_in_window(struct span_query *q, const struct trace *trace, enum time_base base,
			   int64_t t0, int64_t t1);
/* The next row, by earlier end; false at the end. */
bool span_query_next(struct span_query *q, uint32_t *row);

/* For passes over the messages by row: prefetches the events of one a few rows ahead, which may be
 * anywhere. */
void messages_ahead(const struct trace *trace, enum time_base base, uint32_t row);
/* Earlier and later end of a message in a base (equal where one end is missing). */
void message_span(const struct trace *trace, enum time_base base, const struct message *m,
		  int64_t *first, int64_t *last);
