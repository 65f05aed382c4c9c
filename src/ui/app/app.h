/* app: a trace on the screen, from the first frame to the last key.
 *
 * One loop waits for keys, signals and the loading thread with poll(); long work of panels runs in
 * slices between them. However it ends (q, a signal, a terminal that is gone), the terminal is
 * restored.
 *
 *	struct app_options options = { .view = "timeline" };
 *	if (!app_open("run.trc", &load, &options, &err))
 *		fprintf(stderr, "tview: %s\n", err.text);
 */
#pragma once

#include "correct/correct.h"
#include "model/formats/load.h"
#include "ui/options/settings.h"
#include "ui/session/session.h"
#include "ui/terminal/screen.h"
#include "views/export/view_registry.h"

struct app_options {
	struct screen_options screen;
	const struct view_registry *views;
	const char *view; /* name of the first view, NULL: the first one */
	struct bindings *bindings;
	struct settings *settings;             /* of the same bindings, and the options */
	const struct option_texts *commands;   /* run one after the other once the trace is there */
	const char *notice;                    /* shown first, NULL none */
	const struct correct_options *correct; /* NULL: times are not corrected; borrowed */
	/* Older traces to compare with, loaded before the trace: an older run, then repetitions of
	 * it. */
	const char *const *others;
	unsigned n_others;
	int look_ms;           /* ms between two looks at a running job; 0: a trace, not a job */
	const char *job_trace; /* the trace that the job will have, NULL unknown */
	bool no_state;         /* neither restore nor save position, marks and hidden rows */
};

/* Without a terminal: runs the commands on a trace that is taken, as is `other` (older ones, NULL);
 * `options` as below. What exports and prints does its work, others move the cursor and the window,
 * those that need a terminal fail. False with err; the commands after that were not run. */
bool app_run(struct trace *trace, struct corrections *corrections, struct other *other,
	     const struct app_options *options, struct err *err);

/* The user's settings and theme; the command line comes first. What is wrong in files is told on
 * stderr, and in `wrong`, a line each. False with err: no such theme was given. */
bool app_read_taste(const struct options *options, struct settings *settings,
		    const struct theme **theme, struct str *wrong, struct err *err);

/* Loads a trace and shows it; Esc stops loading and shows what is there. False with err when it
 * cannot be read, when there is no usable terminal, or when that has gone. */
bool app_open(const char *path, const struct load_options *load, const struct app_options *options,
	      struct err *err);
