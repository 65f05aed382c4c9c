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
#include "harness/files.h"
#include "harness/random.h"
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
	char folder[FOLDER_NAME];
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

/* Control characters other than line ends and tabs, or a C1 character, stand nowhere in it. */
static void is_harmless(const char *path, const char *what)
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

static void says(const struct scene *s, const char *what, const char *part)
{
	OWNED_STR text = STR_INIT;

	file_read(s->said, &text);
	file_read(s->out, &text);
	if (!strstr(text.text, part))
		fail_msg("%s: no '%s' in:\n%s", what, part, text.text);
}

/* ---- every verb on one file ---- */

/* FILE and COPY: names of the scene. */
#define FILE_ "FILE"
#define COPY  "COPY"
static const char *const verbs[][6] = {
	{ "check", FILE_ },
	{ "export", "profile", FILE_, "--format", "text" },
	/* From here on for small files alone. */
	{ "export", "events", FILE_, "--format", "csv" },
	{ "export", "messages", FILE_, "--format", "json" },
	{ "export", "collectives", FILE_, "--format", "csv" },
	{ "export", "timeline", FILE_, "--format", "text" },
	{ "export", "overview", FILE_, "--format", "text" },
	{ "convert", FILE_, COPY },
};

enum { VERBS = sizeof verbs / sizeof *verbs, VERBS_FOR_LARGE = 2 };

/* What every verb owes every file. Returns the status of `check`. */
static int try_verbs(const struct scene *s, const char *path, const char *what, size_t n_verbs)
{
	int check = -1;

	for (size_t i = 0; i < n_verbs; i++) {
		const char *words[7] = { 0 };
		struct outcome o;
		char label[200];

		for (int w = 0; w < 6 && verbs[i][w]; w++)
			words[w] = !strcmp(verbs[i][w], FILE_)  ? path
				   : !strcmp(verbs[i][w], COPY) ? s->copy
								: verbs[i][w];
		o = run_from(s, "/dev/null", false, words);
		snprintf(label, sizeof label, "%s: tview %s %s", what, words[0], verbs[i][1]);
		if (o.status != STATUS_OK && o.status != STATUS_NO && o.status != STATUS_IO) {
			OWNED_STR said = STR_INIT;
			file_read(s->said, &said);
			fail_msg("%s: status %d\n%.2000s", label, o.status, said.text);
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

static void head(FILE *out)
{
	fputs("-3 -901 0.000000 0 0 0\n-3 -901 0.000000 1 0 0\n", out);
}

static void tail(FILE *out)
{
	fputs("-4 -901 9.000000 0 0 0\n-4 -901 9.000000 1 0 0\n", out);
}

static void fill(FILE *out, const char *piece, size_t bytes)
{
	const size_t n = strlen(piece);

	for (size_t i = 0; i < bytes; i += n)
		fwrite(piece, 1, n, out);
}

struct wild_file {
	const char *name;
	bool framed;    /* between a head and a tail */
	writer content; /* else a piece again and again */
	const char *piece;
	size_t bytes;
};

static void write_file(const struct scene *s, const struct wild_file *file)
{
	FILE *const out = fopen(s->trace, "w");

	assert_non_null(out);
	if (file->framed)
		head(out);
	if (file->content)
		file->content(out);
	else
		fill(out, file->piece, file->bytes);
	if (file->framed)
		tail(out);
	assert_int_equal(fclose(out), 0);
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

static const struct wild_file sound_file = { "sound", .content = sound };

static void rubbish(FILE *out)
{
	struct rng rng = { 88172645463325252u };

	for (int i = 0; i < 100000; i++)
		fputc((int)rng_below(&rng, 256), out);
}

static void zeros(FILE *out)
{
	for (int i = 0; i < 1000000; i++)
		fputc(0, out);
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
	fputs("-3 1 0.1 0 0 1 2 ", out);
	fill(out, "7", LONG_LINE);
	fputc('\n', out);
}

static void long_line_of_fields(FILE *out)
{
	fprintf(out, "-3 1 0.1 0 0 %d 2", LONG_LINE / 2);
	fill(out, " 7", LONG_LINE);
	fputc('\n', out);
}

static void counts(FILE *out)
{
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

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		fprintf(out, "-3 1 0.1 0 0 1 \"%s\" 5 6 7\n", texts[i]);
		fprintf(out, "-6 %zu -1.0 -1 -1 1 \"%%d%%s\" 9 \"%s\"\n", i, texts[i]);
		fprintf(out, "-3 %zu 0.2 0 0 3 9 1 2 3\n", i);
	}
	fputs("-3 1 0.3 0 0 1 \"%d 5\n", out);
}

static void processors(FILE *out)
{
	static const char *const ids[] = { "2147483647", "-2147483648",
					   "2147483648", "99999999999999999999",
					   "32767",      "-32768",
					   "-1",         "-2" };

	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		fprintf(out, "-3 1 0.1 %s 0 0\n-4 1 0.2 %s 0 0\n", ids[i], ids[i]);
		fprintf(out, "-3 1 0.1 0 %s 0\n", ids[i]);
		fprintf(out, "-3 %s 0.1 0 0 0\n", ids[i]);
		fprintf(out, "-3 -21 0.3 0 0 3 2 %s %s %s\n", ids[i], ids[i], ids[i]);
		fprintf(out, "-3 -785 0.4 0 0 3 2 %s %s %s\n", ids[i], ids[i], ids[i]);
		fprintf(out, "-202 -1 0.0 -1 -1 3 2 %s %s %s\n", ids[i], ids[i], ids[i]);
		fprintf(out, "%s 1 0.5 0 0 0\n", ids[i]);
	}
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

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		fprintf(out, "-3 1 %s 0 0 0\n-4 1 %s 0 0 0\n", texts[i], texts[i]);
	fputs("-3 1 ", out);
	fill(out, "7", 400);
	fputs(" 0 0 0\n-3 1 0.", out);
	fill(out, "3", 400);
	fputs(" 0 0 0\n-3 1 -", out);
	fill(out, "0", 400);
	fputs("1.5 0 0 0\n", out);
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
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-3 %d 0.1 0 0 0\n", i % 7);
	for (int i = MANY; i-- > 0;)
		fprintf(out, "-4 %d 0.2 0 0 0\n", i % 7);
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
	fwrite("-3 1 0.1\0 0 0 0\n", 1, 16, out);
	fwrite("-5 1 0.1 -1 -1 3 \"%c\" a\0b\n", 1, 26, out);
}

static void continuations(FILE *out)
{
	fputs("-3 1 0.1 0 0 1 2 ", out);
	fill(out, "\\\n", 200000);
}

static void try_files(const struct scene *s, const struct wild_file *files, size_t n,
		      size_t n_verbs, bool wrong)
{
	for (size_t i = 0; i < n; i++) {
		write_file(s, &files[i]);
		if (try_verbs(s, s->trace, files[i].name, n_verbs) == STATUS_OK && wrong)
			fail_msg("%s: check finds nothing wrong", files[i].name);
	}
}

TEST_WITH(wild, const struct scene *const s)
{
	static const struct wild_file files[] = {
		{ "empty", .piece = "" },
		{ "one line break", .piece = "\n", .bytes = 1 },
		{ "rubbish", .content = rubbish },
		{ "zeros", .content = zeros },
		{ "words", .piece = "Dear reader, this is a letter and no trace at all.\n",
		  .bytes = 100000 },
		{ "field counts", .content = counts, .framed = true },
		{ "descriptors", .content = descriptors, .framed = true },
		{ "processors", .content = processors, .framed = true },
		{ "times", .content = times, .framed = true },
		{ "labels", .content = labels },
		{ "NUL bytes", .content = nul_bytes, .framed = true },
		{ "one word a line", .piece = "-3\n1\n0.1\n0\n0\n2\n2\n", .bytes = 200000 },
	};

	try_files(s, files, sizeof files / sizeof *files, VERBS, true);
}

TEST_WITH(large, const struct scene *const s)
{
	static const struct wild_file files[] = {
		{ "long label", .content = long_label },
		{ "long line", .content = long_line, .framed = true },
		{ "long line of fields", .content = long_line_of_fields, .framed = true },
		{ "long line of letters", .piece = "x", .bytes = LONG_LINE },
	};

	try_files(s, files, sizeof files / sizeof *files, VERBS_FOR_LARGE, true);
}

TEST_WITH(many, const struct scene *const s)
{
	static const struct wild_file files[] = {
		{ "continuations", .content = continuations, .framed = true },
		{ "processors", .content = many_processors },
		{ "labels", .content = many_labels },
		{ "deep recursion", .content = deep, .framed = true },
		{ "never closed", .content = never_closed },
		{ "never opened", .content = never_opened },
		{ "all at once", .content = all_at_once },
		{ "never received", .content = never_received },
		{ "backwards", .content = backwards },
	};

	try_files(s, files, sizeof files / sizeof *files, VERBS_FOR_LARGE, false);
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
	write_file(s, &sound_file);
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
	OWNED_STR from_file = STR_INIT, from_stdin = STR_INIT, from_pipe = STR_INIT;
	pid_t feeder;

	write_file(s, &sound_file);
	assert_int_equal(run(s, "export", "events", s->trace, "--format", "csv").status, STATUS_OK);
	file_read(s->out, &from_file);
	assert_true(from_file.n > 300);
	assert_int_equal(run_from(s, s->trace, false,
				  (const char *const[]){ "export", "events", "/dev/stdin",
							 "--format", "csv", NULL })
				 .status,
			 STATUS_OK);
	file_read(s->out, &from_stdin);
	assert_string_equal(from_stdin.text, from_file.text);

	unlink(s->trace);
	assert_int_equal(mkfifo(s->trace, 0600), 0);
	feeder = fork();
	if (feeder == 0) {
		write_file(s, &sound_file);
		_exit(0);
	}
	assert_int_equal(run(s, "export", "events", s->trace, "--format", "csv").status, STATUS_OK);
	waitpid(feeder, NULL, 0);
	file_read(s->out, &from_pipe);
	assert_string_equal(from_pipe.text, from_file.text);
	unlink(s->trace);
}

TEST_WITH(full_disk, const struct scene *const s)
{
	write_file(s, &sound_file);
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
	OWNED_STR text = STR_INIT, returns = STR_INIT, plain = STR_INIT, other = STR_INIT;

	write_file(s, &sound_file);
	run(s, "export", "events", s->trace, "--format", "csv");
	file_read(s->out, &plain);
	file_read(s->trace, &text);
	for (size_t i = 0; i < text.n; i++) {
		if (text.text[i] == '\n')
			str_add_char(&returns, '\r');
		str_add_char(&returns, text.text[i]);
	}
	file_write(s->copy, returns.text, returns.n);
	assert_int_equal(run(s, "export", "events", s->copy, "--format", "csv").status, STATUS_OK);
	file_read(s->out, &other);
	assert_string_equal(other.text, plain.text);
}

/* Cut off behind every byte: it loads, or the reason is said; in this process, for speed. */
TEST_WITH(cut_off_anywhere, const struct scene *const s)
{
	const struct load_options options = { .jobs = 1 };
	OWNED_STR text = STR_INIT;
	uint64_t before = 0;

	write_file(s, &sound_file);
	file_read(s->trace, &text);
	for (size_t n = 0; n <= text.n; n++) {
		struct err err = ERR_INIT;
		OWNED_TRACE *trace = NULL;

		file_write(s->trace, text.text, n);
		trace = trace_load(s->trace, &options, NULL, &err);
		if (!trace) {
			assert_int_equal(err.status, STATUS_IO);
			assert_non_null(strstr(err.text, s->trace));
			continue;
		}
		/* What stood in whole lines is there. */
		if (n && text.text[n - 1] == '\n') {
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

	folder_make(s->folder, "hostile");
	assert_int_equal(chmod(s->folder, 0777), 0);
	snprintf(s->trace, sizeof s->trace, "%s/hostile.trc", s->folder);
	snprintf(s->out, sizeof s->out, "%s/out", s->folder);
	snprintf(s->said, sizeof s->said, "%s/said", s->folder);
	snprintf(s->copy, sizeof s->copy, "%s/copy.trc", s->folder);
	*state = s;
	return 0;
}

static int close_scene(void **state)
{
	folder_remove(((const struct scene *)*state)->folder);
	return 0;
}

GROUP_FIXTURE(open_scene, close_scene)
