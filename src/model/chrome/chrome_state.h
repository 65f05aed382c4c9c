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

enum chrome_copy { CHROME_NO_COPY, CHROME_TO_DEVICE, CHROME_TO_HOST };

/* An event of a place. */
struct chrome_row {
	int64_t time, end; /* end: of ROW_COMPLETE */
	uint64_t value; /* of a counter: bits of a double; of a message: bytes, UINT64_MAX none */
	uint32_t place;
	uint32_t what; /* site, metric set; of a message: place of the other end */
	uint32_t tag;  /* of a collective: group */
	uint32_t nth;  /* in the order of files */
	uint8_t kind;
	uint8_t call; /* enum training_call of a collective; of others TRAINING_NONE */
	uint8_t copy; /* enum chrome_copy */
};

/* One of the files of a run. */
struct chrome_source {
	uint32_t name; /* string: its path */
	int32_t rank;  /* distributedInfo; -1 unknown */
	uint32_t world;
	bool profiler; /* of one process of a training job: all that is in it is that process's */
	bool has_base;
	int64_t base;                 /* ns since 1970 of its time 0 */
	size_t first_row, first_flow; /* its own are from there on */
	uint8_t call;                 /* enum training_call: its best record of collectives */
	bool damaged;                 /* its end was not read */
};

struct chrome_process {
	uint32_t file;
	uint32_t pid;  /* string */
	uint32_t name; /* string, 0 none */
	uint32_t host; /* process whose device this is, or part; itself */
	int64_t sort;
	int32_t rank;
	bool device;    /* it has streams */
	uint32_t owner; /* process of the store, UINT32_MAX none */
};

struct chrome_place {
	uint32_t process;
	uint32_t tid; /* string */
	uint32_t name;
	int64_t sort;
	bool has_states;
	bool device;  /* a stream */
	bool derived; /* a profiler's summary of others: not kept */
	uint32_t location;
};

/* A communicator, as far as calls name it. */
struct chrome_group {
	uint32_t name; /* string */
	uint32_t comm; /* of the store */
};

/* A line of a program; file 0: unknown. */
struct code_place {
	uint32_t file, line; /* file: string */
};

/* A visit of a function of Python. */
struct chrome_frame {
	int64_t begin, end;
	uint32_t place;
	struct code_place at;
};

/* A call that launches something on a device, or a kernel that is a collective. */
struct chrome_launch {
	uint32_t file;
	uint32_t correlation;
	int64_t time;
	uint32_t place;
	uint32_t row; /* of the kernel; UINT32_MAX: the call */
};

/* One end of an arrow. */
struct chrome_flow {
	uint64_t id;
	uint32_t name, cat; /* strings */
	int64_t time;
	uint32_t place, nth;
	uint32_t file;  /* UINT32_MAX: its other end is in another one */
	uint64_t bytes; /* UINT64_MAX unknown */
	int64_t tag;    /* -1 none */
	bool ends;      /* an arrow ends here, */
	bool begins;    /* and one begins */
};

/* What is counted. */
struct chrome_counts {
	uint64_t arguments, phases, without_time, negative, no_begin, overlapping, local_flows,
		lone_flows, tracks;
};

struct chrome_reading {
	const struct load_options *options;
	struct builder *builder;
	uint32_t file; /* that is read */
	VEC(struct chrome_source) files;
	VEC(struct chrome_row) rows;
	VEC(struct chrome_process) processes;
	VEC(struct chrome_place) places;
	VEC(struct chrome_flow) flows;
	VEC(struct chrome_group) groups;
	VEC(struct chrome_frame) frames;
	VEC(struct chrome_launch) launches;
	struct keymap process_of, place_of; /* (file, pid), (process, tid): row */
	struct keymap group_of;             /* (name, ranks): group */
	struct keymap before_of; /* (nth of a row): calls of its group before, unrecorded */
	struct keymap site_of;   /* (name, cat, file, line): site */
	struct keymap set_of;    /* (name, series): metric set */
	int32_t next_type;       /* PICL's event type of the next region */
	uint32_t nth;
	size_t file_number; /* which number in files' names is a rank (chrome_ranks.c) */
	struct chrome_counts counts;
};

/* ---- chrome_places.c ---- */

uint32_t chrome_process_of(struct chrome_reading *c, const struct str *pid);
uint32_t chrome_place_of(struct chrome_reading *c, const struct chrome_record *r);
/* Takes a record with metadata. */
void chrome_name(struct chrome_reading *c, const struct chrome_record *r);
/* Makes the locations; processes have their ranks. */
void chrome_make_locations(struct chrome_reading *c);

/* ---- chrome_look.c ---- */

/* A number that can be a rank; -1: it is none. */
int32_t chrome_rank_of(const char *number);

/* ---- chrome_ranks.c ---- */

/* Numbers processes as ranks, and says by what. */
void chrome_number_ranks(struct chrome_reading *c);
/* "rank 3", as tview writes it. */
bool chrome_rank_in_name(const struct chrome_reading *c, uint32_t process, int32_t *rank);

/* ---- chrome_groups.c ---- */

/* The group that a collective's arguments name; bytes that it sends, UINT64_MAX unknown. */
uint32_t chrome_group_of(struct chrome_reading *c, const struct chrome_record *r, uint64_t *bytes);
/* Decides which rows are collectives, and makes the communicators. */
void chrome_make_groups(struct chrome_reading *c);

/* ---- chrome_launch.c ---- */

/* "train.py(42): step" becomes "step"; false: the name is another one. */
bool chrome_cut_frame(struct chrome_reading *c, struct chrome_record *r, struct code_place *place);
/* Gives collectives the call sites of their launches. Before clocks are joined. */
void chrome_place_launches(struct chrome_reading *c);

/* ---- chrome_clocks.c ---- */

/* Brings the times of several files to one zero, as far as that is known, and says by what. */
void chrome_join_clocks(struct chrome_reading *c);

/* ---- chrome_take.c ---- */

/* May change the name: "record_param_comms: allreduce". */
void chrome_take(struct chrome_reading *c, struct chrome_record *r);

/* ---- chrome_flows.c ---- */

/* Arrows from process to process become messages: rows. A profiler's ids are a file's own. */
void chrome_join_flows(struct chrome_reading *c);

/* ---- chrome_feed.c ---- */

/* Sorts the rows and gives them to the builder. */
void chrome_feed(struct chrome_reading *c);
