/* miniature: the timeline in a few lines, and how much of the time of each class was waiting.
 * Neighbouring locations share a row where there are more than rows. Sums are exact; they are made
 * in slices, by classes alone, so that nothing is computed that the trace does not keep. The last
 * one that was made is kept with the trace, and so in its cache file.
 *
 *	struct miniature m = { 0 };
 *	if (miniature_begin(&m, &query, rows, columns))
 *		while (miniature_work(&m, 5000000))
 *			...
 *	use(m.cells, m.waiting) if m.done; then miniature_fini(&m) */
#pragma once

#include "ui/timeline/picture/timeline_picture.h"

struct miniature {
	struct time_scale scale; /* of its columns */
	int rows;
	uint32_t n;                    /* locations */
	struct timeline_mix *mixes;    /* [rows][columns], owned */
	struct timeline_cell *cells;   /* the same, owned */
	uint64_t waiting[CLASS_COUNT]; /* ticks of the calls of a class, all locations together */
	bool waits_known;
	bool done;
	/* While it is made. */
	const struct trace *trace; /* borrowed */
	enum time_base base;
	const struct wait_sums *waits; /* borrowed; NULL: not known */
	uint32_t *locations;           /* [n] owned */
	uint32_t next;                 /* of them */
	struct tally tally;            /* of the row of the next one */
	uint64_t *waited;              /* [interval][slot] of that row, owned */
	struct time_cells columns;
};

/* Of the query's window and locations, without its filter. False: there is nothing to be seen, or
 * no sums by class. What was made before is dropped. */
bool miniature_begin(struct miniature *m, const struct query *query, int rows, int columns);
/* Sums for about so many nanoseconds of CPU; false when it is done, or not begun. */
bool miniature_work(struct miniature *m, int64_t nanoseconds);
/* True where waits are known that were not when it was begun. */
bool miniature_stale(const struct miniature *m, const struct query *query);
/* The first rank that begins in a row; RANK_UNKNOWN: it has more of an earlier one's threads. */
int32_t miniature_rank(const struct miniature *m, int row);
void miniature_fini(struct miniature *m);
