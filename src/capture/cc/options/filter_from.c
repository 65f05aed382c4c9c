#define _GNU_SOURCE
#include "capture/cc/options/filter_from.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/notice.h"
#include "base/path.h"

/* The tview beside this program, else that of PATH. */
static void add_tview(struct str *out)
{
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n > 0) {
		self[n] = '\0';
		str_add_n(out, self, (size_t)(path_name(self) - self));
	}
	str_add(out, "tview");
	if (access(out->text, X_OK) != 0) {
		str_clear(out);
		str_add(out, "tview");
	}
}

static bool run_tview(const char *trace, const char *path, struct err *err)
{
	OWNED_STR tview = STR_INIT;
	int status = 0, code;
	pid_t child;

	add_tview(&tview);
	char *argv[] = { tview.text,
			 (char[]){ "export" },
			 (char[]){ "filter" },
			 (char[]){ "-o" },
			 (char *)(uintptr_t)path,
			 (char[]){ "--" },
			 (char *)(uintptr_t)trace,
			 NULL };
	code = posix_spawnp(&child, tview.text, NULL, NULL, argv, environ);
	if (code) {
		errno = code;
		return err_errno(err, STATUS_IO,
				 "%s: cannot be run to make the rules of --filter-from",
				 tview.text);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_errno(err, STATUS_IO, "cannot wait for tview");
	return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
	       err_set(err, STATUS_IO, "%s: no rules could be made of it for --filter-from", trace);
}

/* Says what the first line says, which is the summary. A trace of which no rules can be made must
 * not look like one that needs none. */
static bool check_made(const char *path, struct err *err)
{
	static const char none[] = "# no rules: ";
	FILE *f = fopen(path, "re");
	char line[512] = "";

	if (f && fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	if (!strncmp(line, none, sizeof none - 1)) {
		unlink(path);
		return err_set(err, STATUS_NO, "the trace of --filter-from is of no use: %s",
			       line + sizeof none - 1);
	}
	notice_print("tvcc", "%s:%s", path, *line ? line + 1 : "");
	return true;
}

bool filter_from_trace(const char *trace, struct str *path, struct err *err)
{
	const int lock = open(trace, O_RDONLY | O_CLOEXEC);
	bool ok = true;

	if (lock < 0)
		return err_errno(err, STATUS_IO, "%s: cannot open the trace of --filter-from",
				 trace);
	str_add_fmt(path, "%s.filter", trace);
	/* make -j compiles many files at once. Where files cannot be locked, each makes it. */
	flock(lock, LOCK_EX);
	if (access(path->text, F_OK) != 0) {
		ok = run_tview(trace, path->text, err) && check_made(path->text, err);
	}
	close(lock);
	return ok;
}
