/* Opening and closing. Several traces may be open, each a struct app of its own that stays as it is
 * while another one is in front: loaded, with its views and what they have computed. They share the
 * terminal, settings and keys. Only the one in front is drawn and gets keys; threads of others
 * (loading, analyses) go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ui/app/application.h"

enum { TRACES_MOST = 32 };

struct traces {
	VEC(struct app *) all; /* owned; from left to right */
	unsigned front, next;  /* `next`: the one to come in front */
	bool end;              /* of all */
	struct signals signals;
	struct screen *screen;
	const struct app_options *options;
	const struct load_options *load;
	struct app_restart *restart; /* restarts the program if a cache file is damaged */
};

/* ---- one of several ---- */

bool app_leaves(const struct app *app)
{
	return app->quit || (app->traces && app->traces->next != app->traces->front);
}

void app_end(struct app *app)
{
	app->quit = true;
	if (app->traces)
		app->traces->end = true;
}

unsigned app_trace_count(const struct app *app)
{
	return app->traces ? (unsigned)app->traces->all.n : 1;
}

const struct app *app_trace(const struct app *app, unsigned i)
{
	return app->traces ? app->traces->all.data[i] : app;
}

void app_show_trace(struct app *app, unsigned i)
{
	app->traces->next = i;
}

void app_act_next_trace(struct app *app, int by)
{
	const unsigned n = app_trace_count(app);
	OWNED_STR key = STR_INIT;

	if (n > 1) {
		app_show_trace(app, (app->traces->front + n + (unsigned)by) % n);
	} else if (app->has_session) {
		bindings_add_key(app->options->bindings, ACTION_COMMAND, &key);
		session_notice(&app->session, false,
			       "only one trace is open; %s open PATH opens another one beside it",
			       key.text);
	}
}

static bool works(const struct app *app)
{
	const struct analyses *analyses = app->has_session ? app->session.analyses : NULL;

	return app->load.panel || (analyses && analyses_state(app->session.analyses).busy);
}

bool app_others_work(const struct app *app)
{
	for (unsigned i = 0; i < app_trace_count(app); i++)
		if (app_trace(app, i) != app && works(app_trace(app, i)))
			return true;
	return false;
}

/* Of a trace that was opened beside another one, the choice of times, ranks and place on the
 * command line does not count. */
struct options app_given(const struct app *app)
{
	struct options o = *settings_options(app->options->settings);

	if (!app->beside)
		return o;
	o.time = o.ranks = o.filter = o.at = o.rank = o.event = o.baseline = o.iteration = NULL;
	o.topology = o.base = o.job_trace = NULL;
	o.diff = false;
	o.args = (char *const *)&app->path;
	o.n_args = 1;
	o.reading.n_files = 0;
	for (const struct option_info *row = option_table(); row->name; row++)
		if (row->group == OPTIONS_CHOICE && !(row->verbs & OPTION_SETTING))
			o.given[row - option_table()] = NULL;
	return o;
}

/* ---- opening ---- */

static struct app *new_app(struct traces *traces, const char *path)
{
	struct app *app = xcalloc(1, sizeof *app);
	int w, h;

	app->traces = traces;
	app->signals = &traces->signals;
	app->screen = traces->screen;
	app->own = *traces->options;
	app->own.no_state |= load_is_tutor(path);
	app->options = &app->own;
	app->err = &app->failure;
	app->cache.fd = -1;
	app->path = xstrdup(path);
	app->load.source = app->path;
	app->load.options = *traces->load;
	app->load.options.cache_damaged = app_restart;
	app->load.options.cache_context = traces->restart;
	app->cache.restart = traces->restart;
	app->views = xcalloc(app->options->views->n, sizeof *app->views);
	screen_size(app->screen, &w, &h);
	canvas_init(&app->canvas, w, h, screen_ascii(app->screen));
	app->dirty = true;
	return app;
}

/* Shows all of a trace: the choice on the command line is about the first one. */
static struct app *new_beside(struct traces *traces, const char *path)
{
	struct app *app = new_app(traces, path);

	app->beside = true;
	app->load.options.part = (struct load_part){ 0 };
	app->load.options.as = NULL;
	app->own.view = NULL;
	app->own.notice = NULL;
	app->own.others = NULL;
	app->own.n_others = 0;
	app->own.look_ms = 0;
	app->own.job_trace = NULL;
	app->own.no_state = load_is_tutor(path);
	return app;
}

/* The number of the open trace of that file or name; app_trace_count() without. */
static unsigned find(const struct app *app, const char *path)
{
	OWNED char *real = realpath(path, NULL);
	unsigned i = 0;

	for (; i < app_trace_count(app); i++) {
		const char *other = app_trace(app, i)->path;
		OWNED char *real_other = realpath(other, NULL);
		if (strcmp(real && real_other ? real : path,
			   real && real_other ? real_other : other) == 0)
			break;
	}
	return i;
}

/* Puts a trace after the one in front, and in front itself. */
static void insert(struct app *app, struct app *beside)
{
	struct traces *t = app->traces;
	const unsigned at = t->front + 1;

	(void)vec_add(&t->all);
	memmove(&t->all.data[at + 1], &t->all.data[at], (t->all.n - 1 - at) * sizeof *t->all.data);
	t->all.data[at] = beside;
	app_show_trace(app, at);
}

static void free_app(struct app *app);

bool app_open_beside(struct app *app, const char *path, struct err *err)
{
	const unsigned open = find(app, path);
	struct app *beside;
	bool ok;

	if (open < app_trace_count(app)) {
		app_show_trace(app, open);
		return true;
	}
	if (load_is_live(path))
		return err_set(err, STATUS_USAGE,
			       "a job that runs has a screen of its own: tview live");
	if (app_trace_count(app) == TRACES_MOST)
		return err_set(err, STATUS_USAGE, "%d traces are open; close one first",
			       TRACES_MOST);
	beside = new_beside(app->traces, path);
	ok = app_begin_loading(beside);
	if (!ok)
		err_set(err, beside->failure.status, "%s", beside->failure.text);
	if (ok)
		insert(app, beside);
	else
		free_app(beside);
	return ok;
}

/* ---- closing ---- */

/* Keeps what is kept of a trace. Returns the errno of a failure that loses marks, else 0. */
static int end_session(struct app *app)
{
	int unsaved = 0;

	if (app->has_session && app->views[app->view].panel && !app->options->no_state) {
		session_compare_end(&app->session);
		unsaved = app_state_save(app);
	}
	app_prompt_close(app);
	app_live_end(app);
	panel_free(app->overlay);
	app->overlay = NULL;
	for (unsigned i = 0; i < app->options->views->n; i++)
		panel_free(app->views[i].panel);
	free(app->views);
	app->views = NULL;
	if (app->has_session) {
		analyses_free(app->session.analyses);
		app->session.analyses = NULL;
	}
	return unsaved;
}

/* Only without other threads can the process fork safely. */
static void end_cache(struct app *app)
{
	if (app->has_session && !app_others_work(app))
		app_cache_begin(app);
	if (app->has_session)
		session_fini(&app->session);
	app->has_session = false;
}

static void free_app(struct app *app)
{
	for (int i = 0; i < PROMPT_KINDS; i++)
		history_fini(&app->line.histories[i]);
	app_paths_free(app->line.paths);
	vec_fini(&app->stack);
	vec_fini(&app->jumps.list);
	vec_fini(&app->typed);
	vec_fini(&app->load.ahead);
	canvas_fini(&app->canvas);
	app_cache_close(app);
	panel_free(app->load.panel);
	other_free(app->load.other);
	free(app->views);
	free(app->path);
	free(app);
}

static void warn_unsaved(int unsaved)
{
	if (unsaved)
		fprintf(stderr, "tview: warning: marks were not saved: %s\n", strerror(unsaved));
}

/* Closes the trace in front; the one to its left comes there. */
static void close_front(struct traces *t)
{
	struct app *app = t->all.data[t->front], *now;
	const int unsaved = end_session(app);
	const unsigned left = t->front ? t->front - 1 : 0;

	end_cache(app);
	t->all.n--;
	memmove(&t->all.data[t->front], &t->all.data[t->front + 1],
		(t->all.n - t->front) * sizeof *t->all.data);
	t->front = t->next = left;
	now = t->all.data[left];
	now->dirty = true;
	now->has_bound |= app->has_bound;
	if (now->has_session && err_is_set(&app->failure))
		session_notice(&now->session, true, "%s", app->failure.text);
	else if (now->has_session && unsaved)
		session_notice(&now->session, true, "marks were not saved: %s", strerror(unsaved));
	free_app(app);
}

/* The terminal is given back before threads that load are waited for. */
static void close_all(struct traces *t)
{
	int unsaved = 0;

	for (size_t i = 0; i < t->all.n; i++) {
		const int failure = end_session(t->all.data[i]);
		unsaved = failure ? failure : unsaved;
	}
	for (size_t i = 0; i < t->all.n; i++)
		end_cache(t->all.data[i]);
	screen_close(t->screen);
	signals_close(&t->signals);
	warn_unsaved(unsaved);
	for (size_t i = 0; i < t->all.n; i++)
		free_app(t->all.data[i]);
	vec_fini(&t->all);
}

/* ---- the program ---- */

/* Keys that were typed and commands that were not run yet go on with the next one. */
static void change_front(struct traces *t)
{
	struct app *old = t->all.data[t->front], *now = t->all.data[t->next];

	for (size_t i = 0; i < old->typed.n; i++)
		vec_push(&now->typed, old->typed.data[i]);
	old->typed.n = 0;
	now->commands_run = old->commands_run;
	now->dirty = true;
	t->front = t->next;
}

/* What a restart opens again: those that were opened beside another one, and the one in front. */
static void keep_open(const struct traces *t)
{
	OWNED_VEC(const char *) paths = VEC_INIT;

	for (size_t i = 0; i < t->all.n; i++)
		if (t->all.data[i]->beside)
			vec_push(&paths, t->all.data[i]->path);
	if (paths.n)
		vec_push(&paths, t->all.data[t->front]->path);
	app_restart_keep(t->restart, paths.data, paths.n);
}

/* Opens what was open when the program restarted itself; the last one comes in front. */
static void open_kept(struct traces *t)
{
	OWNED char *lines = app_restart_kept();
	char *rest = lines;
	struct err err = ERR_INIT;

	for (char *path; (path = strsep(&rest, "\n"));) {
		if (*path && app_open_beside(t->all.data[t->front], path, &err))
			t->front = t->next;
		err = (struct err)ERR_INIT;
	}
}

bool app_open(const char *path, const struct load_options *load, const struct app_options *options,
	      struct err *err)
{
	struct traces t = { .options = options, .load = load };
	struct err failure = ERR_INIT;
	struct app *app;

	if (!signals_open(&t.signals, err))
		return false;
	t.screen = screen_open(&options->screen, &t.signals, err);
	if (!t.screen) {
		signals_close(&t.signals);
		return false;
	}
	t.restart = app_restart_new();
	vec_push(&t.all, new_app(&t, path));
	app = t.all.data[0];
	app->quit = !app_begin_loading(app);
	if (!app->quit)
		open_kept(&t);
	while (!t.end && !err_is_set(&failure)) {
		keep_open(&t);
		app = t.all.data[t.front];
		app_loop(app);
		if (!app->quit && t.next != t.front && !err_is_set(&app->failure))
			change_front(&t);
		else if (!t.end && t.all.n > 1)
			close_front(&t);
		else {
			failure = app->failure;
			break;
		}
	}
	close_all(&t);
	app_restart_free(t.restart);
	return failure.status == 0 || err_set(err, failure.status, "%s", failure.text);
}

bool app_run(struct trace *trace, struct corrections *corrections, struct other *other,
	     const struct app_options *options, struct err *err)
{
	enum { W = 80, H = 24 };
	struct app *app = xcalloc(1, sizeof *app);
	struct err failure;

	app->own = *options;
	app->options = &app->own;
	app->err = &app->failure;
	app->path = xstrdup(trace_path(trace));
	app->load.other = other;
	app->views = xcalloc(options->views->n, sizeof *app->views);
	canvas_init(&app->canvas, W, H, options->screen.ascii);
	app->cache.fd = -1;
	app->cache.begun = true; /* the caller does it */
	app_run_all(app, trace, corrections);
	failure = app->failure;
	warn_unsaved(end_session(app));
	end_cache(app);
	free_app(app);
	return failure.status == 0 || err_set(err, failure.status, "%s", failure.text);
}
