/* Commands about the table in front: which one, its order, its row; they do what keys do. And where
 * another view has been. */
#include <stdlib.h>
#include <string.h>

#include "ui/app/application.h"

static struct table_pane *pane_in_front(struct app *app, struct err *err)
{
	struct panel *panel = app_front(app);
	struct table_pane *pane = NULL;

	if (panel->ops->pane && app_refresh_in_order(app))
		pane = panel->ops->pane(panel);
	if (!pane || !pane->table)
		err_set(err, STATUS_USAGE, "there is no table in this view");
	return pane && pane->table ? pane : NULL;
}

static bool number(const char *argument, unsigned long long *n, struct err *err)
{
	char *end;

	*n = strtoull(argument, &end, 10);
	return (*argument >= '1' && *argument <= '9' && !*end) ||
	       err_set(err, STATUS_USAGE, "'%s' is not a number from 1", argument);
}

bool app_pane(struct app *app, const char *argument, struct err *err)
{
	struct panel *panel = app_front(app);
	unsigned long long n;

	if (!number(argument, &n, err))
		return false;
	if (!panel->ops->tabs || n > panel->ops->tabs->n)
		return err_set(err, STATUS_USAGE, "this view has no table %llu", n);
	if (app_refresh_in_order(app))
		app_react(app, table_tabs_show(panel, (unsigned)n - 1, false));
	return true;
}

/* The line of the table where the cursor's row is, and how wide cells are that were seen. */
bool app_table_line(struct app *app, const char *argument, struct err *err)
{
	struct table_pane *pane = pane_in_front(app, err);
	const size_t length = strcspn(argument, " ");
	OWNED_STR line = STR_INIT;
	unsigned long long n;

	str_add_n(&line, argument, length);
	if (!pane || !number(line.text, &n, err))
		return false;
	table_pane_take_widths(pane, argument + length);
	pane->cursor_y = n < INT16_MAX ? (int)n - 1 : INT16_MAX;
	app->dirty = true;
	return true;
}

bool app_row(struct app *app, const char *argument, struct err *err)
{
	struct table_pane *pane = pane_in_front(app, err);
	const size_t length = strcspn(argument, " ");
	OWNED_STR row = STR_INIT;
	unsigned long long n;

	str_add_n(&row, argument, length);
	if (!pane || !number(row.text, &n, err))
		return false;
	if (pane->table->ops->position || n > pane->table->rows)
		return err_set(err, STATUS_USAGE, "the table has no row %llu", n);
	app_act(app, ACTION_FIRST, 1);
	if (n > 1)
		app_act(app, ACTION_DOWN, n > INT32_MAX ? INT32_MAX : (int)n - 1);
	return !argument[length] ||
	       app_table_line(app, argument + length + strspn(argument + length, " "), err);
}

/* Steps through the columns, as the key does. */
bool app_sort(struct app *app, const char *argument, struct err *err)
{
	struct table_pane *pane = pane_in_front(app, err);
	const size_t n = strcspn(argument, " ");
	const bool up = strcmp(argument + n, " up") == 0;
	OWNED_STR name = STR_INIT;
	int column;

	if (!pane)
		return false;
	str_add_n(&name, argument, n);
	column = table_column(pane->table, name.text);
	if (column < 0 || (argument[n] && !up))
		return err_set(
			err, STATUS_USAGE,
			"there is no column '%s' (the first line of the export as CSV has them)",
			argument);
	for (unsigned i = 0; pane->table && i < pane->table->n_columns &&
			     pane->table->sorted_by != (unsigned)column;
	     i++)
		app_act(app, ACTION_SORT, 1);
	if (!pane->table || pane->table->sorted_by != (unsigned)column)
		return err_set(err, STATUS_USAGE, "the table cannot be sorted by %s", name.text);
	if (pane->table->descending == up)
		app_act(app, ACTION_REVERSE, 1);
	return true;
}

bool app_state(struct app *app, const char *argument, struct err *err)
{
	struct panel *panel = app->views[app->view].panel;

	if (!panel->ops->restore)
		return err_set(err, STATUS_USAGE, "this view has no state");
	if (!app_refresh_in_order(app))
		return true;
	app->session.generation++;
	app->dirty = true;
	return panel->ops->restore(panel, argument) ||
	       err_set(err, STATUS_USAGE, "state %s: that is not of this view and trace", argument);
}
