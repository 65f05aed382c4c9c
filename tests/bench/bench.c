/* Runs loader and yardstick in turn and prints the ratios. CPU time, user and system: machines are
 * shared and wall time is noise. Medians of several rounds. Never fails a build: what cannot be
 * measured is said.
 *
 *	bench DIR-OF-THE-OTHER-PROGRAMS DIR-FOR-FILES [full]
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5, RANKS = 16, OUTPUT = 4096 };

struct run {
	double cpu; /* seconds */
	double mib; /* peak resident */
	char output[OUTPUT];
};

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* Runs a program with its output kept (or sent to a file); false when it failed. */
static int run(struct run *r, const char *const argv[], const char *to_file)
{
	int status, ends[2];
	struct rusage u;
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(ends) != 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		const int out =
			to_file ? open(to_file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : ends[1];
		if (out < 0 || dup2(out, 1) < 0)
			_exit(126);
		close(ends[0]);
		execv(argv[0], (char **)(uintptr_t)argv);
		_exit(127);
	}
	close(ends[1]);
	while (n < OUTPUT - 1 && (got = read(ends[0], r->output + n, OUTPUT - 1 - n)) > 0)
		n += (size_t)got;
	r->output[n] = '\0';
	close(ends[0]);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return 0;
	r->cpu = seconds(&u.ru_utime) + seconds(&u.ru_stime);
	r->mib = (double)u.ru_maxrss / 1024;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static double value(const struct run *r, const char *key)
{
	const char *at = strstr(r->output, key);

	return at ? strtod(at + strlen(key), NULL) : -1;
}

static int by_cpu(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int make_trace(const char *programs, const char *path, const char *records)
{
	char generator[512], ranks[16];
	const char *const argv[] = { generator, "--events", records, "--locations",
				     ranks,     path,       NULL };
	static struct run r;
	struct stat st;

	snprintf(generator, sizeof generator, "%s/../../generate", programs);
	snprintf(ranks, sizeof ranks, "%d", RANKS);
	if (stat(path, &st) == 0 && st.st_size > 0)
		return 1;
	return run(&r, argv, NULL);
}

static void measure(const char *programs, const char *files, const char *records, double bare)
{
	static struct run loop[ROUNDS], load[ROUNDS], asked;
	char path[512], looper[512], loader[512];
	const char *const loop_argv[] = { looper, path, NULL };
	const char *const load_argv[] = { loader, path, NULL };
	const char *const asked_argv[] = { loader, path, "queries", NULL };
	double n, yard, events, rows, memory;

	snprintf(path, sizeof path, "%s/%s-16.trc", files, records);
	snprintf(looper, sizeof looper, "%s/byte_loop", programs);
	snprintf(loader, sizeof loader, "%s/load_picl", programs);
	if (!make_trace(programs, path, records)) {
		printf("cannot write %s\n", path);
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		if (!run(&loop[i], loop_argv, NULL) || !run(&load[i], load_argv, NULL)) {
			printf("%s: byte_loop or load_picl failed\n", path);
			return;
		}
	}
	if (!run(&asked, asked_argv, NULL))
		return;
	qsort(loop, ROUNDS, sizeof *loop, by_cpu);
	qsort(load, ROUNDS, sizeof *load, by_cpu);
	n = value(&loop[0], "records ");
	events = value(&asked, "events ");
	rows = 32 * value(&asked, "messages ") + 24 * value(&asked, "members ");
	yard = loop[ROUNDS / 2].cpu;
	memory = (load[ROUNDS / 2].mib - bare) * 1048576;
	printf("%10.0f records %11.0f events | byte loop %6.1f, load %6.1f ns/record: %.2fx "
	       "(target 3, stretch 2)\n",
	       n, events, 1e9 * yard / n, 1e9 * load[ROUNDS / 2].cpu / n,
	       load[ROUNDS / 2].cpu / yard);
	printf("%27s peak %.0f MiB above an empty trace; without rows of messages and members "
	       "%.1f B/event (target 12 + 32 MB: %.1f)\n",
	       "|", memory / 1048576, (memory - rows) / events, 12 + 32e6 / events);
	printf("%27s frame 200x50: whole run %.2f ms, zoomed %.2f ms; messages of a window %.3f "
	       "ms; profile %.0f ms\n",
	       "|", value(&asked, "frame_all_ms "), value(&asked, "frame_zoomed_ms "),
	       value(&asked, "messages_ms "), value(&asked, "profile_ms "));
}

int main(int argc, char **argv)
{
	static struct run bare;
	char path[512], loader[512];
	const char *const bare_argv[] = { loader, path, NULL };

	if (argc < 3) {
		fputs("usage: bench PROGRAMS FILES [full]\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof path, "%s/1000-16.trc", argv[2]);
	snprintf(loader, sizeof loader, "%s/load_picl", argv[1]);
	mkdir(argv[2], 0777);
	if (!make_trace(argv[1], path, "1000") || !run(&bare, bare_argv, NULL)) {
		printf("cannot load %s\n", path);
		return 0;
	}
	printf("loading PICL, CPU time, median of %d rounds, loader and yardstick in turn\n",
	       (int)ROUNDS);
	measure(argv[1], argv[2], "1000000", bare.mib);
	measure(argv[1], argv[2], "10000000", bare.mib);
	if (argc > 3 && strcmp(argv[3], "full") == 0)
		measure(argv[1], argv[2], "50000000", bare.mib);
	return 0;
}
