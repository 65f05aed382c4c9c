/* The selection on its way from the view where it was made to those that land on it. */
#include "ui/app/application.h"

/* Where a panel was not computed again since the session changed, its rows are those of before. */
static bool is_current(const struct app *app, const struct panel *panel)
{
	return panel == app->overlay ||
	       app->views[app->view].seen.generation == app->session.generation;
}

static struct selection under_cursor(const struct panel *panel)
{
	struct selection selection = SELECTION_NONE;

	if (panel->ops->chosen)
		panel->ops->chosen(panel, &selection);
	return selection;
}

void app_take_selection(struct app *app)
{
	struct session *session = &app->session;
	const struct open_view *view = &app->views[app->view];
	const struct panel *panel = app_front(app)->ops->chosen ? app_front(app) : view->panel;
	struct selection selection;

	if (!panel->ops->chosen || !is_current(app, panel))
		return;
	selection = under_cursor(panel);
	if (selection_is_none(&selection) ||
	    (panel == view->panel && view->landed == session->chosen_no &&
	     !selection_is_none(&session->chosen) && selection_same(&selection, &view->as)))
		return;
	const struct query query = session_query(session);
	selection_complete(&selection, &query);
	session_select(session, &selection);
	if (panel == view->panel)
		app_selection_seen(app, app->view);
}

void app_selection_seen(struct app *app, unsigned view)
{
	app->views[view].landed = app->session.chosen_no;
	app->views[view].as = under_cursor(app->views[view].panel);
}

bool app_land(struct app *app)
{
	const struct session *session = &app->session;
	struct panel *panel = app->views[app->view].panel;

	return app->views[app->view].landed == session->chosen_no ||
	       selection_is_none(&session->chosen) || !panel->ops->land ||
	       panel->ops->land(panel, &session->chosen);
}
