/* graphic_terminal: a program in a pseudo-terminal that shows sixels, and that answers questions as
 * it is told. What is written to a cell takes its pixels away, as terminals do.
 *
 *	struct graphic_terminal *t = graphic_terminal_open(argv, &(struct graphic_answers){ ... });
 *	graphic_terminal_settle(t);
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum { GRAPHIC_COLS = 80, GRAPHIC_ROWS = 24, GRAPHIC_W = 8, GRAPHIC_H = 15 };

/* Answers to questions, NULL: none; all together come when the last one was asked. */
struct graphic_answers {
	const char *ground, *kitty, *cell, *limits, *device;
	int late_ms;       /* they come that much later, */
	bool in_pieces;    /* a byte at a time, with pauses */
	bool no_pixels;    /* the system does not say how many pixels it has */
	const char *typed; /* typed before they come */
};

struct graphic_terminal {
	int fd, pid, status;
	bool ended;
	struct graphic_answers answers;
	bool asked;      /* for pictures */
	struct str sent; /* by the program since the last settle */
	double cpu;      /* its processor time when keys were sent last */
	uint32_t text[GRAPHIC_ROWS][GRAPHIC_COLS];
	uint32_t pixels[GRAPHIC_ROWS * GRAPHIC_H][GRAPHIC_COLS * GRAPHIC_W]; /* as of picture */
	int sixels;                                                          /* pictures so far */
	struct str rest;
	struct VTerm *vt;
};

/* NULL: there is no pseudo-terminal. */
struct graphic_terminal *graphic_terminal_open(const char *const argv[],
					       const struct graphic_answers *answers);
void graphic_terminal_close(struct graphic_terminal *t);
void graphic_terminal_type(struct graphic_terminal *t, const char *keys);
/* Until the program waits for keys, or has ended. */
void graphic_terminal_settle(struct graphic_terminal *t);
/* The text of the screen. */
void graphic_terminal_text(const struct graphic_terminal *t, struct str *out);
/* How many pixels are drawn. */
int graphic_terminal_drawn(const struct graphic_terminal *t);
