/* The frame around the panels. Pure: reads the application's state, writes cells. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ui/app/application.h"

enum { LEAST_W = 20, LEAST_H = 5, TABS_FROM = 8, HINTS_FROM = 7 };

bool app_has_tabs(const struct canvas *canvas)
{
	return canvas->h >= TABS_FROM;
}

bool app_has_hints(const struct canvas *canvas)
{
	return canvas->h >= HINTS_FROM;
}

struct rect app_body(const struct app *app)
{
	const struct canvas *canvas = &app->canvas;
	const int top = 1 + app_has_tabs(canvas) + app_has_chips(app);
	const int bottom = 1 + app_has_hints(canvas) + app_tutor_height(app);
	return (struct rect){ 0, top, canvas->w, canvas->h - top - bottom };
}

struct rect app_front_area(const struct app *app)
{
	const struct panel *overlay = app->overlay;
	struct rect r = app_body(app);
	const int h = overlay && overlay->ops->height ? overlay->ops->height(overlay, r) : r.h;
	r.y += r.h - h;
	r.h = h;
	return r;
}

struct rect app_view_area(const struct app *app)
{
	struct rect r = app_body(app);
	if (app->overlay && app->overlay->ops->height)
		r.h -= app_front_area(app).h;
	return r;
}

/* ---- status and prompt ---- */

/* What a job that runs has done, else what the views show of the trace, where no line above says
 * it. */
static void add_shown(const struct app *app, struct str *out)
{
	const struct session *session = &app->session;
	const struct timescale *scale = trace_scale(session->trace);
	const struct span w = session->window, run = session->run;
	const bool whole = w.t0 == run.t0 && w.t1 == run.t1;
	app_live_rates(app, out);
	if (whole && !out->n)
		str_add(out, "whole run");
	if (app_has_chips(app))
		return;
	if (!whole) {
		str_add(out, out->n ? "   " : "");
		units_human_time(out, w.t0, scale, 6);
		str_add(out, " + ");
		units_human_time(out, w.t1 - w.t0, scale, 4);
	}
	if (session->hidden.n)
		str_add_fmt(out, "   %zu hidden (%s shows all)", session->hidden.n,
			    session_key(session, ACTION_SHOW_ALL).text);
	if (session->colouring.hidden) {
		str_add(out, "   ");
		session_states_text(session, out);
	}
	if (session->filter) {
		str_add(out, "   filter: ");
		str_add_clean_text(out, filter_text(session->filter));
	}
}

/* Progress of the background analysis, once it has taken a while. */
static void add_analysing(const struct session *session, struct str *out)
{
	enum { PATIENCE_NS = 300000000 };
	const struct analyses_state state = analyses_state(session->analyses);
	if (!state.busy || clock_ns() - state.since < PATIENCE_NS)
		return;
	str_add(out, state.what);
	if (state.all)
		str_add_fmt(out, " %d %%", (int)(100 * (double)state.done / (double)state.all));
	str_add(out, "  ");
}

static void draw_status(const struct app *app, struct canvas *canvas, int y)
{
	const struct session *session = &app->session;
	OWNED_STR right = STR_INIT, left = STR_INIT;
	const struct panel *panel = app_front(app);
	add_analysing(session, &right);
	if (panel->ops->status)
		panel->ops->status(panel, &right);
	enum role role = ROLE_MUTED;
	if (app->awaiting) {
		str_add(&left, app->awaiting == ACTION_MARK_SET
				       ? "set mark: a letter"
				       : "go to mark: a letter, or arrows and Enter");
		role = ROLE_PROMPT;
	} else if (session->notice[0]) {
		str_add(&left, session->notice);
		role = session->notice_is_error ? ROLE_ERROR : ROLE_DEFAULT;
	} else if (app->greets) {
		str_add(&left, "new here? ");
		bindings_add_key(app->options->bindings, ACTION_COMMAND, &left);
		str_add_fmt(&left, "%s takes five minutes", action_info(ACTION_TUTOR)->command);
		role = ROLE_DEFAULT;
	} else {
		add_shown(app, &left);
	}
	/* A notice is for now; what is to its right can be read after the next key. */
	if (session->notice[0] && text_width(left.text) > canvas->w - 3 - text_width(right.text))
		str_clear(&right);
	canvas_text_right(canvas, 0, y, canvas->w - 1, right.text, ROLE_MUTED, ROLE_DEFAULT);
	canvas_write(canvas, 1, y, canvas->w - (right.n ? 3 : 2) - text_width(right.text),
		     left.text, role);
}

/* The column of a mark above the place in the line that the error names ("column 8"); -1: none. */
static int error_column(const struct app *app)
{
	const char *at = strstr(app->line.error, "column ");
	const int column = at ? atoi(at + strlen("column ")) : 0;
	const int x = text_width(app->line.prompt.label) + column - 1;
	return column > 0 && x < app->canvas.w - 20 ? x : -1;
}

static void draw_prompt_status(const struct app *app, struct canvas *canvas, int y)
{
	OWNED_STR s = STR_INIT;
	if (app->line.error[0]) {
		/* An error too long for the space after the mark takes the whole row. */
		const int mark = error_column(app);
		int x = 1;
		if (mark >= 0 && text_width(app->line.error) < canvas->w - mark - 3) {
			canvas_glyph(canvas, mark, y, GLYPH_ARROW_DOWN, ROLE_ERROR);
			x = mark + 2;
		}
		canvas_write(canvas, x, y, canvas->w - x - 1, app->line.error, ROLE_ERROR);
	} else if (app->line.filter_count) {
		str_add(&s, "matches ");
		filter_count_text(app->line.filter_count, &s);
		canvas_write(canvas, 1, y, canvas->w - 2, s.text, ROLE_MUTED);
	} else if (app->line.kind == PROMPT_COMMAND) {
		const char *found[16];
		const char *line =
			app->line.completing ? app->line.complete_of : app->line.prompt.text;
		const unsigned n = app_complete(app, line, found, 16);
		for (unsigned i = 0; i < n && i < 16; i++) {
			str_add(&s, found[i]);
			str_add(&s, "  ");
		}
		/* The argument of a command may be free text. */
		if (n == 0 && !strchr(app->line.prompt.text, ' '))
			str_add(&s, "no such command");
		canvas_write(canvas, 1, y, canvas->w - 2, s.text, ROLE_MUTED);
	} else {
		draw_status(app, canvas, y);
	}
}

static void draw_prompt(const struct app *app, struct canvas *canvas, int *x, int *y)
{
	*y = canvas->h - 1;
	const struct rect row = { 0, *y, canvas->w, 1 };
	canvas_fill(canvas, row, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	if (app_has_hints(canvas))
		draw_prompt_status(app, canvas, canvas->h - 2);
	*x = prompt_draw(&app->line.prompt, canvas, row);
}

/* In two rows where one is too short for it. */
static void draw_too_small(struct canvas *canvas)
{
	const int y = canvas->h / 2, w = canvas->w;
	OWNED_STR needs = STR_INIT, now = STR_INIT;

	str_add_fmt(&needs, "needs %dx%d", LEAST_W, LEAST_H);
	str_add_fmt(&now, " (now %dx%d)", w, canvas->h);
	if (text_width(needs.text) + text_width(now.text) > w && y + 1 < canvas->h)
		canvas_text(canvas, 0, y + 1, w, now.text + 1, ROLE_DEFAULT, ROLE_DEFAULT, 0);
	else
		str_add(&needs, now.text);
	canvas_text(canvas, 0, y, w, needs.text, ROLE_DEFAULT, ROLE_DEFAULT, 0);
}

void app_draw(struct app *app, int *cursor_x, int *cursor_y)
{
	struct canvas *canvas = &app->canvas;
	canvas_clear(canvas);
	canvas->cell_w = canvas->cell_h = 0;
	/* An overlay hides cells, not pixels. */
	if (app->screen && !app->overlay)
		screen_cell(app->screen, &canvas->cell_w, &canvas->cell_h);
	*cursor_x = -1;
	if (canvas->w < LEAST_W || canvas->h < LEAST_H) {
		draw_too_small(canvas);
		return;
	}
	if (!app->has_session) {
		app_loading_draw(app, canvas);
		return;
	}
	app_draw_title(app, canvas);
	if (app_has_tabs(canvas))
		app_draw_tabs(app, canvas);
	if (app_has_chips(app))
		app_draw_chips(app, canvas, 2);
	struct panel *panel = app->views[app->view].panel;
	panel->area = app_view_area(app);
	if (panel->area.h > 0)
		panel->ops->draw(panel, canvas, panel->area);
	if (app->overlay) {
		app->overlay->area = app_front_area(app);
		app->overlay->ops->draw(app->overlay, canvas, app->overlay->area);
	}
	const struct rect body = app_body(app);
	app_draw_tutor(app, canvas, body.y + body.h);
	if (app->line.on) {
		draw_prompt(app, canvas, cursor_x, cursor_y);
		return;
	}
	draw_status(app, canvas, canvas->h - 1 - app_has_hints(canvas));
	if (app_has_hints(canvas)) {
		struct hints hints;
		app_make_hints(app, &hints);
		app_draw_hints(app, canvas, &hints, canvas->h - 1);
	}
}
