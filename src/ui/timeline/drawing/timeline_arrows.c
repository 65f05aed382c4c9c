#include "ui/timeline/drawing/timeline_arrows.h"

/* ---- which ---- */

/* Beside the message under the cursor: all, or those of the cursor's row up to a length. */
struct choice {
	bool all;
	uint64_t longest; /* of the row's, in cells; 0 none */
};

static bool of_row(const struct timeline_arrow *a, const struct timeline_focus *focus)
{
	return a->from == focus->row || a->to == focus->row;
}

static int64_t held(int64_t x, int64_t limit)
{
	return x < 0 ? 0 : x > limit ? limit : x;
}

/* Cells that a stroke takes: its way along the rows inside the window, and one in every line. */
static uint64_t length_of(const struct timeline_picture *p, const struct timeline_arrow *a)
{
	const int64_t limit = 2 * (int64_t)p->scale.n;
	const int64_t along = (held(a->x1, limit) - held(a->x0, limit)) / 2;
	const int64_t rows = a->to > a->from ? a->to - a->from : a->from - a->to;

	return (uint64_t)((along < 0 ? -along : along) + rows * (p->gap ? p->gap : 1));
}

enum { LENGTHS = 1024 };

/* The length up to which the row's strokes fit into `room` cells; the shortest come first, as they
 * show most. */
static uint64_t longest_of_row(const struct timeline_picture *p, const struct timeline_focus *focus,
			       uint64_t room)
{
	uint32_t count[LENGTHS] = { 0 };
	uint64_t used = 0;

	for (size_t i = 0; i < p->arrows.n; i++) {
		const uint64_t length = length_of(p, &p->arrows.data[i]);

		if (of_row(&p->arrows.data[i], focus) && length < LENGTHS)
			count[length]++;
	}
	for (uint64_t length = 0; length < LENGTHS; length++) {
		used += count[length] * length;
		if (used > room)
			return length ? length - 1 : 0;
	}
	return LENGTHS - 1;
}

/* As many as leave the picture legible: strokes take half of the cells between the rows at most;
 * over bars, a thirtieth of them. */
static struct choice choose(const struct timeline_picture *p, const struct timeline_focus *focus)
{
	const uint64_t columns = (uint64_t)p->scale.n;
	const uint64_t room = p->gap ? columns * (uint64_t)p->gap * (p->visible - 1) / 2
				     : columns * p->visible / 30;
	uint64_t sum = 0;

	if (!p->exact || p->arrows.n < p->messages)
		return (struct choice){ false, 0 };
	for (size_t i = 0; i < p->arrows.n; i++)
		sum += length_of(p, &p->arrows.data[i]);
	return (struct choice){ sum <= room, longest_of_row(p, focus, room / 2) };
}

static bool drawn(const struct timeline_picture *p, const struct timeline_arrow *a,
		  const struct choice *choice, const struct timeline_focus *focus)
{
	return choice->all || a->id == focus->message ||
	       (of_row(a, focus) && length_of(p, a) <= choice->longest);
}

uint64_t timeline_arrows_count(const struct timeline_picture *p, const struct timeline_focus *focus)
{
	const struct choice choice = choose(p, focus);
	uint64_t n = 0;

	for (size_t i = 0; i < p->arrows.n; i++)
		n += drawn(p, &p->arrows.data[i], &choice, focus);
	return n;
}

/* ---- strokes between rows ---- */

struct stroke_brush {
	const struct timeline_picture *p;
	struct canvas *canvas;
	struct rect body;
};

/* Only between rows: strokes pass under the bars. */
static void put(const struct stroke_brush *b, int64_t x, int y, uint32_t ch, enum role role)
{
	if (x >= 0 && x < b->p->options.width && y >= 0 && y < b->p->options.height &&
	    timeline_between_rows(b->p, y))
		canvas_put(b->canvas, b->body.x + (int)x, b->body.y + y, ch, role, ROLE_KEEP, 0);
}

/* Pieces of a stroke that comes in at the top of a line in one column and goes out at its bottom in
 * another one. Shallow ones are drawn at three heights of the cell, which looks straight. */
struct pieces {
	uint32_t straight, down_right, down_left; /* same column, next one */
	uint32_t high, middle, low;
};

static const struct pieces *pieces_for(bool dotted, bool ascii)
{
	static const struct pieces lines = { 0x2502, 0x2572, 0x2571, 0x203e, 0x2500, '_' };
	static const struct pieces dots = { 0x2506, 0xb7, 0xb7, 0xb7, 0xb7, 0xb7 };
	static const struct pieces ascii_lines = { '|', '\\', '/', '"', '-', '_' };
	static const struct pieces ascii_dots = { ':', '.', '.', '.', '.', '.' };

	if (ascii)
		return dotted ? &ascii_dots : &ascii_lines;
	return dotted ? &dots : &lines;
}

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

/* x of a stroke at height y, in between its ends; in 64 bits: half columns are held to 2^30. */
static int64_t stroke_x(int64_t x0, int64_t y0, int64_t x1, int64_t y1, int64_t y)
{
	return y1 == y0 ? x0 : x0 + (x1 - x0) * (y - y0) / (y1 - y0);
}

/* A stroke from the edge of one row to the edge of another, through all lines between rows that it
 * meets; straight but for the columns. */
static void stroke(const struct stroke_brush *b, const struct timeline_arrow *a, enum role role,
		   bool dotted)
{
	const bool down = a->to > a->from;
	const struct pieces *pieces = pieces_for(dotted, b->canvas->ascii);
	const struct timeline_picture *p = b->p;
	const int top =
		timeline_row_y(p, (uint32_t)(down ? a->from : a->to)) + timeline_row_lines(p);
	const int bottom = timeline_row_y(p, (uint32_t)(down ? a->to : a->from));
	const int64_t xt = down ? a->x0 : a->x1, xb = down ? a->x1 : a->x0;

	for (int y = top; y < bottom && y < b->p->options.height; y++)
		stroke_line(b, pieces, stroke_x(xt, top, xb, bottom, y) >> 1,
			    stroke_x(xt, top, xb, bottom, y + 1) >> 1, y, role);
}

static void head(const struct stroke_brush *b, const struct timeline_arrow *a, enum role role)
{
	const bool down = a->to > a->from;
	const int top = timeline_row_y(b->p, (uint32_t)a->to);

	put(b, a->x1 >> 1, down ? top - 1 : top + timeline_row_lines(b->p),
	    theme_glyph(down ? GLYPH_SORT_DOWN : GLYPH_SORT_UP, b->canvas->ascii), role);
}

/* ---- strokes over rows that touch ---- */

static void over_bars(const struct stroke_brush *b, const struct timeline_arrow *a, enum role role)
{
	const bool down = a->to > a->from;
	const int32_t step = down ? 1 : -1;

	for (int32_t r = a->from;; r += step) {
		const int64_t x = stroke_x(a->x0, a->from, a->x1, a->to, r);
		enum glyph glyph = a->x0 / 2 == a->x1 / 2    ? GLYPH_LINE_V
				   : down == (a->x1 > a->x0) ? GLYPH_STROKE_DOWN
							     : GLYPH_STROKE_UP;

		if (r == a->to)
			glyph = down ? GLYPH_ARROW_DOWN : GLYPH_ARROW_UP;
		if (x >= 0 && x < 2 * b->p->scale.n)
			canvas_put(b->canvas, b->body.x + (int)(x / 2),
				   b->body.y + timeline_row_y(b->p, (uint32_t)r),
				   theme_glyph(glyph, b->canvas->ascii), role, ROLE_KEEP,
				   ATTR_BOLD);
		if (r == a->to)
			break;
	}
}

/* ---- all ---- */

static void draw_ties(const struct stroke_brush *b, const struct timeline_focus *focus,
		      bool focused)
{
	for (size_t i = 0; i < b->p->ties.n; i++) {
		const struct timeline_arrow *a = &b->p->ties.data[i];

		if ((a->id == focus->collective) == focused)
			stroke(b, a, focused ? ROLE_MESSAGE_SELECTED : ROLE_COLLECTIVE_LINE, true);
	}
}

/* One to itself has nothing to cross. */
static bool drawn_now(const struct timeline_picture *p, const struct timeline_arrow *a,
		      const struct choice *choice, const struct timeline_focus *focus, bool focused)
{
	return (a->id == focus->message) == focused && a->from != a->to &&
	       drawn(p, a, choice, focus);
}

static void draw_messages(const struct stroke_brush *b, const struct timeline_focus *focus,
			  bool focused)
{
	const enum role role = focused ? ROLE_MESSAGE_SELECTED : ROLE_MESSAGE;
	const struct choice choice = choose(b->p, focus);

	for (size_t i = 0; i < b->p->arrows.n; i++) {
		const struct timeline_arrow *a = &b->p->arrows.data[i];

		if (!drawn_now(b->p, a, &choice, focus, focused))
			continue;
		if (b->p->gap)
			stroke(b, a, role, false);
		else
			over_bars(b, a, focused ? role : ROLE_DEFAULT);
	}
	/* Heads over all strokes: without them a stroke has no direction. */
	for (size_t i = 0; b->p->gap && i < b->p->arrows.n; i++)
		if (drawn_now(b->p, &b->p->arrows.data[i], &choice, focus, focused))
			head(b, &b->p->arrows.data[i], role);
}

void timeline_arrows_draw(const struct timeline_picture *p, struct canvas *canvas, struct rect body,
			  const struct timeline_focus *focus)
{
	const struct stroke_brush b = { p, canvas, body };

	draw_ties(&b, focus, false);
	draw_messages(&b, focus, false);
	draw_ties(&b, focus, true);
	draw_messages(&b, focus, true);
}
