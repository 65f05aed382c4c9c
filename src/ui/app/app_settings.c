/* :set, :bind and :map. A setting is changed in the options, and here in what has been made of
 * them. */
#include <stdio.h>
#include <string.h>

#include "ui/app/application.h"
#include "ui/canvas/theme_choose.h"

/* ---- before there is a screen ---- */

bool app_read_taste(const struct options *options, struct settings *settings,
		    const struct theme **theme, struct str *wrong, struct err *err)
{
	const bool given = options->theme != NULL;

	settings_read_user(settings, wrong);
	if (!theme_at_start(options->theme, given, theme, wrong, err))
		return false;
	fputs(wrong->n ? wrong->text : "", stderr);
	return true;
}

/* ---- settings that take effect at once ---- */

static void apply_theme(struct app *app, const struct options *options)
{
	OWNED_STR wrong = STR_INIT, poor = STR_INIT;
	const struct theme *theme;
	struct err err = ERR_INIT;

	if (!app->screen || !options->theme)
		return;
	theme = theme_choose(options->theme, &wrong, &poor, &err);
	if (!theme) {
		session_notice(&app->session, true, "%s", err.text);
		return;
	}
	screen_set_theme(app->screen, theme);
	str_add(&wrong, poor.n ? poor.text : "");
	if (!wrong.n)
		return;
	session_notice(&app->session, true, "%.*s", (int)strcspn(wrong.text, "\n"), wrong.text);
	if (strchr(wrong.text, '\n')[1])
		app_show_text(app, "What is to be changed in the theme:", wrong.text);
}

static void apply_ascii(struct app *app, const struct options *options)
{
	if (app->screen)
		screen_set_ascii(app->screen, options->ascii);
	app->canvas.ascii = app->screen ? screen_ascii(app->screen) : options->ascii;
	app->session.ascii = app->canvas.ascii;
	if (!options->ascii && app->canvas.ascii)
		session_notice(&app->session, false, "this terminal shows ASCII alone");
}

static void apply_mouse(struct app *app, const struct options *options)
{
	if (app->screen)
		screen_set_mouse(app->screen, !options->no_mouse);
}

static void apply_sync(struct app *app, const struct options *options)
{
	if (app->screen)
		screen_set_sync(app->screen, !options->no_sync);
}

static void apply_graphics(struct app *app, const struct options *options)
{
	if (app->screen)
		screen_set_graphics(app->screen, options->graphics);
}

static void apply_view(struct app *app, const struct options *options)
{
	app_open_view(app, view_of_name(app->options->views, options->view));
}

static void apply_group(struct app *app, const struct options *options)
{
	struct arrangement a = { .key = BY_NONE };
	if (arrangement_group(&a, options->group))
		session_group(&app->session, a.key, a.range);
}

static void apply_diff(struct app *app, const struct options *options)
{
	struct err err = ERR_INIT;
	if (!session_set_difference(&app->session, options->diff, &err))
		session_notice(&app->session, true, "%s", err.text);
}

static void apply_source_path(struct app *app, const struct options *options)
{
	app->session.source_path = options->source_path;
	app->session.generation++;
}

static const struct {
	const char *name;
	void (*apply)(struct app *app, const struct options *options);
} applied[] = {
	{ "theme", apply_theme },
	{ "ascii", apply_ascii },
	{ "no-mouse", apply_mouse },
	{ "no-sync", apply_sync },
	{ "graphics", apply_graphics },
	{ "view", apply_view },
	{ "group", apply_group },
	{ "diff", apply_diff },
	{ "source-path", apply_source_path },
};

/* ---- lists ---- */

static void list_settings(struct app *app)
{
	OWNED_STR path = STR_INIT, title = STR_INIT;

	settings_path(&path);
	str_add(&title, "Settings: :set NAME VALUE, an option --NAME, or NAME = VALUE in ");
	str_add_clean_text(&title, path.n ? path.text : "the file that TVIEWRC names");
	app_open_overlay(app, &list_panel_ops);
	if (!app->overlay)
		return;
	help_panel_headline(app->overlay, title.text);
	for (const struct option_info *o = NULL; (o = settings_next(o));) {
		OWNED_STR value = STR_INIT, help = STR_INIT;
		settings_add_value(app->options->settings, o, &value);
		str_add(&help, o->help);
		if (o->fallback)
			str_add_fmt(&help, " [%s]", o->fallback);
		help_panel_line(app->overlay, o->name, help.text, value.n ? value.text : "-");
	}
}

static const char *help_of(const struct bound *bound)
{
	const enum command command =
		bound->command ? command_find(bound->command, strcspn(bound->command, " "))
			       : COMMAND_COUNT;

	return bound->action != ACTION_NONE ? action_info(bound->action)->help
	       : bound->view                ? bound->view->help
	       : bound->command             ? command_info(command)->help
					    : "nothing";
}

static void add_line(struct app *app, const char *keys, const char *help, const char *command)
{
	OWNED_STR name = STR_INIT;

	str_add_fmt(&name, ":%s", command);
	help_panel_line(app->overlay, keys, help, name.text);
}

static void list_own_keys(struct app *app)
{
	const struct bindings *keys = app->options->bindings;
	const char *key, *command;

	help_panel_headline(app->overlay, "Your keys (bind = KEY COMMAND in the file of settings)");
	if (!bindings_own(keys, 0, &key, &command))
		help_panel_headline(app->overlay, "  none; :bind KEY COMMAND makes one");
	for (size_t i = 0; bindings_own(keys, i, &key, &command); i++) {
		const struct bound bound = bindings_find(keys, key);
		add_line(app, key, help_of(&bound), command);
	}
}

bool app_map(struct app *app, const char *argument, struct err *err)
{
	const struct bindings *keys = app->options->bindings;
	const struct view_registry *views = app->options->views;

	if (*argument)
		return err_set(err, STATUS_USAGE, "map takes no argument; to bind a key: bind %s",
			       argument);
	app_open_overlay(app, &list_panel_ops);
	if (!app->overlay)
		return true;
	list_own_keys(app);
	for (int g = 0; g < GROUP_COUNT; g++) {
		help_panel_headline(app->overlay, action_group_name((enum action_group)g));
		for (unsigned a = 1; a < ACTION_COUNT; a++) {
			const struct action_info *info = action_info((enum action)a);
			if (info->group == (enum action_group)g)
				add_line(app, bindings_keys(keys, (enum action)a), info->help,
					 info->command);
		}
		for (unsigned v = 0; g == GROUP_VIEW && v < views->n; v++)
			if (views->views[v].panel)
				add_line(app, bindings_view_keys(keys, &views->views[v]),
					 views->views[v].help, view_command(&views->views[v]));
	}
	return true;
}

/* ---- commands ---- */

bool app_set(struct app *app, const char *line, struct err *err)
{
	struct settings *settings = app->options->settings;
	const struct option_info *option;
	OWNED_STR value = STR_INIT;

	if (!*line) {
		list_settings(app);
		return true;
	}
	option = settings_set(settings, line, err);
	if (!option)
		return false;
	settings_add_value(settings, option, &value);
	app->session.notice[0] = '\0';
	for (size_t i = 0; i < sizeof applied / sizeof *applied; i++)
		if (strcmp(applied[i].name, option->name) == 0) {
			applied[i].apply(app, settings_options(settings));
			if (!app->session.notice[0])
				session_notice(&app->session, false, "%s = %s", option->name,
					       value.text);
			return true;
		}
	session_notice(&app->session, false, "%s = %s for traces that are opened from now on",
		       option->name, value.text);
	return true;
}

bool app_bind(struct app *app, const char *line, struct err *err)
{
	struct bindings *keys = app->options->bindings;

	if (!bindings_bind(keys, line, err))
		return false;
	app->has_bound = true;
	session_notice(&app->session, false,
		       "bound for this session; in the file of settings: bind = %s", line);
	return true;
}
