/* pty: a program on a pseudo-terminal, and what it does between a key and the last byte of its
 * answer. The answer is complete when the program waits: all its threads asleep, no byte to read,
 * its CPU clock still. What it does behind the picture for later (a worker, a refinement) is so
 * counted too. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct pty {
	pid_t pid; /* 0: none */
	int fd;
	double started;   /* wall, seconds */
	double last_byte; /* wall */
	double picture;   /* wall: end of the first burst of bytes; 0 none yet */
	long bytes;       /* since pty_send() or the start */
};

enum { PTY_COLUMNS = 200, PTY_ROWS = 50 };

/* Starts argv[0] with a home of its own (state and cache below `home`). */
bool pty_open(struct pty *pty, const char *const argv[], const char *home);
/* Ends it with Q, then harder. */
void pty_close(struct pty *pty);

/* Reads until the program waits; false where it ended or did not come to rest in time. */
bool pty_settle(struct pty *pty, double limit_seconds);

/* Sends keys, waits for the end of the answer; gives its CPU time in seconds, negative on
 * failure. */
double pty_keys(struct pty *pty, const char *keys);
