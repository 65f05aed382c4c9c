/* What a time base did to the times: drawn below the bars, and as text. */
#include "ui/timeline/drawing/timeline_draw.h"
#include "ui/timeline/picture/timeline_item.h"
#include "views/facts/difference.h"

/* ---- drawing ---- */

void timeline_difference_put(struct canvas *canvas, int x, int y, unsigned step, bool in)
{
	enum role role = (enum role)((unsigned)ROLE_MOVE_FIRST + step - 1);
	uint32_t ch;

	if (step == 0)
		return;
	if (in)
		ch = canvas->ascii ? 'w' : theme_glyph(GLYPH_LIGHT_SHADE, false);
	else
		ch = canvas->ascii ? '0' + step
				   : theme_glyph((enum glyph)(GLYPH_BAR_1 + step - 1), false);
	canvas_put(canvas, x, y, ch, in ? ROLE_WAIT : role, ROLE_DEFAULT, 0);
}

/* Ticks of the window that column x shows. */
static int64_t width_of(const struct timeline_picture *p, int x)
{
	const struct span w = time_scale_window(&p->scale, x);

	return w.t1 - w.t0;
}

/* Of two as far away the later one. */
static int64_t largest(const struct timeline_move *move)
{
	return move->high >= -move->low ? move->high : move->low;
}

static double share_of(const struct timeline_picture *p, const struct timeline_move *row, int x)
{
	return difference_share((double)row[x].taken_out,
				(double)row[x].n * (double)width_of(p, x));
}

static void draw_row(const struct timeline_picture *p, const struct timeline_move *row, int x0,
		     int y, const struct timescale *units, struct canvas *canvas)
{
	for (int x = 0; x < p->options.width; x++) {
		const double share = p->shares ? share_of(p, row, x) : 0;

		if (row[x].n)
			timeline_difference_put(canvas, x0 + x, y,
						p->shares ? difference_share_step(share)
							  : difference_move_step(largest(&row[x]),
										 units),
						share < 0);
	}
}

/* All columns of a row together, their width summed over locations. */
static struct timeline_move whole_of(const struct timeline_picture *p,
				     const struct timeline_move *row, double *width)
{
	struct timeline_move all = { .n = 0 };

	*width = 0;
	for (int x = 0; x < p->options.width; x++) {
		const struct timeline_move *m = &row[x];

		if (!m->n)
			continue;
		all.low = all.n == 0 || m->low < all.low ? m->low : all.low;
		all.high = all.n == 0 || m->high > all.high ? m->high : all.high;
		all.taken_out += m->taken_out;
		all.n = m->n;
		*width += (double)m->n * (double)width_of(p, x);
	}
	return all;
}

static void add_text(const struct timeline_picture *p, const struct timeline_move *move,
		     double width, const struct timescale *units, struct str *out)
{
	if (p->shares)
		str_add_fmt(out, "%+.1f %%",
			    -100 * difference_share((double)move->taken_out, width));
	else if (largest(move) == 0)
		str_add(out, "unchanged");
	else
		difference_move_text(out, largest(move), units, 3);
}

void timeline_difference_draw(const struct timeline_picture *p, const struct timescale *units,
			      const struct timeline_layout *l, struct canvas *canvas)
{
	OWNED_STR text = STR_INIT;

	for (uint32_t i = 0; p->moves && i < p->visible; i++) {
		const struct timeline_move *row = p->moves + (size_t)i * (size_t)p->options.width;
		double width;
		const struct timeline_move all = whole_of(p, row, &width);
		const int y = timeline_row_y(p, i) + p->bar;

		if (y >= l->body.h)
			break;
		draw_row(p, row, l->body.x, l->body.y + y, units, canvas);
		str_clear(&text);
		if (all.n)
			add_text(p, &all, width, units, &text);
		canvas_text_right(canvas, l->labels.x, l->labels.y + y, l->labels.w, text.text,
				  ROLE_MUTED, ROLE_DEFAULT);
	}
}

/* ---- words ---- */

void timeline_difference_text(const struct timeline_picture *p, const struct query *query,
			      uint32_t row, int64_t time, struct str *out)
{
	const int32_t nth = timeline_nth_of(p, row);
	const int64_t column = time_scale_column(&p->scale, time);
	const struct timeline_move *moves;
	const int x = (int)column;

	if (!p->moves || nth < 0 || column < 0 || column >= p->scale.n)
		return;
	moves = p->moves + (size_t)nth * (size_t)p->options.width;
	if (!moves[x].n)
		return;
	str_add(out, p->shares ? "time here " : "moved up to ");
	add_text(p, &moves[x], (double)moves[x].n * (double)width_of(p, x),
		 trace_scale(query->trace), out);
	str_add_fmt(out, " (%s -> %s)", time_base_name(query->against),
		    time_base_name(query->base));
}

static int64_t moved(const struct query *query, uint32_t event)
{
	return trace_event_time(query->trace, query->base, event) -
	       trace_event_time(query->trace, query->against, event);
}

/* What was taken out of a visit, or before an event. */
static void share_text(const struct query *query, uint32_t enter, uint32_t leave, struct str *out)
{
	const struct timescale *units = trace_scale(query->trace);
	const int64_t out_of = moved(query, enter) - moved(query, leave);
	const int64_t all = trace_event_time(query->trace, query->against, leave) -
			    trace_event_time(query->trace, query->against, enter);

	if (enter == leave) {
		units_human_time(out, -moved(query, enter), units, 4);
		str_add(out, " removed before it");
		return;
	}
	units_human_time(out, out_of < 0 ? -out_of : out_of, units, 4);
	str_add(out, out_of < 0 ? " longer than " : " removed from ");
	units_human_time(out, all, units, 4);
	if (all > 0 && out_of > 0)
		str_add_fmt(out, ", %.1f %%", 100 * (double)out_of / (double)all);
}

static void move_text(const struct query *query, uint32_t enter, uint32_t leave, struct str *out)
{
	const struct timescale *units = trace_scale(query->trace);
	const int64_t begin = moved(query, enter), end = moved(query, leave);

	if (begin == 0 && end == 0) {
		str_add(out, "not moved");
		return;
	}
	str_add(out, "moved ");
	difference_move_text(out, begin, units, 4);
	if (begin != end) {
		str_add(out, ", its end ");
		difference_move_text(out, end, units, 4);
	}
}

void timeline_item_difference(const struct timeline_item *item, const struct query *query,
			      struct str *out)
{
	uint32_t enter = item->event, leave = item->event;

	if (enter == EVENT_NONE) {
		enter = item->enter != EVENT_NONE ? item->enter : item->leave;
		leave = item->leave != EVENT_NONE ? item->leave : item->enter;
	}
	if (!item->known || !query->difference || enter == EVENT_NONE)
		return;
	if (difference_is_share(query->base))
		share_text(query, enter, leave, out);
	else
		move_text(query, enter, leave, out);
	str_add_fmt(out, " (%s -> %s)", time_base_name(query->against),
		    time_base_name(query->base));
}
