/* signals: signals of the system, as bytes in a pipe that the loop polls; and a *last will*: bytes
 * that restore the terminal when the program crashes.
 *
 * A signal handler has no argument of its own, so signals.c has the only mutable global of the user
 * interface: the pipe and the last will. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/err.h"

enum { SIGNALS_HANDLED = 21 };

struct signals {
	int fd; /* readable when a signal came */
	int write_fd;
	void *stack; /* for handlers: a crash may be one of the stack */
	struct sigaction old[SIGNALS_HANDLED];
};

/* Opens the pipe. Handlers are set by signals_catch(), after curses has set its own. */
bool signals_open(struct signals *signals, struct err *err);
void signals_catch(struct signals *signals);
void signals_close(struct signals *signals);

/* The next signal that came, 0 without: SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT. */
int signals_next(struct signals *signals);

/* Sets the bytes that a crash writes to the terminal, and the modes that it restores. Bytes are
 * copied, at most 256. fd -1 takes the last will back. */
void signals_last_will(int fd, const struct termios *modes, const char *bytes, size_t n);
/* Executes the last will. For handlers of signals that end the program, or exec it again; called by
 * quick_exit() (base/mem.h). */
void signals_free_terminal(void);

/* Stops the process as the key of the terminal does; returns when it is continued. */
void signals_stop(void);
