/* Commands after ':': every action by its name, and commands with an argument. */
#define _GNU_SOURCE /* strcasestr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "ui/app/application.h"
#include "ui/options/choose.h"
#include "views/export/export.h"
#include "views/facts/iteration_sums.h"

static bool command_base(struct app *app, const char *argument, struct err *err)
{
	const enum time_base base = time_base_find(argument);
	if (base < BASE_COUNT)
		return session_set_base(&app->session, base, err);
	return err_set(err, STATUS_USAGE, "there is no time base '%s'", argument);
}

static bool command_filter(struct app *app, const char *argument, struct err *err)
{
	return session_set_filter(&app->session, argument, err);
}

static bool command_iteration(struct app *app, const char *argument, struct err *err)
{
	struct session *s = &app->session;
	const char *name = *argument ? argument : NULL;
	if (!choose_iteration(s->trace, name, err))
		return false;
	analyses_iterate_by(s->analyses, name);
	s->level = LEVEL_MAIN;
	s->generation++;
	if (name)
		session_notice(s, false, "iterations begin at %s; %s shows them, %s counts them",
			       name,
			       bindings_view_keys(s->bindings, view_of_command(app->options->views,
									       "iterations")),
			       session_key(s, ACTION_COUNT_ITERATIONS).text);
	else
		session_notice(s, false, "iterations as they are found");
	return true;
}

/* "node", or "range 64": ranks in a row. */
static bool command_group(struct app *app, const char *argument, struct err *err)
{
	char word[16] = "";
	unsigned range = 0;
	const int n = sscanf(argument, "%15s %9u", word, &range);
	const enum group_key key = group_key_find(word);
	if (key == GROUP_KEYS || (n > 1 && (key != BY_RANGE || range == 0)))
		return err_set(err, STATUS_USAGE,
			       "'group %s' is none of group node, process, range, range 64, "
			       "likeness, none",
			       argument);
	session_group(&app->session, key, range);
	return true;
}

/* The counter of a name, or the only one with that in its name; their number: there is none. */
static size_t find_counter(const struct session *session, const char *name, bool *several)
{
	const size_t n = session->counter_names.n;
	size_t found = n, hits = 0;
	for (size_t m = 0; m < n; m++) {
		if (strcmp(session->counter_names.data[m], name) == 0)
			return m;
		if (*name && strcasestr(session->counter_names.data[m], name)) {
			found = m;
			hits++;
		}
	}
	*several = hits > 1;
	return hits == 1 ? found : n;
}

/* Shows a counter or hides it again; "none" hides all. */
static bool command_counter(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	bool several = false;
	if (strcmp(argument, "none") == 0) {
		session->arrangement.counters.n = 0;
		session_rearranged(session);
		return true;
	}
	const size_t m = find_counter(session, argument, &several);
	if (m == session->counter_names.n)
		return err_set(err, STATUS_USAGE,
			       several ? "several counters have '%s' in their names; press Tab"
			       : session->counter_names.n
				       ? "there is no counter '%s'; press Tab for all"
				       : "this trace has no counters",
			       argument);
	const bool shown = arrangement_toggle_counter(&session->arrangement, (uint32_t)m);
	session_notice(session, false,
		       shown ? "%s shown where it was recorded; %s hides it" : "%s is hidden",
		       session->counter_names.data[m], session_key(session, ACTION_HIDE_ROW).text);
	session_rearranged(session);
	return app_open_view(app, view_of_name(app->options->views, "timeline"));
}

static bool command_view(struct app *app, const char *argument, struct err *err)
{
	const struct view_info *view = view_of_name(app->options->views, argument);
	if (!view)
		return err_set(err, STATUS_USAGE, "there is no view '%s'", argument);
	app_open_view(app, view);
	return true;
}

static bool command_theme(struct app *app, const char *argument, struct err *err)
{
	OWNED_STR line = STR_INIT;
	str_add_fmt(&line, "theme %s", argument);
	return app_set(app, line.text, err);
}

static bool command_goto(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	int64_t t;
	if (!units_parse_time(argument, NULL, trace_scale(session->trace), &t, err))
		return false;
	if (t < session->run.t0 || t >= session->run.t1)
		return err_set(err, STATUS_USAGE, "%s is outside the run", argument);
	const struct place from = app_place(app);
	session_set_cursor(session, session->cursor.location, t, EVENT_NONE);
	app_jumped(app, &from);
	return true;
}

static bool parse_times(const struct app *app, const char *argument, struct span *span,
			struct err *err)
{
	const struct timescale *scale = trace_scale(app->session.trace);
	const char *end;
	if (!units_parse_time(argument, &end, scale, &span->t0, err))
		return false;
	end += strspn(end, " :");
	if (!units_parse_time(end, NULL, scale, &span->t1, err))
		return false;
	return span->t1 > span->t0 ||
	       err_set(err, STATUS_USAGE, "the end of the window must come after its start");
}

static bool command_zoom(struct app *app, const char *argument, struct err *err)
{
	struct span span;
	if (!parse_times(app, argument, &span, err))
		return false;
	session_zoom(&app->session, span.t0, span.t1);
	return true;
}

static bool command_select(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	if (!parse_times(app, argument, &session->selection, err))
		return false;
	session->selecting = false;
	return true;
}

const char *app_exported(const struct app *app)
{
	/* An overlay counts only if it has an export of its own. */
	const struct panel *panel = app->overlay && app->overlay->ops->exported
					    ? app->overlay
					    : app->views[app->view].panel;

	return panel && panel->ops->exported ? panel->ops->exported(panel)
					     : view_export_name(app_view_info(app, app->view));
}

struct query app_export_query(const struct app *app)
{
	struct query query = session_query(&app->session);

	if (app->overlay)
		query.export.explain = &app->session.asked.explain;
	return query;
}

static bool write_export(const struct view_info *view, const struct query *query,
			 const struct export_options *options, const char *path, struct err *err)
{
	struct output output;

	if (!output_open(&output, path, trace_path(query->trace), err))
		return false;
	const bool ok = export_view(view, query, options, output.stream, err) &&
			trace_is_unchanged(query->trace, err);
	return output_close(&output, ok, err);
}

bool app_export(struct app *app, const char *path, struct err *err)
{
	const struct session *session = &app->session;
	const char *name = app_exported(app);
	const struct view_info *view = view_of_export(app->options->views, name);
	struct export_options options = { .format = export_format_of_file(path),
					  .width = app->canvas.w,
					  .ascii = session->ascii };
	struct query query = app_export_query(app);
	OWNED_STR sort = STR_INIT;
	if (!path[0] || strcmp(path, "-") == 0)
		return err_set(err, STATUS_USAGE, "export needs the name of a file");
	if (access(path, F_OK) == 0)
		return err_set(err, STATUS_IO, "%s exists already; choose another name", path);
	app_add_sort(app, &sort);
	options.sort = sort.n ? sort.text : NULL;
	struct err refused = ERR_INIT;
	bool ok = write_export(view, &query, &options, path, options.sort ? &refused : err);
	const bool own_order = refused.status == STATUS_USAGE;
	if (own_order) { /* its rows cannot be sorted: nothing was written */
		options.sort = NULL;
		ok = write_export(view, &query, &options, path, err);
	} else if (err_is_set(&refused)) {
		return err_set(err, refused.status, "%s", refused.text);
	}
	OWNED_STR same = STR_INIT;
	app_add_export_line(app, name, path, &options, &same);
	OWNED_STR lacks = STR_INIT;
	app_add_export_lacks(app, name, &lacks);
	if (ok)
		session_notice(&app->session, false, "%s written to %s%s; the same%s%s: %s", name,
			       path, own_order ? " in its own order" : "", lacks.n ? " " : "",
			       lacks.n ? lacks.text : "", same.text);
	return ok;
}

static bool command_rank(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	uint32_t l;
	if (!choose_location(session->trace, argument, &l, err))
		return false;
	const struct place from = app_place(app);
	session_set_cursor(session, l, session->cursor.time, EVENT_NONE);
	session->cursor.group = false;
	app_jumped(app, &from);
	return true;
}

static bool command_event(struct app *app, const char *argument, struct err *err)
{
	const struct place from = app_place(app);
	uint32_t event;
	if (!choose_event(app->session.trace, argument, &event, err))
		return false;
	session_go_event(&app->session, event);
	app_jumped(app, &from);
	return true;
}

/* The locations of a list; the caller frees it. */
static bool *chosen_of(const struct app *app, const char *list, struct err *err)
{
	const struct trace *trace = app->session.trace;
	bool *chosen = xcalloc((size_t)trace_location_count(trace) + 1, sizeof *chosen);
	if (choose_locations(trace, list, chosen, err))
		return chosen;
	free(chosen);
	return NULL;
}

static bool command_hide(struct app *app, const char *argument, struct err *err)
{
	OWNED bool *chosen = chosen_of(app, argument, err);
	OWNED_VEC(uint32_t) all = VEC_INIT;
	for (uint32_t l = 0; chosen && l < trace_location_count(app->session.trace); l++)
		if (chosen[l])
			vec_push(&all, l);
	if (chosen)
		session_hide_all(&app->session, all.data, (uint32_t)all.n);
	return chosen != NULL;
}

static bool command_pin(struct app *app, const char *argument, struct err *err)
{
	struct arrangement *a = &app->session.arrangement;
	OWNED bool *chosen = chosen_of(app, argument, err);
	for (uint32_t l = 0; chosen && l < trace_location_count(app->session.trace); l++)
		if (chosen[l] && !arrangement_toggle_pin(a, l, false))
			arrangement_toggle_pin(a, l, false); /* it was pinned */
	session_rearranged(&app->session);
	return chosen != NULL;
}

static bool command_search(struct app *app, const char *argument, struct err *err)
{
	struct panel *panel = app_front(app);
	const struct place from = app_place(app);
	if (!panel->ops->search)
		return err_set(err, STATUS_USAGE, "there is nothing to search in this view");
	if (!app_refresh_in_order(app))
		return true;
	snprintf(app->line.last_search, sizeof app->line.last_search, "%s", argument);
	app_busy_begin(app);
	panel->ops->search(panel, "", 1, NULL);
	const bool found = panel->ops->search(panel, argument, 1, err);
	app_busy_end(app);
	app_jumped(app, &from);
	return found;
}

static bool command_mark(struct app *app, const char *argument, struct err *err)
{
	return app_mark(app, ACTION_MARK_SET, argument, err);
}

static bool command_go_mark(struct app *app, const char *argument, struct err *err)
{
	return app_mark(app, ACTION_MARK_GO, argument, err);
}

static bool (*const runs[COMMAND_COUNT])(struct app *app, const char *argument, struct err *err) = {
	[COMMAND_BASE] = command_base,
	[COMMAND_BIND] = app_bind,
	[COMMAND_COLUMNS] = app_columns,
	[COMMAND_COUNTER] = command_counter,
	[COMMAND_EXPORT] = app_export,
	[COMMAND_FILTER] = command_filter,
	[COMMAND_GO_MARK] = command_go_mark,
	[COMMAND_GOTO] = command_goto,
	[COMMAND_GROUP] = command_group,
	[COMMAND_ITERATION] = command_iteration,
	[COMMAND_MAP] = app_map,
	[COMMAND_MARK] = command_mark,
	[COMMAND_PLAY] = app_play,
	[COMMAND_PRINT] = app_print,
	[COMMAND_RANK] = command_rank,
	[COMMAND_SEARCH] = command_search,
	[COMMAND_SET] = app_set,
	[COMMAND_THEME] = command_theme,
	[COMMAND_VIEW] = command_view,
	[COMMAND_ZOOM] = command_zoom,
	[COMMAND_EVENT] = command_event,
	[COMMAND_HIDE] = command_hide,
	[COMMAND_PIN] = command_pin,
	[COMMAND_SELECT] = command_select,
	[COMMAND_OPEN] = app_open_beside,
	[COMMAND_PANE] = app_pane,
	[COMMAND_ROW] = app_row,
	[COMMAND_LINE] = app_table_line,
	[COMMAND_SORT] = app_sort,
};

/* An action, once, or so often. */
static bool act_times(struct app *app, enum action action, const char *times, struct err *err)
{
	enum { MOST = 1000 };
	char *end;
	const long n = *times ? strtol(times, &end, 10) : 1;
	if (*times && (*end || n < 1 || n > MOST))
		return err_set(err, STATUS_USAGE, "%s takes no argument but how often, up to %d",
			       action_info(action)->command, MOST);
	for (long i = 0; i < n && !app->quit; i++)
		app_act(app, action, 1);
	return true;
}

bool app_command(struct app *app, const char *line, struct err *err)
{
	char word[64];
	line += strspn(line, " :");
	const size_t n = strcspn(line, " ");
	if (n == 0)
		return true;
	snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), line);
	const char *argument = line + n + strspn(line + n, " ");
	char trimmed[PROMPT_BYTES];
	size_t length = strlen(argument);
	while (length > 0 && argument[length - 1] == ' ')
		length--;
	snprintf(trimmed, sizeof trimmed, "%.*s", (int)length, argument);
	const enum command command = command_find(word, strlen(word));
	const enum action action = action_of_command(word);
	if (command != COMMAND_COUNT && (trimmed[0] || command_info(command)->alone))
		return app_can_run(app, command_info(command)->name, trimmed[0], err) &&
		       runs[command](app, trimmed, err);
	/* `filter` without an expression is the action that opens the prompt. */
	if (command != COMMAND_COUNT && action == ACTION_NONE)
		return err_set(err, STATUS_USAGE, "%s needs %s", word, command_info(command)->what);
	const struct view_info *view = view_of_command(app->options->views, word);
	if (action == ACTION_NONE && view) {
		app_open_view(app, view);
		return true;
	}
	if (action == ACTION_NONE)
		return err_set(err, STATUS_USAGE,
			       "there is no command '%s'; press Tab or %s for all", word,
			       session_key(&app->session, ACTION_HELP).text);
	return app_can_run(app, word, false, err) && act_times(app, action, trimmed, err);
}
