/* The loop around a trace on the screen: signals, keys, the analysis in the background. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"
#include "model/trace/program.h"
#include "ui/app/application.h"

/* LOADING_SHOWN_MS: a trace that loads faster has no loading screen. */
enum { LOADING_SHOWN_MS = 100, INPUTS_A_FRAME = 64 };

/* Interval at which the progress of an analysis is shown. */
enum { ANALYSING_MS = 500 };

const struct view_info *app_view_info(const struct app *app, unsigned view)
{
	return &app->options->views->views[view];
}

/* Some views need two traces. */
static bool app_has_view(const struct app *app, unsigned view)
{
	const struct view_info *info = app_view_info(app, view);
	return info->panel && (!info->two_traces || app->options->n_others);
}

bool app_in_row(const struct app *app, unsigned view)
{
	return app_has_view(app, view) &&
	       (!app_view_info(app, view)->tab_in_front || view == app->view);
}

struct panel *app_front(const struct app *app)
{
	return app->overlay ? app->overlay : app->views[app->view].panel;
}

void app_show_view(struct app *app, unsigned view)
{
	const struct view_info *info = app_view_info(app, view);
	const bool empty = !info->without_events && !info->panel_without_events &&
			   trace_records_alone(app->session.trace);
	const bool records = info->records_panel && trace_records_alone(app->session.trace);
	if (!app->views[view].panel)
		app->views[view].panel = panel_new(records ? info->records_panel
						   : empty ? &no_events_panel_ops
							   : info->panel,
						   &app->session);
	app->view = view;
	app->dirty = true;
}

bool app_open_view(struct app *app, const struct view_info *view)
{
	const unsigned at = (unsigned)(view - app->options->views->views);
	if (!app_has_view(app, at)) {
		session_notice(&app->session, false,
			       "only one trace is open; start as: tview OLD TRACE");
		return false;
	}
	const bool first = !app->views[app->view].panel;
	struct place from = { .view = at };
	if (!first)
		from = app_place(app);
	app->stack.n = 0;
	session_compare_end(&app->session);
	app_show_view(app, at);
	if (!first)
		app_jumped(app, &from);
	return true;
}

void app_forget_view(struct app *app, unsigned view)
{
	app->views[view].seen.generation = 0;
}

/* ---- the loop ---- */

static void end_of_terminal(struct app *app)
{
	app_end(app);
	err_set(app->err, STATUS_IO, "the terminal is gone");
}

static void handle_signals(struct app *app)
{
	for (int number; (number = signals_next(app->signals)) != 0;) {
		switch (number) {
		case SIGWINCH:
			screen_resize(app->screen);
			app->dirty = true;
			break;
		case SIGTSTP:
			screen_suspend(app->screen);
			app->dirty = true;
			break;
		case SIGCONT:
			screen_forget(app->screen);
			app->dirty = true;
			break;
		case SIGPIPE: break;
		case SIGHUP: end_of_terminal(app); break;
		default:
			app_end(app);
			err_set(app->err, 128 + number, "ended by signal %d", number);
		}
	}
}

static void handle_keys(struct app *app)
{
	struct input input;
	if (screen_at_end(app->screen)) {
		end_of_terminal(app);
		return;
	}
	for (int i = 0; i < INPUTS_A_FRAME && !app_leaves(app) && app_next_input(app, &input); i++)
		app_input(app, &input);
}

static bool is_seen(const struct seen *seen, const struct session *session, struct rect area)
{
	return memcmp(&seen->area, &area, sizeof area) == 0 &&
	       seen->generation == session->generation &&
	       seen->location == session->cursor.location && seen->event == session->cursor.event &&
	       seen->time == session->cursor.time;
}

static void requery(struct panel *panel, struct seen *seen)
{
	const struct session *session = panel->session;

	if (panel->ops->requery)
		panel->ops->requery(panel);
	/* The panel may have moved the cursor itself. */
	*seen = (struct seen){ session->generation, session->cursor.location, session->cursor.event,
			       session->cursor.time, panel->area };
}

bool app_refresh_view(struct app *app)
{
	struct panel *panel = app->views[app->view].panel;
	const struct session *session = &app->session;
	struct open_view *view = &app->views[app->view];
	struct seen seen;
	panel->area = app_view_area(app);
	if (app->overlay && app->overlay->ops->requery)
		app->overlay->ops->requery(app->overlay);
	if (is_seen(&view->seen, session, panel->area) && view->landed == session->chosen_no)
		return true;
	/* The panel under an overlay waits for it to close, unless drawing needs its result. */
	const bool under =
		app->overlay && !app->overlay->ops->height && !app->overlay->ops->covers_part;
	if (app_busy_given_up(app) || (under && !panel->ops->draws_current_only))
		return true;
	app_busy_begin(app);
	requery(panel, &seen);
	const bool anew = view->landed != session->chosen_no;
	const bool landed = !session_stopped(session) && app_land(app);
	if (!is_seen(&seen, session, panel->area))
		requery(panel, &seen);
	if (!app_busy_end(app))
		return false;
	view->seen = seen;
	if (anew && landed)
		app_selection_seen(app, app->view);
	app->dirty = true;
	return true;
}

static void fit_canvas(struct app *app)
{
	int w, h;
	screen_size(app->screen, &w, &h);
	if (app->canvas.w != w || app->canvas.h != h)
		canvas_resize(&app->canvas, w, h);
}

static void show(struct app *app)
{
	int x = -1, y = 0;
	app->canvas.mono = screen_mono(app->screen);
	app_draw(app, &x, &y);
	screen_show(app->screen, &app->canvas, x, y);
	app->dirty = false;
	/* Analyses the events while the user looks at the first screen. */
	if (app->has_session)
		analyses_begin(app->session.analyses, app->session.base);
}

/* ---- the analysis in the background ---- */

/* After a step of the analysis: panels show its results so far. */
static void analyses_have_told(struct app *app, struct analyses *analyses)
{
	struct graph_sizes sizes; /* with them comes the graph */
	struct err err = ERR_INIT;

	if (!analyses_told(analyses))
		return;
	app->session.generation++;
	app->dirty = true;
	app_live_told(app);
	if (analyses_trouble(analyses, &err))
		session_notice(&app->session, true, "%s", err.text);
	if (analyses == app->session.analyses)
		analyses_sizes(analyses, app->session.base, false, NULL, &sizes);
	if (!analyses_state(analyses).busy)
		heap_release();
}

static bool analysing(const struct app *app)
{
	return app->has_session && analyses_state(app->session.analyses).busy;
}

bool app_work(struct app *app)
{
	if (!app->has_session)
		return false;
	bool more = app_prompt_work(app);
	/* A panel below an overlay goes on working while part of it is visible. */
	struct panel *const panels[] = { app->overlay,
					 !app->overlay || app->overlay->ops->height ||
							 app->overlay->ops->covers_part
						 ? app->views[app->view].panel
						 : NULL };
	for (int i = 0; i < 2; i++) {
		unsigned reactions = REACT_NONE;
		if (!panels[i] || !panels[i]->ops->work)
			continue;
		more |= panels[i]->ops->work(panels[i], &reactions);
		app_react(app, reactions);
	}
	return more;
}

static bool wait_for(struct app *app, int timeout)
{
	const struct other *other = app->has_session ? app->session.other : NULL;
	const int live = app_live_wait(app), play = app_play_wait(app);
	struct pollfd fds[7] = {
		{ .fd = screen_fd(app->screen), .events = POLLIN },
		{ .fd = app->signals->fd, .events = POLLIN },
		{ .fd = app->load.panel ? loader_fd(loading_panel_loader(app->load.panel)) : -1,
		  .events = POLLIN },
		{ .fd = app->cache.fd, .events = POLLIN },
		{ .fd = app->has_session ? analyses_fd(app->session.analyses) : -1,
		  .events = POLLIN },
		{ .fd = other ? analyses_fd(other->analyses) : -1, .events = POLLIN },
		{ .fd = app_live_fd(app), .events = POLLIN },
	};
	if (app->typed.n)
		timeout = 0;
	else if (live >= 0 && (timeout < 0 || live < timeout))
		timeout = live;
	if (play >= 0 && (timeout < 0 || play < timeout))
		timeout = play;
	const int ready = poll(fds, 7, timeout);
	if (ready < 0 && errno != EINTR)
		return err_errno(app->err, STATUS_IO, "cannot wait for keys");
	/* The status line shows the progress of the analysis. */
	app->dirty |= ready == 0 && timeout > 0 && app->has_session;
	if (fds[4].revents)
		analyses_have_told(app, app->session.analyses);
	if (fds[5].revents)
		analyses_have_told(app, other->analyses);
	if (fds[1].revents)
		handle_signals(app);
	if (fds[3].revents)
		app_cache_told(app);
	app_live_go_on(app);
	app_play_go_on(app);
	if (app->typed.n || fds[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL))
		handle_keys(app);
	return !app->load.panel || !fds[2].revents || app_loading_update(app);
}

void app_loop(struct app *app)
{
	/* Most traces load at once: do not flash a loading screen. */
	if (app->load.panel && !wait_for(app, LOADING_SHOWN_MS))
		return;
	bool more = false;
	while (!app_leaves(app)) {
		const struct seen before = app->views[app->view].seen;
		fit_canvas(app);
		if (app->has_session && !app_refresh_view(app)) {
			if (!wait_for(app, 0))
				return;
			more = !app_leaves(app) && app_work(app);
			continue;
		}
		if (app->has_session)
			app_tutor_look(app);
		/* A refreshed view may have left work to do between keys. */
		more |= memcmp(&before, &app->views[app->view].seen, sizeof before) != 0;
		app_cache_look(app);
		if (app->dirty)
			show(app);
		/* The cache file should include what the analysis finds; and only without other
		 * threads can the process fork safely, whatever locks its libraries use. */
		if (app->has_session && !more && !analysing(app) && !app_others_work(app))
			app_cache_begin(app);
		if (app->has_session && !more && !analysing(app) && app_run_next(app))
			continue;
		if (!wait_for(app, more ? 0 : analysing(app) ? ANALYSING_MS : -1))
			return;
		/* Show the effect of a key before work goes on. */
		more = !app_leaves(app) && (app->dirty || app_work(app));
	}
}
