/* timeline_draw: a timeline picture on a canvas: strip, ruler, labels, bars, arrows, cursor. Pure.
 *
 * With colours a state is its class's colour. Where two bars meet the cell is a half block. A cell
 * of more is a stack: from below the shares of its states in the order of their classes, user code
 * first, waiting on top, what is not traced left blank above; a line of a bar has eight steps, of
 * which two states can be seen. Where there are no eighths (ASCII) a line has the colour of one
 * state, dotted in that of the other.
 *
 * Without colours a state is its class's glyph, and a cell of more shows the share of user code as
 * a bar, or the glyph of a state; in a bar of one line a notch in a block (ASCII %) and a corner
 * (ASCII +) say that user code or MPI is not all of the cell. */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/timeline/drawing/timeline_arrows.h"
#include "ui/timeline/picture/timeline_item.h"
#include "ui/timeline/picture/timeline_picture.h"
#include "views/query/view.h"

/* Layout of an area: small ones lose the strip, then the ruler. */
struct timeline_layout {
	struct rect strip, ruler, labels, body, details; /* h 0: not there */
};

struct timeline_layout timeline_layout(const struct query *query, const struct timeline_rows *rows,
				       struct rect area, int details_lines);

/* Appends a row's label, with room for the triangle of a group; returns how many members the group
 * has, 0 of others. `node`: with the name of the machine. */
uint32_t timeline_row_text(const struct timeline_rows *rows, const struct timeline_row *row,
			   bool node, struct str *out);

/* What the ruler counts; begin NULL: time. */
enum { TIMELINE_LOOPS = 8 };

struct timeline_iterations {
	const int64_t *begin; /* [n + 1] ticks, the last is the end; borrowed */
	uint32_t n;
};

struct timeline_view {
	const struct query *query;
	const struct timeline_picture *picture;
	const struct timeline_strip *strip;
	const struct timeline_focus *focus;
	bool cursor;         /* draw it */
	int64_t cursor_time; /* ticks */
	struct span select;  /* t0 == t1: none */
	/* [TIMELINE_LOOPS] of loops one after the other, up to one without begin; NULL: none. */
	const struct timeline_iterations *iterations;
	bool pixels; /* bars and lines are a picture of pixels (timeline_pixels.h) */
};

void timeline_draw(const struct timeline_view *view, const struct timeline_layout *layout,
		   struct canvas *canvas);

/* Colour of a state at a level of a bar, and its glyph without colours. */
enum role timeline_state_role(unsigned state, unsigned level);
uint32_t timeline_state_glyph(unsigned state, bool ascii);
/* What marks a cell of several states in a bar of one line without colours: where user code is one
 * of them, the bar of a half; or where not. */
uint32_t timeline_mixed_glyph(bool user, bool ascii);
/* A gap in user code is hatched with this on every terminal. */
#define TIMELINE_HATCH '/'
bool timeline_is_hatched(const struct timeline_cell *cell);

/* The ruler of a scale, in the row y from column x on. */
void timeline_draw_ruler(const struct time_scale *scale, const struct timescale *units,
			 struct canvas *canvas, int x, int y);

/* A bar: cells and the sums that they know. `level` as of a lane. */
void timeline_put_cells(struct canvas *canvas, struct rect r, const struct timeline_cell *cells,
			const struct timeline_mix *mixes, int width, unsigned level);

/* The lines below the picture for a cell of a group: what its members did there. */
void timeline_group_text(const struct timeline_picture *picture, const struct query *query,
			 uint32_t row, int64_t time, struct str *what, struct str *where);

/* ---- what is under the cursor, in words ---- */

/* The lines below the picture: what it is, and how the program got there. */
void timeline_item_text(const struct timeline_item *item, const struct query *query,
			struct str *what, struct str *where);

/* "moved +12.3 us (linear -> clc)": what the query's difference did to it. */
void timeline_item_difference(const struct timeline_item *item, const struct query *query,
			      struct str *out);

/* ---- timeline_marker.c: notes that the trace pins to times ---- */

struct marker;

/* On the ruler at (x0, y): red, yellow, green by severity. Costs columns, not markers. */
void timeline_markers_draw(const struct trace *trace, const struct time_scale *scale, int x0, int y,
			   struct canvas *canvas);
/* The first marker in the column of `time`, and how many more there are; false without. */
bool timeline_marker_text(const struct trace *trace, const struct time_scale *scale, int64_t time,
			  struct str *out);
/* The next one after a time, the first one after the last; NULL without. */
const struct marker *timeline_next_marker(const struct trace *trace, int64_t time);

/* ---- timeline_counter.c: rows of counters ---- */

void timeline_counter_draw(const struct timeline_picture *picture,
			   const struct timeline_counter *counter, struct rect r,
			   struct canvas *canvas);
void timeline_counter_name(const struct trace *trace, uint32_t metric, struct str *out);
void timeline_counter_scale_text(const struct timeline_counter *counter, const struct trace *trace,
				 struct str *out);
/* The lines below the picture. */
void timeline_counter_text(const struct timeline_picture *picture, const struct query *query,
			   struct timeline_shades *shades, uint32_t row, int64_t time,
			   struct str *what, struct str *where);

/* ---- timeline_difference.c: what the base did to the times ---- */

/* The lines below the bars, and beside them the largest move, or the share, of the window. */
void timeline_difference_draw(const struct timeline_picture *picture, const struct timescale *units,
			      const struct timeline_layout *layout, struct canvas *canvas);
/* "moved up to +12.3 us (linear -> clc)": the column of a row at a time, for rows of groups. */
void timeline_difference_text(const struct timeline_picture *picture, const struct query *query,
			      uint32_t row, int64_t time, struct str *out);
/* One step of a difference, as it is drawn; for the legend, too. `in`: time was put in. */
void timeline_difference_put(struct canvas *canvas, int x, int y, unsigned step, bool in);
