#include "bench/pty.h"

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
#include "harness/rest.h"

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
	return pty->pid > 0;
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
		const double cpu_now = rest_cpu(pty->pid);
		if (got < 0)
			return false;
		if (pty->picture <= 0 && pty->bytes > 0 &&
		    now_seconds() - pty->last_byte > 1e-3 * BURST_MS)
			pty->picture = pty->last_byte;
		if (got == 0 && cpu_now <= cpu && rest_sleeps(pty->pid) && pty->bytes > 0) {
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
	const double before = rest_cpu(pty->pid);
	size_t n = strlen(keys);

	pty->bytes = 0;
	if (write(pty->fd, keys, n) != (ssize_t)n)
		return -1;
	/* A key that changes nothing is answered by no byte: wait for the CPU clock instead. */
	for (int i = 0; i < 100 && rest_cpu(pty->pid) <= before; i++)
		if (take_bytes(pty, 1) < 0)
			return -1;
	for (double cpu = -1, limit = now_seconds() + 60; now_seconds() < limit;) {
		const int got = take_bytes(pty, QUIET_MS);
		const double cpu_now = rest_cpu(pty->pid);
		if (got < 0)
			return -1;
		if (got == 0 && cpu_now <= cpu && rest_sleeps(pty->pid))
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
