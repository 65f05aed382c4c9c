/* topology_page: the topology view, the same on the screen and in text: names of grid, metric and
 * call path, the picture, the colours' legend, and the place under the cursor. */
#pragma once

#include "ui/panels/topology/topology_picture.h"

struct topology_page {
	const struct topology_values *values; /* with at least one grid */
	uint32_t grid;                        /* which of them */
	struct topology_look look;
	const int32_t *cursor; /* [dims], NULL none */
};

struct topology_layout topology_page_layout(const struct topology_page *page, struct rect area);
void topology_page_draw(const struct topology_page *page, struct canvas *canvas, struct rect area);
/* "rank 5  x 1, y 2  12.3 ms, 4.5 % of the sum" */
void topology_page_cell(const struct topology_page *page, struct str *out);
/* Appends the page as text of `width` columns (0: 100) and `height` lines (0: as many as
 * needed). */
void topology_page_text(const struct topology_page *page, int width, int height, bool ascii,
			struct str *out);
