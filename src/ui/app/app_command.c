/* Commands after ':': every action by its name, and commands with an argument. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "ui/app/application.h"
#include "views/export/export.h"

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

/* Shows a counter or hides it again; "none" hides all. */
static bool command_counter(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	size_t m = 0;
	if (strcmp(argument, "none") == 0) {
		session->arrangement.counters.n = 0;
		session_rearranged(session);
		return true;
	}
	while (m < session->counter_names.n &&
	       strcmp(session->counter_names.data[m], argument) != 0)
		m++;
	if (m == session->counter_names.n)
		return err_set(err, STATUS_USAGE,
			       session->counter_names.n
				       ? "there is no counter '%s'; press Tab for all"
				       : "this trace has no counters",
			       argument);
	const bool shown = arrangement_toggle_counter(&session->arrangement, (uint32_t)m);
	session_notice(session, false,
		       shown ? "%s shown where it was recorded; x hides it" : "%s is hidden",
		       argument);
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
	if (!screen_set_theme(app->screen, argument))
		return err_set(err, STATUS_USAGE, "there is no theme '%s'", argument);
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

static bool command_zoom(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	const struct timescale *scale = trace_scale(session->trace);
	const char *end;
	int64_t t0, t1;
	if (!units_parse_time(argument, &end, scale, &t0, err))
		return false;
	end += strspn(end, " :");
	if (!units_parse_time(end, NULL, scale, &t1, err))
		return false;
	if (t1 <= t0)
		return err_set(err, STATUS_USAGE,
			       "the end of the window must come after its start");
	session_zoom(session, t0, t1);
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

bool app_export(struct app *app, const char *path, struct err *err)
{
	const struct session *session = &app->session;
	const char *name = app_exported(app);
	const struct view_info *view = view_of_export(app->options->views, name);
	struct export_options options = { .format = export_format_of_file(path),
					  .width = app->canvas.w,
					  .ascii = session->ascii };
	struct query query = session_query(session);
	struct output output;
	if (!path[0] || strcmp(path, "-") == 0)
		return err_set(err, STATUS_USAGE, "export needs the name of a file");
	if (access(path, F_OK) == 0)
		return err_set(err, STATUS_IO, "%s exists already; choose another name", path);
	if (app->overlay)
		query.export.explain = &session->asked.explain;
	if (!output_open(&output, path, trace_path(session->trace), err))
		return false;
	bool ok = export_view(view, &query, &options, output.stream, err);
	ok = output_close(&output, ok, err);
	if (ok)
		session_notice(&app->session, false, "%s written to %s", name, path);
	return ok;
}

static const char *word_base(const struct app *app, unsigned i)
{
	(void)app;
	return i < BASE_COUNT ? time_base_name((enum time_base)i) : NULL;
}

static const char *word_counter(const struct app *app, unsigned i)
{
	if (i < app->session.counter_names.n)
		return app->session.counter_names.data[i];
	return i == app->session.counter_names.n ? "none" : NULL;
}

static const char *word_group(const struct app *app, unsigned i)
{
	(void)app;
	return i < GROUP_KEYS ? group_key_name((enum group_key)i) : NULL;
}

/* "" for views that can only be exported. */
static const char *word_view(const struct app *app, unsigned i)
{
	if (i >= app->options->views->n)
		return NULL;
	return app_view_info(app, i)->panel ? app_view_info(app, i)->name : "";
}

static const char *word_theme(const struct app *app, unsigned i)
{
	(void)app;
	return theme_names()[i];
}

static const struct command {
	const char *name;
	const char *argument; /* for messages */
	bool (*run)(struct app *app, const char *argument, struct err *err);
	const char *(*word)(const struct app *app,
			    unsigned i); /* candidates for the argument; NULL: free text */
	bool alone;                      /* runs without an argument, too */
} commands[] = {
	{ "base", "a time base such as measured", command_base, word_base, false },
	{ "counter", "the name of a counter", command_counter, word_counter, false },
	{ "export", "the name of a file", app_export, NULL, false },
	{ "filter", "an expression", command_filter, NULL, false },
	{ "group", "node, process, range, likeness or none", command_group, word_group, false },
	{ "goto", "a time such as 12.5ms", command_goto, NULL, false },
	{ "play", "a time such as 10ms", app_play, NULL, true },
	{ "theme", "dark, light or mono", command_theme, word_theme, false },
	{ "view", "the name of a view", command_view, word_view, false },
	{ "zoom", "two times such as 10ms 12ms", command_zoom, NULL, false },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* The command named by the first n bytes of a line; NULL: none. */
static const struct command *command_find(const char *line, size_t n)
{
	for (int i = 0; i < COMMANDS; i++)
		if (strlen(commands[i].name) == n && memcmp(commands[i].name, line, n) == 0)
			return &commands[i];
	return NULL;
}

static const struct view_info *view_of_command(const struct app *app, const char *word)
{
	for (unsigned i = 0; i < app->options->views->n; i++)
		if (app_view_info(app, i)->panel &&
		    strcmp(view_command(app_view_info(app, i)), word) == 0)
			return app_view_info(app, i);
	return NULL;
}

bool app_command(struct app *app, const char *line, struct err *err)
{
	char word[64];
	line += strspn(line, " ");
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
	const struct command *command = command_find(word, strlen(word));
	const enum action action = action_of_command(word);
	if (command && (trimmed[0] || command->alone))
		return command->run(app, trimmed, err);
	/* `filter` without an expression is the action that opens the prompt. */
	if (command && action == ACTION_NONE)
		return err_set(err, STATUS_USAGE, "%s needs %s", word, command->argument);
	const struct view_info *view = view_of_command(app, word);
	if (action == ACTION_NONE && view) {
		app_open_view(app, view);
		return true;
	}
	if (action == ACTION_NONE)
		return err_set(err, STATUS_USAGE,
			       "there is no command '%s'; press Tab or ? for all", word);
	app_act(app, action, 1);
	return true;
}

static void offer(const char *candidate, const char *head, const char **found, unsigned max,
		  unsigned *n)
{
	if (strncmp(candidate, head, strlen(head)) != 0)
		return;
	if (*n < max)
		found[*n] = candidate;
	(*n)++;
}

unsigned app_complete(const struct app *app, const char *line, const char **found, unsigned max)
{
	unsigned n = 0;
	const size_t word = strcspn(line, " ");
	if (!line[word]) {
		for (int i = 0; i < COMMANDS; i++)
			offer(commands[i].name, line, found, max, &n);
		for (unsigned a = 1; a < ACTION_COUNT; a++) {
			const char *name = action_info((enum action)a)->command;
			if (!command_find(name, strlen(name)))
				offer(name, line, found, max, &n);
		}
		for (unsigned i = 0; i < app->options->views->n; i++)
			if (app_view_info(app, i)->panel &&
			    action_of_command(view_command(app_view_info(app, i))) == ACTION_NONE)
				offer(view_command(app_view_info(app, i)), line, found, max, &n);
		return n;
	}
	const struct command *command = command_find(line, word);
	const char *candidate;
	for (unsigned k = 0; command && command->word && (candidate = command->word(app, k)); k++)
		if (*candidate)
			offer(candidate, line + word + 1, found, max, &n);
	return n;
}
