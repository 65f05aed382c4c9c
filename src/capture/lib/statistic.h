/* statistic: the dynamic records of a rank (Li and Zhang, section 5.3: event_record, proc_record,
 * com_record, loop_record) as its file has them: one for each (place, where from or with whom) of a
 * thread, changed in place and never moved, so that they grow with the program and not with its
 * run. They are in chunks of their own (TV_HOLDS_ROWS), TV_STATISTIC_SIZE apart, the first
 * TV_STATISTIC_SIZE after the chunk's start; `used` is advanced when one is complete enough to be
 * read. Only their thread writes them, and any process may read them at any moment:
 *
 *	do {
 *		seq = load_acquire(&s->seq);
 *		copy = *s;
 *		fence_acquire();
 *	} while (seq & 1 || seq != s->seq);
 *
 * Times are ticks of the file's clock. What is open when the run ends is counted, with its time up
 * to that moment; if the process was killed, the reader adds it from struct tv_open.
 *
 * Recursion (paper, section 5.3, rules a and b): an activation of a procedure that is already open
 * on the stack has no time of its own, as the outer one contains it. Which records vanish because
 * their call statement is inside a cycle can be told only from the whole graph
 * (patterns/graph/graph.h). */
#pragma once

#include <stdint.h>

#include "capture/lib/record.h"

enum {
	TV_STATISTIC_SIZE = 128,
	TV_OPEN_SIZE = 64 << 10, /* bytes at the end of a thread's first chunk: struct tv_open */
};

/* What is open, outermost first, in case the process is killed. Only the thread changes it, at
 * every enter and leave; after a regular end nothing is open. A stack that outgrew this room is not
 * shown. */
struct tv_open {
	uint64_t start;    /* ticks; 0: just being entered */
	uint64_t children; /* ticks so far in what has rows of its own */
	uint64_t row;      /* of struct tv_statistic: bytes from the start of the file; 0 none */
	uint64_t own[6];   /* the library's */
};

enum tv_calling_kind {
	TV_CALLING_NONE,    /* no call of MPI so far */
	TV_CALLING_OUTSIDE, /* `call` ended at `since` */
	TV_CALLING_OTHER,   /* `call` is under way, of which no more is known */
	TV_CALLING_SEND,    /* a message to `peer` */
	TV_CALLING_RECEIVE, /* a message of `peer`, which may be -1 for anybody, is waited for */
	TV_CALLING_COLLECTIVE,
	TV_CALLING_SEVERAL, /* messages of several partners are waited for */
};

/* The call of MPI that is under way, or that ended last, where no events are kept: for readers of
 * a process that runs, or was killed. Read like a row. */
struct tv_calling {
	uint32_t seq;
	uint16_t call;  /* index into tv_file.call */
	uint8_t kind;   /* enum tv_calling_kind */
	uint8_t flags;  /* of a tv_message */
	uint64_t since; /* ticks */
	uint64_t place; /* of the call (TV_PLACE_*) */
	int32_t peer;   /* as in tv_message; the root of a collective, -1 none */
	int32_t tag;
	uint32_t comm;     /* its number in the process */
	uint32_t nth;      /* number of collectives called on it before; of a receive by a call that
			  sends, too: 1 + the rank it sends to */
	uint64_t sent;     /* bytes; of such a receive the tag of its send */
	uint64_t received; /* bytes, as in tv_collective */
};

/* The start of a chunk of statistics. */
struct tv_statistics {
	struct tv_chunk chunk;
	uint64_t at;               /* where the chunk is: bytes from the start of the file */
	uint64_t open;             /* of a thread's first one: how many are open */
	uint64_t latest;           /* ticks: when this was last changed */
	struct tv_calling calling; /* of a thread's first one */
};

_Static_assert(sizeof(struct tv_statistics) == TV_STATISTIC_SIZE, "rows follow it");

/* The inside of a team. */
enum { TV_OMP_PARALLEL = TV_OMP_CONSTRUCTS };

/* tv_statistic.peer of a communication without a partner; its `comm` has no meaning. */
#define TV_PEER_NONE (-2)

enum tv_statistic_kind {
	TV_STAT_PROCEDURE = 1, /* proc_record: of a procedure, or a region that the program named,
				  by call statement */
	TV_STAT_LOOP,          /* loop_record */
	TV_STAT_COMMUNICATION, /* com_record: of a communication statement, by destination */
};

enum tv_statistic_flag {
	TV_STAT_LIMITED = 1 << 0,  /* called so often that its events were no longer kept */
	TV_STAT_LOST = 1 << 1,     /* some were ended by longjmp, or by the end of the run */
	TV_STAT_SENT = 1 << 2,     /* a communication with a partner it sent to, */
	TV_STAT_RECEIVED = 1 << 3, /* or received from; both: MPI_Sendrecv with one partner */
	TV_STAT_DETECTED = 1 << 4, /* some of `carried` are times that this rank detected itself */
};

/* Probes of a row that were timed where they are (probes.c): sums of ticks inside of the row's own
 * time, from the time stamp on or up to it, and of the rest. */
struct tv_probed {
	uint64_t number; /* enters and leaves, or calls that count */
	uint64_t inside, around;
};

struct tv_statistic {
	uint32_t seq; /* odd while it is being changed */
	uint8_t kind; /* enum tv_statistic_kind */
	uint8_t flags;
	uint16_t call;        /* of a communication: index into tv_file.call */
	uint64_t place;       /* record.h: TV_PLACE_*, or an address */
	uint64_t from;        /* of a procedure: place of the call statement, 0 none */
	uint64_t count;       /* activations; executions of the loop, of the statement */
	uint64_t time;        /* inclusive */
	uint64_t children;    /* of `time`: in what has records of its own below it */
	uint64_t least, most; /* time of one */
	union {
		struct {
			uint64_t inner; /* of `count`: while the procedure was open already */
			/* A function with hooks of the compiler: where the one on entry returns
			 * to, in the code of the function, or of the one it is inlined into. */
			uint64_t hook;
			/* The construct of OpenMP that the call was in when it was first seen, with
			 * no other function in between: 0 none, else 1 + enum tv_construct, of a
			 * team 1 + TV_OMP_PARALLEL; where the runtime was called for it, of a team
			 * its number; and the function that was made of its inside, 0 unknown. */
			uint64_t construct, within, body;
			struct tv_probed probed;
		} procedure;
		struct {
			uint64_t inner; /* of `count`: by recursion, while the loop was open */
			uint64_t iterations;
			/* Least and largest time of an iteration; where iterations have no probe,
			 * of the mean of an execution that had any. Sixteenths of a tick. */
			uint64_t quickest, slowest;
			uint64_t iterated; /* 1: iterations have a probe */
			struct tv_probed probed;
		} loop;
		struct {
			int32_t peer;  /* rank in the communicator as in tv_message, or root; -1
					  several, TV_PEER_NONE */
			uint32_t comm; /* its number in the process */
			/* Parts of `time`: waiting (sync) until the partner was ready, transfer
			 * (trans) the rest, of the calls where both are known (section 4:
			 * fore- and back-monitor). */
			uint64_t trans, sync;
			/* Of `count`: calls that never wait for a partner (all is transfer); calls
			 * for which the partner's time was carried. The time of all others is not
			 * split. */
			uint64_t own, carried;
			uint64_t sent, received; /* bytes */
		} communication;
	};
};

_Static_assert(sizeof(struct tv_statistic) == TV_STATISTIC_SIZE, "statistics stand so far apart");
