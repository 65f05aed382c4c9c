/* timeline_arrows: strokes of messages and collectives between the rows of a picture.
 *
 * Where rows have lines between them, strokes run there and pass under the bars, which they never
 * cover; a head shows the receiver, dots join the begins of a collective. (Lines are box drawing:
 * braille would be finer, but fonts of terminals often lack it.) Where rows touch, few messages are
 * drawn over the bars. Too many would be a blot: then only those of the cursor's row are drawn, the
 * shortest first, and the one under the cursor. */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/timeline/picture/timeline_picture.h"

#define NO_HIT UINT32_MAX

struct timeline_focus {
	int32_t row;         /* visible row of the cursor, -1 none */
	uint32_t message;    /* under the cursor, NO_HIT none */
	uint32_t collective; /* the same */
};

/* Draws into the body. */
void timeline_arrows_draw(const struct timeline_picture *picture, struct canvas *canvas,
			  struct rect body, const struct timeline_focus *focus);

/* How many would be drawn. */
uint64_t timeline_arrows_count(const struct timeline_picture *picture,
			       const struct timeline_focus *focus);
