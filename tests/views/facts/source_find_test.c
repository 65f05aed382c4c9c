/* Sources: where they are looked for, rule by rule and reason by reason; what hostile files cannot
 * do; the words of an editor's command. */
#include "harness/files.h"
#include "harness/test.h"
#include "views/facts/source_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "base/mem.h"
#include "ui/canvas/canvas.h"
#include "ui/panels/editor.h"

struct folder {
	char path[FOLDER_NAME];
	char old[4096];
};

static void make(const char *path, const char *content, size_t n)
{
	char copy[256];

	snprintf(copy, sizeof copy, "%s", path);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	file_write(path, content, n);
}

static void make_text(const char *path, const char *content)
{
	make(path, content, strlen(content));
}

static int enter_folder(void **state)
{
	static struct folder folder;

	folder_make(folder.path, "source");
	assert_non_null(getcwd(folder.old, sizeof folder.old));
	assert_int_equal(chdir(folder.path), 0);
	*state = &folder;
	return 0;
}

static int leave_folder(void **state)
{
	const struct folder *folder = *state;

	assert_int_equal(chdir(folder->old), 0);
	folder_remove(folder->path);
	return 0;
}

FIXTURE(enter_folder, leave_folder)

static void assert_found(const struct source_roots *roots, const char *file, const char *want)
{
	struct source_found found;
	struct err err = ERR_INIT;

	if (!source_find(roots, file, &found, &err))
		fail_msg("%s", err.text);
	assert_string_equal(found.path, want);
	source_found_fini(&found);
}

static void assert_missing(const struct source_roots *roots, const char *file, const char *why)
{
	struct source_found found;
	struct err err = ERR_INIT;

	assert_false(source_find(roots, file, &found, &err));
	assert_null(found.path);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

/* ---- where ---- */

TEST_WITH(as_the_trace_says, const struct folder *folder)
{
	struct source_roots roots = { .beside = (char[]){ "traces/" }, .when = INT64_MAX };
	char absolute[128], want[256];

	/* The folder that the program ran in, then beside the trace, then here. */
	make_text("src/a.c", "here\n");
	assert_found(&roots, "src/a.c", "src/a.c");
	make_text("traces/src/a.c", "beside\n");
	assert_found(&roots, "src/a.c", "traces/src/a.c");
	make_text("ran/src/a.c", "ran\n");
	snprintf(absolute, sizeof absolute, "%s/ran", folder->path);
	roots.directory = absolute;
	snprintf(want, sizeof want, "%s/src/a.c", absolute);
	assert_found(&roots, "src/a.c", want);
	/* A whole path is that. */
	assert_found(&roots, want, want);
	roots.paths = "traces";
	assert_found(&roots, want, want);
}

TEST(below_source_path)
{
	struct source_roots roots = { .beside = (char[]){ "none/" },
				      .paths = "one:two",
				      .when = INT64_MAX };

	/* With ever fewer of its folders. */
	make_text("one/c.c", "1\n");
	assert_found(&roots, "/home/you/app/b/c.c", "one/c.c");
	make_text("one/b/c.c", "2\n");
	assert_found(&roots, "/home/you/app/b/c.c", "one/b/c.c");
	make_text("one/home/you/app/b/c.c", "3\n");
	assert_found(&roots, "/home/you/app/b/c.c", "one/home/you/app/b/c.c");
	assert_found(&roots, "b/c.c", "one/b/c.c");
	/* The next folder, where the first has nothing. */
	make_text("two/d.c", "4\n");
	assert_found(&roots, "/elsewhere/d.c", "two/d.c");
	/* Empty folders of the list are none; slashes may be many. */
	roots.paths = "::one/::";
	assert_found(&roots, "/elsewhere//b///c.c", "one/b///c.c");
}

TEST(nothing_leads_out_of_a_folder)
{
	struct source_roots roots = { .beside = (char[]){ "none/" },
				      .paths = "deep/er",
				      .when = INT64_MAX };

	make_text("deep/secret.c", "no\n");
	make_text("deep/er/x.c", "yes\n");
	assert_missing(&roots, "a/../secret.c", "a/../secret.c not found");
	assert_missing(&roots, "/nowhere/../../secret.c", "--source-path");
	/* What stands behind them counts. */
	assert_found(&roots, "../build/x.c", "deep/er/x.c");
}

TEST(never_like_an_option)
{
	struct source_roots roots = { .beside = (char[]){ "" }, .when = INT64_MAX };

	make_text("./-rf.c", "x\n");
	assert_found(&roots, "-rf.c", "./-rf.c");
	make_text("./-d/y.c", "x\n");
	roots.paths = "-d";
	assert_found(&roots, "/z/y.c", "./-d/y.c");
}

/* ---- why not ---- */

TEST(reasons)
{
	struct source_roots roots = { .beside = (char[]){ "" }, .when = INT64_MAX };
	struct source_text text;
	struct err err = ERR_INIT;

	assert_missing(&roots, "", "no source line recorded");
	assert_missing(&roots, "gone.c",
		       "gone.c not found (searched beside the trace, here); give its folder");
	roots.directory = "/ran/there";
	roots.paths = "/p:/q";
	assert_missing(&roots, "gone.c", "in /ran/there, beside the trace, here and below /p:/q");
	assert_missing(&roots, "/abs/gone.c", "/abs/gone.c not found (searched there and below");
	/* No file is no file: neither a folder nor a pipe is opened, or waited for. */
	assert_int_equal(mkdir("folder.c", 0700), 0);
	assert_missing(&roots, "folder.c", "folder.c not found");
	assert_int_equal(mkfifo("pipe.c", 0600), 0);
	assert_missing(&roots, "pipe.c", "pipe.c not found");
	assert_false(source_text_read(&text, "pipe.c", &err));
	assert_missing(&roots, "/dev/zero", "/dev/zero not found");
	/* Control characters reach no message. */
	assert_missing(&roots, "a\033[2Jb.c", "a?[2Jb.c not found");
	if (geteuid() == 0)
		return; /* for whom all is readable */
	make_text("mine.c", "x\n");
	assert_int_equal(chmod("mine.c", 0), 0);
	assert_missing(&roots, "mine.c", "mine.c cannot be read: Permission denied");
}

TEST(names_as_long_as_they_like)
{
	struct source_roots roots = { .beside = (char[]){ "" }, .paths = ".", .when = INT64_MAX };
	OWNED char *name = xmalloc(100001);

	for (int i = 0; i < 100000; i++)
		name[i] = i % 2 ? '/' : 'a';
	name[100000] = '\0';
	assert_missing(&roots, name, "a/a/a/");
	memset(name, 'x', 100000);
	assert_missing(&roots, name, "xxx");
}

TEST(newer_than_the_run)
{
	struct source_roots roots = { .beside = (char[]){ "" }, .when = 1000000 };
	const struct utimbuf times[] = { { 0, 999999 }, { 0, 1000000 }, { 0, 1000001 } };

	make_text("t.c", "x\n");
	for (int i = 0; i < 3; i++) {
		struct source_found found;
		assert_int_equal(utime("t.c", &times[i]), 0);
		assert_true(source_find(&roots, "t.c", &found, NULL));
		assert_int_equal(found.newer, i == 2);
		source_found_fini(&found);
	}
}

/* ---- text ---- */

static void assert_line(const struct source_text *text, uint32_t line, const char *want)
{
	OWNED_STR s = STR_INIT;

	source_text_line(text, line, &s);
	assert_string_equal(s.text, want);
}

TEST(lines_can_be_shown)
{
	static const char bytes[] = "one\r\n"
				    "\ttab\ta\n"
				    "\n"
				    "caf\303\251 \342\206\222\n"
				    "latin \351t\351\n"
				    "esc \033[31mred\033[0m \233 bell\007\n"
				    "\360\237\230\n"
				    "last";
	static const char *const lines[] = { "",
					     "one",
					     "        tab     a",
					     "",
					     "caf\303\251 \342\206\222",
					     "latin ?t?",
					     "esc ?[31mred?[0m ? bell?",
					     "???",
					     "last",
					     "" };
	ENDED_BY(source_text_fini) struct source_text text = { 0 };

	make("t.f90", bytes, sizeof bytes - 1);
	assert_true(source_text_read(&text, "t.f90", NULL));
	assert_int_equal(source_text_lines(&text), 8);
	for (uint32_t line = 0; line < sizeof lines / sizeof *lines; line++)
		assert_line(&text, line, lines[line]);
	assert_false(text.cut);
}

TEST(no_text)
{
	struct source_text text;
	struct err err = ERR_INIT;

	make("app", "\177ELF\0\1\2", 7);
	assert_false(source_text_read(&text, "app", &err));
	assert_non_null(strstr(err.text, "app is not a text file"));
	err = (struct err)ERR_INIT;
	assert_false(source_text_read(&text, "none", &err));
	assert_non_null(strstr(err.text, "none cannot be read: No such file"));
	/* An empty file is one. */
	make("empty.c", "", 0);
	assert_true(source_text_read(&text, "empty.c", NULL));
	assert_int_equal(source_text_lines(&text), 0);
	source_text_fini(&text);
}

TEST(huge_files_are_cut)
{
	const size_t n = SOURCE_BYTES + 1000;
	OWNED char *bytes = xmalloc(n);
	struct source_text text;
	OWNED_STR s = STR_INIT;

	/* One line without end. */
	memset(bytes, '\t', n);
	make("long.c", bytes, n);
	assert_true(source_text_read(&text, "long.c", NULL));
	assert_true(text.cut);
	assert_int_equal(text.n, SOURCE_BYTES);
	assert_int_equal(source_text_lines(&text), 1);
	source_text_line(&text, 1, &s);
	assert_int_equal(s.n, SOURCE_COLUMNS);
	source_text_fini(&text);
	/* Nothing but lines. */
	memset(bytes, '\n', n);
	make("lines.c", bytes, n);
	assert_true(source_text_read(&text, "lines.c", NULL));
	assert_int_equal(source_text_lines(&text), SOURCE_BYTES);
	assert_line(&text, SOURCE_BYTES, "");
	source_text_fini(&text);
}

TEST(another_file_now)
{
	ENDED_BY(source_text_fini) struct source_text text = { 0 };
	const struct utimbuf later = { 0, 2000000000 };

	make_text("s.c", "a\n");
	assert_true(source_text_read(&text, "s.c", NULL));
	assert_false(source_text_stale(&text, "s.c"));
	assert_int_equal(utime("s.c", &later), 0);
	assert_true(source_text_stale(&text, "s.c"));
}

/* ---- the editor's command ---- */

static void assert_words(const char *text, const char *const *want)
{
	struct editor_words words;
	struct err err = ERR_INIT;
	size_t n = 0;

	assert_true(editor_split(&words, text, &err));
	for (; want[n]; n++) {
		assert_true(n < words.words.n);
		assert_string_equal(words.words.data[n], want[n]);
	}
	assert_int_equal(words.words.n, n);
	editor_words_fini(&words);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

TEST(words_as_a_shell_splits_them)
{
	struct editor_words words;
	struct err err = ERR_INIT;

	assert_words("vi", WORDS("vi"));
	assert_words("  emacs   -nw\t-q ", WORDS("emacs", "-nw", "-q"));
	assert_words("'/opt/my editor/ed' -x", WORDS("/opt/my editor/ed", "-x"));
	assert_words("ed \"a b\"'c d'e", WORDS("ed", "a bc de"));
	assert_words("ed a\\ b \"\\\"\\n\" '\\'", WORDS("ed", "a b", "\"\\n", "\\"));
	/* Nothing is carried out. */
	assert_words("vi; rm -rf $HOME `id` >x", WORDS("vi;", "rm", "-rf", "$HOME", "`id`", ">x"));
	assert_words("ed ''", WORDS("ed", ""));
	assert_false(editor_split(&words, "ed 'open", &err));
	assert_non_null(strstr(err.text, "a quote is not closed"));
}

TEST(which_editor)
{
	static const struct {
		const char *visual, *editor, *want;
	} cases[] = {
		{ "emacs -nw", "nano", "emacs" },
		{ NULL, "nano", "nano" },
		{ "", "nano", "nano" },
		{ "  ", NULL, "vi" },
		{ NULL, NULL, "vi" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct editor_words words;
		unsetenv("VISUAL");
		unsetenv("EDITOR");
		if (cases[i].visual)
			setenv("VISUAL", cases[i].visual, 1);
		if (cases[i].editor)
			setenv("EDITOR", cases[i].editor, 1);
		assert_true(editor_words(&words, NULL));
		assert_string_equal(words.words.data[0], cases[i].want);
		editor_words_fini(&words);
	}
}

TEST(how_editors_end)
{
	static const struct {
		const char *command, *why;
	} cases[] = {
		{ "sh -c 'test $0 = +7 && test \"$1\" = \"a b.c\"'", NULL },
		{ "sh -c 'exit 3'", "the editor sh ended with status 3" },
		{ "sh -c 'kill -9 $$'", "the editor sh was ended by signal 9" },
		{ "no-such-editor-here", "the editor no-such-editor-here cannot be started" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct editor_words words;
		struct err err = ERR_INIT;
		assert_true(editor_split(&words, cases[i].command, &err));
		assert_int_equal(editor_run(&words, "a b.c", 7, 0, &err), !cases[i].why);
		if (cases[i].why && !strstr(err.text, cases[i].why))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].why);
		editor_words_fini(&words);
	}
}
