/* Labels of rows. */
#include "base/text.h"
#include "ui/timeline/drawing/timeline_parts_draw.h"
#include "views/facts/place_words.h"

static bool several_nodes(const struct trace *trace)
{
	const uint32_t n = trace_location_count(trace);

	for (uint32_t l = 1; l < n; l++)
		if (trace_location(trace, l)->node != trace_location(trace, 0)->node)
			return true;
	return false;
}

uint32_t timeline_row_text(const struct timeline_rows *rows, const struct timeline_row *row,
			   bool node, struct str *out)
{
	uint32_t n;

	if (row->under)
		str_add(out, "  ");
	if (row->kind == ROW_COUNTER) {
		str_add(out, row->of_group ? metric_is_rate(trace_metric(rows->trace, row->metric))
						     ? "  sum of "
						     : "  mean of "
					   : "  ");
		timeline_counter_name(rows->trace, row->metric, out);
		return 0;
	}
	if (row->kind == ROW_LOCATION) {
		words_location(rows->trace, row->location, node, out);
		return 0;
	}
	str_add(out, "  "); /* room for the triangle */
	grouping_name(&rows->grouping, rows->trace, row->group, out);
	timeline_row_members(rows, row, &n);
	return n;
}

int timeline_label_width(const struct query *query, const struct timeline_rows *rows, int limit)
{
	const bool node = several_nodes(query->trace);
	const uint32_t n = (uint32_t)rows->list.n;
	OWNED_STR text = STR_INIT;
	/* Below a row is how far it moved: "+12.3 us". */
	int widest = query->difference ? 9 : 4;

	for (uint32_t i = 0; i < n && i < 2048 && widest < limit; i++) {
		/* Labels of ranks grow with the number: of many, the last ones tell. */
		const uint32_t at = n > 2048 && i >= 1024 ? n - (i - 1023) : i;
		uint32_t members;
		int width;

		str_clear(&text);
		members = timeline_row_text(rows, &rows->list.data[at], node, &text);
		width = text_width(text.text);
		if (members) {
			str_clear(&text);
			units_count(&text, members);
			width += 3 + text_width(text.text); /* " ~x" */
		}
		if (width > widest)
			widest = width;
	}
	return widest < limit ? widest : limit;
}

/* The scale of a counter is below its name, or after it where it fits. */
static int draw_scale(const struct timeline_view *v, const struct timeline_layout *l, uint32_t nth,
		      int y, int name, enum role bg, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_counter *c = timeline_counter_of(p, nth);
	const int room = p->bar > 1 ? l->labels.w : l->labels.w - name - 1;
	OWNED_STR text = STR_INIT;
	int width = 0;

	if (!c)
		return 0;
	timeline_counter_scale_text(c, v->query->trace, &text);
	if (text_width(text.text) <= room)
		width = text_width(text.text) + 1;
	if (width)
		canvas_text_right(canvas, l->labels.x, y + (p->bar > 1), l->labels.w, text.text,
				  bg == ROLE_CURSOR && p->bar == 1 ? ROLE_CURSOR : ROLE_MUTED,
				  p->bar > 1 ? ROLE_DEFAULT : bg);
	return p->bar > 1 ? 0 : width;
}

static void draw_row_label(const struct timeline_view *v, const struct timeline_layout *l,
			   uint32_t nth, bool node, struct canvas *canvas)
{
	const struct timeline_picture *p = v->picture;
	const struct timeline_row *row = timeline_shown(p, nth);
	const bool here = v->cursor && (int32_t)nth == v->focus->row;
	const bool pinned = p->shown.data[nth] < p->rows->pinned;
	const enum role bg = here ? ROLE_CURSOR : ROLE_DEFAULT;
	const int y =
		l->labels.y + timeline_row_y(p, nth) + (p->options.depth ? 0 : (p->bar - 1) / 2);
	OWNED_STR text = STR_INIT;
	uint32_t members;
	int taken = 0;

	if (y >= l->labels.y + l->labels.h)
		return;
	if (here)
		canvas_fill(canvas, (struct rect){ l->labels.x - 1, y, l->labels.w + 2, 1 }, ' ',
			    ROLE_CURSOR, ROLE_CURSOR);
	members = timeline_row_text(p->rows, row, node, &text);
	if (members) {
		OWNED_STR count = STR_INIT;

		/* Not the exact sums yet: see timeline_sums.h. */
		if (timeline_sums_of(p, nth) != SUMS_EXACT)
			str_add_char(&count, '~');
		str_add(&count, canvas->ascii ? "x" : "\u00d7");
		units_count(&count, members);
		taken = text_width(count.text) + 1;
		canvas_text_right(canvas, l->labels.x, y, l->labels.w, count.text,
				  here ? ROLE_CURSOR : ROLE_MUTED, bg);
	}
	if (row->kind == ROW_COUNTER)
		taken = draw_scale(v, l, nth, y, text_width(text.text), bg, canvas);
	canvas_text(canvas, l->labels.x, y, l->labels.w - taken, text.text,
		    here     ? ROLE_CURSOR
		    : pinned ? ROLE_VALUE
			     : ROLE_LABEL,
		    bg, 0);
	if (row->kind == ROW_GROUP)
		canvas_put(canvas, l->labels.x, y,
			   theme_glyph(row->open ? GLYPH_TREE_OPEN : GLYPH_TREE_CLOSED,
				       canvas->ascii),
			   here ? ROLE_CURSOR : ROLE_MUTED, bg, 0);
}

void timeline_labels_draw(const struct timeline_view *v, const struct timeline_layout *l,
			  struct canvas *canvas)
{
	const bool node = several_nodes(v->query->trace);

	for (uint32_t i = 0; i < v->picture->visible; i++)
		draw_row_label(v, l, i, node, canvas);
}
