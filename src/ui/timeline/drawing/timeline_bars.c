/* Bars: the cells of locations and groups, and the names over them. */
#include "ui/timeline/drawing/timeline_draw.h"
#include "ui/timeline/drawing/timeline_parts_draw.h"
#include "ui/timeline/picture/timeline_names.h"

enum {
	BLOCK_WITH_GAP = 0x2589, /* left seven eighths */
	EDGE = 0x2595,           /* right eighth */
	ASCII_CUT = '|',
	ASCII_FILTERED = '-'
};

/* Of one state, or where two meet: fills and half blocks. */
static void put_coloured(struct canvas *canvas, int x, int y, const struct timeline_cell *c,
			 unsigned level)
{
	const enum role left = timeline_state_role(c->left, level),
			right = timeline_state_role(c->right, level);

	if (timeline_is_hatched(c))
		canvas_put(canvas, x, y, TIMELINE_HATCH, ROLE_DEFAULT,
			   timeline_state_role(CLASS_USER, level), 0);
	else if (left != right && left == ROLE_DEFAULT)
		canvas_glyph(canvas, x, y, GLYPH_HALF_RIGHT, right);
	else if (left != right)
		canvas_put(canvas, x, y, theme_glyph(GLYPH_HALF_LEFT, canvas->ascii), left, right,
			   0);
	else if (c->left == STATE_FILTERED)
		canvas_glyph(canvas, x, y, GLYPH_DOT, ROLE_MUTED);
	else if (c->cut && left != ROLE_DEFAULT)
		/* In the ink of names, so that a row of cuts and names is one pair of colours. */
		canvas_put(canvas, x, y, canvas->ascii ? ASCII_CUT : EDGE, ROLE_DEFAULT, left, 0);
	else
		canvas_put(canvas, x, y, ' ', ROLE_DEFAULT, left, 0);
}

/* The same without colours. */
static uint32_t mono_glyph(const struct timeline_cell *c, bool ascii)
{
	const bool user = c->whole == CLASS_USER;

	if (timeline_is_hatched(c))
		return TIMELINE_HATCH;
	if (c->whole == STATE_FILTERED)
		return ascii ? ASCII_FILTERED : theme_glyph(GLYPH_DOT, false);
	if (c->left != c->right && !ascii && c->left == CLASS_USER)
		return theme_glyph(GLYPH_HALF_LEFT, false);
	if (c->left != c->right && !ascii && c->right == CLASS_USER)
		return theme_glyph(GLYPH_HALF_RIGHT, false);
	if (c->cut && (user || ascii))
		return ascii ? ASCII_CUT : BLOCK_WITH_GAP;
	return timeline_state_glyph(c->whole, ascii);
}

static void put_flat(struct canvas *canvas, int x, int y, const struct timeline_cell *c,
		     unsigned level)
{
	if (canvas->mono)
		canvas_put(canvas, x, y, mono_glyph(c, canvas->ascii),
			   timeline_state_role(c->whole, level), ROLE_DEFAULT, 0);
	else
		put_coloured(canvas, x, y, c, level);
}

void timeline_put_cells(struct canvas *canvas, struct rect r, const struct timeline_cell *cells,
			const struct timeline_mix *mixes, int width, unsigned level)
{
	for (int x = 0; x < width && x < r.w; x++) {
		const struct timeline_cell *c = &cells[x];
		const struct rect column = { r.x + x, r.y, 1, r.h };

		if (c->mix != NO_MIX && !timeline_is_hatched(c) &&
		    !timeline_is_edge(cells, width, x)) {
			timeline_stack_put(canvas, column, &mixes[c->mix], level);
			continue;
		}
		for (int y = 0; y < r.h; y++)
			put_flat(canvas, r.x + x, r.y + y, c, level);
	}
}

static void draw_lane(const struct timeline_view *v, size_t lane, struct rect body,
		      struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_lane *l = &p->lanes.data[lane];
	const int lines = l->y + l->lines <= body.h ? l->lines : body.h - l->y;
	const struct rect r = { body.x, body.y + l->y, body.w, lines };

	if (l->of_group && l->sums == SUMS_NONE)
		canvas_fill(canvas, r, theme_glyph(GLYPH_DOT, canvas->ascii), ROLE_FRAME,
			    ROLE_DEFAULT);
	else
		timeline_put_cells(canvas, r, p->cells + lane * (size_t)p->options.width,
				   p->mixes.data, p->options.width, l->level);
}

void timeline_bars_draw(const struct timeline_view *v, struct rect body, struct canvas *canvas)
{
	for (size_t i = 0; i < v->picture->lanes.n; i++)
		draw_lane(v, i, body, canvas);
}

/* ---- names ---- */

/* In the ink of each cell's own colour. */
static void draw_name(const struct timeline_view *v, const struct timeline_label *label,
		      struct rect body, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_lane *lane = &p->lanes.data[label->lane];
	const struct timeline_cell *cells =
		p->cells + (size_t)label->lane * (size_t)p->options.width;
	const int y = body.y + lane->y + (lane->lines - 1) / 2;
	char name[256];

	if (cells[label->x].whole == STATE_FILTERED)
		return;
	timeline_name(v->query->trace, label->region, name, sizeof name);
	name[label->end] = '\0';
	canvas_text(canvas, body.x + label->x, y, label->width, name + label->skip, ROLE_DEFAULT,
		    ROLE_DEFAULT, 0);
	for (int x = label->x; !canvas->mono && x < label->x + label->width; x++)
		canvas_paint(canvas, (struct rect){ body.x + x, y, 1, 1 }, ROLE_KEEP,
			     timeline_state_role(cells[x].whole, lane->level), 0);
}

void timeline_names_draw(const struct timeline_view *v, struct rect body, struct canvas *canvas)
{
	for (size_t i = 0; i < v->picture->labels.n; i++)
		draw_name(v, &v->picture->labels.data[i], body, canvas);
}
