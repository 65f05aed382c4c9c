/* The second line: the names of the views. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/application.h"

/* How the views are named: in full, with less space between them, by abbreviations, by their keys
 * (but for the one in front). A name does not depend on which view is in front. */
enum tab_names { TABS_KEYS, TABS_BRIEF, TABS_CLOSE, TABS_TITLES };

struct tab_key {
	char text[KEY_BYTES];
};

static const char *tab_name(const struct app *app, unsigned view, enum tab_names names)
{
	const struct view_info *info = app_view_info(app, view);
	return names >= TABS_CLOSE   ? info->title
	       : names == TABS_BRIEF ? info->brief
	       : view == app->view   ? info->title
				     : "";
}

/* Its first key. */
static struct tab_key tab_key(const struct app *app, unsigned view)
{
	const char *keys = bindings_view_keys(app->options->bindings, app_view_info(app, view));
	struct tab_key key;

	snprintf(key.text, sizeof key.text, "%.*s", (int)strcspn(keys, " "), keys);
	return key;
}

/* Without the blank after the last one. */
static int tab_width(const struct app *app, unsigned view, enum tab_names names)
{
	const int name = app_in_row(app, view) ? text_width(tab_name(app, view, names)) : 0;
	const int key = text_width(tab_key(app, view).text);
	return app_in_row(app, view) ? 1 + key + (names == TABS_TITLES) + (name ? 1 + name : 0) : 0;
}

static int tabs_width(const struct app *app, enum tab_names names)
{
	int w = 1;
	for (unsigned i = 0; i < app->options->views->n; i++)
		w += tab_width(app, i, names);
	return w;
}

static enum tab_names fitting_names(const struct app *app)
{
	enum tab_names names = TABS_TITLES;
	while (names > TABS_KEYS && tabs_width(app, names) > app->canvas.w)
		names--;
	return names;
}

/* Shown after the view names if there is room. */
static void add_way_out(const struct app *app, struct str *out)
{
	bindings_add_key(app->options->bindings, ACTION_HELP, out);
	str_add(out, " help  ");
	bindings_add_key(app->options->bindings, ACTION_QUIT, out);
	str_add(out, " quit ");
}

bool app_names_help(const struct app *app)
{
	const struct canvas *canvas = &app->canvas;
	const int names = tabs_width(app, TABS_TITLES);
	OWNED_STR way_out = STR_INIT;

	add_way_out(app, &way_out);
	return app_has_tabs(canvas) && names + 1 + text_width(way_out.text) <= canvas->w;
}

void app_draw_tabs(const struct app *app, struct canvas *canvas)
{
	const enum tab_names names = fitting_names(app);
	struct rect active = { 0, 1, 0, 1 };
	int x = 0;
	for (unsigned i = 0; i < app->options->views->n; i++) {
		if (!app_in_row(app, i))
			continue;
		OWNED_STR s = STR_INIT;
		str_add_fmt(&s, " %s", tab_key(app, i).text);
		if (*tab_name(app, i, names))
			str_add_fmt(&s, " %s", tab_name(app, i, names));
		str_add(&s, " ");
		canvas_text(canvas, x, 1, canvas->w - x, s.text, ROLE_TAB, ROLE_DEFAULT, 0);
		if (i == app->view)
			active = (struct rect){ x, 1, text_width(s.text), 1 };
		x += tab_width(app, i, names);
	}
	canvas_paint(canvas, active, ROLE_TAB_ACTIVE, ROLE_TAB_ACTIVE, ATTR_BOLD);
	OWNED_STR way_out = STR_INIT;
	add_way_out(app, &way_out);
	if (app_names_help(app))
		canvas_text_right(canvas, 0, 1, canvas->w, way_out.text, ROLE_HINT, ROLE_DEFAULT);
}

/* The view whose name is at column x; -1: none. Mirrors app_draw_tabs(). */
int app_tab_at(const struct app *app, int x)
{
	const enum tab_names names = fitting_names(app);
	int at = 0;
	for (unsigned i = 0; i < app->options->views->n; i++) {
		if (!app_in_row(app, i))
			continue;
		at += tab_width(app, i, names);
		if (x < at)
			return (int)i;
	}
	return -1;
}
