/* What becomes of command lines: options of our own, rules, plans of the driver and of its
 * stages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cc/driver/driver.h"
#include "capture/cc/driver/stage.h"
#include "capture/cc/instrument/library_headers.h"
#include "capture/cc/instrument/macro_lines.h"
#include "harness/files.h"
#include "harness/test.h"

/* Words joined by '|', so that blanks within words show. */
static char *joined(const struct words *words)
{
	static char text[4096];

	text[0] = '\0';
	for (size_t i = 0; i < words->list.n; i++) {
		strncat(text, i ? "|" : "", sizeof text - strlen(text) - 1);
		strncat(text, words->list.data[i], sizeof text - strlen(text) - 1);
	}
	return text;
}

#define OWNED_WORDS ENDED_BY(words_fini) struct words

static void expect_words(const struct words *words, const char *want)
{
	assert_string_equal(joined(words), want);
}

/* ---- words ---- */

/* Expected: what libiberty's buildargv() makes of them (its documentation and gcc @file tried by
 * hand). */
TEST(test_words_split)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "  \n\t ", "" },
		{ "a b\nc", "a|b|c" },
		{ "'a b' \"c d\"", "a b|c d" },
		{ "a\\ b c\\\"d", "a b|c\"d" },
		{ "'a\\'b'", "a'b" },
		{ "-DX=\"y z\"w", "-DX=y zw" },
		{ "'' x", "|x" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OWNED_WORDS words = WORDS_INIT;
		words_split(&words, cases[i][0]);
		expect_words(&words, cases[i][1]);
	}
}

TEST(test_words_join_is_inverse)
{
	static const char letters[] = "ab \\\"'\t\n@-";

	srand(7);
	for (int round = 0; round < 500; round++) {
		OWNED_WORDS words = WORDS_INIT, again = WORDS_INIT;
		OWNED_STR text = STR_INIT;
		for (int n = rand() % 6; n > 0; n--) {
			char word[8] = "";
			for (int k = rand() % 7; k > 0; k--)
				word[k - 1] = 'a';
			for (size_t k = 0; word[k]; k++)
				word[k] = letters[(size_t)rand() % (sizeof letters - 1)];
			words_add(&words, word);
			words_join(&text, word);
		}
		words_split(&again, text.text);
		assert_int_equal(words.list.n, again.list.n);
		for (size_t i = 0; i < words.list.n; i++)
			assert_string_equal(words.list.data[i], again.list.data[i]);
	}
}

static void write_file(const char *path, const char *text)
{
	file_write(path, text, strlen(text));
}

TEST(test_words_expand)
{
	char inner[] = "/tmp/tvcc-inner-XXXXXX", outer[] = "/tmp/tvcc-outer-XXXXXX";
	char text[200];
	OWNED_WORDS argv = WORDS_INIT, words = WORDS_INIT, endless = WORDS_INIT;

	close(mkstemp(inner));
	close(mkstemp(outer));
	write_file(inner, "'in ner' -x");
	snprintf(text, sizeof text, "b @%s c", inner);
	write_file(outer, text);
	snprintf(text, sizeof text, "a @%s @/there/is/none d", outer);
	words_split(&argv, text);
	words_expand(&words, argv.list.data);
	expect_words(&words, "a|b|in ner|-x|c|@/there/is/none|d");
	/* One that names itself ends all the same. */
	snprintf(text, sizeof text, "b @%s", outer);
	write_file(outer, text);
	words_expand(&endless, argv.list.data);
	assert_true(endless.list.n > 1000 && endless.list.n < 3000);
	unlink(inner);
	unlink(outer);
}

/* ---- our options ---- */

#define OWNED_OPTIONS ENDED_BY(cc_options_fini) struct cc_options

TEST(test_options_are_taken_off)
{
	static const char line[] = "-O2 --only ^a -Xlinker --no-loops --exclude=b -o --tv-verbose "
				   "--no-loops x.c --quiet";
	OWNED_OPTIONS options;
	OWNED_WORDS argv = WORDS_INIT, rest = WORDS_INIT;

	cc_options_init(&options);
	words_split(&argv, line);
	assert_true(cc_options_take(&options, argv.list.data, &rest, NULL));
	expect_words(&rest, "-O2|-Xlinker|--no-loops|-o|--tv-verbose|x.c");
	expect_words(&options.given, "--only|^a|--exclude=b|--no-loops|--quiet");
	assert_true(options.quiet);
	assert_false(options.verbose);
	assert_int_equal(rules_loops(options.rules, "f.c", "p"), LOOPS_NONE);
	assert_true(rules_procedure(options.rules, "f.c", "ac"));
	assert_false(rules_procedure(options.rules, "f.c", "ab"));
}

static void expect_wrong(const char *text, const char *say)
{
	OWNED_OPTIONS options;
	struct err err = ERR_INIT;

	cc_options_init(&options);
	assert_false(cc_options_take_text(&options, text, "TVIEW_CC_OPTIONS", &err));
	if (!strstr(err.text, say))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, err.text, say);
}

TEST(test_wrong_options)
{
	expect_wrong("--only", "--only needs PATTERN");
	expect_wrong("--only=", "--only: the pattern is empty");
	expect_wrong("--exclude a(b", "--exclude: invalid pattern, column 4");
	expect_wrong("--exclude file:a(b", "--exclude: invalid pattern, column 9");
	expect_wrong("-O2", "TVIEW_CC_OPTIONS: tvcc has no option -O2");
	expect_wrong("--filter-file /there/is/none",
		     "/there/is/none: cannot open the file of rules");
}

static void expect_no_rules(const char *path, const char *say)
{
	struct rules *rules = rules_new();
	struct err err = ERR_INIT;

	assert_false(rules_add_file(rules, path, &err));
	if (!strstr(err.text, say))
		fail_msg("\"%s\" does not say \"%s\"", err.text, say);
	rules_free(rules);
}

TEST(test_filter_file)
{
	static const struct {
		const char *text, *say;
	} wrong[] = {
		{ "# a\n\nonly\n", ":3: only needs a pattern" },
		{ "only a\nexclude (\n", ":2: invalid pattern, column 2" },
		{ "onlya b\n", ":1: unknown rule 'onlya'" },
	};
	char path[] = "/tmp/tvcc-rules-XXXXXX";
	struct rules *rules;
	struct err err = ERR_INIT;

	close(mkstemp(path));
	write_file(path,
		   "# all but b, and b2\r\nexclude b\n  only  ^b2$ \nno-loops\niterations ^it\n"
		   "exclude file:/log\\.c$");
	rules = rules_new();
	assert_true(rules_add_file(rules, path, &err));
	assert_true(rules_procedure(rules, "x.c", "a"));
	assert_false(rules_procedure(rules, "x.c", "ab"));
	assert_true(rules_procedure(rules, "x.c", "b2"));
	assert_false(rules_procedure(rules, "src/log.c", "a"));
	assert_true(rules_file(rules, "x.c"));
	assert_false(rules_file(rules, "src/log.c"));
	assert_int_equal(rules_loops(rules, "x.c", "a"), LOOPS_NONE);
	assert_int_equal(rules_loops(rules, "x.c", "it1"), LOOPS_ITERATIONS);
	rules_free(rules);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		write_file(path, wrong[i].text);
		expect_no_rules(path, wrong[i].say);
	}
	unlink(path);
}

/* A file without an end, one that is no text, and a mark in front that some editors leave. */
TEST(test_odd_filter_files)
{
	char path[] = "/tmp/tvcc-rules-XXXXXX";
	struct rules *rules = rules_new();
	struct err err = ERR_INIT;

	expect_no_rules("/dev/zero", "/dev/zero: not a file of rules (it has more than 1 MiB)");
	close(mkstemp(path));
	file_write(path, "only a\0b\n", 9);
	expect_no_rules(path, ": not a text file (it contains NUL bytes)");
	write_file(path, "\xef\xbb\xbfonly a");
	assert_true(rules_add_file(rules, path, &err));
	assert_true(rules_procedure(rules, "x.c", "a"));
	assert_false(rules_procedure(rules, "x.c", "b"));
	write_file(path, "");
	assert_true(rules_add_file(rules, path, &err));
	rules_free(rules);
	unlink(path);
}

/* A pattern that takes exponential time does not match, and ends. */
TEST(test_hostile_pattern)
{
	struct rules *rules = rules_new();
	struct err err = ERR_INIT;
	char name[4000];

	memset(name, 'a', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_true(rules_add(rules, RULE_ONLY, "^(a+)+$b", "--only", &err));
	assert_false(rules_procedure(rules, "x.c", name));
	rules_free(rules);
}

/* ---- the driver ---- */

/* What becomes of a command line. */
struct command {
	struct words words, rest;
	struct cc_options options;
	struct driver_plan plan;
	struct err err;
};

static void command_fini(struct command *c)
{
	driver_plan_fini(&c->plan);
	words_fini(&c->words);
	words_fini(&c->rest);
	cc_options_fini(&c->options);
}

#define COMMAND ENDED_BY(command_fini) struct command

static bool plan(struct command *c, enum driver_language language, const char *compiler,
		 const char *line, const char *program)
{
	*c = (struct command){ .plan = DRIVER_PLAN_INIT };
	cc_options_init(&c->options);
	words_split(&c->words, line);
	if (c->words.list.n)
		assert_true(cc_options_take(&c->options, c->words.list.data, &c->rest, &c->err));
	return driver_plan(&c->plan, language, &c->options, compiler, &c->rest, program, &c->err);
}

/* What tells one set of options from another. */
static void without_number(struct words *argv)
{
	for (size_t i = 1; i < argv->list.n; i++) {
		if (!strcmp(argv->list.data[i - 1], "-wrapper"))
			argv->list.data[i][strcspn(argv->list.data[i], "=")] = '\0';
	}
}

static void expect_plan(const char *program, const char *line, const char *want)
{
	COMMAND c;

	if (!plan(&c, driver_language(program), NULL, line, "/t/tvcc"))
		fail_msg("%s: %s", line, c.err.text);
	without_number(&c.plan.argv);
	if (strcmp(joined(&c.plan.argv), want) != 0)
		fail_msg("%s %s:\n%s\n%s", program, line, joined(&c.plan.argv), want);
}

TEST(test_driver_plans)
{
	static const char *const cases[][3] = {
		{ "tvcc", "", "mpicc" },
		{ "/x/tvcc", "-c a.c", "mpicc|-wrapper|/t/tvcc,--tv-stage|-c|a.c" },
		{ "tvcxx", "--only x a.cpp b.o", "mpicxx|-wrapper|/t/tvcc,--tv-stage|a.cpp|b.o" },
		{ "tvcc", "--no-instrument -c a.c", "mpicc|-c|a.c" },
		{ "tvcc", "-xc -", "mpicc|-wrapper|/t/tvcc,--tv-stage|-xc|-" },
		{ "tvcc", "-o a.c b.o -lm -L x", "mpicc|-o|a.c|b.o|-lm|-L|x" },
		{ "tvcc", "b.o libx.so.1.2 /y.d/z.a", "mpicc|b.o|libx.so.1.2|/y.d/z.a" },
		{ "tvcc", "-E a.c", "mpicc|-E|a.c" },
		{ "tvcc", "-MM a.c", "mpicc|-MM|a.c" },
		{ "tvcc", "-MMD -c a.c", "mpicc|-wrapper|/t/tvcc,--tv-stage|-MMD|-c|a.c" },
		{ "tvcc", "-### a.c", "mpicc|-###|a.c" },
		{ "tvcc", "-v", "mpicc|-v" },
		{ "tvcc", "--version", "mpicc|--version" },
		{ "tvcc", "-print-prog-name=ld", "mpicc|-print-prog-name=ld" },
		{ "tvcc", "-show -c a.c", "mpicc|-show|-c|a.c" },
		{ "tvfc", "-c a.f90", "mpifort|-wrapper|/t/tvcc,--tv-stage|-g1|-c|a.f90" },
		{ "tvfc", "-g3 -c a.f90", "mpifort|-wrapper|/t/tvcc,--tv-stage|-g3|-c|a.f90" },
		{ "tvfc", "a.o", "mpifort|a.o" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_plan(cases[i][0], cases[i][1], cases[i][2]);
}

/* A cache of objects under tvcc sees the command line alone: it has to differ where the object
 * would. */
TEST(test_driver_for_caches)
{
	static const char *const lines[] = {
		"-c a.c",
		"--no-loops -c a.c",
		"--iterations -c a.c",
		"--only f -c a.c",
		"--exclude f -c a.c",
		"--exclude ff -c a.c",
		"--only f --only g -c a.c",
		"--only g --only f -c a.c",
		"--only f --exclude g -c a.c",
		"--quiet -c a.c",
		"--tv-verbose -c a.c",
	};
	enum { LINES = sizeof lines / sizeof *lines };
	char *seen[LINES + 1];

	for (size_t i = 0; i <= LINES; i++) {
		COMMAND c;
		assert_true(plan(&c, DRIVER_C, NULL, lines[i % LINES], "/t/tvcc"));
		seen[i] = strdup(joined(&c.plan.argv));
	}
	for (size_t i = 0; i < LINES; i++) {
		for (size_t k = i + 1; k < LINES; k++)
			assert_string_not_equal(seen[i], seen[k]);
	}
	assert_string_equal(seen[0], seen[LINES]);
	for (size_t i = 0; i <= LINES; i++)
		free(seen[i]);
}

TEST(test_driver_other_compilers)
{
	COMMAND clang, comma, nested;

	assert_true(plan(&clang, DRIVER_C, "/usr/bin/clang-14 -m64", "-c a.c", "/t/tvcc"));
	assert_int_equal(clang.plan.way, DRIVER_FUNCTIONS);
	expect_words(&clang.plan.argv, "/usr/bin/clang-14|-m64|-finstrument-functions|-g1|-c|a.c");
	assert_true(plan(&comma, DRIVER_C, "gcc", "-c a.c", "/a,b/tvcc"));
	assert_int_equal(comma.plan.way, DRIVER_FUNCTIONS);
	/* MPICH_CC=tvcc: mpicc calls tvcc, which would call mpicc. */
	assert_false(plan(&nested, DRIVER_C, "mpicc", "-wrapper /t/tvcc,--tv-stage=1 -c a.c",
			  "/t/tvcc"));
	assert_non_null(strstr(nested.err.text, "TVIEW_CC"));
}

/* ---- stages ---- */

/* A command line of cc1 as GCC 12 makes it. */
static const char cc1_line[] =
	"/usr/lib/gcc/cc1 -quiet -I inc -imultiarch x86_64-linux-gnu -MD app.d -MQ app -D X=1 -include h.h a.c "
	"-quiet -dumpdir app- -dumpbase a.c -dumpbase-ext .c -mtune=generic -g -O2 -std=gnu99 -o /tmp/x.s";

static void expect_stage(const char *line, enum stage_kind kind)
{
	OWNED_WORDS argv = WORDS_INIT;

	words_split(&argv, line);
	if (stage_plan(argv.list.data).kind != kind)
		fail_msg("%s: %d, not %d", line, (int)stage_plan(argv.list.data).kind, (int)kind);
}

TEST(test_stage_plans)
{
	expect_stage(cc1_line, STAGE_PROBES);
	expect_stage("cc1plus -quiet a.cc -o x.s", STAGE_PROBES);
	expect_stage("cc1 -E -quiet a.c -o a.i", STAGE_RUN);
	expect_stage("cc1 -quiet a.c -fsyntax-only -o /dev/null", STAGE_RUN);
	expect_stage("cc1 -quiet a.h -o x.s --output-pch=a.h.gch", STAGE_RUN);
	expect_stage("cc1 -quiet a.c -ffreestanding -o x.s", STAGE_RUN);
	expect_stage("cc1plus -quiet a.cc -fmodules-ts -o x.s", STAGE_RUN);
	expect_stage("cc1 -quiet -version --help=optimizers", STAGE_RUN);
	expect_stage("f951 a.f90 -ffree-form -o x.s", STAGE_HOOKS);
	expect_stage("f951 a.f90 -I x -quiet -O2 -fintrinsic-modules-path /usr/lib/finclude "
		     "-fpre-include=m.h -o x.s",
		     STAGE_HOOKS);
	expect_stage("f951 a.f90 -fsyntax-only -o x.s", STAGE_RUN);
	expect_stage("as --64 -o a.o a.s", STAGE_RUN);
	expect_stage("/x/collect2 a.o", STAGE_RUN);
	expect_stage("lto1 -quiet @x", STAGE_RUN);
}

TEST(test_stage_steps)
{
	OWNED_WORDS argv = WORDS_INIT, odd = WORDS_INIT, preprocessed = WORDS_INIT,
		    checked = WORDS_INIT, compiled = WORDS_INIT, hooked = WORDS_INIT,
		    flags = WORDS_INIT;
	struct stage_plan plan;

	words_split(&argv, cc1_line);
	plan = stage_plan(argv.list.data);
	assert_string_equal(argv.list.data[plan.input], "a.c");
	assert_string_equal(argv.list.data[plan.output], "/tmp/x.s");
	stage_preprocess(&plan, argv.list.data, &preprocessed);
	expect_words(
		&preprocessed,
		"/usr/lib/gcc/cc1|-E|-quiet|-I|inc|-imultiarch|x86_64-linux-gnu|-MD|app.d|-MQ|app|-D|X=1|-include|h.h|"
		"a.c|-quiet|-dumpdir|app-|-dumpbase|a.c|-dumpbase-ext|.c|-mtune=generic|-g|-O2|-std=gnu99");
	stage_check(&plan, argv.list.data, &checked);
	expect_words(
		&checked,
		"/usr/lib/gcc/cc1|-fsyntax-only|-quiet|-I|inc|-imultiarch|x86_64-linux-gnu|-D|X=1|-include|h.h|"
		"a.c|-quiet|-dumpdir|app-|-dumpbase|a.c|-dumpbase-ext|.c|-mtune=generic|-g|-O2|-std=gnu99|-o|/dev/null");
	stage_compile(&plan, argv.list.data, "-", "/o", false, &compiled);
	expect_words(
		&compiled,
		"/usr/lib/gcc/cc1|-fpreprocessed|-quiet|-I|inc|-imultiarch|x86_64-linux-gnu|-D|X=1|-|"
		"-quiet|-dumpdir|app-|-dumpbase|a.c|-dumpbase-ext|.c|-mtune=generic|-g|-O2|-std=gnu99|-o|/o|-w");
	stage_hooks(&plan, argv.list.data, NULL, &hooked);
	assert_string_equal(vec_last(&hooked.list)[0], "-finstrument-functions");
	assert_int_equal(hooked.list.n, argv.list.n + 1);
	stage_flags(argv.list.data, &flags);
	expect_words(&flags, "-std=gnu99");
	words_split(&odd, "cc1 -quiet - -D -o -g3 -fpreprocessed -o -");
	plan = stage_plan(odd.list.data);
	assert_int_equal(plan.input, 2);
	assert_int_equal(plan.output, 8);
	assert_true(plan.macros && plan.lines && plan.preprocessed);
}

/* ---- macros in the text ---- */

TEST(test_macro_lines)
{
	static const char text[] =
		"# 1 \"a.c\"\n#define A B\nint x;\n#undef A\n#pragma y\n#define C\n";
	struct macro_lines lines = { VEC_INIT };
	OWNED_STR hidden = STR_INIT, shown = STR_INIT;

	macro_lines_hide(&lines, text, sizeof text - 1, &hidden);
	assert_string_equal(
		hidden.text,
		"# 1 \"a.c\"\n/*tview 0*/\nint x;\n/*tview 1*/\n#pragma y\n/*tview 2*/\n");
	macro_lines_show(&lines, text, hidden.text, hidden.n, &shown);
	assert_string_equal(shown.text, text);
	vec_fini(&lines.list);
}

TEST(test_macro_lines_beside_comments_like_marks)
{
	static const char text[] =
		"#undef A\n/*tview 1*/\n/*tview x*/\n/*tview 0*/ int x;\n#undef B";
	struct macro_lines lines = { VEC_INIT };
	OWNED_STR hidden = STR_INIT, shown = STR_INIT;

	macro_lines_hide(&lines, text, sizeof text - 1, &hidden);
	assert_string_equal(hidden.text, "/*tview 0*/\n/*tview 1*/\n/*tview x*/\n"
					 "/*tview 0*/ int x;\n/*tview 2*/");
	macro_lines_show(&lines, text, hidden.text, hidden.n, &shown);
	assert_string_equal(shown.text, text);
	vec_fini(&lines.list);
}

/* ---- headers of libraries ---- */

TEST(test_library_headers)
{
	static const char text[] = "# 1 \"a.c\"\n"
				   "# 1 \"/opt/mpi/include/mpi.h\" 1\n"
				   "# 1 \"/opt/mpi/include/cxx/mpicxx.h\" 1\n"
				   "int mpi; /* # 2 \"/opt/mpi/include/x.h\" */\n"
				   "# 9 \"/opt/mpi/include/mpi.h\" 2\n"
				   "# 2 \"a.c\" 2\n"
				   "# 1 \"/usr/include/x.h\" 1 3 4\n"
				   "# 1 \"/usr/include/y.h\"\n"
				   "# 1 \"/opt/mpi2/z.h\" 1\n"
				   "# pragma \"/usr/include/\"\n"
				   "# 3 \"";
	static const char want[] = "# 1 \"a.c\"\n"
				   "# 1 \"/opt/mpi/include/mpi.h\" 1 3\n"
				   "# 1 \"/opt/mpi/include/cxx/mpicxx.h\" 1 3\n"
				   "int mpi; /* # 2 \"/opt/mpi/include/x.h\" */\n"
				   "# 9 \"/opt/mpi/include/mpi.h\" 2 3\n"
				   "# 2 \"a.c\" 2\n"
				   "# 1 \"/usr/include/x.h\" 1 3 4\n"
				   "# 1 \"/usr/include/y.h\" 3\n"
				   "# 1 \"/opt/mpi2/z.h\" 1\n"
				   "# pragma \"/usr/include/\"\n"
				   "# 3 \"";
	OWNED_STR out = STR_INIT;

	library_headers_mark(text, sizeof text - 1, &out);
	assert_string_equal(out.text, want);
}
