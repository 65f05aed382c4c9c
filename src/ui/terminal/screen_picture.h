/* screen_picture: the one picture that a terminal shows below the text of its cells (kitty.h).
 *
 * Nothing is sent to a terminal that was not asked, or did not answer that it can. */
#pragma once

#include <string.h>

#include "ui/terminal/kitty.h"

struct screen_picture {
	bool can;       /* the terminal shows pictures */
	bool shown;     /* it shows one now */
	struct rect at; /* cells of that */
	uint64_t sum;   /* of its bytes */
};

/* Whether an option's value asks for pictures. */
static inline bool screen_picture_wanted(const char *graphics)
{
	return graphics && strcmp(graphics, "kitty") == 0;
}

/* Asks the terminal, whose modes are raw, and waits for at most a fifth of a second. What was typed
 * meanwhile is appended. */
void screen_picture_ask(struct screen_picture *picture, int keys, struct str *typed);
/* screen_input.c: the same; what was typed is read next. */
void screen_ask_pictures(struct screen_picture *picture, int keys);
/* Pixels of a cell, as the terminal says; false: it does not show pictures, or does not say. */
bool screen_picture_cell(const struct screen_picture *picture, int *w, int *h);

/* Brings the terminal from the picture that it shows to this one (NULL: to none); sends nothing if
 * they are the same. The cursor goes to (x, y), where it was. */
void screen_picture_show(struct screen_picture *picture, const struct pixels *pixels,
			 const struct theme *theme, int x, int y);
