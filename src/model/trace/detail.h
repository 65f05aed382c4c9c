/* detail: data of traces beyond regions, messages and collectives: metrics, parameters, threads,
 * one-sided communication, file operations, attributes, markers, and the definitions that these
 * name.
 *
 * A detail is a row of 64-bit values; its type has names and kinds of the fields (detail_info), so
 * that views, filters, writers and tests treat all details alike: a new type is a row of
 * details.def. Events point to details with their 27-bit id (event.h says which kinds). An object
 * is a definition in the same form: a window, a file, a parameter, an attribute.
 *
 * Ownership and threads: as in trace.h. */
#pragma once

#include "model/trace/trace.h"

enum field_kind {
	FIELD_UINT,
	FIELD_INT,
	FIELD_FLOAT, /* bits of a double */
	FIELD_HEX,   /* flags as in the source, shown in hexadecimal */
	FIELD_ENUM,  /* a number as in the source; `names` has its meanings */
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

/* Types of details, in the order of details.def, which names their fields. */
enum detail_type {
#define DETAIL(type, ...)  DETAIL_##type,
#define SPECIAL(type, ...) DETAIL_##type,
#define BARE(type, ...)    DETAIL_##type,
#define OBJECT(type, ...)  OBJECT_##type,
#include "model/trace/details.def"
	DETAIL_TYPES
};

/* Static; for every type. */
const struct detail_info *detail_info(enum detail_type type);
/* The type of that name, DETAIL_TYPES without. */
enum detail_type detail_find(const char *name, size_t length);

struct detail {
	uint32_t type;  /* enum detail_type */
	uint32_t n;     /* number of values: the type's fields, and further ones of FIELD_VALUES */
	uint64_t first; /* in the table of values */
};

uint32_t trace_detail_count(const struct trace *trace);
const struct detail *trace_detail(const struct trace *trace, uint32_t id);
/* True if the trace has a detail of this type, on the locations of any process. O(details). */
bool trace_has_detail(const struct trace *trace, enum detail_type type);
const uint64_t *trace_detail_values(const struct trace *trace, const struct detail *detail);
/* Whether the i-th value of a detail is a string. */
bool detail_is_text(const struct detail *detail, uint32_t i);
/* Whether it is a site. */
bool detail_is_site(const struct detail *detail, uint32_t i);
/* "window w0, remote 3, bytes 4,096": all fields of an event's detail, cleaned. */
void trace_detail_text(const struct trace *trace, uint32_t id, struct str *out);

/* A definition that details name. */
struct object {
	uint32_t name; /* string */
	struct detail detail;
};

/* "comm world, flags 0x0": all fields of an object, cleaned. */
void trace_object_text(const struct trace *trace, uint32_t id, struct str *out);

/* ---- metrics: counters over time ---- */

enum metric_mode {                           /* the time that a value is for */
		   METRIC_ACCUMULATED_START, /* sum since the start of the measurement */
		   METRIC_ACCUMULATED_POINT,
		   METRIC_ACCUMULATED_LAST, /* sum since the last value */
		   METRIC_ACCUMULATED_NEXT,
		   METRIC_ABSOLUTE_POINT, /* is the value at this moment */
		   METRIC_ABSOLUTE_LAST,  /* was the value since the last one */
		   METRIC_ABSOLUTE_NEXT,  /* is the value until the next one */
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
	uint8_t occurrence;      /* as OTF2 numbers it: 0 synchronous strict, 1 synchronous, 2
				    asynchronous */
	uint8_t scope_kind;      /* 0 none (a class), else as OTF2 numbers it + 1 */
	uint64_t scope;
};

/* ---- attributes of events ---- */

struct event_attribute {
	uint32_t event;
	uint32_t object; /* OBJECT_ATTRIBUTE */
	uint64_t value;  /* as the object's type says */
};

/* The attributes of an event: *n rows. O(log attributes). */
const struct event_attribute *trace_event_attributes(const struct trace *trace, uint32_t event,
						     uint32_t *n);
/* The one of that name; NULL: it has none. */
const struct event_attribute *trace_event_attribute(const struct trace *trace, uint32_t event,
						    const char *name);
/* All of events in ascending order, faster; *at: 0 before the first. */
const struct event_attribute *trace_next_attributes(const struct trace *trace, uint32_t event,
						    size_t *at, uint32_t *n);
/* The kind of an attribute's value, as far as field_kind has it. */
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

/* ---- where locations run ---- */

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

/* The process whose program a location serves: of a device's stream, and of counters, the one that
 * created theirs; UINT32_MAX unknown. */
static inline uint32_t location_program(const struct trace *trace, const struct location *location)
{
	const uint32_t n = trace_process_count(trace);
	uint32_t creator;

	if (location->owner >= n)
		return UINT32_MAX;
	creator = trace_process(trace, location->owner)->creator;
	return !location_runs_code(location) && creator < n ? creator : location->owner;
}

/* Fills program[location] for each location: the first one of its program, of which a device's
 * streams are a part; what has a process or a rank in common is one (for lists_make()).
 * O(locations). */
void trace_programs(const struct trace *trace, uint32_t *program);
