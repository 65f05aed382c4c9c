/* Two ways to the source text of the item under the cursor: the source view and $EDITOR. */
#include "ui/app/application.h"
#include "ui/panels/editor.h"
#include "views/facts/source_find.h"

/* The source line of the item under the cursor, of the overlay or of the view; false if it has
 * none. *knows: the view knows of source lines at all. */
static bool place_here(struct app *app, struct source_place *place, bool *knows)
{
	const struct panel *panel = app_front(app);

	*knows = panel->ops->source != NULL;
	if (*knows && panel->ops->source(panel, place))
		return true;
	*place = SOURCE_NOWHERE;
	return false;
}

void app_act_source(struct app *app)
{
	struct session *session = &app->session;
	struct source_place place;
	bool knows;

	if (!place_here(app, &place, &knows) && knows) {
		session_notice(session, false, "no source line recorded; compile with -g");
		return;
	}
	if (app->overlay)
		app_close_overlay(app);
	/* From a view without lines: to the place shown last, or to the line that cost most. */
	if (knows)
		session_show_source(session, &place);
	else
		session->asked.goto_view = "source";
	app_react(app, REACT_REDRAW);
}

static bool edit(struct app *app, const char *path, uint32_t line, struct err *err)
{
	struct editor_words words;
	bool ok;

	if (!editor_words(&words, err))
		return false;
	screen_leave(app->screen);
	ok = editor_run(&words, path, line, screen_fd(app->screen), err);
	screen_return(app->screen);
	editor_words_fini(&words);
	return ok;
}

void app_act_edit(struct app *app)
{
	struct session *session = &app->session;
	struct source_place place;
	struct source_roots roots;
	struct source_found found;
	struct err err = ERR_INIT;
	bool knows;

	if (!place_here(app, &place, &knows)) {
		session_notice(session, false,
			       knows ? "no source line recorded; compile with -g"
				     : "this view knows no lines of source: graph, profile, "
				       "patterns, timeline do");
		return;
	}
	source_roots_of(&roots, session->trace, session->source_path);
	if (source_find(&roots, trace_string(session->trace, place.file), &found, &err) &&
	    edit(app, found.path, place.line, &err))
		session_notice(session, false, "back from the editor");
	source_roots_fini(&roots);
	source_found_fini(&found);
	if (err_is_set(&err))
		session_notice(session, true, "%s", err.text);
	/* The file may have changed. */
	app_forget_view(app, app->view);
}
