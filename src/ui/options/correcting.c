#include "ui/options/correcting.h"

#include <string.h>

#include "views/report/results.h"

static enum presync presync_of(const char *word)
{
	if (word && strcmp(word, "offsets") == 0)
		return PRESYNC_OFFSETS;
	return word && strcmp(word, "messages") == 0 ? PRESYNC_MESSAGES : PRESYNC_AUTO;
}

/* The base that was asked for, BASE_COUNT: none. */
static enum time_base base_of(const struct options *options)
{
	return options->base ? time_base_find(options->base) : BASE_COUNT;
}

void correcting_options(struct correct_options *how, const struct options *options, bool all)
{
	const enum time_base base = base_of(options);

	*how = options->correct;
	how->presync = presync_of(options->presync);
	for (int m = 0; m <= OVERHEAD_PAPER_ALIKE; m++)
		if (options->overhead_model &&
		    strcmp(options->overhead_model, overhead_model_name((enum overhead_model)m)) ==
			    0)
			how->overhead.model = (enum overhead_model)m;
	if (!all)
		how->want = base == BASE_COUNT ? BASE_CLC : base;
	if (options->bounds_clocks && how->want < BASE_CLC)
		how->want = BASE_CLC;
	/* The bounds are made together with what they bound. */
	if (how->want >= BASE_COMPENSATED)
		how->want = BASE_COUNT;
}

bool correcting_needs_whole(const struct options *options)
{
	return base_of(options) > BASE_LINEAR;
}

void correcting_prepare(struct trace *trace)
{
	const struct correct_options all = CORRECT_DEFAULTS;
	struct corrections *corrections;
	struct err err = ERR_INIT;

	corrections = correct_run(trace, &all, NULL, &err);
	results_prepare(trace, corrections);
	corrections_free(corrections);
}
