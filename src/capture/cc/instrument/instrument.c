#define _GNU_SOURCE /* memmem, pipe2 */
#include "capture/cc/instrument/instrument.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/cc/instrument/instrument_unit.h"

/* What the child writes: this, the text, the sites, their strings; or where it failed the sentence
 * alone. */
struct answer {
	bool parsed;
	uint64_t text, sites, strings;
	uint32_t probes;
	uint32_t kinds[TV_SITE_COMMUNICATION + 1];
};

static bool write_all(int fd, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		const ssize_t n = write(fd, from, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		size -= (size_t)n;
	}
	return true;
}

static void limit(int what, rlim_t most)
{
	struct rlimit old;

	if (getrlimit((__rlimit_resource_t)what, &old) != 0)
		return;
	if (old.rlim_max != RLIM_INFINITY && most > old.rlim_max)
		most = old.rlim_max;
	setrlimit((__rlimit_resource_t)what, &(struct rlimit){ most, old.rlim_max });
}

/* Deep expressions need stack, and libclang may do anything with damaged text. */
static void limit_child(const struct instrument_options *options)
{
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	limit(RLIMIT_STACK, (rlim_t)100 << 20);
	limit(RLIMIT_CPU, options->seconds ? options->seconds : 600);
	limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__)
	limit(RLIMIT_AS, (rlim_t)8 << 30);
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
#endif
	if (nowhere >= 0)
		dup2(nowhere, STDOUT_FILENO);
	setenv("LIBCLANG_NOTHREADS", "1", 1); /* its threads have small stacks */
	clang_toggleCrashRecovery(0);
}

static void child(struct instrument_unit *unit, int fd)
{
	struct answer answer = { 0 };
	struct err err = ERR_INIT;
	struct str text = STR_INIT;
	bool written;

	limit_child(unit->options);
	unit_string(unit, "");
	answer.parsed = unit_parse(unit, &err);
	if (answer.parsed) {
		unit_write(unit, &text);
		answer.text = text.n;
		answer.sites = unit->sites.n;
		answer.strings = unit->strings.n;
		answer.probes = unit->probes;
		memcpy(answer.kinds, unit->kinds, sizeof answer.kinds);
	}
	written = write_all(fd, &answer, sizeof answer);
	if (answer.parsed)
		written =
			written && write_all(fd, text.text, text.n) &&
			write_all(fd, unit->sites.data, unit->sites.n * sizeof *unit->sites.data) &&
			write_all(fd, unit->strings.text, unit->strings.n);
	_exit(written ? 0 : 1);
}

static void read_all(int fd, struct str *out)
{
	char buffer[65536];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			str_add_n(out, buffer, (size_t)n);
}

/* Lists the sites that were not instrumented. */
static void list_excluded(struct instrument_result *result, const struct tv_site *sites,
			  size_t count)
{
	VEC(struct instrument_excluded) list = VEC_INIT;

	for (size_t i = 0; i < count; i++) {
		if (!(sites[i].flags & (TV_SITE_ALONE | TV_SITE_UNTIMED)))
			continue;
		struct instrument_excluded *excluded = vec_add(&list);
		excluded->kind = sites[i].kind;
		excluded->counted = !(sites[i].flags & TV_SITE_ALONE);
		excluded->line = sites[i].line;
		excluded->column = sites[i].column;
		excluded->file = result->strings + sites[i].file;
		excluded->name = result->strings + sites[i].name;
		excluded->reason = result->strings + sites[i].reason;
	}
	result->excluded = list.data;
	result->excluded_count = list.n;
}

static bool take_answer(const struct str *in, int status, struct instrument_result *result,
			struct err *err)
{
	struct answer answer;

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return err_set(err, STATUS_IO, "libclang takes too long");
	if (WIFSIGNALED(status))
		return err_set(err, STATUS_IO, "libclang was ended by signal %d (%s)",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || in->n < sizeof answer)
		return err_set(err, STATUS_IO, "libclang gave up");
	memcpy(&answer, in->text, sizeof answer);
	if (!answer.parsed)
		return err_set(err, STATUS_IO, "libclang cannot parse it");
	const char *at = in->text + sizeof answer;
	result->text = xmalloc(answer.text + 1);
	memcpy(result->text, at, answer.text);
	result->text[answer.text] = '\0';
	result->size = answer.text;
	at += answer.text;
	OWNED struct tv_site *sites = xcalloc(answer.sites + 1, sizeof *sites);
	memcpy(sites, at, answer.sites * sizeof *sites);
	at += answer.sites * sizeof *sites;
	result->strings = xmalloc(answer.strings);
	memcpy(result->strings, at, answer.strings);
	result->sites = (uint32_t)answer.sites;
	result->probes = answer.probes;
	memcpy(result->kinds, answer.kinds, sizeof result->kinds);
	list_excluded(result, sites, answer.sites);
	return true;
}

bool instrument(const char *text, size_t size, const struct instrument_options *options,
		struct instrument_result *result, struct err *err)
{
	struct instrument_options with = *options;
	struct instrument_unit unit = { .text = { text, (uint32_t)size,
						  options->language == INSTRUMENT_CXX },
					.options = &with };
	char directory[PATH_MAX];
	OWNED_STR in = STR_INIT;
	int ends[2];
	int status = 0;

	memset(result, 0, sizeof *result);
	if (size > UINT32_MAX / 2)
		return err_set(err, STATUS_IO, "too large for libclang (%zu bytes)", size);
	if (!with.directory && getcwd(directory, sizeof directory))
		with.directory = directory;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_errno(err, STATUS_IO, "cannot make a pipe");
	str_init(&unit.strings);
	str_init(&unit.snippets);
	const pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		child(&unit, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return err_errno(err, STATUS_IO, "cannot start a process");
	}
	read_all(ends[0], &in);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return take_answer(&in, status, result, err);
}

void instrument_free(struct instrument_result *result)
{
	free_all(result->text, result->excluded, result->strings);
	memset(result, 0, sizeof *result);
}
