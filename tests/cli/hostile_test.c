/* Input that nobody would write on purpose, and some that somebody would: whatever a file holds,
 * the program ends by itself, within bounds of time and memory, with a status that says so and a
 * sentence that names the file, and no control character of the file reaches the terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "cli/hostile_aid.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/app/views.h"

/* What is healthy stays far below these. */
enum { MEBIBYTES = SANITIZED ? 3000 : 900, MANY = SANITIZED ? 20000 : 100000 };

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
static int try_verbs(const struct hostile *s, const char *path, const char *what, size_t n_verbs)
{
	int check = -1;

	for (size_t i = 0; i < n_verbs; i++) {
		const char *words[7] = { 0 };
		struct hostile_outcome o;
		char label[200];

		for (int w = 0; w < 6 && verbs[i][w]; w++)
			words[w] = !strcmp(verbs[i][w], FILE_)  ? path
				   : !strcmp(verbs[i][w], COPY) ? s->copy
								: verbs[i][w];
		o = hostile_run_from(s, "/dev/null", false, words);
		snprintf(label, sizeof label, "%s: tview %s %s", what, words[0], verbs[i][1]);
		if (o.status != STATUS_OK && o.status != STATUS_NO && o.status != STATUS_IO) {
			OWNED_STR said = STR_INIT;
			file_read(s->said, &said);
			fail_msg("%s: status %d\n%.2000s", label, o.status, said.text);
		}
		if (o.peak > MEBIBYTES)
			fail_msg("%s: %ld MiB", label, o.peak);
		hostile_is_harmless(s->out, label);
		hostile_is_harmless(s->said, label);
		if (o.status == STATUS_IO)
			hostile_says(s, label, path);
		if (i == 0)
			check = o.status;
	}
	return check;
}

/* ---- every export on one file: scripts/hostile ---- */

/* Prints what each took; returns how many did not end as they should. */
static int try_exports(const struct hostile *s, const char *what)
{
	const char *names[VIEWS_MOST + 1];
	int bad = 0;

	view_export_names(&all_views, names);
	for (const char *const *name = names; *name; name++) {
		const struct hostile_outcome o = hostile_run(s, "export", *name, s->trace);
		const bool ok = o.status <= STATUS_IO && o.peak <= MEBIBYTES;
		char label[200];

		bad += !ok;
		print_message("# %.1f s %ld MiB status %d: %s of %s%s\n", o.seconds, o.peak,
			      o.status, *name, what, ok ? "" : " BAD");
		snprintf(label, sizeof label, "%s: tview export %s", what, *name);
		hostile_is_harmless(s->out, label);
		hostile_is_harmless(s->said, label);
	}
	return bad;
}

/* ---- files ---- */

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
	wild_fill(out, "name of a region ", HUGE_LINE);
	fputc('\n', out);
	wild_sound(out);
}

static void long_line(FILE *out)
{
	fputs("-3 1 0.1 0 0 1 2 ", out);
	wild_fill(out, "7", LONG_LINE);
	fputc('\n', out);
}

static void long_line_of_fields(FILE *out)
{
	fprintf(out, "-3 1 0.1 0 0 %d 2", LONG_LINE / 2);
	wild_fill(out, " 7", LONG_LINE);
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
	wild_fill(out, "7", 400);
	fputs(" 0 0 0\n-3 1 0.", out);
	wild_fill(out, "3", 400);
	fputs(" 0 0 0\n-3 1 -", out);
	wild_fill(out, "0", 400);
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
	wild_head(out);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		fprintf(out, "-3 %zu 0.1 0 0 0\n", i + 1);
		fprintf(out, "-4 %zu 0.2 0 0 0\n", i + 1);
		fprintf(out, "-7 -1 0.3 0 0 %zu \"%%c\" %s\n", strlen(texts[i]), texts[i]);
		fprintf(out, "-3 1 0.4 0 0 1 \"%%s\" %s\n", texts[i]);
		fprintf(out, "%s\n", texts[i]);
		fprintf(out, "-3 1 %s 0 0 0\n", texts[i]);
	}
	wild_tail(out);
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
	wild_head(out);
	for (int i = 0; i < MANY; i++)
		fprintf(out, "-3 1 0.1 %d 0 0\n", i % 2);
}

static void never_opened(FILE *out)
{
	wild_head(out);
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
	wild_fill(out, "\\\n", 200000);
}

static void try_files(const struct hostile *s, const struct wild_file *files, size_t n,
		      size_t n_verbs, bool wrong)
{
	int bad = 0;

	for (size_t i = 0; i < n; i++) {
		wild_write(s, &files[i]);
		if (try_verbs(s, s->trace, files[i].name, n_verbs) == STATUS_OK && wrong)
			fail_msg("%s: check finds nothing wrong", files[i].name);
		if (getenv("HOSTILE"))
			bad += try_exports(s, files[i].name);
	}
	assert_int_equal(bad, 0);
}

TEST_WITH(wild, const struct hostile *const s)
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

TEST_WITH(large, const struct hostile *const s)
{
	static const struct wild_file files[] = {
		{ "long label", .content = long_label },
		{ "long line", .content = long_line, .framed = true },
		{ "long line of fields", .content = long_line_of_fields, .framed = true },
		{ "long line of letters", .piece = "x", .bytes = LONG_LINE },
	};

	try_files(s, files, sizeof files / sizeof *files, VERBS_FOR_LARGE, true);
}

TEST_WITH(many, const struct hostile *const s)
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

GROUP_FIXTURE(hostile_begin, hostile_end)
