/* timeline_aid: traces of one thread a rank, written event by event, and pictures of them. What goes
 * wrong fails the test. */
#pragma once

#include "model/build/builder.h"
#include "ui/timeline/picture/timeline_picture.h"

struct shown {
	struct builder *b;
	uint32_t loc[300]; /* by rank */
	uint32_t site[8];  /* by region */
	uint32_t region[8];
};

/* Regions. */
enum { MAIN, WORK, SEND, RECV, BARRIER };

void shown_begin(struct shown *m, int ranks);
void shown_enter(struct shown *m, int rank, int region, int64_t t);
void shown_leave(struct shown *m, int rank, int region, int64_t t);
/* Both. */
void shown_visit(struct shown *m, int rank, int region, int64_t t0, int64_t t1);
/* The caller owns the trace. */
struct trace *shown_end(struct shown *m);

/* All of a trace, as measured. */
struct query shown_whole(struct trace *trace);

/* What pictures are made in. */
struct drawn {
	struct timeline_shades *shades;
	struct timeline_picture p;
};

struct drawn drawn_new(void);
void drawn_fini(struct drawn *d);
void drawn_make(struct drawn *d, const struct query *query, const struct timeline_options *options);
