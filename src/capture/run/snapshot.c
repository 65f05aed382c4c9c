#include "capture/run/snapshot.h"

#include "capture/run/run_list.h"

struct trace *snapshot(const char *path, const struct run_settings *settings, const char *folder,
		       const char *why, struct rank_folds *folds, bool *running, struct err *err)
{
	struct merge_options options = run_settings_merging(settings, folder);
	struct merge_summary summary;
	OWNED_STR date = STR_INIT;
	struct trace *trace;

	run_add_date(&date);
	*running = run_folder_any(folder, rank_is_alive, NULL);
	options.live = *running ? date.text : NULL;
	options.trigger = why;
	options.folds = folds;
	tv_ticks_and_nanos(TV_CLOCK_TSC, &options.last.tick, &options.last.nano);
	trace = merge_ranks(path, &options, &summary, err);
	if (trace && summary.jobs > 1) {
		trace_free(trace);
		options.job = summary.jobs - 1;
		trace = merge_ranks(path, &options, &summary, err);
	}
	if (!trace && err && !err_is_set(err))
		err_set(err, STATUS_IO, "%s: no rank has recorded anything yet%s%s", folder,
			*summary.first_trouble ? ": " : "", summary.first_trouble);
	return trace;
}
