/* pattern: a small piece that finds one kind of waiting. Patterns subscribe to what others publish:
 * the walk over a location publishes its events and calls; `late_sender` subscribes to calls and
 * publishes late senders; `wrong_order`, the wavefronts and the causes subscribe to those. To add
 * one: a file that defines `const struct pattern NAME_pattern`, and the line X(NAME) in
 * patterns/patterns.def.
 *
 * Two stages. The walk: each location's events in order, several locations at a time; a pattern's
 * `local` state is one location's. Then the groups: collectives, MPI_Init and MPI_Finalize, teams,
 * one at a time in the order of their rows. After both, `finish` is called once, in the order of
 * the registry; states live as long as the analysis, and `release` frees what they own.
 *
 * What a communication partner knows is asked through calls.h alone: the one exchange between
 * locations. Threads: `on_notice` in the walk is called from several threads, for different
 * locations. */
#pragma once

#include "base/vec.h"
#include "correct/clocks/logical.h"
#include "patterns/analysis/analysis.h"
#include "patterns/analysis/calls.h"

enum subject {
	/* Of the walk. */
	SUBJECT_EVENT, /* a send, receive, request, completion, begin or end of a collective, or a
			  detail */
	SUBJECT_CALL,  /* a call of MPI, or one that waits for a device, has ended: with all that it
			  completed */
	SUBJECT_LATE_SENDER,   /* `wait`; `row` is the message */
	SUBJECT_LATE_RECEIVER, /* `wait`; `row` is the message */
	SUBJECT_LOCATION,      /* the location is at its end */
	/* Of the groups. */
	SUBJECT_GATHERED, /* `group`, of parties in several processes, where all are known: to be
			     evaluated, no more. Their processes then get a SUBJECT_GROUP with
			     their own parties, and those that they waited for */
	SUBJECT_GROUP,    /* `group`: times, bytes and paths of all parties */
	SUBJECT_SYNC,     /* `group` with its waits: who waited how long for whom (C8) */
	SUBJECTS
};

/* A call that is open, or has ended. Times in ticks. */
struct walk_call {
	uint32_t location;
	uint32_t path; /* canonical */
	enum call_kind kind;
	uint32_t enter,
		leave; /* events; EVENT_NONE: not in the trace. `leave` and lv only once it ended */
	int64_t en, lv;
	/* Messages that it completed, in order: rows and events. Only with SUBJECT_CALL. */
	const struct completion *received, *sent;
	uint32_t n_received, n_sent;
};

struct completion {
	uint32_t row;   /* message */
	uint32_t event; /* EV_RECV; EV_SEND of a blocking send, EV_SEND_COMPLETE of another */
};

/* One party of a collective or another group. */
struct sync_party {
	uint32_t location;
	uint32_t place; /* of a collective: in the communicator */
	uint32_t path;  /* canonical: of the call it waits in */
	bool waits;     /* false: it is not recorded there, or a MPI_Test of a nonblocking one */
	uint32_t begin_event, end_event;
	int64_t begin,
		end;    /* B and E: its begin and end records, else its call's enter and leave */
	int64_t en, lv; /* of the call it ends in */
	uint64_t sent, received; /* bytes; UINT64_MAX unknown: counts as some (A23) */
	/* Filled in for SUBJECT_SYNC. */
	uint32_t end_at; /* of one in another process: index of its end on its location; UINT32_MAX:
			    the trace has none */
	bool sync;       /* it synchronises: has what follows */
	uint32_t blame;  /* party that it waited for: group->blame, but for prefixes */
	int64_t w, k;    /* waiting and completion time */
};

struct sync_group {
	enum logical_class cls; /* LOGICAL_WORLD: `init` or `finalize` */
	bool init, finalize;
	bool extended; /* nonblocking, neighbourhood, two groups, bytes of files, `loose` without
			  `meets`: by the obvious extension */
	bool loose;    /* N to N, but no record says that all had to wait for all */
	/* With that, where bytes do not matter: what its waiting is (a communicator is made, a
	 * file is used); CUBE_NONE others. */
	enum cube_metric meets;
	uint32_t split; /* intercommunicator: parties of the first group, those of the other after
			   them; 0: there is one group */
	const struct neighbourhood *neighbourhood; /* of the parties; NULL: they all meet */
	uint32_t collective;                       /* row, UINT32_MAX none */
	uint32_t comm; /* communicator, UINT32_MAX: all locations with MPI */
	uint32_t n;
	struct sync_party *parties; /* [n], in the order of the communicator's ranks */
	uint32_t root;              /* party, UINT32_MAX none */
	uint32_t blame;             /* party that was waited for, UINT32_MAX none: each its own */
	bool evaluated;             /* it has the results of SUBJECT_GATHERED */
	const struct sync_far *far; /* with that, where parties are in other processes */
};

static inline bool sync_is_rooted(const struct sync_group *group)
{
	return group->cls == LOGICAL_ONE_TO_N || group->cls == LOGICAL_N_TO_ONE;
}

/* Each waits for a party of its own: for a neighbour, a lower rank, a rank of the other group. */
static inline bool sync_is_single(const struct sync_group *group)
{
	return group->cls == LOGICAL_NEIGHBOURS || group->cls == LOGICAL_PREFIX ||
	       (group->split > 0 && !sync_is_rooted(group));
}

/* The parties of a group in all processes. */
struct sync_far {
	const uint32_t *members; /* locations of all; NULL: the first of each member of `comm` */
	const uint32_t *met;     /* locations of those that synchronise, without the one waited for
				where all wait for it alone; NULL: `members` (also where only the
				one waited for needs to know) */
	uint32_t n_members, n_met;
};

struct notice {
	enum subject subject;
	uint32_t location;            /* of the walk's subjects */
	uint32_t event, what;         /* SUBJECT_EVENT */
	int64_t time;                 /* SUBJECT_EVENT, ticks */
	const struct walk_call *call; /* the call that it is about; SUBJECT_EVENT: the innermost
					 open one, NULL without */
	uint32_t row;                 /* message */
	struct wait *wait;            /* SUBJECT_LATE_*: subscribers may mark it (flags) */
	struct sync_group *group; /* of the groups' subjects: the stage's, gone after the call */
};

struct pattern {
	const char *name;
	unsigned subjects; /* bits 1u << enum subject, but for SUBJECT_EVENT */
	unsigned events;   /* SUBJECT_EVENT of which kinds, bits 1u << enum event_kind */
	size_t local;      /* bytes of its state for each location, zeroed */
	size_t whole;      /* bytes of its state for the analysis, zeroed */
	/* `local` is that of notice->location; NULL with subjects of the groups
	 * (analysis_local()). */
	void (*on_notice)(struct analysis *analysis, void *local, const struct notice *notice);
	/* After both stages; `self`, whose states may be asked for. May still add instances. NULL:
	 * nothing to do. */
	void (*finish)(struct analysis *analysis, const struct pattern *self);
	/* Free what a local state, and the whole one, own, when the analysis goes (also one that
	 * was dropped midway). NULL: they own nothing. */
	void (*release)(void *local);
	void (*release_whole)(void *whole);
	/* For cubes of which `part` is wanted: add metrics of [t0, t1), and others that are
	 * computed from those of all, when the cube is settled, and settle it again. NULL: none. */
	unsigned part; /* enum cube_part */
	bool (*add)(struct analysis *analysis, struct cube *cube, int64_t t0, int64_t t1,
		    const struct progress *progress, struct err *err);
	void (*add_settled)(struct cube *cube);
	/* For analysis_made(): the analysis owns it. NULL: nothing. */
	void *(*make)(struct analysis *analysis, const struct progress *progress, struct err *err);
	void (*unmake)(void *made);
};

/* A local state that is a list of events, and its release. */
typedef VEC(uint32_t) event_vec;
void event_vec_release(void *events);

/* ---- for patterns; from the thread that calls `on_notice` ---- */

/* Notifies all subscribers of the subject, in the order of the registry. */
void analysis_publish(struct analysis *analysis, const struct notice *notice);
/* Adds an instance to its location's list. It stays where it is, and may be changed, until the last
 * `finish` has returned. */
struct wait *analysis_found(struct analysis *analysis, uint32_t location, const struct wait *wait);
/* For a wait of one-sided communication with WAIT_ELSEWHERE: the number of the event that was
 * waited for (trace_event_number()). `event` is the wait's. */
void analysis_elsewhere(struct analysis *analysis, uint32_t location, uint32_t event,
			uint64_t number);
/* Adds to a metric without instances (counts, bytes): `amount` belongs to windows with `time` in
 * them. */
void analysis_count(struct analysis *analysis, uint32_t location, int64_t time,
		    enum cube_metric metric, uint32_t path, double amount);
/* A wait of the location began outside of the call that it is of. */
void analysis_nested(struct analysis *analysis, uint32_t location);
/* What could not be looked at: adds to the counters of a location, which are summed up at the
 * end. */
struct analysis_counts *analysis_counters(struct analysis *analysis, uint32_t location);
const struct calls *analysis_calls(const struct analysis *analysis);
/* States of a pattern of the registry. */
void *analysis_local(const struct analysis *analysis, const struct pattern *pattern,
		     uint32_t location);
void *analysis_whole(const struct analysis *analysis, const struct pattern *pattern);
/* What the pattern makes of the whole analysis, when first asked for; a second thread that asks
 * waits. NULL with err, or untouched where progress dropped it. */
void *analysis_made(struct analysis *analysis, const struct pattern *pattern,
		    const struct progress *progress, struct err *err);
