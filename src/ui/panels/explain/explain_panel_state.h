/* explain_panel_state: what the files of the explanation share. No other file includes it.
 *
 * explain_panel.c	its lines, and what they lead to
 * explain_panel_play.c	the chain of causes, hop by hop */
#pragma once

#include "ui/widgets/panel.h"
#include "views/explain/explaining.h"

/* Position before Enter. */
struct explain_place {
	uint32_t location, event;
	int64_t time;
	struct span window;
};

/* The explanation from one of whose lines `e` was reached. */
struct explain_before {
	struct explain_subject subject;
	size_t line;
};

struct explain_panel {
	struct panel panel;
	struct explain e;
	enum time_base base;
	uint64_t generation;
	size_t line, top;
	VEC(struct explain_place) places;
	VEC(struct explain_before) befores;
	bool said;        /* the explanation is complete */
	bool playing;     /* the chain, at `hop` */
	size_t hop;       /* of e.hops */
	struct str named; /* what the hop adds of the run's named causes; "" nothing */
};

/* Moves the session's cursor to where a line leads. */
void explain_panel_go(struct explain_panel *p, const struct explain_line *line);

/* ---- explain_panel_play.c ---- */

/* Goes to the hop after or before; begins with the first cause. */
unsigned explain_play(struct explain_panel *p, int by);
void explain_play_end(struct explain_panel *p);
/* Lines that the hop needs, with its title. */
int explain_play_height(const struct explain_panel *p, int width);
void explain_play_draw(const struct explain_panel *p, struct canvas *canvas, struct rect area);
