/* launch: runs the program under the capture library: environment, preloads, signals, status.
 *
 * The library is named in LD_PRELOAD, before the libraries already there, in the environment and
 * wherever the launcher's own arguments set that variable (mpiexec -env LD_PRELOAD x, -genv, -x
 * LD_PRELOAD=x, env LD_PRELOAD=x). */
#pragma once

#include <signal.h>

#include "capture/run/runopts.h"
#include "capture/run/trigger.h"

/* Statuses of tvrun's own, as env(1) and timeout(1) have them. */
enum { LAUNCH_FAILED = 125, LAUNCH_CANNOT_RUN = 126, LAUNCH_NOT_FOUND = 127 };

/* Absolute path of a library of tview's, found beside this program: lib/tview/NAME (where it was
 * built) or ../lib/tview/NAME (where it was installed). */
bool launch_find_library(const char *name, struct str *path, struct err *err);

/* Sets the environment that the library reads; `preload` are the libraries, separated by ':'. */
void launch_environment(const struct run_options *options, const char *folder, const char *preload);

/* Puts `preload` in front of every LD_PRELOAD among the arguments. The result is allocated as a
 * whole, with its words; it is never freed. */
char **launch_arguments(char **argv, const char *preload);

/* Runs argv and waits; signals that are sent to this process are passed on. Ranks whose files are
 * in `folder` are watched (watch.h). Returns the program's status as the shell counts it (128 +
 * signal), or one of the above with err. The signals stay blocked, so that a late one does not end
 * this process before it has merged; then set the mask `before` again. */
int launch_run(char **argv, const char *folder, struct trigger *trigger, sigset_t *before,
	       struct err *err);

/* A sentence on why no rank may have recorded anything, from what the command names. */
void launch_explain(char **argv, uint32_t files, struct str *out);
