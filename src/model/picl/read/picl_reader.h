/* picl_reader: the state of reading one PICL file, shared by the files that do it: picl_read.c
 * (passes over the file), picl_events.c (records become events),
 * picl_header_read.c (tview's own header). Not for others: they use picl_read(). */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "model/build/builder.h"
#include "model/meaning/picl_types.h"
#include "model/picl/picl.h"
#include "model/picl/picl_values.h"
#include "model/picl/read/picl_lines.h"
#include "model/picl/read/picl_parse.h"
#include "model/trace/record_type.h"

/* An event type as this file uses it. */
struct picl_kind {
	int32_t type;
	uint8_t role;  /* enum picl_role */
	uint8_t cls;   /* enum region_class */
	uint8_t mode;  /* of a send */
	bool blocked;  /* the call waited */
	bool known;    /* the report or MPICL has it */
	bool scoped;   /* has labels for some places only */
	uint32_t site; /* without call site; UINT32_MAX: not made yet */
	struct keymap
		calls; /* call site id of the header -> site: most regions are entered from few */
	uint32_t last_call, last_site; /* the latest of them; 0 none */
	char *file;                    /* of the region's source, NULL unknown */
	uint32_t line;                 /* 0 unknown */
	uint32_t region;    /* the region that the header's tables name; UINT32_MAX: found by name
			       and class */
	int32_t stands_for; /* with `region`: the event type that it has in the trace */
};

/* An entry that waits for the next record of its place: its exit has the request's id, and if the
 * two are not a pair in canonical form their text must be kept. */
struct picl_pending {
	bool active;
	struct picl_kind *kind;
	struct picl_record record; /* its pointers are NULL */
	struct str payload;        /* its text, if the record is not plain */
	struct str time_text;
};

/* A request whose completion has begun, or one that began without a known id. */
struct picl_open {
	int32_t type;
	bool has_request;
	int64_t request;
};

/* A finding about a line of which is not yet known whose it is. */
struct picl_noted {
	enum finding_kind kind;
	uint64_t line;
	const char *code, *text;
};

struct picl_rename {
	int64_t file, builder; /* ids in the file and in the builder */
};

/* A processor and process. */
struct picl_place {
	int32_t processor, process;
	uint64_t named; /* the line that gave it its process, 0: the header */
	uint32_t location;
	uint32_t nested;  /* regions of MPI or I/O that are open */
	int64_t requests; /* begun so far */
	bool ordinals;    /* their ids have been 1, 2, ... so far, as the writer numbers them */
	bool begun;       /* the entry resolved last began a request */
	const struct picl_kind *collective; /* that is open, NULL none */
	uint32_t call; /* site of the entry without data that comes next, 0 none */
	const struct picl_kind *call_kind; /* of that entry */
	bool ended;                        /* its last -901 record was an exit; */
	uint64_t after;                    /* line of the first event after it, 0: none yet */
	bool skipped;                      /* its rank is not loaded: it has no location */
	bool elsewhere;                    /* another process has its events */
	int64_t from, until;               /* the loaded window, on its own clock */
	VEC(uint32_t) early;               /* sites of the calls that are open before `from` */
	VEC(struct offset) offsets;
	struct picl_pending pending;
	VEC(struct picl_open) open;
	VEC(struct picl_rename) renamed;
};

enum { PICL_RECENT = 1 << 14 };

/* Where a call site is, as the header says. */
struct picl_call {
	uint32_t file, line;
};

struct picl_reader {
	const char *path;
	const struct picl_options *options;
	const struct progress *progress;
	struct err *err;
	struct source *source;
	struct builder *builder; /* gets definitions */
	struct builder *feed;    /* its child, which gets events, so that rows are by location */
	struct picl_clock clock;
	struct picl_times times; /* widest seen */
	struct picl_defs defs;
	struct picl_parser parser;
	struct scan scan;
	struct picl_lines lines;
	struct line line;  /* at hand */
	uint64_t at;       /* the line in which the record that is interpreted begins */
	uint64_t begin;    /* of the record read last, in the file, where nothing reads ahead */
	struct str joined; /* a record that spans lines */
	struct str scratch, payload;

	bool surveying;      /* the pass that only collects definitions and times */
	bool surveyed;       /* that pass is done: definitions and times are known */
	bool again;          /* discard this pass: survey, then read again, */
	bool whole;          /* or only read again */
	bool stop;           /* an error is set */
	bool dropped;        /* progress dropped the work */
	bool events;         /* the header is over */
	bool own;            /* written by tview, in a version that is understood */
	bool newer;          /* written by a tview of a later version, whose additions are not
			   understood */
	bool own_statistics; /* its statistics are made of its records of statements */
	bool past;           /* a record from last_time on has come */
	bool windowed;       /* only a span of time is loaded */
	int64_t last_time;   /* a record from here on ends the reading */
	uint64_t records;

	VEC(int64_t) numbers; /* scratch */

	struct picl_kind **kinds; /* [type - KIND_FIRST] */
	VEC(struct picl_kind *) all_kinds;
	struct keymap other_kinds; /* type: index in all_kinds */

	VEC(struct picl_place *) places;
	struct keymap place_ids;                /* (processor, process): index in places */
	struct keymap by_processor;             /* processor: index of its first place */
	struct picl_place *recent[PICL_RECENT]; /* by processor: the place found last */

	VEC(uint32_t) comms; /* [index in defs.subsets] communicator, UINT32_MAX not made yet */
	VEC(struct picl_call) calls; /* [call site id of the header]; the first is none */
	struct picl_header *header;  /* what tview's own header said (picl_header_read.c) */
	int32_t world;               /* subset that is the world, 0 none */

	/* Where several processes share the trace (picl_shared.c). */
	VEC(struct picl_noted) noted; /* at the line at hand */
	bool apart;                   /* its events stay in one process */
	int32_t ranks;                /* so many that the header names, 0 where it names none */
	bool undivided;               /* each process reads all of the text */
	struct picl_divided *divided; /* else (picl_divided.h); NULL before the events, too */
};

/* ---- picl_note.c ---- */

/* Counts a finding or, if reading is strict, ends the reading. The context is the reader. */
void picl_note(void *reader, enum finding_kind kind, const char *code, uint64_t line,
	       const char *text);

/* ---- picl_records.c ---- */

enum picl_next { PICL_NEXT_END, PICL_NEXT_NOTHING, PICL_NEXT_RECORD };

/* The record of the next line, or lines; PICL_NEXT_NOTHING: there is none in them. */
enum picl_next picl_next_record(struct picl_reader *r, struct picl_record *record);
/* Reads a record of the line at hand, and of those after it that belong to it, in any form. */
bool picl_parse_slowly(struct picl_reader *r, struct picl_record *record);
/* Whether a backslash ends a line of *n bytes: then *n becomes those before it. */
bool picl_is_continued(const char *text, size_t *n);

/* ---- picl_shared.c ---- */

/* At the end of the header: how locations are dealt out where each process reads all; then of all
 * places so far, and of every one that comes. */
void picl_shared_begin(struct picl_reader *r);
void picl_shared_places(struct picl_reader *r);
void picl_shared_place(struct picl_reader *r, struct picl_place *place);
/* What was noted at a record of a place, NULL of none, is counted by the process that has it. */
void picl_shared_note(struct picl_reader *r, const struct picl_place *place);
/* After the last record. */
void picl_shared_end(const struct picl_reader *r, struct builder *b);

/* ---- picl_divide.c ---- */

/* Whether the text of the file can be divided, as far as is known before its header is read. */
bool picl_may_divide(const struct picl_reader *r);
/* At the first record of an event, which was just read: reads the rest of the file, each process a
 * stretch of it. False, nothing was done: it cannot be divided. Otherwise r->again may be set. */
bool picl_divide(struct picl_reader *r, const struct picl_record *record);
void picl_divided_free(struct picl_divided *d);
/* Whether a thread reads ahead. */
bool picl_reads_ahead(const struct picl_reader *r);

/* ---- picl_made.c: while events are read that came from all stretches ---- */

bool picl_divided_is_dealt(const struct picl_reader *r);
/* The number of a site or region until all know what all have made. */
uint32_t picl_divided_site(struct picl_reader *r, const struct picl_kind *kind, uint32_t call);
uint32_t picl_divided_region(struct picl_reader *r, const struct picl_kind *kind);
void picl_divided_loose(struct picl_reader *r, const struct picl_record *record, const char *text,
			size_t n);
/* Of the i-th place: what is made now comes after all records. */
void picl_divided_flush(struct picl_reader *r, size_t i);

/* ---- picl_define.c ---- */

/* Reads a definition. True if the record must also be kept as it is. */
bool picl_define(struct picl_reader *r, const struct picl_record *record);
/* Keeps a record that belongs to no single place. */
void picl_keep_loose(struct picl_reader *r, const struct picl_record *record);

/* ---- picl_places.c ---- */

void picl_places_init(struct picl_reader *r);
void picl_places_fini(struct picl_reader *r);
/* The place of a record; NULL if it has none (processor or process is a set). */
struct picl_place *picl_place(struct picl_reader *r, int32_t processor, int32_t process);
/* True for a message or statistics to all processes of a processor that has one: such a record must
 * not lose its -1. */
bool picl_is_for_all(const struct picl_reader *r, const struct picl_record *record);
struct picl_kind *picl_kind(struct picl_reader *r, int32_t type);
void picl_kinds_reset(struct picl_reader *r); /* labels have changed */
uint32_t picl_site(struct picl_reader *r, const struct picl_place *place, struct picl_kind *kind,
		   uint32_t call);
/* Makes it, whether it is there or not; a place counts where labels have scopes. */
uint32_t picl_make_site(struct picl_reader *r, const struct picl_place *place,
			const struct picl_kind *kind, uint32_t call);
uint32_t picl_region_of(struct picl_reader *r, const struct picl_place *place,
			const struct picl_kind *kind);
/* The communicator of a subset id; false if the file does not define it. */
bool picl_comm_of(struct picl_reader *r, int64_t id, uint32_t *comm);

/* ---- picl_events.c ---- */

/* Hands a record of a place to the builder. */
void picl_event(struct picl_reader *r, struct picl_place *place, struct picl_record *record);
/* Passes on entries that still wait for their exit. */
void picl_events_flush(struct picl_reader *r);

/* ---- picl_marks.c ---- */

struct picl_fields;

void picl_mark(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
	       const struct picl_record *record);
/* Adds the event of a message in a record -303 or a mark inside a region of MPI; false if its type
 * is not one of a message. */
bool picl_message_event(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			const struct picl_record *record);
/* Adds the event of a message, request or collective that the fields of such a record describe. */
void picl_emit(struct picl_reader *r, struct picl_place *place, const struct picl_kind *kind,
	       int64_t time, struct picl_fields *f);

/* ---- picl_requests.c ---- */

/* A record's data as text; valid until the next call. */
const char *picl_payload(struct picl_reader *r, const struct picl_record *record, size_t *n);
/* After the last event of a record: keep the data that the columns cannot hold. */
void picl_keep_payload(struct picl_reader *r, const struct picl_place *place,
		       const struct picl_record *record);
void picl_keep_time(struct picl_reader *r, const struct picl_place *place,
		    const struct picl_record *record);
void picl_keep(struct picl_reader *r, const struct picl_place *place,
	       const struct picl_record *record, bool exact);
/* The builder's id of a request with the file's `id`. */
int64_t picl_translate(struct picl_place *place, int64_t id);
/* Counts a request that begins; true if its id is the one that the writer would give it. */
bool picl_count_request(struct picl_place *place, int64_t id);
bool picl_is_ordinal(const struct picl_place *place, int64_t id);
/* Notes, until the exit asks for it, a completion, or a request without an id, that begins. */
void picl_open_push(struct picl_place *place, int32_t type, bool has_request, int64_t request);
bool picl_open_pop(struct picl_place *place, int32_t type, struct picl_open *out);

/* ---- picl_header_read.c ---- */

/* Looks for tview's header in the file's first bytes, and sets `own`, `newer` and the clock. */
void picl_header_init(struct picl_reader *r, const char *bytes, size_t n);
void picl_header_fini(struct picl_reader *r);
/* Reads a record "-7 -1 t -1 -1 N "%c" tview:..."; false if it is not understood. */
bool picl_header_take(struct picl_reader *r, const struct picl_record *record);
/* At the end of the header: the work that needs all of it. */
void picl_header_end(struct picl_reader *r);

/* ---- picl_part.c ---- */

bool picl_part_has(const struct picl_reader *r, int32_t rank);
void picl_part_offset(struct picl_place *place, const struct offset *offset);
/* At the end of the header: decides which part of each place is loaded. */
void picl_part_begin(struct picl_reader *r);
/* The same for a new place. */
void picl_part_place(struct picl_reader *r, struct picl_place *place);
/* Note calls that are entered and left before the window begins. */
void picl_part_enter(struct picl_place *place, uint32_t site);
void picl_part_leave(struct picl_reader *r, struct picl_place *place, uint32_t site);
/* At the window's begin: enters the open calls. */
void picl_part_inside(struct picl_reader *r, struct picl_place *place);

/* ---- picl_header_tables.c ---- */

/* Converts a value of a record or header line to the trace's ids. */
uint64_t picl_value_in(struct picl_reader *r, enum picl_value sort, int64_t value);

/* ---- picl_own.c ---- */

/* All integers of a record, of any number; valid until the next call. */
const int64_t *picl_numbers(struct picl_reader *r, const struct picl_record *record, size_t *n);

/* Reads a record of tview's own types (REC_OWN_LAST .. REC_DETAIL); false if it is not
 * understood. */
bool picl_own_record(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		     const struct picl_record *record);
