/* The last line: what keys do here. */
#include <string.h>

#include "base/text.h"
#include "ui/app/application.h"

int app_draw_hint(struct canvas *canvas, int x, int y, enum action action, const char *hint)
{
	const struct action_info *info = action_info(action);
	if (!hint || !hint[0])
		return x;
	OWNED_STR key = STR_INIT;
	str_add_n(&key, info->keys, strcspn(info->keys, " "));
	if (action_opposite(action) != ACTION_NONE) {
		const char *opposite = action_info(action_opposite(action))->keys;
		str_add_char(&key, '/');
		str_add_n(&key, opposite, strcspn(opposite, " "));
	}
	const int keys = text_width(key.text), w = keys + 1 + text_width(hint);
	if (x + w < canvas->w) {
		canvas_write(canvas, x, y, canvas->w, key.text, ROLE_HINT_KEY);
		canvas_write(canvas, x + keys + 1, y, canvas->w, hint, ROLE_HINT);
		x += w + 2;
	}
	return x;
}

void app_draw_hints(const struct app *app, struct canvas *canvas, int y)
{
	static const enum action everywhere[] = { ACTION_FILTER, ACTION_COPY, ACTION_NEXT_BASE,
						  ACTION_DIFFERENCE, ACTION_LEGEND };
	const struct panel *panel = app_front(app);
	int x = 1;
	if (!app_names_help(app)) /* if the view names do not end with it */
		x = app_draw_hint(canvas, x, y, ACTION_HELP, action_info(ACTION_HELP)->hint);
	for (const enum action *a = panel->ops->actions; a && *a != ACTION_NONE; a++) {
		const char *hint = action_info(*a)->hint;
		if (*a == ACTION_ENTER && panel->ops->enter_hint)
			hint = panel->ops->enter_hint;
		if (*a == ACTION_PREV_WAIT && panel->ops->wait_hint)
			hint = panel->ops->wait_hint;
		if (*a == ACTION_SEARCH_NEXT && panel->ops->next_hint)
			hint = panel->ops->next_hint;
		x = app_draw_hint(canvas, x, y, *a, hint);
	}
	if (panel->ops->chosen && !app_view_info(app, app->view)->tab_in_front)
		x = app_draw_hint(canvas, x, y, ACTION_SOURCE, action_info(ACTION_SOURCE)->hint);
	if (panel->ops->search)
		x = app_draw_hint(canvas, x, y, ACTION_SEARCH, action_info(ACTION_SEARCH)->hint);
	for (size_t i = 0; !app->overlay && i < sizeof everywhere / sizeof *everywhere; i++)
		x = app_draw_hint(canvas, x, y, everywhere[i], action_info(everywhere[i])->hint);
}
