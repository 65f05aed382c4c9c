/* From the options to the session: base, ranks, window, filter, and where the cursor is. */
#include "base/slab.h"
#include "ui/app/application.h"
#include "ui/options/choose.h"
#include "views/facts/difference.h"

/* Carries the command line's choice into the session of the screen. Where there is nothing to
 * compare with, it says so, as the key does, and there is still a trace to be looked at. */
bool app_prepare(struct app *app)
{
	struct session *session = &app->session;
	struct options options = app_given(app);
	struct err *err = app->err;
	const bool diff = options.diff;
	OWNED_STR why = STR_INIT;
	struct choice choice;
	bool ok;

	options.diff = false;
	ok = choice_make(&choice, session->trace, session->corrections, &options, err);
	/* The screen looks for wait states without being asked. */
	if (ok)
		analyses_limit(choice.analyses, options.reading.max_mem ? options.reading.max_mem
									: slab_pool_usual());
	ok = ok && session_choose(session, &choice.query, err) &&
	     (!diff || session_set_difference(session, true, err));
	if (ok && diff &&
	    difference_reference(session->trace, session->corrections, session->base) ==
		    session->base) {
		difference_sentence(session->trace, session->corrections, session->base, &why);
		session_notice(session, false, "%s", why.text);
	}
	if (ok && choice.placed) {
		session->placed = true;
		session->timed = choice.time != INT64_MIN;
		session_set_cursor(session, choice.location,
				   choice.time == INT64_MIN ? session->window.t0 : choice.time,
				   EVENT_NONE);
	}
	choice_fini(&choice);
	return ok;
}
