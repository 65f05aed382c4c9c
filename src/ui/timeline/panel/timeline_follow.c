#include "ui/timeline/panel/timeline_follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The cursor's place as an event: the one it is on, or the first one not before its time. */
static bool here(const struct session *s, struct cursor *c)
{
	if (s->cursor.event != EVENT_NONE) {
		cursor_at(c, s->trace, s->base, s->cursor.event);
		return true;
	}
	return cursor_seek(c, s->trace, s->base, s->cursor.location, s->cursor.time);
}

static void go(struct session *s, const struct cursor *c)
{
	session_set_cursor(s, c->location, cursor_time(c), c->id);
}

bool timeline_follow_event(struct session *s, int direction)
{
	struct cursor c;
	bool ok;

	if (s->cursor.location >= trace_location_count(s->trace))
		return false;
	ok = here(s, &c);
	if (direction > 0 && ok && s->cursor.event != EVENT_NONE)
		ok = cursor_next(&c);
	else if (direction < 0)
		ok = ok ? cursor_prev(&c) : cursor_last(&c, s->trace, s->base, s->cursor.location);
	if (ok)
		go(s, &c);
	return ok;
}

static bool enters_region(const struct trace *trace, uint32_t what, uint32_t region)
{
	return what_kind(what) == EV_ENTER && trace_callpath_region(trace, what_id(what)) == region;
}

bool timeline_follow_region(struct session *s, const struct timeline_item *item, int direction)
{
	const struct trace *trace = s->trace;
	uint32_t region;
	struct cursor c;
	bool ok;

	if (!item->known || item->path == 0)
		return false;
	region = trace_callpath_region(trace, item->path);
	if (item->enter != EVENT_NONE) {
		cursor_at(&c, trace, s->base, item->enter);
		ok = direction > 0 ? cursor_next(&c) : cursor_prev(&c);
	} else {
		ok = cursor_seek(&c, trace, s->base, item->location, s->cursor.time);
	}
	while (ok && !enters_region(trace, cursor_what(&c), region))
		ok = direction > 0 ? cursor_next(&c) : cursor_prev(&c);
	if (ok)
		go(s, &c);
	return ok;
}

/* ---- messages and collectives ---- */

static bool follow_collective(struct session *s, uint32_t member)
{
	const struct collective *c =
		trace_collective(s->trace, trace_member_collective(s->trace, member));
	const uint32_t last = collective_last(s->trace, s->base, c);

	if (last == EVENT_NONE || last == trace_member(s->trace, member)->begin) {
		session_notice(s, false, "this rank entered the collective last");
		return false;
	}
	session_go_event(s, last);
	session_notice(s, false, "the rank that entered the collective last");
	return true;
}

bool timeline_follow_message(struct session *s, const struct timeline_item *item, int direction)
{
	const uint32_t message = item->message != NO_ROW ? item->message : item->near;
	const struct message *m;
	uint32_t event;

	if (item->message == NO_ROW && item->member != NO_ROW)
		return follow_collective(s, item->member);
	if (message == NO_ROW) {
		session_notice(s, false, "no message here; go to a send or a receive");
		return false;
	}
	m = trace_message(s->trace, message);
	if (m->flags & (direction > 0 ? MSG_NO_RECV : MSG_NO_SEND)) {
		session_notice(s, false,
			       direction > 0 ? "no receive was recorded for this message"
					     : "no send was recorded for this message");
		return false;
	}
	event = direction > 0 ? m->recv : m->send;
	if (event == s->cursor.event) {
		session_notice(s, false,
			       direction > 0 ? "this is the receive of the message"
					     : "this is the send of the message");
		return false;
	}
	session_go_event(s, event);
	return true;
}

/* ---- search ---- */

enum { EVENTS_A_STEP = 1 << 15 };

void timeline_search_fini(struct timeline_search *search)
{
	matcher_free(search->matcher);
	free(search->hits);
	*search = (struct timeline_search){ 0 };
}

static bool hit(const struct timeline_search *search, const struct trace *trace, uint32_t what)
{
	return what_kind(what) == EV_ENTER &&
	       search->hits[trace_callpath_region(trace, what_id(what))];
}

static bool prepare(struct timeline_search *search, const struct trace *trace, const char *pattern,
		    struct err *err)
{
	const uint32_t n = trace_region_count(trace);

	if (search->matcher && strcmp(matcher_pattern(search->matcher), pattern) == 0)
		return true;
	if (!matcher_change(&search->matcher, pattern, err))
		return false;
	free(search->hits);
	search->all = search->at = 0;
	search->hits = xcalloc((size_t)n + 1, sizeof *search->hits);
	for (uint32_t r = 0; r < n; r++) {
		const char *name = trace_region_name(trace, r);

		search->hits[r] = matcher_hits(search->matcher, name, strlen(name));
	}
	return true;
}

/* Which row the location is, or the number of rows. */
static size_t row_of(const struct session *s, uint32_t location)
{
	size_t row = 0;

	while (row < s->rows.n && s->rows.data[row] != location)
		row++;
	return row;
}

/* The next hit on a row: from a place on it, or from its end. */
static bool hit_on_row(const struct timeline_search *search, const struct session *s,
		       struct cursor *c, bool ok, int direction)
{
	uint32_t steps = 0;

	while (ok && !hit(search, s->trace, cursor_what(c))) {
		ok = direction < 0 ? cursor_prev(c) : cursor_next(c);
		if (++steps % EVENTS_A_STEP == 0 && session_stopped(s))
			return false;
	}
	return ok;
}

/* Searches row by row from the current place, round to the row where it began. */
static bool find(const struct timeline_search *search, const struct session *s, uint32_t location,
		 int64_t time, uint32_t event, int direction, struct cursor *c)
{
	const size_t n = s->rows.n, first = row_of(s, location);
	bool ok;

	if (first == n)
		return false;
	if (event != EVENT_NONE) {
		cursor_at(c, s->trace, s->base, event);
		ok = direction == 0 ? true : direction > 0 ? cursor_next(c) : cursor_prev(c);
	} else {
		ok = cursor_seek(c, s->trace, s->base, location, time);
		if (direction < 0)
			ok = ok ? cursor_prev(c) : cursor_last(c, s->trace, s->base, location);
	}
	if (hit_on_row(search, s, c, ok, direction))
		return true;
	for (size_t i = 1; i <= n; i++) {
		const size_t row = direction < 0 ? (first + n - i % n) % n : (first + i) % n;

		ok = direction < 0 ? cursor_last(c, s->trace, s->base, s->rows.data[row])
				   : cursor_first(c, s->trace, s->base, s->rows.data[row]);
		if (hit_on_row(search, s, c, ok, direction))
			return true;
		if (!progress_step(s->progress, "searching", i, n))
			return false;
	}
	return false;
}

/* All hits and the cursor's place among them, where counting them takes no time worth speaking
 * of. */
static void count(struct timeline_search *search, const struct session *s, uint32_t event)
{
	enum { CHEAP_EVENTS = 1000000 };
	struct cursor c;

	search->all = search->at = 0;
	if (trace_event_count(s->trace) > CHEAP_EVENTS)
		return;
	for (size_t row = 0; row < s->rows.n; row++) {
		bool ok = cursor_first(&c, s->trace, s->base, s->rows.data[row]);

		for (; ok; ok = cursor_next(&c)) {
			search->all += hit(search, s->trace, cursor_what(&c));
			if (c.id == event)
				search->at = search->all;
		}
	}
}

bool timeline_search_go(struct timeline_search *search, struct session *s, const char *pattern,
			int direction, struct err *err)
{
	struct cursor c;
	bool ok;

	if (!*pattern) {
		timeline_search_fini(search);
		return true;
	}
	if (!prepare(search, s->trace, pattern, err))
		return false;
	if (direction == 0 && !search->typing) {
		search->from_location = s->cursor.location;
		search->from_time = s->cursor.time;
		search->from_event = s->cursor.event;
	}
	search->typing = direction == 0;
	ok = direction == 0 ? find(search, s, search->from_location, search->from_time,
				   search->from_event, 0, &c)
			    : find(search, s, s->cursor.location, s->cursor.time, s->cursor.event,
				   direction, &c);
	/* A key came: it may change what is searched. */
	if (!ok && session_stopped(s))
		return true;
	if (!ok)
		return err_set(err, STATUS_NO, "no visit of a region that matches '%s'", pattern);
	go(s, &c);
	count(search, s, c.id);
	return true;
}
