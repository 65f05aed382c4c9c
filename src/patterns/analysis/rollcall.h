/* rollcall: where each location was when a trace ended with calls still open: a job that hung and
 * was killed, or that crashed. Per location the last open call and what it waits for; groups of
 * like locations, the odd one out; who is waited for, and a cycle of waiting if there is one.
 *
 *	struct rollcall roll;
 *	if (rollcall_make(&roll, trace, base, progress)) ...    // false: all came to the end
 *	rollcall_fini(&roll);
 *
 * What is waited for: of an unreceived send its destination, of pending receive requests their
 * sources, of a collective that some entered those that did not. A call that takes any source, or
 * any of several requests, waits for no particular rank. A blocking receive is known by its
 * request, where the trace has one (tvrun makes one of a call that never returned). Of MPI_Sendrecv
 * the receive counts where no rank sent its message, and otherwise the send. Those in MPI_Init wait
 * for the ranks that never entered it. Requests are those of the location that were never
 * completed, whichever of them the call was given. In a trace without events the counts of sends
 * and receives say whether a message is under way (message_counts.h); where they cannot, it is not
 * known whether the location waits for the other one.
 *
 * O(messages + members of collectives + n log n), and the events of the open calls. Where several
 * processes share the trace, all make it, and have it of all. Ownership: all of it is the
 * rollcall's; the trace is borrowed. */
#pragma once

#include "base/progress.h"
#include "model/trace/trace.h"
#include "patterns/analysis/mismatch.h"

enum roll_state {
	ROLL_ENDED,      /* no region is open, and the last was no call of MPI but MPI_Finalize */
	ROLL_USER,       /* in a region of the program */
	ROLL_SEND,       /* in a blocking send */
	ROLL_RECV,       /* in a blocking receive */
	ROLL_WAIT,       /* waits for requests */
	ROLL_COLLECTIVE, /* in a collective operation, MPI_Init or MPI_Finalize */
	ROLL_OTHER,      /* in another call of MPI */
	ROLL_STOPPED,    /* its recording stopped before it ended, or its last records are lost */
	ROLL_OUTSIDE,    /* after a call of MPI, in code that is not recorded */
	ROLL_UNKNOWN,    /* it has no records */
};

struct roll {
	uint32_t location;
	enum roll_state state;
	uint32_t path; /* canonical: what is open; 0 none */
	int64_t since; /* ticks: when the open call was entered; of a region of the program, and
			  where none is open, the last record */
	int32_t peer;  /* world rank of the first that is waited for, RANK_UNKNOWN: not known */
	int32_t tag;   /* of that message */
	bool tag_known;
	uint32_t comm;       /* of the message or the collective, UINT32_MAX unknown */
	bool arriving;       /* its partner sent it more messages than it received */
	bool unsure;         /* whether it waits for its partner is not known */
	uint32_t pending;    /* messages (of a collective: ranks) that are waited for */
	uint32_t collective; /* among `calls`, UINT32_MAX none */
	uint32_t group;
};

struct roll_group {
	enum roll_state state;
	uint32_t path;  /* canonical, of the first: others may differ in what is around the call */
	uint32_t first; /* index into `order` */
	uint32_t n;
};

struct rollcall {
	uint32_t n;         /* locations of the trace */
	struct roll *rolls; /* [n], by location */
	uint32_t *order;    /* [n]: locations group by group */
	uint32_t n_groups;
	struct roll_group *groups; /* [n_groups], the largest first */
	uint32_t odd;              /* the smallest group, where it is less than a tenth of the
				      largest, or one against three; UINT32_MAX: none differs */
	uint32_t n_cycle;
	uint32_t *cycle; /* locations that wait for each other, each for the next, the last for the
			    first; 0: there is none */
	uint32_t n_blamed;
	uint32_t *blamed;  /* locations that are waited for and do not wait themselves */
	uint32_t *waiters; /* [n_blamed]: how many wait for it directly, or are in a collective that
			      lacks it */
	struct open_calls calls; /* collectives that locations wait in */
	uint32_t n_mismatches;
	struct mismatch mismatches[MISMATCHES_MOST]; /* among these */
	int64_t last;                                /* ticks: the last record of all */
	int64_t still; /* ticks: the latest begin or end of a call of MPI, INT64_MIN none */
};

/* False: no calls are open at the end, or only a window of the trace was read, or `progress`
 * stopped it. */
bool rollcall_make(struct rollcall *roll, const struct trace *trace, enum time_base base,
		   const struct progress *progress);
void rollcall_fini(struct rollcall *roll);
/* Since when the last of the cycle waits, in ticks; INT64_MAX without a cycle. */
int64_t rollcall_cycle_since(const struct rollcall *roll);
/* "computing", "sending", ...: stable words of exports. */
const char *roll_state_name(enum roll_state state);
