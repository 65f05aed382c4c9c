/* timeline_arrows: messages and collectives between the rows of a picture.
 *
 * A message is a thin line of Braille dots from the point where it was sent to the point where it
 * was received, with a head where it arrives. A collective is one shape: its left edge goes through
 * the points where its ranks began, its right edge through those where they ended, and what is
 * between the edges is tinted. Where rows have lines between them these run there and pass under
 * the bars, which they never cover; where rows touch, few messages are drawn over the bars, and
 * none over their names. In ASCII they are strokes of characters. Which of many are drawn is in the
 * picture (timeline_thin.h); those under the cursor always are, brightly. */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/timeline/picture/timeline_chain.h"
#include "ui/timeline/picture/timeline_picture.h"

#define NO_HIT UINT32_MAX

struct timeline_focus {
	int32_t row;                        /* visible row of the cursor, -1 none */
	uint32_t message;                   /* under the cursor, NO_HIT none */
	uint32_t collective;                /* the same */
	const struct timeline_chain *chain; /* of both, in this picture; borrowed. NULL: only those
					       that the picture draws are bright */
};

/* Draws into the body. */
void timeline_arrows_draw(const struct timeline_picture *picture, struct canvas *canvas,
			  struct rect body, const struct timeline_focus *focus);
