/* Commands of the command line (-c), one after the other, each when what the one before has asked
 * for is done; on the screen, or without a terminal, where only what exports, prints or prepares
 * that has a meaning. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "ui/app/application.h"
#include "views/export/export.h"

bool app_run_next(struct app *app)
{
	const struct option_texts *commands = app->options->commands;
	struct err err = ERR_INIT;

	if (!commands || app->commands_run >= commands->n)
		return false;
	app->dirty = true;
	if (!app_command(app, commands->texts[app->commands_run++], &err))
		session_notice(&app->session, true, "-c: %s", err.text);
	return true;
}

void app_run_stop(struct app *app)
{
	const struct option_texts *commands = app->options->commands;

	if (!commands || app->commands_run >= commands->n)
		return;
	session_notice(&app->session, false, "%d more commands of -c were not run",
		       commands->n - app->commands_run);
	app->commands_run = commands->n;
}

bool app_can_run(const struct app *app, const char *name, bool argument, struct err *err)
{
	/* Those that open a line to type, an overlay, or change the terminal. */
	static const char *const alone[] = { "search", "filter",      "mark",       "go-mark",
					     "export", "counter",     "command",    "help",
					     "legend", "copy",        "edit",       "redraw",
					     "map",    "suspend",     "live-hold",  "play",
					     "set",    "live-slower", "live-faster" },
				 *const ever[] = { "theme", "play", "bind", "open" };

	if (app->screen)
		return strcmp(name, "print") != 0 ||
		       err_set(err, STATUS_USAGE,
			       "print needs stdout for itself (tview -c print TRACE | cat); here: "
			       "export FILE");
	for (size_t i = 0; !argument && i < sizeof alone / sizeof *alone; i++)
		if (strcmp(alone[i], name) == 0)
			return err_set(err, STATUS_USAGE, "%s needs a terminal", name);
	for (size_t i = 0; i < sizeof ever / sizeof *ever; i++)
		if (strcmp(ever[i], name) == 0)
			return err_set(err, STATUS_USAGE, "%s needs a terminal", name);
	return true;
}

bool app_print(struct app *app, const char *argument, struct err *err)
{
	const size_t n = strcspn(argument, " ");
	const char *format = argument + n + strspn(argument + n, " ");
	OWNED_STR name = STR_INIT;
	struct export_options options = { .ascii = app->session.ascii };
	struct query query = app_export_query(app);
	const struct view_info *view;

	str_add_n(&name, argument, n);
	view = view_of_export(app->options->views, name.n ? name.text : app_exported(app));
	if (!view)
		return err_set(err, STATUS_USAGE, "there is no view '%s' to print", name.text);
	if (*format && !strstr(" text csv json md ", format))
		return err_set(err, STATUS_USAGE, "print %s: the format is text, csv, json or md",
			       argument);
	options.format = *format ? export_format_find(format) : EXPORT_TEXT;
	if (!export_view(view, &query, &options, stdout, err))
		return false;
	if (fflush(stdout))
		return err_errno(err, STATUS_IO, "cannot write");
	return output_check(stdout, err);
}

/* ---- without a terminal ---- */

/* Waits until what is computed in the background is there, and panels show it. */
static void settle(struct app *app)
{
	struct session *session = &app->session;

	analyses_begin(session->analyses, session->base);
	while (analyses_state(session->analyses).busy) {
		struct pollfd fd = { .fd = analyses_fd(session->analyses), .events = POLLIN };
		if (fd.fd < 0 || poll(&fd, 1, -1) < 0)
			break;
		if (analyses_told(session->analyses))
			session->generation++;
	}
	session->generation++;
	do
		app_refresh_view(app);
	while (app_work(app));
}

bool app_run_all(struct app *app, struct trace *trace, struct corrections *corrections)
{
	const struct option_texts *commands = app->options->commands;
	struct session *session = &app->session;
	bool ok = app_begin_session(app, trace, corrections);

	for (int i = 0; ok && i < commands->n && !app->quit; i++) {
		settle(app);
		session->notice[0] = '\0';
		ok = app_command(app, commands->texts[i], app->err);
		if (ok && session->notice[0])
			fprintf(stderr, "tview: %s: %s\n", commands->texts[i], session->notice);
		if (ok && session->notice[0] && session->notice_is_error)
			ok = err_set(app->err, STATUS_USAGE, "-c %s: %s", commands->texts[i],
				     "the commands after it were not run");
	}
	return ok;
}
