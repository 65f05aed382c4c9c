/* records_aid: files of ranks made by hand, of a program whose tables are in this executable itself,
 * with clocks that count nanoseconds, so that every number is known; and their merge.
 *
 *	MERGED m = merged_begin();
 *	struct made *rank = made_of_program(1, 0, NULL);
 *
 *	made_row(rank, 1, 0, TV_STAT_LOOP, made_place(&made_unit, MAIN_FOR), 0)->count = 3;
 *	merged_make_of(&m, rank);
 *	... m.trace ...
 *
 * What goes wrong fails the test. */
#pragma once

#include "base/mem.h"
#include "capture/lib/record.h"
#include "capture/lib/statistic.h"
#include "capture/run/merge.h"
#include "harness/files.h"
#include "model/trace/program.h"
#include "model/trace/trace.h"

/* Sites of the tables (records_aid.c has names and lines), of two units of the same text. */
enum {
	MAIN,
	MAIN_FOR,
	MAIN_SWEEP,
	MAIN_SEND,
	SWEEP,
	SWEEP_WHILE,
	SWEEP_SWEEP,
	SWEEP_RECV,
	TWICE,
	SITES
};

struct made_unit;
extern const struct made_unit made_unit, made_other_unit;

/* ---- the file of a rank ---- */

enum { CALL_SEND, CALL_RECV, CALLS, CHUNKS = 4 };

struct made {
	char *bytes;
	size_t size;
	struct tv_file *head;
	struct tv_chunk *chunk[CHUNKS];
	uint64_t time;
};

/* Of rank `rank` of `world`, begun and ended; `state`: further TV_... flags. */
struct made *made_new(int rank, int world, uint32_t state);
/* One rank with the tables of the program at `path` (NULL: this executable), and a world of that
 * many (0: none). */
struct made *made_of_program(int world, uint32_t state, const char *path);

/* A definition: its fixed part of n bytes, and its text. */
void made_define(struct made *m, uint32_t what, uint32_t id, const void *payload, size_t n,
		 const char *text);
void made_define_world(struct made *m, int world);
/* `from`: the call statement, -1 none. */
void made_site_event(struct made *m, enum tv_kind kind, int site, int from, uint64_t time);
/* A call of CALL_... with nothing inside. */
void made_mpi_event(struct made *m, uint32_t call, uint64_t place, uint64_t from, uint64_t to);

/* The place of a site. */
uint64_t made_place(const struct made_unit *u, int site);
/* The next row of a thread's chunk of statistics (1 and further are), to be filled. */
struct tv_statistic *made_row(struct made *m, int chunk, uint32_t thread, uint8_t kind, uint64_t at,
			      uint64_t from);

/* ---- a merge ---- */

struct merged {
	char folder[FOLDER_NAME];
	struct merge_summary summary;
	struct trace *trace;
};

/* Its end is that of its scope. */
#define MERGED ENDED_BY(merged_end) struct merged

struct merged merged_begin(void);
void merged_end(struct merged *m);
/* Writes the rank's file, and frees the rank. */
void made_write(const struct merged *m, struct made *rank);
/* Merges what was written. */
void merged_make(struct merged *m, bool anonymous);
/* Of one rank. */
void merged_make_of(struct merged *m, struct made *rank);
/* As a look at a running job has it. */
void merged_look(struct merged *m);

/* The only statement of a kind in a line. */
uint32_t merged_statement(const struct merged *m, enum statement_kind kind, uint32_t line);
/* The only record of a statement from somewhere, with a partner. */
const struct statement_record *merged_record(const struct merged *m, uint32_t id, uint32_t from,
					     int32_t partner);
/* Compares the fields of a record that are not 0. */
void merged_record_is(const struct merged *m, uint32_t id, uint32_t from, int32_t partner,
		      const char *wanted);
