/* writing: views and reports that the options ask for, to the output of the options. Of processes
 * that share the trace (base/exchange.h) all call these: the first one writes. */
#pragma once

#include "ui/options/option.h"
#include "views/export/view_registry.h"

/* The format that the options ask for, or the name of the output. */
enum export_format writing_format(const struct options *options);
/* The options, with the time base that a view about compensated times has without one. */
struct options writing_options_of(const struct view_info *view, const struct options *options);
/* The view that is to be exported, the first argument of the options; NULL with err: there is
 * none, or not of as many traces as there are. */
const struct view_info *writing_view_asked(const struct options *options, struct err *err);
/* Writes a view of the query. The last argument of the options names the trace. */
bool writing_view(const struct view_info *view, const struct query *query,
		  const struct options *options, struct err *err);
/* Writes the answer to --fail-on where the format is one of verdict.h, and sets the status. */
struct condition;
bool writing_verdict(const struct query *query, const struct options *options,
		     const struct condition *condition, int *status, struct err *err);
/* Writes the report of the query's trace, or of two. */
bool writing_report(const struct query *query, const struct options *options, struct err *err);
