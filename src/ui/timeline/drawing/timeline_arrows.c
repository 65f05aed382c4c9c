#include "ui/timeline/drawing/timeline_arrows.h"

#include "ui/canvas/dots.h"
#include "ui/timeline/picture/timeline_thin.h"

struct stroke_brush {
	const struct timeline_picture *p;
	struct canvas *canvas;
	struct rect body;
	struct dots *dots; /* of the body; NULL in ASCII */
};

static bool is_inside(const struct stroke_brush *b, int64_t x, int y)
{
	return x >= 0 && x < b->p->options.width && y >= 0 && y < b->p->options.height;
}

/* ---- strokes of characters ---- */

static void put(const struct stroke_brush *b, int64_t x, int y, uint32_t ch, enum role role)
{
	if (is_inside(b, x, y))
		canvas_put(b->canvas, b->body.x + (int)x, b->body.y + y, ch, role, ROLE_KEEP, 0);
}

/* Pieces of a stroke that comes in at the top of a line in one column and goes out at its bottom in
 * another one. Shallow ones are drawn at three heights of the cell, which looks straight. */
struct pieces {
	uint32_t straight, down_right, down_left; /* same column, next one */
	uint32_t high, middle, low;
};

static void stroke_line(const struct stroke_brush *b, const struct pieces *pieces, int64_t in,
			int64_t out, int y, enum role role)
{
	const bool right = out > in;
	const int64_t from = right ? in : out, to = right ? out : in;
	const int64_t length = to - from;

	if (length < 2) {
		put(b, from, y,
		    length == 0 ? pieces->straight
		    : right     ? pieces->down_right
				: pieces->down_left,
		    role);
		return;
	}
	/* The last column belongs to the next line. */
	for (int64_t x = from < 0 ? 0 : from; x < to && x < b->p->options.width; x++) {
		const int64_t third = 3 * (x - from) / length;
		const int64_t height = right ? third : 2 - third;

		put(b, x, y,
		    height == 0   ? pieces->high
		    : height == 1 ? pieces->middle
				  : pieces->low,
		    role);
	}
}

static void stroke_of_characters(const struct stroke_brush *b, struct stroke_walk w, enum role role,
				 bool dotted)
{
	static const struct pieces lines = { '|', '\\', '/', '"', '-', '_' };
	static const struct pieces dots = { ':', '.', '.', '.', '.', '.' };

	while (timeline_stroke_next(&w))
		stroke_line(b, dotted ? &dots : &lines, w.in >> 1, w.out >> 1, w.y, role);
}

/* ---- strokes ---- */

static void stroke(const struct stroke_brush *b, struct stroke_walk w, enum role role, bool dotted)
{
	if (b->dots)
		dots_line(b->dots, w.xt, 4 * (int64_t)w.top, w.xb, 4 * (int64_t)w.bottom - 1, role);
	else
		stroke_of_characters(b, w, role, dotted);
}

static struct stroke_walk arrow_walk(const struct stroke_brush *b, const struct timeline_arrow *a)
{
	return timeline_stroke(b->p, a->from, a->to, a->x0, a->x1);
}

/* Over bars it is on the receiver's. */
static void head(const struct stroke_brush *b, const struct timeline_arrow *a, enum role role)
{
	const bool down = a->to > a->from;
	const int top = timeline_row_y(b->p, (uint32_t)a->to);
	const int y = !b->p->gap ? top : down ? top - 1 : top + timeline_row_lines(b->p);

	put(b, a->x1 >> 1, y, theme_glyph(down ? GLYPH_TIP_DOWN : GLYPH_TIP_UP, b->canvas->ascii),
	    role);
}

/* ---- collectives ---- */

static struct stroke_walk edge(const struct stroke_brush *b, const struct timeline_part *part,
			       bool end)
{
	return timeline_stroke(b->p, part[0].row, part[1].row, end ? part[0].x1 : part[0].x0,
			       end ? part[1].x1 : part[1].x0);
}

/* What is between its edges, from a part to the next, where that is wider than the edges. */
static void tint(const struct stroke_brush *b, const struct timeline_part *part)
{
	struct stroke_walk left = edge(b, part, false), right = edge(b, part, true);

	while (timeline_stroke_next(&left) && timeline_stroke_next(&right)) {
		const int64_t x0 = (left.in + left.out) / 2, x1 = (right.in + right.out) / 2;
		const int64_t first = x0 < 0 ? 0 : x0 >> 1;
		const int64_t last = x1 >> 1 < b->p->scale.n ? x1 >> 1 : b->p->scale.n - 1;

		if (x1 - x0 > 3 && first <= last)
			canvas_paint(b->canvas,
				     (struct rect){ b->body.x + (int)first, b->body.y + left.y,
						    (int)(last - first) + 1, 1 },
				     ROLE_KEEP, ROLE_COLLECTIVE_LINE, 0);
	}
}

/* From a part to the next one of the list, if it is of the same collective. */
static void draw_parts(const struct stroke_brush *b, const struct timeline_part *parts, size_t n,
		       enum role role)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (parts[i].collective != parts[i + 1].collective)
			continue;
		if (!b->canvas->mono)
			tint(b, &parts[i]);
		stroke(b, edge(b, &parts[i], false), role, true);
		stroke(b, edge(b, &parts[i], true), role, true);
	}
}

/* The one under the cursor: the chain's, or what the picture has of it. */
static void draw_chosen_parts(const struct stroke_brush *b, const struct timeline_focus *focus)
{
	if (focus->chain)
		draw_parts(b, focus->chain->parts.data, focus->chain->parts.n,
			   ROLE_MESSAGE_SELECTED);
	for (size_t i = 0; !focus->chain && i + 1 < b->p->parts.n; i++)
		if (b->p->parts.data[i].collective == focus->collective)
			draw_parts(b, &b->p->parts.data[i], 2, ROLE_MESSAGE_SELECTED);
}

/* ---- messages ---- */

static void draw_messages(const struct stroke_brush *b, const struct timeline_arrow *arrows,
			  size_t n, enum role role, bool heads)
{
	for (size_t i = 0; i < n; i++) {
		if (heads)
			head(b, &arrows[i], role);
		else
			stroke(b, arrow_walk(b, &arrows[i]), role, false);
	}
}

/* Of the cursor: those of the chain, or the one that the picture has. */
static void draw_chosen(const struct stroke_brush *b, const struct timeline_focus *focus,
			bool heads)
{
	for (size_t i = 0; i < b->p->arrows.n; i++)
		if (b->p->arrows.data[i].id == focus->message)
			draw_messages(b, &b->p->arrows.data[i], 1, ROLE_MESSAGE_SELECTED, heads);
	if (focus->chain)
		draw_messages(b, focus->chain->messages, focus->chain->n, ROLE_MESSAGE_SELECTED,
			      heads);
}

/* ---- all ---- */

/* Dots go between rows; where these touch, over bars, but not over names. */
static void close_lines(const struct stroke_brush *b)
{
	for (int y = 0; b->p->gap && y < b->dots->h; y++)
		if (!timeline_between_rows(b->p, y))
			dots_close(b->dots, y);
}

static void spare_names(const struct stroke_brush *b)
{
	enum { FIRST_DRAWN = 0x2500 }; /* box drawing, blocks */

	for (int i = 0; !b->p->gap && i < b->dots->w * b->dots->h; i++) {
		const int x = b->body.x + i % b->dots->w, y = b->body.y + i / b->dots->w;
		const struct cell *cell = &b->canvas->cells[y * b->canvas->w + x];

		if (cell->ch != ' ' && cell->ch < FIRST_DRAWN)
			b->dots->cells[i].bits = 0;
	}
}

void timeline_arrows_draw(const struct timeline_picture *p, struct canvas *canvas, struct rect body,
			  const struct timeline_focus *focus)
{
	struct dots dots;
	const struct stroke_brush b = { p, canvas, body, canvas->ascii ? NULL : &dots };

	dots_init(&dots, p->options.width, p->options.height);
	if (b.dots)
		close_lines(&b);
	draw_parts(&b, p->parts.data, p->parts.n, ROLE_COLLECTIVE_LINE);
	draw_messages(&b, p->arrows.data, p->arrows.n, ROLE_MESSAGE, false);
	draw_chosen_parts(&b, focus);
	draw_chosen(&b, focus, false);
	if (b.dots) {
		spare_names(&b);
		dots_draw(&dots, canvas, body.x, body.y);
	}
	/* Heads over all strokes: without them a stroke has no direction. */
	draw_messages(&b, p->arrows.data, p->arrows.n, ROLE_MESSAGE, true);
	draw_chosen(&b, focus, true);
	dots_fini(&dots);
}
