/* The positions of a tree's columns, and its drawing. */
#include <math.h>

#include "base/text.h"
#include "ui/widgets/tree_pane_state.h"

enum { MARGIN = 1, BOX = 2, INDENT = 2, NARROW = 44, HEATS = 8, TITLE_MIN = 12 };

/* ---- columns ---- */

/* Columns that a level is set in. */
static int indent_of(int width)
{
	return width < NARROW ? 1 : INDENT;
}

static int title_column(const struct tree_pane *tree)
{
	return MARGIN + BOX + tree->value_width + 2;
}

/* Columns by which titles stand further left than they would: what was asked for, and as much as
 * shows the cursor's. */
static int shift_of(const struct tree_pane *tree, int width)
{
	const struct tree_item *item = tree_pane_item(tree);
	const int room = width - title_column(tree) - TREE_MARK - TITLE_MIN;
	const int64_t deep =
		item ? (int64_t)item->depth * indent_of(width) - (room > 0 ? room : 0) : 0;

	return deep > tree->shift ? (int)deep : tree->shift;
}

int tree_pane_mark(const struct tree_pane *tree, uint32_t item, struct rect area)
{
	return area.x + title_column(tree) - shift_of(tree, area.w) +
	       (int)tree->items.data[item].depth * indent_of(area.w);
}

/* ---- drawing ---- */

int tree_pane_heat(double value, double full, bool proportional)
{
	const double share = full > 0 ? value / full : 0;
	const int step = share > 0 ? (int)((proportional ? share : sqrt(share)) * HEATS) : -1;

	return step < HEATS ? step : HEATS - 1;
}

/* Where a terminal has no colours, the height of the box says the same. A root that is all of
 * itself has none: it would draw the eye for nothing. */
static void draw_box(const struct tree_pane *tree, struct canvas *canvas, int x, int y,
		     const struct tree_item *item, enum role ground)
{
	const double value = tree_pane_shown(item)[0];
	const double full = tree->ops->full(tree->context, item);
	const bool itself = item->depth == 0 && value >= full;
	const int heat = itself ? -1 : tree_pane_heat(value, full, tree->ops->proportional);
	const enum role role = (enum role)(ROLE_HEAT_FIRST + (heat < 0 ? 0 : heat));

	for (int i = 0; heat >= 0 && i < BOX; i++) {
		if (canvas->mono)
			canvas_put(canvas, x + i, y,
				   theme_glyph((enum glyph)(GLYPH_BAR_1 + heat), canvas->ascii),
				   ROLE_DEFAULT, ground, 0);
		else
			canvas_put(canvas, x + i, y, ' ', role, role, 0);
	}
}

/* Text of which the columns left of `from` are scrolled away. */
static int draw_from(struct canvas *canvas, int x, int y, int from, int width, const char *text,
		     enum role ink, unsigned attr)
{
	if (x < from) {
		const size_t cut = text_fit(text, from - x);
		text += cut;
		x = from;
	}
	return *text && width > 0 ? x + canvas_text(canvas, x, y, width - (x - from), text, ink,
						    ROLE_KEEP, attr)
				  : x;
}

static void draw_title(const struct tree_pane *tree, struct canvas *canvas, struct rect line,
		       const struct tree_item *item, int shift, enum role ink, enum role quiet)
{
	const int from = line.x + title_column(tree), end = line.x + line.w - MARGIN;
	const int64_t indent = (int64_t)item->depth * indent_of(line.w) - shift;
	OWNED_STR text = STR_INIT;
	int x;

	/* Far left of the visible part. */
	if (indent < -canvas->w * 4)
		return;
	x = from + (int)indent;
	if (x >= end) {
		canvas_put(canvas, end - 1, line.y, theme_glyph(GLYPH_ARROW_RIGHT, canvas->ascii),
			   quiet, ROLE_KEEP, 0);
		return;
	}
	if (x >= from && !item->leaf)
		canvas_put(canvas, x, line.y,
			   theme_glyph(item->open ? GLYPH_TREE_OPEN : GLYPH_TREE_CLOSED,
				       canvas->ascii),
			   quiet, ROLE_KEEP, 0);
	x += TREE_MARK;
	tree->ops->title(tree->context, item, &text);
	if (x >= from && tree->ops->names)
		canvas_fit_name(canvas, &text, end - x);
	else if (x >= from)
		canvas_fit_title(canvas, &text, end - x);
	const int behind = draw_from(canvas, x, line.y, from, end - from, text.text, ink, 0);
	matcher_paint(tree->matcher, canvas, (struct rect){ from, line.y, end - from, 1 }, x, &text,
		      0);
	str_clear(&text);
	if (tree->ops->note)
		tree->ops->note(tree->context, item, &text);
	if (text.n && behind + 2 + text_width(text.text) <= end)
		canvas_text(canvas, behind + 2, line.y, end - behind - 2, text.text, quiet,
			    ROLE_KEEP, 0);
}

static void draw_row(const struct tree_pane *tree, struct canvas *canvas, struct rect line,
		     uint32_t at, int shift, bool active)
{
	const struct tree_item *item = &tree->items.data[at];
	const bool chosen = at == tree->cursor;
	const enum role ground = !chosen ? ROLE_DEFAULT : active ? ROLE_CURSOR : ROLE_SELECTION;
	const double *shown = tree_pane_shown(item);
	const enum role ink = chosen ? ground : ROLE_DEFAULT;
	const enum role quiet = chosen ? ground : ROLE_MUTED;
	OWNED_STR text = STR_INIT;

	/* The box keeps the terminal's ground: some of its colours are like the cursor's. */
	if (chosen)
		canvas_fill(canvas,
			    (struct rect){ line.x + MARGIN + BOX + 1, line.y,
					   line.w - MARGIN - BOX - 1, 1 },
			    ' ', ground, ground);
	draw_box(tree, canvas, line.x + MARGIN, line.y, item, ROLE_DEFAULT);
	tree->ops->value(tree->context, item, shown, &text);
	canvas_text_right(canvas, line.x + MARGIN + BOX, line.y, tree->value_width + 1, text.text,
			  shown[0] == 0 ? quiet : ink, ROLE_KEEP);
	draw_title(tree, canvas, line, item, shift, item->value[0] == 0 ? quiet : ink, quiet);
}

void tree_pane_draw(const struct tree_pane *tree, struct canvas *canvas, struct rect area,
		    bool active)
{
	const uint32_t top = tree_pane_top(tree, area.h);
	const int shift = shift_of(tree, area.w);

	if (tree->rows.n == 0)
		canvas_write(canvas, area.x + MARGIN, area.y, area.w - MARGIN,
			     tree->empty ? tree->empty : "nothing here", ROLE_MUTED);
	for (int y = 0; y < area.h && top + (uint32_t)y < tree->rows.n; y++)
		draw_row(tree, canvas, (struct rect){ area.x, area.y + y, area.w, 1 },
			 tree->rows.data[top + (uint32_t)y], shift, active);
}
