#include "bench/pty.h"

#include <dirent.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/process.h"

enum { QUIET_MS = 2, BURST_MS = 20 };

static void become(const char *const argv[], const char *home)
{
	char path[512];

	snprintf(path, sizeof path, "%s/state", home);
	setenv("XDG_STATE_HOME", path, 1);
	snprintf(path, sizeof path, "%s/cache", home);
	setenv("XDG_CACHE_HOME", path, 1);
	setenv("HOME", home, 1);
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	execv(argv[0], (char **)(uintptr_t)argv);
	_exit(127);
}

bool pty_open(struct pty *pty, const char *const argv[], const char *home)
{
	struct winsize size = { .ws_row = PTY_ROWS, .ws_col = PTY_COLUMNS };

	memset(pty, 0, sizeof *pty);
	pty->started = now_seconds();
	pty->pid = forkpty(&pty->fd, NULL, NULL, &size);
	if (pty->pid == 0)
		become(argv, home);
	return pty->pid > 0 && clock_getcpuclockid(pty->pid, &pty->clock) == 0;
}

double pty_cpu(const struct pty *pty)
{
	struct timespec t = { 0 };

	clock_gettime(pty->clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* True where the thread sleeps (or is gone), as the system says: not one that waits for a
 * processor. */
static bool thread_sleeps(const struct pty *pty, const char *thread)
{
	char path[320], text[512];
	const char *end;
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pty->pid, thread);
	f = fopen(path, "r");
	if (!f)
		return true;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	end = strrchr(text, ')');
	return !end || (end[1] == ' ' && (end[2] == 'S' || end[2] == 'Z'));
}

static bool sleeps(const struct pty *pty)
{
	bool all = true;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pty->pid);
	tasks = opendir(path);
	for (struct dirent *task; tasks && all && (task = readdir(tasks));)
		all = task->d_name[0] == '.' || thread_sleeps(pty, task->d_name);
	if (tasks)
		closedir(tasks);
	return all;
}

/* Takes in bytes for at most `ms`: 1 some came, 0 none, -1 the program has closed its side. */
static int take_bytes(struct pty *pty, int ms)
{
	struct pollfd ready = { .fd = pty->fd, .events = POLLIN };
	static char bytes[1 << 16];
	ssize_t n;

	if (poll(&ready, 1, ms) <= 0)
		return 0;
	n = read(pty->fd, bytes, sizeof bytes);
	if (n <= 0)
		return -1;
	pty->bytes += n;
	pty->last_byte = now_seconds();
	return 1;
}

bool pty_settle(struct pty *pty, double limit_seconds)
{
	const double limit = now_seconds() + limit_seconds;
	double cpu = -1;

	while (now_seconds() < limit) {
		const int got = take_bytes(pty, QUIET_MS);
		const double cpu_now = pty_cpu(pty);
		if (got < 0)
			return false;
		if (pty->picture <= 0 && pty->bytes > 0 &&
		    now_seconds() - pty->last_byte > 1e-3 * BURST_MS)
			pty->picture = pty->last_byte;
		if (got == 0 && cpu_now <= cpu && sleeps(pty) && pty->bytes > 0) {
			if (pty->picture <= 0)
				pty->picture = pty->last_byte;
			return true;
		}
		cpu = got > 0 ? -1 : cpu_now;
	}
	return false;
}

double pty_keys(struct pty *pty, const char *keys)
{
	const double before = pty_cpu(pty);
	size_t n = strlen(keys);

	pty->bytes = 0;
	if (write(pty->fd, keys, n) != (ssize_t)n)
		return -1;
	/* A key that changes nothing is answered by no byte: wait for the CPU clock instead. */
	for (int i = 0; i < 100 && pty_cpu(pty) <= before; i++)
		if (take_bytes(pty, 1) < 0)
			return -1;
	for (double cpu = -1, limit = now_seconds() + 60; now_seconds() < limit;) {
		const int got = take_bytes(pty, QUIET_MS);
		const double cpu_now = pty_cpu(pty);
		if (got < 0)
			return -1;
		if (got == 0 && cpu_now <= cpu && sleeps(pty))
			return cpu_now - before;
		cpu = got > 0 ? -1 : cpu_now;
	}
	return -1;
}

void pty_close(struct pty *pty)
{
	int status;

	if (pty->pid <= 0)
		return;
	if (write(pty->fd, "\033Q", 2) == 2)
		for (int i = 0; i < 3000; i++) {
			if (waitpid(pty->pid, &status, WNOHANG) == pty->pid) {
				close(pty->fd);
				pty->pid = 0;
				return;
			}
			take_bytes(pty, 1);
		}
	kill(pty->pid, SIGKILL);
	waitpid(pty->pid, &status, 0);
	close(pty->fd);
	pty->pid = 0;
}
