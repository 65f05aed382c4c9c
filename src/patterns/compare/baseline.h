/* baseline: named sets of figures of earlier runs (figures.h): what later runs are compared with.
 *
 * They lie below $TVIEW_BASELINES, else $XDG_DATA_HOME/tview/baselines, else
 * ~/.local/share/tview/baselines: a folder for each name, and in it a file for each run, named by
 * when it was added. Runs may be added by several processes at once. A name has letters, digits and
 * . _ - (not first), at most BASELINE_NAME of them. */
#pragma once

#include "patterns/compare/figures.h"

enum { BASELINE_NAME = 64, BASELINE_RUNS = 65 /* read at most, the latest */ };

/* Adds a run of the whole; *n: how many there are then. False with err. */
bool baseline_add(const char *name, const struct cube *cube, enum time_base base,
		  const struct efficiency *efficiency, size_t *n, struct err *err);
/* The figures of its runs, in the order in which they were added: *figures[*n], the caller's, each
 * to be finished. False with err where there are none. */
bool baseline_read(const char *name, struct figures **figures, unsigned *n, struct err *err);
/* A line for each name: runs, when the last was added. False with err. */
bool baseline_list(struct str *out, struct err *err);
bool baseline_remove(const char *name, struct err *err);
