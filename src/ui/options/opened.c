#include "ui/options/opened.h"

#include <stdlib.h>

#include "model/formats/load.h"
#include "patterns/compare/baseline.h"
#include "ui/options/correcting.h"
#include "views/query/second_trace.h"

bool opened_how(struct load_options *how, const struct options *options, struct err *err)
{
	*how = options->reading;
	return choice_part(&how->part, options, err);
}

bool opened_read(struct opened *opened, const char *path, const struct options *options,
		 struct err *err)
{
	struct load_options how;

	*opened = (struct opened){ 0 };
	if (opened_how(&how, options, err))
		opened->trace = trace_load(path, &how, NULL, err);
	choice_part_fini(&how.part);
	return opened->trace != NULL;
}

bool opened_correct(struct opened *opened, const struct options *options, bool all, struct err *err)
{
	struct correct_options correct;

	correcting_options(&correct, options, all);
	opened->corrections = correct_run(opened->trace, &correct, NULL, err);
	if (opened->corrections &&
	    choice_make(&opened->choice, opened->trace, opened->corrections, options, err))
		return true;
	opened_close(opened);
	return false;
}

void opened_close(struct opened *opened)
{
	choice_fini(&opened->choice);
	corrections_free(opened->corrections);
	trace_free(opened->trace);
}

/* ---- other traces that it is compared with ---- */

/* The window of the others is that of the trace they are compared with. */
static struct options options_of_others(const struct options *options)
{
	struct options whole = *options;

	whole.time = NULL;
	whole.filter = NULL;
	return whole;
}

/* Adds one to the others; the first makes them. */
static bool add_other(struct other **others, struct opened *opened, struct err *err)
{
	if (!*others)
		*others = other_new(opened->trace, opened->corrections, opened->choice.query.base);
	else if (!other_repeat(*others, opened->trace, opened->corrections,
			       opened->choice.query.base))
		err_set(err, STATUS_USAGE, "--baseline takes at most %d traces", DELTA_REPEATED);
	choice_fini(&opened->choice);
	return !err_is_set(err);
}

/* The figures that --baseline names become the others. */
static bool figures_named(struct other **others, const char *name, struct err *err)
{
	struct figures *figures;
	unsigned n;

	if (!baseline_read(name, &figures, &n, err))
		return false;
	*others = other_of_figures(name, figures, n);
	free(figures);
	return true;
}

bool opened_compared(struct opened *opened, struct other **others, const struct options *options,
		     int first, bool all, opened_load *load, void *context, struct err *err)
{
	const bool two = options->n_args > first + 1;
	const struct options whole = options_of_others(options);
	const char **paths;
	bool ok = true;
	unsigned n;

	*others = NULL;
	if (options->baseline && !two && !figures_named(others, options->baseline, err))
		return false;
	paths = choice_other_paths(options, first, &n);
	for (unsigned i = 0; i < n && ok; i++) {
		struct opened other;
		ok = load(context, &other, paths[i], &whole, false, err) &&
		     add_other(others, &other, err);
	}
	free(paths);
	if (!ok || !load(context, opened, options->args[first + two], options, all, err))
		return false;
	opened->choice.query.other = *others;
	return true;
}
