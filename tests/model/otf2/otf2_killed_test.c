/* What a process leaves that is killed while it writes an archive, the next one removes; not what a
 * process still writes. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/files.h"
#include "harness/sample_trace.h"
#include "harness/test.h"
#include "model/formats/save.h"

static bool end_by_signal(void *context, const char *what, uint64_t done, uint64_t all)
{
	(void)what;
	(void)done;
	(void)all;
	raise(*(const int *)context);
	return true;
}

/* A process that gets a signal in the middle of an archive. */
static pid_t write_until(struct trace *trace, const char *path, int signal)
{
	const struct progress progress = { .step = end_by_signal, .context = &signal };
	const pid_t child = fork();
	struct err err = ERR_INIT;
	int status = 0;

	assert_true(child >= 0);
	if (child == 0) {
		trace_save(trace, SAVE_OTF2, path, NULL, NULL, &progress, &err);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(signal == SIGKILL ? WIFSIGNALED(status) : WIFSTOPPED(status));
	return child;
}

static void save(struct trace *trace, const char *path)
{
	struct err err = ERR_INIT;

	assert_true(trace_save(trace, SAVE_OTF2, path, NULL, NULL, NULL, &err));
}

static size_t count(const char *folder)
{
	OWNED_STR names = STR_INIT;
	size_t n = 0;

	command_read(&names, "ls -A '%s'", folder);
	for (size_t i = 0; i < names.n; i++)
		n += names.text[i] == '\n';
	return n;
}

enum { ARCHIVE = 3 /* a.otf2, a.def, a */ };

TEST(a_folder_that_was_left_is_removed)
{
	OWNED_TRACE *trace = sample_trace(2, 2);
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;

	folder_make(folder, "otf2");
	str_add_fmt(&path, "%s/a.otf2", folder);
	write_until(trace, path.text, SIGKILL);
	write_until(trace, path.text, SIGKILL);
	/* The second one has removed what the first one left. */
	assert_int_equal(count(folder), 1);
	save(trace, path.text);
	assert_int_equal(count(folder), ARCHIVE);
	folder_remove(folder);
}

TEST(a_folder_in_use_stays)
{
	OWNED_TRACE *trace = sample_trace(2, 2);
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT;
	pid_t writer;

	folder_make(folder, "otf2");
	str_add_fmt(&path, "%s/a.otf2", folder);
	writer = write_until(trace, path.text, SIGSTOP);
	save(trace, path.text);
	assert_int_equal(count(folder), ARCHIVE + 1);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	save(trace, path.text);
	assert_int_equal(count(folder), ARCHIVE);
	folder_remove(folder);
}

/* Names alike are not enough. */
TEST(a_folder_of_others_stays)
{
	OWNED_TRACE *trace = sample_trace(2, 2);
	char folder[FOLDER_NAME];
	OWNED_STR path = STR_INIT, out = STR_INIT;

	folder_make(folder, "otf2");
	str_add_fmt(&path, "%s/a.otf2", folder);
	assert_int_equal(command_read(&out, "mkdir '%s/.a.backup' '%s/.a.abcdef'", folder, folder),
			 0);
	/* Parts of an archive that were moved away. */
	assert_int_equal(command_read(&out,
				      "mkdir '%s/.a.abcdef/new' '%s/.a.abcdef/old' && "
				      "touch '%s/.a.abcdef/old/a.otf2'",
				      folder, folder, folder),
			 0);
	save(trace, path.text);
	assert_int_equal(count(folder), ARCHIVE + 2);
	folder_remove(folder);
}
