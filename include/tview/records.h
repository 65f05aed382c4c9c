/* tview/records.h: what a trace recorded, as numbers: definitions, and cursors over events, visits,
 * messages, collectives, severities and the nodes of the program graph. tview/trace.h opens the
 * trace, and has tables of the same with names and figures that are ready.
 *
 *	struct tview_error error;
 *	tview_trace *trace = tview_open("run.trc", NULL, &error);
 *	const char *of_large[] = { "ranks=0-3", "filter=bytes >= 1k", NULL };
 *	tview_cursor *messages = NULL;
 *	struct tview_message m;
 *	if (trace)
 *		messages = tview_cursor_open(trace, TVIEW_MESSAGES, TVIEW_NONE, of_large, &error);
 *	if (!messages)
 *		return fprintf(stderr, "%s\n", error.text), error.status;
 *	while (tview_next_message(messages, &m))
 *		printf("%d to %d: %lld bytes\n", m.source, m.destination, (long long)m.bytes);
 *	tview_cursor_close(messages);
 *	tview_close(trace);
 *
 * Numbers. Strings, regions, call paths, locations, communicators, messages and collectives have
 * numbers from 0; TVIEW_NONE is none of them. Call path 0 is the root: no region is open. Times are
 * ticks, signed, from the trace's own zero, in the time base that was asked for; differences of
 * them are exact. Intervals are half-open.
 *
 * Ownership: texts and arrays belong to the trace and are good until it is closed; a cursor is
 * closed before its trace. Threads: any number may ask a trace, each with cursors of its own. */
#ifndef TVIEW_RECORDS_H
#define TVIEW_RECORDS_H

#include <tview/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define TVIEW_NONE     UINT32_MAX
#define TVIEW_NO_EVENT UINT64_MAX
enum { TVIEW_NO_RANK = INT32_MIN };
#define TVIEW_NO_TIME INT64_MIN

/* ---- time ---- */

int64_t tview_ticks_per_second(const tview_trace *trace);
/* The names of the time bases that the trace has; NULL after the last. And of the one that is used
 * where none is asked for. */
const char *tview_base_name(const tview_trace *trace, unsigned i);
const char *tview_base(const tview_trace *trace);
/* First and last event of the run in that base. */
void tview_span(const tview_trace *trace, int64_t *begin, int64_t *end);

/* ---- definitions; false, or NULL: there is no such number ---- */

/* Clean: valid UTF-8 without control characters. */
const char *tview_string(const tview_trace *trace, uint32_t string);

/* As OTF2 numbers them. */
enum tview_location_type {
	TVIEW_LOCATION_UNKNOWN,
	TVIEW_LOCATION_THREAD,
	TVIEW_LOCATION_ACCELERATOR, /* a device's stream */
	TVIEW_LOCATION_COUNTERS     /* counters alone */
};

struct tview_location {
	const char *name;   /* "rank 3", "rank 3 thread 1" */
	const char *node;   /* machine, "" unknown */
	int64_t begin, end; /* ticks, measured: recorded lifetime */
	uint64_t events;
	int32_t rank;   /* TVIEW_HOST, TVIEW_NO_RANK */
	int32_t thread; /* from 0 */
	uint32_t type;  /* enum tview_location_type */
	uint32_t reserved;
};
uint32_t tview_location_count(const tview_trace *trace);
bool tview_location(const tview_trace *trace, uint32_t id, struct tview_location *location);

struct tview_region {
	const char *name, *file; /* "" unknown */
	const char *cls;         /* as in filters: "user", "p2p", "collective", "sync", ... */
	uint32_t line;           /* of its definition, 0 unknown */
	uint32_t reserved;
};
uint32_t tview_region_count(const tview_trace *trace);
bool tview_region(const tview_trace *trace, uint32_t id, struct tview_region *region);

struct tview_callpath {
	const char *file;   /* of the call, "" unknown */
	uint32_t line;      /* 0 unknown */
	uint32_t parent;    /* of the root itself */
	uint32_t canonical; /* of all call paths with these regions and call sites: for sums */
	uint32_t region;    /* TVIEW_NONE of the root */
	uint32_t depth;     /* of the root 0 */
	uint32_t reserved;
};
uint32_t tview_callpath_count(const tview_trace *trace);
bool tview_callpath(const tview_trace *trace, uint32_t id, struct tview_callpath *callpath);
/* Writes "main > solve > MPI_Recv", clean, at most `size` bytes with the NUL; returns its length,
 * which may be more. */
size_t tview_callpath_text(const tview_trace *trace, uint32_t id, char *text, size_t size);

struct tview_comm {
	const char *name;
	const int32_t *ranks;  /* [size] in the world, in the order of the communicator */
	const int32_t *remote; /* [remote_size] of an inter-communicator the other group */
	uint32_t size, remote_size;
	uint32_t parent;     /* communicator, TVIEW_NONE unknown */
	uint32_t of_threads; /* 1: a team; its ranks are locations */
};
uint32_t tview_comm_count(const tview_trace *trace);
bool tview_comm(const tview_trace *trace, uint32_t id, struct tview_comm *comm);

/* Metrics of severities, a tree; they are the same for all traces. */
struct tview_metric {
	const char *name, *title; /* "mpi_latesender", "Late Sender" */
	const char *text;         /* a sentence */
	const char *unit;         /* "s", "bytes", "occ": a count */
	uint32_t parent;          /* metric that includes it, TVIEW_NONE */
	uint32_t reserved;
};
bool tview_metric(uint32_t id, struct tview_metric *metric);

/* Grids of ranks, the best first: of MPI's topologies, or guessed from messages; the first call
 * makes them. */
enum { TVIEW_DIMS = 8 };
struct tview_grid {
	const char *name, *note; /* "4 x 4", and where it is from, a sentence */
	uint32_t dims;
	uint32_t guessed; /* 1: from messages */
	uint32_t size[TVIEW_DIMS];
	uint8_t periodic[TVIEW_DIMS]; /* 0 no, 1 yes, 2 not known */
};
bool tview_grid(tview_trace *trace, uint32_t i, struct tview_grid *grid);
/* [locations][dims] 'i': where each location is, -1 not on it. */
bool tview_grid_places(tview_trace *trace, uint32_t i, struct tview_array *places);

/* ---- records ---- */

enum tview_kind {
	TVIEW_EVENTS,
	TVIEW_VISITS,
	TVIEW_MESSAGES,
	TVIEW_COLLECTIVES,
	TVIEW_MEMBERS, /* of collectives */
	TVIEW_SEVERITIES,
	TVIEW_NODES /* of the program graph */
};

/* In the order of time, then rank, thread, and the file's within a location. */
struct tview_event {
	int64_t time;
	uint64_t id; /* as in the tables' columns `event` */
	uint32_t location;
	uint32_t kind;     /* tview_event_kind() */
	uint32_t callpath; /* entered, left, or open around it */
	uint32_t of;       /* of a message's or a collective's event its number, TVIEW_NONE */
};
/* "enter", "leave", "send", ...; NULL after the last. */
const char *tview_event_kind(uint32_t kind);

/* Calls of a region: those that are open where the window begins, and those that begin in it; by
 * begin. The filter matches the visit. */
struct tview_visit {
	int64_t begin, end;
	int64_t exclusive; /* ticks outside the visits inside it */
	uint64_t event;    /* its enter */
	uint32_t location, callpath, region;
	uint32_t open; /* 1: the trace ends before it; `end` is that of the run */
};

enum tview_message_flag {
	TVIEW_MESSAGE_NO_SEND = 1 << 0, /* the send was not recorded */
	TVIEW_MESSAGE_NO_RECEIVE = 1 << 1,
	TVIEW_MESSAGE_GUESSED = 1 << 2,   /* which send belongs to which receive is not certain */
	TVIEW_MESSAGE_BROADCAST = 1 << 3, /* one of several of a send to all */
	TVIEW_MESSAGE_CANCELLED = 1 << 4,
	TVIEW_MESSAGE_PENDING = 1 << 5, /* `received` is the request, which was not completed */
	TVIEW_MESSAGE_NO_BYTES = 1 << 6,
	TVIEW_MESSAGE_NO_TAG = 1 << 7
};

/* Messages that cross the window and have an end on a chosen location, by their earlier end. */
struct tview_message {
	int64_t sent, received;             /* TVIEW_NO_TIME unknown */
	int64_t bytes;                      /* 0 with TVIEW_MESSAGE_NO_BYTES */
	uint64_t send_event, receive_event; /* TVIEW_NO_EVENT */
	uint32_t id;
	uint32_t flags;                           /* enum tview_message_flag */
	int32_t source, destination;              /* ranks in the world, TVIEW_NO_RANK */
	uint32_t send_location, receive_location; /* TVIEW_NONE unknown */
	uint32_t send_callpath, receive_callpath; /* around the events; 0 unknown */
	int32_t tag;                              /* 0 with TVIEW_MESSAGE_NO_TAG */
	uint32_t comm;                            /* TVIEW_NONE unknown */
};

/* Collectives that cross the window and have a member on a chosen location, by their begin. */
struct tview_collective {
	int64_t begin, end; /* of all members */
	uint32_t id, region, comm;
	int32_t root;        /* rank in the world, TVIEW_NO_RANK none */
	uint32_t members;    /* that were recorded */
	uint32_t incomplete; /* 1: some of the communicator are missing */
};

/* The members of those, whatever their location, one collective after the other, by location. */
struct tview_member {
	int64_t begin, end;     /* TVIEW_NO_TIME unknown */
	int64_t sent, received; /* bytes, -1 unknown */
	uint64_t event;         /* of its begin, TVIEW_NO_EVENT */
	uint32_t collective, location, callpath;
	uint32_t reserved;
};

/* Severities that are not zero, of the metric of the option "metric=...", or of all: a metric
 * includes those below it in the tree, a call path not those below it. The filter does not apply.
 * The first cursor searches for wait states. */
struct tview_severity {
	double value;                        /* seconds, bytes, or a count: tview_metric() */
	uint32_t metric, callpath, location; /* the call path is canonical */
	uint32_t reserved;
};

enum tview_node_kind {
	TVIEW_NODE_PROGRAM, /* the first one, and the only one without parent */
	TVIEW_NODE_PROCEDURE,
	TVIEW_NODE_LOOP,
	TVIEW_NODE_CALL,
	TVIEW_NODE_COMMUNICATION
};

/* The program graph (paper of Li and Zhang; doc/statements.md), on the chosen locations. */
struct tview_node {
	int64_t time, exclusive, waiting, transfer; /* ticks, of all locations together */
	uint64_t count;                             /* visits */
	uint32_t id, kind;                          /* enum tview_node_kind */
	uint32_t parent;                            /* node that contains it, TVIEW_NONE */
	uint32_t callee;                            /* of a call: the procedure, TVIEW_NONE */
	uint32_t name, file;                        /* strings */
	uint32_t line, end_line;                    /* 0 unknown */
};

/* ---- cursors ---- */

typedef struct tview_cursor tview_cursor;

/* A cursor before the first record. `location`: of that one alone, TVIEW_NONE: of all that are
 * chosen. Options as those of tview_open(): "base=measured", "time=0.1s:250ms", "ranks=0-3",
 * "filter=...", of severities "metric=...". NULL with `error`. */
tview_cursor *tview_cursor_open(tview_trace *trace, enum tview_kind kind, uint32_t location,
				const char *const *options, struct tview_error *error);
void tview_cursor_close(tview_cursor *cursor);
/* Copies the next records into an array of n of their structs; returns how many, fewer than n at
 * the end. 0 for a cursor of another kind. */
size_t tview_cursor_read(tview_cursor *cursor, enum tview_kind kind, void *records, size_t n);

#define TVIEW_NEXT(name, KIND)                                                                  \
	static inline bool tview_next_##name(tview_cursor *cursor, struct tview_##name *record) \
	{                                                                                       \
		return tview_cursor_read(cursor, KIND, record, 1) == 1;                         \
	}
TVIEW_NEXT(event, TVIEW_EVENTS)
TVIEW_NEXT(visit, TVIEW_VISITS)
TVIEW_NEXT(message, TVIEW_MESSAGES)
TVIEW_NEXT(collective, TVIEW_COLLECTIVES)
TVIEW_NEXT(member, TVIEW_MEMBERS)
TVIEW_NEXT(severity, TVIEW_SEVERITIES)
TVIEW_NEXT(node, TVIEW_NODES)
#undef TVIEW_NEXT

/* For bindings: the name of a kind ("events"), NULL after the last; the bytes of its struct; its
 * fields, ended by one without name. */
struct tview_field {
	const char *name;
	uint32_t offset; /* bytes */
	char format;     /* as in struct tview_array */
	char reserved[3];
};
const char *tview_kind_name(enum tview_kind kind);
size_t tview_record_size(enum tview_kind kind);
const struct tview_field *tview_record_fields(enum tview_kind kind);

/* ---- the trace's own arrays ---- */

/* What the trace keeps as an array, without a copy, an element for each row, by their numbers:
 * "messages.tag", "callpaths.parent", ...; false: there is no such array. And their names, NULL
 * after the last. */
bool tview_shared(const tview_trace *trace, const char *name, struct tview_array *array);
const char *tview_shared_name(unsigned i);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
