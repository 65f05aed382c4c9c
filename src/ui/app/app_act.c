/* Actions that work in every view, and who handles an action: the overlay, the panel in front, or
 * these. */
#include <string.h>

#include "model/trace/detail.h"
#include "ui/app/application.h"
#include "views/query/view_common.h"

static void go_on_view(struct app *app, int by)
{
	const unsigned n = app->options->views->n;
	unsigned view = app->view;
	do
		view = (view + n + (unsigned)by) % n;
	while (!app_in_row(app, view));
	app_take_selection(app);
	app_open_view(app, app_view_info(app, view));
}

void app_zoom_at(struct app *app, bool in, int64_t at)
{
	struct session *session = &app->session;
	const double factor = in ? 0.5 : 2;
	const struct span w = session->window;
	const double left = (double)(at - w.t0) * factor, right = (double)(w.t1 - at) * factor;
	/* Limits the window to the run's width, so that no sum exceeds 64 bits. */
	const double run = (double)(session->run.t1 - session->run.t0);
	const struct span limit = session_zoom_limit(session);
	const int64_t t0 = at - (int64_t)(left < run ? left : run);
	const int64_t t1 = at + (int64_t)(right < run ? right : run);
	session_zoom(session, t0 > limit.t0 ? t0 : limit.t0, t1 < limit.t1 ? t1 : limit.t1);
}

/* Zooms in or out around the cursor's time. */
static void zoom(struct app *app, int in)
{
	const struct session *session = &app->session;
	const struct span w = session->window;
	const bool inside = session->cursor.time >= w.t0 && session->cursor.time < w.t1;

	app_zoom_at(app, in, inside ? session->cursor.time : w.t0 + (w.t1 - w.t0) / 2);
}

static void pan_by(struct app *app, int quarters)
{
	const struct span w = app->session.window;
	session_pan(&app->session, (w.t1 - w.t0) / 4 * quarters);
}

static void act_whole_run(struct app *app)
{
	session_whole_run(&app->session);
}

static void act_zoom_item(struct app *app)
{
	struct session *session = &app->session;
	if (session->selection.t1 > session->selection.t0)
		session_zoom(session, session->selection.t0, session->selection.t1);
	else
		session_notice(session, false, "nothing is selected; press %s to start",
			       session_key(session, ACTION_SELECT).text);
}

static void act_undo(struct app *app)
{
	if (!session_undo(&app->session))
		session_notice(&app->session, false, "nothing to undo");
}

static void act_redo(struct app *app)
{
	if (!session_redo(&app->session))
		session_notice(&app->session, false, "nothing to redo");
}

static void act_show_all(struct app *app)
{
	session_show_all(&app->session);
}

static void act_search(struct app *app)
{
	if (app_front(app)->ops->search)
		app_prompt_begin(app, PROMPT_SEARCH, "");
	else
		session_notice(&app->session, true, "there is nothing to search in this view");
}

static void search_again(struct app *app, int direction)
{
	if (app->line.last_search[0])
		app_search(app, app->line.last_search, direction);
	else
		session_notice(&app->session, false, "no search yet; press %s",
			       session_key(&app->session, ACTION_SEARCH).text);
}

static void act_filter(struct app *app)
{
	app_prompt_begin(app, PROMPT_FILTER,
			 app->session.filter ? filter_text(app->session.filter) : "");
}

static void act_sequence(struct app *app)
{
	const struct sequence *sequence = app->session.sequence.sequence;
	app_prompt_begin(app, PROMPT_SEQUENCE, sequence ? sequence_text(sequence) : "");
}

static void act_command(struct app *app)
{
	app_prompt_begin(app, PROMPT_COMMAND, "");
}

static void act_counter(struct app *app)
{
	if (trace_metric_count(app->session.trace) == 0)
		session_notice(&app->session, false, "this trace has no counters");
	else
		app_prompt_begin(app, PROMPT_COMMAND, "counter ");
}

static void act_export(struct app *app)
{
	OWNED_STR name = STR_INIT;
	str_add_fmt(&name, "%s.txt", app_exported(app));
	app_prompt_begin(app, PROMPT_EXPORT, name.text);
}

static void act_legend(struct app *app)
{
	app_open_overlay(app, &legend_panel_ops);
}

static void act_help(struct app *app)
{
	app_open_overlay(app, &help_panel_ops);
}

static void act_cancel(struct app *app)
{
	struct session *session = &app->session;
	if (app->overlay) {
		app_close_overlay(app);
	} else if (session->selecting || session->selection.t1 > session->selection.t0) {
		session->selecting = false;
		session->selection = (struct span){ 0, 0 };
	} else {
		struct panel *panel = app_front(app);
		if (panel->ops->search)
			panel->ops->search(panel, "", 1, NULL);
	}
}

static void act_redraw(struct app *app)
{
	screen_forget(app->screen);
}

static void act_suspend(struct app *app)
{
	screen_suspend(app->screen);
}

static void act_back(struct app *app)
{
	if (app->overlay)
		app_close_overlay(app);
	else if (app->stack.n)
		app_pop_view(app);
}

/* q goes back like Backspace, and quits if there is no earlier view. */
static void act_up_or_quit(struct app *app)
{
	struct panel *panel = app->views[app->view].panel;
	if (app->overlay) {
		app_close_overlay(app);
		return;
	}
	const unsigned reactions = panel_act(panel, ACTION_BACK, 1);
	if (reactions & REACT_IGNORED)
		app_pop_view(app);
	else
		app_react(app, reactions);
}

static const struct {
	enum action action;
	void (*act)(struct app *app); /* or `act_with` */
	void (*act_with)(struct app *app, int argument);
	int argument;
	bool of_panel; /* needs the panel in front, which is refreshed first */
} everywhere[] = {
	{ ACTION_NEXT_PANE, .act_with = go_on_view, .argument = 1 },
	{ ACTION_PREV_PANE, .act_with = go_on_view, .argument = -1 },
	{ ACTION_BACK, .act = act_back },
	{ ACTION_ZOOM_IN, .act_with = zoom, .argument = true },
	{ ACTION_ZOOM_OUT, .act_with = zoom, .argument = false },
	{ ACTION_PAN_LEFT, .act_with = pan_by, .argument = -1 },
	{ ACTION_PAN_RIGHT, .act_with = pan_by, .argument = 1 },
	{ ACTION_WHOLE_RUN, .act = act_whole_run },
	{ ACTION_ZOOM_ITEM, .act = act_zoom_item },
	{ ACTION_UNDO, .act = act_undo },
	{ ACTION_REDO, .act = act_redo },
	{ ACTION_SHOW_ALL, .act = act_show_all },
	{ ACTION_CLEAR, .act = app_act_clear },
	{ ACTION_JUMP_BACK, .act_with = app_act_jump, .argument = -1 },
	{ ACTION_JUMP_FORTH, .act_with = app_act_jump, .argument = 1 },
	{ ACTION_SEARCH, .act = act_search, .of_panel = true },
	{ ACTION_SEARCH_NEXT, .act_with = search_again, .argument = 1, .of_panel = true },
	{ ACTION_SEARCH_PREV, .act_with = search_again, .argument = -1, .of_panel = true },
	{ ACTION_SEARCH_THIS, .act = app_act_search_this, .of_panel = true },
	{ ACTION_FILTER, .act = act_filter },
	{ ACTION_SEQUENCE, .act = act_sequence },
	{ ACTION_COUNTER, .act = act_counter },
	{ ACTION_MARK_SET, .act_with = app_await_mark, .argument = ACTION_MARK_SET },
	{ ACTION_MARK_GO, .act_with = app_await_mark, .argument = ACTION_MARK_GO },
	{ ACTION_NEXT_BASE, .act = app_act_next_base },
	{ ACTION_DIFFERENCE, .act = app_act_difference },
	{ ACTION_COPY, .act = app_act_copy, .of_panel = true },
	{ ACTION_COPY_TEXT, .act = app_act_copy_text, .of_panel = true },
	{ ACTION_COPY_LINE, .act = app_act_copy_details, .of_panel = true },
	{ ACTION_EXPORT, .act = act_export, .of_panel = true },
	{ ACTION_EXPLAIN, .act = app_act_explain, .of_panel = true },
	{ ACTION_SOURCE, .act = app_act_source, .of_panel = true },
	{ ACTION_EDIT, .act = app_act_edit, .of_panel = true },
	{ ACTION_LEGEND, .act = act_legend },
	{ ACTION_HELP, .act = act_help },
	{ ACTION_COMMAND, .act = act_command },
	{ ACTION_NEXT_TRACE, .act_with = app_act_next_trace, .argument = 1 },
	{ ACTION_PREV_TRACE, .act_with = app_act_next_trace, .argument = -1 },
	{ ACTION_TUTOR, .act = app_act_tutor },
	{ ACTION_TUTOR_BACK, .act_with = app_act_tutor_go, .argument = -1 },
	{ ACTION_TUTOR_NEXT, .act_with = app_act_tutor_go, .argument = 1 },
	{ ACTION_TUTOR_END, .act = app_act_tutor_end },
	{ ACTION_LIVE_HOLD, .act = app_live_hold },
	{ ACTION_LIVE_SLOWER, .act_with = app_live_change, .argument = 1 },
	{ ACTION_LIVE_FASTER, .act_with = app_live_change, .argument = -1 },
	{ ACTION_CANCEL, .act = act_cancel, .of_panel = true },
	{ ACTION_REDRAW, .act = act_redraw },
	{ ACTION_SUSPEND, .act = act_suspend },
	{ ACTION_QUIT, .act = act_up_or_quit, .of_panel = true },
	{ ACTION_QUIT_ALL, .act = app_end },
};

bool app_knows(enum action action)
{
	for (size_t i = 0; i < ARRAY_SIZE(everywhere); i++)
		if (everywhere[i].action == action)
			return true;
	return false;
}

/* Lets the panel in front act; false if it does not handle the action. */
static bool act_panel(struct app *app, enum action action, int count)
{
	struct panel *panel = app_front(app);
	panel->area = app_front_area(app);
	if (!panel_knows(panel, action))
		return false;
	if (!app->overlay && !app_refresh_in_order(app))
		return true;
	app_busy_begin(app);
	const unsigned reactions = panel_act(panel, action, count);
	app_busy_end(app);
	if (reactions & REACT_IGNORED)
		return false;
	app_react(app, reactions);
	return true;
}

static void act(struct app *app, enum action action, int count)
{
	app->dirty = true;
	/* The application handles leaving; it asks the panel itself. */
	if (action != ACTION_QUIT && act_panel(app, action, count))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(everywhere); i++) {
		if (everywhere[i].action == action) {
			if (everywhere[i].of_panel && !app->overlay && !app_refresh_in_order(app))
				return;
			if (everywhere[i].act)
				everywhere[i].act(app);
			else
				everywhere[i].act_with(app, everywhere[i].argument);
			return;
		}
	}
	OWNED_STR key = STR_INIT;
	bindings_add_key(app->options->bindings, action, &key);
	session_notice(&app->session, false,
		       key.n ? "no %s (%s) in this view" : "no %s%s in this view", key.text,
		       action_info(action)->command);
}

/* What goes elsewhere, further than to the next row or event. */
static bool jumps(enum action action)
{
	static const enum action all[] = {
		ACTION_ENTER,         ACTION_BACK,        ACTION_QUIT,        ACTION_MESSAGE_BACK,
		ACTION_MESSAGE_FORTH, ACTION_PREV_WAIT,   ACTION_NEXT_WAIT,   ACTION_NEXT_MARKER,
		ACTION_SEARCH_NEXT,   ACTION_SEARCH_PREV, ACTION_SEARCH_THIS, ACTION_FIRST,
		ACTION_LAST,          ACTION_SOURCE,      ACTION_NEXT_PANE,   ACTION_PREV_PANE
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] == action)
			return true;
	return false;
}

void app_act(struct app *app, enum action action, int count)
{
	const bool jump = jumps(action);
	const struct place from = jump ? app_place(app) : (struct place){ .view = app->view };
	act(app, action, count);
	if (jump)
		app_jumped(app, &from);
}
