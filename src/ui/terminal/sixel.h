/* sixel: pictures as DEC's sixels (VT340), as bytes for a terminal. Pure.
 *
 * A picture has few colours, each once in every band of six rows of pixels. Clear pixels are not
 * drawn: what the terminal has there stays. */
#pragma once

#include "base/str.h"
#include "ui/canvas/pixels.h"

/* Registers of colours in a terminal: each role has the one that it was given first. */
struct sixel_palette {
	uint32_t rgb[ROLE_COUNT]; /* 0xRRGGBB */
	unsigned most; /* registers; where they are too few the nearest colour is taken */
	unsigned n;
	uint8_t of[ROLE_COUNT];    /* 1 + register; 0: none yet */
	uint8_t owner[ROLE_COUNT]; /* [n] the role whose colour a register has */
};

/* Appends what draws a rectangle of the pixels, which is inside, with its upper left corner at the
 * cursor. */
void sixel_add(struct str *out, const struct pixels *pixels, struct rect r,
	       struct sixel_palette *palette);
