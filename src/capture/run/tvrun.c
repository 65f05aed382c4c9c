/* tvrun: runs an MPI program under the capture library and merges what its ranks recorded. */
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
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
			 "cannot make a folder for the buffers beside %s or in /dev/shm", output);
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

/* A line on standard error: "tvrun: ...". */
__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...)
{
	va_list args;

	fputs("tvrun: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void add_count(struct str *out, uint64_t n, const char *what)
{
	units_count(out, n);
	str_add_fmt(out, " %s%s", what, plural(n));
}

/* "run.trc: 4 ranks, 2,656 events", "run.trc: statistics of 4 ranks: 27 statements, 61 records". */
static void print_size(const struct run *run, const struct merge_summary *summary,
		       const struct trace *trace)
{
	struct str text = STR_INIT;

	if (summary->statistics)
		str_add(&text, "statistics of ");
	add_count(&text, (uint64_t)summary->ranks, "rank");
	if (summary->statistics) {
		str_add(&text, ": ");
		add_count(&text, summary->statements, "statement");
	} else {
		str_add(&text, ", ");
		add_count(&text, trace_event_count(trace), "event");
	}
	if (summary->records || summary->statistics) {
		str_add(&text, ", ");
		add_count(&text, summary->records, "record");
	}
	if (summary->records && !summary->statistics) {
		str_add(&text, " of ");
		add_count(&text, summary->statements, "statement");
	}
	print_line("%s: %s", run->options.output, text.text);
	str_fini(&text);
}

static void print_summary(const struct run *run, const struct merge_summary *s,
			  const struct trace *trace)
{
	const bool one = s->not_finalised == 1;

	if (!run->options.quiet)
		print_size(run, s, trace);
	if (s->ranks < s->world)
		print_line("warning: no data from %d of %d ranks", s->world - s->ranks, s->world);
	if (s->not_finalised)
		print_line(
			"warning: %u rank%s ended without MPI_Finalize; %s records up to then are "
			"kept",
			s->not_finalised, plural(s->not_finalised), one ? "its" : "their");
	if (s->full)
		print_line(
			"warning: buffer full on %u rank%s: recording stopped there, the rest is "
			"lost; raise --buffer-size (%lluM)",
			s->full, plural(s->full),
			(unsigned long long)run->options.buffer_size >> 20);
	if (s->passed_over)
		print_line("warning: %u buffer file%s skipped: %s", s->passed_over,
			   plural(s->passed_over),
			   *s->first_trouble ? s->first_trouble
					     : "from an earlier MPI job of the same command");
	if (s->limited)
		print_line("note: events of very short functions limited in %llu record%s (--limit "
			   "%llu); counts are complete",
			   (unsigned long long)s->limited, plural(s->limited),
			   (unsigned long long)run->options.limit);
	if (s->torn)
		print_line("warning: %llu statement record%s lost: the process was killed while "
			   "writing",
			   (unsigned long long)s->torn, plural(s->torn));
	if (s->wrong_grids)
		print_line("warning: %u call%s of tview_topology and tview_coords ignored: %s",
			   s->wrong_grids, plural(s->wrong_grids), s->first_wrong_grid);
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
			print_summary(run, &summary, trace);
		trace_free(trace);
	} else if (!summary.ranks) {
		struct str why = STR_INIT;
		launch_explain(run->options.command, summary.files, &why);
		err_set(err, STATUS_IO, "no trace written: no rank recorded anything. %s",
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
		print_line("%s", err.text);
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
		print_line("%s", err.text);
	} else if (!merge(run, argv, &err)) {
		if (err_is_set(&err))
			print_line("%s", err.text);
		status = status ? status : LAUNCH_FAILED;
	}
	if (run->options.keep)
		print_line("buffers kept in %s", run->folder.text);
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
		print_line("%s", err.text);
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
