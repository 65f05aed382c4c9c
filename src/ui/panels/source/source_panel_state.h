/* source_panel_state: what the parts of the view of sources share; no other file includes it.
 *
 * source_panel.c		the panel's slots: actions, search, to called procedures and back
 * source_panel_load.c		file, text and costs, loaded again when they change
 * source_panel_draw.c		drawing
 * source_panel_details.c	costs of the cursor's line in words
 *
 * With the text at hand rows are its lines; without, the lines that the graph knows, so that their
 * costs are seen with the reason why the text is not. */
#pragma once

#include "ui/widgets/matcher.h"
#include "ui/widgets/panel.h"
#include "views/facts/source_costs.h"
#include "views/facts/source_find.h"

struct source_detail {
	char *text; /* clean; owned */
	uint8_t role;
};

/* Where one was before Enter. */
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
	uint64_t asked, generation; /* of the session: what all was made from */
	struct graph *graph;        /* that `costs` are of, owned with the session; NULL none */
	int64_t whole;              /* ticks: of the program */
};

/* ---- source_panel_load.c ---- */

/* The file that is to be shown, its text and costs. */
void source_panel_follow(struct source_panel *p);
void source_panel_go(struct source_panel *p, const struct source_place *place);
void source_panel_drop(struct source_panel *p);
uint32_t source_panel_rows(const struct source_panel *p);
uint32_t source_panel_line(const struct source_panel *p, uint32_t row);    /* 0: none */
uint32_t source_panel_row_of(const struct source_panel *p, uint32_t line); /* or the nearest */
/* A row as it can be shown: its text, or what the graph calls it. */
void source_panel_text(const struct source_panel *p, uint32_t row, struct str *out);

/* ---- source_panel_draw.c ---- */

void source_panel_draw(const struct panel *panel, struct canvas *canvas, struct rect area);
/* Rows of lines that are seen. */
int source_panel_body(const struct source_panel *p, struct rect area);
/* The row at a line of the screen, UINT32_MAX none. */
uint32_t source_panel_row_at(const struct source_panel *p, int y, struct rect area);

/* ---- source_panel_details.c ---- */

void source_panel_describe(struct source_panel *p); /* made again for the row of the cursor */
