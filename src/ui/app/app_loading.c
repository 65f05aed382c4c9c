/* The time while a trace is being read: keys, the frame around the growing picture, and the change
 * to the session. */
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "ui/app/application.h"

enum { AHEAD_MOST = 1000 };

/* ---- from the loader to the session ---- */

/* Opens the trace at the window that was shown while it was loading. */
static bool go_on_there(struct app *app)
{
	struct session *session = &app->session;
	struct span window;
	uint32_t location;
	const bool moved = loading_panel_place(app->load.panel, &window, &location);

	if (!moved)
		return false;
	session_zoom(session, window.t0, window.t1);
	session_set_cursor(session, location < trace_location_count(session->trace) ? location : 0,
			   session->window.t0 + (session->window.t1 - session->window.t0) / 2,
			   EVENT_NONE);
	return true;
}

bool app_begin_session(struct app *app, struct trace *trace, struct corrections *corrections)
{
	const struct app_options *options = app->options;
	const char *name = options->view;
	session_init(&app->session, trace, trace_default_base(trace));
	session_take_corrections(&app->session, corrections);
	app->session.other = app->load.other;
	app->load.other = NULL;
	app->has_session = true;
	app_busy_init(app);
	app->session.ascii = app->canvas.ascii;
	app->session.bindings = options->bindings;
	app_tutor_begin(app);
	if (!app_prepare(app))
		return false;
	if (!options->no_state)
		app_state_restore(app);
	if (app->load.panel && go_on_there(app) && !name)
		name = "timeline";
	const struct view_info *view =
		name ? view_of_name(options->views, name) : options->views->views;
	if (!view)
		return err_set(app->err, STATUS_USAGE, "there is no view '%s'", name);
	if (!app_open_view(app, view))
		return err_set(app->err, STATUS_IO, "%s", app->session.notice);
	if (options->notice)
		session_notice(&app->session, true, "%.*s", (int)strcspn(options->notice, "\n"),
			       options->notice);
	app->greets = app->screen && !app->beside && app_state_is_first(app);
	app_cache_notice(app);
	app_live_begin(app);
	return true;
}

bool app_begin_loading(struct app *app)
{
	const struct app_options *options = app->options;
	const char *path = app->load.n_others < options->n_others
				   ? options->others[app->load.n_others]
				   : app->load.source;
	struct loader *loader;

	str_clean(app->load.path, sizeof app->load.path, path, strlen(path));
	loader = loader_new(path, &app->load.options, options->correct, app->err);
	if (!loader)
		return false;
	app->load.panel = panel_new(&loading_panel_ops, NULL);
	loading_panel_begin(app->load.panel, loader);
	return true;
}

/* Keeps a trace to compare with, and loads the next one. */
static bool take_other(struct app *app, struct trace *trace, struct corrections *corrections)
{
	const enum time_base base = trace_default_base(trace);

	if (!app->load.other)
		app->load.other = other_new(trace, corrections, base);
	else if (!other_repeat(app->load.other, trace, corrections, base))
		return err_set(app->err, STATUS_USAGE, "--baseline takes at most %d traces",
			       DELTA_REPEATED);
	app->load.n_others++;
	panel_free(app->load.panel);
	app->load.panel = NULL;
	return app_begin_loading(app);
}

bool app_loading_update(struct app *app)
{
	app->dirty = true;
	if (loading_panel_update(app->load.panel))
		return true;
	struct corrections *corrections;
	char why[WHY_BYTES];
	struct trace *trace =
		loader_take(loading_panel_loader(app->load.panel), &corrections, why, app->err);
	if (!trace && !app->quit && !err_is_set(app->err))
		err_set(app->err, STATUS_IO, "loading was stopped");
	/* The help explains keys that have changed now. */
	app_close_overlay(app);
	if (trace && !trace_base_make(trace, trace_default_base(trace), NULL, app->err)) {
		corrections_free(corrections);
		trace_free(trace);
		trace = NULL;
	}
	if (trace && app->load.n_others < app->options->n_others)
		return take_other(app, trace, corrections);
	const bool ok = trace && app_begin_session(app, trace, corrections);
	for (size_t i = 0; ok && i < app->load.ahead.n; i++)
		vec_push(&app->typed, app->load.ahead.data[i]);
	if (ok && *why)
		session_notice(&app->session, false, "%s; times are %s", why,
			       time_base_name(app->session.base));
	panel_free(app->load.panel);
	app->load.panel = NULL;
	return ok;
}

/* ---- keys ---- */

static bool works(enum action action)
{
	return action == ACTION_HELP || action == ACTION_REDRAW || action == ACTION_SUSPEND ||
	       action == ACTION_NEXT_TRACE || action == ACTION_PREV_TRACE ||
	       action == ACTION_QUIT || action == ACTION_QUIT_ALL;
}

static void toggle_help(struct app *app)
{
	if (app->overlay) {
		app_close_overlay(app);
		return;
	}
	app->overlay = panel_new(&help_panel_ops, NULL);
	help_panel_about(app->overlay, &(struct help_subject){ .title = "Loading",
							       .panel = app->load.panel,
							       .bindings = app->options->bindings,
							       .works_everywhere = works });
}

/* False: what is there now has no such action. */
static bool act(struct app *app, enum action action, int count)
{
	struct panel *panel = app->overlay ? app->overlay : app->load.panel;
	const bool leaves =
		action == ACTION_CANCEL || action == ACTION_QUIT || action == ACTION_BACK;
	app->dirty = true;
	panel->area = app_body(app);
	if (app->overlay && leaves) {
		app_close_overlay(app);
		return true;
	}
	switch (action) {
	case ACTION_HELP: toggle_help(app); return true;
	case ACTION_REDRAW: screen_forget(app->screen); return true;
	case ACTION_SUSPEND: screen_suspend(app->screen); return true;
	case ACTION_NEXT_TRACE: app_act_next_trace(app, 1); return true;
	case ACTION_PREV_TRACE: app_act_next_trace(app, -1); return true;
	case ACTION_QUIT: app->quit = true; return true;
	case ACTION_QUIT_ALL: app_end(app); return true;
	default: break;
	}
	const unsigned reactions = panel_act(panel, action, count);
	if (reactions & REACT_POP)
		app_close_overlay(app);
	return app->overlay || !(reactions & REACT_IGNORED);
}

/* What only a session can do waits for it, and so do the keys after it; not those that leave,
 * unless they may belong to a line. */
static void take_key(struct app *app, const struct input *input)
{
	const enum action action = bindings_find(app->options->bindings, input->key).action;
	const bool leaves = action == ACTION_CANCEL || action == ACTION_QUIT_ALL ||
			    (action == ACTION_QUIT && !app->load.ahead_types);

	if ((!app->load.ahead.n || leaves) && act(app, action, 1))
		return;
	app->load.ahead_types |=
		action == ACTION_SEARCH || action == ACTION_FILTER || action == ACTION_COMMAND;
	if (app->load.ahead.n < AHEAD_MOST)
		vec_push(&app->load.ahead, *input);
	app->dirty = true;
}

void app_loading_input(struct app *app, const struct input *input)
{
	if (input->kind == INPUT_KEY) {
		take_key(app, input);
	} else if (input->kind == INPUT_WHEEL_UP || input->kind == INPUT_WHEEL_DOWN) {
		const bool up = input->kind == INPUT_WHEEL_UP;
		if (input->ctrl)
			act(app, up ? ACTION_ZOOM_IN : ACTION_ZOOM_OUT, 1);
		else
			act(app, up ? ACTION_UP : ACTION_DOWN, 3);
	}
}

/* ---- the frame ---- */

static void draw_title(const struct app *app, struct canvas *canvas)
{
	const struct preview_state *seen = loading_panel_seen(app->load.panel);
	OWNED_STR s = STR_INIT;
	canvas_fill(canvas, (struct rect){ 0, 0, canvas->w, 1 }, ' ', ROLE_TITLE, ROLE_TITLE);
	const int x = app_draw_names(app, canvas);
	str_add(&s, "loading");
	if (seen->any) {
		str_add(&s, "  ");
		units_count(&s, seen->locations);
		str_add(&s, seen->locations == 1 ? " location  " : " locations  ");
		units_human_time(&s, seen->end - seen->begin, &seen->scale, 3);
		str_add(&s, " so far");
	}
	if (app->load.ahead.n)
		str_add_fmt(&s, "  %zu %s for it", app->load.ahead.n,
			    app->load.ahead.n == 1 ? "key waits" : "keys wait");
	canvas_text(canvas, x, 0, canvas->w - x - 1, s.text, ROLE_TITLE, ROLE_TITLE, 0);
}

static void draw_bottom(const struct app *app, struct canvas *canvas)
{
	static const struct {
		enum action action;
		const char *hint;
	} hints[] = { { ACTION_CANCEL, "stop here" },
		      { ACTION_ZOOM_IN, "zoom" },
		      { ACTION_PAN_LEFT, "pan" },
		      { ACTION_HELP, "help" },
		      { ACTION_QUIT, "quit" },
		      { ACTION_DOWN, "down" },
		      { ACTION_UP, "up" } };
	const int y = canvas->h - 1 - app_has_hints(canvas);
	OWNED_STR right = STR_INIT, stage = STR_INIT;
	struct hints laid = { 0 };
	app->load.panel->ops->status(app->load.panel, &right);
	canvas_text_right(canvas, 0, y, canvas->w - 1, right.text, ROLE_MUTED, ROLE_DEFAULT);
	loading_panel_stage(app->load.panel,
			    bindings_key(app->options->bindings, ACTION_CANCEL).text, &stage);
	canvas_write(canvas, 1, y, canvas->w - 3 - text_width(right.text), stage.text, ROLE_MUTED);
	for (size_t i = 0; app_has_hints(canvas) && i < sizeof hints / sizeof *hints; i++)
		app_add_hint(app, &laid, hints[i].action, hints[i].hint);
	app_draw_hints(app, canvas, &laid, canvas->h - 1);
}

void app_loading_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_body(app);
	draw_title(app, canvas);
	if (!app_has_tabs(canvas)) {
		body.y++;
		body.h--;
	}
	loading_panel_progress(app->load.panel, canvas, (struct rect){ 0, 1, canvas->w, 1 });
	app->load.panel->area = body;
	app->load.panel->ops->draw(app->load.panel, canvas, body);
	if (app->overlay) {
		app->overlay->area = body;
		app->overlay->ops->draw(app->overlay, canvas, body);
	}
	draw_bottom(app, canvas);
}
