#include "ui/timeline/picture/timeline_thin.h"

#include <string.h>

#include "base/keymap.h"
#include "base/mem.h"

/* ---- the way of a stroke ---- */

struct stroke_walk timeline_stroke(const struct timeline_picture *p, int32_t from, int32_t to,
				   int64_t x0, int64_t x1)
{
	const bool down = to > from;
	const uint32_t upper = (uint32_t)(down ? from : to), lower = (uint32_t)(down ? to : from);
	struct stroke_walk w = { .p = p, .xt = down ? x0 : x1, .xb = down ? x1 : x0 };

	w.top = timeline_row_y(p, upper) + (p->gap ? timeline_row_lines(p) : 0);
	w.bottom = timeline_row_y(p, lower) + (p->gap ? 0 : timeline_row_lines(p));
	w.next = w.top;
	return w;
}

/* x at the upper edge of a line; half columns are held to 2^30. */
static int64_t stroke_x(const struct stroke_walk *w, int y)
{
	return w->xt + (w->xb - w->xt) * (y - w->top) / (w->bottom - w->top);
}

bool timeline_stroke_next(struct stroke_walk *w)
{
	const struct timeline_picture *p = w->p;

	w->y = w->next++;
	if (w->y >= w->bottom || w->y >= p->options.height)
		return false;
	/* Past the bars of the next row. */
	if (p->gap && ++w->nth == p->gap) {
		w->next += timeline_row_lines(p);
		w->nth = 0;
	}
	w->in = stroke_x(w, w->y);
	w->out = stroke_x(w, w->y + 1);
	return true;
}

/* ---- which ---- */

enum {
	PIECE = 8, /* columns of a line that are looked at together */
	FEW = 8,   /* cells of strokes in a piece that do not hide each other; over bars all do */
	BESIDE = 2 /* free columns to the next one, in a crowd */
};

struct thinning {
	const struct timeline_picture *p;
	int width, height, pieces;
	uint32_t *ink; /* [height][pieces] cells of all strokes */
	bool *taken;   /* [height][width] */
	int64_t room;  /* cells that may be drawn over, where rows touch */
};

/* Columns that it takes of a line, as far as they can be seen; false: none. */
static bool columns_of(const struct thinning *t, const struct stroke_walk *w, int *first, int *last)
{
	const int64_t a = (w->in < w->out ? w->in : w->out) >> 1;
	const int64_t b = (w->in < w->out ? w->out : w->in) >> 1;

	*first = a < 0 ? 0 : a < t->width ? (int)a : t->width;
	*last = b < 0 ? -1 : b < t->width ? (int)b : t->width - 1;
	return *first <= *last;
}

static void count_ink(struct thinning *t, struct stroke_walk w)
{
	int first, last;

	while (timeline_stroke_next(&w)) {
		uint32_t *line = t->ink + w.y * t->pieces;

		if (!columns_of(t, &w, &first, &last))
			continue;
		for (int i = first / PIECE; i <= last / PIECE; i++) {
			const int from = i * PIECE > first ? i * PIECE : first;
			const int to = (i + 1) * PIECE <= last ? (i + 1) * PIECE - 1 : last;

			line[i] += (uint32_t)(to - from + 1);
		}
	}
}

/* Cells of a stroke, and how many of them are beside another one in a crowd. */
struct crowding {
	int64_t cells, beside;
};

static void look_at(const struct thinning *t, struct stroke_walk w, struct crowding *c)
{
	const uint32_t few = t->p->gap ? FEW : 0;
	int first, last;

	while (timeline_stroke_next(&w))
		for (int x = columns_of(t, &w, &first, &last) ? first : t->width;
		     x < t->width && x <= last; x++) {
			c->cells++;
			c->beside += t->taken[w.y * t->width + x] &&
				     t->ink[w.y * t->pieces + x / PIECE] > few;
		}
}

static void take(struct thinning *t, struct stroke_walk w)
{
	int first, last;

	while (timeline_stroke_next(&w)) {
		if (!columns_of(t, &w, &first, &last))
			continue;
		first = first < BESIDE ? 0 : first - BESIDE;
		last = last + BESIDE < t->width ? last + BESIDE : t->width - 1;
		for (int x = first; x <= last; x++)
			t->taken[w.y * t->width + x] = true;
	}
}

/* A third of a stroke may be beside others: it crosses them. */
static bool has_room(struct thinning *t, const struct crowding *c)
{
	if (3 * c->beside > c->cells || (!t->p->gap && c->cells > t->room))
		return false;
	t->room -= c->cells;
	return true;
}

static struct stroke_walk arrow_walk(const struct thinning *t, const struct timeline_arrow *a)
{
	return timeline_stroke(t->p, a->from, a->to, a->x0, a->x1);
}

static bool choose_arrow(struct thinning *t, const struct timeline_arrow *a)
{
	struct crowding c = { 0, 0 };

	look_at(t, arrow_walk(t, a), &c);
	if (!has_room(t, &c))
		return false;
	take(t, arrow_walk(t, a));
	return true;
}

/* The two edges of a collective from one of its parts to the next. */
static struct stroke_walk edge_walk(const struct thinning *t, const struct timeline_part *a,
				    bool end)
{
	return timeline_stroke(t->p, a[0].row, a[1].row, end ? a[0].x1 : a[0].x0,
			       end ? a[1].x1 : a[1].x0);
}

static bool choose_parts(struct thinning *t, const struct timeline_part *parts, size_t n)
{
	struct crowding c = { 0, 0 };

	for (size_t i = 0; i + 1 < n; i++) {
		look_at(t, edge_walk(t, &parts[i], false), &c);
		look_at(t, edge_walk(t, &parts[i], true), &c);
	}
	if (!has_room(t, &c))
		return false;
	for (size_t i = 0; i + 1 < n; i++) {
		take(t, edge_walk(t, &parts[i], false));
		take(t, edge_walk(t, &parts[i], true));
	}
	return true;
}

static size_t parts_of_one(const struct timeline_picture *p, size_t first)
{
	size_t n = 1;

	while (first + n < p->parts.n &&
	       p->parts.data[first + n].collective == p->parts.data[first].collective)
		n++;
	return n;
}

static void thin_parts(struct timeline_picture *p, struct thinning *t)
{
	size_t kept = 0;

	for (size_t i = 0, n; i < p->parts.n; i += n) {
		const struct timeline_part *parts = &p->parts.data[i];

		n = parts_of_one(p, i);
		for (size_t k = 0; k + 1 < n; k++)
			count_ink(t, edge_walk(t, &parts[k], false));
	}
	for (size_t i = 0, n; i < p->parts.n; i += n) {
		struct timeline_part *parts = &p->parts.data[i];

		n = parts_of_one(p, i);
		if (n < 2)
			continue;
		p->collectives++;
		if (!choose_parts(t, parts, n))
			continue;
		p->collectives_drawn++;
		for (size_t k = 0; k < n; k++)
			p->parts.data[kept++] = parts[k];
	}
	p->parts.n = kept;
}

/* Messages of the same line, whichever way they go, are drawn or not together. */
static void thin_arrows(struct timeline_picture *p, struct thinning *t)
{
	OWNED uint32_t *line = xcalloc(p->arrows.n + 1, sizeof *line);
	OWNED bool *drawn = xcalloc(p->arrows.n + 1, sizeof *drawn);
	struct keymap lines = { 0 };
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < p->arrows.n; i++) {
		const struct stroke_walk w = arrow_walk(t, &p->arrows.data[i]);
		const struct key key =
			KEY_OF((uint32_t)w.top, (uint32_t)w.bottom, (uint32_t)w.xt, (uint32_t)w.xb);

		if (!keymap_new(&lines, key, n, &line[i]))
			continue;
		n++;
		count_ink(t, w);
	}
	keymap_fini(&lines);
	n = 0;
	for (size_t i = 0; i < p->arrows.n; i++) {
		if (line[i] == n)
			drawn[n++] = choose_arrow(t, &p->arrows.data[i]);
		if (drawn[line[i]])
			p->arrows.data[kept++] = p->arrows.data[i];
	}
	p->arrows.n = kept;
}

void timeline_thin(struct timeline_picture *p)
{
	const int width = p->scale.n, height = p->options.height > 0 ? p->options.height : 0;
	struct thinning t = { .p = p,
			      .width = width,
			      .height = height,
			      .pieces = (width + PIECE - 1) / PIECE,
			      .room = (int64_t)width * p->visible / 30 };

	t.ink = xcalloc((size_t)(height * t.pieces) + 1, sizeof *t.ink);
	t.taken = xcalloc((size_t)(height * width) + 1, sizeof *t.taken);
	thin_parts(p, &t);
	/* Messages may be beside collectives: among many of these there would be none. */
	memset(t.taken, false, (size_t)height * (size_t)width);
	thin_arrows(p, &t);
	free_all(t.ink, t.taken);
}
