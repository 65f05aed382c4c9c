/* The timeline as a panel: what the actions do to the session, and what is kept between frames. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/panel.h"
#include "ui/timeline_draw.h"
#include "ui/timeline_follow.h"
#include "ui/timeline_item.h"

enum { DETAIL_LINES = 2 };

struct timeline_panel {
	struct panel panel;
	struct timeline_shades *shades;
	struct timeline_picture picture;
	struct timeline_strip strip;
	struct timeline_layout layout;
	struct timeline_item item;
	struct timeline_focus focus;
	struct timeline_search search;
	unsigned depth;
	uint32_t *rows; /* locations of all rows: the session's, as far as the filter takes them */
	uint32_t n_rows;
	uint32_t first; /* row */
	int64_t anchor; /* of the selection that is being made */
	/* What picture and strip were made of. */
	uint64_t generation;
	enum time_base strip_base;
	uint32_t strip_rows;
	char *strip_filter;
	struct rect area;
	bool made, ascii;
	bool looked;       /* the first look was taken */
	char trouble[256]; /* why there is no picture */
};

static struct timeline_panel *self(struct panel *panel)
{
	return (struct timeline_panel *)panel;
}

static bool timeline_open(struct panel *panel, struct session *session, struct err *err)
{
	struct timeline_panel *t = self(panel);

	(void)session;
	(void)err;
	t->shades = timeline_shades_new();
	t->focus = (struct timeline_focus){ -1, NO_HIT, NO_HIT };
	return true;
}

static void timeline_close(struct panel *panel)
{
	struct timeline_panel *t = self(panel);

	timeline_shades_free(t->shades);
	timeline_picture_fini(&t->picture);
	timeline_strip_fini(&t->strip);
	timeline_search_fini(&t->search);
	free(t->rows);
	free(t->strip_filter);
}

/* ---- what is shown ---- */

static uint32_t row_of_cursor(const struct timeline_panel *t)
{
	for (uint32_t row = 0; row < t->n_rows; row++)
		if (t->rows[row] == t->panel.session->cursor_location)
			return row;
	return 0;
}

static struct timeline_options options_of(const struct timeline_panel *t)
{
	return (struct timeline_options){ .width = t->layout.body.w,
					  .height = t->layout.body.h,
					  .depth = t->depth,
					  .first = t->first,
					  .ascii = t->ascii };
}

/* Rows, and a cursor that stands on one of them. */
static void find_rows(struct timeline_panel *t, const struct query *query)
{
	struct session *s = t->panel.session;

	free(t->rows);
	t->rows = timeline_rows(query, &t->n_rows);
	if (t->n_rows && t->rows[row_of_cursor(t)] != s->cursor_location) {
		s->cursor_location = t->rows[0];
		s->cursor_event = EVENT_NONE;
	}
}

static void find_item(struct timeline_panel *t, const struct query *query)
{
	const struct session *s = t->panel.session;
	const struct time_scale *scale = &t->picture.scale;

	timeline_item_find(&t->item, query, s->cursor_location, scale,
			   time_scale_column(scale, s->cursor_time), s->cursor_event, t->depth);
	t->focus = (struct timeline_focus){ -1, t->item.message, NO_HIT };
	if (t->item.member != NO_ROW)
		t->focus.collective = trace_member_collective(query->trace, t->item.member);
	for (size_t i = 0; i < t->picture.lanes.n; i++)
		if (t->picture.lanes.data[i].location == s->cursor_location)
			t->focus.row = (int32_t)(t->picture.lanes.data[i].row - t->picture.first);
}

/* The strip shows the run: a zoom does not change it. */
static bool make_strip(struct timeline_panel *t, const struct query *query, struct err *err)
{
	const char *filter = query->filter ? filter_text(query->filter) : "";

	if (t->layout.strip.h == 0 ||
	    (t->strip.width == t->layout.strip.w && t->strip_base == query->base &&
	     t->strip_rows == t->n_rows && t->strip_filter && strcmp(t->strip_filter, filter) == 0))
		return true;
	free(t->strip_filter);
	t->strip_filter = xstrdup(filter);
	t->strip_base = query->base;
	t->strip_rows = t->n_rows;
	return timeline_strip_make(&t->strip, query, t->shades, t->layout.strip.w, err);
}

static bool is_stale(const struct timeline_panel *t, struct rect area)
{
	return !t->made || t->generation != t->panel.session->generation ||
	       memcmp(&area, &t->area, sizeof area) != 0 || t->picture.first != t->first ||
	       t->picture.options.depth != t->depth || t->picture.options.ascii != t->ascii;
}

/* Brings everything up to what the session and the area are now. */
static void make(struct timeline_panel *t, struct rect area)
{
	const struct query query = session_query(t->panel.session);
	struct timeline_options options;
	struct err err = ERR_INIT;

	find_rows(t, &query);
	t->layout = timeline_layout(&query, area, DETAIL_LINES);
	options = options_of(t);
	t->first = timeline_scroll(t->first, row_of_cursor(t), t->n_rows, &options);
	options.first = t->first;
	t->made = (!is_stale(t, area) ||
		   timeline_picture_make(&t->picture, &query, t->shades, &options, &err)) &&
		  make_strip(t, &query, &err);
	t->generation = t->panel.session->generation;
	t->area = area;
	str_clean(t->trouble, sizeof t->trouble, err.text, strlen(err.text));
	if (t->made && t->n_rows)
		find_item(t, &query);
}

/* ---- the first look ---- */

/* Events of a location that are looked at for the ends of setting up and the begin of the end. */
enum { STARTUP_EVENTS = 4096, STARTUP_LOCATIONS = 256 };

static bool is_named(const struct trace *trace, uint32_t what, enum event_kind kind,
		     const char *prefix)
{
	return what_kind(what) == kind &&
	       strncmp(trace_region_name(trace, trace_callpath_region(trace, what_id(what))),
		       prefix, strlen(prefix)) == 0;
}

/* The part of the run between MPI_Init and MPI_Finalize of all locations, as far as they have them.
 */
static struct span core_of(const struct session *s)
{
	const uint32_t n = trace_location_count(s->trace);
	struct span core = s->run;

	for (uint32_t l = 0; l < n && l < STARTUP_LOCATIONS; l++) {
		struct cursor c;
		bool ok = cursor_first(&c, s->trace, s->base, l);

		for (int i = 0; ok && i < STARTUP_EVENTS; i++, ok = cursor_next(&c))
			if (is_named(s->trace, cursor_what(&c), EV_LEAVE, "MPI_Init") &&
			    cursor_time(&c) > core.t0)
				core.t0 = cursor_time(&c);
		ok = cursor_last(&c, s->trace, s->base, l);
		for (int i = 0; ok && i < STARTUP_EVENTS; i++, ok = cursor_prev(&c))
			if (is_named(s->trace, cursor_what(&c), EV_ENTER, "MPI_Finalize") &&
			    cursor_time(&c) < core.t1)
				core.t1 = cursor_time(&c);
	}
	return core.t0 < core.t1 ? core : s->run;
}

/* A cursor that nobody has moved yet goes to the middle of what the program did, where zooming in
 * leads to something. */
static void look_first(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const double run = (double)s->run.t1 - (double)s->run.t0;
	struct span core;

	if (t->looked)
		return;
	t->looked = true;
	if (s->cursor_event != EVENT_NONE || s->cursor_time != s->run.t0 ||
	    s->window.t0 != s->run.t0 || s->window.t1 != s->run.t1)
		return;
	core = core_of(s);
	s->cursor_time = core.t0 + (core.t1 - core.t0) / 2;
	if ((double)core.t1 - (double)core.t0 < run / 2 && !s->notice[0])
		session_notice(s, false,
			       "MPI_Init and MPI_Finalize take %.0f %% of the run: w zooms in "
			       "between them",
			       100 * (1 - ((double)core.t1 - (double)core.t0) / run));
}

static void timeline_requery(struct panel *panel)
{
	struct timeline_panel *t = self(panel);

	t->ascii = panel->session->ascii;
	look_first(t);
	if (panel->area.w > 0 && panel->area.h > 0)
		make(t, panel->area);
}

/* ---- drawing ---- */

static void draw_details(const struct timeline_panel *t, const struct query *query,
			 struct canvas *canvas)
{
	const struct rect r = t->layout.details;
	struct str what = STR_INIT, where = STR_INIT;

	timeline_item_text(&t->item, query, &what, &where);
	if (r.h > 0)
		canvas_text(canvas, r.x, r.y, r.w, what.text, ROLE_VALUE, ROLE_DEFAULT, 0);
	if (r.h > 1)
		canvas_text(canvas, r.x, r.y + 1, r.w, where.text, ROLE_MUTED, ROLE_DEFAULT, 0);
	str_fini(&what);
	str_fini(&where);
}

static void draw_made(const struct timeline_panel *t, struct canvas *canvas)
{
	const struct session *s = t->panel.session;
	const struct query query = session_query(s);
	struct timeline_view view = { .query = &query,
				      .picture = &t->picture,
				      .strip = &t->strip,
				      .focus = &t->focus,
				      .cursor = true,
				      .cursor_time = s->cursor_time,
				      .select = { s->selection.t0, s->selection.t1 } };

	timeline_draw(&view, &t->layout, canvas);
	draw_details(t, &query, canvas);
}

/* Another size than was asked for last: a picture for this frame only. */
static void draw_once(const struct timeline_panel *t, struct canvas *canvas, struct rect area)
{
	struct timeline_panel once = *t;

	once.picture = (struct timeline_picture){ 0 };
	once.strip = (struct timeline_strip){ 0 };
	once.rows = NULL;
	once.strip_filter = NULL;
	once.made = false;
	once.ascii = canvas->ascii;
	make(&once, area);
	if (once.made)
		draw_made(&once, canvas);
	else
		canvas_text(canvas, area.x + 1, area.y, area.w - 1, once.trouble, ROLE_ERROR,
			    ROLE_DEFAULT, 0);
	timeline_picture_fini(&once.picture);
	timeline_strip_fini(&once.strip);
	free(once.rows);
	free(once.strip_filter);
}

static void timeline_draw_panel(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct session *s = panel->session;

	if (s->rows.n == 0)
		canvas_text(canvas, area.x + 1, area.y, area.w - 1,
			    "This trace has no location that could be shown.", ROLE_MUTED,
			    ROLE_DEFAULT, 0);
	else if (t->made && t->n_rows == 0)
		canvas_text(canvas, area.x + 1, area.y, area.w - 1,
			    "The filter takes no location (f changes it).", ROLE_MUTED,
			    ROLE_DEFAULT, 0);
	else if (t->made && memcmp(&area, &t->area, sizeof area) == 0 &&
		 t->generation == s->generation && t->ascii == canvas->ascii)
		draw_made(t, canvas);
	else
		draw_once(t, canvas, area);
}

/* ---- moving ---- */

static void move_to(struct session *s, uint32_t location, int64_t time)
{
	session_set_cursor(s, location, time, EVENT_NONE);
}

/* By cells; beyond the picture the window moves along. */
static void move_columns(struct timeline_panel *t, int64_t by)
{
	struct session *s = t->panel.session;
	const struct time_scale *scale = &t->picture.scale;
	const int64_t column = time_scale_column(scale, s->cursor_time) + by;
	const int64_t cell = (scale->t1 - scale->t0) / scale->n;
	int64_t time;

	if (column >= 0 && column < scale->n) {
		time = time_scale_tick(scale, (int)column);
	} else {
		session_pan(s, by * (cell > 0 ? cell : 1));
		time = by < 0 ? s->window.t0 : s->window.t1 - 1;
	}
	/* Several columns may lie in one tick: a move is one tick at least. */
	if (time == s->cursor_time && by)
		time += by < 0 ? -1 : 1;
	move_to(s, s->cursor_location, time);
}

static void move_rows(struct timeline_panel *t, int64_t by)
{
	struct session *s = t->panel.session;
	int64_t row = (int64_t)row_of_cursor(t) + by;

	if (row < 0)
		row = 0;
	if (row >= (int64_t)t->n_rows)
		row = (int64_t)t->n_rows - 1;
	move_to(s, t->rows[row], s->cursor_time);
}

/* ---- zooming ---- */

static struct time_window window_of(const struct session *s)
{
	return (struct time_window){ s->window.t0, s->window.t1 };
}

static void zoom(struct session *s, int direction)
{
	const struct time_window run = { s->run.t0, s->run.t1 };
	struct time_window before, w;

	if (direction > 0) {
		w = zoom_in(window_of(s), s->cursor_time);
	} else {
		if (s->undo.n)
			before = (struct time_window){ vec_last(&s->undo)->t0,
						       vec_last(&s->undo)->t1 };
		w = zoom_out(window_of(s), s->cursor_time, run, s->undo.n ? &before : NULL);
	}
	session_zoom(s, w.t0, w.t1);
}

/* A span with a tenth of it on both sides. */
static void zoom_span(struct session *s, int64_t t0, int64_t t1)
{
	const int64_t margin = (t1 - t0) / 10 + 1;

	session_zoom(s, t0 > INT64_MIN + margin ? t0 - margin : t0,
		     t1 < INT64_MAX - margin ? t1 + margin : t1);
}

/* The cursor stands on an end of a message, not only inside a visit that has one. */
static bool on_message(const struct session *s)
{
	enum event_kind kind;

	if (s->cursor_event == EVENT_NONE)
		return false;
	kind = what_kind(trace_event_what(s->trace, s->cursor_event));
	return kind >= EV_SEND && kind <= EV_RECV;
}

static bool zoom_item(struct timeline_panel *t)
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

static void pan(struct session *s, int64_t quarters)
{
	const int64_t quarter = (s->window.t1 - s->window.t0) / 4;

	session_pan(s, quarters * (quarter > 0 ? quarter : 1));
}

/* ---- selecting ---- */

/* The event of the cursor's location nearest to it, where it lies in the cursor's cell or the next
 * one: ends of a selection snap to events. */
static int64_t snapped(const struct timeline_panel *t)
{
	const struct session *s = t->panel.session;
	const struct time_scale *scale = &t->picture.scale;
	const int64_t near = (scale->t1 - scale->t0) / scale->n;
	int64_t best = s->cursor_time, distance = near + 1;
	struct cursor c;

	if (s->cursor_event != EVENT_NONE || s->cursor_location >= trace_location_count(s->trace))
		return best;
	if (cursor_seek(&c, s->trace, s->base, s->cursor_location, s->cursor_time)) {
		if (cursor_time(&c) - s->cursor_time < distance) {
			best = cursor_time(&c);
			distance = best - s->cursor_time;
		}
		if (!cursor_prev(&c))
			return best;
	} else if (!cursor_last(&c, s->trace, s->base, s->cursor_location)) {
		return best;
	}
	return s->cursor_time - cursor_time(&c) < distance ? cursor_time(&c) : best;
}

static void select_to(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const int64_t here = snapped(t);

	s->selection = t->anchor < here ? (struct span){ t->anchor, here }
					: (struct span){ here, t->anchor };
}

static void select_toggle(struct timeline_panel *t)
{
	struct session *s = t->panel.session;

	if (s->selecting) {
		select_to(t);
		s->selecting = false;
	} else {
		t->anchor = snapped(t);
		s->selection = (struct span){ t->anchor, t->anchor };
		s->selecting = true;
	}
}

static bool cancel(struct timeline_panel *t)
{
	struct session *s = t->panel.session;

	if (!s->selecting && s->selection.t0 == s->selection.t1)
		return false;
	s->selecting = false;
	s->selection = (struct span){ 0, 0 };
	return true;
}

/* ---- actions ---- */

static void more_depth(struct timeline_panel *t, int by)
{
	const struct session *s = t->panel.session;
	unsigned deepest = timeline_depth_max(s->trace);
	int64_t depth = (int64_t)t->depth + by;

	if (deepest > TIMELINE_DEPTH_LIMIT)
		deepest = TIMELINE_DEPTH_LIMIT;
	t->depth = depth < 0 ? 0 : depth > (int64_t)deepest ? deepest : (unsigned)depth;
	session_notice(t->panel.session, false,
		       t->depth ? "nesting levels 1 to %u of %u" : "the innermost region", t->depth,
		       timeline_depth_max(s->trace));
}

static unsigned enter(struct timeline_panel *t)
{
	if (zoom_item(t))
		return REACT_REQUERY;
	/* The state fills the picture already: its events. */
	if (t->item.enter != EVENT_NONE && t->panel.session->cursor_event == EVENT_NONE)
		session_set_cursor(t->panel.session, t->item.location, t->item.t0, t->item.enter);
	t->panel.session->goto_view = "events";
	return REACT_REDRAW;
}

static unsigned follow(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;
	const struct query query = session_query(s);
	bool moved = false;

	for (int i = 0; i < count; i++) {
		bool ok = false;

		switch (action) {
		case ACTION_PREV_EVENT: ok = timeline_follow_event(s, -1); break;
		case ACTION_NEXT_EVENT: ok = timeline_follow_event(s, 1); break;
		case ACTION_PREV_REGION: ok = timeline_follow_region(s, &t->item, -1); break;
		case ACTION_NEXT_REGION: ok = timeline_follow_region(s, &t->item, 1); break;
		case ACTION_MESSAGE_BACK: ok = timeline_follow_message(s, &t->item, -1); break;
		case ACTION_MESSAGE_FORTH: ok = timeline_follow_message(s, &t->item, 1); break;
		default: break;
		}
		if (!ok)
			break;
		moved = true;
		find_item(t, &query);
	}
	if (!moved && !s->notice[0])
		session_notice(s, false, "no further one on this location");
	return moved ? REACT_REQUERY : REACT_REDRAW;
}

static const enum action known[] = { ACTION_LEFT,         ACTION_DOWN,          ACTION_UP,
				     ACTION_RIGHT,        ACTION_ZOOM_IN,       ACTION_ZOOM_OUT,
				     ACTION_PAN_LEFT,     ACTION_PAN_RIGHT,     ACTION_WHOLE_RUN,
				     ACTION_ZOOM_ITEM,    ACTION_UNDO,          ACTION_REDO,
				     ACTION_MESSAGE_BACK, ACTION_MESSAGE_FORTH, ACTION_PREV_EVENT,
				     ACTION_NEXT_EVENT,   ACTION_PREV_REGION,   ACTION_NEXT_REGION,
				     ACTION_LESS_DEPTH,   ACTION_MORE_DEPTH,    ACTION_SELECT,
				     ACTION_ENTER,        ACTION_HIDE_ROW,      ACTION_SHOW_ALL,
				     ACTION_PAGE_DOWN,    ACTION_PAGE_UP,       ACTION_FIRST,
				     ACTION_LAST,         ACTION_CANCEL,        ACTION_NONE };

static unsigned act_move(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;
	const int64_t page = t->picture.visible > 1 ? (int64_t)t->picture.visible - 1 : 1;

	switch (action) {
	case ACTION_LEFT: move_columns(t, -count); break;
	case ACTION_RIGHT: move_columns(t, count); break;
	case ACTION_DOWN: move_rows(t, count); break;
	case ACTION_UP: move_rows(t, -count); break;
	case ACTION_PAGE_DOWN: move_rows(t, page * count); break;
	case ACTION_PAGE_UP: move_rows(t, -page * count); break;
	case ACTION_FIRST: move_rows(t, INT32_MIN); break;
	case ACTION_LAST: move_rows(t, INT32_MAX); break;
	default: return REACT_IGNORED;
	}
	if (s->selecting)
		select_to(t);
	return REACT_REQUERY;
}

static unsigned act_time(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;

	switch (action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		for (int i = 0; i < count && i < 64; i++)
			zoom(s, action == ACTION_ZOOM_IN ? 1 : -1);
		break;
	case ACTION_PAN_LEFT: pan(s, -count); break;
	case ACTION_PAN_RIGHT: pan(s, count); break;
	case ACTION_WHOLE_RUN: session_zoom(s, s->run.t0, s->run.t1); break;
	case ACTION_ZOOM_ITEM: zoom_item(t); break;
	case ACTION_UNDO:
		if (!session_undo(s))
			session_notice(s, false, "no zoom to undo");
		break;
	case ACTION_REDO:
		if (!session_redo(s))
			session_notice(s, false, "no zoom to redo");
		break;
	default: return REACT_IGNORED;
	}
	/* A window that comes back may lie where the cursor is not. */
	if (s->cursor_time < s->window.t0 || s->cursor_time >= s->window.t1)
		move_to(s, s->cursor_location, s->window.t0 + (s->window.t1 - s->window.t0) / 2);
	return REACT_REQUERY;
}

static unsigned act_show(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;

	switch (action) {
	case ACTION_LESS_DEPTH: more_depth(t, -count); break;
	case ACTION_MORE_DEPTH: more_depth(t, count); break;
	case ACTION_HIDE_ROW: session_hide(s, s->cursor_location); break;
	case ACTION_SHOW_ALL: session_show_all(s); break;
	case ACTION_SELECT: select_toggle(t); break;
	case ACTION_ENTER: return enter(t);
	case ACTION_CANCEL: return cancel(t) ? REACT_REDRAW : REACT_IGNORED;
	default: return follow(t, action, count);
	}
	return REACT_REQUERY;
}

static unsigned timeline_act(struct panel *panel, enum action action, int count)
{
	struct timeline_panel *t = self(panel);
	unsigned reaction;
	size_t i = 0;

	while (known[i] != ACTION_NONE && known[i] != action)
		i++;
	if (known[i] == ACTION_NONE)
		return REACT_IGNORED;
	if (count < 1)
		count = 1;
	t->ascii = panel->session->ascii;
	make(t, panel->area.w > 0 ? panel->area : (struct rect){ 0, 0, 80, 20 });
	if (t->n_rows == 0)
		return REACT_IGNORED;
	reaction = act_move(t, action, count);
	if (reaction == REACT_IGNORED)
		reaction = act_time(t, action, count);
	if (reaction == REACT_IGNORED)
		reaction = act_show(t, action, count);
	if (reaction != REACT_IGNORED)
		make(t, t->area);
	return reaction;
}

static bool timeline_search(struct panel *panel, const char *pattern, int direction,
			    struct err *err)
{
	struct timeline_panel *t = self(panel);

	return timeline_search_go(&t->search, panel->session, pattern, direction, err);
}

static void timeline_describe(const struct panel *panel, struct str *out)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct trace *trace = panel->session->trace;

	if (t->made && t->item.known && t->item.path) {
		const char *name =
			trace_region_name(trace, trace_callpath_region(trace, t->item.path));

		str_add_clean(out, name, strlen(name));
	}
}

static void timeline_status(const struct panel *panel, struct str *out)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct session *s = panel->session;
	const uint64_t drawn =
		t->made && t->n_rows ? timeline_arrows_count(&t->picture, &t->focus) : 0;

	if (s->selection.t0 < s->selection.t1) {
		str_add(out, "selected ");
		units_human_time(out, s->selection.t1 - s->selection.t0, trace_scale(s->trace), 4);
		str_add(out, "  ");
	}
	if (t->search.matcher && t->search.all) {
		units_count(out, t->search.at);
		str_add_char(out, '/');
		units_count(out, t->search.all);
		str_add(out, "  ");
	}
	if (t->made && drawn < t->picture.messages) {
		units_count(out, drawn);
		str_add(out, t->picture.exact ? " of " : " of up to ");
		units_count(out, t->picture.messages);
		str_add(out, " messages drawn  ");
	}
	str_add_fmt(out, "row %u/%u", row_of_cursor(t) + (t->n_rows > 0), t->n_rows);
}

static unsigned timeline_click(struct panel *panel, int x, int y, struct rect area)
{
	struct timeline_panel *t = self(panel);
	struct session *s = panel->session;
	const struct timeline_layout *l = &t->layout;
	int nth;

	make(t, area);
	if (!t->made || t->n_rows == 0 || y < l->strip.y || x < l->labels.x)
		return REACT_IGNORED;
	if (y == l->strip.y && l->strip.h && x >= l->strip.x && x < l->strip.x + l->strip.w) {
		/* The strip is the run: the window goes there. */
		const struct time_scale run = { s->run.t0, s->run.t1, l->strip.w };
		const int64_t t0 = time_scale_tick(&run, x - l->strip.x);

		session_pan(s, t0 - (s->window.t0 + (s->window.t1 - s->window.t0) / 2));
		return REACT_REQUERY;
	}
	if (y < l->body.y || y >= l->body.y + l->body.h || x >= l->body.x + l->body.w)
		return REACT_IGNORED;
	nth = (y - l->body.y) / (t->picture.bar + t->picture.gap);
	if (nth >= (int)t->picture.visible)
		return REACT_IGNORED;
	for (size_t i = 0; i < t->picture.lanes.n; i++)
		if (t->picture.lanes.data[i].row == t->picture.first + (uint32_t)nth)
			move_to(s, t->picture.lanes.data[i].location,
				x >= l->body.x ? time_scale_tick(&t->picture.scale, x - l->body.x)
					       : s->cursor_time);
	make(t, area);
	return REACT_REQUERY;
}

const struct panel_ops timeline_panel_ops = {
	.name = "timeline",
	.title = "Timeline",
	.actions = known,
	.size = sizeof(struct timeline_panel),
	.open = timeline_open,
	.close = timeline_close,
	.requery = timeline_requery,
	.draw = timeline_draw_panel,
	.act = timeline_act,
	.search = timeline_search,
	.describe = timeline_describe,
	.status = timeline_status,
	.click = timeline_click,
};
