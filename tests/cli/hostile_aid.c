#include "cli/hostile_aid.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "harness/test.h"

/* What is healthy stays far below: it is there to end what hangs. */
enum { SECONDS = 60 };

/* ---- running the program ---- */

static _Noreturn void become(const struct hostile *s, char *const *arguments, const char *in,
			     bool as_nobody)
{
	const struct rlimit cpu = { SECONDS, SECONDS };
	const struct rlimit memory = { 16ull << 30, 16ull << 30 };
	const struct rlimit file = { 1ull << 30, 1ull << 30 };

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_FSIZE, &file);
	if (!SANITIZED)
		setrlimit(RLIMIT_AS, &memory);
	if (!freopen(in, "r", stdin) || !freopen(s->out, "w", stdout) ||
	    !freopen(s->said, "w", stderr))
		_exit(126);
	if (as_nobody && (setgid(65534) != 0 || setuid(65534) != 0))
		_exit(126);
	execv(TEST_BUILD "/tview", arguments);
	_exit(127);
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

struct hostile_outcome hostile_run_from(const struct hostile *s, const char *in, bool as_nobody,
					const char *const *words)
{
	const char *arguments[12] = { "tview" };
	const time_t start = time(NULL);
	struct rusage usage;
	struct hostile_outcome outcome;
	pid_t child;
	int status;

	for (int i = 0; words[i]; i++)
		arguments[i + 1] = words[i];
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		char *copies[12] = { 0 };
		for (int i = 0; arguments[i]; i++)
			copies[i] = strdup(arguments[i]);
		become(s, copies, in, as_nobody);
	}
	/* One that sleeps forever uses no processor time: end it too. */
	while (wait4(child, &status, WNOHANG, &usage) == 0) {
		const struct timespec moment = { 0, 5000000 };
		if (time(NULL) - start > 2 * SECONDS)
			kill(child, SIGKILL);
		nanosleep(&moment, NULL);
	}
	outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
	outcome.peak = usage.ru_maxrss / 1024;
	outcome.seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	return outcome;
}

void hostile_is_harmless(const char *path, const char *what)
{
	OWNED_STR text = STR_INIT;

	file_read(path, &text);
	for (size_t i = 0; i < text.n; i++) {
		const unsigned char c = (unsigned char)text.text[i];
		const bool c1 = c == 0xc2 && (unsigned char)text.text[i + 1] < 0xa0;
		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f || c1)
			fail_msg("%s: byte 0x%02x at %zu", what, c, i);
	}
}

void hostile_says(const struct hostile *s, const char *what, const char *part)
{
	OWNED_STR text = STR_INIT;

	file_read(s->said, &text);
	file_read(s->out, &text);
	if (!strstr(text.text, part))
		fail_msg("%s: no '%s' in:\n%s", what, part, text.text);
}

/* ---- files ---- */

void wild_head(FILE *out)
{
	fputs("-3 -901 0.000000 0 0 0\n-3 -901 0.000000 1 0 0\n", out);
}

void wild_tail(FILE *out)
{
	fputs("-4 -901 9.000000 0 0 0\n-4 -901 9.000000 1 0 0\n", out);
}

void wild_fill(FILE *out, const char *piece, size_t bytes)
{
	const size_t n = strlen(piece);

	for (size_t i = 0; i < bytes; i += n)
		fwrite(piece, 1, n, out);
}

void wild_write(const struct hostile *s, const struct wild_file *file)
{
	FILE *const out = fopen(s->trace, "w");

	assert_non_null(out);
	if (file->framed)
		wild_head(out);
	if (file->content)
		file->content(out);
	else
		wild_fill(out, file->piece, file->bytes);
	if (file->framed)
		wild_tail(out);
	assert_int_equal(fclose(out), 0);
}

void wild_sound(FILE *out)
{
	fputs("-5 1 -1.000000 -1 -1 5 \"%c\" solve\n", out);
	fputs("-6 -1 -1.000000 -1 -1 1 \"%d%s\" 7 \"%d%d\"\n", out);
	wild_head(out);
	fputs("-3 1 0.100000 0 0 2 \"%d\" 3 4\n"
	      "-3 -21 0.200000 0 0 3 \"%d\" 8 5 1\n"
	      "-4 -21 0.300000 0 0 0\n"
	      "-3 -51 0.150000 1 0 1 \"%d\" 5\n"
	      "-4 -51 0.350000 1 0 3 \"%d\" 8 5 0\n"
	      "-3 -402 0.400000 0 0 0\n-4 -402 0.500000 0 0 0\n"
	      "-3 -402 0.410000 1 0 0\n-4 -402 0.510000 1 0 0\n"
	      "-7 -1 0.600000 0 0 5 \"%c\" hello\n"
	      "-4 1 0.900000 0 0 0\n",
	      out);
	wild_tail(out);
	fputs("-101 -1 9.000000 0 0 2 \"%d%lf\" 1 0.8 -21 0.1\n", out);
}

const struct wild_file sound_file = { "sound", .content = wild_sound };

/* ---- the folder ---- */

int hostile_begin(void **state)
{
	static struct hostile scene;
	struct hostile *const s = &scene;

	folder_make(s->folder, "hostile");
	assert_int_equal(chmod(s->folder, 0777), 0);
	snprintf(s->trace, sizeof s->trace, "%s/hostile.trc", s->folder);
	snprintf(s->out, sizeof s->out, "%s/out", s->folder);
	snprintf(s->said, sizeof s->said, "%s/said", s->folder);
	snprintf(s->copy, sizeof s->copy, "%s/copy.trc", s->folder);
	*state = s;
	return 0;
}

int hostile_end(void **state)
{
	folder_remove(((const struct hostile *)*state)->folder);
	return 0;
}
