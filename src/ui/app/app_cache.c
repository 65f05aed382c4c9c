/* Cache files of the interactive program. One is written once the first screen is drawn and
 * everything on it is analysed, at the latest when the program ends. If a damaged piece of one is
 * read, the program starts again without it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/cache/cache.h"
#include "ui/app/application.h"
#include "ui/options/correcting.h"

static const char again[] = "TVIEW_CACHE_WAS_DAMAGED";

/* ---- writing ---- */

void app_cache_begin(struct app *app)
{
	if (app->cache.begun)
		return;
	app->cache.begun = true;
	app->cache.fd = cache_write_behind(app->session.trace, correcting_prepare);
}

void app_cache_told(struct app *app)
{
	char why[256];
	const ssize_t n = read(app->cache.fd, why, sizeof why - 1);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		why[n] = '\0';
		session_notice(&app->session, false, "no cache file: %s", why);
		app->dirty = true;
	}
	app_cache_close(app);
}

void app_cache_close(struct app *app)
{
	if (app->cache.fd >= 0)
		close(app->cache.fd);
	app->cache.fd = -1;
}

/* ---- damage ---- */

/* Everything a restart needs, made in advance: a signal handler cannot allocate. */
struct app_restart {
	char *words; /* of the command line, each with its NUL */
	VEC(char *) argv;
	VEC(char *) env; /* the last but one is of the mark */
	/* Tells the new start why, and in further lines which traces were open. Replaced whole, as
	 * any thread may restart. */
	_Atomic(char *) mark;
	char *before; /* the one that was replaced, which a handler may still read */
};

static void read_command_line(struct app_restart *r)
{
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 4096;
	ssize_t got = 0;

	r->words = xmalloc(room + 1);
	while (fd >= 0 && (got = read(fd, r->words + n, room - n)) > 0) {
		n += (size_t)got;
		if (n == room)
			r->words = xrealloc(r->words, (room *= 2) + 1);
	}
	if (fd >= 0)
		close(fd);
	r->words[n] = '\0';
	for (size_t at = 0; at < n; at += strlen(r->words + at) + 1)
		vec_push(&r->argv, r->words + at);
	vec_push(&r->argv, NULL);
}

struct app_restart *app_restart_new(void)
{
	struct app_restart *r = xcalloc(1, sizeof *r);

	read_command_line(r);
	for (char **e = environ; *e; e++)
		if (strncmp(*e, again, sizeof again - 1) != 0)
			vec_push(&r->env, *e);
	vec_push(&r->env, NULL);
	vec_push(&r->env, NULL);
	app_restart_keep(r, NULL, 0);
	return r;
}

/* What has no room, or a line break, would not come back whole. */
void app_restart_keep(struct app_restart *r, const char *const *paths, size_t n)
{
	enum { MOST = 100000 };
	struct str mark = STR_INIT;

	str_add_fmt(&mark, "%s=1", again);
	for (size_t i = 0; i < n; i++)
		if (!strchr(paths[i], '\n') && mark.n + strlen(paths[i]) < MOST)
			str_add_fmt(&mark, "\n%s", paths[i]);
	free(r->before);
	r->before = atomic_exchange(&r->mark, str_take(&mark));
}

char *app_restart_kept(void)
{
	const char *mark = getenv(again), *paths = mark ? strchr(mark, '\n') : NULL;

	return paths ? xstrdup(paths + 1) : NULL;
}

void app_restart_free(struct app_restart *r)
{
	free_all(r->words, r->before, atomic_load(&r->mark));
	vec_fini(&r->argv);
	vec_fini(&r->env);
	free(r);
}

/* Runs in a signal handler, on any thread. */
void app_restart(void *context)
{
	struct app_restart *r = context;
	sigset_t none;

	signals_free_terminal();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	r->env.data[r->env.n - 2] = atomic_load(&r->mark);
	execve("/proc/self/exe", r->argv.data, r->env.data);
	_exit(STATUS_IO);
}

static bool others_are_unchanged(const struct other *other)
{
	bool unchanged = true;

	for (unsigned i = 0; other && i < other->n && unchanged; i++)
		unchanged = !other->all[i].trace || trace_is_unchanged(other->all[i].trace, NULL);
	return unchanged;
}

void app_cache_look(const struct app *app)
{
	if (!app->cache.restart || !app->has_session ||
	    (trace_is_unchanged(app->session.trace, NULL) &&
	     others_are_unchanged(app->session.other)))
		return;
	for (unsigned i = 0; i < app_trace_count(app); i++)
		if (app_trace(app, i)->has_session && !app_trace(app, i)->options->no_state)
			app_state_save(app_trace(app, i));
	app_restart(app->cache.restart);
}

void app_cache_notice(struct app *app)
{
	const char *notice = cache_notice(app->session.trace);

	if (!notice && getenv(again))
		notice = CACHE_DAMAGE_NOTICE;
	unsetenv(again);
	if (notice)
		session_notice(&app->session, false, "%s", notice);
}
