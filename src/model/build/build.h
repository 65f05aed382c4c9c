/* build: the state of a trace under construction, shared by the files that build it (builder.c,
 * definitions.c, append.c, attach.c, fork.c, arrange.c, handed_over.c, match.c, match_threads.c,
 * match_join.c, gather.c, nest.c, repair.c).
 *
 * While events are appended, their ids are provisional: enters and leaves carry their site, the
 * events of a receive the row of `recvs`, tests and cancellations the row of `refs`, those of a
 * collective the row of `parts`. Sends are message rows from the start. builder_finish() matches
 * (receives learn their message row), gathers (parts become members) and nests (sites become call
 * paths, and every other provisional id is replaced on the way). */
#pragma once

#include <pthread.h>

#include "model/build/builder.h"
#include "model/trace/halo.h"
#include "model/trace/store.h"

/* The growing end of a location. */
struct tail {
	struct block *block;
	struct times *times;
	int64_t *wide;         /* the block's row where it is wide */
	int64_t last;          /* time of the last event */
	uint32_t id;           /* of the block */
	uint32_t part;         /* the open collective, UINT32_MAX none */
	uint32_t first_switch; /* kind of its first event that turns tracing on or off, 0 none */
	bool backwards;        /* an event came earlier than the one before it */
	bool elsewhere;        /* another process has its events, and */
	bool left_out;         /* one came here */
};

/* Outstanding requests: a first-in, first-out list for each (location, kind, id). */
enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_COLLECTIVE };

/* A location or a row, and a request_kind. */
enum { REQUEST_KIND_BITS = 2, REQUEST_KIND_MASK = 3 };

struct request_slot {
	int64_t id;
	uint32_t owner;      /* location << REQUEST_KIND_BITS | kind */
	uint32_t head, tail; /* nodes; head UINT32_MAX: the slot is empty */
};

struct request_node {
	uint32_t row; /* of the message, receive or part */
	uint32_t next;
};

struct requests {
	struct request_slot *slots;
	size_t size, n;
	VEC(struct request_node) nodes;
	uint32_t free; /* list of unused nodes, UINT32_MAX none */
};

/* One location's part of a collective, beside its member: trace->members is in the order of the
 * file until the nesting knows the rows. */
struct part {
	union {
		uint32_t comm;       /* PART_UNKNOWN: its end, which says so, is not there */
		uint32_t collective; /* once gathered; PART_UNKNOWN: it belongs to none */
	};
	uint32_t region : 31;
	uint32_t request : 1; /* of a nonblocking collective */
	int32_t root;
	union {
		uint32_t location;
		uint32_t row; /* where its member goes, once gathered */
	};
};

#define PART_UNKNOWN UINT32_MAX

/* What the end of a nonblocking collective tells about it. */
struct part_end {
	uint32_t comm, region;
	int32_t root;
	uint64_t sent, received;
};

/* A request that its location has not ended, and an end without a request on its location: in one
 * process they may belong together (handed_over.c). */
struct request_begin {
	int64_t id;
	uint32_t event;
	uint8_t kind; /* enum request_kind */
};

struct request_end {
	int64_t id;
	uint32_t event;
	uint8_t kind;   /* enum event_kind */
	uint16_t flags; /* for the message of a send */
	struct part_end part;
};

/* Of another process' send: when it was, when its call ended, its row there. */
struct far_time {
	int64_t time, until;
	uint32_t row;
};

/* Tables of rows that events have. */
enum row_kind {
	ROW_MESSAGE,
	ROW_RECV,
	ROW_PART,
	ROW_REF,
	ROW_RECORD,
	ROW_DETAIL,
	ROW_VALUE,
	ROW_KINDS
};

/* The number of rows that the events of one location have in a child's tables. */
struct tally {
	uint64_t rows[ROW_KINDS];
};

struct builder {
	struct trace *trace; /* in a child only rows, texts and findings */
	struct trace *home;  /* definitions and blocks: `trace`, in a child the parent's */
	struct builder *parent;
	pthread_mutex_t growing; /* held by children while they extend the parent's slabs */
	uint32_t run, run_end;   /* of a child: blocks that it has reserved */
	VEC(struct tally) tally; /* of a child: [location] */
	uint32_t strings_before; /* of a child: ids of its own texts come after the parent's */
	struct builder_stand_ins stand_ins; /* of a child */
	unsigned children;                  /* alive: forked and not joined */
	struct err err;                     /* sticky */
	VEC(struct tail) tails;

	struct keymap regions, sites, locations;
	struct keymap pairs; /* numbers for pairs of 32-bit halves or fields, where a key needs more
				than four */
	bool world_given;
	VEC(uint32_t)
	topology_rows; /* of coordinates: those given, and the communicator's members */

	/* A posted receive is a row from its request on, a blocking one from its completion on:
	 * rows are in posting order within a location. Fields: `send` the source's rank, then (set
	 * by the matching) the message row; `recv` the completion, or the request while
	 * MSG_RECV_PENDING; flags are a message's. */
	struct slab recvs;  /* struct message[] */
	struct slab parts;  /* struct part[] */
	VEC(uint32_t) refs; /* row << REQUEST_KIND_BITS | request_kind */
	struct requests requests;
	VEC(struct request_begin) begun; /* of children; at the end all */
	VEC(struct request_end) ended;
	VEC(struct finding) found_by_all; /* before events were read, where processes share them */

	/* Where several processes share the trace: [far rows] (model/trace/halo.h). */
	struct far_time *far;

	/* Only where a location had to be sorted: message rows and receives in posting order. */
	uint32_t *send_order, *recv_order;
	uint32_t recv_order_n;
};

/* Flag of a receive row: listed or matched already. Receive rows are never MSG_TURN_GUESSED. */
enum { RECV_CLOSED = MSG_TURN_GUESSED };

static inline struct message *build_recv(const struct builder *b, uint32_t row)
{
	return (struct message *)(void *)b->recvs.data + row;
}

static inline uint32_t build_recv_count(const struct builder *b)
{
	return (uint32_t)(b->recvs.size / sizeof(struct message));
}

/* The row of the n-th send; far rows come last. */
static inline uint32_t build_send_row(const struct builder *b, uint32_t n)
{
	return b->send_order && !trace_message_is_far(b->trace, n) ? b->send_order[n] : n;
}

static inline struct part *build_part(const struct builder *b, uint32_t row)
{
	return (struct part *)(void *)b->parts.data + row;
}

static inline uint32_t build_part_count(const struct builder *b)
{
	return (uint32_t)(b->parts.size / sizeof(struct part));
}

/* Counts rows of a location; in a child only. */
static inline void build_tally(const struct builder *b, uint32_t location, enum row_kind kind,
			       uint64_t n)
{
	if (b->parent)
		b->tally.data[location].rows[kind] += n;
}

/* ---- builder.c ---- */

/* Reserves address space for a builder's own slabs. */
void build_slabs_init(struct builder *b);
/* Lets its slabs, and those of its trace, grow in a pool. */
void build_slabs_join(struct builder *b, struct slab_pool *pool);

/* ---- definitions.c ---- */

/* A site like `site`, but recorded under another event type; made where there is none. */
uint32_t build_site(struct builder *b, struct site site);
/* Names a location that has no name. */
void build_name_location(struct builder *b, uint32_t location);
/* A row of values: what details and objects are made of. False where there is no room. */
bool build_values(struct builder *b, struct detail *detail, enum detail_type type,
		  const uint64_t *values, uint32_t n);

/* ---- statements.c ---- */

/* Orders the statement records, sums up those of one key, and removes references between statements
 * that cannot be right. May be repeated. */
void build_statements(struct trace *trace);

/* ---- find_gaps.c ---- */

/* Finds the gaps by their records (model/trace/gap.h), and the time of call paths in them. */
void build_gaps(struct trace *trace);
/* Finds the copies of accelerators (model/trace/copy.h). */
void build_copies(struct trace *trace);
/* Where several processes share the trace (share.c): what is found from here on is this process'
 * own, until builder_share_findings(). */
void build_findings_apart(struct builder *b);
/* Tells all what is known of the locations. */
void build_share_locations(struct builder *b);

/* ---- share_messages.c, share_calls.c: where several processes share the trace ---- */

/* Before the matching: sends to this process' ranks become far rows. */
bool build_share_sends(struct builder *b, struct err *err);
/* After it: sends to other processes' ranks get their receives. */
bool build_share_receives(struct builder *b, struct err *err);
/* When call paths are known: the calls around ghosts, and their times. */
bool build_share_calls(struct builder *b, struct err *err);

/* ---- outstanding.c ---- */

void requests_init(struct requests *requests);
void requests_fini(struct requests *requests);
void requests_push(struct requests *requests, uint32_t location, enum request_kind kind, int64_t id,
		   uint32_t row);
/* The oldest outstanding row of that id, UINT32_MAX without; pop takes it off. */
uint32_t requests_peek(const struct requests *requests, uint32_t location, enum request_kind kind,
		       int64_t id);
uint32_t requests_pop(struct requests *requests, uint32_t location, enum request_kind kind,
		      int64_t id);
/* Notes an end without a request on its location. */
void build_request_ended(struct builder *b, struct request_end end);

/* ---- append.c ---- */

/* The order in which kinds are tried for a request of unknown kind. */
extern const enum request_kind build_asked[3];
/* Completes the row of a receive: the completion's values replace those that were asked for. */
void build_complete_recv(struct message *m, const struct message_end *end);
void build_describe_part(const struct builder *b, uint32_t row, const struct part_end *end);

/* ---- handed_over.c ---- */

/* Lists the outstanding requests of one builder in another, or in itself. The rows of `from` must
 * not have moved yet. */
void build_requests_leave(struct builder *from, struct builder *to);

/* ---- arrange.c, block_order.c ---- */

/* Replaces the ids of events in all tables after runs of events (single ones, whole blocks) have
 * moved; moved[run] is the new index. */
void build_renumber(struct builder *b, const uint32_t *moved, uint32_t run);
/* Puts the blocks of the chosen locations after all others, in the order of these locations. */
void build_order_blocks(struct builder *b, const uint8_t *chosen);

/* ---- steps of builder_finish() ---- */

/* Sorts locations whose times ran backwards; event numbers in all tables follow (arrange.c). */
bool build_arrange(struct builder *b, struct err *err);
/* Lets the threads of a process end each other's requests (handed_over.c). */
void build_hand_over(struct builder *b);
/* Makes message rows of sends and receives (match.c). */
bool build_match(struct builder *b, struct err *err);
/* Makes one message of the row of a send and a receive (match_join.c). */
void build_join(struct trace *trace, uint32_t row, struct message *recv);
/* Makes collectives of parts, and sets the row of each part's member (gather.c). */
bool build_gather(struct builder *b, struct err *err);
/* Call paths, lifetimes, members of collectives, final ids (nest.c). */
bool build_nest(struct builder *b, const struct builder_options *options,
		const struct progress *progress, struct err *err);
/* Reports locations that did not end as they should; all locations must be known. */
void build_tell_unended(struct trace *trace);

/* Puts enters and leaves of equal times in an order that nests (repair.c). The events still (or
 * again) carry sites. `start`: the n regions open at the start; `open`: [regions] zeros, and zeros
 * again afterwards; `moved` gets the records that moved (event to event). Returns the number of
 * changed groups. */
uint64_t build_repair(struct trace *trace, uint32_t location, const uint32_t *start, size_t n,
		      uint32_t *open, struct keymap *moved);
