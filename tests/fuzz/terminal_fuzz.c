/* libFuzzer target: what a terminal sends, any bytes: keys, escape sequences, the mouse, answers to
 * questions. They come through a pseudoterminal and curses, or as answers alone. Whatever it is, it
 * becomes keys with a name, or a place of the mouse, and comes to an end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "ui/terminal/replies.h"
#include "ui/terminal/screen.h"

/* Of bytes that may be the begin of a character or key, curses keeps some until others come. */
enum { BYTES_MOST = 512, KEPT_MOST = 16, WIDTH = 80, HEIGHT = 24 };

/* What screens write goes nowhere: libFuzzer itself uses stderr. */
static void drain(int terminal)
{
	char bytes[4096];

	while (read(terminal, bytes, sizeof bytes) > 0)
		continue;
}

/* Opened once, with stdin and stdout. */
static struct screen *terminal_open(int *terminal)
{
	const struct winsize size = { .ws_row = HEIGHT, .ws_col = WIDTH };
	static struct signals none = { .fd = -1, .write_fd = -1 };
	const struct screen_options options = { .graphics = "auto" };
	struct err err = ERR_INIT;
	struct sigaction before[32];
	struct screen *screen;
	int fd;

	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("NO_COLOR");
	*terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	must(*terminal >= 0 && grantpt(*terminal) == 0 && unlockpt(*terminal) == 0,
	     "there is a pseudoterminal");
	fd = open(ptsname(*terminal), O_RDWR | O_NOCTTY);
	must(fd >= 0 && dup2(fd, STDIN_FILENO) == 0 && dup2(fd, STDOUT_FILENO) == 1 &&
		     ioctl(fd, TIOCSWINSZ, &size) == 0,
	     "it is stdin and stdout");
	/* Signals stay libFuzzer's. */
	for (int s = 1; s < 32; s++)
		sigaction(s, NULL, &before[s]);
	screen = screen_open(&options, &none, &err);
	for (int s = 1; s < 32; s++)
		sigaction(s, &before[s], NULL);
	must(screen, err.text);
	drain(*terminal);
	return screen;
}

static void check(const struct input *input)
{
	must(memchr(input->key, '\0', sizeof input->key), "a key's name ends");
	must(input->kind != INPUT_KEY || input->key[0], "a key has a name");
	must(input->kind == INPUT_KEY || input->kind == INPUT_REDRAW ||
		     (input->x >= 0 && input->y >= 0),
	     "the mouse is on the screen");
}

static void keys(const uint8_t *data, size_t size)
{
	static struct screen *screen;
	static int terminal;
	const size_t n = size < BYTES_MOST ? size : BYTES_MOST;
	struct input input;
	size_t count = 0, rounds = 0;
	int left;

	if (!screen)
		screen = terminal_open(&terminal);
	/* The last letters end a sequence that has only begun, which would be waited for. */
	must(write(terminal, data, n) == (ssize_t)n && write(terminal, "zzzz", 4) == 4,
	     "it is sent");
	do {
		while (screen_read(screen, &input)) {
			check(&input);
			must(++count <= n + 4 + KEPT_MOST, "no key is made up");
		}
		/* Bytes that are no character end it early. */
		must(ioctl(STDIN_FILENO, FIONREAD, &left) == 0 && rounds++ <= n + 4,
		     "it comes to an end");
	} while (left > 0);
	drain(terminal);
}

static void answers(const uint8_t *data, size_t size)
{
	struct replies a = { .asked = 0 };
	size_t within = 0;
	int numbers[8];

	replies_ask(&a, ASKED_GROUND | ASKED_PICTURES, 0);
	for (size_t i = 0; i < size; i++) {
		if (data[i] == 27 && !a.intro) {
			replies_escaped(&a, 0);
			continue;
		}
		within = replies_take(&a, data[i], 0) == ANSWER_MORE ? within + 1 : 0;
		must(within <= 264, "an answer without an end is not waited for");
		must(replies_numbers(&a, numbers, 8) <= 8, "numbers have their room");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] == 'A')
		answers(data + 1, size - 1);
	else
		keys(data + 1, size - 1);
	return 0;
}
