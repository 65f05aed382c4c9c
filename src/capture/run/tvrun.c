/* tvrun: runs an MPI program under the capture library and merges what its ranks recorded. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/units.h"
#include "base/version.h"
#include "capture/run/beside.h"
#include "capture/run/call_list.h"
#include "capture/run/choice_list.h"
#include "capture/run/counter_list.h"
#include "capture/run/launch.h"
#include "capture/run/run_folder.h"
#include "capture/run/run_list.h"
#include "capture/run/summary.h"
#include "capture/run/trace_name.h"
#include "model/formats/save.h"

struct run {
	struct run_options options;
	struct run_settings settings;
	struct launcher launcher;
	struct str folder; /* of the ranks' buffers */
};

/* ---- merging ---- */

/* The signals that a batch system or a user sends to end a run. */
static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* False if one of these signals is pending. */
static bool go_on(void *context, const char *what, uint64_t done, uint64_t all)
{
	sigset_t pending;

	(void)context, (void)what, (void)done, (void)all;
	return sigpending(&pending) != 0 ||
	       !(sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
		 sigismember(&pending, SIGHUP));
}

/* A file with the trace's name exists, but is not of this run. */
static void print_older(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		print_line("note: %s is of an earlier run", path);
}

/* The same for both names that a trace may get where its size decides. */
static void print_older_forms(const struct run *run, const char *path)
{
	OWNED_STR compact = STR_INIT;

	print_older(path);
	trace_name_compact(&compact, path);
	if (run->settings.compact_from)
		print_older(compact.text);
}

static void print_kept(const struct run *run)
{
	/* A name would decide the form, too. */
	if (run->settings.compact_from) {
		print_line("the records are kept; to merge them: tvrun --merge '%s'",
			   run->folder.text);
		return;
	}
	print_line("the records are kept; to merge them: tvrun --merge '%s' -o '%s'",
		   run->folder.text, run->settings.output.text);
}

static bool save(struct trace *trace, const char *path, struct err *err)
{
	static const struct progress progress = { .step = go_on };
	struct err trouble = ERR_INIT;

	if (trace_save(trace, save_format_of_file(path), path, NULL, NULL, &progress, &trouble))
		return true;
	return err_set(err, STATUS_IO, "%s",
		       go_on(NULL, NULL, 0, 0) ? trouble.text : "interrupted while merging");
}

/* run.trc, run-2.trc, run-3.trc: the name of a job's trace. */
static void add_path(struct str *out, const char *path, size_t job)
{
	OWNED_STR number = STR_INIT;

	str_add(&number, "");
	if (job)
		str_add_fmt(&number, "-%zu", job + 1);
	trace_name_with(out, path, number.text);
}

/* What is beside a trace whose name its size chose. */
static void print_form(const struct run *run, const char *path, const char *name, bool compact)
{
	OWNED_STR other = STR_INIT, from = STR_INIT;

	units_count(&from, run->settings.compact_from);
	/* Also with --quiet: the name is not the usual one. */
	if (compact)
		print_line("note: %s is compressed because it has %s events or more; -o %s writes "
			   "text",
			   name, from.text, path);
	if (!compact)
		trace_name_compact(&other, path);
	print_older(compact ? path : other.text);
}

/* The choices of the run as text. */
static void save_order(const struct run *run, const struct trace *trace, size_t job)
{
	OWNED_STR path = STR_INIT;
	struct err err = ERR_INIT;

	add_path(&path, run->options.order, job);
	if (!choice_list_save(trace, path.text, &err))
		print_line("%s", err.text);
}

/* The choices that the run is to make again. */
static bool prepare_replay(const struct run *run, struct err *err)
{
	struct choice_list list = { 0 };
	bool ok = !run->options.replay || (choice_list_read(&list, run->options.replay, err) &&
					   choice_list_write(&list, run->folder.text, err));

	choice_list_fini(&list);
	if (!ok)
		run_folder_remove(run->folder.text);
	return ok;
}

/* False with err: there is no trace of that job. */
static bool merge_job(const struct run *run, const char *path, size_t job,
		      struct merge_summary *summary, struct err *err)
{
	struct merge_options options = run_settings_merging(&run->settings, run->folder.text);
	OWNED_STR name = STR_INIT;
	struct trace *trace;
	bool ok, compact;

	options.job = job;
	options.only_written = true;
	options.memory = run->options.max_mem;
	trace = merge_ranks(path, &options, summary, err);
	compact = trace && trace_name_form(&name, path, trace, run->settings.compact_from);
	ok = trace && save(trace, name.text, err);

	if (ok && run->options.order)
		save_order(run, trace, job);
	if (ok)
		print_summary(&run->options, name.text, summary, trace);
	if (ok && run->settings.compact_from)
		print_form(run, path, name.text, compact);
	trace_free(trace);
	return ok;
}

static void explain(const struct run *run, const struct merge_summary *summary)
{
	OWNED_STR why = STR_INIT;

	if (*summary->first_trouble)
		str_add(&why, summary->first_trouble);
	else if (summary->unknown_mpi)
		str_add(&why,
			"The program's MPI is of a kind that tvrun does not know (it knows "
			"those that are binary compatible with MPICH, Open MPI or MPI 5.0's ABI)");
	else if (run->options.merge)
		str_add(&why, "There is no buffer of a rank in the folder");
	else
		launch_explain(run->options.command, summary->files, &why);
	print_line("no trace written: no rank recorded anything. %s", why.text);
}

/* A trace for each MPI job that the command ran. False: one is missing. `*records`: but there are
 * records of which it could be made. */
static bool merge(const struct run *run, bool *records)
{
	OWNED_STR path = STR_INIT;
	bool ok = true;
	size_t jobs = 1;

	for (size_t job = 0; job < jobs; job++) {
		struct merge_summary summary;
		struct err err = ERR_INIT;
		str_clear(&path);
		add_path(&path, run->options.output, job);
		if (merge_job(run, path.text, job, &summary, &err)) {
			jobs = summary.jobs;
			continue;
		}
		ok = false;
		jobs = summary.jobs;
		*records |= summary.ranks > 0 || *summary.first_trouble;
		if (err_is_set(&err)) {
			*records = true;
			print_line("%s: %s", path.text, err.text);
		} else {
			explain(run, &summary);
		}
		print_older_forms(run, path.text);
	}
	if (jobs > 1)
		print_line("note: the command ran %zu MPI jobs; each has its own trace", jobs);
	str_clear(&path);
	add_path(&path, run->options.output, jobs > 1 ? jobs : 1);
	if (jobs)
		print_older_forms(run, path.text);
	return ok;
}

/* With ending_signals() blocked: a request to end this process waits until the records are merged
 * or kept. */
static bool merge_or_keep(const struct run *run)
{
	bool records = false;
	const bool ok = merge(run, &records);

	if (run->options.merge)
		return ok;
	if (!ok && records)
		print_kept(run);
	else if (run->options.keep)
		print_line("buffers kept in %s", run->folder.text);
	else
		run_folder_remove(run->folder.text);
	return ok;
}

/* ---- the run ---- */

static bool can_save(const struct run *run, struct err *err)
{
	struct err why = ERR_INIT;

	return save_check(save_format_of_file(run->options.output), run->options.output, &why) ||
	       err_set(err, why.status, "%s (choose another place with -o)", why.text);
}

static bool prepare(struct run *run, struct str *preload, struct err *err)
{
	OWNED_STR library = STR_INIT;
	bool ok = launch_find_library("libtvcapture.so", &library, err);

	str_add(preload, library.text);
	if (ok && run->options.yield) {
		ok = launch_find_library("libtvyield.so", &library, err);
		str_add_fmt(preload, ":%s", library.text);
	}
	/* Better now than after a run of hours. */
	return ok && can_save(run, err) &&
	       run_folder_make(&run->folder, &run->options, &run->launcher, err) &&
	       prepare_replay(run, err);
}

static void read_clock(struct reading *reading)
{
	tv_ticks_and_nanos(TV_CLOCK_TSC, &reading->tick, &reading->nano);
}

/* Runs the program; its records are complete on return. */
static int run_program(struct run *run, char **command, sigset_t *before, struct err *err)
{
	struct trigger *trigger;
	int status;

	read_clock(&run->settings.first);
	run_settings_write(run->folder.text, &run->settings);
	trigger = trigger_new(&run->options, &run->settings, run->folder.text);
	status = launch_run(command, run->folder.text, trigger, before, err);
	read_clock(&run->settings.last);
	/* Should this process be killed now, another one has what it needs. */
	if (!err_is_set(err))
		run_settings_write(run->folder.text, &run->settings);
	trigger_free(trigger);
	return status;
}

/* Merges when `end` says that the program has ended, or tvrun itself: a launcher kills all that it
 * started when one rank fails. */
static void merge_detached(struct run *run, int end)
{
	enum { PATIENCE = 10 };
	sigset_t set;
	char how = 'm';

	setsid();
	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (read(end, &how, 1) < 0)
		how = 'm';
	if (how == 'm') {
		run_folder_settle(run->folder.text, PATIENCE);
		read_clock(&run->settings.last);
		run_settings_write(run->folder.text, &run->settings);
		merge_or_keep(run);
	}
	_exit(0);
}

/* The tvrun of rank 0 among those of a job. */
static int run_as_first(struct run *run, char **command, sigset_t *before, struct err *err)
{
	int end[2], status;
	pid_t merger;

	read_clock(&run->settings.first);
	if (pipe2(end, O_CLOEXEC) != 0 || (merger = fork()) < 0) {
		err_errno(err, LAUNCH_FAILED, "cannot start a process");
		sigprocmask(SIG_BLOCK, NULL, before);
		return LAUNCH_FAILED;
	}
	if (merger == 0) {
		close(end[1]);
		merge_detached(run, end[0]);
	}
	close(end[0]);
	status = run_program(run, command, before, err);
	if (write(end[1], err_is_set(err) ? "x" : "m", 1) == 1)
		waitpid(merger, NULL, 0);
	return status;
}

/* The tvrun of another rank: its records are merged with those of rank 0. */
static int run_as_other(struct run *run, char **command, sigset_t *before, struct err *err)
{
	const int status = launch_run(command, run->folder.text, NULL, before, err);

	if (run_folder_is_apart(run->folder.text))
		print_line("rank %d: its records are in %s; to merge them, move them to the folder "
			   "of rank 0 and use tvrun --merge",
			   run->launcher.rank, run->folder.text);
	else
		rmdir(run->folder.text); /* unless others need it */
	return status;
}

static int run_and_merge(struct run *run, char **argv)
{
	struct err err = ERR_INIT;
	OWNED_STR preload = STR_INIT;
	sigset_t before;
	char **command;
	int status;

	if (!prepare(run, &preload, &err)) {
		print_line("%s", err.text);
		return LAUNCH_FAILED;
	}
	if (run->options.counters && run->launcher.rank <= 0)
		counter_list_warn(run->options.counters);
	launch_environment(&run->options, run->folder.text, preload.text);
	command = launch_arguments(run->options.command, preload.text);

	run_settings_of(&run->settings, &run->options, argv);
	if (run->launcher.rank <= 0)
		run_list_add(run->folder.text);
	if (run->launcher.rank > 0) {
		status = run_as_other(run, command, &before, &err);
	} else if (run->launcher.rank == 0) {
		status = run_as_first(run, command, &before, &err);
	} else {
		status = run_program(run, command, &before, &err);
		if (!err_is_set(&err))
			merge_or_keep(run);
	}
	if (err_is_set(&err)) {
		print_line("%s", err.text);
		if (run->launcher.rank <= 0)
			run_folder_remove(run->folder.text);
	}
	/* Records that are kept can still be found. */
	if (run->launcher.rank <= 0 && (run->options.keep || access(run->folder.text, F_OK) != 0))
		run_list_remove(run->folder.text);
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (char **word = command; *word; word++)
		free(*word);
	free(command);
	return status;
}

/* tvrun --merge: merges a run whose own tvrun could not do so. */
static int merge_folder(struct run *run)
{
	struct err err = ERR_INIT;
	char absolute[PATH_MAX];
	sigset_t set, before;
	bool ok;

	str_add(&run->folder, run->options.merge);
	if (!run_settings_read(run->folder.text, &run->settings)) {
		run->settings.insitu = true;
		run->settings.compact_from = COMPACT_FROM;
	}
	/* That of the run, unless this command says otherwise. */
	if (!run->options.unnamed ||
	    (run->settings.compact_from && run->options.compact_from != COMPACT_FROM))
		run->settings.compact_from = run_options_compact_from(&run->options);
	if (!run->options.output)
		run->options.output =
			run->settings.output.n ? run->settings.output.text : "run.trc";
	if (!save_check(save_format_of_file(run->options.output), run->options.output, &err)) {
		print_line("%s", err.text);
		return LAUNCH_FAILED;
	}
	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	ok = merge_or_keep(run);
	if (ok && realpath(run->folder.text, absolute))
		run_list_remove(absolute);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok ? 0 : LAUNCH_FAILED;
}

/* --live: a second process runs the program. False: in this one, which returns *status. */
static bool run_beside(const struct run *run, int *status)
{
	struct err err = ERR_INIT;
	struct beside beside;

	*status = LAUNCH_FAILED;
	if (run->launcher.rank >= 0) {
		print_line("--live cannot show one of several ranks: put tvrun before the "
			   "launcher, as in tvrun --live mpiexec -n 4 ./app");
		return false;
	}
	if (!beside_fork(&beside, run->options.output, &err)) {
		print_line("%s", err.text);
		return false;
	}
	if (beside.tvrun)
		*status = beside_show(&beside);
	return beside.tvrun == 0;
}

int main(int argc, char **argv)
{
	struct run run = { .folder = STR_INIT };
	struct str output = STR_INIT;
	struct err err = ERR_INIT;
	int status;

	(void)argc;
	if (!run_options_parse(&run.options, argv, &err) ||
	    (run.options.counters &&
	     !counter_list_parse(&run.options.counted, run.options.counters, &err))) {
		print_line("%s", err.text);
		return LAUNCH_FAILED;
	}
	if (run.options.version) {
		puts("tvrun " TVIEW_VERSION);
		return 0;
	}
	if (run.options.help || run.options.list_calls || run.options.list_counters) {
		OWNED_STR text = STR_INIT;
		(run.options.help         ? run_options_help
		 : run.options.list_calls ? call_list_text
					  : counter_list_text)(&text);
		fputs(text.text, stdout);
		return 0;
	}
	launcher_find(&run.launcher);
	if (run.options.output) {
		launcher_name(&output, run.options.output, &run.launcher);
		run.options.output = output.text;
	}
	/* Inside the program of another tvrun that one does everything. */
	if (!run.options.merge && getenv("TVIEW_DIR")) {
		execvp(run.options.command[0], run.options.command);
		print_line("%s: cannot be run: %s", run.options.command[0], strerror(errno));
		return errno == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_RUN;
	}
	if (run.options.rules_for_tvcc)
		print_line(
			"warning: rules of --filter-file that only tvcc can follow are left out: "
			"%u (iterations, file:PATTERN)",
			run.options.rules_for_tvcc);
	if (!run.options.live || run_beside(&run, &status))
		status = run.options.merge ? merge_folder(&run) : run_and_merge(&run, argv);
	str_fini(&output);
	str_fini(&run.launcher.job);
	run_settings_fini(&run.settings);
	str_fini(&run.options.rules);
	str_fini(&run.options.counted);
	str_fini(&run.folder);
	return status;
}
