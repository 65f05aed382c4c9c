#include "capture/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "capture/lib/perf_counter.h"
#include "capture/run/choice_list.h"
#include "capture/run/watch.h"

/* ---- libraries and environment ---- */

bool launch_find_library(const char *name, struct str *path, struct err *err)
{
	if (!path_of_library(path, name))
		return err_set(err, STATUS_IO,
			       "%s: not found (searched %s/lib/tview and %s/../lib/tview)", name,
			       path->text, path->text);
	return !strpbrk(path->text, " :\t") ||
	       err_set(err, STATUS_IO,
		       "%s: cannot be preloaded: a folder in the path has a blank or a colon "
		       "(install tview elsewhere)",
		       path->text);
}

static void join_preload(struct str *out, const char *ours, const char *theirs)
{
	str_add(out, ours);
	if (theirs && *theirs)
		str_add_fmt(out, ":%s", theirs);
}

/* Of receives from any source, and what else depends on time. */
static void order_environment(const struct run_options *options, const char *folder)
{
	OWNED_STR text = STR_INIT;

	setenv("TVIEW_ORDER_CONTROL", options->order_control ? "1" : "0", 1);
	if (options->order_tolerance != UINT64_MAX) {
		str_add_fmt(&text, "%llu", (unsigned long long)options->order_tolerance);
		setenv("TVIEW_ORDER_TOLERANCE_NS", text.text, 1);
	}
	if (options->order)
		setenv("TVIEW_ORDER", "1", 1);
	if (options->replay) {
		str_clear(&text);
		str_add_fmt(&text, "%s/" CHOICE_LIST_FILE, folder);
		setenv("TVIEW_REPLAY", text.text, 1);
		str_clear(&text);
		str_add_fmt(&text, "%llu", (unsigned long long)options->replay_wait);
		setenv("TVIEW_REPLAY_WAIT_NS", text.text, 1);
	}
}

void launch_environment(const struct run_options *options, const char *folder, const char *preload)
{
	static const char *const clocks[] = { "auto", "tsc", "monotonic" };
	OWNED_STR text = STR_INIT;

	join_preload(&text, preload, getenv("LD_PRELOAD"));
	setenv("LD_PRELOAD", text.text, 1);
	str_clear(&text);
	str_add_fmt(&text, "%llu", (unsigned long long)options->buffer_size);
	setenv("TVIEW_BUFFER", text.text, 1);
	str_clear(&text);
	str_add_fmt(&text, "%llu", (unsigned long long)options->max_size);
	setenv("TVIEW_MAX", text.text, 1);
	setenv("TVIEW_DIR", folder, 1);
	setenv("TVIEW_CLOCK", clocks[options->clock], 1);
	if (options->callstack) {
		str_clear(&text);
		str_add_fmt(&text, "%llu", (unsigned long long)options->callstack);
		setenv("TVIEW_CALLSTACK", text.text, 1);
	}
	if (options->sample) {
		str_clear(&text);
		str_add_fmt(&text, "%llu", (unsigned long long)options->sample);
		setenv("TVIEW_SAMPLE", text.text, 1);
	}
	if (options->counters)
		setenv(TV_COUNTERS, options->counted.text, 1);
	if (options->last) {
		str_clear(&text);
		str_add_fmt(&text, "%llu", (unsigned long long)options->last);
		setenv("TVIEW_LAST_NS", text.text, 1);
	}
	setenv("TVIEW_PYTHON", options->no_python ? "off" : options->python ? "path" : "line", 1);
	if (options->rules.n)
		setenv("TVIEW_RULES", options->rules.text, 1);
	setenv("TVIEW_OFF", options->off ? "1" : "0", 1);
	setenv("TVIEW_FUNCTIONS", options->no_functions ? "0" : "1", 1);
	setenv("TVIEW_THREADS", options->no_threads ? "0" : "1", 1);
	setenv("TVIEW_INSITU", options->insitu ? "1" : "0", 1);
	setenv("TVIEW_STATISTICS", options->statistics ? "1" : "0", 1);
	setenv("TVIEW_FORE_MONITOR", options->fore_monitor ? "1" : "0", 1);
	setenv("TVIEW_VIRTUAL_TIME", options->virtual_time ? "1" : "0", 1);
	order_environment(options, folder);
	str_clear(&text);
	str_add_fmt(&text, "%llu", (unsigned long long)options->limit);
	setenv("TVIEW_LIMIT", text.text, 1);
	if (options->probe_delay) {
		str_clear(&text);
		str_add_fmt(&text, "%llu", (unsigned long long)options->probe_delay);
		setenv("TVIEW_PROBE_DELAY_NS", text.text, 1);
	}
	setenv("TVIEW_ANONYMOUS", options->anonymous ? "1" : "0", 1);
	str_clear(&text);
	str_add_fmt(&text, "%ld", (long)getpid());
	setenv("TVIEW_TVRUN", text.text, 1);
}

/* ---- arguments ---- */

#define VARIABLE "LD_PRELOAD"

/* "VARIABLE=value": the same with ours in front; NULL where the word is something else. */
static char *assignment(const char *word, const char *preload)
{
	const size_t n = strlen(VARIABLE);
	struct str out = STR_INIT;

	if (strncmp(word, VARIABLE, n) != 0 || word[n] != '=')
		return NULL;
	str_add(&out, VARIABLE "=");
	join_preload(&out, preload, word + n + 1);
	return str_take(&out);
}

static bool sets_variable(const char *word)
{
	while (*word == '-')
		word++;
	return !strcmp(word, "env") || !strcmp(word, "genv");
}

char **launch_arguments(char **argv, const char *preload)
{
	size_t n = 0;
	char **out;

	while (argv[n])
		n++;
	out = xcalloc(n + 1, sizeof *out);
	for (size_t i = 0; i < n; i++) {
		out[i] = assignment(argv[i], preload);
		if (out[i])
			continue;
		out[i] = xstrdup(argv[i]);
		/* mpiexec -env NAME VALUE */
		if (argv[i][0] == '-' && sets_variable(argv[i]) && i + 2 < n &&
		    !strcmp(argv[i + 1], VARIABLE)) {
			struct str value = STR_INIT;
			join_preload(&value, preload, argv[i + 2]);
			out[i + 1] = xstrdup(argv[i + 1]);
			out[i + 2] = str_take(&value);
			i += 2;
		}
	}
	return out;
}

/* ---- running ---- */

static const int forwarded[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof forwarded / sizeof forwarded[0]; i++)
		sigaddset(set, forwarded[i]);
}

/* Has the child ended? It stays until its status is asked for. */
static bool has_ended(pid_t child)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == child;
}

static int status_of(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return LAUNCH_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A signal that a process sent is passed on; one from the terminal has already reached the
 * child. */
static void pass_on(int signals, pid_t child)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
			kill(child, (int)info.ssi_signo);
}

/* Waits for the child, and notes which ranks end. */
static int wait_for(pid_t child, const sigset_t *set, const char *folder, struct trigger *trigger)
{
	enum { MOMENT = 40 }; /* milliseconds in which a new rank is found */
	const int signals = signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC);
	struct watch *watch = watch_new(folder);

	while (!has_ended(child)) {
		watch_wait(watch, signals, MOMENT);
		trigger_look(trigger, watch, false);
		pass_on(signals, child);
	}
	watch_look(watch);
	trigger_look(trigger, watch, true);
	watch_free(watch);
	if (signals >= 0)
		close(signals);
	return status_of(child);
}

int launch_run(char **argv, const char *folder, struct trigger *trigger, sigset_t *before,
	       struct err *err)
{
	sigset_t set;
	int report[2], failure = 0, status;
	pid_t child;

	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, before);
	if (pipe(report) != 0) {
		err_errno(err, LAUNCH_FAILED, "cannot make a pipe");
		return LAUNCH_FAILED;
	}
	child = fork();
	if (child == 0) {
		close(report[0]);
		/* A descriptor that closes when exec succeeds tells the parent that it did. */
		const int keep = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
		close(report[1]);
		sigprocmask(SIG_SETMASK, before, NULL);
		execvp(argv[0], argv);
		failure = errno;
		if (write(keep, &failure, sizeof failure) < 0)
			_exit(LAUNCH_FAILED);
		_exit(failure == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_RUN);
	}
	close(report[1]);
	if (child < 0) {
		close(report[0]);
		err_errno(err, LAUNCH_FAILED, "cannot start a process");
		return LAUNCH_FAILED;
	}
	if (read(report[0], &failure, sizeof failure) != sizeof failure)
		failure = 0;
	close(report[0]);
	status = wait_for(child, &set, folder, trigger);
	if (failure) {
		errno = failure;
		err_errno(err, status, "%s: cannot be run", argv[0]);
	}
	return status;
}
