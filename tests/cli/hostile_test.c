/* Input that nobody would write on purpose, and some that somebody would: whatever a file holds,
 * the program ends by itself, within bounds of time and memory, with a status that says so and a
 * sentence that names the file, and no control character of the file reaches the terminal. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "harness/test.h"
#include "model/formats/load.h"

#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* What is healthy stays far below these: they are there to end what hangs. */
enum { SECONDS = 60, MEBIBYTES = SANITIZED ? 3000 : 900, MANY = SANITIZED ? 20000 : 100000 };

struct scene {
	char folder[64];
	char trace[96], out[96], said[96], copy[96];
};

struct outcome {
	int status; /* of exit; 1000 + signal when it was killed */
	long peak;  /* MiB */
};

/* ---- running the program ---- */

static _Noreturn void become(const struct scene *s, char *const *arguments, const char *in,
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

static struct outcome run_from(const struct scene *s, const char *in, bool as_nobody,
			       const char *const *words)
{
	const char *arguments[12] = { "tview" };
	const time_t start = time(NULL);
	struct rusage usage;
	struct outcome outcome;
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
	return outcome;
}

#define run(s, ...) run_from(s, "/dev/null", false, (const char *const[]){ __VA_ARGS__, NULL })

static char *slurp(const char *path, size_t *size)
{
	FILE *const file = fopen(path, "r");
	struct str text = STR_INIT;
	char buffer[65536];
	size_t n;

	assert_non_null(file);
	while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
		str_add_n(&text, buffer, n);
	fclose(file);
	if (size)
		*size = text.n;
	return str_take(&text);
}

/* Control characters other than line ends and tabs, or a C1 character, stand nowhere in it. */
static void is_harmless(const char *path, const char *what)
{
	size_t size;
	char *const text = slurp(path, &size);

	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)text[i];
		const bool c1 = c == 0xc2 && (unsigned char)text[i + 1] < 0xa0;
		if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7f || c1)
			fail_msg("%s: byte 0x%02x at %zu", what, c, i);
	}
	free(text);
}

static void says(const struct scene *s, const char *what, const char *part)
{
	char *const said = slurp(s->said, NULL);
	char *const out = slurp(s->out, NULL);

	if (!strstr(said, part) && !strstr(out, part))
		fail_msg("%s: no '%s' in:\n%s%s", what, part, said, out);
	free(said);
	free(out);
}

/* ---- every verb on one file ---- */

static const char *const verbs[][6] = {
	{ "check", NULL },
	{ "export", "profile", "--format", "text" },
	{ "export", "events", "--format", "csv" }, /* from here on for small files alone */
	{ "export", "messages", "--format", "json" },
	{ "export", "collectives", "--format", "csv" },
	{ "export", "timeline", "--format", "text" },
	{ "export", "overview", "--format", "text" },
	{ "convert", NULL },
};

enum { VERBS = sizeof verbs / sizeof *verbs, VERBS_FOR_LARGE = 2 };

/* What every verb owes every file. Returns the status of `check`. */
static int try_verbs(const struct scene *s, const char *path, const char *what, size_t n_verbs)
{
	int check = -1;

	for (size_t i = 0; i < n_verbs; i++) {
		const char *words[8] = { 0 };
		struct outcome o;
		char label[200];
		size_t n = 0;

		for (int w = 0; w < 6 && verbs[i][w]; w++)
			words[n++] = verbs[i][w];
		/* The trace stands behind the view. */
		if (n > 2)
			memmove(words + 3, words + 2, (n - 2) * sizeof *words);
		words[n > 2 ? 2 : n] = path;
		if (strcmp(words[0], "convert") == 0)
			words[2] = s->copy;
		o = run_from(s, "/dev/null", false, words);
		snprintf(label, sizeof label, "%s: tview %s %s", what, words[0],
			 n > 2 ? words[1] : "");
		if (o.status != STATUS_OK && o.status != STATUS_NO && o.status != STATUS_IO) {
			char *const said = slurp(s->said, NULL);
			fail_msg("%s: status %d\n%.2000s", label, o.status, said);
		}
		if (o.peak > MEBIBYTES)
			fail_msg("%s: %ld MiB", label, o.peak);
		is_harmless(s->out, label);
		is_harmless(s->said, label);
		if (o.status == STATUS_IO)
			says(s, label, path);
		if (i == 0)
			check = o.status;
	}
	return check;
}

/* ---- files ---- */

typedef void (*writer)(FILE *out);

static void write_file(const struct scene *s, writer content)
{
	FILE *const out = fopen(s->trace, "w");

	assert_non_null(out);
	content(out);
	assert_int_equal(fclose(out), 0);
}

static void head(FILE *out)
{
	fputs("-3 -901 0.000000 0 0 0\n-3 -901 0.000000 1 0 0\n", out);
}

static void tail(FILE *out)
{
	fputs("-4 -901 9.000000 0 0 0\n-4 -901 9.000000 1 0 0\n", out);
}

/* A sound little trace with something of everything. */
static void sound(FILE *out)
{
	fputs("-5 1 -1.000000 -1 -1 5 \"%c\" solve\n", out);
	fputs("-6 -1 -1.000000 -1 -1 1 \"%d%s\" 7 \"%d%d\"\n", out);
	head(out);
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
	tail(out);
	fputs("-101 -1 9.000000 0 0 2 \"%d%lf\" 1 0.8 -21 0.1\n", out);
}

static void nothing(FILE *out)
{
	(void)out;
}

static void one_line_break(FILE *out)
{
	fputc('\n', out);
}

static void rubbish(FILE *out)
{
	uint64_t x = 88172645463325252u;

	for (int i = 0; i < 100000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		fputc((int)(x & 0xff), out);
	}
}

static void zeros(FILE *out)
{
	for (int i = 0; i < 1000000; i++)
		fputc(0, out);
}

static void words(FILE *out)
{
	for (int i = 0; i < 2000; i++)
		fputs("Dear reader, this is a letter and no trace at all.\n", out);
}

static void fill(FILE *out, const char *piece, size_t bytes)
{
	const size_t n = strlen(piece);

	for (size_t i = 0; i < bytes; i += n)
		fwrite(piece, 1, n, out);
}

enum { HUGE_LINE = 100 * 1000 * 1000, LONG_LINE = 20 * 1000 * 1000 };

static void long_label(FILE *out)
{
	fprintf(out, "-5 1 -1.0 -1 -1 %d \"%%c\" ", HUGE_LINE);
	fill(out, "name of a region ", HUGE_LINE);
	fputc('\n', out);
	sound(out);
}

static void long_line(FILE *out)
{
	head(out);
	fputs("-3 1 0.1 0 0 1 2 ", out);
	fill(out, "7", LONG_LINE);
	fputc('\n', out);
	tail(out);
}

static void long_line_of_fields(FILE *out)
{
	head(out);
	fprintf(out, "-3 1 0.1 0 0 %d 2", LONG_LINE / 2);
	fill(out, " 7", LONG_LINE);
	fputc('\n', out);
	tail(out);
}

static void long_line_of_letters(FILE *out)
{
	fill(out, "x", LONG_LINE);
}

static void counts(FILE *out)
{
	head(out);
	fputs("-3 1 0.1 0 0 1000000000 2 1 2 3\n"
	      "-3 1 0.2 0 0 1000000000 \"%c\" abc\n"
	      "-3 1 0.3 0 0 99999999999999999999999 2 1\n"
	      "-3 1 0.4 0 0 -5 2 1\n"
	      "-3 1 0.5 0 0 2147483647 \"%d%d%d%d\" 1\n"
	      "-202 -1 0.0 -1 -1 1000000000 2 -5 0 1\n"
	      "-101 -1 0.6 0 0 1000000000 \"%d%d\" 1 1\n"
	      "-5 2 0.0 -1 -1 1000000000 \"%c\" a\n"
	      "-3 -21 0.7 0 0 1000000000 2 1 1 1\n",
	      out);
	tail(out);
}

static void descriptors(FILE *out)
{
	static const char *const texts[] = {
		"%n",
		"%s%n%s%s%s%n",
		"%999999999d",
		"%99999999999999999999s",
		"%[",
		"%[^]",
		"%[]",
		"%*",
		"%*d%*d",
		"%",
		"%%",
		"%hhn",
		"%1$n",
		"%.999999f",
		"%p",
		"%ls",
		"%m",
		"\\",
		"",
		"%d%",
		"%[a-",
		"%c%c%c%c%c%c%c%c",
	};

	head(out);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		fprintf(out, "-3 1 0.1 0 0 1 \"%s\" 5 6 7\n", texts[i]);
		fprintf(out, "-6 %zu -1.0 -1 -1 1 \"%%d%%s\" 9 \"%s\"\n", i, texts[i]);
		fprintf(out, "-3 %zu 0.2 0 0 3 9 1 2 3\n", i);
	}
	fputs("-3 1 0.3 0 0 1 \"%d 5\n", out);
	tail(out);
}

static void processors(FILE *out)
{
	static const char *const ids[] = { "2147483647", "-2147483648",
					   "2147483648", "99999999999999999999",
					   "32767",      "-32768",
					   "-1",         "-2" };

	head(out);
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		fprintf(out, "-3 1 0.1 %s 0 0\n-4 1 0.2 %s 0 0\n", ids[i], ids[i]);
		fprintf(out, "-3 1 0.1 0 %s 0\n", ids[i]);
		fprintf(out, "-3 %s 0.1 0 0 0\n", ids[i]);
		fprintf(out, "-3 -21 0.3 0 0 3 2 %s %s %s\n", ids[i], ids[i], ids[i]);
		fprintf(out, "-3 -785 0.4 0 0 3 2 %s %s %s\n", ids[i], ids[i], ids[i]);
		fprintf(out, "-202 -1 0.0 -1 -1 3 2 %s %s %s\n", ids[i], ids[i], ids[i]);
		fprintf(out, "%s 1 0.5 0 0 0\n", ids[i]);
	}
	tail(out);
}

static void times(FILE *out)
{
	static const char *const texts[] = { "1e400",
					     "-1e400",
					     "1e-400",
					     "1e999999999999",
					     "nan",
					     "inf",
					     "-inf",
					     "0x10",
					     ".",
					     "-",
					     "+",
					     "1.2.3",
					     "--1",
					     "9223372036854775807",
					     "-9223372036854775808",
					     "9223372036.854775808",
					     "0.0000000000000000000001",
					     "1,5",
					     "1e",
					     "1e+" };

	head(out);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		fprintf(out, "-3 1 %s 0 0 0\n-4 1 %s 0 0 0\n", texts[i], texts[i]);
	fputs("-3 1 ", out);
	fill(out, "7", 400);
	fputs(" 0 0 0\n-3 1 0.", out);
	fill(out, "3", 400);
	fputs(" 0 0 0\n-3 1 -", out);
	fill(out, "0", 400);
	fputs("1.5 0 0 0\n", out);
	tail(out);
}

static void labels(FILE *out)
{
	static const char *const texts[] = {
		"\033]0;owned\007", "\033[2J\033[H", "\033c",
		"\x9b[m",           "\xc2\x9b[m",    "a\bb\rc",
		"\xe2\x80\xaex",    "\xff\xfe",      "\033]52;c;cm0gLXJm\007",
		"\x0e\x0f\x7f",     "%s%n%d",        "\033P1$q\033\\",
		"a,\"b\",c",        "<b>&amp;",      "`id`$(id)",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		fprintf(out, "-5 %zu -1.0 -1 -1 %zu \"%%c\" %s\n", i + 1, strlen(texts[i]),
			texts[i]);
	head(out);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		fprintf(out, "-3 %zu 0.1 0 0 0\n", i + 1);
		fprintf(out, "-4 %zu 0.2 0 0 0\n", i + 1);
		fprintf(out, "-7 -1 0.3 0 0 %zu \"%%c\" %s\n", strlen(texts[i]), texts[i]);
		fprintf(out, "-3 1 0.4 0 0 1 \"%%s\" %s\n", texts[i]);
		fprintf(out, "%s\n", texts[i]);
		fprintf(out, "-3 1 %s 0 0 0\n", texts[i]);
	}
	tail(out);
}

static void many_processors(FILE *out)
{
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-3 1 0.1 %d 0 0\n", i);
}

static void many_labels(FILE *out)
{
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-5 %d -1.0 -1 -1 9 \"%%c\" f%08d\n-3 %d 0.1 0 0 0\n-4 %d 0.1 0 0 0\n",
			i, i, i, i);
}

static void deep(FILE *out)
{
	head(out);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-3 %d 0.1 0 0 0\n", i % 7);
	for (int i = MANY; i-- > 0;)
		fprintf(out, "-4 %d 0.2 0 0 0\n", i % 7);
	tail(out);
}

static void never_closed(FILE *out)
{
	head(out);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-3 1 0.1 %d 0 0\n", i % 2);
}

static void never_opened(FILE *out)
{
	head(out);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-4 %d 0.1 %d 0 0\n", i % 1000, i % 2);
}

static void all_at_once(FILE *out)
{
	for (int i = 0; i < MANY / 4; i++)
		fprintf(out,
			"-3 -21 0.5 %d 0 3 2 8 1 %d\n-4 -21 0.5 %d 0 0\n"
			"-3 -51 0.5 %d 0 1 2 1\n-4 -51 0.5 %d 0 3 2 8 1 %d\n",
			i % 2, 1 - i % 2, i % 2, 1 - i % 2, 1 - i % 2, i % 2);
}

static void never_received(FILE *out)
{
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-2 -21 0.%06d %d 0 3 2 8 %d %d\n", i % 1000000, i % 64, i,
			(i * 7) % 64);
}

static void backwards(FILE *out)
{
	for (int i = MANY; i-- > 0;)
		fprintf(out, "-2 %d %d.5 0 0 0\n", i % 9, i);
}

static void nul_bytes(FILE *out)
{
	head(out);
	fwrite("-3 1 0.1\0 0 0 0\n", 1, 16, out);
	fwrite("-5 1 0.1 -1 -1 3 \"%c\" a\0b\n", 1, 26, out);
	tail(out);
}

static void one_word_a_line(FILE *out)
{
	fill(out, "-3\n1\n0.1\n0\n0\n2\n2\n", 200000);
}

static void continuations(FILE *out)
{
	head(out);
	fputs("-3 1 0.1 0 0 1 2 ", out);
	fill(out, "\\\n", 200000);
	tail(out);
}

TEST_WITH(wild, const struct scene *const s)
{
	static const struct {
		const char *name;
		writer content;
	} cases[] = {
		{ "empty", nothing },
		{ "one line break", one_line_break },
		{ "rubbish", rubbish },
		{ "zeros", zeros },
		{ "words", words },
		{ "field counts", counts },
		{ "descriptors", descriptors },
		{ "processors", processors },
		{ "times", times },
		{ "labels", labels },
		{ "NUL bytes", nul_bytes },
		{ "one word a line", one_word_a_line },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		write_file(s, cases[i].content);
		if (try_verbs(s, s->trace, cases[i].name, VERBS) == STATUS_OK)
			fail_msg("%s: check finds nothing wrong", cases[i].name);
	}
}

TEST_WITH(large, const struct scene *const s)
{
	static const struct {
		const char *name;
		writer content;
	} cases[] = {
		{ "long label", long_label },
		{ "long line", long_line },
		{ "long line of fields", long_line_of_fields },
		{ "long line of letters", long_line_of_letters },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		write_file(s, cases[i].content);
		if (try_verbs(s, s->trace, cases[i].name, VERBS_FOR_LARGE) == STATUS_OK)
			fail_msg("%s: check finds nothing wrong", cases[i].name);
	}
}

TEST_WITH(many, const struct scene *const s)
{
	static const struct {
		const char *name;
		writer content;
	} cases[] = {
		{ "continuations", continuations }, { "processors", many_processors },
		{ "labels", many_labels },          { "deep recursion", deep },
		{ "never closed", never_closed },   { "never opened", never_opened },
		{ "all at once", all_at_once },     { "never received", never_received },
		{ "backwards", backwards },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		write_file(s, cases[i].content);
		try_verbs(s, s->trace, cases[i].name, VERBS_FOR_LARGE);
	}
}

/* ---- what is no file ---- */

TEST_WITH(unreadable, const struct scene *const s)
{
	assert_int_equal(run(s, "check", s->folder).status, STATUS_IO);
	says(s, "folder", s->folder);
	assert_int_equal(run(s, "check", "/nowhere/at all.trc").status, STATUS_IO);
	says(s, "missing", "/nowhere/at all.trc: No such file or directory");
	assert_int_equal(run(s, "check", "/dev/null").status, STATUS_IO);
	says(s, "null", "/dev/null");
	/* Without an end. */
	assert_int_equal(run(s, "check", "/dev/zero").status, STATUS_IO);
	says(s, "zero", "/dev/zero");
	assert_int_equal(run(s, "check", "/proc/self/mem").status, STATUS_IO);
	write_file(s, sound);
	assert_int_equal(chmod(s->trace, 0), 0);
	assert_int_equal(run_from(s, "/dev/null", geteuid() == 0,
				  (const char *const[]){ "check", s->trace, NULL })
				 .status,
			 STATUS_IO);
	says(s, "forbidden", "Permission denied");
	unlink(s->trace);
}

TEST_WITH(pipes, const struct scene *const s)
{
	char *from_file, *from_pipe;
	pid_t feeder;

	write_file(s, sound);
	assert_int_equal(run(s, "export", "events", s->trace, "--format", "csv").status, STATUS_OK);
	from_file = slurp(s->out, NULL);
	assert_true(strlen(from_file) > 300);
	assert_int_equal(run_from(s, s->trace, false,
				  (const char *const[]){ "export", "events", "/dev/stdin",
							 "--format", "csv", NULL })
				 .status,
			 STATUS_OK);
	from_pipe = slurp(s->out, NULL);
	assert_string_equal(from_pipe, from_file);
	free(from_pipe);

	unlink(s->trace);
	assert_int_equal(mkfifo(s->trace, 0600), 0);
	feeder = fork();
	if (feeder == 0) {
		write_file(s, sound);
		_exit(0);
	}
	assert_int_equal(run(s, "export", "events", s->trace, "--format", "csv").status, STATUS_OK);
	waitpid(feeder, NULL, 0);
	from_pipe = slurp(s->out, NULL);
	assert_string_equal(from_pipe, from_file);
	free(from_pipe);
	free(from_file);
	unlink(s->trace);
}

TEST_WITH(full_disk, const struct scene *const s)
{
	write_file(s, sound);
	assert_int_equal(run(s, "export", "events", s->trace, "-o", "/dev/full").status, STATUS_IO);
	says(s, "export", "No space left");
	assert_int_equal(run(s, "convert", s->trace, "/dev/full").status, STATUS_IO);
	says(s, "convert", "No space left");
	assert_int_equal(run(s, "convert", s->trace, "/nowhere/x.trc").status, STATUS_IO);
	says(s, "convert", "/nowhere/x.trc");
	/* Nothing of the input is lost when somebody converts a file onto itself. */
	run(s, "convert", s->trace, s->trace);
	assert_true(run(s, "check", s->trace).status == STATUS_OK);
}

/* ---- not so wild ---- */

TEST_WITH(line_ends_of_others, const struct scene *const s)
{
	OWNED char *plain, *other;
	FILE *in, *out;
	int c;

	write_file(s, sound);
	run(s, "export", "events", s->trace, "--format", "csv");
	plain = slurp(s->out, NULL);
	in = fopen(s->trace, "r");
	out = fopen(s->copy, "w");
	assert_true(in && out);
	while ((c = fgetc(in)) != EOF) {
		if (c == '\n')
			fputc('\r', out);
		fputc(c, out);
	}
	fclose(in);
	fclose(out);
	assert_int_equal(run(s, "export", "events", s->copy, "--format", "csv").status, STATUS_OK);
	other = slurp(s->out, NULL);
	assert_string_equal(other, plain);
}

/* Cut off behind every byte: it loads, or the reason is said; in this process, for speed. */
TEST_WITH(cut_off_anywhere, const struct scene *const s)
{
	const struct load_options options = { .jobs = 1 };
	size_t size;
	OWNED char *text = NULL;
	uint64_t before = 0;

	write_file(s, sound);
	text = slurp(s->trace, &size);
	for (size_t n = 0; n <= size; n++) {
		struct err err = ERR_INIT;
		FILE *const out = fopen(s->trace, "w");
		OWNED_TRACE *trace = NULL;

		assert_non_null(out);
		fwrite(text, 1, n, out);
		fclose(out);
		trace = trace_load(s->trace, &options, NULL, &err);
		if (!trace) {
			assert_int_equal(err.status, STATUS_IO);
			assert_non_null(strstr(err.text, s->trace));
			continue;
		}
		/* What stood in whole lines is there. */
		if (n && text[n - 1] == '\n') {
			assert_true(trace_event_count(trace) >= before);
			before = trace_event_count(trace);
		}
	}
	assert_true(before >= 15);
}

static int open_scene(void **state)
{
	static struct scene scene;
	struct scene *const s = &scene;

	strcpy(s->folder, "/tmp/tview-hostile-XXXXXX");
	if (!mkdtemp(s->folder) || chmod(s->folder, 0777) != 0)
		return -1;
	snprintf(s->trace, sizeof s->trace, "%s/hostile.trc", s->folder);
	snprintf(s->out, sizeof s->out, "%s/out", s->folder);
	snprintf(s->said, sizeof s->said, "%s/said", s->folder);
	snprintf(s->copy, sizeof s->copy, "%s/copy.trc", s->folder);
	*state = s;
	return 0;
}

static int close_scene(void **state)
{
	struct scene *const s = *state;

	unlink(s->trace);
	unlink(s->out);
	unlink(s->said);
	unlink(s->copy);
	rmdir(s->folder);
	return 0;
}

GROUP_FIXTURE(open_scene, close_scene)
