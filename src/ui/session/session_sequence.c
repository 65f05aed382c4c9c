/* The sequence of calls that is looked for, and its matches. */
#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "ui/session/session.h"
#include "views/facts/match_search.h"

void session_sequence_fini(struct session_sequence *q)
{
	match_search_free(q->found);
	sequence_free(q->sequence);
	*q = (struct session_sequence){ 0 };
}

static bool same_sequence(const struct sequence *a, const struct sequence *b)
{
	return a && b ? strcmp(sequence_text(a), sequence_text(b)) == 0 : a == b;
}

bool session_set_sequence(struct session *session, const char *text, struct err *err)
{
	struct session_sequence *q = &session->sequence;
	struct sequence *sequence = NULL;

	if (text && text[strspn(text, " ")]) {
		sequence = sequence_compile(text, session->trace, err);
		if (!sequence)
			return false;
	}
	if (!same_sequence(q->sequence, sequence))
		session_remember(session, CHANGE_SEQUENCE);
	session_sequence_fini(q);
	q->sequence = sequence;
	q->leads = sequence != NULL;
	session->generation++;
	return true;
}

/* Of all locations: hidden rows do not count, but come back. */
static struct query query_of(const struct session *session)
{
	return (struct query){ .trace = session->trace,
			       .sequence = session->sequence.sequence,
			       .base = session->base,
			       .filter = session->filter };
}

const struct match_search *session_found(const struct session *session)
{
	const struct query query = query_of(session);

	return match_search_is_of(session->sequence.found, &query) ? session->sequence.found : NULL;
}

bool session_search_sequence(struct session *session)
{
	struct session_sequence *q = &session->sequence;
	const struct query query = query_of(session);

	if (!q->sequence)
		return false;
	if (!match_search_is_of(q->found, &query)) {
		match_search_free(q->found);
		q->found = match_search_new(&query);
	}
	return match_search_work(q->found, SLICE_NS);
}

/* ---- from match to match ---- */

static void go(struct session *session, uint32_t location, uint32_t nth)
{
	const struct match_search *found = session_found(session);
	uint32_t n;
	const struct sequence_match *match = match_search_at(found, location, &n) + nth;
	OWNED_STR took = STR_INIT;

	units_human_time(&took, match->end - match->begin, trace_scale(session->trace), 3);
	session_go_event(session, match->first);
	session->cursor.group = false;
	session->selection = (struct span){ match->begin, match->end + 1 };
	session->selecting = false;
	session_notice(session, false, "match %u of %u here, %zu %s: %u %s in %s", nth + 1, n,
		       match_search_count(found),
		       match_search_ended(found) ? "in all" : "in all so far", match->calls,
		       match->calls == 1 ? "call" : "calls", took.text);
}

bool session_go_match(struct session *session, uint32_t enter)
{
	const uint32_t location = trace_event_location(session->trace, enter);
	uint32_t n;
	const struct sequence_match *all = match_search_at(session_found(session), location, &n);

	for (uint32_t i = 0; i < n; i++)
		if (all[i].first == enter) {
			go(session, location, i);
			return true;
		}
	return false;
}

/* Of a row: how many matches begin before the cursor, and at it or before. */
static void at_cursor(const struct session *s, const struct sequence_match *all, uint32_t n,
		      uint32_t *before, uint32_t *through)
{
	const int64_t t = s->cursor.time;
	uint32_t low = 0, high = n;

	BISECT(low, high, i, all[i].begin < t);
	*before = low;
	while (low < n && all[low].begin == t && s->cursor.event != EVENT_NONE &&
	       all[low].first < s->cursor.event)
		*before = ++low;
	*through = low + (low < n && all[low].first == s->cursor.event);
}

static void say_none(struct session *session, const struct match_search *found)
{
	if (found && !match_search_ended(found))
		session_notice(session, false,
			       "no match on these rows so far: %.0f %% are searched",
			       100 * match_search_done(found));
	else
		session_notice(session, false, "the sequence has no match on these rows");
}

bool session_next_match(struct session *session, int direction)
{
	const struct match_search *found = session_found(session);
	const size_t rows = session->rows.n;
	size_t at = 0;
	uint32_t n, before, through;

	while (at < rows && session->rows.data[at] != session->cursor.location)
		at++;
	at = at < rows ? at : 0;
	for (size_t k = 0; k <= rows && rows; k++) {
		const size_t row = direction > 0 ? (at + k) % rows : (at + rows - k % rows) % rows;
		const uint32_t location = session->rows.data[row];
		const struct sequence_match *all =
			match_search_at(session_found(session), location, &n);
		before = direction > 0 ? 0 : n;
		through = 0;
		if (k == 0)
			at_cursor(session, all, n, &before, &through);
		if (direction > 0 ? through < n : before > 0) {
			go(session, location, direction > 0 ? through : before - 1);
			return true;
		}
	}
	say_none(session, found);
	return false;
}
