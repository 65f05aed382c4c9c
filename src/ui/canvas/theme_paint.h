/* theme_paint: the table of colours that theme.c looks up, by role. Colours are numbers of the 256
 * palette (16 to 255 look the same everywhere; 0 to 15 are the user's own), of the 8 and 16 classic
 * ones, and exact; -1 is the terminal's. */
#pragma once

#include "ui/canvas/theme.h"

/* What a role looks like on one ground. */
struct paint {
	int fg, bg;   /* 256 colours; bg: the fill, where the role is a background */
	int fg8, bg8; /* 8 colours */
	int ink;      /* text on the fill: 256 colours, -1: fg */
	int ink8;
	int rgb;      /* of fg and bg, where there are exact colours; 0: as of 256 */
	int c16;      /* of fg and bg, where there are 16; 0: as of 8 */
	int rgb_fill; /* of bg alone; 0: as fg */
};

struct role_paint {
	unsigned attr;      /* with colours */
	unsigned attr_mono; /* without */
	struct paint dark, light;
};

extern const struct role_paint theme_paints[ROLE_COUNT];

/* ---- themes of users (theme_file.h) ---- */

/* As the dark theme; and all of it as one of the two. */
struct theme *theme_new(const char *name);
void theme_begin(struct theme *theme, bool light);
bool theme_is_light(const struct theme *theme);
struct paint *theme_own_paint(struct theme *theme, enum role role);
/* The exact colour of a number of the palette. */
int theme_rgb(int colour);
