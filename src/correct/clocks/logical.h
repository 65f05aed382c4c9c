/* logical: logical messages: what must not arrive before it was sent. Messages, collectives by
 * class, MPI_Init and MPI_Finalize, OpenMP's fork, join and barriers (A3, A9, A21, A22, A23).
 *
 * A message is one pair (send event, receive event). Everything else is a *group*: parties, each
 * with an event at which it begins (the logical send) and one at which it ends (the logical
 * receive); the class says which party waits for which. No party waits for itself (A3). Groups are
 * expanded one at a time, so that a collective on n locations costs O(n). What is unmatched,
 * incomplete, of a communicator of one, MPI_Alltoallv or MPI_Alltoallw, or a neighbourhood
 * collective without a known topology, is local and counted.
 *
 * Ownership: a struct logical borrows the trace. Threads: any number may read. */
#pragma once

#include "base/progress.h"
#include "correct/clocks/neighbourhood.h"
#include "model/trace/message.h"
#include "model/trace/trace.h"

enum logical_class {
	LOGICAL_P2P,
	LOGICAL_BARRIER, /* every begin -> every end */
	LOGICAL_ONE_TO_N,
	LOGICAL_N_TO_ONE,
	LOGICAL_N_TO_N,
	LOGICAL_PREFIX,     /* begin of lower ranks -> end */
	LOGICAL_NEIGHBOURS, /* begin of the neighbours on a grid -> end */
	LOGICAL_WORLD,      /* MPI_Init, MPI_Finalize: enter -> leave */
	LOGICAL_FORK,       /* OpenMP: fork -> begin of every thread of the team */
	LOGICAL_JOIN,       /* end of every thread -> join */
	LOGICAL_TEAM,       /* OpenMP barrier: enter -> leave */
	LOGICAL_CLASSES
};

/* "p2p", "barrier", "1-to-n", "n-to-1", "n-to-n", "prefix", "neighbours", "init/finalize", "fork",
 * "join", "omp barrier". */
const char *logical_class_name(enum logical_class cls);
/* The class of a collective operation, nonblocking or not; LOGICAL_CLASSES where it has none, as
 * MPI_Comm_split, or where only the collective says, as with MPI_Alltoallv. */
enum logical_class logical_class_of(const struct trace *trace, uint32_t region);
enum logical_class logical_class_here(const struct trace *trace, const struct collective *c);
/* The same of a collective in which every member receives from every other. */
enum logical_class logical_class_from_all(const struct trace *trace, uint32_t region);

struct party {
	uint32_t location;
	uint32_t begin, end; /* events, EVENT_NONE: it has none */
	bool sends;          /* its begin is a logical send */
	bool receives;       /* its end is a logical receive */
};

struct group {
	enum logical_class cls;
	uint32_t root;         /* party, UINT32_MAX none */
	uint32_t n;            /* parties, by location; LOGICAL_PREFIX and LOGICAL_NEIGHBOURS:
				  in the order of ranks in the communicator */
	struct party *parties; /* [n], the group's; group_fini() */
	uint32_t cap;
	uint32_t collective; /* row, UINT32_MAX: it is none of the trace's collectives */
	uint64_t bytes;      /* largest number a party sent or received, UINT64_MAX unknown */
	const struct neighbourhood *neighbourhood; /* LOGICAL_NEIGHBOURS: of the parties, the
						      logical's; else NULL */
};

struct logical_counts {
	uint64_t unmatched;   /* message rows without partner */
	uint64_t incomplete;  /* collectives with members, their ends or their root missing */
	uint64_t single;      /* of one member, or without a byte sent */
	uint64_t vector;      /* MPI_Alltoallv, MPI_Alltoallw, where who sends to whom is unknown */
	uint64_t nonblocking; /* collectives with a request, of those that take no part */
	uint64_t inter;       /* collectives between two groups */
	uint64_t other;       /* operations of no class (MPI_Comm_split, ...), neighbourhoods
				 without a known topology */
	uint64_t self;        /* messages of a location to itself */
	uint64_t messages;    /* rows that are logical messages */
	uint64_t groups;      /* = logical_group_count() */
	uint64_t inside_init; /* 1: MPI_Init was left out, recording began inside it (A22) */
};

struct logical;

struct logical *logical_new(const struct trace *trace, const struct progress *progress,
			    struct err *err);
void logical_free(struct logical *logical);
const struct trace *logical_trace(const struct logical *logical);
const struct logical_counts *logical_counts(const struct logical *logical);

/* Of a trace that several processes share, struct logical has the messages of this process'
 * locations, both those sent and those received, and the groups that are in one process. This adds
 * the groups that may be in several and have this process as their home, with ghosts for events
 * (model/trace/halo.h), and makes the counts those of all. All processes call it. False with err:
 * no room. */
bool logical_share(struct logical *logical, struct trace *trace, struct err *err);

/* A party of this process in a group that is evaluated at its home. Such groups have no id here:
 * logical_part_of() gives logical_group_count() + the number of the party for them. */
struct logical_far {
	uint32_t process;      /* the home */
	uint32_t group, party; /* there; UINT32_MAX: it is in none */
	uint32_t location;     /* here */
	uint8_t cls;           /* enum logical_class */
	bool sends;
	bool receives; /* and waits for another party */
};

uint32_t logical_far_count(const struct logical *logical);
const struct logical_far *logical_far(const struct logical *logical, uint32_t number);
/* Whether a group has this process as its home. */
bool logical_is_home(const struct logical *logical, uint32_t id);
/* The number of a party of it, in the process that has its location. */
uint32_t logical_far_number(const struct logical *logical, uint32_t id, uint32_t party);

/* Groups 0 .. n-1. The same struct group may be filled again and again; zero it before the first.
 * False: no party waits for another in it. */
uint32_t logical_group_count(const struct logical *logical);
bool logical_group(const struct logical *logical, uint32_t id, struct group *group);
void group_fini(struct group *group);
/* True when the begin of `from` is a logical send to the end of `to`. */
bool group_sends_to(const struct group *group, uint32_t from, uint32_t to);

/* A message row that is a logical message: both ends there, on two locations. */
bool logical_message(const struct logical *logical, uint32_t row);
/* The same, and it is counted here: each message in one of the processes that share a trace. */
bool logical_message_here(const struct logical *logical, uint32_t row);
/* The next logical message of the same send event, UINT32_MAX without: only a send to all (PICL)
 * has several. */
uint32_t logical_next_of_send(const struct logical *logical, uint32_t row);

/* The part an event plays, by its kind and id; PART_LOCAL where it is none. PART_BEGIN: its party
 * sends; PART_END: it receives. `row` is the message (of a send the first) or the group, `party`
 * the index in it. O(1), or O(log n) of the few events that are not a collective's. */
enum logical_part { PART_LOCAL, PART_SEND, PART_RECV, PART_BEGIN, PART_END };
enum logical_part logical_part_of(const struct logical *logical, uint32_t event, uint32_t what,
				  uint32_t *row, uint32_t *party);
