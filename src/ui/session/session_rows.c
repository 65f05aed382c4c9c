/* Which rows there are: hidden ones, groups, the other trace. */
#include "base/mem.h"
#include "ui/session/session.h"

void session_rearranged(struct session *session)
{
	session->rows_generation++;
	session->generation++;
}

void session_hide_all(struct session *session, const uint32_t *locations, uint32_t n)
{
	OWNED bool *hide = xcalloc((size_t)trace_location_count(session->trace) + 1, sizeof *hide);
	size_t left = 0, after = 0;
	bool any = false;
	for (uint32_t i = 0; i < n; i++)
		hide[locations[i]] = true;
	for (size_t i = 0; i < session->rows.n; i++)
		left += !hide[session->rows.data[i]];
	if (left == 0 && session->rows.n) {
		hide[*vec_last(&session->rows)] = false;
		session_notice(session, true, "at least one row must stay; %s shows all",
			       session_key(session, ACTION_SHOW_ALL).text);
	}
	for (size_t i = 0; i < session->rows.n && !any; i++)
		any = hide[session->rows.data[i]];
	if (any)
		session_remember(session, CHANGE_ROWS);
	left = 0;
	for (size_t i = 0; i < session->rows.n; i++) {
		const uint32_t location = session->rows.data[i];
		if (location == session->cursor.location)
			after = left;
		if (hide[location])
			vec_push(&session->hidden, location);
		else
			session->rows.data[left++] = location;
	}
	if (left != session->rows.n) {
		session->rows.n = left;
		if (hide[session->cursor.location]) {
			session->cursor.location =
				session->rows.data[after < left ? after : left - 1];
			session->cursor.event = EVENT_NONE;
		}
		session_rearranged(session);
	}
}

void session_hide_other(struct session *session, bool hidden)
{
	if (session->other_hidden == hidden)
		return;
	session_remember(session, CHANGE_OTHER);
	session->other_hidden = hidden;
	session_rearranged(session);
}

void session_hide(struct session *session, uint32_t location)
{
	session_hide_all(session, &location, 1);
}

void session_show_all(struct session *session)
{
	if (session->hidden.n == 0)
		return;
	session_remember(session, CHANGE_ROWS);
	session->hidden.n = 0;
	session->rows.n = 0;
	for (uint32_t l = 0; l < trace_location_count(session->trace); l++)
		vec_push(&session->rows, l);
	session_rearranged(session);
}

void session_group(struct session *session, enum group_key key, uint32_t range)
{
	struct arrangement *a = &session->arrangement;
	if (a->key != key || a->range != range)
		session_remember(session, CHANGE_GROUPS);
	a->key = key;
	a->range = range;
	a->opened.n = 0;
	session->cursor.group = key != BY_NONE;
	session->grouped = true;
	session->asked.tell_groups = true;
	session_rearranged(session);
}
