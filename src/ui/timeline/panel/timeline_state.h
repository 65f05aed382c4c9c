/* timeline_state: the state of the timeline's panel, shared by its parts.
 *
 * timeline_state.c	what the other parts ask of the state
 * timeline_panel.c	the panel's slots: actions, search, status, clicks
 * timeline_frame.c	brings the picture up to date and draws it
 * timeline_compare.c	two locations in two time bases, before above after
 * timeline_beside.c	another trace below the one that is open
 * timeline_matches.c	where calls follow each other as a sequence says
 * timeline_look.c	initial position of the cursor
 * timeline_move.c	moving, zooming, selecting
 * timeline_arrange.c	grouping, pinning, sorting, hiding of rows
 */
#pragma once

#include "ui/timeline/drawing/timeline_draw.h"
#include "ui/timeline/panel/timeline_follow.h"
#include "ui/timeline/picture/timeline_item.h"
#include "ui/widgets/panel.h"
#include "views/facts/aligned_times.h"

/* The trace that the open one is compared with (session->other), below it. */
struct timeline_beside {
	struct timeline_shades *shades;
	struct timeline_rows rows;
	struct timeline_picture picture;
	struct timeline_layout layout;
	VEC(uint32_t) locations; /* of the rows that are visible above */
	struct arrangement arrangement;
	bool grouped; /* there are groups: all locations, in groups as well */
	bool shown;
	struct aligned_times aligned;
	struct aligned_memory memory;
};

struct timeline_panel {
	struct panel panel;
	struct timeline_shades *shades;
	struct timeline_rows rows;
	struct timeline_sums *sums;
	struct timeline_counts *counts;
	struct timeline_picture picture;
	struct timeline_strip strip;
	struct timeline_layout layout;
	struct timeline_item item;
	/* Of the cursor's location, if they are counted. */
	struct timeline_iterations iterations[TIMELINE_LOOPS];
	/* Of a comparison: the locations, the picture above `picture`, and its layout. */
	uint32_t compared[2];
	struct timeline_picture before;
	struct timeline_layout before_layout;
	struct timeline_beside beside;
	struct timeline_focus focus;
	struct timeline_chain chain; /* the focus' */
	struct timeline_search search;
	unsigned depth;
	uint32_t row;   /* of the cursor */
	uint32_t first; /* row below the pinned ones */
	int64_t anchor; /* of the selection that is being made */
	/* Generations that rows, picture and strip were made from. */
	uint64_t generation, rows_generation, strip_generation;
	struct rect area;
	bool made, ascii;
	bool refined;      /* sums of groups are better known than in the picture */
	int64_t drawn;     /* ms: when the picture was refined last */
	int64_t marked;    /* ms: when matches that were found were drawn last */
	bool looked;       /* the first look was taken */
	bool fitted;       /* rows were grouped for lack of room, if they had to be */
	bool on_strip;     /* the last click was on the strip, so a drag is, too */
	char trouble[256]; /* why there is no picture */
};

/* ---- timeline_state.c ---- */

/* The cursor's row; there is one. */
const struct timeline_row *timeline_cursor_row(const struct timeline_panel *t);
/* A picture of rows in a layout; all rows are summed at once. */
struct timeline_options timeline_options_of(const struct timeline_panel *t,
					    const struct timeline_layout *layout,
					    const struct timeline_rows *rows);

/* ---- timeline_frame.c ---- */

/* Brings everything up to what the session and the area are now. */
void timeline_frame_make(struct timeline_panel *t, struct rect area);
/* Whether iterations can be counted at once; else what finds them is started. */
bool timeline_frame_can_count(const struct timeline_panel *t);
/* A slice of the work that makes the picture exact; true while there is more. */
bool timeline_frame_work(struct timeline_panel *t, unsigned *reactions);
/* Frees what the frames were made of. */
void timeline_frame_fini(struct timeline_panel *t);
/* What is under the cursor, in the picture that there is. */
void timeline_frame_item(struct timeline_panel *t);
void timeline_frame_draw(const struct panel *panel, struct canvas *canvas, struct rect area);

/* ---- timeline_compare.c ---- */

/* Which locations are compared; nothing where none are. */
void timeline_compare_choose(struct timeline_panel *t);
struct query timeline_compare_query(const struct timeline_panel *t);
/* Splits the layout: the upper half goes to t->before_layout. */
void timeline_compare_split(struct timeline_panel *t);
/* The message of the pair; without one, the id of the arrow that replaces it in the pictures. */
uint32_t timeline_compare_arrow(const struct timeline_panel *t);
/* The upper picture, and the arrow of the pair in both. */
bool timeline_compare_make(struct timeline_panel *t, struct err *err);
void timeline_compare_draw(const struct timeline_panel *t, struct canvas *canvas);

/* ---- timeline_beside.c ---- */

/* Whether there is another trace, and room for it. */
bool timeline_beside_wanted(const struct timeline_panel *t);
/* Splits the layout: the lower half goes to t->beside. */
void timeline_beside_split(struct timeline_panel *t);
/* The lower picture, of the rows of the upper one. */
bool timeline_beside_make(struct timeline_panel *t, struct err *err);
/* Aligns both at the next kind of point; with a notice. */
void timeline_beside_align(struct timeline_panel *t);
void timeline_beside_draw(const struct timeline_panel *t, struct canvas *canvas);
void timeline_beside_fini(struct timeline_beside *beside);

/* ---- timeline_matches.c ---- */

/* Of the session's sequence, as far as they are known. */
void timeline_matches_draw(const struct timeline_panel *t, struct canvas *canvas);

/* ---- timeline_look.c ---- */

void timeline_look_first(struct timeline_panel *t);

/* ---- timeline_move.c ---- */

void timeline_move_columns(struct timeline_panel *t, int64_t by);
void timeline_move_rows(struct timeline_panel *t, int64_t by);
/* To a row, the time staying. */
void timeline_move_to_row(struct timeline_panel *t, uint32_t row);
void timeline_zoom(struct session *session, int direction); /* in 1, out -1 */
/* To the selection, or the visit or message under the cursor; false where the window is there. */
bool timeline_zoom_item(struct timeline_panel *t);
void timeline_pan(struct timeline_panel *t, int64_t quarters);
void timeline_select_to_cursor(struct timeline_panel *t);
void timeline_select_toggle(struct timeline_panel *t);
bool timeline_select_cancel(struct timeline_panel *t); /* false: nothing was selected */

/* ---- timeline_arrange.c ---- */

/* Opens or closes the group under the cursor; false where there is none. */
bool timeline_open_group(struct timeline_panel *t);
/* Closes the group that the cursor is in. */
bool timeline_close_group(struct timeline_panel *t);
void timeline_next_order(struct timeline_panel *t);
void timeline_pin_row(struct timeline_panel *t);
void timeline_hide_row(struct timeline_panel *t);
