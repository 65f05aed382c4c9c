/* Views and overlays that come and go, and what panels ask for. */
#include <string.h>

#include "ui/app/application.h"

/* What would be lost at the end, as it is not kept with the trace; NULL: nothing. */
static const char *would_be_lost(const struct app *app)
{
	const struct session *s = &app->session;
	const char *given = app_given(app).filter;

	if (s->filter && !(given && strcmp(given, filter_text(s->filter)) == 0))
		return "the filter";
	if (app->has_bound && app_trace_count(app) < 2)
		return "the keys bound in this session";
	for (int i = 0; app->options->no_state && i < MARKS; i++)
		if (s->marks[i].set)
			return "the marks";
	return NULL;
}

/* Closes the trace, and with the last one the program, if nothing would be lost or it was said just
 * before. */
static void quit(struct app *app)
{
	const char *lost = app->warned ? NULL : would_be_lost(app);
	OWNED_STR end = STR_INIT, copy = STR_INIT;

	app->quit = !lost;
	if (!lost)
		return;
	bindings_add_key(app->options->bindings, ACTION_QUIT_ALL, &end);
	bindings_add_key(app->options->bindings, ACTION_COPY, &copy);
	if (app_trace_count(app) > 1)
		session_notice(&app->session, false,
			       "closing it loses %s; again closes, %s copies how to come back",
			       lost, copy.text);
	else
		session_notice(&app->session, false,
			       "this would end tview and lose %s; again, or %s, ends; %s copies "
			       "how to come back",
			       lost, end.text, copy.text);
	app->warned = true;
}

void app_pop_view(struct app *app)
{
	if (app->stack.n == 0) {
		quit(app);
		return;
	}
	app_show_view(app, vec_pop(&app->stack));
	/* Back means as it was. */
	app_selection_seen(app, app->view);
}

void app_close_overlay(struct app *app)
{
	panel_free(app->overlay);
	app->overlay = NULL;
	app->dirty = true;
}

void app_open_overlay(struct app *app, const struct panel_ops *ops)
{
	const bool same = app->overlay && app->overlay->ops == ops;
	if (app->overlay)
		app_close_overlay(app);
	if (same)
		return;
	app->overlay = panel_new(ops, &app->session);
	if (ops == &help_panel_ops)
		help_panel_about(app->overlay,
				 &(struct help_subject){
					 .title = app_view_info(app, app->view)->title,
					 .panel = app->views[app->view].panel,
					 .works_everywhere = app_knows,
					 .bindings = app->options->bindings,
					 .views = app->options->views,
					 .two_traces = app->options->n_others > 0 });
	app->dirty = true;
}

void app_react(struct app *app, unsigned reactions)
{
	if (reactions & (REACT_REDRAW | REACT_REQUERY))
		app->dirty = true;
	if (reactions & REACT_REQUERY)
		app->session.generation++;
	if (reactions & REACT_POP) {
		if (app->overlay)
			app_close_overlay(app);
		else
			app_pop_view(app);
	}
	if (app->session.asked.explaining) {
		app->session.asked.explaining = false;
		if (app->overlay)
			app_close_overlay(app);
		app_open_overlay(app, &explain_panel_ops);
	}
	const char *name = app->session.asked.goto_view;
	app->session.asked.goto_view = NULL;
	const struct view_info *info = name ? view_of_name(app->options->views, name) : NULL;
	if (!info)
		return;
	app_take_selection(app);
	const unsigned view = (unsigned)(info - app->options->views->views);
	/* The panel is made again, as another place may be asked for. */
	app_forget_view(app, view);
	if (view == app->view)
		return;
	vec_push(&app->stack, app->view);
	app_show_view(app, view);
}
