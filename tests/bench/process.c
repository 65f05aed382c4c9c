#include "bench/process.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool process_run(struct run *run, const char *const argv[])
{
	const double start = now_seconds();
	struct rusage u;
	size_t n = 0;
	ssize_t got;
	int status, ends[2];
	pid_t pid;

	if (pipe(ends) != 0)
		return false;
	pid = fork();
	if (pid == 0) {
		if (dup2(ends[1], 1) < 0)
			_exit(126);
		close(ends[0]);
		close(ends[1]);
		execv(argv[0], (char **)(uintptr_t)argv);
		_exit(127);
	}
	close(ends[1]);
	while (n < OUTPUT - 1 && (got = read(ends[0], run->output + n, OUTPUT - 1 - n)) > 0)
		n += (size_t)got;
	run->output[n] = '\0';
	close(ends[0]);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return false;
	run->wall = now_seconds() - start;
	run->cpu = seconds(&u.ru_utime) + seconds(&u.ru_stime);
	run->system = seconds(&u.ru_stime);
	run->mib = (double)u.ru_maxrss / 1024;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

double run_value(const struct run *run, const char *key)
{
	const char *at = strstr(run->output, key);

	return at ? strtod(at + strlen(key), NULL) : -1;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double quantile(double *values, int n, double share)
{
	const int at = (int)(share * n);

	if (n == 0)
		return 0;
	qsort(values, (size_t)n, sizeof *values, ascending);
	return values[at < n ? at : n - 1];
}
