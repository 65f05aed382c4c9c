/* tvrun: runs an MPI program under the capture library and merges what its ranks recorded. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/version.h"
#include "capture/run/launch.h"
#include "model/formats/save.h"

struct run {
	struct run_options options;
	struct str folder; /* of the ranks' buffers */
	struct reading first, last;
};

/* ---- the folder of the buffers ---- */

static bool make_folder(struct str *folder, const char *where, const char *name)
{
	char absolute[PATH_MAX];

	if (!realpath(where, absolute))
		return false;
	str_clear(folder);
	str_add_fmt(folder, "%s/%s.ranks-XXXXXX", absolute, name);
	return mkdtemp(folder->text) != NULL;
}

/* Beside the trace, where the ranks of other machines may see it too; else in memory. */
static bool choose_folder(struct run *run, struct err *err)
{
	const char *output = run->options.output, *slash = strrchr(output, '/');
	const char *name = slash ? slash + 1 : output;
	struct str beside = STR_INIT;
	bool ok;

	if (run->options.buffer_dir) {
		if (make_folder(&run->folder, run->options.buffer_dir, name))
			return true;
		return err_errno(err, STATUS_IO, "--buffer-dir %s: cannot make a folder there",
				 run->options.buffer_dir);
	}
	str_add_n(&beside, slash ? output : ".", slash ? (size_t)(slash - output) : 1);
	ok = make_folder(&run->folder, beside.n ? beside.text : "/", name) ||
	     make_folder(&run->folder, "/dev/shm", name);
	str_fini(&beside);
	return ok ||
	       err_errno(err, STATUS_IO,
			 "cannot make a folder for the ranks' records beside %s or in /dev/shm",
			 output);
}

static void remove_folder(const char *folder)
{
	const struct dirent *entry;
	DIR *d = opendir(folder);

	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	closedir(d);
	rmdir(folder);
}

/* ---- merging ---- */

static void join_words(struct str *out, char *const *words, char *const *stop)
{
	for (; *words && words != stop; words++) {
		if (out->n)
			str_add_char(out, ' ');
		str_add(out, *words);
	}
}

static void add_count(struct str *out, uint64_t n, const char *what)
{
	units_count(out, n);
	str_add_fmt(out, " %s%s", what, n == 1 ? "" : "s");
}

/* "run.trc: 4 ranks, 27 statements, 61 records, no events kept". */
static void tell_size(const struct run *run, const struct merge_summary *summary,
		      const struct trace *trace)
{
	struct str text = STR_INIT;

	add_count(&text, (uint64_t)summary->ranks, "rank");
	str_add(&text, ", ");
	if (summary->statistics) {
		add_count(&text, summary->statements, "statement");
		str_add(&text, ", ");
		add_count(&text, summary->records, "record");
		str_add(&text, ", no events kept");
	} else {
		add_count(&text, trace_event_count(trace), "event");
		if (summary->records) {
			str_add(&text, ", ");
			add_count(&text, summary->records, "record");
			str_add(&text, " of ");
			add_count(&text, summary->statements, "statement");
		}
	}
	fprintf(stderr, "tvrun: %s: %s\n", run->options.output, text.text);
	str_fini(&text);
}

static void tell(const struct run *run, const struct merge_summary *summary,
		 const struct trace *trace)
{
	if (!run->options.quiet)
		tell_size(run, summary, trace);
	if (summary->ranks < summary->world)
		fprintf(stderr, "tvrun: %d of %d ranks left no records\n",
			summary->world - summary->ranks, summary->world);
	if (summary->not_finalised)
		fprintf(stderr,
			"tvrun: %u rank%s ended without MPI_Finalize: what %s recorded until then is in the trace\n",
			summary->not_finalised, summary->not_finalised == 1 ? "" : "s",
			summary->not_finalised == 1 ? "it" : "they");
	if (summary->full)
		fprintf(stderr,
			"tvrun: the buffer of %u rank%s was full: its end is missing (--buffer-size is %llu bytes)\n",
			summary->full, summary->full == 1 ? "" : "s",
			(unsigned long long)run->options.buffer_size);
	if (summary->passed_over)
		fprintf(stderr, "tvrun: %u buffers were passed over: %s\n", summary->passed_over,
			*summary->first_trouble
				? summary->first_trouble
				: "they belong to an earlier MPI job of the same command");
	if (summary->limited)
		fprintf(stderr,
			"tvrun: procedures were called so often that not all of it is events: %llu record%s (--limit is "
			"%llu)\n",
			(unsigned long long)summary->limited, summary->limited == 1 ? "" : "s",
			(unsigned long long)run->options.limit);
	if (summary->torn)
		fprintf(stderr,
			"tvrun: %llu record%s left out: a process was killed while it changed %s\n",
			(unsigned long long)summary->torn, summary->torn == 1 ? "" : "s",
			summary->torn == 1 ? "it" : "them");
	if (summary->wrong_grids)
		fprintf(stderr,
			"tvrun: %u call%s of tview_topology and tview_coords left out: %s\n",
			summary->wrong_grids, summary->wrong_grids == 1 ? "" : "s",
			summary->first_wrong_grid);
}

static bool merge(const struct run *run, char **argv, struct err *err)
{
	struct str command = STR_INIT, options = STR_INIT;
	char directory[PATH_MAX] = "", date[64] = "";
	const time_t now = time(NULL);
	struct merge_summary summary;
	struct trace *trace;
	bool ok = false;
	struct tm utc;

	join_words(&command, run->options.command, NULL);
	join_words(&options, argv + 1, run->options.command);
	if (gmtime_r(&now, &utc))
		strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	trace = merge_ranks(run->options.output,
			    &(struct merge_options){ .folder = run->folder.text,
						     .domain = run->options.domain,
						     .anonymous = run->options.anonymous,
						     .insitu = run->options.insitu,
						     .limit = run->options.limit,
						     .first = run->first,
						     .last = run->last,
						     .command = command.text,
						     .options = options.text,
						     .directory =
							     getcwd(directory, sizeof directory),
						     .date = date },
			    &summary, err);
	if (trace) {
		ok = trace_save(trace, save_format_of_file(run->options.output),
				run->options.output, NULL, NULL, NULL, err);
		if (ok)
			tell(run, &summary, trace);
		trace_free(trace);
	} else if (!summary.ranks) {
		struct str why = STR_INIT;
		launch_explain(run->options.command, summary.files, &why);
		err_set(err, STATUS_IO, "no rank left any records: %s",
			*summary.first_trouble ? summary.first_trouble : why.text);
		str_fini(&why);
	}
	str_fini(&command);
	str_fini(&options);
	return ok;
}

/* ---- the run ---- */

static bool prepare(struct run *run, struct str *preload, struct err *err)
{
	struct str library = STR_INIT;
	bool ok = launch_find_library("libtvcapture.so", &library, err);

	str_add(preload, library.text);
	if (ok && run->options.yield) {
		ok = launch_find_library("libtvyield.so", &library, err);
		str_add_fmt(preload, ":%s", library.text);
	}
	str_fini(&library);
	/* Better now than after a run of hours. */
	return ok &&
	       save_check(save_format_of_file(run->options.output), run->options.output, err) &&
	       choose_folder(run, err);
}

static int run_and_merge(struct run *run, char **argv)
{
	struct err err = ERR_INIT;
	struct str preload = STR_INIT;
	char **command;
	int status;

	if (!prepare(run, &preload, &err)) {
		fprintf(stderr, "tvrun: %s\n", err.text);
		str_fini(&preload);
		return LAUNCH_FAILED;
	}
	launch_environment(&run->options, run->folder.text, preload.text);
	command = launch_arguments(run->options.command, preload.text);
	str_fini(&preload);

	tv_ticks_and_nanos(TV_CLOCK_TSC, &run->first.tick, &run->first.nano);
	status = launch_run(command, &err);
	tv_ticks_and_nanos(TV_CLOCK_TSC, &run->last.tick, &run->last.nano);

	if (err_is_set(&err)) {
		fprintf(stderr, "tvrun: %s\n", err.text);
	} else if (!merge(run, argv, &err)) {
		if (err_is_set(&err))
			fprintf(stderr, "tvrun: %s\n", err.text);
		status = status ? status : LAUNCH_FAILED;
	}
	if (run->options.keep)
		fprintf(stderr, "tvrun: the ranks' records are kept in %s\n", run->folder.text);
	else
		remove_folder(run->folder.text);
	for (char **word = command; *word; word++)
		free(*word);
	free(command);
	return status;
}

int main(int argc, char **argv)
{
	struct run run = { .folder = STR_INIT };
	struct err err = ERR_INIT;
	int status;

	(void)argc;
	if (!run_options_parse(&run.options, argv, &err)) {
		fprintf(stderr, "tvrun: %s\n", err.text);
		return LAUNCH_FAILED;
	}
	if (run.options.version) {
		puts("tvrun " TVIEW_VERSION);
		return 0;
	}
	if (run.options.help) {
		struct str help = STR_INIT;
		run_options_help(&help);
		fputs(help.text, stdout);
		str_fini(&help);
		return 0;
	}
	status = run_and_merge(&run, argv);
	str_fini(&run.folder);
	return status;
}
