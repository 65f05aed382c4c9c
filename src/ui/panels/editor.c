#define _GNU_SOURCE /* posix_spawn_file_actions_addclosefrom_np */
#include "ui/panels/editor.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory_bound.h"
#include "base/str.h"

/* ---- words ---- */

/* Takes a word at *p and moves *p past it. False: a quote is open. */
static bool take_word(const char **p, struct str *word)
{
	char quote = '\0';
	const char *c = *p;

	for (; *c && (quote || !strchr(" \t\n", *c)); c++) {
		if (quote ? *c == quote : (*c == '"' || *c == '\'')) {
			quote = quote ? '\0' : *c;
		} else if (*c == '\\' && quote != '\'' && c[1]) {
			/* In double quotes a backslash only escapes special characters. */
			if (quote && !strchr("\"\\$`", c[1]))
				str_add_char(word, *c);
			str_add_char(word, *++c);
		} else {
			str_add_char(word, *c);
		}
	}
	*p = c;
	return !quote;
}

bool editor_split(struct editor_words *words, const char *text, struct err *err)
{
	const char *p = text;

	*words = (struct editor_words){ VEC_INIT };
	for (p += strspn(p, " \t\n"); *p; p += strspn(p, " \t\n")) {
		struct str word = STR_INIT;
		const bool closed = take_word(&p, &word);
		vec_push(&words->words, str_take(&word));
		if (!closed) {
			editor_words_fini(words);
			return err_set(err, STATUS_USAGE,
				       "a quote is not closed in the editor's command: %s", text);
		}
	}
	return true;
}

bool editor_words(struct editor_words *words, struct err *err)
{
	static const char *const variables[] = { "VISUAL", "EDITOR" };

	for (int i = 0; i < 2; i++) {
		const char *text = getenv(variables[i]);
		if (!text)
			continue;
		if (!editor_split(words, text, err))
			return false;
		if (words->words.n)
			return true;
	}
	return editor_split(words, "vi", err);
}

void editor_words_fini(struct editor_words *words)
{
	for (size_t i = 0; i < words->words.n; i++)
		free(words->words.data[i]);
	vec_fini(&words->words);
}

/* ---- running ---- */

/* While the editor has the terminal, tview ignores these signals, except SIGTSTP, which stops
 * both. */
static const int held[] = { SIGINT, SIGQUIT, SIGTSTP };
enum { HELD = sizeof held / sizeof *held };

static void hold(struct sigaction *old)
{
	for (int i = 0; i < HELD; i++) {
		const struct sigaction action = { .sa_handler =
							  held[i] == SIGTSTP ? SIG_DFL : SIG_IGN };
		sigaction(held[i], &action, &old[i]);
	}
}

static void let_go(const struct sigaction *old)
{
	for (int i = 0; i < HELD; i++)
		sigaction(held[i], &old[i], NULL);
}

/* Returns 0 or the error number. */
static int spawn(pid_t *pid, char *const *arguments, int tty)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t defaults, none;
	uint64_t allowed;
	int failed;

	sigfillset(&defaults);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	if (tty != STDIN_FILENO)
		posix_spawn_file_actions_adddup2(&files, tty, STDIN_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	allowed = memory_bound_lift();
	failed = posix_spawnp(pid, arguments[0], &files, &attributes, arguments, environ);
	memory_bound_restore(allowed);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return failed;
}

/* Returns the editor's status; -1: waiting failed. */
static int wait_for(pid_t pid)
{
	int status;

	for (;;) {
		const pid_t got = waitpid(pid, &status, WUNTRACED);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!WIFSTOPPED(status))
			return status;
		/* The editor stopped only itself: give the terminal back to the shell, too. */
		raise(SIGSTOP);
		kill(pid, SIGCONT);
	}
}

static bool judge(int status, const char *name, struct err *err)
{
	if (status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (status >= 0 && WIFSIGNALED(status))
		return err_set(err, STATUS_IO, "the editor %s was ended by signal %d", name,
			       WTERMSIG(status));
	if (status >= 0)
		return err_set(err, STATUS_IO, "the editor %s ended with status %d", name,
			       WEXITSTATUS(status));
	return err_errno(err, STATUS_IO, "cannot wait for the editor %s", name);
}

bool editor_run(const struct editor_words *words, const char *path, uint32_t line, int tty,
		struct err *err)
{
	struct sigaction old[HELD];
	OWNED_VEC(char *) arguments = VEC_INIT;
	const char *name = words->words.data[0];
	char place[16];
	pid_t pid;
	int failed, status = 0;

	assert(words->words.n && path[0] != '-');
	for (size_t i = 0; i < words->words.n; i++)
		vec_push(&arguments, words->words.data[i]);
	snprintf(place, sizeof place, "+%u", line);
	if (line)
		vec_push(&arguments, place);
	vec_push(&arguments, (char *)(uintptr_t)path);
	vec_push(&arguments, NULL);
	hold(old);
	failed = spawn(&pid, arguments.data, tty);
	if (!failed)
		status = wait_for(pid);
	let_go(old);
	errno = failed;
	if (failed)
		return err_errno(err, STATUS_IO,
				 "the editor %s cannot be started ($VISUAL or $EDITOR names "
				 "another)",
				 name);
	return judge(status, name, err);
}
