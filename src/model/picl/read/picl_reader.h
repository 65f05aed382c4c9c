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
	uint32_t region;    /* the header's tables say which; UINT32_MAX: its name and class do */
	int32_t stands_for; /* then: the event type it has in the trace */
};

/* An entry that waits for the next record of its place: whether the two are a pair in canonical
 * form decides what must be kept of them, and the exit knows the request. */
struct picl_pending {
	bool active;
	struct picl_kind *kind;
	struct picl_record record; /* its pointers are NULL */
	struct str payload;        /* where the record is not plain */
	struct str time_text;
};

/* A request whose completion has begun, or a request that began without its id being known. */
struct picl_open {
	int32_t type;
	bool has_request;
	int64_t request;
};

struct picl_rename {
	int64_t file, builder; /* id in the file; what the builder was told */
};

/* A processor and process. */
struct picl_place {
	int32_t processor, process;
	uint32_t location;
	uint32_t nested;  /* regions of MPI or I/O that are open */
	int64_t requests; /* begun so far */
	bool ordinals;    /* their ids count from 1 so far: as the writer numbers them */
	bool begun;       /* the entry resolved last began a request */
	const struct picl_kind *collective; /* that is open, NULL none */
	uint32_t call; /* site of the entry without data that comes next, 0 none */
	const struct picl_kind *call_kind; /* of that entry */
	bool ended;                        /* its last -901 record was an exit; */
	uint64_t after;                    /* line of the first event after it, 0: none yet */
	bool skipped;                      /* of a rank that is not loaded: it has no location */
	int64_t from, until;               /* what is loaded, in its own time */
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
	struct builder *builder;
	struct picl_clock clock;
	struct picl_times times; /* widest seen */
	struct picl_defs defs;
	struct picl_parser parser;
	struct scan scan;
	struct picl_lines lines;
	struct line line;  /* at hand */
	struct str joined; /* a record that spans lines */
	struct str scratch;

	bool surveying; /* the pass that only collects definitions and times */
	bool surveyed;  /* it was done: nothing can surprise any more */
	bool again;     /* this pass is worthless: survey, and read once more */
	bool stop;      /* an error is set */
	bool dropped;   /* progress said that no one needs the trace */
	bool events;    /* the header is over */
	bool own;       /* the file says that tview wrote it, in a version that is understood */
	bool newer;     /* written by a tview whose additions are not */
	bool own_statistics; /* its statistics are made of its records of statements */
	bool past;           /* it has come */
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
	struct picl_place *recent[PICL_RECENT]; /* by processor: found last */

	VEC(uint32_t) comms; /* [index in defs.subsets] communicator, UINT32_MAX not made yet */
	VEC(struct picl_call) calls; /* [call site id of the header]; the first is none */
	struct picl_header *header;  /* what tview's own header said (picl_header_read.c) */
	int32_t world;               /* subset that is the world, 0 none */
};

/* ---- picl_note.c ---- */

/* Counts a finding, or, where reading is strict, ends it. The context is the reader. */
void picl_note(void *reader, enum finding_kind kind, const char *code, uint64_t line,
	       const char *text);

/* ---- picl_define.c ---- */

/* Takes a definition in. True where the record is to be kept as it is, too. */
bool picl_define(struct picl_reader *r, const struct picl_record *record);
/* Keeps a record that belongs to no single place. */
void picl_keep_loose(struct picl_reader *r, const struct picl_record *record);

/* ---- picl_places.c ---- */

void picl_places_init(struct picl_reader *r);
void picl_places_fini(struct picl_reader *r);
/* The place of a record, NULL where it belongs to none (processor or process is a set). */
struct picl_place *picl_place(struct picl_reader *r, int32_t processor, int32_t process);
struct picl_kind *picl_kind(struct picl_reader *r, int32_t type);
void picl_kinds_reset(struct picl_reader *r); /* labels have changed */
uint32_t picl_site(struct picl_reader *r, const struct picl_place *place, struct picl_kind *kind,
		   uint32_t call);
uint32_t picl_region_of(struct picl_reader *r, const struct picl_place *place,
			const struct picl_kind *kind);
/* The communicator of a subset id, false where the file does not define it. */
bool picl_comm_of(struct picl_reader *r, int64_t id, uint32_t *comm);

/* ---- picl_events.c ---- */

/* Hands a record of a place to the builder. */
void picl_event(struct picl_reader *r, struct picl_place *place, struct picl_record *record);
/* Entries that still wait for their exit. */
void picl_events_flush(struct picl_reader *r);

/* ---- picl_marks.c ---- */

struct picl_fields;

void picl_mark(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
	       const struct picl_record *record);
/* The event of a message that a record -303 or a mark inside a region of MPI bears; false where its
 * type is none of a message's. */
bool picl_message_event(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			const struct picl_record *record);
/* The event of a message, request or collective that fields of a record of this kind say. */
void picl_emit(struct picl_reader *r, struct picl_place *place, const struct picl_kind *kind,
	       int64_t time, struct picl_fields *f);

/* ---- picl_requests.c ---- */

/* After the last event of a record: what the columns do not hold. */
void picl_keep_payload(struct picl_reader *r, const struct picl_place *place,
		       const struct picl_record *record);
void picl_keep_time(struct picl_reader *r, const struct picl_place *place,
		    const struct picl_record *record);
void picl_keep(struct picl_reader *r, const struct picl_place *place,
	       const struct picl_record *record, bool exact);
/* The builder's name of a request that the file knows by `id`. */
int64_t picl_translate(struct picl_place *place, int64_t id);
/* A request has begun: true where its id is the one that the writer would give it. */
bool picl_count_request(struct picl_place *place, int64_t id);
bool picl_is_ordinal(const struct picl_place *place, int64_t id);
/* A completion, or a request without a name, begins; its exit asks for it. */
void picl_open_push(struct picl_place *place, int32_t type, bool has_request, int64_t request);
bool picl_open_pop(struct picl_place *place, int32_t type, struct picl_open *out);

/* ---- picl_header_read.c ---- */

/* Looks for tview's mark in the file's first bytes, and sets `own`, `newer` and the clock. */
void picl_header_init(struct picl_reader *r, const char *bytes, size_t n);
void picl_header_fini(struct picl_reader *r);
/* Takes in a record "-7 -1 t -1 -1 N "%c" tview:..."; false where it is not understood. */
bool picl_header_take(struct picl_reader *r, const struct picl_record *record);
/* The header is over: what needs all of it. */
void picl_header_end(struct picl_reader *r);

/* ---- picl_part.c ---- */

bool picl_part_has(const struct picl_reader *r, int32_t rank);
void picl_part_offset(struct picl_place *place, const struct offset *offset);
/* The header is over: what is loaded of each place. */
void picl_part_begin(struct picl_reader *r);
/* The same of a place that is new. */
void picl_part_place(struct picl_reader *r, struct picl_place *place);
/* A call is entered, left, before the window begins. */
void picl_part_enter(struct picl_place *place, uint32_t site);
void picl_part_leave(struct picl_reader *r, struct picl_place *place, uint32_t site);
/* The window begins: what is open is entered now. */
void picl_part_inside(struct picl_reader *r, struct picl_place *place);

/* ---- picl_header_tables.c ---- */

/* A value of a record or header line in the trace's terms. */
uint64_t picl_value_in(struct picl_reader *r, enum picl_value sort, int64_t value);

/* ---- picl_own.c ---- */

/* All integers of a record, however many; they stay until the next call. */
const int64_t *picl_numbers(struct picl_reader *r, const struct picl_record *record, size_t *n);

/* Takes in a record of tview's own types (REC_OWN_LAST .. REC_DETAIL); false where it is not
 * understood. */
bool picl_own_record(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		     const struct picl_record *record);
