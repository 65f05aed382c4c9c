/* Carries the user's state of a running job's session over to its next look. */
#include <string.h>

#include "base/str.h"
#include "ui/session/session.h"

/* The path's id if it is the same call path in the new trace; otherwise UINT32_MAX. */
static uint32_t same_path(const struct session *now, const struct session *before)
{
	struct str a = STR_INIT, b = STR_INIT;
	const uint32_t path = before->callpath;
	bool same = path != UINT32_MAX && path < trace_callpath_count(now->trace);

	if (same) {
		trace_callpath_text(now->trace, path, &a);
		trace_callpath_text(before->trace, path, &b);
		same = strcmp(a.text, b.text) == 0;
	}
	str_fini(&a);
	str_fini(&b);
	return same ? path : UINT32_MAX;
}

/* A window of the whole run, or of its core, grows with it; one at its end moves along; any other
 * stays. */
static void follow_window(struct session *now, const struct session *before)
{
	const struct span w = before->window, run = before->run;
	const int64_t grown = now->run.t1 - run.t1;

	session_find_core(now);
	if (w.t0 == run.t0 && w.t1 == run.t1)
		return;
	if (w.t0 == before->core.t0 && w.t1 == before->core.t1) {
		now->window = now->core;
		return;
	}
	now->window = w;
	if (w.t1 == run.t1) {
		now->window.t0 += grown;
		now->window.t1 += grown;
	}
}

void session_continue(struct session *now, struct session *before)
{
	const uint32_t locations = trace_location_count(now->trace);
	OWNED_VEC(uint32_t) hidden = VEC_INIT;
	struct err err = ERR_INIT;

	now->usual_base = before->usual_base;
	if (trace_has_base(now->trace, before->base))
		session_set_base(now, before->base, &err);
	/* The filter may name something that the new trace lacks; then the notice says so. */
	if (before->filter && !session_set_filter(now, filter_text(before->filter), &err))
		session_notice(now, true, "%s", err.text);
	if (before->sequence.sequence)
		session_set_sequence(now, sequence_text(before->sequence.sequence), NULL);
	follow_window(now, before);
	for (size_t i = 0; i < before->hidden.n; i++)
		if (before->hidden.data[i] < locations)
			vec_push(&hidden, before->hidden.data[i]);
	session_hide_all(now, hidden.data, (uint32_t)hidden.n);
	changes_fini(&now->changes);
	now->changes = before->changes;
	before->changes = (struct changes){ .held = false };
	arrangement_fini(&now->arrangement);
	now->arrangement = before->arrangement;
	before->arrangement = (struct arrangement){ .key = BY_NONE };
	column_choices_fini(&now->columns);
	now->columns = before->columns;
	before->columns = (struct column_choices){ .list = VEC_INIT };
	session_rearranged(now);
	now->grouped = before->grouped;
	now->metric = before->metric;
	now->callpath = same_path(now, before);
	now->difference = before->difference;
	now->critical_path = before->critical_path;
	session_continue_colours(now, before);
	now->counting = before->counting;
	now->level = before->level;
	now->cursor = before->cursor;
	now->cursor.event = EVENT_NONE;
	if (now->cursor.location >= locations)
		now->cursor.location = 0;
	/* Its numbers are those of the old trace. */
	now->chosen_no = before->chosen_no;
	for (int i = 0; i < MARKS; i++) {
		now->marks[i] = before->marks[i];
		now->marks[i].event = EVENT_NONE;
		now->marks[i].set &= now->marks[i].location < locations;
	}
	now->ascii = before->ascii;
	now->source_path = before->source_path;
	if (!*now->notice && *before->notice)
		session_notice(now, before->notice_is_error, "%s", before->notice);
	now->generation = before->generation + 1;
	now->rows_generation = before->rows_generation + 1;
}
