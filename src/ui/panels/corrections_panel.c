/* What was corrected, in panes: a summary; the clock condition by base and class; the pairs of locations
 * that violated it; the clocks; what the logical clock moved furthest; the overhead by location and by
 * region. All are of the whole run, without filter. Enter goes to the timeline: to the pair's worst
 * violation and the event that moved, before above after, or to the location. */
#include <string.h>

#include "ui/widgets/table_panel.h"
#include "views/facts/corrections_facts.h"

enum pane {
	PANE_SUMMARY,
	PANE_CONDITION,
	PANE_PAIRS,
	PANE_CLOCKS,
	PANE_MOVES,
	PANE_OVERHEAD,
	PANE_REGIONS,
	PANES
};

struct corrections_panel {
	struct panel panel;
	struct table_pane panes[PANES];
	bool made[PANES]; /* its table: when first shown, or counted */
	enum pane front;
	struct corrected facts;
};

static const enum action actions[] = { ACTION_ENTER, ACTION_NEXT_PANE,   ACTION_PREV_PANE,
				       ACTION_SORT,  TABLE_PANE_ACTIONS, ACTION_NONE };

static const struct {
	const char *name;
	struct table *(*make)(const struct query *query, struct err *err);
	bool counted; /* its name says how many rows there are */
} panes[PANES] = {
	[PANE_SUMMARY] = { "Summary", corrections_summary_new, false },
	[PANE_CONDITION] = { "Condition", corrections_classes_new, false },
	[PANE_PAIRS] = { "Pairs", corrections_pairs_new, true },
	[PANE_CLOCKS] = { "Clocks", corrections_clocks_new, true },
	[PANE_MOVES] = { "Moves", corrections_moves_new, true },
	[PANE_OVERHEAD] = { "Overhead", corrections_overhead_new, false },
	[PANE_REGIONS] = { "Regions", corrections_regions_new, false },
};

static struct table_pane *front(const struct corrections_panel *p)
{
	return (struct table_pane *)(uintptr_t)&p->panes[p->front];
}

/* ---- computing ---- */

/* Why a pane has no rows, in a sentence. */
static const char *empty_of(const struct corrections_panel *p, enum pane pane)
{
	const struct corrections *c = p->panel.session->corrections;

	if (!c)
		return "No corrections: cancelled, or not asked for.";
	switch (pane) {
	case PANE_CONDITION: return "The clock condition was not checked.";
	case PANE_PAIRS:
		return p->facts.check_before && p->facts.check_before->all.messages
			       ? "No message violates the clock condition, before or after."
			       : "No messages and no collectives, so nothing can violate the clock condition.";
	case PANE_MOVES: return "The logical clock was not needed: no violations were left.";
	case PANE_OVERHEAD:
	case PANE_REGIONS:
		return c->overhead.why[0] && c->overhead.source != OVERHEAD_NONE
			       ? c->overhead.why
			       : "No measurement costs recorded; give them with --overhead.";
	default: return "This trace has no locations.";
	}
}

static void make(struct corrections_panel *p, enum pane pane)
{
	struct err err = ERR_INIT;
	const struct query query = session_query(p->panel.session);
	struct table *table;

	if (p->made[pane])
		return;
	table = panes[pane].make(&query, &err);
	if (!table && session_stopped(p->panel.session))
		return;
	p->made[pane] = true;
	if (!table)
		session_notice(p->panel.session, true, "%s", err.text);
	table_pane_take(&p->panes[pane], table);
	p->panes[pane].empty = empty_of(p, pane);
}

static void requery(struct panel *panel)
{
	struct corrections_panel *p = (struct corrections_panel *)panel;

	p->facts = corrected_of(panel->session->trace, panel->session->corrections);
	for (int pane = 0; pane < PANES; pane++)
		if (panes[pane].counted || pane == (int)p->front)
			make(p, (enum pane)pane);
}

static void close_panel(struct panel *panel)
{
	struct corrections_panel *p = (struct corrections_panel *)panel;

	for (int i = 0; i < PANES; i++)
		table_pane_fini(&p->panes[i]);
}

/* ---- drawing ---- */

/* What is to be known before the figures below are believed; "" nothing. */
static const char *caution(const struct corrections_panel *p)
{
	const struct corrections *c = p->panel.session->corrections;

	if ((p->front != PANE_OVERHEAD && p->front != PANE_REGIONS) || !c || !c->overhead.done)
		return "";
	switch (p->facts.trust) {
	case OVERHEAD_GREY:
		return "Doubtful: the overhead is more than 10 times the time that is left.";
	case OVERHEAD_UNCLAIMED:
		return "No estimate: the overhead is more than 30 times the time that is left.";
	default: return "Compared with " OVERHEAD_REFERENCE ".";
	}
}

static struct rect table_area(const struct corrections_panel *p, struct rect area)
{
	const int top = *caution(p) ? 2 : 1;

	return (struct rect){ area.x, area.y + top, area.w, area.h - top };
}

static void draw_names(const struct corrections_panel *p, struct canvas *canvas, struct rect area)
{
	int x = area.x + 1;

	for (int i = 0; i < PANES; i++) {
		struct str s = STR_INIT;
		const bool active = i == (int)p->front;
		str_add(&s, panes[i].name);
		if (panes[i].counted) {
			str_add_char(&s, ' ');
			units_count(&s, p->panes[i].table ? p->panes[i].table->rows : 0);
		}
		x += canvas_text(canvas, x, area.y, area.x + area.w - x, s.text,
				 active ? ROLE_VALUE : ROLE_MUTED, ROLE_DEFAULT,
				 active ? ATTR_BOLD | ATTR_UNDERLINE : 0) +
		     3;
		str_fini(&s);
	}
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct corrections_panel *p = (const struct corrections_panel *)panel;
	const struct rect body = table_area(p, area);
	const char *warn = caution(p);

	draw_names(p, canvas, area);
	canvas_text(canvas, area.x + 1, area.y + 1, area.w - 2, warn,
		    p->facts.trust == OVERHEAD_TRUSTED ? ROLE_MUTED : ROLE_WARNING, ROLE_DEFAULT,
		    0);
	table_pane_draw(front(p), canvas, body);
	if (*warn && p->facts.trust != OVERHEAD_TRUSTED)
		canvas_paint(canvas, (struct rect){ body.x, body.y + 1, body.w, body.h - 1 },
			     ROLE_MUTED, ROLE_KEEP, 0);
}

/* ---- acting ---- */

/* Before above after, in the timeline. */
static unsigned compare(struct corrections_panel *p, uint32_t send, uint32_t recv,
			enum time_base before, enum time_base after)
{
	struct err err = ERR_INIT;

	if (send == EVENT_NONE && recv == EVENT_NONE)
		return REACT_NONE;
	if (!session_compare(p->panel.session, send, recv, before, after, &err))
		session_notice(p->panel.session, true, "%s", err.text);
	return REACT_REDRAW;
}

static unsigned enter_location(struct corrections_panel *p, uint32_t location)
{
	struct session *session = p->panel.session;

	session_set_cursor(session, location, session->cursor_time, EVENT_NONE);
	session->goto_view = "timeline";
	return REACT_REDRAW;
}

static unsigned turn(struct corrections_panel *p, int by)
{
	p->front = (enum pane)(((int)p->front + by) % PANES);
	make(p, p->front);
	return REACT_REDRAW;
}

static unsigned enter(struct corrections_panel *p)
{
	const struct row_thing thing = table_pane_thing(front(p));

	if (front(p)->cursor == ROW_NONE)
		return REACT_IGNORED;
	switch (thing.kind) {
	case THING_SEND: return compare(p, thing.id, thing.of, p->facts.before, p->facts.after);
	case THING_EVENT:
		return compare(p, thing.id, EVENT_NONE, p->panel.session->corrections->clc.from,
			       BASE_CLC);
	case THING_REGION: p->panel.session->goto_view = "profile"; return REACT_REDRAW;
	case THING_LOCATION: return enter_location(p, thing.id);
	default: return turn(p, 1);
	}
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct corrections_panel *p = (struct corrections_panel *)panel;

	switch (action) {
	case ACTION_ENTER: return enter(p);
	case ACTION_NEXT_PANE: return turn(p, 1);
	case ACTION_PREV_PANE: return turn(p, PANES - 1);
	case ACTION_SORT:
		/* The summary's lines belong below their headings. */
		if (p->front == PANE_SUMMARY)
			return REACT_IGNORED;
		break;
	default: break;
	}
	return table_pane_act(front(p), action, count, table_area(p, panel->area));
}

static void word(const struct panel *panel, struct str *out)
{
	static const char *const columns[PANES] = { "key",      "class",    "from",  "location",
						    "location", "location", "region" };
	const struct corrections_panel *p = (const struct corrections_panel *)panel;

	table_pane_word(front(p), columns[p->front], out);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct corrections_panel *p = (struct corrections_panel *)panel;
	const struct rect table = table_area(p, area);

	return y >= table.y ? table_pane_click(front(p), x, y, table) : REACT_NONE;
}

static struct table_pane *pane_in_front(const struct panel *panel)
{
	return front((const struct corrections_panel *)panel);
}

const struct panel_ops corrections_panel_ops = {
	.actions = actions,
	.enter_hint = "show it",
	.size = sizeof(struct corrections_panel),
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.word = word,
	.click = click,
	.pane = pane_in_front,
	TABLE_PANEL_SLOTS,
};
