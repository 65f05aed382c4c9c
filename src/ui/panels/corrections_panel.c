/* The results of the corrections, in panes: a summary; the clock condition by base and class; the
 * pairs of locations that violated it; the clocks; the furthest moves of the logical clock; the
 * overhead by location and by region. All cover the whole run, without filter. Enter goes to the
 * timeline: to the pair's worst violation or the event that moved, in both time bases, or to the
 * location. */

#include "ui/widgets/table_tabs.h"
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
	struct table_tabs tabs;
	struct corrected facts;
};

static const enum action actions[] = { ACTION_ENTER, ACTION_NEXT_PANE,   ACTION_PREV_PANE,
				       ACTION_SORT,  TABLE_PANE_ACTIONS, ACTION_NONE };

/* ---- computing ---- */

/* Why a pane has no rows, in a sentence. */
static const char *why_empty(const struct panel *panel, unsigned pane)
{
	const struct corrections_panel *p = (const struct corrections_panel *)panel;
	const struct corrections *c = panel->session->corrections;

	if (!c)
		return "No corrections: cancelled, or not asked for.";
	switch (pane) {
	case PANE_CONDITION: return "The clock condition was not checked.";
	case PANE_PAIRS:
		return p->facts.check_before && p->facts.check_before->all.messages
			       ? "No message violates the clock condition, before or after."
			       : "No messages and no collectives, so nothing can violate "
				 "the clock condition.";
	case PANE_MOVES: return "The logical clock was not needed: no violations were left.";
	case PANE_OVERHEAD:
	case PANE_REGIONS:
		return c->overhead.why[0] && c->overhead.source != OVERHEAD_NONE
			       ? c->overhead.why
			       : "No measurement costs recorded; give them with --overhead.";
	default: return "This trace has no locations.";
	}
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	str_add(out, why_empty(panel, pane));
}

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	static struct table *(*const makers[PANES])(const struct query *query, struct err *err) = {
		[PANE_SUMMARY] = corrections_summary_new,
		[PANE_CONDITION] = corrections_classes_new,
		[PANE_PAIRS] = corrections_pairs_new,
		[PANE_CLOCKS] = corrections_clocks_new,
		[PANE_MOVES] = corrections_moves_new,
		[PANE_OVERHEAD] = corrections_overhead_new,
		[PANE_REGIONS] = corrections_regions_new,
	};

	(void)panel;
	return makers[pane](query, err);
}

static void requery(struct panel *panel)
{
	struct corrections_panel *p = (struct corrections_panel *)panel;

	p->facts = corrected_of(panel->session->trace, panel->session->corrections);
	table_tabs_requery(panel);
}

/* ---- drawing ---- */

/* How far to trust the figures below; "": no remark. */
static const char *caution(const struct corrections_panel *p)
{
	const struct corrections *c = p->tabs.panel.session->corrections;

	if ((p->tabs.front != PANE_OVERHEAD && p->tabs.front != PANE_REGIONS) || !c ||
	    !c->overhead.done)
		return "";
	switch (p->facts.trust) {
	case OVERHEAD_GREY:
		return "Doubtful: the overhead is more than 10 times the time that is left.";
	case OVERHEAD_UNCLAIMED:
		return "No estimate: the overhead is more than 30 times the time that is left.";
	default: return "Compared with " OVERHEAD_REFERENCE ".";
	}
}

static struct rect table_area(const struct panel *panel, struct rect area)
{
	const int top = *caution((const struct corrections_panel *)panel) ? 2 : 1;

	return (struct rect){ area.x, area.y + top, area.w, area.h - top };
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct corrections_panel *p = (const struct corrections_panel *)panel;
	const struct rect body = table_area(panel, area);
	const char *warn = caution(p);

	table_tabs_draw(panel, canvas, area);
	canvas_write(canvas, area.x + 1, area.y + 1, area.w - 2, warn,
		     p->facts.trust == OVERHEAD_TRUSTED ? ROLE_MUTED : ROLE_WARNING);
	if (*warn && p->facts.trust != OVERHEAD_TRUSTED)
		canvas_paint(canvas, (struct rect){ body.x, body.y + 1, body.w, body.h - 1 },
			     ROLE_MUTED, ROLE_KEEP, 0);
}

/* ---- acting ---- */

/* Shows both time bases in the timeline, one above the other. */
static unsigned compare(struct corrections_panel *p, uint32_t send, uint32_t recv,
			enum time_base before, enum time_base after)
{
	struct err err = ERR_INIT;

	if (send == EVENT_NONE && recv == EVENT_NONE)
		return REACT_NONE;
	if (!session_compare(p->tabs.panel.session, send, recv, before, after, &err))
		session_notice(p->tabs.panel.session, true, "%s", err.text);
	return REACT_REDRAW;
}

static unsigned enter_location(struct corrections_panel *p, uint32_t location)
{
	struct session *session = p->tabs.panel.session;

	session_set_cursor(session, location, session->cursor.time, EVENT_NONE);
	session->asked.goto_view = "timeline";
	return REACT_REDRAW;
}

static unsigned enter(struct corrections_panel *p)
{
	const struct row_thing thing = table_pane_thing(table_tabs_front(&p->tabs.panel));

	if (table_tabs_front(&p->tabs.panel)->cursor == ROW_NONE)
		return REACT_IGNORED;
	switch (thing.kind) {
	case THING_SEND: return compare(p, thing.id, thing.of, p->facts.before, p->facts.after);
	case THING_EVENT:
		return compare(p, thing.id, EVENT_NONE,
			       p->tabs.panel.session->corrections->clc.from, BASE_CLC);
	case THING_REGION: p->tabs.panel.session->asked.goto_view = "profile"; return REACT_REDRAW;
	case THING_LOCATION: return enter_location(p, thing.id);
	default: return table_tabs_act(&p->tabs.panel, ACTION_NEXT_PANE, 1);
	}
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	return action == ACTION_ENTER ? enter((struct corrections_panel *)panel)
				      : table_tabs_act(panel, action, count);
}

static const struct table_tabs_info tabs = {
	.tabs = {
		[PANE_SUMMARY] = { "Summary", "key", .fixed = true, .breaks = true },
		[PANE_CONDITION] = { "Condition", "class", "corrections-classes" },
		[PANE_PAIRS] = { "Pairs", "from", "corrections-pairs", .counted = true },
		[PANE_CLOCKS] = { "Clocks", "location", "corrections-clocks", .counted = true },
		[PANE_MOVES] = { "Moves", "location", "corrections-moves", .counted = true },
		[PANE_OVERHEAD] = { "Overhead", "location", "corrections-overhead" },
		[PANE_REGIONS] = { "Regions", "region", "corrections-regions" },
	},
	.n = PANES,
	.whole_run = true,
	.make = make,
	.empty = empty,
	.area = table_area,
};

const struct panel_ops corrections_panel_ops = {
	.actions = actions,
	.enter_hint = "show it",
	.size = sizeof(struct corrections_panel),
	.close = table_tabs_close,
	.requery = requery,
	.draw = draw,
	.act = act,
	.land = table_tabs_land,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	TABLE_TABS_SLOTS,
};
