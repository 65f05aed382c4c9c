/* Patterns of a run with statistics alone: the waiting of each statement of communication; Enter
 * goes to the program graph. */
#include "ui/panels/panels.h"
#include "ui/widgets/table_tabs.h"
#include "views/tables/patterns_records.h"

struct waiting_panel {
	struct table_tabs tabs;
};

static const enum action actions[] = { ACTION_ENTER, ACTION_SORT, ACTION_SEARCH_THIS,
				       TABLE_PANE_ACTIONS, ACTION_NONE };

/* Below a line that says what is not there. */
static struct rect table_area(const struct panel *panel, struct rect area)
{
	(void)panel;
	return (struct rect){ area.x, area.y + 1, area.w, area.h - 1 };
}

static struct table *make(struct panel *panel, unsigned tab, struct query *query, struct err *err)
{
	(void)panel;
	(void)tab;
	return patterns_records_new(query, err);
}

static void empty(const struct panel *panel, unsigned tab, struct str *out)
{
	(void)panel;
	(void)tab;
	str_add(out, "no statement waited");
}

static void draw(const struct panel *panel, struct canvas *canvas, struct rect area)
{
	table_pane_draw(table_tabs_front(panel), canvas, table_area(panel, area));
	canvas_write(canvas, area.x + 1, area.y, area.w - 2,
		     "Of records by statement: for causes and single waits record without "
		     "--statistics.",
		     ROLE_MUTED);
}

static unsigned act(struct panel *panel, enum action action, int count)
{
	if (action != ACTION_ENTER)
		return table_tabs_act(panel, action, count);
	panel->session->asked.goto_view = "graph";
	return REACT_REDRAW;
}

static const struct table_tabs_info tabs = {
	.tabs = { { "Waiting", "region", .counted = false } },
	.n = 1,
	.make = make,
	.empty = empty,
	.area = table_area,
};

const struct panel_ops waiting_panel_ops = {
	.actions = actions,
	.enter_hint = "graph",
	.size = sizeof(struct waiting_panel),
	.close = table_tabs_close,
	.requery = table_tabs_requery,
	.renew = table_tabs_renew,
	.draw = draw,
	.act = act,
	.land = table_tabs_land,
	.chosen = table_panel_chosen,
	.tabs = &tabs,
	TABLE_TABS_SLOTS,
};
