/* Two traces one above the other: the one that is open, and below it the one that it is compared
 * with. A column is the same time after a point that both have (facts/aligned_times.h), a row the
 * same rank; one window moves both. The point is chosen again when the window changes, not when
 * the cursor moves in it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/timeline/panel/timeline_state.h"
#include "views/query/second_trace.h"

enum { CAPTION = 1, LEAST_LINES = 8 };

static const struct other_trace *other_of(const struct timeline_panel *t)
{
	return &t->panel.session->other->all[0];
}

bool timeline_beside_wanted(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;

	return s->other && !s->other_hidden && !s->comparison.on && t->layout.body.h >= LEAST_LINES;
}

void timeline_beside_split(struct timeline_panel *t)
{
	struct timeline_layout *above = &t->layout, *below = &t->beside.layout;
	const int h = above->body.h, half = (h + 1) / 2;

	*below = *above;
	above->body.y += CAPTION;
	above->labels.y += CAPTION;
	above->body.h = above->labels.h = half - CAPTION;
	below->body.y += half + CAPTION;
	below->labels.y += half + CAPTION;
	below->body.h = below->labels.h = h - half - CAPTION;
	below->strip.h = below->ruler.h = below->details.h = 0;
}

/* ---- the same rows ---- */

/* The locations of the visible rows; of a group all members. */
static void choose_locations(struct timeline_panel *t)
{
	struct timeline_beside *b = &t->beside;
	const struct trace *trace = t->panel.session->trace, *other = other_of(t)->trace;

	b->locations.n = 0;
	b->grouped = false;
	for (uint32_t i = 0; i < t->picture.visible; i++) {
		const struct timeline_row *row = timeline_shown(&t->picture, i);
		uint32_t same;
		b->grouped |= row->kind == ROW_GROUP;
		if (row->kind != ROW_LOCATION)
			continue;
		same = aligned_location(other, trace_location(trace, row->location));
		if (same != UINT32_MAX)
			vec_push(&b->locations, same);
	}
}

static struct query query_of(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct other_trace *other = other_of(t);
	struct query query = session_query(s);
	struct span_of_other window;

	query.t0 = s->window.t0;
	query.t1 = s->window.t1;
	window = other_window_at(other, &query, &t->beside.aligned.at);
	return (struct query){
		.trace = other->trace,
		.base = other->base,
		.t0 = window.t0,
		.t1 = window.t1,
		.locations = t->beside.grouped ? NULL : t->beside.locations.data,
		.n_locations = (uint32_t)t->beside.locations.n,
		.arrangement = t->beside.grouped ? &t->beside.arrangement : NULL,
		.analyses = other->analyses,
		.metric = CUBE_NONE,
		.callpath = UINT32_MAX,
		.progress = s->progress,
	};
}

/* At what is common to both at the cursor, or before it. */
static void align(struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct query query = session_query(s);

	t->beside.aligned =
		aligned_times_find(&query, other_of(t), (enum times_alignment)s->alignment,
				   s->cursor.location, s->cursor.time, s->level, &t->beside.memory);
}

bool timeline_beside_make(struct timeline_panel *t, struct err *err)
{
	struct timeline_beside *b = &t->beside;
	const struct arrangement *a = &t->panel.session->arrangement;

	b->shown = false;
	if (!b->shades)
		b->shades = timeline_shades_new();
	align(t);
	choose_locations(t);
	b->arrangement = (struct arrangement){ .key = a->key, .range = a->range, .fit = a->fit };
	const struct query query = query_of(t);
	if (!b->grouped && !query.n_locations)
		return true;
	if (!timeline_rows_make(&b->rows, &query, b->shades, err))
		return false;
	struct timeline_options options = timeline_options_of(t, &b->layout, &b->rows);
	options.first = b->grouped ? t->first : 0;
	if (!timeline_picture_make(&b->picture, &query, b->shades, &options, err))
		return false;
	b->shown = true;
	return true;
}

void timeline_beside_fini(struct timeline_beside *b)
{
	timeline_shades_free(b->shades);
	timeline_picture_fini(&b->picture);
	timeline_rows_fini(&b->rows);
	vec_fini(&b->locations);
	aligned_memory_fini(&b->memory);
}

void timeline_beside_align(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	struct phrases p = { .trace = s->trace };
	enum times_alignment wanted;

	if (!s->other || s->other_hidden) {
		session_notice(s, false, "only one trace is shown; start as: tview OLD TRACE");
		return;
	}
	wanted = (enum times_alignment)((s->alignment + 1) % ALIGNMENTS);
	s->alignment = (uint8_t)wanted;
	s->generation++;
	align(t);
	if (t->beside.aligned.by == wanted)
		session_notice(s, false, "%s", aligned_times_text(&p, &t->beside.aligned));
	else
		session_notice(s, false, "no common %s at the cursor's rank: %s",
			       times_alignment_name(wanted),
			       aligned_times_text(&p, &t->beside.aligned));
	phrases_fini(&p);
}

/* ---- drawing ---- */

/* "old.trc   344 ms, 33 ms longer", and a remark. */
static void draw_caption(const struct trace *trace, enum time_base base,
			 const struct timeline_layout *l, int64_t longer, const char *remark,
			 struct canvas *canvas)
{
	const int x = l->labels.x, w = l->body.x + l->body.w - x;
	OWNED_STR text = STR_INIT;
	int64_t begin, end;

	trace_span(trace, base, &begin, &end);
	trace_add_name(trace, &text);
	str_add(&text, "   ");
	units_human_time(&text, end - begin, trace_scale(trace), 4);
	if (longer) {
		str_add(&text, ", ");
		units_human_time(&text, longer < 0 ? -longer : longer, trace_scale(trace), 3);
		str_add(&text, longer < 0 ? " shorter" : " longer");
	}
	canvas_write(canvas, x, l->body.y - CAPTION, w, text.text, ROLE_HEADER);
	if (text_width(text.text) + 3 < w)
		canvas_text_right(canvas, x + text_width(text.text) + 2, l->body.y - CAPTION,
				  w - text_width(text.text) - 2, remark, ROLE_MUTED, ROLE_DEFAULT);
}

/* How much longer the open trace is than the other one, in ticks of its own. */
static int64_t longer_than_other(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct other_trace *other = other_of(t);
	const double scale = (double)trace_scale(s->trace)->per_second /
			     (double)trace_scale(other->trace)->per_second;
	int64_t begin[ALIGN_SIDES], end[ALIGN_SIDES];

	trace_span(other->trace, other->base, &begin[ALIGN_OLD], &end[ALIGN_OLD]);
	trace_span(s->trace, s->base, &begin[ALIGN_NEW], &end[ALIGN_NEW]);
	return (int64_t)((double)(end[ALIGN_NEW] - begin[ALIGN_NEW]) -
			 (double)(end[ALIGN_OLD] - begin[ALIGN_OLD]) * scale);
}

/* The window is before or after all of the other trace. */
static bool is_outside(const struct timeline_panel *t, const struct query *query)
{
	int64_t begin, end;

	trace_span(other_of(t)->trace, other_of(t)->base, &begin, &end);
	return query->t1 <= begin || query->t0 > end;
}

void timeline_beside_draw(const struct timeline_panel *t, struct canvas *canvas)
{
	const struct timeline_beside *b = &t->beside;
	const struct session *s = t->panel.session;
	struct query query = query_of(t), cursor = session_query(s);
	const struct timeline_focus focus = { -1, NO_HIT, NO_HIT, NULL };
	const struct timeline_view view = {
		.query = &query,
		.picture = &b->picture,
		.focus = &focus,
		.cursor = true,
		.cursor_time = (cursor.t0 = s->cursor.time,
				other_window_at(other_of(t), &cursor, &b->aligned.at).t0),
	};
	struct phrases p = { .trace = s->trace };

	draw_caption(s->trace, s->base, &t->layout, longer_than_other(t), "", canvas);
	if (b->shown)
		timeline_draw(&view, &b->layout, canvas);
	else
		canvas_write(canvas, b->layout.body.x, b->layout.body.y, b->layout.body.w,
			     "none of these ranks in the other trace", ROLE_MUTED);
	const bool outside = is_outside(t, &query);
	draw_caption(other_of(t)->trace, other_of(t)->base, &b->layout, 0,
		     outside || b->aligned.by == ALIGNED_BY_TIME
			     ? phrase(&p, "%s; %s aligns elsewhere",
				      outside ? "nothing of it in this window"
					      : "aligned at the first event",
				      session_key(s, ACTION_ALIGN).text)
			     : aligned_times_text(&p, &b->aligned),
		     canvas);
	phrases_fini(&p);
}
