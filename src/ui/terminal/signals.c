#define _GNU_SOURCE /* pipe2 */
#include "ui/terminal/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { STACK_BYTES = 1 << 16, WILL_BYTES = 256 };

/* What handlers need; see the header. `armed` is written last and read first. */
static struct {
	int pipe;
	volatile sig_atomic_t armed;
	int tty;
	struct termios modes;
	char bytes[WILL_BYTES];
	size_t n;
	struct sigaction old[NSIG];
} will = { .pipe = -1 };

static const int handled[SIGNALS_HANDLED] = {
	SIGWINCH, SIGTERM, SIGINT,  SIGHUP,  SIGTSTP, SIGCONT,   SIGPIPE, /* passed to the loop */
	SIGQUIT,  SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, /* end the program */
	SIGSEGV,  SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGSYS,    SIGTRAP  /* faults */
};
enum { TOLD = 7, NO_FAULT = 14 };

static void tell(int number)
{
	const int saved = errno;
	const unsigned char byte = (unsigned char)number;
	/* A full pipe wakes the loop as well. */
	if (write(will.pipe, &byte, 1) < 0)
		errno = saved;
	errno = saved;
}

void signals_free_terminal(void)
{
	if (!will.armed)
		return;
	will.armed = 0;
	ssize_t done = 0;
	while ((size_t)done < will.n) {
		const ssize_t n = write(will.tty, will.bytes + done, will.n - (size_t)done);
		if (n <= 0)
			break;
		done += n;
	}
	tcsetattr(will.tty, TCSANOW, &will.modes);
}

static void die(int number)
{
	signals_free_terminal();
	/* On return the signal is raised again and runs the earlier handler. */
	sigaction(number, &will.old[number], NULL);
	raise(number);
}

bool signals_open(struct signals *signals, struct err *err)
{
	int fds[2];
	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) != 0)
		return err_errno(err, STATUS_IO, "cannot make a pipe");
	*signals = (struct signals){ .fd = fds[0], .write_fd = fds[1] };
	will.pipe = fds[1];
	(void)at_quick_exit(signals_free_terminal);
	signals->stack = xmalloc(STACK_BYTES);
	const stack_t stack = { .ss_sp = signals->stack, .ss_size = STACK_BYTES };
	sigaltstack(&stack, NULL);
	for (int i = 0; i < SIGNALS_HANDLED; i++) {
		sigaction(handled[i], NULL, &signals->old[i]);
		will.old[handled[i]] = signals->old[i];
	}
	return true;
}

void signals_catch(struct signals *signals)
{
	for (int i = 0; i < SIGNALS_HANDLED; i++) {
		struct sigaction action = { 0 };
		sigfillset(&action.sa_mask);
		action.sa_handler = i < TOLD ? tell : die;
		action.sa_flags = i < TOLD ? SA_RESTART : SA_ONSTACK;
		/* What was ignored stays so: the hangup under nohup, say. */
		if (signals->old[i].sa_handler != SIG_IGN || i >= NO_FAULT)
			sigaction(handled[i], &action, NULL);
	}
}

void signals_close(struct signals *signals)
{
	for (int i = 0; i < SIGNALS_HANDLED; i++)
		sigaction(handled[i], &signals->old[i], NULL);
	const stack_t none = { .ss_flags = SS_DISABLE };
	sigaltstack(&none, NULL);
	free(signals->stack);
	close(signals->fd);
	close(signals->write_fd);
	will.pipe = -1;
	will.armed = 0;
}

int signals_next(struct signals *signals)
{
	unsigned char byte;
	ssize_t n;
	do
		n = read(signals->fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? byte : 0;
}

void signals_last_will(int fd, const struct termios *modes, const char *bytes, size_t n)
{
	will.armed = 0;
	if (fd < 0)
		return;
	will.tty = fd;
	will.modes = *modes;
	will.n = n < sizeof will.bytes ? n : sizeof will.bytes;
	memcpy(will.bytes, bytes, will.n);
	will.armed = 1;
}

void signals_stop(void)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, ours;

	sigaction(SIGTSTP, &stop, &ours);
	raise(SIGTSTP);
	/* Continued by SIGCONT. */
	sigaction(SIGTSTP, &ours, NULL);
}
