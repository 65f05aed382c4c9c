/* Commands after ':': every action by its name, and commands with an argument. */
#define _GNU_SOURCE /* strcasestr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "ui/app/application.h"
#include "ui/options/choose_rows.h"
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

bool app_look_for(struct app *app, const char *argument, struct err *err)
{
	return session_set_sequence(&app->session, argument, err) &&
	       app_open_view(app, view_of_name(app->options->views, "sequences"));
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
	struct arrangement a = { .key = BY_NONE };
	if (!arrangement_group(&a, argument))
		return err_set(err, STATUS_USAGE,
			       "'group %s' is none of group node, process, range, range 64, "
			       "likeness, none",
			       argument);
	session_group(&app->session, a.key, a.range);
	return true;
}

/* Shows a counter or hides it again; "none" hides all. */
static bool command_counter(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	uint32_t metric;
	if (strcmp(argument, "none") == 0) {
		session->arrangement.counters.n = 0;
		session_rearranged(session);
		return true;
	}
	if (!counter_names_find(&session->counter_names, argument, &metric, err))
		return false;
	const bool shown = arrangement_toggle_counter(&session->arrangement, metric);
	session_notice(session, false,
		       shown ? "%s shown where it was recorded; %s hides it" : "%s is hidden",
		       session->counter_names.list.data[metric],
		       session_key(session, ACTION_HIDE_ROW).text);
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

static bool command_metric(struct app *app, const char *argument, struct err *err)
{
	struct query query = { 0 };
	if (!choose_metric(&query, argument, err))
		return false;
	app->session.metric = query.metric;
	app->session.generation++;
	return true;
}

static bool command_callpath(struct app *app, const char *argument, struct err *err)
{
	struct session *s = &app->session;
	if (!choose_callpath(s->trace, *argument ? argument : NULL, &s->callpath, err))
		return false;
	s->generation++;
	return true;
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
	session_find_core(&app->session);
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

static bool command_rows(struct app *app, const char *argument, struct err *err)
{
	const bool mpi = strcmp(argument, "mpi") == 0;
	if (!mpi && strcmp(argument, "rank") != 0)
		return err_set(err, STATUS_USAGE, "rows are sorted by mpi or by rank, not by '%s'",
			       argument);
	app->session.arrangement.order = mpi ? ROWS_BY_MPI : ROWS_BY_RANK;
	session_rearranged(&app->session);
	return true;
}

static bool command_pin(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	const bool ok = choose_pins(&session->arrangement, session->trace, argument, err);
	session_rearranged(session);
	return ok;
}

static bool command_open_group(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	const bool ok = choose_opened(&session->arrangement, session->trace, argument, err);
	session_rearranged(session);
	return ok;
}

static bool command_hide_colour(struct app *app, const char *argument, struct err *err)
{
	const struct query query = session_query(&app->session);
	unsigned state;
	if (!choose_state(&query, argument, &state, err))
		return false;
	session_hide_state(&app->session, state);
	return true;
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
	app->session.sequence.leads = false;
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
	[COMMAND_CALLPATH] = command_callpath,
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
	[COMMAND_METRIC] = command_metric,
	[COMMAND_PLAY] = app_play,
	[COMMAND_PRINT] = app_print,
	[COMMAND_RANK] = command_rank,
	[COMMAND_ROWS] = command_rows,
	[COMMAND_SEARCH] = command_search,
	[COMMAND_SEQUENCE] = app_look_for,
	[COMMAND_SET] = app_set,
	[COMMAND_THEME] = command_theme,
	[COMMAND_VIEW] = command_view,
	[COMMAND_ZOOM] = command_zoom,
	[COMMAND_EVENT] = command_event,
	[COMMAND_HIDE] = command_hide,
	[COMMAND_HIDE_COLOUR] = command_hide_colour,
	[COMMAND_OPEN_GROUP] = command_open_group,
	[COMMAND_PIN] = command_pin,
	[COMMAND_SELECT] = command_select,
	[COMMAND_OPEN] = app_open_beside,
	[COMMAND_PANE] = app_pane,
	[COMMAND_ROW] = app_row,
	[COMMAND_LINE] = app_table_line,
	[COMMAND_SORT] = app_sort,
	[COMMAND_STATE] = app_state,
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
