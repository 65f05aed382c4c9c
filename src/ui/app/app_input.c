/* Keys: to the prompt, the letter of a mark, or an action. */
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

/* Text for a prompt; elsewhere its letters would be keys, which were not pressed. */
static void take_pasted(struct app *app, const struct input *input)
{
	const struct session *s = &app->session;

	if (!app->has_session)
		return;
	app->dirty = true;
	if (app->line.on && !app->awaiting)
		app_prompt_pasted(app, input);
	else
		session_notice(&app->session, false,
			       "pasted text is ignored here: press %s, %s or %s first",
			       session_key(s, ACTION_SEARCH).text,
			       session_key(s, ACTION_FILTER).text,
			       session_key(s, ACTION_COMMAND).text);
}

void app_input(struct app *app, const struct input *input)
{
	if (input->pasted) {
		take_pasted(app, input);
		return;
	}
	if (!app->has_session) {
		app_loading_input(app, input);
		return;
	}
	if (input->kind == INPUT_DRAG || input->kind == INPUT_REDRAW) {
		app->dirty = true;
		if (input->kind == INPUT_DRAG && !app->playing.on && !app->line.on)
			app_mouse(app, input);
		return;
	}
	app->dirty = true;
	app->greets = false;
	app->session.notice[0] = '\0';
	if (app_play_input(app, input))
		return;
	if (input->kind != INPUT_KEY) {
		if (!app->line.on)
			app_mouse(app, input);
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
	/* q twice ends, if no other key was between. */
	if (bound.action != ACTION_QUIT && bound.action != ACTION_BACK)
		app->warned = false;
	if (app_busy_escape(app, bound.action))
		return;
	if (bound.action != ACTION_NONE)
		app_act(app, bound.action, 1);
	else if (bound.view)
		app_press_view(app, bound.view);
	else if (!bound.command)
		session_notice(&app->session, false, "no key %s; press %s for all keys", input->key,
			       session_key(&app->session, ACTION_HELP).text);
	else if (!app_command(app, bound.command, &err))
		session_notice(&app->session, true, "%s: %s", input->key, err.text);
}
