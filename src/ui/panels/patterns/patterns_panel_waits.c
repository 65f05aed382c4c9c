/* The wait states of a row of the trees, worst first, and the way from one into the timeline. */
#include <math.h>
#include <stdlib.h>

#include "ui/panels/patterns/patterns_panel_state.h"
#include "ui/timeline/panel/wait_follow.h"
#include "views/tables/view_waits.h"

enum { TITLE_LINES = 3 };

/* The locations that are shown below a row of the third tree. */
static void chosen_places(const struct patterns_panel *p, uint32_t top, uint32_t **locations,
			  uint32_t *n)
{
	const struct tree_pane *tree = &p->trees[PANE_PLACES];
	const struct session *session = p->panel.session;
	VEC(uint32_t) chosen = VEC_INIT;

	for (size_t i = 0; i < session->rows.n; i++) {
		uint32_t item = p->location_items[session->rows.data[i]];
		while (item != TREE_NONE && item != top)
			item = tree->items.data[item].parent;
		if (item == top)
			vec_push(&chosen, session->rows.data[i]);
	}
	*locations = chosen.data;
	*n = (uint32_t)chosen.n;
}

/* The wait states of the row that was entered; NULL where a key goes first, or with a notice. */
static struct table *make_table(struct patterns_panel *p)
{
	struct session *session = p->panel.session;
	struct query query = session_query(session);
	struct err err = ERR_INIT;
	struct table *table;
	OWNED uint32_t *locations = NULL;

	query.metric = (uint8_t)patterns_metric(p);
	query.callpath = p->waits_path;
	if (p->waits_place != TREE_NONE) {
		chosen_places(p, p->waits_place, &locations, &query.n_locations);
		query.locations = locations;
	}
	table = waits_table_new(&query, &err);
	if (!table && !session_stopped(session))
		session_notice(session, true, "%s", err.text);
	return table;
}

void patterns_query_waits(struct patterns_panel *p)
{
	struct table *table = make_table(p);

	if (!table)
		return;
	table_pane_take(&p->waits, table);
	table_pane_choose(&p->waits, &p->panel.session->columns);
	table_pane_say(&p->waits, "no wait states here; choose a metric that is a wait state");
}

/* Of a metric all waits; of a call path those in it; of a location those that it has in that
 * path. */
static void choose_row(struct patterns_panel *p)
{
	p->waits_path = p->front == PANE_METRICS ? UINT32_MAX : patterns_path(p);
	p->waits_place = p->front == PANE_PLACES ? p->trees[PANE_PLACES].cursor : TREE_NONE;
}

unsigned patterns_enter_waits(struct patterns_panel *p)
{
	choose_row(p);
	p->down = true;
	patterns_query_waits(p);
	return REACT_REDRAW;
}

static unsigned explain_row(struct patterns_panel *p, const struct table *table, uint64_t row)
{
	struct explain_subject subject = { .enter = EVENT_NONE, .message = UINT32_MAX };

	const struct row_thing wait = table_thing(table, row);

	subject.location = wait.of;
	subject.wait = wait.id;
	session_explain(p->panel.session, &subject);
	return REACT_REDRAW;
}

unsigned patterns_explain(struct patterns_panel *p)
{
	struct table *table;
	unsigned reactions = REACT_REDRAW;

	if (p->down)
		return p->waits.table && p->waits.cursor != ROW_NONE
			       ? explain_row(p, p->waits.table, p->waits.cursor)
			       : REACT_IGNORED;
	choose_row(p);
	table = make_table(p);
	if (table && table->rows)
		reactions = explain_row(p, table, table_first(table));
	else if (table)
		session_notice(p->panel.session, false, "no wait states here");
	table_free(table);
	return reactions;
}

/* ---- into the timeline ---- */

static bool is_pinned(const struct arrangement *a, uint32_t location)
{
	for (size_t i = 0; i < a->pins.n; i++)
		if (a->pins.data[i].location == location && !a->pins.data[i].group)
			return true;
	return false;
}

static void pin(struct patterns_panel *p, uint32_t location)
{
	struct arrangement *a = &p->panel.session->arrangement;

	if (is_pinned(a, location))
		return;
	arrangement_toggle_pin(a, location, false);
	p->pinned[p->n_pinned++] = location;
}

/* Unpins what was pinned last time, if it is still pinned. */
static void let_go(struct patterns_panel *p)
{
	struct arrangement *a = &p->panel.session->arrangement;

	for (; p->n_pinned; p->n_pinned--)
		if (is_pinned(a, p->pinned[p->n_pinned - 1]))
			arrangement_toggle_pin(a, p->pinned[p->n_pinned - 1], false);
}

/* Are both rows of the timeline, and no further from each other than half a screen? */
static bool are_near(const struct session *session, uint32_t a, uint32_t b, int height)
{
	const size_t n = session->rows.n;
	size_t at[2] = { n, n };

	if (session->arrangement.key != BY_NONE || session->arrangement.order != ROWS_BY_RANK)
		return false;
	for (size_t i = 0; i < n; i++) {
		at[0] = session->rows.data[i] == a ? i : at[0];
		at[1] = session->rows.data[i] == b ? i : at[1];
	}
	return (at[0] < at[1] ? at[1] - at[0] : at[0] - at[1]) < (size_t)height / 2;
}

/* Waiter and partner go to the top where their rows stand apart, or in groups. */
static void keep_in_sight(struct patterns_panel *p, uint32_t waiter, uint32_t partner)
{
	struct session *session = p->panel.session;
	const unsigned before = p->n_pinned;

	let_go(p);
	if (partner != waiter && !are_near(session, waiter, partner, p->panel.area.h)) {
		pin(p, waiter);
		pin(p, partner);
		session_notice(
			session, false,
			"waiting rank and its partner are pinned at the top; %s unpins a row",
			session_key(session, ACTION_PIN).text);
	}
	if (before || p->n_pinned)
		session_rearranged(session);
}

/* The timeline around the wait: as much before and after it as it is long, its partner's event,
 * too. */
unsigned patterns_enter_timeline(struct patterns_panel *p)
{
	struct session *session = p->panel.session;
	const struct trace *trace = session->trace;
	const struct wait *w;
	struct row_thing thing;
	int64_t t0, t1, room;

	if (!p->waits.table || p->waits.cursor == ROW_NONE)
		return REACT_IGNORED;
	w = waits_table_wait(p->waits.table, p->waits.cursor);
	thing = table_pane_thing(&p->waits);
	t0 = w->begin;
	t1 = w->begin + w->length;
	if (w->partner != EVENT_NONE) {
		const int64_t t = trace_event_time(trace, session->base, w->partner);
		keep_in_sight(p, thing.of, trace_event_location(trace, w->partner));
		t0 = t < t0 ? t : t0;
		t1 = t >= t1 ? t + 1 : t1;
	}
	room = t1 - t0;
	session_zoom(session, t0 - room, t1 + room);
	session->cursor.group = false;
	wait_go(session, thing.of, thing.id);
	session->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

/* ---- drawing ---- */

struct rect patterns_waits_area(struct rect area)
{
	const int lines = area.h > 2 * TITLE_LINES ? TITLE_LINES : 0;

	return (struct rect){ area.x, area.y + lines, area.w, area.h - lines };
}

static void add_time(const struct patterns_panel *p, const char *name, double ticks,
		     struct str *out)
{
	str_add(out, name);
	units_human_time(out, llround(ticks), trace_scale(p->panel.session->trace), 4);
}

static void draw_statistics(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	const struct wait_statistics *s = waits_table_statistics(p->waits.table);
	OWNED_STR text = STR_INIT;

	units_count(&text, s->count);
	str_add(&text, s->count == 1 ? " wait" : " waits");
	if (s->count) {
		add_time(p, "   sum ", s->sum, &text);
		add_time(p, "   mean ", s->mean, &text);
		/* The root of the variance has a unit that people know. */
		add_time(p, "   standard deviation ", sqrt(s->variance), &text);
	}
	canvas_write(canvas, area.x + 1, area.y, area.w - 2, text.text, ROLE_DEFAULT);
	str_clear(&text);
	if (s->count) {
		add_time(p, "min ", (double)s->min, &text);
		add_time(p, "   quartiles ", (double)s->lower, &text);
		add_time(p, ", ", (double)s->median, &text);
		add_time(p, ", ", (double)s->upper, &text);
		add_time(p, "   max ", (double)s->max, &text);
	}
	canvas_write(canvas, area.x + 1, area.y + 1, area.w - 2, text.text, ROLE_MUTED);
}

void patterns_draw_waits(const struct patterns_panel *p, struct canvas *canvas, struct rect area)
{
	const struct rect body = patterns_waits_area(area);
	OWNED_STR s = STR_INIT;

	if (patterns_metric(p) != CUBE_NONE)
		str_add(&s, cube_metric_info(patterns_metric(p))->title);
	if (p->waits_path != UINT32_MAX && p->waits_path != 0) {
		str_add(&s, " in ");
		trace_callpath_text(p->panel.session->trace, p->waits_path, &s);
	}
	if (p->waits_place != TREE_NONE) {
		str_add(&s, " on ");
		patterns_place_name(p, p->trees[PANE_PLACES].items.data[p->waits_place].id, &s);
	}
	if (body.y > area.y)
		canvas_write(canvas, area.x + 1, area.y, area.w - 2, s.text, ROLE_VALUE);
	if (body.y > area.y && p->waits.table)
		draw_statistics(p, canvas, (struct rect){ area.x, area.y + 1, area.w, 2 });
	table_pane_draw(&p->waits, canvas, body);
}
