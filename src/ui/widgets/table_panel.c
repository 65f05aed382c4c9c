#include "ui/widgets/table_panel.h"

#include "views/facts/source_place.h"

bool table_panel_search(struct panel *panel, const char *pattern, int direction, struct err *err)
{
	return table_pane_search(panel->ops->pane(panel), pattern, direction, err);
}

bool table_panel_work(struct panel *panel, unsigned *reactions)
{
	return table_pane_work(panel->ops->pane(panel), panel->session, reactions);
}

bool table_panel_source(const struct panel *panel, struct source_place *place)
{
	return source_of_thing(panel->session->trace, table_pane_thing(panel->ops->pane(panel)),
			       place);
}

void table_panel_describe(const struct panel *panel, struct str *out)
{
	table_pane_describe(panel->ops->pane(panel), out);
}

void table_panel_status(const struct panel *panel, struct str *out)
{
	table_pane_status(panel->ops->pane(panel), out);
}
