#include "ui/timeline/drawing/timeline_pixels.h"

#include "model/trace/copy.h"
#include "ui/timeline/picture/timeline_hits.h"
#include "ui/timeline/picture/timeline_thin.h"

struct pixel_brush {
	const struct timeline_view *v;
	const struct timeline_picture *fine;
	struct pixels *out;
	int cell_w, cell_h;
};

/* ---- lines ---- */

/* They pass under the bars, which are drawn after them; x in half columns of pixels. */
static void stroke(const struct pixel_brush *b, int32_t from, int32_t to, int64_t x0, int64_t x1,
		   enum role role)
{
	const struct stroke_walk w = timeline_stroke(b->fine, from, to, x0, x1);

	pixels_line(b->out, w.xt >> 1, w.top * b->cell_h, w.xb >> 1, w.bottom * b->cell_h - 1,
		    role);
}

/* A triangle as wide as half a cell. */
static void head(const struct pixel_brush *b, const struct timeline_arrow *a, enum role role)
{
	const bool down = a->to > a->from;
	const int edge = b->cell_h * (timeline_row_y(b->fine, (uint32_t)a->to) +
				      (down ? 0 : timeline_row_lines(b->fine)));

	for (int i = 0; i < b->cell_w / 2; i++)
		pixels_fill(b->out,
			    (struct rect){ (int)(a->x1 >> 1) - i / 2,
					   down ? edge - 1 - i : edge + i, 1 + 2 * (i / 2), 1 },
			    role);
}

static void arrow_span(const struct query *query, uint32_t id, int64_t *begin, int64_t *end)
{
	const struct trace *trace = query->trace;

	if (id >= ARROW_COPY) {
		copy_span(trace, query->base, trace_copy(trace, id - ARROW_COPY), begin, end);
		return;
	}
	*begin = trace_event_time(trace, query->base, trace_message(trace, id)->send);
	*end = trace_event_time(trace, query->base, trace_message(trace, id)->recv);
}

/* Where the message is in the fine picture; rows are the same. */
static void draw_message(const struct pixel_brush *b, const struct timeline_arrow *coarse,
			 enum role role)
{
	struct timeline_arrow a = *coarse;
	int64_t begin, end;

	arrow_span(b->v->query, coarse->id, &begin, &end);
	a.x0 = timeline_half_column(b->fine, begin);
	a.x1 = timeline_half_column(b->fine, end);
	if (a.x1 < -(1 << 28) || a.x1 > 1 << 28)
		return;
	stroke(b, a.from, a.to, a.x0, a.x1, role);
	head(b, &a, role);
}

static void tint(const struct pixel_brush *b, const struct timeline_part *part)
{
	struct stroke_walk left =
		timeline_stroke(b->fine, part[0].row, part[1].row, part[0].x0, part[1].x0);
	struct stroke_walk right =
		timeline_stroke(b->fine, part[0].row, part[1].row, part[0].x1, part[1].x1);
	const int64_t rows = (int64_t)(left.bottom - left.top) * b->cell_h;

	for (int64_t y = 0; y < rows; y++) {
		const int64_t x0 = (left.xt + (left.xb - left.xt) * y / rows) >> 1;
		const int64_t x1 = (right.xt + (right.xb - right.xt) * y / rows) >> 1;
		const int from = x0 < 0 ? 0 : x0 < b->out->w ? (int)x0 : b->out->w;
		const int to = x1 < 0 ? 0 : x1 < b->out->w ? (int)x1 : b->out->w;

		pixels_fill(b->out,
			    (struct rect){ from, left.top * b->cell_h + (int)y, to - from, 1 },
			    ROLE_COLLECTIVE_LINE);
	}
}

static void draw_collective(const struct pixel_brush *b, uint32_t id, enum role role)
{
	struct timeline_chain found = { .n = 0 };

	timeline_parts_of(b->fine, b->v->query, id, &found);
	for (size_t i = 0; i + 1 < found.parts.n; i++) {
		const struct timeline_part *part = &found.parts.data[i];

		tint(b, part);
		stroke(b, part[0].row, part[1].row, part[0].x0, part[1].x0, role);
		stroke(b, part[0].row, part[1].row, part[0].x1, part[1].x1, role);
	}
	timeline_chain_fini(&found);
}

static void draw_lines(const struct pixel_brush *b)
{
	const struct timeline_picture *p = b->v->picture;
	const struct timeline_chain *chain = b->v->focus->chain;

	for (size_t i = 0; i < p->parts.n; i++)
		if (i == 0 || p->parts.data[i].collective != p->parts.data[i - 1].collective)
			draw_collective(b, p->parts.data[i].collective,
					ROLE_CLASS_FIRST + CLASS_COLLECTIVE);
	for (size_t i = 0; i < p->arrows.n; i++)
		draw_message(b, &p->arrows.data[i], ROLE_MESSAGE);
	if (b->v->focus->collective != NO_HIT)
		draw_collective(b, b->v->focus->collective, ROLE_MESSAGE_SELECTED);
	for (unsigned i = 0; chain && i < chain->n; i++)
		draw_message(b, &chain->messages[i], ROLE_MESSAGE_SELECTED);
}

/* ---- states ---- */

static void fill(const struct pixel_brush *b, struct rect r, unsigned state, unsigned level)
{
	const enum role role =
		state == STATE_FILTERED ? ROLE_MUTED : timeline_state_role(state, level);

	/* What was not recorded hides the lines that pass under it, as in cells. */
	pixels_fill(b->out, r, role == ROLE_DEFAULT ? PIXEL_CLEAR : role);
}

/* The shares of a column from below, in the order of the states; the last pixel of one is the first
 * after the one before. */
static void fill_shares(const struct pixel_brush *b, struct rect r, const struct timeline_mix *mix,
			unsigned level)
{
	uint64_t below = 0;
	int from = 0;

	fill(b, r, CLASS_OUTSIDE, level);
	for (unsigned s = 0; s < STATE_COUNT; s++) {
		int to;

		if (s == CLASS_OUTSIDE || !mix->of[s] || !mix->all)
			continue;
		below += mix->of[s];
		to = (int)((double)below / (double)mix->all * r.h + 0.5);
		fill(b, (struct rect){ r.x, r.y + r.h - to, 1, to - from }, s, level);
		from = to;
	}
}

static void draw_lane(const struct pixel_brush *b, size_t nth)
{
	const struct timeline_picture *p = b->fine;
	const struct timeline_lane *lane = &p->lanes.data[nth];
	const struct timeline_cell *cells = p->cells + nth * (size_t)p->options.width;

	for (int x = 0; x < p->options.width; x++) {
		const struct rect r = { x, lane->y * b->cell_h, 1, lane->lines * b->cell_h };

		if (cells[x].mix != NO_MIX)
			fill_shares(b, r, &p->mixes.data[cells[x].mix], lane->level);
		else
			fill(b, r, cells[x].whole, lane->level);
	}
}

void timeline_pixels_draw(const struct timeline_view *v, const struct timeline_picture *fine,
			  struct pixels *pixels, int cell_w, int cell_h)
{
	const struct pixel_brush b = { v, fine, pixels, cell_w, cell_h };

	draw_lines(&b);
	for (size_t i = 0; i < fine->lanes.n; i++)
		draw_lane(&b, i);
}
