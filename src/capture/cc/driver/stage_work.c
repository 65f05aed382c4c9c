#include "capture/cc/driver/stage_work.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/notice.h"
#include "capture/cc/driver/unit_note.h"

pid_t program_start(const struct words *argv, int in, int out, int say)
{
	const int fds[3] = { in, out, say };
	const pid_t parent = getpid(), child = fork();

	if (child == 0) {
		/* If this process is killed, the program that it started must end, too. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		for (int i = 0; i < 3; i++) {
			if (fds[i] >= 0)
				dup2(fds[i], i);
		}
		execvp(argv->list.data[0], argv->list.data);
		dprintf(2, "%s: %s\n", argv->list.data[0], strerror(errno));
		_exit(EXIT_FAILURE);
	}
	return child;
}

int program_wait(pid_t child)
{
	int status;

	if (child < 0)
		return EXIT_FAILURE << 8;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return EXIT_FAILURE << 8;
	}
	return status;
}

int program_run(const struct words *argv, int in, int out, int say)
{
	return program_wait(program_start(argv, in, out, say));
}

bool program_succeeded(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool stage_silent(struct stage_work *run, struct words *argv, int in, int out)
{
	int status;

	memory_empty(run->said);
	if (in >= 0)
		memory_rewind(in);
	if (run->out >= 0)
		memory_empty(run->out);
	status = program_run(argv, in, out, run->said);
	words_fini(argv);
	return program_succeeded(status);
}

int stage_as_it_is(struct stage_work *run)
{
	if (run->input >= 0) {
		memory_rewind(run->input);
		dup2(run->input, 0);
	}
	execvp(run->argv[0], run->argv);
	notice_print("tvcc", "%s: %s", run->argv[0], strerror(errno));
	return EXIT_FAILURE;
}

const char *stage_source(const struct stage_work *run)
{
	return run->argv[run->plan.input];
}

const char *stage_output(const struct stage_work *run)
{
	return run->out >= 0 ? run->output : NULL;
}

void stage_hook_words(const struct stage_work *run, struct words *argv)
{
	stage_hooks(&run->plan, run->argv, stage_output(run), argv);
	if (run->without.n)
		words_add(argv, run->without.text);
}

bool stage_compile_hooks(struct stage_work *run, bool warnings)
{
	struct words argv = WORDS_INIT;

	stage_hook_words(run, &argv);
	if (!warnings)
		words_add(&argv, "-w");
	return stage_silent(run, &argv, run->input, -1);
}

void stage_print(const struct stage_work *run, const char *what)
{
	if (!run->options.quiet)
		notice_print("tvcc", "warning: %s: %s: %s",
			     run->input >= 0 ? "standard input" : stage_source(run), what,
			     run->why.text);
}

bool stage_append(const struct stage_work *run, const char *text, size_t n)
{
	const size_t output = run->plan.output;
	const int fd = run->out >= 0 ? run->out
		       : output      ? open(run->argv[output], O_WRONLY | O_APPEND | O_CLOEXEC)
				     : -1;
	bool ok;

	if (fd < 0)
		return false;
	(void)lseek(fd, 0, SEEK_END);
	ok = write(fd, text, n) == (ssize_t)n;
	if (fd != run->out)
		close(fd);
	return ok;
}

void stage_note(const struct stage_work *run, const char *what)
{
	OWNED_STR reason = STR_INIT, text = STR_INIT;
	char directory[PATH_MAX] = "";

	str_add_fmt(&reason, "%s: %s", what, run->why.text);
	unit_note(&text, stage_source(run), getcwd(directory, sizeof directory) ? directory : "",
		  reason.text);
	(void)stage_append(run, text.text, text.n);
}
