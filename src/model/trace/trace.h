/* trace: one run after loading: definitions, events in columns, messages, collectives, and
 * findings. Read-only except for columns that are made at first use (time bases).
 *
 * Invariants. Times are signed 64-bit ticks from the trace's own zero (base/units.h turns them into
 * text). Strings, regions, sites, call paths, locations, communicators are dense 32-bit ids from 0;
 * string 0 is "", call path 0 is the root (no region open), communicator 0 is the world. Within a
 * location events are in the order of the file where times are equal, and no time base changes
 * that order. An event's id is block * 64 + slot. Intervals are half-open.
 *
 * Ownership: everything belongs to the trace and lives until trace_free(). Threads: any number may
 * read; trace_base_make(), the first trace_class_shading() of a base, and a profile_make() of
 * locations that had none in that base, must not run while other threads use the trace.
 *
 *	struct cursor c;
 *	for (uint32_t l = 0; l < trace_location_count(trace); l++)
 *		for (bool ok = cursor_first(&c, trace, base, l); ok; ok = cursor_next(&c))
 *			use(cursor_time(&c), cursor_what(&c));
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/units.h"
#include "model/trace/event.h"

struct trace;

/* ---- tables ---- */

/* Every table of trace_tables.def has two functions: trace_region_count(trace) and
 * trace_region(trace, id), trace_location_count() ... The structs of rows are in this header,
 * detail.h, program.h and gap.h. */
#define TABLE(field, row, name, number)                         \
	number trace_##name##_count(const struct trace *trace); \
	const struct row *trace_##name(const struct trace *trace, number id);
#define OWNER TABLE
#include "model/trace/trace_tables.def"

/* ---- definitions ---- */

struct region {
	uint32_t name; /* string */
	uint32_t file; /* string of the source file, 0 unknown */
	uint32_t line; /* of its definition, 0 unknown */
	int32_t picl;  /* PICL event type that represents it; several types may share a region (-51,
			  -52) */
	uint8_t cls;   /* enum region_class */
	uint8_t role, paradigm;          /* as OTF2 numbers them, 0 unknown */
	uint32_t flags;                  /* as OTF2 numbers them */
	uint32_t end_line;               /* 0 unknown */
	uint32_t canonical, description; /* strings: mangled name, what it is; 0 unknown */
};

/* The identity of an enter: a region, its call site if known, and the event type of the record. */
struct site {
	uint32_t region;
	uint32_t
		file; /* string: where the call is, 0 unknown; without a line it may be the function
			  that it is in, with brackets: "exchange()" */
	uint32_t line; /* 0 unknown */
	int32_t picl;  /* exact PICL event type of the record (-52 for a receive that blocked) */
};

struct callpath {
	uint32_t parent; /* call path; the root is its own parent */
	uint32_t site;   /* undefined for the root */
	uint32_t canon;  /* the representative of all call paths with these regions and call sites,
			    whatever the event types: use it to sum up */
	uint32_t depth;  /* root 0 */
};

enum { RANK_HOST = 32767, RANK_UNKNOWN = INT32_MIN };

/* Types of locations as OTF2 numbers them. */
enum { LOCATION_UNKNOWN, LOCATION_CPU, LOCATION_ACCELERATOR, LOCATION_METRICS };

struct location {
	uint32_t name;        /* string: "rank 3", "host", "rank 3 thread 1" */
	int32_t rank;         /* PICL processor, MPI rank in the world; RANK_HOST for the host */
	int32_t process;      /* PICL process id, -1 unknown */
	int32_t thread;       /* from 0 */
	uint32_t node;        /* string, 0 unknown */
	uint32_t owner;       /* process (detail.h) it belongs to, UINT32_MAX unknown */
	uint8_t type;         /* LOCATION_* */
	uint64_t source_id;   /* in the source, if it has ids of its own */
	uint32_t source_name; /* string: the source's name, if it differs from `name`; else 0 */
	uint64_t events;
	int64_t begin, end;                /* ticks, measured: traced lifetime [begin, end] */
	bool begin_inferred, end_inferred; /* not recorded: time of the first or last record */
	bool cut_off;                      /* regions were still open at the end */
	bool unfinished;                   /* called MPI_Init, ended without MPI_Finalize */
	bool stopped;                      /* recorded from MPI_Init on, but not to MPI_Finalize */
	bool end_lost;                     /* its last records, or all, are damaged or missing */
};

/* True for a process or thread, whose time counts in figures; false for a device's stream, whose
 * host's time counts, and for a location with metrics only. */
static inline bool location_runs_code(const struct location *location)
{
	return location->type != LOCATION_ACCELERATOR && location->type != LOCATION_METRICS;
}

/* False for a location with counters alone: it has no states, and its time does not count. */
static inline bool location_has_states(const struct location *location)
{
	return location->type != LOCATION_METRICS;
}

enum comm_kind {
	COMM_PROCESSES, /* ranks of the world */
	COMM_SELF,      /* one process; one row for each process, from a single definition */
	COMM_INTER,
	COMM_THREADS, /* a team: `ranks` are locations */
};

struct comm {
	uint32_t name; /* string */
	uint32_t size;
	const int32_t *ranks; /* world ranks, in the order of the communicator */
	int32_t picl_subset;  /* its id in the file, 0 none */
	uint32_t parent;      /* communicator, UINT32_MAX none */
	uint32_t remote_size; /* of an inter-communicator: the other group; `ranks` is the first */
	const int32_t *remote;
	uint8_t kind;   /* enum comm_kind */
	uint32_t flags; /* as OTF2 numbers them */
};

struct topology {
	uint32_t name; /* string */
	uint32_t comm;
	uint32_t dims;
	const int32_t *size;     /* [dims] */
	const uint8_t *periodic; /* [dims] */
	const int32_t *coords;   /* [comm size][dims], -1 unknown */
};

struct offset {
	uint32_t location;
	int64_t time;   /* ticks, local clock: when it is valid */
	int64_t offset; /* ticks to add to the local clock to get the reference clock */
	int64_t rtt;    /* ticks, round trip of the measurement, -1 unknown */
};

/* The part of the source that was loaded, if not all of it. */
struct partial {
	bool is;
	char text[120]; /* "ranks 0-3", "stopped at 41 %", joined with ", ": for the title */
};

/* A property of the trace: key and value, in the file's order. */
struct property {
	uint32_t key, value; /* strings */
};

const char *trace_path(const struct trace *trace);
/* What it is called on screens and pages: "run.trc", "rank*.json: 8 files". */
void trace_add_name(const struct trace *trace, struct str *out);
/* The same for sentences of the command line: its whole path, what several files are called. */
void trace_add_path(const struct trace *trace, struct str *out);
/* Of the processes that share the trace, each with the events of some locations (base/exchange.h);
 * NULL: this one has all. Definitions, and numbers of call paths, are the same in all. */
struct exchange;
struct exchange *trace_exchange(const struct trace *trace);
const struct partial *trace_partial(const struct trace *trace);
const struct timescale *trace_scale(const struct trace *trace);
const char *trace_string(const struct trace *trace,
			 uint32_t id); /* as in the file: clean it before showing it */
uint32_t trace_string_count(const struct trace *trace);

const char *trace_region_name(const struct trace *trace, uint32_t id);
uint32_t trace_callpath_region(const struct trace *trace, uint32_t id); /* not for the root */
enum region_class trace_callpath_class(const struct trace *trace,
				       uint32_t id); /* root: CLASS_USER */
/* "main > solve > MPI_Recv", cleaned; of a deeper path "... > " and its last levels, or a view of a
 * recursion of 10^6 levels would be quadratic. */
enum { CALLPATH_LEVELS = 128 };
void trace_callpath_text(const struct trace *trace, uint32_t id, struct str *out);

/* Appends "rank 3", "host", or `unknown` without a rank. */
void rank_name(int32_t rank, const char *unknown, struct str *out);
/* Appends the name of a location without one: "rank 3 thread 1", "host"; without a rank its
 * number. */
void location_default_name(const struct location *location, uint32_t id, struct str *out);
/* The location of a rank (its first thread); UINT32_MAX if the trace has none. */
uint32_t trace_location_of_rank(const struct trace *trace, int32_t rank);
/* Locations but for those with counters alone. O(locations). */
uint32_t trace_state_locations(const struct trace *trace);

const char *trace_property_value(const struct trace *trace,
				 const char *key); /* first, NULL without */
/* For a run that had not ended when it was read: date and time of reading; else NULL. */
const char *trace_live(const struct trace *trace);

/* ---- time bases ---- */

bool trace_has_base(const struct trace *trace,
		    enum time_base base); /* measured: always; linear: when there are offsets */
/* Makes the columns of a base that the trace has, if they are not made. False with err, or with err
 * untouched if progress cancelled. */
bool trace_base_make(struct trace *trace, enum time_base base, const struct progress *progress,
		     struct err *err);
/* clc, else fitted, else linear, else measured: the default for views, exports and conversion. */
enum time_base trace_default_base(const struct trace *trace);
/* First and last event of all locations in a made base (begin == end in an empty trace). */
void trace_span(const struct trace *trace, enum time_base base, int64_t *begin, int64_t *end);
/* The lowest location whose first event is the run's; UINT32_MAX in an empty trace. Where several
 * processes share the trace, all call it. */
uint32_t trace_first_location(const struct trace *trace, enum time_base base);
uint64_t trace_event_count(const struct trace *trace);

/* ---- events ---- */

enum { BLOCK_EVENTS = 64 };

struct block {
	uint32_t what[BLOCK_EVENTS];
	uint32_t location;
	uint32_t nth;   /* index of the block within its location */
	uint32_t path;  /* call path open before its first event */
	uint16_t n;     /* events in it, 1..64 */
	uint16_t flags; /* the store's own */
};

struct times {
	int64_t base;  /* of the first event, ticks */
	uint32_t wide; /* 0, or 1 + row of the wide table if 32 bits are too few */
	uint32_t delta[BLOCK_EVENTS];
	uint32_t reserved;
};

/* A position in the events of a location. The fields are for the inline functions below. */
struct cursor {
	const struct trace *trace;
	const struct block *block;
	const struct times *times;
	const int64_t *wide; /* the block's times if they are wide, else NULL */
	enum time_base base;
	uint32_t location;
	uint32_t id;   /* event id */
	uint32_t slot; /* in the block */
};

/* Position on the first or last event; false where the location has none. */
bool cursor_first(struct cursor *c, const struct trace *trace, enum time_base base,
		  uint32_t location);
bool cursor_last(struct cursor *c, const struct trace *trace, enum time_base base,
		 uint32_t location);
/* Position on the first event with time >= t; false (c unusable) where there is none. O(log
 * events). */
bool cursor_seek(struct cursor *c, const struct trace *trace, enum time_base base,
		 uint32_t location, int64_t t);
/* Position on a given event. O(1). */
void cursor_at(struct cursor *c, const struct trace *trace, enum time_base base, uint32_t event);
bool cursor_next_block(struct cursor *c);
bool cursor_prev_block(struct cursor *c);

static inline bool cursor_next(struct cursor *c)
{
	if (c->slot + 1 >= c->block->n)
		return cursor_next_block(c);
	c->slot++;
	c->id++;
	return true;
}

static inline bool cursor_prev(struct cursor *c)
{
	if (c->slot == 0)
		return cursor_prev_block(c);
	c->slot--;
	c->id--;
	return true;
}

static inline int64_t cursor_time(const struct cursor *c)
{
	return c->wide ? c->wide[c->slot] : c->times->base + c->times->delta[c->slot];
}

static inline uint32_t cursor_what(const struct cursor *c)
{
	return c->block->what[c->slot];
}

/* The call path that is open just before, and just after, the event. At most 64 steps. */
uint32_t cursor_path_before(const struct cursor *c);
uint32_t cursor_path(const struct cursor *c);
/* The id of an event in a trace that one process has read: its own, but for one of several
 * processes. */
uint64_t trace_event_number(const struct trace *trace, uint32_t event);
/* Index of the event within its location, from 0. */
uint64_t cursor_ordinal(const struct cursor *c);
/* Position on the n-th event of a location. */
bool cursor_nth(struct cursor *c, const struct trace *trace, enum time_base base, uint32_t location,
		uint64_t n);

/* For many locations at once, which hides the latency of memory: sets counts[i] to the number of
 * events of locations[i] before t. O(n log events). */
void trace_events_before(const struct trace *trace, enum time_base base, const uint32_t *locations,
			 size_t n, int64_t t, uint64_t *counts);
/* Sets times[i] to the time of the nth[i]-th event of locations[i], which must exist; NTH_NONE
 * leaves it unchanged. O(n). */
#define NTH_NONE UINT64_MAX
void trace_nth_times(const struct trace *trace, enum time_base base, const uint32_t *locations,
		     const uint64_t *nth, size_t n, int64_t *times);

int64_t trace_event_time(const struct trace *trace, enum time_base base, uint32_t event);
uint32_t trace_event_what(const struct trace *trace, uint32_t event);
uint32_t trace_event_location(const struct trace *trace, uint32_t event);
/* Whether an id, of somewhere, is that of an event. */
bool trace_has_event(const struct trace *trace, uint32_t event);
/* Prefetches what tells an event's location, call path and time; EVENT_NONE: nothing. For passes
 * over tables whose rows have their events anywhere. */
void trace_event_near(const struct trace *trace, enum time_base base, uint32_t event);
/* Index of the event within its location, from 0. */
uint64_t trace_event_ordinal(const struct trace *trace, uint32_t event);
/* The block that holds the event, at event % BLOCK_EVENTS. */
const struct block *trace_event_block(const struct trace *trace, uint32_t event);
uint32_t trace_event_path(
	const struct trace *trace,
	uint32_t event); /* call path the event belongs to: entered, left, or open around it */
/* True if its location is traced there: messages may be recorded while it is not. O(events of its
 * block). */
bool trace_event_traced(const struct trace *trace, uint32_t event);
/* Call path open on a location at time t (after all events with time <= t). */
uint32_t trace_path_at(const struct trace *trace, enum time_base base, uint32_t location,
		       int64_t t);
/* The leave that ends the visit begun by an enter, or the enter of a leave; EVENT_NONE where the
 * trace has none. Walks the visit's events, skipping none: O(events inside). */
uint32_t trace_event_partner(const struct trace *trace, uint32_t event);

/* Rare payload of an event, kept as the text of the source (PICL: number of fields, descriptor and
 * data) if the columns cannot reproduce it; NULL for most events. O(log of such events). */
const char *trace_event_extra(const struct trace *trace, uint32_t event);
/* Whether any event has a text of the source, or one of its time. */
bool trace_has_texts(const struct trace *trace);
/* The string of that text; false without. */
bool trace_event_extra_string(const struct trace *trace, uint32_t event, uint32_t *string);
/* The time as the file had it, if a tick cannot hold it; else NULL. */
const char *trace_event_time_text(const struct trace *trace, uint32_t event);
bool trace_event_time_string(const struct trace *trace, uint32_t event, uint32_t *string);

/* A row of the records (EV_DATA ... EV_IO). */
struct record {
	int32_t rectype; /* PICL record type */
	uint32_t site;
	uint32_t text; /* string: number of fields, descriptor, data as in the file; for
			  EV_MESSAGE_TEXT the text itself */
};
uint32_t trace_record_count(const struct trace *trace);
const struct record *trace_record(const struct trace *trace, uint32_t id);
/* Bytes that a file operation (EV_IO) moved; UINT64_MAX unknown. */
uint64_t trace_io_bytes(const struct trace *trace, uint32_t id);

/* Records that belong to no single location (PICL processor -1 or a subset) and are not
 * definitions: kept for the writer and `check`. */
struct loose_record {
	int64_t time;  /* ticks, measured */
	uint32_t text; /* string: the whole line */
	uint64_t line; /* in the file */
};

/* ---- findings: deviations, damage, guesses ---- */

enum finding_kind {
	FINDING_ODDITY,  /* tolerated: the file deviates, nothing was lost */
	FINDING_GUESS,   /* decided without certainty */
	FINDING_DAMAGE,  /* something could not be read and was skipped */
	FINDING_INFO,    /* information (clock, span inferred) */
	FINDING_MISSING, /* was not recorded to its end; what is there is whole */
};

/* One sort of finding: how often, and where first. */
struct finding {
	enum finding_kind kind;
	char code[32];  /* stable word, e.g. "surplus-tokens" */
	char text[160]; /* sentence without place */
	uint64_t count;
	uint64_t lines[5]; /* first places: line (text files) or byte offset; 0 none */
};
/* The number of findings of a kind. */
uint64_t trace_finding_sum(const struct trace *trace, enum finding_kind kind);

/* False with err if the cache file that the trace is mapped from was written to, or cut off, since
 * it was opened: what was read from it cannot be believed. To be asked before results are kept. */
bool trace_is_unchanged(const struct trace *trace, struct err *err);

void trace_free(struct trace *trace);
