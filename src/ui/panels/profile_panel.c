/* The profile: regions of the window by time; Enter shows the call paths of one. */
#include <stdlib.h>
#include <string.h>

#include "ui/widgets/table_layout.h"
#include "ui/widgets/table_tabs.h"

enum pane { PANE_REGIONS, PANE_PATHS, PANES };

struct profile_panel {
	struct table_tabs tabs; /* without pane names: Enter goes down, Backspace up */
	uint32_t region;        /* region whose call paths are shown */
};

static const enum action actions[] = { ACTION_ENTER,       ACTION_BACK,        ACTION_SORT,
				       ACTION_SEARCH_THIS, TABLE_PANE_ACTIONS, ACTION_NONE };

static bool is_down(const struct panel *panel)
{
	return ((const struct profile_panel *)panel)->tabs.front == PANE_PATHS;
}

/* The title of the call paths takes a line. */
static struct rect table_area(const struct panel *panel, struct rect area)
{
	area.y += is_down(panel);
	area.h -= is_down(panel);
	return area;
}

static struct table *make(struct panel *panel, unsigned pane, struct query *query, struct err *err)
{
	return pane == PANE_REGIONS
		       ? profile_table_new(query, err)
		       : callpaths_table_new(query, ((struct profile_panel *)panel)->region, err);
}

static void empty(const struct panel *panel, unsigned pane, struct str *out)
{
	session_none(panel->session, pane == PANE_PATHS ? "call paths" : "regions", out);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct profile_panel *p = (const struct profile_panel *)panel;
	if (is_down(panel)) {
		OWNED_STR s = STR_INIT;
		str_add(&s, "call paths of ");
		str_add_clean_text(&s, trace_region_name(panel->session->trace, p->region));
		canvas_write(canvas, area.x + TABLE_MARGIN, area.y, area.w - TABLE_MARGIN, s.text,
			     ROLE_VALUE);
	}
	table_pane_draw(table_tabs_front(panel), canvas, table_area(panel, area));
}

/* From a call path to its call site. */
static unsigned enter_source(const struct panel *panel)
{
	struct session *session = panel->session;
	struct selection chosen = SELECTION_NONE;
	struct source_place place;
	uint32_t caller;
	if (table_tabs_front(panel)->cursor == ROW_NONE)
		return REACT_IGNORED;
	table_panel_chosen(panel, &chosen);
	if (selection_source(&chosen, session->trace, &place, &caller))
		session_show_source(session, &place);
	else
		session_no_line(session);
	return REACT_REDRAW;
}

static unsigned enter(struct panel *panel)
{
	const struct row_thing thing = table_pane_thing(table_tabs_front(panel));
	if (is_down(panel))
		return enter_source(panel);
	/* Statistics have no call paths but those of the graph. */
	if (thing.kind == THING_STATEMENT) {
		panel->session->asked.goto_view = "graph";
		return REACT_REDRAW;
	}
	if (thing.kind != THING_REGION)
		return REACT_IGNORED;
	((struct profile_panel *)panel)->region = thing.id;
	return table_tabs_show(panel, PANE_PATHS, true);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	if (action == ACTION_ENTER)
		return enter(panel);
	if (action == ACTION_BACK && is_down(panel))
		return table_tabs_show(panel, PANE_REGIONS, false);
	return table_tabs_act(panel, action, count);
}

/* Among call paths of another region: up to the regions. */
static bool land(struct panel *panel, const struct selection *selection)
{
	if (is_down(panel) && selection->region != UINT32_MAX &&
	    selection->region != ((struct profile_panel *)panel)->region)
		table_tabs_show(panel, PANE_REGIONS, false);
	return table_tabs_land(panel, selection);
}

/* The region may have another number in the new trace. */
static void renew(struct panel *panel)
{
	((struct profile_panel *)panel)->tabs.front = PANE_REGIONS;
	table_tabs_renew(panel);
}

static void commands(const struct panel *panel, struct str *out)
{
	if (is_down(panel))
		str_add_fmt(out, "state %u\n", ((const struct profile_panel *)panel)->region);
}

/* Which call paths; `pane` shows them. */
static bool restore(struct panel *panel, const char *numbers)
{
	char *end;
	const unsigned long region = strtoul(numbers, &end, 10);

	if (*end || region >= trace_region_count(panel->session->trace))
		return false;
	((struct profile_panel *)panel)->region = (uint32_t)region;
	return true;
}

static const struct table_tabs_info tabs = {
	.tabs = { [PANE_REGIONS] = { "Regions", "region" },
		  [PANE_PATHS] = { "Call paths", "region", "callpaths" } },
	.n = PANES,
	.make = make,
	.empty = empty,
	.area = table_area,
};

static void exported_of(const struct panel *panel, struct panel_choice *choice)
{
	if (is_down(panel))
		str_add_fmt(&choice->filter, "region_id == %u",
			    ((const struct profile_panel *)panel)->region);
}

const struct panel_ops profile_panel_ops = {
	.exported_of = exported_of,
	.actions = actions,
	.enter_hint = "go down",
	.size = sizeof(struct profile_panel),
	.close = table_tabs_close,
	.requery = table_tabs_requery,
	.renew = renew,
	.draw = draw,
	.act = act,
	.land = land,
	.commands = commands,
	.restore = restore,
	.tabs = &tabs,
	.chosen = table_panel_chosen,
	TABLE_TABS_SLOTS,
};
