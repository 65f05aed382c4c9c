/* Long computations while the user types: a key stops the computation, takes effect, and the
 * computation starts again with the new state. Escape stops it for good: the previous result stays
 * until something changes. After a moment a line shows the progress. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#include "ui/app/application.h"

/* Interval and first time of looking for keys; first time and interval of drawing the line. */
enum { LOOK_MS = 10, PATIENCE_MS = 40, LINE_MS = 200, LINE_EVERY_MS = 100 };

static bool goes_first(const struct app *app, const struct input *input)
{
	const enum action action =
		input->kind == INPUT_KEY && !input->pasted
			? bindings_find(app->options->bindings, input->key).action
			: ACTION_NONE;
	return action == ACTION_CANCEL || action == ACTION_QUIT_ALL;
}

/* True if a key must stop the computation. If keys take effect in their order, those read before it
 * are kept. */
static bool key_waits(struct app *app)
{
	struct pollfd fd = { .fd = app->screen ? screen_fd(app->screen) : -1, .events = POLLIN };
	struct input input;
	if (poll(&fd, 1, 0) <= 0)
		return false;
	if (!app->busy.in_order || screen_at_end(app->screen))
		return true;
	while (screen_read(app->screen, &input)) {
		vec_push(&app->typed, input);
		if (goes_first(app, &input))
			return true;
	}
	return false;
}

bool app_next_input(struct app *app, struct input *input)
{
	if (app->typed.n == 0)
		return screen_read(app->screen, input);
	*input = app->typed.data[0];
	app->typed.n--;
	memmove(app->typed.data, app->typed.data + 1, app->typed.n * sizeof *app->typed.data);
	return true;
}

bool app_refresh_in_order(struct app *app)
{
	app->busy.in_order = true;
	const bool made = app_refresh_view(app);
	app->busy.in_order = false;
	if (!made)
		while (app->typed.n && !goes_first(app, &app->typed.data[0])) {
			struct input dropped;
			app_next_input(app, &dropped);
		}
	return made;
}

static void draw_line(struct app *app, const char *what, uint64_t done, uint64_t all)
{
	struct canvas *canvas = &app->canvas;
	const struct rect row = { 0, canvas->h - 1 - app_has_hints(canvas), canvas->w, 1 };
	OWNED_STR s = STR_INIT;
	str_add(&s, *what ? what : "working");
	if (all)
		str_add_fmt(&s, "  %d %%", (int)(100 * (double)done / (double)all));
	str_add_fmt(&s, "   %s cancels; keys work",
		    bindings_key(app->options->bindings, ACTION_CANCEL).text);
	canvas_fill(canvas, row, ' ', ROLE_DEFAULT, ROLE_DEFAULT);
	canvas_write(canvas, 1, row.y, row.w - 2, s.text, ROLE_PROGRESS);
	screen_show(app->screen, canvas, -1, 0);
}

static bool step(void *context, const char *what, uint64_t done, uint64_t all)
{
	struct app *app = context;
	struct busy *busy = &app->busy;
	const int64_t now = clock_ms();
	if (!busy->on || busy->stopped || now - busy->looked < LOOK_MS)
		return !busy->stopped;
	busy->looked = now;
	if (now - busy->since >= PATIENCE_MS && key_waits(app)) {
		busy->stopped = true;
		return false;
	}
	if (app->screen && now - busy->since >= LINE_MS && now - busy->drawn >= LINE_EVERY_MS) {
		/* Nested steps have no name and do not know the overall progress. */
		if (*what)
			snprintf(busy->what, sizeof busy->what, "%s", what);
		busy->drawn = now;
		draw_line(app, busy->what, done, all);
	}
	return true;
}

void app_busy_init(struct app *app)
{
	app->busy.progress = (struct progress){ .step = step, .context = app };
	app->session.progress = &app->busy.progress;
}

void app_busy_begin(struct app *app)
{
	const int64_t now = clock_ms();
	app->busy.on = true;
	app->busy.stopped = false;
	app->busy.since = app->busy.looked = now;
	app->busy.drawn = 0;
	app->busy.what[0] = '\0';
}

bool app_busy_end(struct app *app)
{
	const bool stopped = app->busy.stopped;
	app->busy.on = app->busy.stopped = false;
	if (app->busy.drawn)
		app->dirty = true;
	/* Discard what panels have computed so far. */
	if (stopped)
		app->session.generation++;
	app->busy.interrupted = stopped;
	return !stopped;
}

bool app_busy_escape(struct app *app, enum action action)
{
	struct busy *busy = &app->busy;
	const bool takes = busy->interrupted && action == ACTION_CANCEL &&
			   !app->views[app->view].panel->ops->draws_current_only;
	busy->interrupted = false;
	if (!takes)
		return false;
	busy->given_up = app->session.generation;
	busy->view = app->view;
	session_notice(&app->session, false, "cancelled; showing the previous result");
	return true;
}

bool app_busy_given_up(const struct app *app)
{
	return app->busy.given_up == app->session.generation && app->busy.view == app->view;
}
