#include "ui/mcp/mcp_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIECE = 1 << 16, ERRORS = 4096 };

static bool start(const char *const *argv, int out, int errors, int unused, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	int failed;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, errors, 2);
	posix_spawn_file_actions_addclose(&actions, unused);
	failed = posix_spawn(child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv,
			     environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed == 0;
}

/* False where there is more than fits. */
static bool read_all(int fd, struct str *said)
{
	char piece[PIECE];
	ssize_t n;

	while ((n = read(fd, piece, sizeof piece)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		str_add_n(said, piece, (size_t)n);
		if (said->n > MCP_MOST)
			return false;
	}
	return true;
}

static void add_errors(FILE *errors, struct str *said)
{
	char text[ERRORS];
	size_t n;

	rewind(errors);
	n = fread(text, 1, sizeof text, errors);
	str_add_clean(said, text, n);
}

/* Of the child whose output is read from `from`. */
static bool finish(pid_t child, int from, FILE *errors, struct str *said)
{
	const bool fits = read_all(from, said);
	int status = 0;

	if (!fits)
		kill(child, SIGTERM);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!fits) {
		str_clear(said);
		str_add_fmt(said,
			    "the answer is longer than %d KiB: ask for fewer rows (limit) or "
			    "columns, or for sums",
			    MCP_MOST / 1024);
		return false;
	}
	/* check and --fail-on answer with 1 and 4. */
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || said->n))
		return true;
	str_clear(said);
	add_errors(errors, said);
	return false;
}

bool mcp_run(const char *const *argv, struct str *said)
{
	FILE *errors = tmpfile();
	int ends[2];
	pid_t child;
	bool ok;

	if (!errors || pipe(ends) != 0) {
		str_add(said, "the program could not be run");
		if (errors)
			fclose(errors);
		return false;
	}
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	ok = start(argv, ends[1], fileno(errors), ends[0], &child);
	close(ends[1]);
	if (ok)
		ok = finish(child, ends[0], errors, said);
	else
		str_add(said, "the program could not be run");
	close(ends[0]);
	fclose(errors);
	return ok;
}
