/* The last line: what keys do here. A click on a hint is the key. */
#include <string.h>

#include "base/text.h"
#include "ui/app/application.h"

static void add_keys(const struct app *app, enum action action, struct str *out)
{
	const enum action opposite = action_opposite(action);

	bindings_add_key(app->options->bindings, action, out);
	if (opposite != ACTION_NONE && *bindings_keys(app->options->bindings, opposite)) {
		str_add_char(out, '/');
		bindings_add_key(app->options->bindings, opposite, out);
	}
}

void app_add_hint(const struct app *app, struct hints *hints, enum action action, const char *text)
{
	const struct hint *last = hints->n ? &hints->all[hints->n - 1] : NULL;
	const int x = last ? last->x + last->w + 2 : 1;
	OWNED_STR keys = STR_INIT;

	add_keys(app, action, &keys);
	if (!text || !*text || !keys.n || hints->n == HINTS_MOST)
		return;
	const int w = text_width(keys.text) + 1 + text_width(text);
	if (x + w < app->canvas.w)
		hints->all[hints->n++] = (struct hint){ action, text, x, w };
}

void app_draw_hints(const struct app *app, struct canvas *canvas, const struct hints *hints, int y)
{
	for (unsigned i = 0; i < hints->n; i++) {
		const struct hint *hint = &hints->all[i];
		OWNED_STR keys = STR_INIT;
		add_keys(app, hint->action, &keys);
		canvas_write(canvas, hint->x, y, canvas->w, keys.text, ROLE_HINT_KEY);
		canvas_write(canvas, hint->x + hint->w - text_width(hint->text), y, canvas->w,
			     hint->text, ROLE_HINT);
	}
}

void app_make_hints(const struct app *app, struct hints *hints)
{
	static const enum action everywhere[] = { ACTION_FILTER, ACTION_COPY, ACTION_NEXT_BASE,
						  ACTION_DIFFERENCE, ACTION_LEGEND };
	const struct panel *panel = app_front(app);

	hints->n = 0;
	if (!app_names_help(app)) /* if the view names do not end with it */
		app_add_hint(app, hints, ACTION_HELP, action_info(ACTION_HELP)->hint);
	for (const enum action *a = panel->ops->actions; a && *a != ACTION_NONE; a++) {
		const char *hint = action_info(*a)->hint;
		if (*a == ACTION_ENTER && panel->ops->enter_hint)
			hint = panel->ops->enter_hint;
		if (*a == ACTION_PREV_WAIT && panel->ops->wait_hint)
			hint = panel->ops->wait_hint;
		if (*a == ACTION_SEARCH_NEXT && panel->ops->next_hint)
			hint = panel->ops->next_hint;
		app_add_hint(app, hints, *a, hint);
	}
	if (panel->ops->chosen && !app_view_info(app, app->view)->tab_in_front)
		app_add_hint(app, hints, ACTION_SOURCE, action_info(ACTION_SOURCE)->hint);
	if (panel->ops->search)
		app_add_hint(app, hints, ACTION_SEARCH, action_info(ACTION_SEARCH)->hint);
	for (size_t i = 0; !app->overlay && i < sizeof everywhere / sizeof *everywhere; i++)
		app_add_hint(app, hints, everywhere[i], action_info(everywhere[i])->hint);
}

/* On the second of two keys: the opposite. */
enum action app_hint_at(const struct app *app, const struct hints *hints, int x)
{
	for (unsigned i = 0; i < hints->n; i++) {
		const struct hint *hint = &hints->all[i];
		OWNED_STR first = STR_INIT, keys = STR_INIT;
		bindings_add_key(app->options->bindings, hint->action, &first);
		add_keys(app, hint->action, &keys);
		if (x < hint->x || x >= hint->x + hint->w)
			continue;
		return x > hint->x + text_width(first.text) && x < hint->x + text_width(keys.text)
			       ? action_opposite(hint->action)
			       : hint->action;
	}
	return ACTION_NONE;
}
