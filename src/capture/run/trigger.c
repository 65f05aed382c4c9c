#include "capture/run/trigger.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "capture/run/snapshot.h"
#include "capture/run/summary.h"
#include "capture/run/trace_name.h"
#include "capture/run/visit_watch.h"
#include "model/formats/save.h"

enum { EVERY_MS = 200 }; /* visits are looked at */

struct trigger {
	const struct run_options *options;
	const struct run_settings *settings;
	const char *folder;
	struct visit_watch *visits; /* NULL: no --trigger */
	int64_t due;                /* clock_ms(): they are looked at again */
	uint64_t made;              /* traces, that under way included */
	uint64_t passed;            /* triggers that made none */
	int64_t begun;              /* clock_ms(): the last one */
	pid_t maker;                /* process that makes one; 0: none does */
};

struct trigger *trigger_new(const struct run_options *options, const struct run_settings *settings,
			    const char *folder)
{
	struct trigger *t = xcalloc(1, sizeof *t);

	t->options = options;
	t->settings = settings;
	t->folder = folder;
	if (options->trigger)
		t->visits = visit_watch_new(folder, options->trigger, NULL);
	return t;
}

/* ---- a trace ---- */

static void name_nth(const struct trigger *t, uint64_t nth, struct str *path)
{
	OWNED_STR number = STR_INIT;

	str_add_fmt(&number, ".%llu", (unsigned long long)nth);
	trace_name_with(path, t->options->output, number.text);
}

static bool save(const struct trigger *t, const char *path, const char *why, struct err *err)
{
	OWNED_STR name = STR_INIT;
	struct trace *trace;
	bool running, ok;

	/* Regions are the program's names. */
	trace = snapshot(path, t->settings, t->folder, t->options->anonymous ? "of a trigger" : why,
			 NULL, &running, err);
	if (!trace)
		return false;
	trace_name_form(&name, path, trace, t->settings->compact_from);
	ok = trace_save(trace, save_format_of_file(name.text), name.text, NULL, NULL, NULL, err);
	if (ok && !t->options->quiet)
		print_line("%s: the run up to now: %s", name.text, why);
	trace_free(trace);
	return ok;
}

/* In a process of its own. */
static _Noreturn void make(const struct trigger *t, const char *why)
{
	enum { NICE = 10 };
	OWNED_STR path = STR_INIT;
	struct err err = ERR_INIT;

	setpriority(PRIO_PROCESS, 0, NICE);
	name_nth(t, t->made, &path);
	if (!save(t, path.text, why, &err))
		print_line("%s: %s (%s)", path.text, err.text, why);
	_exit(0);
}

/* ---- what asks for one ---- */

static void reap(struct trigger *t, int how)
{
	if (t->maker && waitpid(t->maker, NULL, how) == t->maker)
		t->maker = 0;
}

static bool may_make(const struct trigger *t)
{
	const int64_t pause = (int64_t)(t->options->trigger_pause / 1000000);

	return !t->maker && t->made < t->options->trigger_most &&
	       (!t->made || clock_ms() - t->begun >= pause);
}

static void make_trace(struct trigger *t, const char *why)
{
	const pid_t maker = may_make(t) ? (t->made++, fork()) : -1;

	if (maker == 0)
		make(t, why);
	if (maker < 0) {
		t->passed++;
		return;
	}
	t->maker = maker;
	t->begun = clock_ms();
}

static bool is_due(struct trigger *t, bool ended)
{
	const int64_t now = clock_ms();

	if (!t->visits || (now < t->due && !ended))
		return false;
	t->due = now + EVERY_MS;
	return true;
}

void trigger_look(struct trigger *t, struct watch *watch, bool ended)
{
	OWNED_STR why = STR_INIT;
	uint64_t calls;
	int32_t rank;

	if (!t)
		return;
	reap(t, WNOHANG);
	calls = watch_triggers(watch, &rank);
	if (is_due(t, ended) && visit_watch_look(t->visits, &why))
		make_trace(t, why.text);
	if (!calls)
		return;
	str_clear(&why);
	if (rank >= 0)
		str_add_fmt(&why, "rank %d called tview_trigger()", (int)rank);
	else
		str_add(&why, "tview_trigger() was called");
	make_trace(t, why.text);
	t->passed += calls - 1;
}

/* ---- the end ---- */

static void note_older(const struct trigger *t)
{
	OWNED_STR next = STR_INIT;
	struct stat st;

	name_nth(t, t->made + 1, &next);
	if (t->made && stat(next.text, &st) == 0)
		print_line("note: %s is of an earlier run", next.text);
}

void trigger_free(struct trigger *t)
{
	OWNED_STR pause = STR_INIT;

	if (!t)
		return;
	reap(t, 0);
	if (t->passed && !t->options->quiet) {
		units_human_time(&pause, (int64_t)t->options->trigger_pause, &units_nanoseconds, 3);
		print_line("note: %llu trigger%s made no trace (at most one in %s, and %llu of a "
			   "run: --trigger-pause, --trigger-most)",
			   (unsigned long long)t->passed, t->passed == 1 ? "" : "s", pause.text,
			   (unsigned long long)t->options->trigger_most);
	}
	note_older(t);
	visit_watch_free(t->visits);
	free(t);
}
