/* Two ways to the source text of the item under the cursor: the source view and $EDITOR. */
#include "ui/app/application.h"
#include "ui/panels/editor.h"
#include "views/facts/place_words.h"
#include "views/facts/source_find.h"

/* The source line that belongs to the selection; for a call without one, with a notice, that of the
 * innermost caller which has one. False: none is known; *knows: something was under the cursor. */
static bool place_here(struct app *app, struct source_place *place, bool *knows)
{
	struct session *session = &app->session;
	const struct trace *trace = session->trace;
	OWNED_STR call = STR_INIT, above = STR_INIT;
	uint32_t caller;

	app_take_selection(app);
	/* A row may have a line where the call that the view landed with has none. */
	if (!selection_source(&session->chosen, trace, place, &caller))
		app_take_row(app);
	*knows = !selection_is_none(&session->chosen);
	if (!selection_source(&session->chosen, trace, place, &caller))
		return false;
	if (caller != UINT32_MAX && session->chosen.region != UINT32_MAX) {
		words_region(trace, session->chosen.region, &call);
		words_region(trace, trace_callpath_region(trace, caller), &above);
		session_notice(session, false, "no line is known of %s: its caller %s", call.text,
			       above.text);
	}
	return true;
}

void app_act_source(struct app *app)
{
	struct session *session = &app->session;
	struct source_place place;
	bool knows;

	if (!place_here(app, &place, &knows) && knows) {
		session_no_line(session);
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
		if (knows)
			session_no_line(session);
		else
			session_notice(session, false,
				       "nothing is selected; go to a row, a visit or an event");
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
