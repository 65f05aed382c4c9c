/* The sequence of calls that is looked for, and its matches. */
#include "base/order.h"
#include "ui/session/session.h"
#include "views/query/view_common.h"

static void forget(struct session_sequence *q)
{
	vec_fini(&q->matches);
	vec_fini(&q->firsts);
	q->found_of = 0;
}

void session_sequence_fini(struct session_sequence *q)
{
	forget(q);
	sequence_free(q->sequence);
	*q = (struct session_sequence){ 0 };
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
	session_sequence_fini(q);
	q->sequence = sequence;
	q->leads = sequence != NULL;
	session->generation++;
	return true;
}

/* Of all locations with a row, in their order in the trace. False: progress stopped it. */
static bool find(struct session *session)
{
	struct session_sequence *q = &session->sequence;
	const struct sequence_search search = { session->base, INT64_MIN, INT64_MAX,
						session->filter, session->progress };
	struct sequence_finder *finder = sequence_finder_new(q->sequence, &search);
	bool ok = true;

	for (uint32_t l = 0; ok && l < trace_location_count(session->trace); l++) {
		vec_push(&q->firsts, (uint32_t)q->matches.n);
		ok = !filter_location(session->filter, l) || sequence_find(finder, l, &q->matches);
	}
	vec_push(&q->firsts, (uint32_t)q->matches.n);
	sequence_finder_free(finder);
	return ok;
}

bool session_find_sequence(struct session *session)
{
	struct session_sequence *q = &session->sequence;

	if (!q->sequence || q->found_of == session->rows_generation + 1)
		return q->sequence != NULL;
	forget(q);
	if (!find(session)) {
		forget(q);
		return false;
	}
	q->found_of = session->rows_generation + 1;
	return true;
}

const struct sequence_match *session_matches(const struct session *session, uint32_t location,
					     uint32_t *n)
{
	const struct session_sequence *q = &session->sequence;
	const bool known = q->sequence && q->found_of == session->rows_generation + 1;

	*n = known ? q->firsts.data[location + 1] - q->firsts.data[location] : 0;
	return *n ? &q->matches.data[q->firsts.data[location]] : NULL;
}

struct span session_match_span(const struct session *session, const struct sequence_match *match)
{
	const uint32_t leave = trace_event_partner(session->trace, match->last);

	return (struct span){ trace_event_time(session->trace, session->base, match->first),
			      leave == EVENT_NONE
				      ? session->run.t1 - 1
				      : trace_event_time(session->trace, session->base, leave) };
}

/* ---- from match to match ---- */

static void go(struct session *session, uint32_t location, uint32_t nth)
{
	uint32_t n;
	const struct sequence_match *match = session_matches(session, location, &n) + nth;
	const struct span span = session_match_span(session, match);
	OWNED_STR took = STR_INIT;

	units_human_time(&took, span.t1 - span.t0, trace_scale(session->trace), 3);
	session_go_event(session, match->first);
	session->cursor.group = false;
	session->selection = (struct span){ span.t0, span.t1 + 1 };
	session->selecting = false;
	session_notice(session, false, "match %u of %u here, %zu in all: %u %s in %s", nth + 1, n,
		       session->sequence.matches.n, match->calls,
		       match->calls == 1 ? "call" : "calls", took.text);
}

bool session_go_match(struct session *session, uint32_t enter)
{
	const uint32_t location = trace_event_location(session->trace, enter);
	uint32_t n;
	const struct sequence_match *all = session_matches(session, location, &n);

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

	BISECT(low, high, i, trace_event_time(s->trace, s->base, all[i].first) < t);
	*before = low;
	while (low < n && trace_event_time(s->trace, s->base, all[low].first) == t &&
	       s->cursor.event != EVENT_NONE && all[low].first < s->cursor.event)
		*before = ++low;
	*through = low + (low < n && all[low].first == s->cursor.event);
}

bool session_next_match(struct session *session, int direction)
{
	const size_t rows = session->rows.n;
	size_t at = 0;
	uint32_t n, before, through;

	while (at < rows && session->rows.data[at] != session->cursor.location)
		at++;
	at = at < rows ? at : 0;
	for (size_t k = 0; k <= rows && rows; k++) {
		const size_t row = direction > 0 ? (at + k) % rows : (at + rows - k % rows) % rows;
		const uint32_t location = session->rows.data[row];
		const struct sequence_match *all = session_matches(session, location, &n);
		before = direction > 0 ? 0 : n;
		through = 0;
		if (k == 0)
			at_cursor(session, all, n, &before, &through);
		if (direction > 0 ? through < n : before > 0) {
			go(session, location, direction > 0 ? through : before - 1);
			return true;
		}
	}
	session_notice(session, false, "the sequence has no match on these rows");
	return false;
}
