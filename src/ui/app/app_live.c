/* Reads the trace of a running job again and again. Each look is a trace, read in a thread like any
 * other, which then replaces the previous one. What is shown stays while the user types, selects or
 * reads an overlay. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "ui/app/application.h"
#include "views/facts/recent_facts.h"

enum {
	LOOKS = 16,     /* kept for the rates */
	LEAST_MS = 125, /* between two looks */
	MOST_MS = 64000,
	SHARE = 4 /* looking takes at most 1/SHARE of a processor */
};

/* The job at its last looks, the latest first. */
struct live_rates {
	unsigned n;
	struct recent_facts looks[LOOKS];
};

static bool is_live(const struct app *app)
{
	return app->has_session && app->options->look_ms && trace_live(app->session.trace);
}

static bool goes_on(const struct app *app)
{
	return is_live(app) && app->looking.every_ms;
}

/* ---- rates ---- */

/* The look to compare the latest one with; NULL: none yet. */
static const struct recent_facts *earlier(const struct live_rates *rates, int64_t second)
{
	unsigned i = 1;

	while (i + 1 < rates->n &&
	       rates->looks[0].end - rates->looks[i].end < RECENT_SECONDS * second)
		i++;
	return i < rates->n ? &rates->looks[i] : NULL;
}

/* While the wait states of the latest look are searched for, the one before has them. */
static const struct recent_facts *latest(const struct live_rates *rates)
{
	const bool before = !rates->looks[0].waiting && rates->n > 1 && rates->looks[1].waiting;

	return &rates->looks[before];
}

static void add_look(struct live_rates *rates, struct session *session)
{
	const struct query query = session_query(session);

	if (rates->n < LOOKS)
		rates->n++;
	for (unsigned i = rates->n - 1; i > 0; i--)
		rates->looks[i] = rates->looks[i - 1];
	recent_facts_make(&rates->looks[0], &query, RECENT_SECONDS);
	session->earlier = earlier(rates, trace_scale(session->trace)->per_second);
}

void app_live_told(struct app *app)
{
	const struct query query = session_query(&app->session);

	if (is_live(app) && app->looking.rates)
		recent_facts_add_waits(&app->looking.rates->looks[0], &query);
}

void app_live_rates(const struct app *app, struct str *out)
{
	const struct live_rates *rates = app->looking.rates;
	const int64_t second = trace_scale(app->session.trace)->per_second;

	if (is_live(app) && rates)
		recent_facts_text(latest(rates), earlier(rates, second), second, out);
}

void app_live_state(const struct app *app, struct str *out)
{
	if (!app->options->look_ms)
		return;
	if (!goes_on(app)) {
		str_add(out, app->looking.shown ? "trace" : "ended");
		return;
	}
	str_add(out, app->looking.held ? "held" : "running");
}

/* ---- the next look ---- */

static void plan(struct app *app, int64_t took)
{
	const int64_t pause =
		took * SHARE > app->looking.every_ms ? took * SHARE : app->looking.every_ms;

	app->looking.due = clock_ms() + pause;
}

void app_live_begin(struct app *app)
{
	if (!app->options->look_ms || app->looking.rates)
		return;
	app->looking.every_ms = app->options->look_ms;
	app->looking.since = time(NULL);
	app->looking.rates = xcalloc(1, sizeof *app->looking.rates);
	add_look(app->looking.rates, &app->session);
	plan(app, 0);
}

void app_live_end(struct app *app)
{
	loader_free(app->looking.loader);
	app->looking.loader = NULL;
	free(app->looking.rates);
	app->looking.rates = NULL;
}

/* Does not replace what the user is typing or reading, nor a look that is still analysed: where
 * that takes longer than a look, the waits would never be seen. */
static bool may_change(const struct app *app)
{
	const struct session *s = &app->session;

	return !app->looking.held && !analyses_state(s->analyses).busy && !app->playing.on &&
	       !app->overlay && !app->line.on && !s->selecting &&
	       s->selection.t0 == s->selection.t1 && !s->comparison.on && !app->typed.n;
}

/* ---- the trace of a job that has ended ---- */

/* Its job has ended, but it is not there yet. */
static bool expects_trace(const struct app *app)
{
	return app->looking.rates && app->options->job_trace && !goes_on(app) &&
	       !*app->looking.trace;
}

static bool is_there(const struct app *app, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_mtime >= app->looking.since;
}

/* tvrun compresses one that is large, which has another name then. */
static void find_trace(struct app *app)
{
	static const char *const forms[] = { "", ".zst" };
	char *path = app->looking.trace;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		snprintf(path, TRACE_BYTES, "%s%s", app->options->job_trace, forms[i]);
		if (is_there(app, path)) {
			session_notice(&app->session, false,
				       "the job has ended; its trace is %s: %s shows it",
				       path_name(path),
				       session_key(&app->session, ACTION_LIVE_HOLD).text);
			app->dirty = true;
			return;
		}
	}
	*path = '\0';
}

int app_live_wait(const struct app *app)
{
	enum { AGAIN_MS = 200, TRACE_MS = 1000 };
	const int64_t left = app->looking.due - clock_ms();

	if (expects_trace(app))
		return TRACE_MS;
	if (!goes_on(app) || app->looking.held || app->looking.loader)
		return -1;
	if (!may_change(app))
		return AGAIN_MS;
	return left < 0 ? 0 : (int)left;
}

int app_live_fd(const struct app *app)
{
	return app->looking.loader ? loader_fd(app->looking.loader) : -1;
}

static void drop_panel(struct app *app, unsigned view)
{
	panel_free(app->views[view].panel);
	app->views[view] = (struct open_view){ 0 };
}

/* Background views are made again when they are shown; the one in front keeps its cursor if
 * possible. */
static void swap(struct app *app, struct trace *trace, struct corrections *corrections)
{
	struct session before = app->session;

	app->dirty = true;
	session_init(&app->session, trace, trace_default_base(trace));
	session_take_corrections(&app->session, corrections);
	app_busy_init(app);
	session_continue(&app->session, &before);
	app_forget_places(app);
	add_look(app->looking.rates, &app->session);
	for (unsigned i = 0; i < app->options->views->n; i++)
		if (i != app->view || !app->views[i].panel->ops->renew)
			drop_panel(app, i);
	app_show_view(app, app->view);
	if (app->views[app->view].panel->ops->renew)
		app->views[app->view].panel->ops->renew(app->views[app->view].panel);
	/* A key stopped the refresh: the panel still has parts of the old trace. */
	if (!app_refresh_in_order(app)) {
		drop_panel(app, app->view);
		app_show_view(app, app->view);
	}
	session_fini(&before);
	if (app->looking.shown)
		session_notice(&app->session, false, "the trace of the job, whole");
	else if (!trace_live(trace))
		session_notice(&app->session, false, "the job has ended; this is what it left");
}

static void take_look(struct app *app)
{
	const struct loader_state state = loader_state(app->looking.loader);
	struct corrections *corrections = NULL;
	struct err err = ERR_INIT;
	char why[WHY_BYTES];
	struct trace *trace;

	if (!state.ended || !may_change(app))
		return;
	trace = loader_take(app->looking.loader, &corrections, why, &err);
	loader_free(app->looking.loader);
	app->looking.loader = NULL;
	plan(app, clock_ms() - app->looking.due);
	if (trace && trace_base_make(trace, trace_default_base(trace), NULL, &err)) {
		swap(app, trace, corrections);
		return;
	}
	corrections_free(corrections);
	trace_free(trace);
	app->looking.every_ms = 0;
	app->dirty = true;
	if (app->looking.shown)
		session_notice(&app->session, true, "%s", err.text);
	else
		session_notice(&app->session, false,
			       "the job's records are gone (tvrun has merged them, or they were "
			       "removed): this is the last look");
}

static void begin_look(struct app *app)
{
	struct err err = ERR_INIT;

	app->looking.loader =
		loader_new(app->load.source, &app->load.options, app->options->correct, &err);
	app->looking.due = clock_ms();
	if (app->looking.loader)
		return;
	app->looking.every_ms = 0;
	session_notice(&app->session, true, "%s", err.text);
	app->dirty = true;
}

void app_live_go_on(struct app *app)
{
	if (app->looking.loader) {
		take_look(app);
		return;
	}
	if (expects_trace(app)) {
		find_trace(app);
		return;
	}
	if (app_live_wait(app) != 0)
		return;
	begin_look(app);
}

/* ---- keys ---- */

static bool tell_without(struct app *app)
{
	if (goes_on(app))
		return false;
	session_notice(&app->session, false, "no job runs here; tview live shows one");
	return true;
}

/* Loads the trace that the job left as if it were one look more. */
static void show_trace(struct app *app)
{
	app->load.source = app->looking.trace;
	app->looking.shown = true;
	begin_look(app);
}

void app_live_hold(struct app *app)
{
	if (*app->looking.trace && !app->looking.shown) {
		show_trace(app);
		return;
	}
	if (tell_without(app))
		return;
	app->looking.held = !app->looking.held;
	app->looking.due = clock_ms();
	session_notice(&app->session, false,
		       app->looking.held ? "held; %s goes on" : "looking again",
		       session_key(&app->session, ACTION_LIVE_HOLD).text);
}

void app_live_change(struct app *app, int slower)
{
	int *every = &app->looking.every_ms;
	struct str s = STR_INIT;
	static const struct timescale milli = { 1000, 3 };

	if (tell_without(app))
		return;
	*every = slower > 0 ? *every * 2 : *every / 2;
	*every = *every < LEAST_MS ? LEAST_MS : *every > MOST_MS ? MOST_MS : *every;
	units_human_time(&s, *every, &milli, 3);
	session_notice(&app->session, false, "a look every %s", s.text);
	str_fini(&s);
	plan(app, 0);
}
