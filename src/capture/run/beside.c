#define _GNU_SOURCE
#include "capture/run/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "capture/run/launch.h"
#include "capture/run/run_list.h"
#include "capture/run/summary.h"

/* ---- two processes ---- */

static bool leave_terminal(int output)
{
	const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);

	/* Its program cannot write to the terminal by another way, nor is it stopped with the
	 * viewer. */
	setsid();
	return none >= 0 && dup2(none, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	       dup2(output, STDERR_FILENO) >= 0;
}

bool beside_fork(struct beside *beside, const char *trace, struct err *err)
{
	int output;

	*beside = (struct beside){ .output = STR_INIT, .file = -1 };
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, STATUS_USAGE,
			       "--live needs a terminal (without one, leave it out and look with "
			       "tview live from another one)");
	str_add_fmt(&beside->output, "%s.out", trace);
	output = open(beside->output.text, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
		      0666);
	beside->file = open(beside->output.text, O_RDONLY | O_CLOEXEC);
	if (output < 0 || beside->file < 0)
		return err_errno(err, STATUS_IO, "%s: cannot be written for the program's output",
				 beside->output.text);
	beside->tvrun = fork();
	if (beside->tvrun < 0)
		return err_errno(err, STATUS_IO, "cannot start a process");
	if (beside->tvrun == 0 && !leave_terminal(output))
		_exit(LAUNCH_FAILED);
	close(output);
	return true;
}

/* ---- the program's output ---- */

/* What has been written since the last time. */
static void show_output(const struct beside *beside)
{
	char text[65536];
	ssize_t n;

	while ((n = read(beside->file, text, sizeof text)) > 0)
		for (ssize_t at = 0, done; at < n; at += done) {
			done = write(STDOUT_FILENO, text + at, (size_t)(n - at));
			if (done < 0)
				return;
		}
}

/* ---- signals ---- */

static void signals_for_us(sigset_t *set)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		sigaddset(set, all[i]);
}

/* Waits for a moment, or a signal, which is passed on; that of a key is not while the viewer has
 * the terminal. */
static void pass_on(const struct beside *beside, const sigset_t *set, bool viewing)
{
	static const struct timespec moment = { 0, 50000000 };
	siginfo_t info;
	const int number = sigtimedwait(set, &info, &moment);

	const bool key = number > 0 && number != SIGHUP && info.si_code > 0;

	if (number > 0 && number != SIGCHLD && !(viewing && key))
		kill(beside->tvrun, number);
}

/* ---- the viewer ---- */

static bool has_begun(const struct tv_file *head, void *context)
{
	(void)context;
	return head->state & TV_INITIALISED;
}

/* There is something to look at. */
static bool can_view(const struct beside *beside)
{
	struct run_list list;
	bool found = false;

	run_list_read(&list);
	for (size_t i = 0; i < list.runs.n; i++)
		found |= list.runs.data[i].tvrun == beside->tvrun &&
			 run_folder_any(list.runs.data[i].folder.text, has_begun, NULL);
	run_list_fini(&list);
	return found;
}

static void become_viewer(const struct beside *beside, const sigset_t *before)
{
	char self[PATH_MAX] = "";
	OWNED_STR tview = STR_INIT, run = STR_INIT;
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = '\0';
	str_add_fmt(&tview, "%.*s/tview", n > 0 ? (int)(strrchr(self, '/') - self) : 0, self);
	str_add_fmt(&run, "%ld", (long)beside->tvrun);
	sigprocmask(SIG_SETMASK, before, NULL);
	execl(tview.text, "tview", "live", run.text, (char *)NULL);
	print_line("%s: cannot be run: %s", tview.text, strerror(errno));
	_exit(LAUNCH_FAILED);
}

/* Has the process ended? One that the user has stopped takes this one with it. */
static bool has_ended(pid_t pid, int *status)
{
	if (waitpid(pid, status, WNOHANG | WUNTRACED) != pid)
		return false;
	if (!WIFSTOPPED(*status))
		return true;
	raise(SIGSTOP);
	return false;
}

/* Shows the views until the user leaves them; true with the program's status if it ended. */
static bool view(struct beside *beside, const sigset_t *set, const sigset_t *before, int *status)
{
	const pid_t viewer = fork();
	int ignored;
	bool ended = false;

	if (viewer == 0)
		become_viewer(beside, before);
	beside->anything = true;
	while (viewer > 0 && !has_ended(viewer, &ignored)) {
		pass_on(beside, set, true);
		ended = ended || waitpid(beside->tvrun, status, WNOHANG) == beside->tvrun;
	}
	if (!ended)
		print_line("the program goes on; tview live %ld looks again, Ctrl-C ends it",
			   (long)beside->tvrun);
	return ended;
}

/* ---- all ---- */

int beside_show(struct beside *beside)
{
	sigset_t set, before;
	int status = 0;
	bool ended = false;

	signals_for_us(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	while (!ended) {
		if (!beside->anything && can_view(beside))
			ended = view(beside, &set, &before, &status);
		else
			pass_on(beside, &set, false);
		ended = ended || waitpid(beside->tvrun, &status, WNOHANG) == beside->tvrun;
		show_output(beside);
	}
	if (!beside->anything)
		print_line("the program ended before there was anything to look at");
	print_line("the output of the program is also in %s", beside->output.text);
	close(beside->file);
	str_fini(&beside->output);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
