/* :columns: which columns the table in front shows, and in which order. */
#include "ui/app/application.h"
#include "ui/widgets/table_layout.h"
#include "ui/widgets/table_pane.h"
#include "views/query/column_names.h"

static struct table_pane *pane_in_front(const struct app *app)
{
	const struct panel *panel = app->views[app->view].panel;
	struct table_pane *pane = panel && panel->ops->pane ? panel->ops->pane(panel) : NULL;

	return pane && pane->table ? pane : NULL;
}

bool app_columns(struct app *app, const char *argument, struct err *err)
{
	struct table_pane *pane = pane_in_front(app);
	unsigned shown[TABLE_COLUMNS], chosen[TABLE_COLUMNS], n = 0;

	if (!pane)
		return err_set(err, STATUS_USAGE, "this view has no table");
	if (!column_names_parse(pane->table, shown, table_layout_shown(pane, shown), argument,
				chosen, &n, err))
		return false;
	column_choices_keep(&app->session.columns, pane->table, chosen, n);
	table_pane_choose(pane, &app->session.columns);
	pane->first_column = 0;
	app->dirty = true;
	return true;
}

const char *app_columns_word(const struct app *app, unsigned i)
{
	const struct table_pane *pane = pane_in_front(app);
	const struct column *column = pane ? column_names_nth(pane->table, i) : NULL;

	return column ? column->name : NULL;
}
