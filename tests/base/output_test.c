/* Files that appear whole or not at all, also if the process that writes them is killed. */
#define _GNU_SOURCE
#include "base/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/files.h"
#include "harness/test.h"

static void write_text(const char *path, const char *text, bool ok)
{
	struct err err = ERR_INIT;
	struct output out;

	assert_true(output_open(&out, path, NULL, &err));
	fputs(text, out.stream);
	assert_int_equal(output_close(&out, ok, &err), ok);
}

/* Writes so much that some of it is in the file, and is killed. */
static void be_killed(const char *path)
{
	static char text[1 << 20];
	const pid_t child = fork();
	struct err err = ERR_INIT;
	struct output out;
	int status = 0;

	assert_true(child >= 0);
	if (child == 0) {
		memset(text, 'x', sizeof text);
		if (output_open(&out, path, NULL, &err) &&
		    fwrite(text, 1, sizeof text, out.stream) == sizeof text && !fflush(out.stream))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void assert_listing(const char *folder, const char *expected)
{
	OWNED_STR names = STR_INIT;

	command_read(&names, "ls -A '%s'", folder);
	assert_string_equal(names.n ? names.text : "", expected);
}

/* Whether the file system has files without names. */
static bool has_unnamed(const char *folder)
{
	const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

TEST(a_killed_process_leaves_nothing)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT, packed = STR_INIT, text = STR_INIT;

	folder_make(folder, "output");
	if (!has_unnamed(folder)) {
		folder_remove(folder);
		skip();
	}
	str_add_fmt(&path, "%s/a.trc", folder);
	str_add_fmt(&packed, "%s/a.trc.zst", folder);
	be_killed(path.text);
	be_killed(packed.text);
	assert_listing(folder, "");
	/* What was there before stays. */
	write_text(path.text, "before", true);
	be_killed(path.text);
	assert_listing(folder, "a.trc\n");
	file_read(path.text, &text);
	assert_string_equal(text.text, "before");
	folder_remove(folder);
}

TEST(a_file_is_replaced_whole)
{
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT, text = STR_INIT;
	const mode_t mask = umask(027);
	struct stat st;

	folder_make(folder, "output");
	str_add_fmt(&path, "%s/a.txt", folder);
	write_text(path.text, "unfinished", false);
	assert_listing(folder, "");
	write_text(path.text, "one", true);
	write_text(path.text, "two", true);
	write_text(path.text, "unfinished", false);
	umask(mask);
	assert_listing(folder, "a.txt\n");
	file_read(path.text, &text);
	assert_string_equal(text.text, "two");
	/* As creating it would have made it. */
	assert_int_equal(stat(path.text, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	folder_remove(folder);
}

TEST(a_file_in_the_folder_that_one_is_in)
{
	char folder[FOLDER_NAME], before[4096];
	OWNED_STR text = STR_INIT;

	folder_make(folder, "output");
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(folder), 0);
	write_text("b", "here", true);
	file_read("b", &text);
	assert_int_equal(chdir(before), 0);
	assert_string_equal(text.text, "here");
	folder_remove(folder);
}
