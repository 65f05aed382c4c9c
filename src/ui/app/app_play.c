/* :play moves the window over the run, without changing its width: by the clock, so that the speed
 * is the same however long drawing takes. Space holds it, any other key ends it. */
#include <string.h>

#include "base/clock.h"
#include "ui/app/application.h"

enum {
	STEP_MS = 100,    /* at most ten pictures a second */
	WHOLE_RUN_S = 20, /* how long the whole run takes if no speed is given */
	PARTS = 10        /* of a run that is shown as a whole: the window that moves */
};

static void tell(struct app *app)
{
	OWNED_STR at = STR_INIT;

	units_human_time(&at, app->session.window.t0, trace_scale(app->session.trace), 4);
	session_notice(&app->session, false,
		       app->playing.held ? "play at %s: held; Space goes on, any other key stops"
					 : "play at %s: Space holds, any other key stops",
		       at.text);
}

/* From where the window is now. */
static void set_out(struct app *app)
{
	app->playing.from = app->session.window.t0;
	app->playing.since = app->playing.due = clock_ms();
}

bool app_play(struct app *app, const char *argument, struct err *err)
{
	struct session *session = &app->session;
	const struct span run = session->run;
	const struct timescale *scale = trace_scale(session->trace);
	int64_t ticks = 0;

	if (*argument && !units_parse_time(argument, NULL, scale, &ticks, err))
		return false;
	if (*argument && ticks <= 0)
		return err_set(err, STATUS_USAGE,
			       "play needs a time above zero: that much of the run a second");
	if (session->window.t0 <= run.t0 && session->window.t1 >= run.t1) {
		session_zoom(session, run.t0, run.t0 + (run.t1 - run.t0) / PARTS);
	} else if (session->window.t1 >= run.t1) {
		const int64_t width = session->window.t1 - session->window.t0;
		session_zoom(session, run.t0, run.t0 + width);
	}
	app->playing = (struct playing){ .on = true };
	app->playing.rate =
		*argument ? (double)ticks / 1000 : (double)(run.t1 - run.t0) / (WHOLE_RUN_S * 1000);
	set_out(app);
	tell(app);
	return true;
}

int app_play_wait(const struct app *app)
{
	const int64_t left = app->playing.due - clock_ms();

	if (!app->playing.on || app->playing.held)
		return -1;
	return left < 0 ? 0 : (int)left;
}

/* The first step is a zoom, which undo takes back, the others follow it. */
static void move_to(struct app *app, int64_t t0)
{
	struct session *session = &app->session;
	const struct span window = session->window;

	if (t0 <= window.t0)
		return;
	if (app->playing.moved)
		session_pan(session, t0 - window.t0);
	else
		session_zoom(session, t0, t0 + (window.t1 - window.t0));
	app->playing.moved = true;
}

void app_play_go_on(struct app *app)
{
	struct session *session = &app->session;
	const int64_t last = session->run.t1 - (session->window.t1 - session->window.t0);
	double way;

	if (app_play_wait(app) != 0)
		return;
	way = app->playing.rate * (double)(clock_ms() - app->playing.since);
	app->playing.due = clock_ms() + STEP_MS;
	app->dirty = true;
	if (way < (double)last - (double)app->playing.from) {
		move_to(app, app->playing.from + (int64_t)way);
		tell(app);
		return;
	}
	move_to(app, last);
	app->playing.on = false;
	session_notice(session, false, "play: the end of the run");
}

bool app_play_input(struct app *app, const struct input *input)
{
	struct playing *playing = &app->playing;

	if (!playing->on)
		return false;
	if (input->kind == INPUT_KEY && strcmp(input->key, "Space") == 0) {
		playing->held = !playing->held;
		set_out(app);
		tell(app);
	} else {
		playing->on = false;
		session_notice(&app->session, false, "play: stopped");
	}
	return true;
}
