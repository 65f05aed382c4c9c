/* chart: draws the bars and columns that a table has in its cells (views/query/table.h). */
#pragma once

#include "ui/canvas/canvas.h"
#include "views/query/table.h"

/* Into `w` columns of one line; `bg` as canvas_put(). */
void chart_draw(struct canvas *canvas, int x, int y, int w, const struct table_chart *chart,
		enum role bg);

/* Parts above each other in one column, the first at the bottom: shares of `h` lines. */
void chart_stack(struct canvas *canvas, int x, int y, int h, const struct table_chart *chart);

/* Signs and names of the parts of a bar. */
void chart_legend(struct canvas *canvas, int x, int y, int w, const struct chart_part *parts,
		  unsigned n);
int chart_legend_width(const struct chart_part *parts, unsigned n);
