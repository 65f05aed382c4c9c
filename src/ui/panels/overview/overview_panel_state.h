/* overview_panel_state: shared by the parts of the overview; no other file includes it.
 *
 * overview_panel.c the panel: computing, keys; overview_page.c where things are on the page;
 * overview_draw.c the page; overview_text.c all sentences, which Tab shows instead */
#pragma once

#include "ui/timeline/picture/miniature.h"
#include "ui/widgets/matcher.h"
#include "ui/widgets/panel.h"
#include "views/report/highlights.h"

struct overview_panel {
	struct panel panel;
	struct report report;
	struct highlight list[HIGHLIGHTS];
	unsigned n;
	unsigned cursor; /* of the list */
	struct overview text;
	unsigned line; /* the cursor of the text */
	bool as_text;  /* it is in front, or there is no room for the page */
	bool wants_text;
	struct miniature miniature;
	uint64_t generation; /* of the session when it was computed */
	int width;           /* for which the text was broken */
	struct matcher *matcher;
	bool touched;    /* a key or the mouse chose what is under the cursor */
	unsigned origin; /* cursor where the search began */
};

/* ---- overview_page.c ---- */

struct overview_page {
	struct rect title, bars, ruler, labels, picture, list, details; /* h 0: not there */
};

/* False: no room for a page. */
bool overview_page_of(const struct overview_panel *p, struct rect area, struct overview_page *page);
/* Lines of the picture that a row of the miniature gets. */
int overview_row_lines(const struct overview_panel *p, const struct overview_page *page);
/* The bars of the report: the n-th, NULL after the last one. */
const struct report_line *overview_bar(const struct report *report, unsigned n);
const struct report_section *overview_section(const struct report *report, const char *key);
const struct report_line *overview_finding(const struct overview_panel *p, unsigned n);

/* ---- overview_draw.c ---- */

void overview_draw_page(const struct overview_panel *p, struct canvas *canvas,
			const struct overview_page *page);

/* ---- overview_text.c ---- */

/* First line on the screen so that the cursor's is visible. */
unsigned overview_text_top(const struct overview_panel *p, int h);
void overview_draw_text(const struct overview_panel *p, struct canvas *canvas, struct rect area);
/* Moves to the next line that names a view or, without one, to the end. */
void overview_text_move(struct overview_panel *p, int by);
