/* The export of the view in front, and the command line that writes the same bytes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/text.h"
#include "ui/app/application.h"
#include "ui/options/choose_rows.h"
#include "ui/options/command_words.h"
#include "ui/options/joining.h"
#include "views/explain/explaining.h"
#include "views/export/export.h"
#include "views/facts/match_search.h"
#include "views/facts/timeline_shade.h"
#include "views/query/grouping.h"

/* Of the status line. */
enum { MARGINS = 5 };

/* What is to be written, and how. */
struct app_export {
	const struct view_info *view;
	struct query query;
	struct export_options how;
	struct arrangement arrangement; /* shares its lists with the session's */
	struct str sort, columns, where;
	struct filter *filter; /* with what the panel chooses; NULL: the session's */
	bool sorted;           /* `sort` is not the order which the rows had */
	const char *by;        /* NULL: as usual */
	bool has_path;         /* the call path that it is of has a name of its own */
	bool explains;         /* one wait, or what else was asked for */
	uint32_t explained;    /* the event that leads to it; EVENT_NONE: none does */
};

/* ---- what is in front ---- */

static const struct table_tab *tab_in_front(const struct panel *panel)
{
	return panel && panel->ops->tabs
		       ? &panel->ops->tabs->tabs[((const struct table_tabs *)panel)->front]
		       : NULL;
}

/* An overlay counts only if it has an export of its own. */
static const struct panel *panel_exported(const struct app *app)
{
	return app->overlay && app->overlay->ops->exported ? app->overlay
							   : app->views[app->view].panel;
}

const char *app_exported(const struct app *app)
{
	const struct panel *panel = panel_exported(app);
	const struct table_tab *tab = tab_in_front(panel);

	if (panel && panel->ops->exported)
		return panel->ops->exported(panel);
	return tab && tab->exported ? tab->exported
				    : view_export_name(app_view_info(app, app->view));
}

struct query app_export_query(const struct app *app)
{
	const struct table_tab *tab = tab_in_front(panel_exported(app));
	struct query query = session_query(&app->session);

	if (app->overlay)
		query.export.explain = &app->session.asked.explain;
	query.export.compared_by = choose_compared_by(tab ? tab->by : NULL);
	query.export.by_rank = tab && tab->by && query.sequence && strcmp(tab->by, "rank") == 0;
	if (query.found && !match_search_ended(query.found))
		query.found = NULL; /* what is written is whole */
	query.export.level = app->session.level < 0 ? 0 : (uint32_t)app->session.level + 1;
	return query;
}

/* As --sort and --columns take them: the order that the user chose, and the columns. */
static void add_choice_of_table(const struct panel *panel, struct app_export *e)
{
	const struct table_pane *pane = panel->ops->pane ? panel->ops->pane(panel) : NULL;
	struct table *table = pane ? pane->table : NULL;

	if (table && table->ops->sort && table->sorted_by != COLUMN_NONE)
		str_add_fmt(&e->sort, "%s%s", table->columns[table->sorted_by].name,
			    table->descending ? "" : " up");
	for (unsigned i = 0; table && i < pane->n_chosen; i++)
		str_add_fmt(&e->columns, "%s%s", i ? "," : "",
			    table->columns[pane->chosen[i]].name);
}

/* The rows of the timeline as they are on this screen, whatever would fit another one. */
static void arrange(const struct session *s, struct app_export *e)
{
	struct arrangement *a = &e->arrangement;
	OWNED_VEC(uint32_t) rows = VEC_INIT;

	*a = s->arrangement;
	e->query.arrangement = a;
	for (size_t i = 0; i < s->rows.n; i++)
		if (!s->filter || filter_location(s->filter, s->rows.data[i]))
			vec_push(&rows, s->rows.data[i]);
	if (a->key == BY_RANGE && !a->range)
		a->range = grouping_range(s->trace, rows.data, (uint32_t)rows.n, a->fit);
	if (a->order == ROWS_BY_MPI)
		str_add(&e->sort, "mpi");
	a->order = ROWS_BY_RANK;
}

/* What the panel shows of the session. */
static bool add_choice_of_panel(const struct panel *panel, struct app_export *e, struct err *err)
{
	const struct filter *all = e->query.filter;
	struct panel_choice choice = { .filter = STR_INIT, .where = STR_INIT };
	OWNED_STR text = STR_INIT;

	if (panel->ops->exported_of)
		panel->ops->exported_of(panel, &choice);
	e->query.export.depth = choice.depth;
	str_add(&e->where, choice.where.text);
	if (choice.filter.n) {
		str_add_fmt(&text, all ? "(%s) && %s" : "%s%s", all ? filter_text(all) : "",
			    choice.filter.text);
		e->filter = filter_compile(text.text, e->query.trace, err);
		e->query.filter = e->filter;
	}
	str_fini(&choice.where);
	str_fini(&choice.filter);
	return !text.n || e->filter;
}

static bool export_begin(struct app *app, const char *path, struct app_export *e, struct err *err)
{
	const struct panel *panel = panel_exported(app);
	const struct table_tab *tab = tab_in_front(panel);

	*e = (struct app_export){ .view = view_of_export(app->options->views, app_exported(app)),
				  .query = app_export_query(app),
				  .how = { .format = export_format_of_file(path),
					   .width = app->canvas.w,
					   .ascii = app->session.ascii },
				  .sort = STR_INIT,
				  .columns = STR_INIT,
				  .where = STR_INIT,
				  .by = tab ? tab->by : NULL };
	if (strcmp(e->view->name, "timeline") == 0)
		arrange(&app->session, e);
	else if (panel)
		add_choice_of_table(panel, e);
	e->how.sort = e->sort.n ? e->sort.text : NULL;
	e->how.columns = e->columns.n ? e->columns.text : NULL;
	if (panel && !add_choice_of_panel(panel, e, err))
		return false;
	e->how.where = e->where.n ? e->where.text : NULL;
	return true;
}

static void export_end(struct app_export *e)
{
	str_fini(&e->sort);
	str_fini(&e->columns);
	str_fini(&e->where);
	filter_free(e->filter);
}

/* Whether it is of one call path. */
static bool asks_path(const struct app_export *e)
{
	return e->query.callpath != UINT32_MAX &&
	       (strcmp(e->view->name, "waits") == 0 || strcmp(e->view->name, "topology") == 0);
}

/* Whether the text of its call path leads to it, and to no other one. */
static bool names_path(const struct app_export *e)
{
	OWNED_STR text = STR_INIT;
	uint32_t path;

	trace_callpath_text(e->query.trace, e->query.callpath, &text);
	return choose_callpath(e->query.trace, text.text, &path, &(struct err)ERR_INIT) &&
	       path == trace_callpath(e->query.trace, e->query.callpath)->canon;
}

/* ---- the command ---- */

/* Options that were given or set and change what is written, but for those that the session says
 * better. */
static void add_given(const struct app *app, struct str *out)
{
	static const char *const own[] = { "ranks",    "time", "filter",  "sequence",
					   "base",     "diff", "group",   "ascii",
					   "no-cache", "jobs", "max-mem", "iteration" };

	app_add_options(app, VERB_EXPORT, own, sizeof own / sizeof *own, out);
}

static void add_if(struct str *out, const char *option, const char *value, size_t wanted)
{
	if (wanted)
		words_option(out, option, value);
}

static void add_number(struct str *out, const char *option, unsigned long long number)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text, "%llu", number);
	words_option(out, option, text.text);
}

static void add_picture(const struct session *s, const struct app_export *e, struct str *out)
{
	const struct arrangement *a = &e->arrangement;
	OWNED_STR group = STR_INIT, open = STR_INIT, pins = STR_INIT, counters = STR_INIT;
	OWNED_STR colours = STR_INIT;

	str_add(&group, group_key_name(a->key));
	if (a->key == BY_RANGE)
		str_add_fmt(&group, ":%u", a->range);
	if (a->key == BY_LIKENESS && a->fit)
		str_add_fmt(&group, ":%u", a->fit);
	add_if(out, "group", group.text, a->key != BY_NONE);
	if (a->key != BY_NONE)
		choose_add_opened(s->trace, a, &open);
	choose_add_pins(s->trace, a, &pins);
	for (size_t i = 0; i < a->counters.n; i++)
		choose_add_name(s->counter_names.list.data[a->counters.data[i]], &counters);
	choose_add_hidden_colours(&e->query, &colours);
	add_if(out, "open", open.text, open.n);
	add_if(out, "pin", pins.text, pins.n);
	add_if(out, "counter", counters.text, counters.n);
	add_if(out, "colour", "function", s->colouring.by_function);
	add_if(out, "hide-colour", colours.text, colours.n);
	if (e->query.export.depth)
		add_number(out, "depth", e->query.export.depth);
	if (e->query.critical_path)
		words_option(out, "critical-path", NULL);
}

/* The event that is explained; EVENT_NONE: none leads to the same explanation. */
static uint32_t explained_event(const struct app_export *e)
{
	const struct explain_subject *want = e->query.export.explain;
	const struct analysis *analysis = analyses_look(e->query.analyses, e->query.base);
	const struct wait *waits = NULL;
	size_t n_waits = 0;
	uint32_t events[2] = { want->enter, EVENT_NONE };
	struct explain_subject found;

	if (analysis)
		waits = analysis_waits(analysis, want->location, &n_waits);
	if (want->wait < n_waits)
		events[1] = waits[want->wait].event;
	for (size_t i = 0; i < 2; i++) {
		if (events[i] == EVENT_NONE)
			continue;
		explain_event(&found, &e->query, events[i]);
		if (memcmp(&found, want, sizeof found) == 0)
			return events[i];
	}
	return EVENT_NONE;
}

/* What is asked of one view. */
static void add_question(const struct session *s, const struct app_export *e, struct str *out)
{
	const char *name = e->view->name;

	if (e->by && (s->other || e->query.export.by_rank))
		words_option(out, "by", e->by);
	if (s->metric != CUBE_NONE)
		words_option(out, "metric", cube_metric_info((enum cube_metric)s->metric)->name);
	if (e->has_path) {
		OWNED_STR path = STR_INIT;
		trace_callpath_text(s->trace, e->query.callpath, &path);
		words_option(out, "callpath", path.text);
	}
	if (strcmp(name, "iterations") == 0 && e->query.export.level)
		add_number(out, "level", e->query.export.level);
	if (e->explained != EVENT_NONE)
		add_number(out, "event", trace_event_number(s->trace, e->explained));
	if (analyses_iterated_by(s->analyses))
		words_option(out, "iteration", analyses_iterated_by(s->analyses));
	if (strcmp(name, "timeline") == 0)
		add_picture(s, e, out);
}

static void add_form(const struct app_export *e, struct str *out)
{
	if (e->how.where)
		words_option(out, "where", e->how.where);
	if (e->how.sort)
		words_option(out, "sort", e->how.sort);
	if (e->how.columns)
		words_option(out, "columns", e->how.columns);
	if (e->how.format != EXPORT_TEXT)
		return;
	if (e->how.width > 0)
		add_number(out, "width", (unsigned long long)e->how.width);
	if (e->how.ascii)
		words_option(out, "ascii", NULL);
}

static void add_command_line(const struct app *app, const struct app_export *e, const char *file,
			     struct str *out)
{
	const struct session *s = &app->session;
	const struct options given = app_given(app);
	OWNED_STR text = STR_INIT;
	int n;
	char *const *traces = joining_traces(&given, 0, &n);

	words_add(out, "tview");
	words_add(out, "export");
	words_add(out, e->view->export_name ? e->view->export_name : e->view->name);
	for (int i = 0; i < n; i++)
		words_add(out, traces[i]);
	add_given(app, out);
	app_add_base_and_filter(s, s->base, e->query.filter, out);
	if (!session_is_whole(s)) {
		words_span(&text, s->window, ":", trace_scale(s->trace));
		words_option(out, "time", text.text);
	}
	app_add_hidden(s, "hide", out);
	add_question(s, e, out);
	add_form(e, out);
	words_option(out, "output", file);
}

/* ---- what is left out ---- */

static void add_left_out(struct str *out, const char *what)
{
	str_add_fmt(out, "%s%s", out->n ? ", " : " without ", what);
}

/* What the file has and the command does not repeat. */
static void add_lacks(const struct app_export *e, struct str *out)
{
	if (e->explains && e->explained == EVENT_NONE)
		add_left_out(out, "the explained wait");
	if (asks_path(e) && !e->has_path)
		add_left_out(out, "the choice of a call path");
}

/* ---- writing ---- */

static bool write_file(const struct app_export *e, const char *path, struct err *err)
{
	struct output output;

	if (!output_open(&output, path, trace_path(e->query.trace), err))
		return false;
	const bool ok = export_view(e->view, &e->query, &e->how, output.stream, err) &&
			trace_is_unchanged(e->query.trace, err);
	return output_close(&output, ok, err);
}

/* Where the export's rows cannot be sorted so, or have other columns, it has its own; nothing was
 * written then. */
static bool write_as_shown(struct app_export *e, const char *path, struct str *lacks,
			   struct err *err)
{
	struct err refused = ERR_INIT;

	e->sorted = e->view->text_sorts;
	e->how.sorted = &e->sorted;
	while (e->how.sort || e->how.columns) {
		refused = (struct err)ERR_INIT;
		if (write_file(e, path, &refused)) {
			e->how.sort = e->sorted ? e->how.sort : NULL;
			return true;
		}
		if (refused.status != STATUS_USAGE)
			return err_set(err, refused.status, "%s", refused.text);
		add_left_out(lacks, e->how.columns ? "the choice of columns" : "the order of rows");
		*(e->how.columns ? &e->how.columns : &e->how.sort) = NULL;
	}
	return write_file(e, path, err);
}

/* Where the line has no room for the command, the screen has. */
static void tell(struct app *app, const struct app_export *e, const char *path,
		 const struct str *file_lacks, const struct str *command_lacks,
		 const struct str *same)
{
	OWNED_STR done = STR_INIT, all = STR_INIT;

	str_add_fmt(&done, "%s written to %s%s", e->view->name, path,
		    file_lacks->n ? file_lacks->text : "");
	str_add_fmt(&all, "the same%s: %s", command_lacks->n ? command_lacks->text : "",
		    same->text);
	if (app->screen && text_width(done.text) + text_width(all.text) > app->canvas.w - MARGINS) {
		session_notice(&app->session, false, "%s", done.text);
		app_show_text(app, done.text, all.text);
	} else {
		session_notice(&app->session, false, "%s; %s", done.text, all.text);
	}
}

bool app_export(struct app *app, const char *path, struct err *err)
{
	OWNED_STR same = STR_INIT, file_lacks = STR_INIT, command_lacks = STR_INIT;
	struct app_export e;

	if (!path[0] || strcmp(path, "-") == 0)
		return err_set(err, STATUS_USAGE, "export needs the name of a file");
	if (access(path, F_OK) == 0)
		return err_set(err, STATUS_IO, "%s exists already; choose another name", path);
	if (str_ends_with(path, ".svg"))
		return app_export_picture(app, path, err);
	const bool ok =
		export_begin(app, path, &e, err) && write_as_shown(&e, path, &file_lacks, err);
	e.has_path = asks_path(&e) && names_path(&e);
	e.explains = strcmp(e.view->name, "explain") == 0 && e.query.export.explain;
	e.explained = e.explains ? explained_event(&e) : EVENT_NONE;
	add_command_line(app, &e, path, &same);
	add_lacks(&e, &command_lacks);
	if (ok)
		tell(app, &e, path, &file_lacks, &command_lacks, &same);
	export_end(&e);
	return ok;
}
