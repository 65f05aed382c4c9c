/* tvrun's merge of ranks' files, by form of the trace, against a loop that writes a line for every
 * record. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"

enum { ROUNDS = 5, FORMS = 5 };

/* What writes, in the folder of the traces, and what is there then. */
static const struct {
	const char *name, *output, *files[3];
} forms[FORMS] = {
	{ "a line a record", "merged.lines", { "merged.lines" } },
	{ "PICL", "merged.trc", { "merged.trc" } },
	{ "PICL, compressed", "merged.trc.zst", { "merged.trc.zst" } },
	{ "OTF2", "merged.otf2", { "merged.otf2", "merged.def", "merged" } },
	{ "without -o", NULL, { "run.trc", "run.trc.zst" } },
};
enum { YARDSTICK, DEFAULT = FORMS - 1 };

struct cost {
	double user[ROUNDS], system[ROUNDS], cpu[ROUNDS], wall[ROUNDS];
	double mib, bytes;
};

static bool make_ranks(const struct bench *bench, const char *ranks, const char *events,
		       const char *messages, char folder[PATH])
{
	static struct run run;
	char program[PATH];
	const char *const argv[] = { program, folder, ranks, events, messages, NULL };
	struct stat st;

	bench_program(bench, "tests/bench/programs/rank_files", program);
	snprintf(folder, PATH, "%s/ranks-%s-%s%s", bench->files, ranks, events,
		 messages ? "-messages" : "");
	return stat(folder, &st) == 0 || process_run(&run, argv);
}

/* A file, or all files of a folder. */
static double bytes_at(const char *path)
{
	struct stat st;
	const struct dirent *entry;
	double sum = 0;
	DIR *folder;

	if (stat(path, &st) != 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return (double)st.st_size;
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		char part[2 * PATH];
		snprintf(part, sizeof part, "%s/%s", path, entry->d_name);
		if (stat(part, &st) == 0 && S_ISREG(st.st_mode))
			sum += (double)st.st_size;
	}
	if (folder)
		closedir(folder);
	return sum;
}

/* Bytes of what was written, which is removed. */
static double take_files(const struct bench *bench, int form)
{
	double sum = 0;

	for (int i = 0; i < 3 && forms[form].files[i]; i++) {
		char path[PATH];
		snprintf(path, PATH, "%s/%s", bench->files, forms[form].files[i]);
		sum += bytes_at(path);
		unlink(path);
	}
	return sum;
}

/* Quiet: a note that a large trace is compressed is no figure. */
static const char in_folder[] = "cd \"$0\" && exec \"$@\" 2>/dev/null";

static bool run_form(const struct bench *bench, const char *folder, int form, int round,
		     struct cost *cost)
{
	static struct run run;
	const bool lines = form == YARDSTICK;
	char program[PATH];
	char *ranks = realpath(folder, NULL), *exact;
	bool ok;

	bench_program(bench, lines ? "tests/bench/programs/record_lines" : "tvrun", program);
	exact = realpath(program, NULL);
	ok = ranks && exact &&
	     process_run(&run, (const char *const[]){ "/bin/sh", "-c", in_folder, bench->files,
						      exact, lines ? ranks : "--merge",
						      lines ? forms[form].output : ranks,
						      lines || form == DEFAULT ? NULL : "-o",
						      forms[form].output, NULL });
	free(ranks);
	free(exact);
	cost->cpu[round] = run.cpu;
	cost->system[round] = run.system;
	cost->user[round] = run.cpu - run.system;
	cost->wall[round] = run.wall;
	cost->mib = run.mib > cost->mib ? run.mib : cost->mib;
	cost->bytes = take_files(bench, form);
	return ok;
}

static void print_form(int form, double events, struct cost *cost, double yardstick)
{
	const double cpu = 1e9 * quantile(cost->cpu, ROUNDS, 0) / events;

	row(forms[form].name,
	    form == YARDSTICK ? ""
	    : form == DEFAULT ? "<= 80 ns, 8 B"
			      : "<= 80 ns",
	    "%.0f ns (user %.0f, system %.0f): %.2fx; elapsed %.0f; %.1f B; %.0f MiB", cpu,
	    1e9 * quantile(cost->user, ROUNDS, 0) / events,
	    1e9 * quantile(cost->system, ROUNDS, 0) / events, cpu / yardstick,
	    1e9 * quantile(cost->wall, ROUNDS, 0) / events, cost->bytes / events, cost->mib);
}

static void merge_rows(const struct bench *bench, const char *ranks, const char *events,
		       const char *messages)
{
	static struct cost costs[FORMS];
	const double n = strtod(events, NULL);
	char folder[PATH], heading[96];

	memset(costs, 0, sizeof costs);
	snprintf(heading, sizeof heading, "Merge of %.0f million events%s of %s ranks", n / 1e6,
		 messages ? " of messages" : "", ranks);
	row_heading(heading);
	if (!make_ranks(bench, ranks, events, messages, folder)) {
		row(ranks, "", "cannot make the files of ranks");
		return;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int form = 0; form < FORMS; form++)
			if (!run_form(bench, folder, form, round, &costs[form])) {
				row(forms[form].name, "", "the program failed");
				return;
			}
	for (int form = 0; form < FORMS; form++)
		print_form(form, n, &costs[form],
			   1e9 * quantile(costs[YARDSTICK].cpu, ROUNDS, 0) / n);
}

void bench_merge(const struct bench *bench)
{
	printf("\nMerging: least of %d runs in turn, ns of CPU and elapsed time an event, bytes an event "
	       "on disk, peak memory\n",
	       ROUNDS);
	merge_rows(bench, "4", "1000000", NULL);
	merge_rows(bench, "4", "10000000", NULL);
	merge_rows(bench, "4", "4000000", "messages");
	merge_rows(bench, "64", "1000000", NULL);
	merge_rows(bench, "64", "10000000", NULL);
}
