/* app: a trace on the screen, from the first frame to the last key.
 *
 * The one loop waits for keys, signals and the loading thread with one poll(); long work of panels
 * runs in slices between them. Whatever ends it (q, a signal, a terminal that is gone), the
 * terminal is as it was before.
 *
 *	struct app_options options = { .view = "timeline" };
 *	if (!app_open("run.trc", &load, &options, &err))
 *		fprintf(stderr, "tview: %s\n", err.text);
 */
#pragma once

#include "correct/correct.h"
#include "model/formats/load.h"
#include "ui/session/session.h"
#include "ui/terminal/screen.h"
#include "views/export/view_registry.h"

struct app_options {
	struct screen_options screen;
	const struct view_registry *views;
	const char *view; /* name of the first view, NULL: the first one */
	/* Called once, when the trace is there and before anything of it is shown: applies the
	 * base, filter, ranks and window of the command line. False with err ends the program.
	 * NULL. */
	bool (*prepare)(struct session *session, void *context, struct err *err);
	void *context;
	const struct correct_options *correct; /* NULL: times stay as they are; borrowed */
	/* Older traces that it is compared with, loaded before it: the first one, and repeated runs
	 * of that. */
	const char *const *others;
	unsigned n_others;
	int look_ms;   /* how often a job that runs is looked at again; 0: it is a trace */
	bool no_state; /* neither take up nor keep position, marks and hidden rows */
};

/* Loads a trace and shows it; Esc stops loading and shows what is there. False with err when it
 * cannot be read, when there is no usable terminal, or when that has gone. */
bool app_open(const char *path, const struct load_options *load, const struct app_options *options,
	      struct err *err);
