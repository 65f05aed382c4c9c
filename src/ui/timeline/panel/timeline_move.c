/* Moving the cursor over the picture, zooming, selecting. */
#include "ui/timeline/panel/timeline_state.h"

static void move_to(struct session *s, uint32_t location, int64_t time)
{
	session_set_cursor(s, location, time, EVENT_NONE);
}

/* By cells; beyond the picture the window moves along. */
void timeline_move_columns(struct timeline_panel *t, int64_t by)
{
	struct session *s = t->panel.session;
	const struct time_scale *scale = &t->picture.scale;
	const int64_t column = time_scale_column(scale, s->cursor.time) + by;
	const int64_t cell = (scale->t1 - scale->t0) / scale->n;
	int64_t time;

	if (column >= 0 && column < scale->n) {
		time = time_scale_tick(scale, (int)column);
	} else {
		session_pan(s, by * (cell > 0 ? cell : 1));
		time = by < 0 ? s->window.t0 : s->window.t1 - 1;
	}
	/* Several columns may be in one tick: a move is one tick at least. */
	if (time == s->cursor.time && by)
		time += by < 0 ? -1 : 1;
	move_to(s, s->cursor.location, time);
}

void timeline_move_to_row(struct timeline_panel *t, uint32_t row)
{
	struct session *s = t->panel.session;
	const struct timeline_row *to = &t->rows.list.data[row];

	move_to(s, to->location, s->cursor.time);
	s->cursor.group = to->kind == ROW_GROUP || to->of_group;
	s->cursor.metric = to->metric;
}

void timeline_move_rows(struct timeline_panel *t, int64_t by)
{
	int64_t row = (int64_t)t->row + by;

	if (row < 0)
		row = 0;
	if (row >= (int64_t)t->rows.list.n)
		row = (int64_t)t->rows.list.n - 1;
	timeline_move_to_row(t, (uint32_t)row);
}

/* ---- zooming ---- */

void timeline_zoom(struct session *s, int direction)
{
	const struct span *before = changes_last_window(&s->changes);
	const struct span w =
		direction > 0 ? zoom_in(s->window, s->cursor.time)
			      : zoom_out(s->window, s->cursor.time, session_zoom_limit(s), before);

	session_zoom(s, w.t0, w.t1);
}

/* A span with a tenth of it on both sides. */
static void zoom_span(struct session *s, int64_t t0, int64_t t1)
{
	const int64_t margin = (t1 - t0) / 10 + 1;

	session_zoom(s, t0 > INT64_MIN + margin ? t0 - margin : t0,
		     t1 < INT64_MAX - margin ? t1 + margin : t1);
}

/* The cursor is on an end of a message, not only inside a visit that has one. */
static bool on_message(const struct session *s)
{
	enum event_kind kind;

	if (s->cursor.event == EVENT_NONE)
		return false;
	kind = what_kind(trace_event_what(s->trace, s->cursor.event));
	return kind >= EV_SEND && kind <= EV_RECV;
}

bool timeline_zoom_item(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const struct span before = s->window;
	int64_t t0 = t->item.t0, t1 = t->item.t1;

	if (s->selection.t0 < s->selection.t1) {
		session_zoom(s, s->selection.t0, s->selection.t1);
		s->selection = (struct span){ 0, 0 };
		s->selecting = false;
		return true;
	}
	if (!t->item.known || t1 <= t0)
		return false;
	if (t->item.message != NO_ROW && on_message(s))
		message_span(s->trace, s->base, trace_message(s->trace, t->item.message), &t0, &t1);
	zoom_span(s, t0, t1);
	return before.t0 != s->window.t0 || before.t1 != s->window.t1;
}

/* In whole columns: then the picture moves as it is, and is not cut into other cells. */
void timeline_pan(struct timeline_panel *t, int64_t quarters)
{
	struct session *s = t->panel.session;
	const struct time_scale scale = { s->window.t0, s->window.t1, t->picture.scale.n };
	int64_t quarter = (scale.t1 - scale.t0) / 4;

	if (scale.n >= 4)
		quarter = time_scale_edge(&scale, scale.n / 4) - scale.t0;
	session_pan(s, quarters * (quarter > 0 ? quarter : 1));
}

/* ---- selecting ---- */

/* The event of the cursor's location nearest to it, where it is in the cursor's cell or the next
 * one: ends of a selection snap to events. */
static int64_t snapped(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct time_scale *scale = &t->picture.scale;
	const int64_t near = (scale->t1 - scale->t0) / scale->n;
	int64_t best = s->cursor.time, distance = near + 1;
	struct cursor c;

	if (s->cursor.event != EVENT_NONE || s->cursor.location >= trace_location_count(s->trace))
		return best;
	if (cursor_seek(&c, s->trace, s->base, s->cursor.location, s->cursor.time)) {
		if (cursor_time(&c) - s->cursor.time < distance) {
			best = cursor_time(&c);
			distance = best - s->cursor.time;
		}
		if (!cursor_prev(&c))
			return best;
	} else if (!cursor_last(&c, s->trace, s->base, s->cursor.location)) {
		return best;
	}
	return s->cursor.time - cursor_time(&c) < distance ? cursor_time(&c) : best;
}

void timeline_select_to_cursor(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const int64_t here = snapped(t);

	s->selection = t->anchor < here ? (struct span){ t->anchor, here }
					: (struct span){ here, t->anchor };
}

void timeline_select_toggle(struct timeline_panel *t)
{
	struct session *s = t->panel.session;

	if (s->selecting) {
		timeline_select_to_cursor(t);
		s->selecting = false;
	} else {
		t->anchor = snapped(t);
		s->selection = (struct span){ t->anchor, t->anchor };
		s->selecting = true;
	}
}

bool timeline_select_cancel(struct timeline_panel *t)
{
	struct session *s = t->panel.session;

	if (!s->selecting && s->selection.t0 == s->selection.t1)
		return false;
	s->selecting = false;
	s->selection = (struct span){ 0, 0 };
	return true;
}
