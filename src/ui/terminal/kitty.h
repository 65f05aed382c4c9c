/* kitty: pictures by the graphics protocol of kitty, as bytes for a terminal. Pure.
 *
 * A picture is a PNG with a palette; it is under the text of cells and over their backgrounds.
 * Sequences ask for no answers. */
#pragma once

#include "base/str.h"
#include "ui/canvas/pixels.h"

enum { KITTY_PICTURE = 7301 }; /* the number of the program's one picture */

/* Appends the PNG of pixels; palette[role] is 0xRRGGBB. */
void kitty_png(struct str *out, const struct pixels *pixels, const uint32_t palette[ROLE_COUNT]);
/* Appends what shows a PNG at the cursor, over w x h cells, instead of the picture before. */
void kitty_show(struct str *out, const struct str *png, int w, int h);
#define KITTY_DELETE "\033_Ga=d,d=I,i=7301,q=2\033\\"
