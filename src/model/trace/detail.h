/* detail: what traces say beyond regions, messages and collectives: metrics, parameters, threads,
 * one-sided communication, file operations, attributes, markers, and the definitions that these
 * name.
 *
 * A detail is a row of 64-bit values whose meaning its type tells (detail_info: names and kinds of
 * the fields), so that views, filters, writers and tests treat all of them alike: a new sort is a
 * row of the table in detail.c. Events point to details with their 27-bit id (event.h says which
 * kinds). An object is a definition of the same make: a window, a file, a parameter, an attribute.
 *
 * Ownership and threads: as in trace.h. */
#ifndef TVIEW_MODEL_TRACE_DETAIL_H
#define TVIEW_MODEL_TRACE_DETAIL_H

#include "model/trace/trace.h"

enum field_kind {
	FIELD_UINT,
	FIELD_INT,
	FIELD_FLOAT, /* bits of a double */
	FIELD_HEX,   /* flags of the source, shown in hexadecimal */
	FIELD_ENUM,  /* a number of the source; the field's names tell what it means */
	FIELD_BYTES,
	FIELD_TICKS,  /* a duration */
	FIELD_STRING, /* string */
	FIELD_REGION,
	FIELD_COMM, /* communicator, UINT64_MAX none */
	FIELD_RANK, /* world rank (int64_t) */
	FIELD_LOCATION,
	FIELD_OBJECT, /* object, UINT64_MAX none */
	FIELD_SITE,   /* site */
	FIELD_VALUES, /* last field: as many more values as there are (of a metric set, strings) */
};

struct field_info {
	const char *name; /* "remote", "bytes" */
	enum field_kind kind;
	const char *const *names; /* FIELD_ENUM: NULL-terminated, else NULL */
};

enum { DETAIL_FIELDS = 8 };

struct detail_info {
	const char *name;     /* stable word: "rma-put", "thread-fork" */
	enum event_kind kind; /* of events that have it; EV_KINDS for objects */
	unsigned fields;
	struct field_info field[DETAIL_FIELDS];
};

/* Types of details, in the order of detail.c's table. The names are OTF2's, in tview's spelling. */
enum detail_type {
	/* EV_THREAD_BEGIN, EV_THREAD_END, EV_THREAD */
	DETAIL_THREAD_BEGIN,  /* comm, sequence */
	DETAIL_THREAD_END,    /* comm, sequence */
	DETAIL_THREAD_CREATE, /* comm, sequence */
	DETAIL_THREAD_WAIT,   /* comm, sequence */
	DETAIL_THREAD_FORK,   /* paradigm, threads */
	DETAIL_THREAD_JOIN,   /* paradigm */
	DETAIL_TEAM_BEGIN,    /* comm */
	DETAIL_TEAM_END,      /* comm */
	DETAIL_LOCK_ACQUIRE,  /* paradigm, lock, order */
	DETAIL_LOCK_RELEASE,  /* paradigm, lock, order */
	DETAIL_TASK_CREATE,   /* comm, creator, generation */
	DETAIL_TASK_SWITCH,   /* comm, creator, generation */
	DETAIL_TASK_COMPLETE, /* comm, creator, generation */
	/* EV_RMA */
	DETAIL_RMA_WIN_CREATE,               /* window */
	DETAIL_RMA_WIN_DESTROY,              /* window */
	DETAIL_RMA_COLLECTIVE_BEGIN,         /* - */
	DETAIL_RMA_COLLECTIVE_END,           /* operation, level, window, root, sent, received */
	DETAIL_RMA_GROUP_SYNC,               /* level, window, group */
	DETAIL_RMA_REQUEST_LOCK,             /* window, remote, lock, type */
	DETAIL_RMA_ACQUIRE_LOCK,             /* window, remote, lock, type */
	DETAIL_RMA_TRY_LOCK,                 /* window, remote, lock, type */
	DETAIL_RMA_RELEASE_LOCK,             /* window, remote, lock */
	DETAIL_RMA_SYNC,                     /* window, remote, type */
	DETAIL_RMA_WAIT_CHANGE,              /* window */
	DETAIL_RMA_PUT,                      /* window, remote, bytes, matching */
	DETAIL_RMA_GET,                      /* window, remote, bytes, matching */
	DETAIL_RMA_ATOMIC,                   /* window, remote, type, sent, received, matching */
	DETAIL_RMA_OP_COMPLETE_BLOCKING,     /* window, matching */
	DETAIL_RMA_OP_COMPLETE_NON_BLOCKING, /* window, matching */
	DETAIL_RMA_OP_TEST,                  /* window, matching */
	DETAIL_RMA_OP_COMPLETE_REMOTE,       /* window, matching */
	/* EV_METRIC */
	DETAIL_METRIC, /* metric set, values */
	/* EV_PARAMETER */
	DETAIL_PARAMETER_STRING, /* parameter, value */
	DETAIL_PARAMETER_INT,    /* parameter, value */
	DETAIL_PARAMETER_UINT,   /* parameter, value */
	/* EV_FILE */
	DETAIL_IO_CREATE_HANDLE,       /* handle, mode, creation flags, status flags */
	DETAIL_IO_DESTROY_HANDLE,      /* handle */
	DETAIL_IO_DUPLICATE_HANDLE,    /* old, new, status flags */
	DETAIL_IO_SEEK,                /* handle, request, whence, result */
	DETAIL_IO_CHANGE_STATUS_FLAGS, /* handle, status flags */
	DETAIL_IO_DELETE_FILE,         /* paradigm, file */
	DETAIL_IO_BEGIN,               /* handle, mode, flags, bytes, matching */
	DETAIL_IO_TEST,                /* handle, matching */
	DETAIL_IO_ISSUED,              /* handle, matching */
	DETAIL_IO_COMPLETE,            /* handle, bytes, matching */
	DETAIL_IO_CANCELLED,           /* handle, matching */
	DETAIL_IO_ACQUIRE_LOCK,        /* handle, type */
	DETAIL_IO_RELEASE_LOCK,        /* handle, type */
	DETAIL_IO_TRY_LOCK,            /* handle, type */
	/* EV_OTHER */
	DETAIL_PROGRAM_BEGIN, /* program, arguments */
	DETAIL_PROGRAM_END,   /* status */
	DETAIL_COMM_CREATE,   /* comm */
	DETAIL_COMM_DESTROY,  /* comm */
	DETAIL_SAMPLE,  /* site (innermost of the calling context), unwind distance, generator */
	DETAIL_UNKNOWN, /* - */
	/* objects */
	OBJECT_PARAMETER,   /* type */
	OBJECT_ATTRIBUTE,   /* description, type */
	OBJECT_RMA_WINDOW,  /* comm, flags */
	OBJECT_GROUP,       /* type, paradigm, flags, members (world ranks, or ids of the source) */
	OBJECT_IO_PARADIGM, /* identification, class, flags */
	OBJECT_IO_FILE,     /* parent system node, directory (1: is one) */
	OBJECT_IO_HANDLE,   /* file, paradigm, flags, comm, parent handle */
	OBJECT_GENERATOR,   /* description, mode, base, exponent, period: what makes samples */
	DETAIL_TYPES
};

/* Static; for every type. */
const struct detail_info *detail_info(enum detail_type type);
/* The type of that name, DETAIL_TYPES without. */
enum detail_type detail_find(const char *name, size_t length);

struct detail {
	uint32_t type;  /* enum detail_type */
	uint32_t n;     /* values: the type's fields, and what FIELD_VALUES has beyond them */
	uint64_t first; /* in the table of values */
};

uint32_t trace_detail_count(const struct trace *trace);
const struct detail *trace_detail(const struct trace *trace, uint32_t id);
/* Is one of this type there? O(details). */
bool trace_has_detail(const struct trace *trace, enum detail_type type);
const uint64_t *trace_detail_values(const struct trace *trace, const struct detail *detail);
/* "window w0, remote 3, bytes 4,096": all fields of an event's detail, cleaned. */
void trace_detail_text(const struct trace *trace, uint32_t id, struct str *out);

/* A definition that details name. */
struct object {
	uint32_t name; /* string */
	struct detail detail;
};

uint32_t trace_object_count(const struct trace *trace);
const struct object *trace_object(const struct trace *trace, uint32_t id);
/* "comm world, flags 0x0": all fields of an object, cleaned. */
void trace_object_text(const struct trace *trace, uint32_t id, struct str *out);

/* ---- metrics: counters over time ---- */

enum metric_mode {                           /* what a value says of which time */
		   METRIC_ACCUMULATED_START, /* sum since the start of the measurement */
		   METRIC_ACCUMULATED_POINT,
		   METRIC_ACCUMULATED_LAST, /* sum since the last value */
		   METRIC_ACCUMULATED_NEXT,
		   METRIC_ABSOLUTE_POINT, /* holds at this moment */
		   METRIC_ABSOLUTE_LAST,  /* held since the last value */
		   METRIC_ABSOLUTE_NEXT,  /* holds until the next */
		   METRIC_RELATIVE_POINT,
		   METRIC_RELATIVE_LAST,
		   METRIC_RELATIVE_NEXT,
		   METRIC_MODES
};

struct metric {
	uint32_t name, description, unit; /* strings */
	uint8_t type;     /* origin as OTF2 numbers it: 0 other, 1 PAPI, 2 rusage, 3 user */
	uint8_t mode;     /* enum metric_mode */
	uint8_t value;    /* enum field_kind: FIELD_INT, FIELD_UINT, FIELD_FLOAT */
	uint8_t base;     /* 2 or 10 */
	int64_t exponent; /* shown value = value * base ^ exponent */
};

/* Metrics whose values are recorded together. */
struct metric_set {
	uint32_t n;
	const uint32_t *metrics; /* [n] */
	uint32_t recorder;       /* location that records for others; UINT32_MAX: each its own */
	uint8_t occurrence; /* as OTF2 numbers it: 0 synchronous strict, 1 synchronous, 2 asynchronous */
	uint8_t scope_kind; /* 0 none (a class), else as OTF2 numbers it + 1 */
	uint64_t scope;
};

uint32_t trace_metric_count(const struct trace *trace);
const struct metric *trace_metric(const struct trace *trace, uint32_t id);
uint32_t trace_metric_set_count(const struct trace *trace);
const struct metric_set *trace_metric_set(const struct trace *trace, uint32_t id);

/* ---- attributes of events ---- */

struct event_attribute {
	uint32_t event;
	uint32_t object; /* OBJECT_ATTRIBUTE */
	uint64_t value;  /* as the object's type says */
};

/* The attributes of an event: *n rows. O(log attributes). */
const struct event_attribute *trace_event_attributes(const struct trace *trace, uint32_t event,
						     uint32_t *n);
size_t trace_attribute_count(const struct trace *trace); /* of all events */
const struct event_attribute *trace_attribute(const struct trace *trace, size_t i); /* by event */
/* What an attribute's value is, as far as the kinds of fields say it. */
enum field_kind attribute_kind(const struct trace *trace, const struct event_attribute *attribute);
/* "size 8, file main.c": an event's attributes, cleaned; nothing for most events. */
void trace_attributes_text(const struct trace *trace, uint32_t event, struct str *out);

/* ---- markers: notes pinned to a time ---- */

struct marker {
	int64_t time, duration;  /* ticks, reference clock */
	uint32_t category, text; /* strings */
	uint8_t severity;        /* 0 none, 1 low, 2 medium, 3 high */
	uint8_t scope_kind;      /* 0 global, else as OTF2 numbers it */
	uint64_t scope;          /* location where scope_kind is 1, else the source's number */
};

size_t trace_marker_count(const struct trace *trace);
const struct marker *trace_marker(const struct trace *trace, size_t i); /* by time */

/* ---- where locations live ---- */

/* Machine, node, ...; parents come before their children. */
struct tree_node {
	uint32_t name, cls; /* strings: "node7", "node" */
	uint32_t parent;    /* UINT32_MAX: the root */
};

/* A process or an accelerator's context. */
struct process {
	uint32_t name;    /* string */
	uint32_t node;    /* tree node, UINT32_MAX unknown */
	uint8_t type;     /* as OTF2 numbers it: 1 process, 2 accelerator */
	uint32_t creator; /* process, UINT32_MAX none */
};

uint32_t trace_tree_node_count(const struct trace *trace);
const struct tree_node *trace_tree_node(const struct trace *trace, uint32_t id);
uint32_t trace_process_count(const struct trace *trace);
const struct process *trace_process(const struct trace *trace, uint32_t id);

#endif
