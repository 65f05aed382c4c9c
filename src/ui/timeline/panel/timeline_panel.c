/* The timeline as a panel: what the actions do to the session. */
#include <string.h>

#include "base/clock.h"
#include "model/trace/detail.h"
#include "ui/timeline/panel/timeline_arrange.h"
#include "ui/timeline/panel/timeline_state.h"
#include "ui/timeline/panel/wait_follow.h"
#include "views/explain/explaining.h"
#include "views/facts/difference.h"
#include "views/facts/match_search.h"
#include "views/facts/place_words.h"

enum { MARKED_MS = 100 };

static struct timeline_panel *self(struct panel *panel)
{
	return (struct timeline_panel *)panel;
}

static void timeline_open(struct panel *panel)
{
	struct timeline_panel *t = self(panel);

	t->shades = timeline_shades_new();
	t->sums = timeline_sums_new(TIMELINE_SUMS_NS, TIMELINE_TURNS_BYTES);
	t->counts = timeline_counts_new(TIMELINE_COUNTS_NS);
	t->focus = (struct timeline_focus){ -1, NO_HIT, NO_HIT, NULL };
}

static void timeline_close(struct panel *panel)
{
	struct timeline_panel *t = self(panel);

	timeline_frame_fini(t);
	timeline_shades_free(t->shades);
	timeline_search_fini(&t->search);
}

static void timeline_requery(struct panel *panel)
{
	struct timeline_panel *t = self(panel);

	t->ascii = panel->session->ascii;
	timeline_look_first(t);
	if (panel->area.w > 0 && panel->area.h > 0)
		timeline_frame_make(t, panel->area);
}

static void timeline_commands(const struct panel *panel, struct str *out)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;

	if (t->depth)
		str_add_fmt(out, "more-depth %u\n", t->depth);
}

static void timeline_exported_of(const struct panel *panel, struct panel_choice *choice)
{
	choice->depth = ((const struct timeline_panel *)panel)->depth;
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
		       t->depth ? "nesting levels 1 to %u of %u" : "innermost region", t->depth,
		       timeline_depth_max(s->trace));
}

static unsigned enter(struct timeline_panel *t)
{
	if (timeline_open_group(t))
		return REACT_REDRAW;
	if (timeline_zoom_item(t))
		return REACT_REDRAW;
	/* The state fills the picture already: its events. */
	if (t->item.enter != EVENT_NONE && t->panel.session->cursor.event == EVENT_NONE)
		session_set_cursor(t->panel.session, t->item.location, t->item.t0, t->item.enter);
	t->panel.session->asked.goto_view = "events";
	return REACT_REDRAW;
}

/* The visit that the cell shows. */
static void explain(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const struct timeline_item *item = &t->item;
	const struct query query = session_query(s);
	struct explain_subject subject = { item->location, UINT32_MAX, item->enter, item->message };

	if (timeline_cursor_row(t)->kind == ROW_COUNTER) {
		session_notice(s, false, "a counter has no waits; %s explains the row of its rank",
			       session_key(s, ACTION_EXPLAIN).text);
		return;
	}
	if (timeline_cursor_row(t)->kind != ROW_LOCATION) {
		session_notice(s, false, "%s opens the group; %s explains single ranks",
			       session_key(s, ACTION_ENTER).text,
			       session_key(s, ACTION_EXPLAIN).text);
		return;
	}
	if (s->cursor.event != EVENT_NONE)
		explain_event(&subject, &query, s->cursor.event);
	session_explain(s, &subject);
}

/* "no more events on rank 2 in this direction". */
static void notice_end(struct session *s, enum action action)
{
	const bool event = action == ACTION_PREV_EVENT || action == ACTION_NEXT_EVENT;
	OWNED_STR name = STR_INIT;

	words_location(s->trace, s->cursor.location, false, &name);
	session_notice(s, false, "no more %s on %s in this direction", event ? "events" : "visits",
		       name.text);
}

static unsigned follow(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;
	bool moved = false;

	for (int i = 0; i < count; i++) {
		bool ok = false;

		switch (action) {
		case ACTION_PREV_EVENT: ok = timeline_follow_event(s, -1); break;
		case ACTION_NEXT_EVENT: ok = timeline_follow_event(s, 1); break;
		case ACTION_PREV_REGION: ok = timeline_follow_region(s, &t->item, -1); break;
		case ACTION_NEXT_REGION: ok = timeline_follow_region(s, &t->item, 1); break;
		case ACTION_PREV_WAIT: ok = wait_follow(s, -1); break;
		case ACTION_NEXT_WAIT: ok = wait_follow(s, 1); break;
		case ACTION_MESSAGE_BACK: ok = timeline_follow_message(s, &t->item, -1); break;
		case ACTION_MESSAGE_FORTH: ok = timeline_follow_message(s, &t->item, 1); break;
		default: break;
		}
		if (!ok)
			break;
		moved = true;
		timeline_frame_item(t);
	}
	if (!moved && !s->notice[0])
		notice_end(s, action);
	return REACT_REDRAW;
}

static void next_marker(struct session *s)
{
	const struct marker *m = timeline_next_marker(s->trace, s->cursor.time);

	if (m)
		session_set_cursor(s, s->cursor.location, m->time, EVENT_NONE);
	else
		session_notice(s, false, "this trace has no markers");
}

static void show_critical_path(struct session *s)
{
	size_t n;

	s->critical_path = !s->critical_path;
	s->generation++;
	if (!s->critical_path)
		session_notice(s, false, "critical path off");
	else if (!analyses_critical_path(s->analyses, s->base, false, &n))
		session_notice(s, false, "critical path on (still searching)");
	else
		session_notice(s, false, "critical path on");
}

static void count_iterations(struct timeline_panel *t)
{
	struct session *s = t->panel.session;

	s->counting = !s->counting;
	if (!s->counting)
		session_notice(s, false, "the ruler shows time");
	else if (!timeline_frame_can_count(t))
		session_notice(s, false, "counting iterations (still searching)");
	timeline_frame_make(t, t->area);
	if (s->counting && timeline_frame_can_count(t) && !t->iterations->begin)
		session_notice(s, false, "no iterations on this row: the ruler shows time");
	else if (t->iterations[0].begin && t->iterations[1].begin)
		session_notice(
			s, false,
			"counting iterations of the cursor's rank in each loop: %u, then %u%s",
			t->iterations[0].n, t->iterations[1].n,
			t->iterations[2].begin ? " ..." : "");
	else if (t->iterations->begin)
		session_notice(s, false, "counting iterations of the cursor's rank: %u",
			       t->iterations->n);
}

static const enum action known[] = {
	ACTION_ENTER,       ACTION_EXPLAIN,       ACTION_PREV_WAIT,
	ACTION_NEXT_WAIT,   ACTION_MESSAGE_BACK,  ACTION_MESSAGE_FORTH,
	ACTION_ZOOM_IN,     ACTION_ZOOM_OUT,      ACTION_PAN_LEFT,
	ACTION_PAN_RIGHT,   ACTION_WHOLE_RUN,     ACTION_ZOOM_ITEM,
	ACTION_PREV_EVENT,  ACTION_NEXT_EVENT,    ACTION_PREV_REGION,
	ACTION_NEXT_REGION, ACTION_NEXT_MARKER,   ACTION_SELECT,
	ACTION_GROUP,       ACTION_CRITICAL_PATH, ACTION_COUNT_ITERATIONS,
	ACTION_LESS_DEPTH,  ACTION_MORE_DEPTH,    ACTION_PIN,
	ACTION_SORT,        ACTION_HIDE_ROW,      ACTION_SHOW_ALL,
	ACTION_BACK,        ACTION_LEFT,          ACTION_DOWN,
	ACTION_UP,          ACTION_RIGHT,         ACTION_PAGE_DOWN,
	ACTION_PAGE_UP,     ACTION_FIRST,         ACTION_LAST,
	ACTION_ALIGN,       ACTION_COLOUR,        ACTION_CANCEL,
	ACTION_SEARCH_NEXT, ACTION_SEARCH_PREV,   ACTION_NONE
};

static unsigned act_move(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;
	const int64_t page = t->picture.visible > 1 ? (int64_t)t->picture.visible - 1 : 1;

	switch (action) {
	case ACTION_LEFT: timeline_move_columns(t, -count); break;
	case ACTION_RIGHT: timeline_move_columns(t, count); break;
	case ACTION_DOWN: timeline_move_rows(t, count); break;
	case ACTION_UP: timeline_move_rows(t, -count); break;
	case ACTION_PAGE_DOWN: timeline_move_rows(t, page * count); break;
	case ACTION_PAGE_UP: timeline_move_rows(t, -page * count); break;
	case ACTION_FIRST: timeline_move_rows(t, INT32_MIN); break;
	case ACTION_LAST: timeline_move_rows(t, INT32_MAX); break;
	default: return REACT_IGNORED;
	}
	if (s->selecting)
		timeline_select_to_cursor(t);
	return REACT_REDRAW;
}

static unsigned act_time(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;

	switch (action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		for (int i = 0; i < count && i < 64; i++)
			timeline_zoom(s, action == ACTION_ZOOM_IN ? 1 : -1);
		break;
	case ACTION_PAN_LEFT: timeline_pan(t, -count); break;
	case ACTION_PAN_RIGHT: timeline_pan(t, count); break;
	case ACTION_WHOLE_RUN: session_whole_run(s); break;
	case ACTION_ZOOM_ITEM: timeline_zoom_item(t); break;
	default: return REACT_IGNORED;
	}
	/* A restored window may not contain the cursor. */
	if (s->cursor.time < s->window.t0 || s->cursor.time >= s->window.t1)
		session_set_cursor(s, s->cursor.location,
				   s->window.t0 + (s->window.t1 - s->window.t0) / 2, EVENT_NONE);
	return REACT_REDRAW;
}

/* Actions that differ while two bases are compared: rows cannot be arranged, and going up ends it.
 * REACT_NONE: the usual action applies. */
static unsigned act_comparing(struct timeline_panel *t, enum action action)
{
	struct session *s = t->panel.session;

	switch (action) {
	case ACTION_HIDE_ROW:
	case ACTION_SHOW_ALL:
	case ACTION_PIN:
	case ACTION_SORT:
	case ACTION_GROUP:
		session_notice(s, false, "comparing two ranks; %s returns",
			       session_key(s, ACTION_BACK).text);
		return REACT_REDRAW;
	case ACTION_CANCEL:
		if (!timeline_select_cancel(t))
			session_compare_end(s);
		return REACT_REDRAW;
	case ACTION_BACK: session_compare_end(s); return REACT_IGNORED; /* and the view is left */
	default: return REACT_NONE;
	}
}

/* Of a sequence, if that was asked for after the last search. */
static unsigned next_match(struct session *s, int count)
{
	if (!s->sequence.leads)
		return REACT_IGNORED;
	for (int i = count < 0 ? -count : count; i > 0; i--)
		if (!session_next_match(s, count < 0 ? -1 : 1))
			break;
	return REACT_REDRAW;
}

static unsigned act_show(struct timeline_panel *t, enum action action, int count)
{
	struct session *s = t->panel.session;

	switch (action) {
	case ACTION_LESS_DEPTH: more_depth(t, -count); break;
	case ACTION_MORE_DEPTH: more_depth(t, count); break;
	case ACTION_HIDE_ROW: timeline_hide_row(t); break;
	case ACTION_NEXT_MARKER: next_marker(s); break;
	case ACTION_PIN: timeline_pin_row(t); break;
	case ACTION_SORT: timeline_next_order(t); break;
	case ACTION_GROUP: timeline_regroup(&t->rows, t->shades, t->panel.session); break;
	case ACTION_BACK: return timeline_close_group(t) ? REACT_REDRAW : REACT_IGNORED;
	case ACTION_SHOW_ALL: session_show_all(s); break;
	case ACTION_SELECT: timeline_select_toggle(t); break;
	case ACTION_EXPLAIN: explain(t); break;
	case ACTION_CRITICAL_PATH: show_critical_path(s); break;
	case ACTION_COLOUR: session_next_colours(s); break;
	case ACTION_COUNT_ITERATIONS: count_iterations(t); break;
	case ACTION_ALIGN: timeline_beside_align(t); break;
	case ACTION_ENTER: return enter(t);
	case ACTION_SEARCH_NEXT: return next_match(s, count);
	case ACTION_SEARCH_PREV: return next_match(s, -count);
	case ACTION_CANCEL: return timeline_select_cancel(t) ? REACT_REDRAW : REACT_IGNORED;
	default: return follow(t, action, count);
	}
	return REACT_REDRAW;
}

static unsigned timeline_act(struct panel *panel, enum action action, int count)
{
	struct timeline_panel *t = self(panel);
	unsigned reaction;

	if (count < 1)
		count = 1;
	t->ascii = panel->session->ascii;
	timeline_frame_make(t, panel->area.w > 0 ? panel->area : (struct rect){ 0, 0, 80, 20 });
	if (t->rows.list.n == 0)
		return REACT_IGNORED;
	if (panel->session->comparison.on) {
		reaction = act_comparing(t, action);
		if (reaction != REACT_NONE)
			return reaction;
	}
	reaction = act_move(t, action, count);
	if (reaction == REACT_IGNORED)
		reaction = act_time(t, action, count);
	if (reaction == REACT_IGNORED)
		reaction = act_show(t, action, count);
	/* Where the session is another one now the application asks for all of it anyway. */
	if (reaction != REACT_IGNORED && t->generation == panel->session->generation)
		timeline_frame_make(t, t->area);
	return reaction;
}

static bool timeline_search(struct panel *panel, const char *pattern, int direction,
			    struct err *err)
{
	struct timeline_panel *t = self(panel);

	return timeline_search_go(&t->search, panel->session, pattern, direction, err);
}

/* Its marks are drawn as they are found. */
static bool search_sequence(struct timeline_panel *t, unsigned *reactions)
{
	struct session *s = t->panel.session;
	const struct match_search *found = session_found(s);
	bool more;

	if (!s->sequence.sequence || (found && match_search_ended(found)))
		return false;
	more = session_search_sequence(s);
	if (!more || clock_ms() - t->marked > MARKED_MS) {
		t->marked = clock_ms();
		*reactions |= REACT_REDRAW;
	}
	return more;
}

static bool timeline_work(struct panel *panel, unsigned *reactions)
{
	struct timeline_panel *t = self(panel);

	return search_sequence(t, reactions) || timeline_frame_work(t, reactions);
}

/* The visit that is read out below the rows; its event is the cursor's, or its enter. */
static void timeline_chosen(const struct panel *panel, struct selection *selection)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct trace *trace = panel->session->trace;
	const struct timeline_item *item = &t->item;

	if (!t->made || !item->known || t->rows.list.n == 0 ||
	    timeline_cursor_row(t)->kind != ROW_LOCATION)
		return;
	selection->location = item->location;
	selection->event = item->event != EVENT_NONE ? item->event : item->enter;
	selection->message = item->message;
	if (item->member != NO_ROW)
		selection->collective = trace_member_collective(trace, item->member);
	if (item->path)
		selection->path = trace_callpath(trace, item->path)->canon;
}

/* A cursor that is inside the selection already stays. */
static bool timeline_land(struct panel *panel, const struct selection *selection)
{
	const struct timeline_panel *t = self(panel);
	struct session *s = panel->session;
	const struct query query = session_query(s);
	uint32_t event;

	/* Without an event it is on the visit that is read out. */
	event = s->cursor.event != EVENT_NONE ? s->cursor.event : t->item.enter;
	if (s->comparison.on ||
	    selection_holds(selection, &query, s->cursor.location, s->cursor.time, event))
		return true;
	event = selection_event(selection, &query);
	if (selection->wait != UINT32_MAX && selection->base == s->base)
		wait_go(s, selection->location, selection->wait);
	else if (event != EVENT_NONE)
		session_go_event(s, event);
	else if (selection->location != UINT32_MAX)
		session_set_cursor(s, selection->location, s->cursor.time, EVENT_NONE);
	if (event != EVENT_NONE)
		s->cursor.group = false;
	return !session_stopped(s);
}

static void timeline_describe(const struct panel *panel, struct str *out)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct trace *trace = panel->session->trace;

	if (t->made && t->item.known && t->item.path)
		str_add_clean_text(out,
				   trace_region_name(trace,
						     trace_callpath_region(trace, t->item.path)));
}

/* Messages that are drawn: in the picture, or in the cursor's chain alone. */
static uint64_t drawn_messages(const struct timeline_panel *t)
{
	const struct timeline_picture *p = &t->picture;
	uint64_t n = p->arrows.n;

	for (unsigned k = 0; t->focus.chain && k < t->chain.n; k++) {
		bool drawn = false;

		for (size_t i = 0; i < p->arrows.n && !drawn; i++)
			drawn = p->arrows.data[i].id == t->chain.messages[k].id;
		n += !drawn;
	}
	return n;
}

/* "83 of 984 messages, 2 of 31 collectives drawn", where some are left out. */
static void add_thinned(const struct timeline_panel *t, struct str *out)
{
	const struct timeline_picture *p = &t->picture;
	const uint64_t drawn = drawn_messages(t);
	const bool messages = drawn < p->messages;
	const bool collectives = p->collectives_drawn < p->collectives;

	if (messages) {
		units_count(out, drawn);
		str_add(out, p->exact ? " of " : " of up to ");
		units_count(out, p->messages);
		str_add(out, " messages");
	}
	if (collectives) {
		str_add(out, messages ? ", " : "");
		units_count(out, p->collectives_drawn);
		str_add(out, p->parts.n ? " of " : " of up to ");
		units_count(out, p->collectives);
		str_add(out, " collectives");
	}
	str_add(out, messages || collectives ? " drawn  " : "");
}

static void timeline_status(const struct panel *panel, struct str *out)
{
	const struct timeline_panel *t = (const struct timeline_panel *)panel;
	const struct session *s = panel->session;
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
	/* A notice is there until the next key, and needs the room. */
	if (t->made && !s->notice[0])
		add_thinned(t, out);
	if (t->made && t->picture.options.critical_path && !t->picture.critical)
		str_add(out, "searching for critical path  ");
	if (t->made && t->picture.moves)
		str_add_fmt(out, "against %s  ",
			    time_base_name(
				    difference_reference(s->trace, s->corrections, s->base)));
	if (t->rows.pinned)
		str_add_fmt(out, "%u pinned  ", t->rows.pinned);
	str_add_fmt(out, "row %u/%u", t->row + (t->rows.list.n > 0), (uint32_t)t->rows.list.n);
	if (t->rows.grouping.groups.n)
		str_add_fmt(out, ", by %s", group_key_name(s->arrangement.key));
}

/* The strip is the run: the middle of the window goes there. */
static unsigned go_on_strip(struct timeline_panel *t, int x)
{
	struct session *s = t->panel.session;
	const struct rect strip = t->layout.strip;
	const struct time_scale run = { s->run.t0, s->run.t1, strip.w };
	const int column = x < strip.x ? 0 : x >= strip.x + strip.w ? strip.w - 1 : x - strip.x;

	session_pan(s, time_scale_tick(&run, column) -
			       (s->window.t0 + (s->window.t1 - s->window.t0) / 2));
	return REACT_REDRAW;
}

static unsigned timeline_click(struct panel *panel, int x, int y, struct rect area)
{
	struct timeline_panel *t = self(panel);
	struct session *s = panel->session;
	const struct timeline_layout *l = &t->layout;
	int nth;

	timeline_frame_make(t, area);
	if (!t->made || t->rows.list.n == 0 || y < l->strip.y || x < l->labels.x)
		return REACT_IGNORED;
	t->on_strip =
		y == l->strip.y && l->strip.h && x >= l->strip.x && x < l->strip.x + l->strip.w;
	if (t->on_strip)
		return go_on_strip(t, x);
	if (y < l->body.y || y >= l->body.y + l->body.h || x >= l->body.x + l->body.w)
		return REACT_IGNORED;
	nth = (y - l->body.y) / (timeline_row_lines(&t->picture) + t->picture.gap);
	if (nth >= (int)t->picture.visible)
		return REACT_IGNORED;
	timeline_move_to_row(t, t->picture.shown.data[nth]);
	if (x >= l->body.x)
		session_set_cursor(s, s->cursor.location,
				   time_scale_tick(&t->picture.scale, x - l->body.x), EVENT_NONE);
	timeline_frame_make(t, area);
	return REACT_REDRAW;
}

/* In the picture, or in the strip of the whole run. */
static bool timeline_time_at(const struct panel *panel, int x, int y, int64_t *t)
{
	const struct timeline_panel *p = (const struct timeline_panel *)panel;
	const struct session *s = panel->session;
	const struct rect strip = p->layout.strip, body = p->layout.body;
	const bool in_strip = y == strip.y && strip.h;
	const struct rect in = in_strip ? strip : body;
	const struct time_scale run = { s->run.t0, s->run.t1, strip.w };
	const struct time_scale *scale = in_strip ? &run : &p->picture.scale;

	if (!p->made || y < in.y || y >= in.y + in.h || in.w < 1 || x < in.x)
		return false;
	*t = time_scale_tick(scale, x < in.x + in.w ? x - in.x : in.w - 1);
	return true;
}

static unsigned timeline_drag(struct panel *panel, int x, int y, struct rect area)
{
	struct timeline_panel *t = self(panel);

	(void)y;
	timeline_frame_make(t, area);
	return t->made && t->on_strip && t->layout.strip.h ? go_on_strip(t, x) : REACT_IGNORED;
}

const struct panel_ops timeline_panel_ops = {
	.actions = known,
	.size = sizeof(struct timeline_panel),
	.open = timeline_open,
	.close = timeline_close,
	.draws_current_only = true,
	.requery = timeline_requery,
	.commands = timeline_commands,
	.exported_of = timeline_exported_of,
	.draw = timeline_frame_draw,
	.act = timeline_act,
	.search = timeline_search,
	.describe = timeline_describe,
	.chosen = timeline_chosen,
	.land = timeline_land,
	.work = timeline_work,
	.status = timeline_status,
	.click = timeline_click,
	.drag = timeline_drag,
	.time_at = timeline_time_at,
};
