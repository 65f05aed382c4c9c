#include "ui/options/writing.h"

#include <inttypes.h>
#include <string.h>

#include "base/exchange.h"
#include "base/output.h"
#include "base/text.h"
#include "ui/options/command_words.h"
#include "ui/options/joining.h"
#include "views/export/export.h"
#include "views/export/export_page.h"
#include "views/report/report_compared.h"
#include "views/report/report_trace.h"
#include "views/report/verdict.h"

enum export_format writing_format(const struct options *options)
{
	return options->format ? export_format_find(options->format)
			       : export_format_of_file(options->output);
}

struct options writing_options_of(const struct view_info *view, const struct options *options)
{
	struct options of_view = *options;

	if (view->compares_bases && options->n_args < 3 && !options->baseline && !options->base)
		of_view.base = time_base_name(BASE_COMPENSATED);
	/* The part of a trace that is read for these bases says too little. */
	of_view.bounds_clocks = view->says_uncertain && !options->time && !options->ranks;
	return of_view;
}

/* Of two traces only what compares them is a view. */
static bool has_traces(const struct view_info *view, const struct options *options, struct err *err)
{
	if (options->n_args < 2)
		return err_set(err, STATUS_USAGE, "export %s needs a trace (see tview help export)",
			       options->args[0]);
	return (options->n_args == 2 && !options->baseline) || view->two_traces ||
	       view->one_or_two ||
	       err_set(err, STATUS_USAGE,
		       "export %s takes one trace; two have a difference: tview export difference "
		       "OLD TRACE",
		       options->args[0]);
}

const struct view_info *writing_view_asked(const struct options *options, struct err *err)
{
	const char *name = options->args[0], *names[VIEWS_MOST + 1], *near;
	const struct view_info *view = view_of_export(options->views, name);

	if (view && view->of_sequence && !options->sequence) {
		err_set(err, STATUS_USAGE,
			"export %s needs a sequence of calls: --sequence 'MPI_Isend+ MPI_Waitall'",
			name);
		return NULL;
	}
	if (view)
		return has_traces(view, options, err) ? view : NULL;
	view_export_names(options->views, names);
	near = nearest_word(name, names);
	if (near)
		err_set(err, STATUS_USAGE, "there is no view '%s'; did you mean '%s'?", name, near);
	else
		err_set(err, STATUS_USAGE, "there is no view '%s' (tview help export names them)",
			name);
	return NULL;
}

/* What the others write goes nowhere. */
static bool open_output(struct output *output, const struct query *query,
			const struct options *options, const char *input, struct err *err)
{
	struct exchange *x = trace_exchange(query->trace);
	const char *path = exchange_process(x) == 0 ? options->output : "/dev/null";
	const bool ok = output_open(output, path, input, err);

	if (!exchange_any(x, !ok))
		return true;
	if (ok)
		output_drop(output);
	return false;
}

/* ---- the command line again ---- */

static bool is_of(const struct option_info *o, const char *const *names)
{
	while (*names && strcmp(*names, o->name) != 0)
		names++;
	return *names != NULL;
}

/* Those of the options that were given which are, or are not, among the names. */
static void add_given(const struct options *options, const char *const *names, bool among,
		      struct str *out)
{
	for (const struct option_info *o = option_table(); o->name; o++)
		if (option_given(options, o) && is_of(o, names) == among)
			words_option(out, o->name, option_given(options, o));
}

/* What decides which rows there are, in which order; and the whole command without the page. */
static void command_of(const struct options *options, struct str *question, struct str *command)
{
	static const char *const form[] = { "format",   "columns", "width",   "limit",    "ascii",
					    "csv-safe", "jobs",    "max-mem", "no-cache", NULL };
	static const char *const neither[] = { "output", "page",    "format",   "columns",
					       "width",  "limit",   "ascii",    "csv-safe",
					       "jobs",   "max-mem", "no-cache", NULL };

	int n;
	char *const *traces = joining_traces(options, 1, &n);

	words_add(command, "tview");
	words_add(command, options->question ? "query" : "export");
	if (!options->question)
		words_add(command, options->args[0]);
	for (int i = 0; i < n; i++)
		words_add(command, traces[i]);
	if (options->question)
		words_add(command, options->question);
	words_add(question, options->question ? options->question : options->args[0]);
	add_given(options, neither, false, question);
	add_given(options, neither, false, command);
	add_given(options, form, true, command);
}

/* In JSON it is said, too. */
static void tell_left(const struct export_left *left)
{
	if (left->after)
		fprintf(stderr, "tview: %" PRIu64 " row%s left out; the next: %s\n", left->after,
			left->after == 1 ? " is" : "s are", left->command.text);
}

bool writing_view(const struct view_info *view, const struct query *query,
		  const struct options *options, struct err *err)
{
	ENDED_BY(export_left_fini) struct export_left left = EXPORT_LEFT_INIT;
	OWNED_STR question = STR_INIT, command = STR_INIT;
	command_of(options, &question, &command);
	const uint32_t digest =
		options->limit || options->page ? export_digest(query->trace, question.text) : 0;
	const struct export_options how = { .format = writing_format(options),
					    .width = options->width,
					    .height = options->height,
					    .ascii = options->ascii,
					    .csv_safe = options->csv_safe,
					    .sort = options->sort,
					    .where = options->where,
					    .rows = options->question != NULL,
					    .limit = (uint64_t)options->limit,
					    .page = options->page,
					    .digest = digest,
					    .command = command.text,
					    .left = &left,
					    .columns = options->columns,
					    .exchange = trace_exchange(query->trace) };
	struct output output;
	bool ok;

	if (!open_output(&output, query, options, options->args[options->n_args - 1], err))
		return false;
	ok = export_view(view, query, &how, output.stream, err) &&
	     trace_is_unchanged(query->trace, err);
	ok = output_close(&output, ok, err);
	if (ok && how.format != EXPORT_JSON)
		tell_left(&left);
	return ok;
}

bool writing_verdict(const struct query *query, const struct options *options,
		     const struct condition *condition, int *status, struct err *err)
{
	struct output output;
	bool ok;

	if (!open_output(&output, query, options, trace_path(query->trace), err))
		return false;
	ok = verdict_write(verdict_form_find(options->format), options->fail_on, condition, query,
			   output.stream, status, err) &&
	     trace_is_unchanged(query->trace, err);
	return output_close(&output, ok, err);
}

bool writing_report(const struct query *query, const struct options *options, struct err *err)
{
	const enum export_format format = writing_format(options);
	struct report report;
	struct output output;
	bool ok;

	report_init(&report);
	report.sizes = format == EXPORT_JSON;
	ok = (query->other ? report_compared(&report, query, err)
			   : report_trace(&report, query, true, err)) &&
	     open_output(&output, query, options, trace_path(query->trace), err);
	if (ok) {
		ok = report_write(&report, format, options->width, output.stream, err) &&
		     trace_is_unchanged(query->trace, err);
		ok = output_close(&output, ok, err);
	}
	report_fini(&report);
	return ok;
}
