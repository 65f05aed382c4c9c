#include "ui/panels/topology/topology_page.h"

#include <string.h>

enum { ABOVE = 3, BELOW = 3, TEXT_WIDTH = 100, TEXT_HIGHEST = 2000 };

static const struct grid *grid_of(const struct topology_page *page)
{
	return &page->values->grids->grid[page->grid];
}

/* Area of the picture: what the text of the page leaves. */
static struct rect topology_page_body(struct rect area)
{
	struct rect body = { area.x + 1, area.y + ABOVE, area.w - 2, area.h - ABOVE - BELOW };

	if (body.h < 1)
		body.h = 1;
	if (body.w < 1)
		body.w = 1;
	return body;
}

struct topology_layout topology_page_layout(const struct topology_page *page, struct rect area)
{
	return topology_layout(grid_of(page), &page->look, topology_page_body(area), page->cursor);
}

/* "4 x 4, guessed, score 1.00" and why, in one line. */
static void draw_grid_line(const struct topology_page *page, struct canvas *canvas,
			   struct rect area)
{
	static const char *const sources[] = { [GRID_GIVEN] = "given",
					       [GRID_TRACE] = "the trace's",
					       [GRID_GUESSED] = "guessed",
					       [GRID_PHYSICAL] = "physical" };
	const struct grid *grid = grid_of(page);
	OWNED_STR text = STR_INIT;
	int x = area.x + 1;

	str_add_fmt(&text, "%s  %s", grid->name, sources[grid->source]);
	if (grid->source == GRID_GUESSED)
		str_add_fmt(&text, ", score %.2f", grid->score);
	if (page->values->grids->n > 1)
		str_add_fmt(&text, "  (%u of %u)", page->grid + 1, page->values->grids->n);
	x += canvas_text(canvas, x, area.y, area.w - 2, text.text, ROLE_VALUE, ROLE_DEFAULT,
			 ATTR_BOLD);
	/* Nothing better: say why. */
	str_clear(&text);
	str_add(&text, grid->note);
	if (grid->source == GRID_PHYSICAL && page->values->grids->n == 1 &&
	    page->values->grids->no_guess[0])
		str_add_fmt(&text, " %s", page->values->grids->no_guess);
	canvas_write(canvas, x + 2, area.y, area.x + area.w - x - 3, text.text, ROLE_MUTED);
}

static void draw_metric_line(const struct topology_page *page, struct canvas *canvas,
			     struct rect area)
{
	const struct topology_values *v = page->values;
	OWNED_STR text = STR_INIT;
	int x = area.x + 1;

	x += canvas_write(canvas, x, area.y + 1, area.w - 2, cube_metric_info(v->metric)->title,
			  ROLE_VALUE);
	if (v->callpath == UINT32_MAX || v->callpath == 0) {
		str_add(&text,
			v->own ? "all call paths (costliest metric; choose another in view 6)"
			       : "all call paths");
	} else {
		str_add(&text, topology_range(v, grid_of(page)).sum > 0 ? "below " : "none below ");
		trace_callpath_text(v->trace, v->callpath, &text);
	}
	canvas_write(canvas, x + 2, area.y + 1, area.x + area.w - x - 3, text.text,
		     topology_range(v, grid_of(page)).sum > 0 ? ROLE_MUTED : ROLE_WARNING);
}

static void add_coords(const struct grid *grid, const int32_t *at, struct str *out)
{
	if (topology_is_nodes(grid)) {
		str_add_fmt(out, "node %d, place %d", at[1], at[0]);
		return;
	}
	for (uint32_t d = 0; d < grid->dims; d++)
		str_add_fmt(out, "%s%c %d", d ? ", " : "", "xyzuvwst"[d], at[d]);
}

void topology_page_cell(const struct topology_page *page, struct str *out)
{
	const struct topology_values *v = page->values;
	const struct grid *grid = grid_of(page);
	const struct topology_range range = topology_range(v, grid);
	const uint32_t *found;
	double value;
	uint32_t n;

	if (!page->cursor)
		return;
	n = grid_locations(grid, page->cursor, &found);
	if (n) {
		const char *name = trace_string(v->trace, trace_location(v->trace, *found)->name);
		char clean[64];
		str_clean(clean, sizeof clean, name, strlen(name));
		str_add_fmt(out, "%s  ", clean);
	}
	add_coords(grid, page->cursor, out);
	if (!n)
		str_add(out, "  no rank here");
	else if (!topology_value_at(v, grid, page->cursor, &value))
		str_add(out, "  hidden");
	else {
		str_add(out, "  ");
		topology_show(v, value, out);
		if (range.sum > 0)
			str_add_fmt(out, ", %.1f %% of the sum", 100 * value / range.sum);
	}
	if (n > 1)
		str_add_fmt(out, " (%u locations)", n);
}

void topology_page_draw(const struct topology_page *page, struct canvas *canvas, struct rect area)
{
	const struct topology_layout layout = topology_page_layout(page, area);
	const struct topology_range range = topology_range(page->values, layout.grid);
	OWNED_STR cell = STR_INIT;

	draw_grid_line(page, canvas, area);
	draw_metric_line(page, canvas, area);
	topology_draw(&layout, page->values, &range, page->cursor, canvas);
	topology_legend(page->values, &range, canvas,
			(struct rect){ area.x + 1, area.y + area.h - 2, area.w - 2, 1 });
	topology_page_cell(page, &cell);
	canvas_write(canvas, area.x + 1, area.y + area.h - 1, area.w - 2, cell.text, ROLE_VALUE);
}

void topology_page_text(const struct topology_page *page, int width, int height, bool ascii,
			struct str *out)
{
	struct topology_page wide = *page;
	struct rect area = { 0, 0, width ? width : TEXT_WIDTH, TEXT_HIGHEST };
	struct canvas canvas;
	int64_t wanted;

	/* Cells with their numbers where the width allows it. */
	for (wide.look.size = 7; wide.look.size > 2; wide.look.size--) {
		const struct topology_layout layout = topology_page_layout(&wide, area);
		if (topology_width(&layout) <= topology_page_body(area).w)
			break;
	}
	const struct topology_layout layout = topology_page_layout(&wide, area);
	wanted = topology_height(&layout) + ABOVE + 2;
	area.h = height ? height : wanted < TEXT_HIGHEST ? (int)wanted : TEXT_HIGHEST;
	canvas_init(&canvas, area.w, area.h, ascii);
	canvas.mono = true;
	topology_page_draw(&wide, &canvas, area);
	canvas_to_text(&canvas, out);
	canvas_fini(&canvas);
}
