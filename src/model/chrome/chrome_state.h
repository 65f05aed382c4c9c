/* chrome_state: what the files of the reader share. */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "model/build/builder.h"
#include "model/build/load_options.h"
#include "model/chrome/chrome_record.h"

enum chrome_row_kind {
	ROW_COMPLETE, /* before what else is at its time: it contains that */
	ROW_BEGIN,
	ROW_END,
	ROW_SEND,
	ROW_RECV,
	ROW_MARK,
	ROW_COUNTER,
};

/* An event of a place. */
struct chrome_row {
	int64_t time, end; /* end: of ROW_COMPLETE */
	uint64_t value; /* of a counter: bits of a double; of a message: bytes, UINT64_MAX none */
	uint32_t place;
	uint32_t what; /* site, metric set; of a message: place of the other end */
	uint32_t tag;
	uint32_t nth; /* in the file */
	uint8_t kind;
};

struct chrome_process {
	uint32_t pid;  /* string */
	uint32_t name; /* string, 0 none */
	int64_t sort;
	int32_t rank;
};

struct chrome_place {
	uint32_t process;
	uint32_t tid; /* string */
	uint32_t name;
	int64_t sort;
	bool has_states;
	uint32_t location;
};

/* One end of an arrow. */
struct chrome_flow {
	uint64_t id;
	uint32_t name, cat; /* strings */
	int64_t time;
	uint32_t place, nth;
	uint64_t bytes; /* UINT64_MAX unknown */
	int64_t tag;    /* -1 none */
	bool ends;      /* an arrow ends here, */
	bool begins;    /* and one begins */
};

/* What is counted. */
struct chrome_counts {
	uint64_t arguments, phases, without_time, negative, no_begin, overlapping, local_flows,
		lone_flows;
};

struct chrome_reading {
	const struct load_options *options;
	struct builder *builder;
	VEC(struct chrome_row) rows;
	VEC(struct chrome_process) processes;
	VEC(struct chrome_place) places;
	VEC(struct chrome_flow) flows;
	struct keymap process_of, place_of; /* (pid), (pid, tid): row */
	struct keymap site_of;              /* (name, cat, file, line): site */
	struct keymap set_of;               /* (name, series): metric set */
	int32_t next_type;                  /* PICL's event type of the next region */
	uint32_t nth;
	struct chrome_counts counts;
};

/* ---- chrome_places.c ---- */

uint32_t chrome_process_of(struct chrome_reading *c, const struct str *pid);
uint32_t chrome_place_of(struct chrome_reading *c, const struct chrome_record *r);
/* Takes a record with metadata. */
void chrome_name(struct chrome_reading *c, const struct chrome_record *r);
/* Numbers processes as ranks and makes the locations. */
void chrome_make_locations(struct chrome_reading *c);

/* ---- chrome_take.c ---- */

void chrome_take(struct chrome_reading *c, const struct chrome_record *r);

/* ---- chrome_flows.c ---- */

/* Arrows from process to process become messages: rows. */
void chrome_join_flows(struct chrome_reading *c);

/* ---- chrome_feed.c ---- */

/* Sorts the rows and gives them to the builder. */
void chrome_feed(struct chrome_reading *c);
