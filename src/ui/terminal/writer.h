/* writer: makes the bytes that bring a terminal from one frame to the next: places, colours and
 * attributes, characters. Pure.
 *
 * A frame begins and ends with no colour and no attribute set. What is set stays set until a
 * character needs another look; a blank needs its ground alone.
 *
 *	writer_begin(&writer, &terminal, w, h, x, y);
 *	for (int y = 0; y < h; y++)
 *		writer_row(&writer, y, new, old, forced);
 *	writer_end(&writer, x, y);
 *	send(writer.out.text, writer.out.n);
 *	writer_fini(&writer);
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "ui/terminal/ink.h"

/* What a terminal can, beyond placing its cursor. */
struct writer_terminal {
	bool ansi;       /* it knows ECMA-48's sequences; the rest is true of such a one alone */
	bool clears;     /* to the end of a row */
	bool erases;     /* characters in place */
	bool moves;      /* parts of rows sideways */
	bool scrolls;    /* some of its rows */
	bool takes_back; /* attributes one by one, as it sets them */
	bool own_ground; /* what is cleared gets the ground that is set, not the terminal's own */
	bool wraps; /* a character in the last column takes the cursor to the next row at once */
	unsigned attrs;           /* enum cell_attr */
	unsigned attrs_in_colour; /* those that go with colours */
	/* Without ECMA-48: append what places the cursor, sets attributes alone, clears all. */
	void (*place)(struct str *out, int x, int y);
	void (*look)(struct str *out, unsigned attrs);
	void (*clear)(struct str *out);
};

struct writer {
	const struct writer_terminal *terminal;
	struct str out;
	int w, h;
	int x, y;       /* of the cursor; x is -1 where it is not known */
	struct ink set; /* colours and attributes; its character says nothing */
	bool exactly;   /* only cells that differ are touched, as beside pictures of sixels */
};

/* The cursor is at (x, y). */
void writer_begin(struct writer *writer, const struct writer_terminal *terminal, int width,
		  int height, int x, int y);
/* All cells become blanks on the terminal's own ground. */
void writer_clear(struct writer *writer);
/* Where a terminal `moves`: row y moves from column x on by so many columns, to the left where that
 * is positive, blanks follow. */
void writer_move_row(struct writer *writer, int y, int x, int by);
/* Where a terminal `scrolls`: rows [top, bottom) move, up where `by` is positive, blanks follow. */
void writer_move_rows(struct writer *writer, int top, int bottom, int by);
/* Makes the w cells of row y from the old ones the new ones; forced (may be NULL): cells that are
 * written even if they are the same. A second half of a wide character has ch 0. False where there
 * was nothing to write. */
bool writer_row(struct writer *writer, int y, const struct ink *new, const struct ink *old,
		const bool *forced);
/* Leaves the cursor at (x, y). */
void writer_end(struct writer *writer, int x, int y);
void writer_fini(struct writer *writer);

/* Whether cells must be written where the terminal shows `old`. */
bool writer_differs(const struct ink *new, const struct ink *old);
