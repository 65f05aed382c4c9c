/* source_panel_state: shared by the parts of the source view; no other file includes it.
 *
 * source_panel.c		the panel's slots: actions, search, to called procedures and back
 * source_panel_load.c		file, text and costs, loaded again when they change
 * source_panel_draw.c		drawing
 * source_panel_details.c	costs of the cursor's line in words
 *
 * Rows are the lines of the text; without the text, the lines that the graph has, so that their
 * costs are shown, with the reason why the text is missing. */
#pragma once

#include "ui/widgets/matcher.h"
#include "ui/widgets/panel.h"
#include "views/facts/source_costs.h"
#include "views/facts/source_find.h"
#include "views/query/time_share.h"

struct source_detail {
	char *text; /* clean; owned */
	uint8_t role;
};

/* The position before Enter. */
struct source_before {
	struct source_place place;
	uint32_t row, top;
};

struct source_panel {
	struct panel panel;
	struct source_place place; /* file and, of the last jump, line and node */
	struct source_found found;
	struct source_text text;
	struct source_costs costs;
	char trouble[1024]; /* why there is no text; "" */
	char unknown[256];  /* why there are no costs; "" */
	uint32_t row, top;
	int shift; /* columns that the text is scrolled to the left */
	VEC(struct source_before) befores;
	VEC(struct source_detail) details; /* of the cursor's line */
	struct matcher *matcher;
	uint32_t origin;            /* row where the search began */
	bool begun;                 /* something is shown */
	uint64_t asked, generation; /* session's, from which all was made */
	struct graph *graph;        /* graph of `costs`, owned with the session; NULL none */
	struct time_parts whole;    /* 100 % */
};

/* ---- source_panel_load.c ---- */

/* Loads the file to be shown, its text and costs, if they changed. */
void source_panel_follow(struct source_panel *p);
void source_panel_go(struct source_panel *p, const struct source_place *place);
void source_panel_drop(struct source_panel *p);
uint32_t source_panel_rows(const struct source_panel *p);
uint32_t source_panel_line(const struct source_panel *p, uint32_t row);    /* 0: none */
uint32_t source_panel_row_of(const struct source_panel *p, uint32_t line); /* or the nearest */
/* Appends a row: its text, or the graph's name for the line. */
void source_panel_text(const struct source_panel *p, uint32_t row, struct str *out);

/* ---- source_panel_draw.c ---- */

void source_panel_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
/* Rows of lines that are seen. */
int source_panel_body(const struct source_panel *p, struct rect area);
/* The row at a line of the screen, UINT32_MAX none. */
uint32_t source_panel_row_at(const struct source_panel *p, int y, struct rect area);

/* ---- source_panel_details.c ---- */

void source_panel_describe(struct source_panel *p); /* made again for the row of the cursor */
