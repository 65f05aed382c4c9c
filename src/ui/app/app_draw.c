/* The frame around the panels. Pure: reads the application's state, writes cells. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/text.h"
#include "model/trace/program.h"
#include "ui/app/application.h"
#include "views/facts/corrections_facts.h"
#include "views/facts/lacks.h"

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
	const int bottom = 1 + app_has_hints(canvas);
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

/* ---- the title ---- */

/* A part of a bar, if there is still room; returns the column after it. */
static int add_part(struct canvas *canvas, int x, int y, int end, const char *text, enum role fg,
		    enum role bg, unsigned attr)
{
	if (x + text_width(text) > end)
		return x;
	return x + canvas_text(canvas, x, y, end - x, text, fg, bg, attr) + 2;
}

static void add_findings(const struct trace *trace, struct str *out)
{
	const uint64_t damage = trace_finding_sum(trace, FINDING_DAMAGE);
	const uint64_t guesses = trace_finding_sum(trace, FINDING_GUESS);
	const bool missing = trace_finding_sum(trace, FINDING_MISSING);
	if (damage) {
		units_count(out, damage);
		str_add(out, " damaged");
	}
	if (missing)
		str_add(out, damage ? ", incomplete" : "incomplete");
	if (guesses) {
		str_add(out, damage || missing ? ", " : "");
		units_count(out, guesses);
		str_add(out, guesses == 1 ? " guess" : " guesses");
	}
}

/* "64 ranks", or "3 locations" without MPI. Counts loaded ones only. */
static void add_size(const struct trace *trace, struct str *out)
{
	unsigned ranks = 0;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);
		if (trace_partial(trace)->is && location->events == 0)
			continue;
		ranks += location->thread == 0 && location->rank != RANK_HOST &&
			 location->rank != RANK_UNKNOWN;
	}
	if (ranks > 0)
		str_add_fmt(out, ranks == 1 ? "%u rank" : "%u ranks", ranks);
	else
		str_add_fmt(out, trace_location_count(trace) == 1 ? "%u location" : "%u locations",
			    trace_location_count(trace));
}

/* Parts of the title after the name, from left to right, and the order in which they are dropped
 * for lack of room: the least important first. */
enum title_part {
	PART_PARTIAL,
	PART_LIVE,
	PART_SIZE,
	PART_TIME,
	PART_EVENTS,
	PART_BASE,
	PART_MOVES,
	PART_OVERHEAD,
	PARTS
};

struct title {
	struct str texts[PARTS], brief[PARTS]; /* empty: not shown */
	int room;
};

static int title_width(const struct title *title)
{
	int w = 0;
	for (int i = 0; i < PARTS; i++)
		w += title->texts[i].n ? text_width(title->texts[i].text) + 2 : 0;
	return w - 2;
}

static void shrink(struct title *title, enum title_part part)
{
	if (title_width(title) <= title->room)
		return;
	str_clear(&title->texts[part]);
	str_add_n(&title->texts[part], title->brief[part].text, title->brief[part].n);
	str_clear(&title->brief[part]);
}

static void write_title(struct title *title, const struct session *session)
{
	const struct trace *trace = session->trace;
	const struct corrected facts = corrected_of(trace, session->corrections);
	struct str *texts = title->texts;
	struct phrases p = { .trace = trace, .digits = 4 };
	if (trace_partial(trace)->is)
		str_add_fmt(&texts[PART_PARTIAL], "partial: %s", trace_partial(trace)->text);
	add_size(trace, &texts[PART_SIZE]);
	if (trace_records_alone(trace)) {
		str_add(&texts[PART_EVENTS], "statistics, no events");
	} else {
		str_add(&texts[PART_TIME], lacks_span(&p, session->run.t0, session->run.t1));
		units_count(&texts[PART_EVENTS], trace_event_count(trace));
		str_add(&texts[PART_EVENTS], " events");
	}
	str_add_fmt(&texts[PART_BASE], "times: %s", time_base_name(session->base));
	corrected_moves(session->corrections, trace, session->base, false, &texts[PART_MOVES]);
	corrected_moves(session->corrections, trace, session->base, true,
			&title->brief[PART_MOVES]);
	corrected_overhead(&facts, session->base, false, &texts[PART_OVERHEAD]);
	corrected_overhead(&facts, session->base, true, &title->brief[PART_OVERHEAD]);
	phrases_fini(&p);
}

static void fit_title(struct title *title)
{
	static const enum title_part order[] = { PART_EVENTS, PART_OVERHEAD, PART_TIME, PART_MOVES,
						 PART_SIZE,   PART_OVERHEAD, PART_MOVES };
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		shrink(title, order[i]);
}

static void draw_title(const struct app *app, struct canvas *canvas)
{
	const struct session *session = &app->session;
	const struct trace *trace = session->trace;
	const struct corrected facts = corrected_of(trace, session->corrections);
	const enum role bar = ROLE_TITLE;
	struct title title;
	for (int i = 0; i < PARTS; i++) {
		str_init(&title.texts[i]);
		str_init(&title.brief[i]);
	}
	canvas_fill(canvas, (struct rect){ 0, 0, canvas->w, 1 }, ' ', bar, bar);
	OWNED_STR s = STR_INIT;
	str_add_clean_text(&s, path_name(trace_path(trace)));
	int x = 1 + canvas_text(canvas, 1, 0, canvas->w - 2, s.text, bar, bar, ATTR_BOLD) + 2;
	int end = canvas->w - 1;
	str_clear(&s);
	add_findings(trace, &s);
	if (s.n && x + text_width(s.text) <= end) {
		end -= text_width(s.text);
		canvas_text(canvas, end, 0, canvas->w - end, s.text, ROLE_WARNING, bar, 0);
		end -= 2;
	}
	app_live_state(app, &title.texts[PART_LIVE]);
	write_title(&title, session);
	title.room = end - x;
	fit_title(&title);
	for (int i = 0; i < PARTS; i++) {
		enum role role = i == PART_PARTIAL ? ROLE_WARNING : bar;
		if (i == PART_OVERHEAD && facts.trust == OVERHEAD_GREY)
			role = ROLE_MUTED;
		if (title.texts[i].n)
			x = add_part(canvas, x, 0, end, title.texts[i].text, role, bar, 0);
		str_fini(&title.texts[i]);
		str_fini(&title.brief[i]);
	}
}

/* ---- the names of the views ---- */

/* How the views are named: in full, with less space between them, by abbreviations, by their keys
 * (but for the one in front). A name does not depend on which view is in front. */
enum tab_names { TABS_KEYS, TABS_BRIEF, TABS_CLOSE, TABS_TITLES };

static const char *tab_name(const struct app *app, unsigned view, enum tab_names names)
{
	const struct view_info *info = app_view_info(app, view);
	return names >= TABS_CLOSE   ? info->title
	       : names == TABS_BRIEF ? info->brief
	       : view == app->view   ? info->title
				     : "";
}

/* Without the blank after the last one. */
static int tab_width(const struct app *app, unsigned view, enum tab_names names)
{
	const int name = app_in_row(app, view) ? text_width(tab_name(app, view, names)) : 0;
	return app_in_row(app, view) ? 2 + (names == TABS_TITLES) + (name ? 1 + name : 0) : 0;
}

static int tabs_width(const struct app *app, enum tab_names names)
{
	int w = 1;
	for (unsigned i = 0; i < app->options->views->n; i++)
		w += tab_width(app, i, names);
	return w;
}

static enum tab_names fitting_names(const struct app *app)
{
	enum tab_names names = TABS_TITLES;
	while (names > TABS_KEYS && tabs_width(app, names) > app->canvas.w)
		names--;
	return names;
}

/* Shown after the view names if there is room. */
static const char way_out[] = "? help  q quit ";

static bool names_help(const struct app *app)
{
	const struct canvas *canvas = &app->canvas;
	const int names = tabs_width(app, TABS_TITLES);
	return app_has_tabs(canvas) && names + 1 + text_width(way_out) <= canvas->w;
}

static void draw_tabs(const struct app *app, struct canvas *canvas)
{
	const enum tab_names names = fitting_names(app);
	struct rect active = { 0, 1, 0, 1 };
	int x = 0;
	for (unsigned i = 0; i < app->options->views->n; i++) {
		if (!app_in_row(app, i))
			continue;
		OWNED_STR s = STR_INIT;
		str_add_fmt(&s, " %s", app_view_info(app, i)->key);
		if (*tab_name(app, i, names))
			str_add_fmt(&s, " %s", tab_name(app, i, names));
		str_add(&s, " ");
		canvas_text(canvas, x, 1, canvas->w - x, s.text, ROLE_TAB, ROLE_DEFAULT, 0);
		if (i == app->view)
			active = (struct rect){ x, 1, text_width(s.text), 1 };
		x += tab_width(app, i, names);
	}
	canvas_paint(canvas, active, ROLE_TAB_ACTIVE, ROLE_TAB_ACTIVE, ATTR_BOLD);
	if (names_help(app))
		canvas_text_right(canvas, 0, 1, canvas->w, way_out, ROLE_HINT, ROLE_DEFAULT);
}

/* The view whose name is at column x; -1: none. Mirrors draw_tabs(). */
int app_tab_at(const struct app *app, int x)
{
	const enum tab_names names = fitting_names(app);
	int at = 0;
	for (unsigned i = 0; i < app->options->views->n; i++) {
		if (!app_in_row(app, i))
			continue;
		at += tab_width(app, i, names);
		if (x < at)
			return (int)i;
	}
	return -1;
}

/* ---- status, hints, prompt ---- */

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
		str_add_fmt(out, "   %zu hidden (X shows all)", session->hidden.n);
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
	const int taken = text_width(right.text);
	canvas_text_right(canvas, 0, y, canvas->w - 1, right.text, ROLE_MUTED, ROLE_DEFAULT);
	enum role role = ROLE_MUTED;
	if (app->awaiting) {
		str_add(&left, app->awaiting == ACTION_MARK_SET
				       ? "set mark: a letter"
				       : "go to mark: a letter, or arrows and Enter");
		role = ROLE_PROMPT;
	} else if (session->notice[0]) {
		str_add(&left, session->notice);
		role = session->notice_is_error ? ROLE_ERROR : ROLE_DEFAULT;
	} else {
		add_shown(app, &left);
	}
	canvas_write(canvas, 1, y, canvas->w - 3 - taken, left.text, role);
}

int app_draw_hint(struct canvas *canvas, int x, int y, enum action action, const char *hint)
{
	const struct action_info *info = action_info(action);
	if (!hint || !hint[0])
		return x;
	OWNED_STR key = STR_INIT;
	str_add_n(&key, info->keys, strcspn(info->keys, " "));
	if (action_opposite(action) != ACTION_NONE) {
		const char *opposite = action_info(action_opposite(action))->keys;
		str_add_char(&key, '/');
		str_add_n(&key, opposite, strcspn(opposite, " "));
	}
	const int keys = text_width(key.text), w = keys + 1 + text_width(hint);
	if (x + w < canvas->w) {
		canvas_write(canvas, x, y, canvas->w, key.text, ROLE_HINT_KEY);
		canvas_write(canvas, x + keys + 1, y, canvas->w, hint, ROLE_HINT);
		x += w + 2;
	}
	return x;
}

static void draw_hints(const struct app *app, struct canvas *canvas, int y)
{
	static const enum action everywhere[] = { ACTION_FILTER, ACTION_COPY, ACTION_NEXT_BASE,
						  ACTION_DIFFERENCE, ACTION_LEGEND };
	const struct panel *panel = app_front(app);
	int x = 1;
	if (!names_help(app)) /* if the view names do not end with it */
		x = app_draw_hint(canvas, x, y, ACTION_HELP, action_info(ACTION_HELP)->hint);
	for (const enum action *a = panel->ops->actions; a && *a != ACTION_NONE; a++) {
		const char *hint = action_info(*a)->hint;
		if (*a == ACTION_ENTER && panel->ops->enter_hint)
			hint = panel->ops->enter_hint;
		if (*a == ACTION_PREV_WAIT && panel->ops->wait_hint)
			hint = panel->ops->wait_hint;
		x = app_draw_hint(canvas, x, y, *a, hint);
	}
	if (panel->ops->chosen && !app_view_info(app, app->view)->tab_in_front)
		x = app_draw_hint(canvas, x, y, ACTION_SOURCE, action_info(ACTION_SOURCE)->hint);
	if (panel->ops->search)
		x = app_draw_hint(canvas, x, y, ACTION_SEARCH, action_info(ACTION_SEARCH)->hint);
	for (size_t i = 0; !app->overlay && i < sizeof everywhere / sizeof *everywhere; i++)
		x = app_draw_hint(canvas, x, y, everywhere[i], action_info(everywhere[i])->hint);
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

void app_draw(struct app *app, int *cursor_x, int *cursor_y)
{
	struct canvas *canvas = &app->canvas;
	canvas_clear(canvas);
	*cursor_x = -1;
	if (canvas->w < LEAST_W || canvas->h < LEAST_H) {
		canvas_text_fmt(canvas, 0, canvas->h / 2, canvas->w, ROLE_DEFAULT,
				"needs %dx%d (now %dx%d)", LEAST_W, LEAST_H, canvas->w, canvas->h);
		return;
	}
	if (!app->has_session) {
		app_loading_draw(app, canvas);
		return;
	}
	draw_title(app, canvas);
	if (app_has_tabs(canvas))
		draw_tabs(app, canvas);
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
	if (app->line.on) {
		draw_prompt(app, canvas, cursor_x, cursor_y);
		return;
	}
	draw_status(app, canvas, canvas->h - 1 - app_has_hints(canvas));
	if (app_has_hints(canvas))
		draw_hints(app, canvas, canvas->h - 1);
}
