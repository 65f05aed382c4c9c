/* What `make bench` runs: tview against its yardsticks in turn, and against the targets. Figures
 * are CPU time, user and system, medians of several runs, but where something else is said.
 *
 *	bench BUILD-FOLDER FOLDER-FOR-TRACES [full] [load] [queries] [screen] [correct] [patterns] [merge] [accuracy]
 *
 * `full` adds 50 million events; parts that are named are the only ones, `accuracy` stands for the
 * last four.
 */
#include "bench/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIGURES = 8, ROUNDS = 8 };

void bench_program(const struct bench *bench, const char *name, char path[PATH])
{
	snprintf(path, PATH, "%s/%s", bench->out, name);
}

bool bench_trace(const struct bench *bench, const char *events, const char *locations, bool otf2,
		 char path[PATH])
{
	static struct run run;
	char generate[PATH];
	const char *const argv[] = { generate,
				     "--events",
				     events,
				     "--locations",
				     locations,
				     "--format",
				     otf2 ? "otf2" : "picl",
				     path,
				     NULL };
	struct stat st;

	bench_program(bench, "generate", generate);
	snprintf(path, PATH, "%s/%s-%s.%s", bench->files, events, locations, otf2 ? "otf2" : "trc");
	if (stat(path, &st) == 0 && st.st_size > 0)
		return true;
	if (process_run(&run, argv))
		return true;
	printf("cannot make %s\n", path);
	unlink(path);
	return false;
}

bool bench_medians(struct run *last, const char *const argv[], int rounds, const char *const *keys,
		   int n, double *medians)
{
	double values[FIGURES][ROUNDS];

	for (int i = 0; i < rounds; i++) {
		if (!process_run(last, argv)) {
			row(argv[1], "", "the program failed");
			return false;
		}
		for (int k = 0; k < n; k++)
			values[k][i] = run_value(last, keys[k]);
	}
	for (int k = 0; k < n; k++)
		medians[k] = quantile(values[k], rounds, 0.5);
	return true;
}

void row_heading(const char *text)
{
	printf("\n%s\n", text);
}

void row(const char *what, const char *target, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	printf("  %-34s | %-70s | %s\n", what, text, target);
}

static const struct {
	const char *name;
	void (*run)(const struct bench *bench);
} parts[] = { { "load", bench_load },         { "queries", bench_queries },
	      { "screen", bench_screen },     { "correct", bench_correct },
	      { "patterns", bench_patterns }, { "merge", bench_merge },
	      { "clocks", bench_clocks },     { "skewed", bench_skewed },
	      { "bounds", bench_bounds },     { "overhead", bench_overhead },
	      { "papers", bench_papers } };
enum { FIRST_OF_ACCURACY = 6 };
enum { PARTS = sizeof parts / sizeof *parts };

static bool among(char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct bench bench;
	bool some = false, accuracy, wanted[PARTS];

	if (argc < 3) {
		fputs("usage: bench BUILD TRACES [full] [PART]...\n"
		      "parts: load queries screen correct patterns merge clocks skewed bounds overhead papers; accuracy: the "
		      "last five; capture: none of them\n",
		      stderr);
		return 2;
	}
	bench = (struct bench){ argv[1], argv[2], among(argv + 3, argc - 3, "full") };
	accuracy = among(argv + 3, argc - 3, "accuracy");
	for (int i = 0; i < PARTS; i++) {
		wanted[i] = among(argv + 3, argc - 3, parts[i].name) ||
			    (accuracy && i >= FIRST_OF_ACCURACY);
		some = some || wanted[i];
	}
	/* That part is scripts/bench-capture. */
	some = some || among(argv + 3, argc - 3, "capture");
	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir(bench.files, 0777);
	printf("CPU time, user and system; medians; the yardstick in turn with what it measures\n");
	for (int i = 0; i < PARTS; i++)
		if (!some || wanted[i])
			parts[i].run(&bench);
	return 0;
}
