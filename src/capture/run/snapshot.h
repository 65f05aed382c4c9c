/* snapshot: the trace of a run that goes on, as it is now. The ranks do not notice it. */
#pragma once

#include "capture/run/run_folder.h"

/* Of the ranks whose files are in the folder; if the command ran several jobs, of the last one.
 * `*running`: some of them still live; else the trace is as they ended. `why`: what asked for it,
 * NULL a person. `folds`: of the latest events alone; NULL: all. NULL with err where no rank has
 * begun. */
struct rank_folds;
struct trace *snapshot(const char *path, const struct run_settings *settings, const char *folder,
		       const char *why, struct rank_folds *folds, bool *running, struct err *err);
