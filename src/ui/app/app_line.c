/* The command line that shows exactly what is on the screen. */
#include <string.h>

#include "base/mem.h"
#include "ui/app/application.h"
#include "ui/options/choose_rows.h"
#include "ui/options/command_words.h"
#include "ui/options/joining.h"
#include "views/facts/timeline_shade.h"

void app_add_options(const struct app *app, enum verb verb, const char *const *own, size_t n_own,
		     struct str *out)
{
	const struct settings *settings = app->options->settings;
	const struct options given = app_given(app), *options = &given;

	for (const struct option_info *o = option_table(); o->name; o++) {
		OWNED_STR value = STR_INIT;
		bool skip = !(o->verbs & 1u << VERB_OPEN && o->verbs & 1u << verb);
		for (size_t i = 0; i < n_own; i++)
			skip |= strcmp(own[i], o->name) == 0;
		if (skip || !(option_given(options, o) || settings_has(settings, o)))
			continue;
		if (settings_has(settings, o))
			settings_add_value(settings, o, &value);
		else
			str_add(&value, option_given(options, o));
		if (o->kind != OPTION_FLAG)
			words_option(out, o->name, value.text);
		else if (strcmp(value.text, "no") != 0)
			words_option(out, o->name, NULL);
	}
}

void app_add_base_and_filter(const struct session *s, enum time_base base,
			     const struct filter *filter, struct str *out)
{
	if (base != trace_default_base(s->trace))
		words_option(out, "base", time_base_name(base));
	if (filter)
		words_option(out, "filter", filter_text(filter));
	if (s->sequence.sequence)
		words_option(out, "sequence", sequence_text(s->sequence.sequence));
	if (s->difference)
		words_option(out, "diff", NULL);
}

/* As words_option() or, with option NULL, as the command `hide`. */
void app_add_hidden(const struct session *s, const char *option, struct str *out)
{
	OWNED bool *hidden = xcalloc((size_t)trace_location_count(s->trace) + 1, sizeof *hidden);
	OWNED_STR list = STR_INIT;

	for (size_t i = 0; i < s->hidden.n; i++)
		hidden[s->hidden.data[i]] = true;
	choose_add_locations(s->trace, hidden, &list);
	if (list.n && option)
		words_option(out, option, list.text);
	else if (list.n)
		words_command(out, "hide %s", list.text);
}

/* Groups that are open, pinned rows, counters. */
static void add_rows(const struct session *s, bool ranks, struct str *out)
{
	const struct arrangement *a = &s->arrangement;
	OWNED_STR list = STR_INIT;

	if (s->grouped && a->key == BY_RANGE && a->range)
		words_command(out, "group range %u", a->range);
	else if (s->grouped)
		words_command(out, "group %s", group_key_name(a->key));
	if (a->order == ROWS_BY_MPI)
		words_command(out, "rows mpi");
	if (ranks)
		words_command(out, "show-all"); /* --ranks has hidden some */
	app_add_hidden(s, NULL, out);
	choose_add_opened(s->trace, a, &list);
	if (list.n)
		words_command(out, "open-group %s", list.text);
	str_clear(&list);
	choose_add_pins(s->trace, a, &list);
	if (list.n)
		words_command(out, "pin %s", list.text);
	for (size_t i = 0; i < a->counters.n; i++)
		words_command(out, "counter %s", s->counter_names.list.data[a->counters.data[i]]);
}

static void add_place(const struct session *s, struct str *out)
{
	const struct timescale *scale = trace_scale(s->trace);
	OWNED_STR time = STR_INIT, rank = STR_INIT;

	words_time(&time, s->cursor.time, scale);
	choose_add_location(s->trace, s->cursor.location, &rank);
	words_option(out, "at", time.text);
	words_option(out, "rank", rank.text);
}

static void add_window(const struct session *s, struct str *out)
{
	const struct timescale *scale = trace_scale(s->trace);
	OWNED_STR span = STR_INIT;

	if (s->base != s->usual_base)
		words_command(out, "base %s", time_base_name(s->base));
	if (!session_is_whole(s)) {
		words_span(&span, s->window, " ", scale);
		words_command(out, "zoom %s", span.text);
	}
	if (s->selection.t1 > s->selection.t0) {
		str_clear(&span);
		words_span(&span, s->selection, " ", scale);
		words_command(out, "select %s", span.text);
	}
	/* --at was a time of another base. */
	if (s->base != s->usual_base && s->cursor.event == EVENT_NONE) {
		str_clear(&span);
		words_time(&span, s->cursor.time, scale);
		words_command(out, "goto %s", span.text);
	}
	if (s->cursor.event != EVENT_NONE)
		words_command(out, "at-event %llu",
			      (unsigned long long)trace_event_number(s->trace, s->cursor.event));
	if (s->critical_path)
		words_command(out, "critical-path");
	if (analyses_iterated_by(s->analyses) &&
	    analyses_iterated_by(s->analyses) != analyses_options(s->analyses)->iteration)
		words_command(out, "iteration %s", analyses_iterated_by(s->analyses));
	if (s->counting)
		words_command(out, "count-iterations");
	if (s->colouring.by_function)
		words_command(out, "colour");
	for (unsigned i = 0; i < STATE_COUNT; i++) {
		const struct query query = session_query(s);
		OWNED_STR state = STR_INIT;

		if (!(s->colouring.hidden >> i & 1))
			continue;
		timeline_state_text(&query, i, &state);
		words_command(out, "hide-colour %s", state.text);
	}
}

/* Table, order and row in front. */
static void add_table(const struct panel *panel, struct str *out)
{
	const struct table_pane *pane = panel->ops->pane ? panel->ops->pane(panel) : NULL;
	const struct table *table = pane ? pane->table : NULL;
	OWNED_STR columns = STR_INIT, widths = STR_INIT;

	if (panel->ops->tabs && ((const struct table_tabs *)panel)->front)
		words_command(out, "pane %u", ((const struct table_tabs *)panel)->front + 1);
	if (!table)
		return;
	if (table->sorted_by != COLUMN_NONE && table->ops->sort)
		words_command(out, "sort %s%s", table->columns[table->sorted_by].name,
			      table->descending ? "" : " up");
	for (unsigned i = 0; i < pane->n_chosen; i++)
		str_add_fmt(&columns, "%s%s", i ? " " : "", table->columns[pane->chosen[i]].name);
	if (columns.n)
		words_command(out, "columns %s", columns.text);
	if (pane->first_column)
		words_command(out, "right %u", pane->first_column);
	/* A row that is not numbered is an event's, where the cursor is. */
	table_pane_add_widths(pane, &widths);
	if (pane->cursor != ROW_NONE && table->ops->position)
		words_command(out, "line %d%s", pane->cursor_y + 1, widths.text);
	else if (pane->cursor != ROW_NONE && (pane->cursor || pane->cursor_y))
		words_command(out, "row %llu %d", (unsigned long long)pane->cursor + 1,
			      pane->cursor_y + 1);
}

/* Of a view that shows values of one metric and call path. */
static void add_values(const struct session *s, struct str *out)
{
	OWNED_STR path = STR_INIT;

	if (s->metric != CUBE_NONE)
		words_command(out, "metric %s",
			      cube_metric_info((enum cube_metric)s->metric)->name);
	if (s->callpath == UINT32_MAX)
		return;
	trace_callpath_text(s->trace, s->callpath, &path);
	words_command(out, "callpath %s", path.text);
}

static void add_panel(const struct app *app, struct str *out)
{
	const struct panel *panel = app->views[app->view].panel, *over = app->overlay;

	if (panel->ops->commands) {
		OWNED_STR lines = STR_INIT;
		panel->ops->commands(panel, &lines);
		for (char *line = strtok(lines.text, "\n"); lines.n && line;
		     line = strtok(NULL, "\n"))
			words_command(out, "%s", line);
	}
	add_table(panel, out);
	if (over)
		words_command(out, "%s",
			      over->ops == &explain_panel_ops  ? "explain"
			      : over->ops == &legend_panel_ops ? "legend"
			      : over->ops == &list_panel_ops   ? "map"
							       : "help");
}

void app_add_line(const struct app *app, struct str *out)
{
	static const char *const own[] = { "view", "at",    "rank", "command", "filter",
					   "base", "group", "diff", "sequence" };
	const struct session *s = &app->session;
	const struct options given = app_given(app), *options = &given;
	char *const *traces;
	int n;

	words_add(out, "tview");
	app_add_options(app, VERB_OPEN, own, sizeof own / sizeof *own, out);
	app_add_base_and_filter(s, s->usual_base, s->filter, out);
	words_option(out, "view", app_view_info(app, app->view)->name);
	add_place(s, out);
	add_rows(s, options->ranks != NULL, out);
	add_window(s, out);
	if (strcmp(app_view_info(app, app->view)->name, "topology") == 0)
		add_values(s, out);
	add_panel(app, out);
	traces = joining_traces(options, 0, &n);
	for (int i = 0; i < n; i++)
		words_trace(out, traces[i]);
}
