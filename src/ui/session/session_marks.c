/* Places with letters. */
#include <string.h>

#include "ui/session/session.h"
#include "views/facts/place_words.h"

void session_mark(struct session *session, unsigned mark, const char *note)
{
	struct mark *m = &session->marks[mark];

	*m = (struct mark){ true, session->cursor.location, session->cursor.time,
			    session->cursor.event, "" };
	str_clean(m->note, sizeof m->note, note, strlen(note));
}

static int64_t time_of(const struct session *session, const struct mark *mark)
{
	return mark->event == EVENT_NONE
		       ? mark->time
		       : trace_event_time(session->trace, session->base, mark->event);
}

static uint32_t path_of(const struct session *session, const struct mark *mark)
{
	return mark->event == EVENT_NONE
		       ? trace_path_at(session->trace, session->base, mark->location, mark->time)
		       : trace_event_path(session->trace, mark->event);
}

void session_go_mark(struct session *session, unsigned mark)
{
	const struct mark *m = &session->marks[mark];
	const uint32_t path = path_of(session, m);
	struct selection selection = SELECTION_NONE;

	session_set_cursor(session, m->location, time_of(session, m), m->event);
	selection.location = m->location;
	selection.event = m->event;
	if (path)
		selection.path = trace_callpath(session->trace, path)->canon;
	const struct query query = session_query(session);
	selection_complete(&selection, &query);
	session_select(session, &selection);
}

void session_mark_text(const struct session *session, unsigned mark, struct str *out)
{
	const struct mark *m = &session->marks[mark];

	if (*m->note)
		str_add_fmt(out, "%s:  ", m->note);
	words_location(session->trace, m->location, false, out);
	str_add(out, "  ");
	words_path(session->trace, path_of(session, m), out);
	str_add(out, "  ");
	units_human_time(out, time_of(session, m), trace_scale(session->trace), 7);
}
