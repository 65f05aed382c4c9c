#include "ui/options/writing.h"

#include "base/exchange.h"
#include "base/output.h"
#include "base/text.h"
#include "views/export/export.h"
#include "views/report/report_compared.h"
#include "views/report/report_trace.h"

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

bool writing_view(const struct view_info *view, const struct query *query,
		  const struct options *options, struct err *err)
{
	const struct export_options how = { .format = writing_format(options),
					    .width = options->width,
					    .height = options->height,
					    .ascii = options->ascii,
					    .csv_safe = options->csv_safe,
					    .sort = options->sort,
					    .columns = options->columns,
					    .exchange = trace_exchange(query->trace) };
	struct output output;
	bool ok;

	if (!open_output(&output, query, options, options->args[options->n_args - 1], err))
		return false;
	ok = export_view(view, query, &how, output.stream, err) &&
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
