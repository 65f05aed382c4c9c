/* The selection on its way from the view where it was made to those that land on it, and actions on
 * it that work in every view. */
#include <string.h>

#include "ui/app/application.h"
#include "views/explain/explaining.h"

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

/* Unless `again`, what a view landed on stays chosen where nothing was chosen since. */
static void take_selection(struct app *app, bool again)
{
	struct session *session = &app->session;
	const struct open_view *view = &app->views[app->view];
	const struct panel *panel = app_front(app)->ops->chosen ? app_front(app) : view->panel;
	struct selection selection;

	if (!panel->ops->chosen || !is_current(app, panel))
		return;
	selection = under_cursor(panel);
	if (selection_is_none(&selection) ||
	    (!again && panel == view->panel && view->landed == session->chosen_no &&
	     !selection_is_none(&session->chosen) && selection_same(&selection, &view->as)))
		return;
	const struct query query = session_query(session);
	selection_complete(&selection, &query);
	session_select(session, &selection);
	if (panel == view->panel)
		app_selection_seen(app, app->view);
}

void app_take_selection(struct app *app)
{
	take_selection(app, false);
}

void app_take_row(struct app *app)
{
	take_selection(app, true);
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

/* ---- actions ---- */

void app_act_search_this(struct app *app)
{
	const struct panel *panel = app_front(app);
	const struct trace *trace = app->session.trace;
	OWNED_STR word = STR_INIT;
	app_take_selection(app);
	if (panel->ops->search && panel->ops->word)
		panel->ops->word(panel, &word);
	else if (panel->ops->search && app->session.chosen.region != UINT32_MAX)
		str_add_clean_text(&word, trace_region_name(trace, app->session.chosen.region));
	if (!word.n) {
		session_notice(&app->session, false, "nothing to search for under the cursor");
	} else if (word.n + 5 < sizeof app->line.last_search && !strstr(word.text, "\\E")) {
		OWNED_STR pattern = STR_INIT;
		str_add_fmt(&pattern, "\\Q%s\\E", word.text);
		memcpy(app->line.last_search, pattern.text, pattern.n + 1);
		app_search(app, app->line.last_search, 1);
	}
}

/* What is selected; without anything, what is at the cursor that all views share. */
static bool find_subject(struct app *app, struct explain_subject *subject)
{
	struct session *session = &app->session;
	bool found;
	app_take_selection(app);
	app_busy_begin(app);
	const struct query query = session_query(session);
	found = selection_subject(&session->chosen, &query, subject);
	if (!app_busy_end(app))
		return false;
	if (!found && !selection_is_none(&session->chosen)) {
		session_notice(session, false, "no visit of it in this window to explain");
	} else if (!found && session->cursor.location < trace_location_count(session->trace)) {
		explain_time(subject, &query, session->cursor.location, session->cursor.time);
		found = true;
	}
	return found;
}

void app_act_explain(struct app *app)
{
	struct explain_subject subject;
	if (!find_subject(app, &subject))
		return;
	session_explain(&app->session, &subject);
	app_react(app, REACT_REDRAW);
}
