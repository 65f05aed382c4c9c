/* Keys and the mouse: to the prompt, the letter of a mark, or an action. */
#include "ui/app/application.h"

/* The key of a view, or a click on its tab. */
void app_press_view(struct app *app, const struct view_info *view)
{
	app_take_selection(app);
	if (app->overlay)
		app_close_overlay(app);
	app->dirty = true;
	app_open_view(app, view);
}

static void mouse(struct app *app, const struct input *input)
{
	struct panel *panel = app_front(app);
	const struct rect body = app_front_area(app);
	panel->area = body;
	if (input->kind != INPUT_CLICK) {
		const bool up = input->kind == INPUT_WHEEL_UP;
		if (input->ctrl)
			app_act(app, up ? ACTION_ZOOM_IN : ACTION_ZOOM_OUT, 1);
		else
			app_act(app, up ? ACTION_UP : ACTION_DOWN, 3);
		return;
	}
	const bool tabs = app_has_tabs(&app->canvas);
	struct hints hints;
	app_make_hints(app, &hints);
	const enum action hint = app_has_hints(&app->canvas) && input->y == app->canvas.h - 1
					 ? app_hint_at(app, &hints, input->x)
					 : ACTION_NONE;
	const int tab = tabs && input->y == 1 ? app_tab_at(app, input->x) : -1;
	const int chip = app_has_chips(app) && input->y == 2 ? app_chip_at(app, input->x) : -1;
	if (tab >= 0) {
		app_press_view(app, app_view_info(app, (unsigned)tab));
	} else if (hint != ACTION_NONE) {
		app_act(app, hint, 1);
	} else if (chip >= 0) {
		app_clear_chip(app, chip);
	} else if (input->y >= body.y && input->y < body.y + body.h && panel->ops->click &&
		   (app->overlay || app_refresh_in_order(app))) {
		app_react(app, panel->ops->click(panel, input->x, input->y, body));
	}
}

/* Nothing happens in views that have no use for it: each click ends with one. */
static void drag(struct app *app, const struct input *input)
{
	struct panel *panel = app_front(app);
	const struct rect body = app_front_area(app);

	if (app->playing.on || app->line.on || !panel->ops->drag ||
	    !(app->overlay || app_refresh_in_order(app)))
		return;
	panel->area = body;
	app_react(app, panel->ops->drag(panel, input->x, input->y, body));
	app->dirty = true;
}

void app_input(struct app *app, const struct input *input)
{
	if (!app->has_session) {
		app_loading_input(app, input);
		return;
	}
	if (input->kind == INPUT_DRAG) {
		drag(app, input);
		return;
	}
	app->dirty = true;
	app->session.notice[0] = '\0';
	if (app_play_input(app, input))
		return;
	if (input->kind != INPUT_KEY) {
		if (!app->line.on)
			mouse(app, input);
		return;
	}
	if (app->awaiting) {
		app_mark_key(app, input);
		return;
	}
	if (app->line.on) {
		app_prompt_key(app, input);
		return;
	}
	const struct bound bound = bindings_find(app->options->bindings, input->key);
	struct err err = ERR_INIT;
	app_run_stop(app);
	if (app_busy_escape(app, bound.action))
		return;
	if (bound.action != ACTION_NONE)
		app_act(app, bound.action, 1);
	else if (bound.view)
		app_press_view(app, bound.view);
	else if (!bound.command)
		session_notice(&app->session, false, "no key %s; press %s for all keys", input->key,
			       bindings_keys(app->options->bindings, ACTION_HELP));
	else if (!app_command(app, bound.command, &err))
		session_notice(&app->session, true, "%s: %s", input->key, err.text);
}
