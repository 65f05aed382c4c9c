/* The command line that shows exactly what is on the screen, and the one that exports it. */
#include <stdlib.h>
#include <string.h>

#include "ui/app/application.h"
#include "ui/options/choose.h"
#include "views/export/export.h"

/* ---- words of a shell ---- */

static void add_word(struct str *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:,=+@%";

	str_add(out, out->n ? " " : "");
	if (*word && strspn(word, plain) == strlen(word)) {
		str_add(out, word);
		return;
	}
	str_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			str_add(out, "'\\''");
		else
			str_add_char(out, *word);
	str_add_char(out, '\'');
}

static void add_option(struct str *out, const char *name, const char *value)
{
	OWNED_STR option = STR_INIT;

	str_add_fmt(&option, "--%s", name);
	add_word(out, option.text);
	if (value && *value)
		add_word(out, value);
}

__attribute__((format(printf, 2, 3))) static void add_command(struct str *out, const char *fmt, ...)
{
	OWNED_STR command = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&command, fmt, args);
	va_end(args);
	add_word(out, "-c");
	add_word(out, command.text);
}

/* The path of a trace, good in any folder. */
static void add_trace(struct str *out, const char *path)
{
	OWNED char *real = load_is_live(path) ? NULL : realpath(path, NULL);

	add_word(out, real ? real : path);
}

/* A time that is read back to the same tick, with as few digits as that needs. */
static void add_time(struct str *out, int64_t t, const struct timescale *scale)
{
	enum { MOST = 12 };
	const size_t start = out->n;
	int64_t back = 0;

	for (int digits = 0; digits <= MOST; digits++) {
		out->n = start;
		units_seconds(out, t, scale, digits);
		if (units_parse_time(out->text + start, NULL, scale, &back, NULL) && back == t)
			break;
	}
	str_add(out, "s");
}

static void add_span(struct str *out, struct span span, const char *between,
		     const struct timescale *scale)
{
	add_time(out, span.t0, scale);
	str_add(out, between);
	add_time(out, span.t1, scale);
}

static bool is_whole(const struct session *s)
{
	return s->window.t0 == s->run.t0 && s->window.t1 == s->run.t1;
}

/* ---- from the session ---- */

/* Options that were given or set, but for those that the session says better. */
static void add_options(const struct app *app, struct str *out)
{
	static const char *const own[] = { "view",   "at",   "rank",  "command",
					   "filter", "base", "group", "diff" };
	const struct settings *settings = app->options->settings;
	const struct options given = app_given(app), *options = &given;

	for (const struct option_info *o = option_table(); o->name; o++) {
		OWNED_STR value = STR_INIT;
		bool skip = !(o->verbs & 1u << VERB_OPEN);
		for (size_t i = 0; i < sizeof own / sizeof *own; i++)
			skip |= strcmp(own[i], o->name) == 0;
		if (skip || !(option_given(options, o) || settings_has(settings, o)))
			continue;
		if (settings_has(settings, o))
			settings_add_value(settings, o, &value);
		else
			str_add(&value, option_given(options, o));
		if (o->kind != OPTION_FLAG)
			add_option(out, o->name, value.text);
		else if (strcmp(value.text, "no") != 0)
			add_option(out, o->name, NULL);
	}
}

static void add_base_and_filter(const struct session *s, enum time_base base, struct str *out)
{
	if (base != trace_default_base(s->trace))
		add_option(out, "base", time_base_name(base));
	if (s->filter)
		add_option(out, "filter", filter_text(s->filter));
	if (s->difference)
		add_option(out, "diff", NULL);
}

/* A list for hide and pin. */
static void add_locations(const struct session *s, const uint32_t *locations, size_t n,
			  struct str *out)
{
	for (size_t i = 0; i < n; i++) {
		str_add(out, i ? "," : "");
		choose_add_location(s->trace, locations[i], out);
	}
}

static void add_rows(const struct session *s, bool ranks, struct str *out)
{
	const struct arrangement *a = &s->arrangement;
	OWNED_STR list = STR_INIT;

	if (s->grouped && a->key == BY_RANGE && a->range)
		add_command(out, "group range %u", a->range);
	else if (s->grouped)
		add_command(out, "group %s", group_key_name(a->key));
	if (ranks)
		add_command(out, "show-all"); /* --ranks has hidden some */
	add_locations(s, s->hidden.data, s->hidden.n, &list);
	if (list.n)
		add_command(out, "hide %s", list.text);
	for (size_t i = 0; i < a->pins.n; i++) {
		str_clear(&list);
		add_locations(s, &a->pins.data[i].location, 1, &list);
		if (!a->pins.data[i].group)
			add_command(out, "pin %s", list.text);
	}
	for (size_t i = 0; i < a->counters.n; i++)
		add_command(out, "counter %s", s->counter_names.data[a->counters.data[i]]);
}

static void add_place(const struct session *s, struct str *out)
{
	const struct timescale *scale = trace_scale(s->trace);
	OWNED_STR time = STR_INIT, rank = STR_INIT;

	add_time(&time, s->cursor.time, scale);
	choose_add_location(s->trace, s->cursor.location, &rank);
	add_option(out, "at", time.text);
	add_option(out, "rank", rank.text);
}

static void add_window(const struct session *s, struct str *out)
{
	const struct timescale *scale = trace_scale(s->trace);
	OWNED_STR span = STR_INIT;

	if (s->base != s->usual_base)
		add_command(out, "base %s", time_base_name(s->base));
	if (!is_whole(s)) {
		add_span(&span, s->window, " ", scale);
		add_command(out, "zoom %s", span.text);
	}
	if (s->selection.t1 > s->selection.t0) {
		str_clear(&span);
		add_span(&span, s->selection, " ", scale);
		add_command(out, "select %s", span.text);
	}
	/* --at was a time of another base. */
	if (s->base != s->usual_base && s->cursor.event == EVENT_NONE) {
		str_clear(&span);
		add_time(&span, s->cursor.time, scale);
		add_command(out, "goto %s", span.text);
	}
	if (s->cursor.event != EVENT_NONE)
		add_command(out, "at-event %llu",
			    (unsigned long long)trace_event_number(s->trace, s->cursor.event));
	if (s->critical_path)
		add_command(out, "critical-path");
	if (analyses_iterated_by(s->analyses) &&
	    analyses_iterated_by(s->analyses) != analyses_options(s->analyses)->iteration)
		add_command(out, "iteration %s", analyses_iterated_by(s->analyses));
	if (s->counting)
		add_command(out, "count-iterations");
}

/* Table, order and row in front. */
static void add_table(const struct panel *panel, struct str *out)
{
	const struct table_pane *pane = panel->ops->pane ? panel->ops->pane(panel) : NULL;
	const struct table *table = pane ? pane->table : NULL;

	if (panel->ops->tabs && ((const struct table_tabs *)panel)->front)
		add_command(out, "pane %u", ((const struct table_tabs *)panel)->front + 1);
	if (!table)
		return;
	if (table->sorted_by != COLUMN_NONE && table->ops->sort)
		add_command(out, "sort %s%s", table->columns[table->sorted_by].name,
			    table->descending ? "" : " up");
	if (pane->first_column)
		add_command(out, "right %u", pane->first_column);
	/* A row that is not numbered is an event's, where the cursor is. */
	if (pane->cursor != ROW_NONE && table->ops->position)
		add_command(out, "line %d", pane->cursor_y + 1);
	else if (pane->cursor != ROW_NONE && (pane->cursor || pane->cursor_y))
		add_command(out, "row %llu %d", (unsigned long long)pane->cursor + 1,
			    pane->cursor_y + 1);
}

static void add_panel(const struct app *app, struct str *out)
{
	const struct panel *panel = app->views[app->view].panel, *over = app->overlay;

	if (panel->ops->commands) {
		OWNED_STR lines = STR_INIT;
		panel->ops->commands(panel, &lines);
		for (char *line = strtok(lines.text, "\n"); lines.n && line;
		     line = strtok(NULL, "\n"))
			add_command(out, "%s", line);
	}
	add_table(panel, out);
	if (over)
		add_command(out, "%s",
			    over->ops == &explain_panel_ops  ? "explain"
			    : over->ops == &legend_panel_ops ? "legend"
			    : over->ops == &list_panel_ops   ? "map"
							     : "help");
}

void app_add_line(const struct app *app, struct str *out)
{
	const struct session *s = &app->session;
	const struct options given = app_given(app), *options = &given;

	add_word(out, "tview");
	add_options(app, out);
	add_base_and_filter(s, s->usual_base, out);
	add_option(out, "view", app_view_info(app, app->view)->name);
	add_place(s, out);
	add_rows(s, options->ranks != NULL, out);
	add_window(s, out);
	add_panel(app, out);
	for (int i = 0; i < options->n_args; i++)
		add_trace(out, options->args[i]);
}

void app_add_sort(const struct app *app, struct str *out)
{
	const struct panel *panel = app_front(app);
	const struct table_pane *pane = panel->ops->pane ? panel->ops->pane(panel) : NULL;
	const struct table *table = pane ? pane->table : NULL;

	/* Where panes have tables of other kinds, the export is of the first one. */
	if (table && table->ops->sort && table->sorted_by != COLUMN_NONE &&
	    !(panel->ops->tabs && ((const struct table_tabs *)panel)->front))
		str_add_fmt(out, "%s%s", table->columns[table->sorted_by].name,
			    table->descending ? "" : " up");
}

/* Of text the width, and how it is drawn. */
static void add_picture(const struct app *app, const char *name, const struct export_options *how,
			struct str *out)
{
	const struct session *s = &app->session;
	OWNED_STR width = STR_INIT;

	if (strcmp(name, "timeline") == 0 && s->colouring.by_function)
		add_option(out, "colour", "function");
	if (how->sort)
		add_option(out, "sort", how->sort);
	if (how->format != EXPORT_TEXT)
		return;
	str_add_fmt(&width, "%d", how->width);
	add_option(out, "width", width.text);
	if (how->ascii)
		add_option(out, "ascii", NULL);
}

void app_add_export_line(const struct app *app, const char *name, const char *file,
			 const struct export_options *how, struct str *out)
{
	const struct session *s = &app->session;
	const struct options given = app_given(app), *options = &given;
	OWNED_STR text = STR_INIT;

	add_word(out, "tview");
	add_word(out, "export");
	add_word(out, name);
	for (int i = 0; i < options->n_args; i++)
		add_word(out, options->args[i]);
	add_base_and_filter(s, s->base, out);
	if (!is_whole(s)) {
		add_span(&text, s->window, ":", trace_scale(s->trace));
		add_option(out, "time", text.text);
	}
	str_clear(&text);
	if (s->hidden.n) {
		add_locations(s, s->rows.data, s->rows.n, &text);
		add_option(out, "ranks", text.text);
	}
	if (s->metric != CUBE_NONE)
		add_option(out, "metric", cube_metric_info((enum cube_metric)s->metric)->name);
	if (s->arrangement.key != BY_NONE)
		add_option(out, "group", group_key_name(s->arrangement.key));
	add_picture(app, name, how, out);
	add_option(out, "output", file);
}

static void add_left_out(struct str *out, const char *what)
{
	str_add_fmt(out, "%s%s", out->n ? ", " : "without ", what);
}

void app_add_export_lacks(const struct app *app, const char *name, struct str *out)
{
	const struct arrangement *a = &app->session.arrangement;

	if (strcmp(name, "timeline") != 0)
		return;
	if (a->key == BY_RANGE && a->range)
		add_left_out(out, "the size of groups");
	if (a->pins.n)
		add_left_out(out, "pins");
	if (a->counters.n)
		add_left_out(out, "counters");
}
