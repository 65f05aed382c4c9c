#include "ui/widgets/table_panel.h"

bool table_panel_search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	const bool found = table_pane_search(panel->ops->pane(panel), pattern, direction, err);
	if (panel->ops->moved)
		panel->ops->moved(panel);
	return found;
}

bool table_panel_work(struct panel *panel, unsigned *reactions)
{
	struct table_pane *pane = panel->ops->pane(panel);
	const uint64_t before = pane->cursor;
	const bool more = table_pane_work(pane, panel->session, reactions);
	if (panel->ops->moved && pane->cursor != before)
		panel->ops->moved(panel);
	return more;
}

void table_panel_chosen(const struct panel *panel, struct selection *selection)
{
	const struct query query = session_query(panel->session);

	selection_of_thing(selection, &query, table_pane_thing(panel->ops->pane(panel)));
}

void table_panel_describe(const struct panel *panel, struct str *out)
{
	table_pane_describe(panel->ops->pane(panel), out);
}

void table_panel_status(const struct panel *panel, struct str *out)
{
	table_pane_status(panel->ops->pane(panel), out);
}
