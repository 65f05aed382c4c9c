/* Marks the matches of the session's sequence on the lines below the rows. */
#include "base/order.h"
#include "ui/timeline/panel/timeline_state.h"
#include "views/facts/match_search.h"

struct brush {
	const struct timeline_panel *t;
	struct canvas *canvas;
	int y; /* of the canvas */
};

/* Nothing is drawn over arrows and marks that are there. */
static void put(const struct brush *b, int64_t column, uint32_t ch)
{
	const int x = b->t->layout.body.x + (int)column;
	const struct canvas *c = b->canvas;

	if (column >= 0 && x < c->w && b->y < c->h && c->cells[b->y * c->w + x].ch == ' ')
		canvas_put(b->canvas, x, b->y, ch, ROLE_VALUE, ROLE_KEEP, 0);
}

static void draw_span(const struct brush *b, int64_t from, int64_t to)
{
	static const uint32_t lines[2][4] = { { '-', '\'', '-', '\'' },
					      { 0x2575, 0x2570, 0x2500, 0x256f } };
	const uint32_t *line = lines[!b->canvas->ascii];
	const int64_t last = b->t->picture.scale.n - 1;

	if (from == to) {
		put(b, from, line[0]);
		return;
	}
	for (int64_t x = from < 0 ? 0 : from; x <= to && x <= last; x++)
		put(b, x, x == from ? line[1] : x == to ? line[3] : line[2]);
}

/* One after the other; of those that begin in one column the last one alone. */
static void draw_row(const struct brush *b, uint32_t location)
{
	const struct time_scale *scale = &b->t->picture.scale;
	uint32_t n, i = 0, high;
	const struct sequence_match *all =
		match_search_at(session_found(b->t->panel.session), location, &n);

	high = n;
	BISECT(i, high, k, all[k].begin < scale->t0);
	for (i -= i > 0; i < n;) {
		const struct sequence_match *m = &all[i];
		const int64_t from = time_scale_column(scale, m->begin);
		const int64_t to = time_scale_column(scale, m->end - (m->end > m->begin));
		if (from >= scale->n)
			return;
		if (to >= 0)
			draw_span(b, from, to);
		high = n;
		i++;
		BISECT(i, high, k, time_scale_column(scale, all[k].begin) <= from);
	}
}

void timeline_matches_draw(const struct timeline_panel *t, struct canvas *canvas)
{
	const struct timeline_picture *p = &t->picture;
	const struct rect body = t->layout.body;

	if (!t->panel.session->sequence.sequence || t->panel.session->comparison.on || p->gap < 1)
		return;
	for (uint32_t i = 0; i < p->visible; i++) {
		const int y = timeline_row_y(p, i) + timeline_row_lines(p);
		const struct timeline_row *row = timeline_shown(p, i);
		if (y < body.h && row->kind == ROW_LOCATION)
			draw_row(&(struct brush){ t, canvas, body.y + y }, row->location);
	}
}
