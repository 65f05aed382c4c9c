/* timeline_critical: the critical path on a picture: a line below the bars of the rows that it is
 * on, and strokes where it passes from one row to another. Nothing of the bars is covered. */
#pragma once

#include "ui/canvas/canvas.h"
#include "ui/timeline/picture/timeline_item.h"
#include "ui/timeline/picture/timeline_picture.h"

void timeline_critical_draw(const struct timeline_picture *picture, struct rect body,
			    struct canvas *canvas);
/* The line's glyph. */
uint32_t timeline_critical_glyph(bool ascii);

/* "on the critical path for 1.2 ms (35 %)", or that it is not: of the visit under the cursor.
 * Nothing where the path is not shown, or not known yet. */
void timeline_critical_text(const struct timeline_item *item, const struct query *query,
			    struct str *out);
