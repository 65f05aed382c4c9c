/* Keys and the mouse: to the prompt, the letter of a mark, or an action. */
#include "ui/app/application.h"

/* The key of a view, or a click on its tab. */
static void press_view(struct app *app, const struct view_info *view)
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
	const int tab = tabs && input->y == 1 ? app_tab_at(app, input->x) : -1;
	const int chip = app_has_chips(app) && input->y == 2 ? app_chip_at(app, input->x) : -1;
	if (tab >= 0) {
		press_view(app, app_view_info(app, (unsigned)tab));
	} else if (chip >= 0) {
		app_clear_chip(app, chip);
	} else if (input->y >= body.y && input->y < body.y + body.h && panel->ops->click &&
		   (app->overlay || app_refresh_in_order(app))) {
		app_react(app, panel->ops->click(panel, input->x, input->y, body));
	}
}

void app_input(struct app *app, const struct input *input)
{
	if (!app->has_session) {
		app_loading_input(app, input);
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
	const enum action action = action_of_key(input->key);
	if (app_busy_escape(app, action))
		return;
	const struct view_info *view = view_of_key(app->options->views, input->key);
	if (action != ACTION_NONE)
		app_act(app, action, 1);
	else if (view)
		press_view(app, view);
	else
		session_notice(&app->session, false, "no key %s; press ? for all keys", input->key);
}
