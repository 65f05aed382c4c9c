/* The mouse. A click is for the tab, chip, hint or row that it is on; a drag over times selects a
 * span and zooms to it; the wheel zooms at the pointer there, and moves rows elsewhere; the right
 * button opens what Enter would. */
#include <stdlib.h>

#include "ui/app/application.h"

/* Where there are times under the mouse. */
static bool time_at(struct app *app, int x, int y, int64_t *t)
{
	const struct panel *panel = app_front(app);
	const struct rect body = app_front_area(app);

	return y >= body.y && y < body.y + body.h && panel->ops->time_at &&
	       panel->ops->time_at(panel, x, y, t);
}

static void turn_wheel(struct app *app, const struct input *input)
{
	const bool up = input->kind == INPUT_WHEEL_UP;
	const struct span w = app->session.window;
	int64_t t;

	if (time_at(app, input->x, input->y, &t) && t >= w.t0 && t < w.t1)
		app_zoom_at(app, up, t);
	else if (input->ctrl)
		app_act(app, up ? ACTION_ZOOM_IN : ACTION_ZOOM_OUT, 1);
	else
		app_act(app, up ? ACTION_UP : ACTION_DOWN, 3);
}

static bool click_panel(struct app *app, const struct input *input)
{
	struct panel *panel = app_front(app);
	const struct rect body = app_front_area(app);

	panel->area = body;
	if (input->y < body.y || input->y >= body.y + body.h || !panel->ops->click ||
	    (!app->overlay && !app_refresh_in_order(app)))
		return false;
	const unsigned reactions = panel->ops->click(panel, input->x, input->y, body);
	app_react(app, reactions);
	return !(reactions & REACT_IGNORED);
}

static void click(struct app *app, const struct input *input)
{
	const struct canvas *canvas = &app->canvas;
	const bool tabs = app_has_tabs(canvas);
	const int name = input->y == 0 ? app_name_at(app, input->x) : -1;
	const int tab = tabs && input->y == 1 ? app_tab_at(app, input->x) : -1;
	const int chip = app_has_chips(app) && input->y == 2 ? app_chip_at(app, input->x) : -1;
	enum action hint = ACTION_NONE;

	if (app_has_hints(canvas) && input->y == canvas->h - 1) {
		struct hints hints;
		app_make_hints(app, &hints);
		hint = app_hint_at(app, &hints, input->x);
	}
	app->press = (struct press){ true, input->x, input->y };
	if (name >= 0 && app_trace_count(app) > 1)
		app_show_trace(app, (unsigned)name);
	else if (tab >= 0)
		app_press_view(app, app_view_info(app, (unsigned)tab));
	else if (hint != ACTION_NONE)
		app_act(app, hint, 1);
	else if (chip >= 0)
		app_clear_chip(app, chip);
	else
		click_panel(app, input);
}

/* A drag to the left is one to the right from its end; a cell or so is a click that slipped. The
 * span is selected while the button is held. */
static void drag_over_times(struct app *app, const struct input *input)
{
	enum { LEAST = 2 };
	const int at = app->press.x, x = input->x;
	const int from = at < x ? at : x, to = at < x ? x : at;
	struct session *session = &app->session;
	OWNED_STR undo = STR_INIT;
	int64_t t0, t1;

	if (!app->press.on || !time_at(app, at, app->press.y, &t0))
		return;
	app->press.on = !input->released;
	/* Over what is left of the times: from their begin. */
	if (!time_at(app, from, app->press.y, &t0))
		t0 = session->window.t0;
	if (to - from < LEAST || !time_at(app, to, app->press.y, &t1) || t1 <= t0) {
		t0 = t1 = 0;
	} else if (input->released) {
		session_zoom(session, t0, t1);
		bindings_add_key(app->options->bindings, ACTION_UNDO, &undo);
		session_notice(session, false, "zoomed to what was dragged over; %s goes back",
			       undo.text);
		t0 = t1 = 0;
	}
	session->selection = (struct span){ t0, t1 };
}

/* Nothing happens in views that have no use for it: each click ends with one. */
static void drag(struct app *app, const struct input *input)
{
	struct panel *panel = app_front(app);
	const struct rect body = app_front_area(app);
	unsigned reactions = REACT_IGNORED;

	if (!app->overlay && !app_refresh_in_order(app))
		return;
	panel->area = body;
	if (panel->ops->drag)
		reactions = panel->ops->drag(panel, input->x, input->y, body);
	if (reactions & REACT_IGNORED)
		drag_over_times(app, input);
	else
		app_react(app, reactions);
}

void app_mouse(struct app *app, const struct input *input)
{
	switch (input->kind) {
	case INPUT_CLICK: click(app, input); break;
	case INPUT_DRAG: drag(app, input); break;
	case INPUT_RIGHT:
		if (click_panel(app, input))
			app_act(app, ACTION_ENTER, 1);
		break;
	default: turn_wheel(app, input);
	}
}
