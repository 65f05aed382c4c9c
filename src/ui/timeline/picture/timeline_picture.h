/* timeline_picture: the timeline as numbers: which state every cell of every visible row shows,
 * what names fit into it, which messages and collectives cross it. Pure; timeline_draw puts it on a
 * canvas.
 *
 * The rule of a cell. A column is two halves (one in ASCII). A half shows the state in which its
 * location spent most of the half's time: exact sums of a shading, nothing is sampled; of equal
 * sums the one with the lower number wins. A cell of two states, or one of which other states have
 * an eighth or more, keeps its sums, `mixes`, and is drawn as shares, unless it is an edge: where
 * two bars meet that can be seen beside it. Columns are those of timeline_scale: they tile the
 * window.
 *
 * A row of a group has one lane, whatever the depth: all its cells have the sums of all its
 * members; left, right and whole are the state of most time.
 *
 * A row of a counter has a value for each column (model/sums/counter.h says what it is): of a
 * location its own, of a group the sum of its members' rates, or the mean if it is not a rate. All
 * visible rows of a metric share a scale: from the least to the largest value, and from 0 where
 * that is not far below.
 *
 * Names. A name is written where at least as many whole cells side by side belong to one region as
 * it has columns: cells that are inside one visit, found by walking the few events there, or whose
 * halves are of that region for 7/8 of their time and more, by the sums. `cut` marks where one
 * visit ends and the next of the same state begins.
 *
 * A difference (of the query) is one more line below each location's bar: `moves`, what the base
 * did to the times of each column (model/sums/moves.h; difference.h says how it is shown). That of
 * a group has the largest move of any member, or what was taken out of all together, to the block
 * of 64 events (moves_outline()).
 *
 * Where several processes share the trace (model/trace/halo.h) all make the same picture without
 * counters and the critical path; each fills in what it has, and the first one is given all of it.
 *
 * Messages and collectives. As many are drawn as leave the picture legible (timeline_thin.h).
 *
 * Cost: cells and hits, whatever the number of events: at most BUSY_EVENTS events are walked in a
 * column, and at most TIMELINE_ARROWS messages are looked at. */
#pragma once

#include "base/vec.h"
#include "model/sums/moves.h"
#include "model/sums/tally.h"
#include "ui/timeline/picture/timeline_counts.h"
#include "ui/timeline/picture/timeline_rows.h"
#include "ui/timeline/picture/timeline_scale.h"
#include "ui/timeline/picture/timeline_sums.h"
#include "views/facts/timeline_shade.h"

struct path_stretch;

enum { STATE_NONE = 255, TIMELINE_ARROWS = 4096, TIMELINE_DEPTH_LIMIT = 12 };

#define NO_MIX UINT32_MAX

struct timeline_cell {
	uint8_t left, right; /* states of the halves */
	uint8_t whole;       /* state of most of the cell's time */
	bool mixed;          /* other states than these have an eighth of it or more */
	bool cut;            /* a visit ends in or at the end of this cell, and after it begins
				another one that looks the same */
	bool estimated;      /* most of it is in a gap in which a visit of the level begins or ends:
				which region it is is not known */
	uint32_t mix;        /* of `mixes`; NO_MIX: it has one state, or nearly so */
};

/* A line of cells: one location at one nesting level, or a group. */
struct timeline_lane {
	uint32_t nth;      /* visible row */
	uint32_t location; /* id; of a group its first member */
	unsigned level;    /* 0 innermost, else nesting depth */
	int y, lines;      /* in the body */
	bool of_group;
	uint32_t mix; /* of a group: its first one of `mixes` */
	uint8_t sums; /* enum sums_state, of a group */
};

/* Sums of a cell by state. */
struct timeline_mix {
	uint64_t of[STATE_COUNT], all; /* ticks, of a group all members together */
	uint32_t states;               /* bit of each that may have some */
};

struct timeline_label {
	uint32_t lane;
	int x, width; /* columns of the text; inside the run of its region */
	uint32_t region;
	uint8_t skip; /* bytes of the name left out in front: MPI_, or qualifiers where tight */
	uint16_t end; /* bytes of it, without its arguments where tight */
};

/* What a difference did in a column of a row. */
struct timeline_move {
	uint32_t n;        /* locations that were there */
	int64_t low, high; /* of their moves, ticks */
	int64_t taken_out; /* ticks, of all together */
};

/* A row of values. */
struct timeline_counter {
	uint32_t nth; /* visible row */
	uint32_t metric;
	bool of_group;
	double low, high; /* scale */
	bool summed;      /* false: not all members are in, nothing is known yet */
	size_t first;     /* of its [width] values */
};

/* Ids from here on are of copies between hosts and accelerators (model/trace/copy.h), their row
 * added; messages have fewer rows. */
#define ARROW_COPY (UINT32_C(1) << 31)

/* A message, or a copy, between two visible rows. x in half columns, may be outside the window. */
struct timeline_arrow {
	uint32_t id;      /* of the message, or of the copy from ARROW_COPY on */
	int32_t from, to; /* visible rows, counted from the first one */
	uint32_t order;   /* in which they are chosen to be drawn: see timeline_thin.h */
	int64_t x0, x1;   /* of send and receive */
};

/* A member of a collective on a visible row. */
struct timeline_part {
	uint32_t collective; /* its id; of a trace that is shared, its number in the picture */
	int32_t row;         /* visible */
	uint32_t order;      /* of the collective, as of an arrow */
	int32_t lead;        /* row of the collective's first part */
	int64_t begin;       /* ticks: of the collective */
	int64_t x0, x1;      /* half columns: it begins and ends */
};

/* Where the critical path passes from one visible row to another. */
struct timeline_passage {
	int32_t from, to;
	int column;
};

struct timeline_options {
	int width, height;  /* of the body: columns without the row labels, lines */
	unsigned depth;     /* 0: innermost region, one line a location; d: levels 1..d */
	uint32_t first;     /* first row to show, below the pinned ones */
	bool ascii;         /* one sample a column */
	bool difference;    /* as the query's: rows are one line higher */
	bool critical_path; /* the same */
	const struct timeline_rows *rows; /* of the query, borrowed; NULL: made for this picture */
	struct timeline_sums *sums; /* keeps those of groups; NULL: all are summed now, exactly */
	struct timeline_counts *counts; /* the same for counters */
	uint64_t rows_generation;       /* with sums and counts: of the rows */
};

struct timeline_picture {
	struct timeline_options options;
	struct time_scale scale;          /* of columns */
	const struct timeline_rows *rows; /* all rows: the options', or own */
	struct timeline_rows own;
	uint32_t first, visible;     /* first row below the pinned ones; rows shown */
	VEC(uint32_t) shown;         /* [visible] rows */
	int bar, gap;                /* lines of a row, and between rows */
	int under;                   /* lines below a row's bar: for the difference, and for the
					critical path after it */
	struct timeline_move *moves; /* [visible][width], NULL without a difference */
	bool shares;                 /* they are shown as shares of their columns */
	bool *critical; /* [visible][width]: on the critical path; NULL: not shown, or not known */
	VEC(struct timeline_passage) passages; /* of it, between visible rows, by time */
	bool passages_all; /* false: they are too many to be drawn, and are not here */
	VEC(struct timeline_lane) lanes;
	struct timeline_cell *cells;    /* [lanes][width] */
	VEC(struct timeline_mix) mixes; /* [width] of each group's lane, then those of cells */
	VEC(struct timeline_counter) counters;
	VEC(struct timeline_value) values;
	VEC(struct timeline_label) labels;
	VEC(struct timeline_arrow) arrows; /* that are drawn */
	VEC(struct timeline_part)
	parts;             /* of the collectives that are drawn: those of each side
					      by side, by row */
	uint64_t messages; /* in the window, between visible rows; an upper bound where !exact */
	uint32_t collectives, collectives_drawn; /* in the window, with two visible rows or more; an
						    upper bound where none is drawn */
	bool exact;                              /* all messages of the window were looked at */
	VEC(uint32_t)
	density; /* [width] where !exact: messages of the trace whose earlier end is
				  in the column */
};

/* Computes again; false with err when a shading cannot be made. The picture must be zeroed or made
 * before. */
bool timeline_picture_make(struct timeline_picture *picture, const struct query *query,
			   struct timeline_shades *shades, const struct timeline_options *options,
			   struct err *err);
void timeline_picture_fini(struct timeline_picture *picture);

/* The query's window, the whole run resolved, never empty. */
struct span timeline_window(const struct query *query);
/* The same of the whole run, whatever the query's window. */
struct span timeline_run(const struct query *query);

/* ---- timeline_mix.c ---- */

static inline void timeline_mix_put(struct timeline_mix *mix, unsigned state, uint64_t ticks)
{
	mix->of[state] += ticks;
	mix->all += ticks;
	mix->states |= UINT32_C(1) << state;
}

/* Takes the lowest state out of a set of them that is not empty. */
static inline unsigned timeline_next_state(uint32_t *states)
{
	const unsigned state = (unsigned)__builtin_ctz(*states);

	*states &= *states - 1;
	return state;
}

struct timeline_mix timeline_mix_sum(const struct timeline_mix *a, const struct timeline_mix *b);
/* The cell of two halves, without its `mix`. */
struct timeline_cell timeline_cell_of(const struct timeline_mix *left,
				      const struct timeline_mix *right);

/* Adds the sums of a level's slots: [slots]. */
void timeline_mix_add(struct timeline_mix *mix, const struct timeline_level *level,
		      const uint64_t *sums);

/* Moves the waiting of one cell (wait_sums_add()) out of the classes of the calls that waited, up
 * to what they have: a call that was interrupted by something of another class is not all of it
 * waiting. */
void timeline_mix_wait(struct timeline_mix *mix, const struct wait_sums *of, const uint64_t *waits);

/* ---- timeline_cells.c ---- */

/* Part of timeline_picture_make(): the cells of all lanes, and the names in them. A location with
 * more than 64 events a column is drawn by its columns' shares, others by halves of columns. */
bool timeline_cells_fill(struct timeline_picture *picture, const struct query *query,
			 struct timeline_shades *shades, struct err *err);

/* ---- timeline_visible.c ---- */

/* Part of timeline_picture_make(): chooses the visible rows and their lines. */
void timeline_choose_rows(struct timeline_picture *picture);

/* How many rows fit, and the first row to show below `pinned` ones such that `row` is visible,
 * changing `first` as little as possible. Pinned rows take half of the place at most. */
uint32_t timeline_rows_fit(uint32_t rows, const struct timeline_options *options);
uint32_t timeline_scroll(uint32_t first, uint32_t row, uint32_t rows, uint32_t pinned,
			 const struct timeline_options *options);

/* Line of the body where a visible row begins; and how many it has, its difference included. */
int timeline_row_y(const struct timeline_picture *picture, uint32_t nth);
int timeline_row_lines(const struct timeline_picture *picture);
/* Is line y of the body between two visible rows? */
bool timeline_between_rows(const struct timeline_picture *picture, int y);
const struct timeline_row *timeline_shown(const struct timeline_picture *picture, uint32_t nth);
/* The visible row of a row, -1 where it is not shown. */
int32_t timeline_nth_of(const struct timeline_picture *picture, uint32_t row);
/* How well the cells of a visible row are known; exact if it is not a group. */
enum sums_state timeline_sums_of(const struct timeline_picture *picture, uint32_t nth);
/* Is cell x of a lane where two bars meet, each of which its neighbour on that side shows, too? */
bool timeline_is_edge(const struct timeline_cell *cells, int width, int x);
/* The sums of a group's visible row: [width], NULL for another one. */
const struct timeline_mix *timeline_mix_of(const struct timeline_picture *picture, uint32_t nth);

/* The counter of a visible row, NULL for another one; its values. */
const struct timeline_counter *timeline_counter_of(const struct timeline_picture *picture,
						   uint32_t nth);

/* ---- counter_cells.c ---- */

/* Part of timeline_picture_make(): adds the counters of the visible rows. */
void timeline_counters_add(struct timeline_picture *picture, const struct query *query,
			   struct timeline_shades *shades, const struct time_cells *columns);

/* ---- gap_cells.c ---- */

/* Part of timeline_picture_make(): which cells of a location's lane are estimated. O(cells + log
 * gaps). */
void timeline_gaps_add(struct timeline_picture *picture, size_t lane, const struct query *query);

/* ---- moved_cells.c ---- */

/* Part of timeline_picture_make(): what moved in the visible rows. False where progress stopped
 * it. */
bool timeline_difference_add(struct timeline_picture *picture, const struct query *query,
			     struct timeline_shades *shades, const struct time_cells *columns);

/* Adds what a difference did in a column to other locations. */
void timeline_move_add(struct timeline_move *sum, const struct timeline_move *move);

/* ---- timeline_share.c ---- */

/* Part of timeline_picture_make(): cells, names and moves of all processes, in the first. */
void timeline_share(struct timeline_picture *picture, struct exchange *x);

/* ---- critical_cells.c ---- */

/* Part of timeline_picture_make(): the critical path in the visible rows, where its causes are
 * known. A column is on it where any part of it is. O(cells + stretches in the window). */
void timeline_critical_add(struct timeline_picture *picture, const struct query *query);
/* The stretches of the critical path; NULL if the query does not show it, or it is not known
 * yet. */
const struct path_stretch *timeline_critical_path(const struct query *query, size_t *n);

/* ---- the strip above ---- */

struct timeline_strip {
	int width;
	struct timeline_mix *mixes; /* [width]: shares of the states in the traced time of all rows;
				       nothing until they are summed */
	const struct wait_sums *of; /* that were summed; NULL: none were known */
	uint64_t *waiting;          /* while they are: [interval][slots] */
	/* While they are not. */
	struct tally tally;
	struct time_cells columns;
	uint32_t next;
	bool done;
};

/* Sums over all rows and the whole run; costs locations * (width or events). */
bool timeline_strip_begin(struct timeline_strip *strip, const struct query *query,
			  struct timeline_shades *shades, int width, struct err *err);
/* True where waits are known that were not when it was begun. */
bool timeline_strip_stale(const struct timeline_strip *strip, const struct query *query,
			  struct timeline_shades *shades);
/* Sums for about so many nanoseconds; false when it is done. */
bool timeline_strip_work(struct timeline_strip *strip, const struct query *query,
			 const struct timeline_rows *rows, struct timeline_shades *shades,
			 int64_t nanoseconds, struct err *err);
void timeline_strip_fini(struct timeline_strip *strip);
