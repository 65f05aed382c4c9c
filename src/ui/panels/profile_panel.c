/* The profile: regions of the window by time; Enter shows the call paths of one. */
#include <string.h>

#include "ui/widgets/panel.h"
#include "ui/widgets/table_panel.h"

struct profile_panel {
	struct panel panel;
	struct table_pane regions;
	struct table_pane paths;
	bool down;       /* the call paths are shown */
	uint32_t region; /* whose call paths */
	uint64_t generation;
};

static const enum action actions[] = { ACTION_ENTER,       ACTION_BACK,        ACTION_SORT,
				       ACTION_SEARCH_THIS, TABLE_PANE_ACTIONS, ACTION_NONE };

static struct table_pane *front(const struct profile_panel *p)
{
	return (struct table_pane *)(uintptr_t)(p->down ? &p->paths : &p->regions);
}

/* The title of the call paths takes a line. */
static struct rect pane_area(const struct profile_panel *p, struct rect area)
{
	if (p->down) {
		area.y++;
		area.h--;
	}
	return area;
}

static void query_paths(struct profile_panel *p)
{
	struct session *session = p->panel.session;
	struct err err = ERR_INIT;
	const struct query query = session_query(session);
	struct table *table = callpaths_table_new(&query, p->region, &err);
	if (!table && query_stopped(&query))
		return;
	if (!table)
		session_notice(session, true, "%s", err.text);
	table_pane_take(&p->paths, table);
	p->paths.empty = "no call paths in this window";
}

static void requery(struct panel *panel)
{
	struct profile_panel *p = (struct profile_panel *)panel;
	struct session *session = panel->session;
	if (p->generation == session->generation)
		return;
	struct err err = ERR_INIT;
	const struct query query = session_query(session);
	struct table *table = profile_table_new(&query, &err);
	if (!table && query_stopped(&query))
		return;
	if (!table)
		session_notice(session, true, "%s", err.text);
	table_pane_take(&p->regions, table);
	p->regions.empty = session->filter ? "no regions match the filter; f changes it"
					   : "no regions in this window";
	p->generation = session->generation;
	if (p->down)
		query_paths(p);
}

static void close_panel(struct panel *panel)
{
	struct profile_panel *p = (struct profile_panel *)panel;
	table_pane_fini(&p->regions);
	table_pane_fini(&p->paths);
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	const struct profile_panel *p = (const struct profile_panel *)panel;
	if (p->down) {
		struct str s = STR_INIT;
		const char *name = trace_region_name(panel->session->trace, p->region);
		str_add(&s, "call paths of ");
		str_add_clean(&s, name, strlen(name));
		canvas_text(canvas, area.x, area.y, area.w, s.text, ROLE_VALUE, ROLE_DEFAULT, 0);
		str_fini(&s);
	}
	table_pane_draw(front(p), canvas, pane_area(p, area));
}

/* From a call path to the line that it was called from. */
static unsigned enter_source(const struct profile_panel *p)
{
	struct session *session = p->panel.session;
	struct source_place place;
	if (p->paths.cursor == ROW_NONE)
		return REACT_IGNORED;
	if (table_panel_source(&p->panel, &place))
		session_show_source(session, &place);
	else
		session_notice(session, false, "no source line recorded; compile with -g");
	return REACT_REDRAW;
}

static unsigned enter(struct profile_panel *p)
{
	const struct row_thing thing = table_pane_thing(front(p));
	if (p->down)
		return enter_source(p);
	if (thing.kind != THING_REGION)
		return REACT_IGNORED;
	p->region = thing.id;
	p->down = true;
	query_paths(p);
	return REACT_REDRAW;
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	struct profile_panel *p = (struct profile_panel *)panel;
	if (action == ACTION_ENTER)
		return enter(p);
	if (action == ACTION_BACK && p->down) {
		p->down = false;
		return REACT_REDRAW;
	}
	return table_pane_act(front(p), action, count, pane_area(p, panel->area));
}

static void word(const struct panel *panel, struct str *out)
{
	table_pane_word(front((const struct profile_panel *)panel), "region", out);
}

static unsigned click(struct panel *panel, int x, int y, struct rect area)
{
	struct profile_panel *p = (struct profile_panel *)panel;
	return table_pane_click(front(p), x, y, pane_area(p, area));
}

static struct table_pane *pane_in_front(const struct panel *panel)
{
	return front((const struct profile_panel *)panel);
}

const struct panel_ops profile_panel_ops = {
	.actions = actions,
	.enter_hint = "go down",
	.size = sizeof(struct profile_panel),
	.close = close_panel,
	.requery = requery,
	.draw = draw,
	.act = act,
	.word = word,
	.source = table_panel_source,
	.click = click,
	.pane = pane_in_front,
	TABLE_PANEL_SLOTS,
};
