/* preview: a coarse picture of a trace while it is being read: how much of each class of regions
 * is in each of up to 1,024 bins of time, for up to 256 rows of neighbouring locations.
 *
 * A watcher asks; the reader's thread, at its next step (progress.h, `look`), walks the events
 * appended since the last time. Without a request nothing is done. Bins double in width when time
 * grows and rows in locations when there are more of them, so memory is bounded (16 MiB, touched as
 * it fills) whatever is read. Sums are exact for what was walked, in ticks of the measured base;
 * nesting errors, which only the finished trace repairs, are still there.
 *
 * Threads: preview_ask() and the functions of the watcher in one thread, preview_look() in any
 * number; a lock inside. A reader that finds it held goes on without waiting.
 *
 *	struct preview *preview = preview_new();
 *	... preview_look(preview, builder) from the reading thread's progress ...
 *	preview_ask(preview);
 *	preview_state(preview, &state);
 *	preview_sweep(preview, row, t0, t1, columns, sums);
 *	preview_free(preview); */
#pragma once

#include "model/trace/trace.h"

struct builder;
struct preview;

enum { PREVIEW_ROWS = 256, PREVIEW_BINS = 1024, PREVIEW_NAME = 24 };

struct preview_state {
	bool any;               /* there is something to show */
	struct timescale scale; /* of the trace */
	uint32_t locations;     /* defined so far */
	uint32_t rows;
	uint32_t per_row;  /* locations a row represents (the last row may represent fewer) */
	int64_t begin;     /* ticks: first event so far */
	int64_t end;       /* after the last event so far */
	double covered;    /* ticks: from `begin` to each location's last event, summed up */
	uint64_t events;   /* walked so far */
	uint64_t pictures; /* number of changes so far */
};

struct preview *preview_new(void);
void preview_free(struct preview *preview);

/* ---- the reader's side ---- */

/* Takes in what is new in `b` (a builder, or a child of one) if a picture was asked for. */
void preview_look(struct preview *preview, const struct builder *b);

/* Forgets everything: the reader begins again, with another builder. */
void preview_reset(struct preview *preview);

/* ---- the watcher's side ---- */

/* Asks every builder to bring the picture up to date once. */
void preview_ask(struct preview *preview);
void preview_state(struct preview *preview, struct preview_state *state);
/* sums[i][class] = ticks of the class on the locations of a row, within the i-th of n equal parts
 * of [t0, t1). Bins count as if evenly filled where a part cuts them. Parts that were not read
 * (yet) are in no sum. */
void preview_sweep(struct preview *preview, uint32_t row, int64_t t0, int64_t t1, int n,
		   double (*sums)[CLASS_COUNT]);
/* The latest event of the row's locations so far; INT64_MIN without any. */
int64_t preview_reached(struct preview *preview, uint32_t row);
/* "rank 3", "rank 0 to rank 7": clean. */
void preview_name(struct preview *preview, uint32_t row, char *text, size_t size);
