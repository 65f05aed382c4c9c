/* kitty: pictures by the graphics protocol of kitty, as bytes for a terminal. Pure.
 *
 * A picture is a PNG with a palette; it is under the text of cells and over their backgrounds.
 * Sequences ask for no answers. */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "ui/canvas/pixels.h"

enum { KITTY_PICTURE = 7301 }; /* the number of the program's one picture */

/* The question, and one that every terminal answers, so that one without pictures is not waited for
 * long. */
#define KITTY_QUESTION "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[c"

/* What came after the question. */
struct kitty_answer {
	bool done, pictures;
	struct str typed; /* all other bytes */
};

/* Reads all bytes that have come, from the first one on. */
void kitty_read(struct kitty_answer *answer, const char *bytes, size_t n);

/* Appends the PNG of pixels; palette[role] is 0xRRGGBB. */
void kitty_png(struct str *out, const struct pixels *pixels, const uint32_t palette[ROLE_COUNT]);
/* Appends what shows a PNG at the cursor, over w x h cells, instead of the picture before. */
void kitty_show(struct str *out, const struct str *png, int w, int h);
#define KITTY_DELETE "\033_Ga=d,d=I,i=7301,q=2\033\\"
