/* Into the clipboard of the terminal (OSC 52): the command line that shows this, the text of the
 * view, the details under the cursor. And the screen as a picture, into a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "ui/app/application.h"
#include "ui/canvas/canvas_svg.h"
#include "views/export/export.h"

void app_show_text(struct app *app, const char *headline, const char *text)
{
	OWNED_STR lines = STR_INIT;
	const int w = app->canvas.w - 2;

	str_add_wrapped(&lines, text, 0, w > 20 ? w : 20);
	app_open_overlay(app, &list_panel_ops);
	if (!app->overlay)
		return;
	help_panel_headline(app->overlay, headline);
	for (char *line = strtok(lines.text, "\n"); line; line = strtok(NULL, "\n"))
		help_panel_text(app->overlay, line);
}

void app_act_copy(struct app *app)
{
	OWNED_STR line = STR_INIT;

	app_add_line(app, &line);
	if (app->screen && screen_copy(app->screen, line.text))
		session_notice(&app->session, false, "copied: %s", line.text);
	else
		app_show_text(app,
			      "This terminal cannot copy (OSC 52). What shows this:", line.text);
}

void app_act_copy_text(struct app *app)
{
	struct session *s = &app->session;
	const struct view_info *view = view_of_export(app->options->views, app_exported(app));
	struct export_options options = { .format = EXPORT_TEXT,
					  .width = app->canvas.w,
					  .ascii = s->ascii };
	struct query query = app_export_query(app);
	struct err err = ERR_INIT;
	OWNED char *text = NULL;
	size_t n = 0;
	FILE *stream = open_memstream(&text, &n);

	app_busy_begin(app);
	const bool made = view && stream && export_view(view, &query, &options, stream, &err);
	const bool whole = app_busy_end(app);
	if (stream)
		fclose(stream);
	if (!whole || !made)
		session_notice(s, true, "%s", err.text[0] ? err.text : "cancelled");
	else if (!screen_copy(app->screen, text))
		session_notice(s, true,
			       "the terminal cannot copy %zu bytes (OSC 52); %s writes a file", n,
			       session_key(s, ACTION_EXPORT).text);
	else
		session_notice(s, false, "copied: the text of %s, %zu bytes", app_exported(app), n);
}

void app_act_copy_details(struct app *app)
{
	const struct panel *panel = app_front(app);
	OWNED_STR text = STR_INIT;

	if (panel->ops->describe)
		panel->ops->describe(panel, &text);
	if (!text.n)
		session_notice(&app->session, false, "nothing to copy under the cursor");
	else if (screen_copy(app->screen, text.text))
		session_notice(&app->session, false, "copied: %s", text.text);
	else
		session_notice(&app->session, true, "terminal cannot copy (OSC 52)");
}

/* The screen as it is without a prompt, in cells: on a canvas of its own. */
static void draw_picture(struct app *app, struct str *out)
{
	const struct canvas shown = app->canvas;
	struct screen *screen = app->screen;
	const bool line = app->line.on;
	int x, y;

	canvas_init(&app->canvas, shown.w, shown.h, shown.ascii);
	app->canvas.mono = shown.mono;
	app->screen = NULL; /* no pixels */
	app->line.on = false;
	app_draw(app, &x, &y);
	canvas_to_svg(&app->canvas, screen_theme(screen), out);
	canvas_fini(&app->canvas);
	app->canvas = shown;
	app->screen = screen;
	app->line.on = line;
}

bool app_export_picture(struct app *app, const char *path, struct err *err)
{
	struct output output;
	OWNED_STR picture = STR_INIT;

	if (!app->screen)
		return err_set(err, STATUS_USAGE, "a picture (.svg) is of a screen");
	if (!output_open(&output, path, trace_path(app->session.trace), err))
		return false;
	draw_picture(app, &picture);
	if (!output_close(&output, fwrite(picture.text, 1, picture.n, output.stream) == picture.n,
			  err))
		return false;
	session_notice(&app->session, false, "the screen was written to %s", path);
	return true;
}
