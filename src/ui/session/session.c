#include "ui/session/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/keymap.h"
#include "correct/correct.h"
#include "model/trace/detail.h"
#include "views/facts/difference.h"
#include "views/facts/iteration_sums.h"
#include "views/query/view_common.h"

/* MANY_LOCATIONS: more than a user looks at one by one. */
enum { NARROWEST = 4, MANY_LOCATIONS = 200 };

static struct span run_of(const struct trace *trace, enum time_base base)
{
	int64_t begin, end;
	trace_span(trace, base, &begin, &end);
	if (end - begin < NARROWEST - 1)
		end = begin + NARROWEST - 1;
	return (struct span){ begin, end + 1 };
}

/* Gives metrics distinct names that can be typed. */
static void name_counters(struct session *session)
{
	ENDED_BY(keymap_fini) struct keymap seen = { 0 };
	OWNED_STR name = STR_INIT;
	for (uint32_t m = 0; m < trace_metric_count(session->trace); m++) {
		const uint32_t string = trace_metric(session->trace, m)->name;
		const char *text = trace_string(session->trace, string);
		uint32_t *first = keymap_add(&seen, (struct key){ { string } });
		str_clear(&name);
		str_add_clean_text(&name, text);
		if (name.n == 0 || *first != UINT32_MAX)
			str_add_fmt(&name, "%s%u", name.n ? " #" : "metric ", m);
		*first = m;
		vec_push(&session->counter_names, xstrdup(name.text));
	}
}

/* Panels show efficiencies, and do not wait. */
static struct analyses *new_analyses(struct trace *trace, const struct analysis_options *options)
{
	struct analyses *analyses = analyses_new(trace, options);

	analyses_ahead(analyses);
	return analyses;
}

void session_init(struct session *session, struct trace *trace, enum time_base base)
{
	*session = (struct session){
		.trace = trace,
		.base = base,
		.usual_base = base,
		.run = run_of(trace, base),
		.analyses = new_analyses(trace, &(struct analysis_options){ 0 }),
		.metric = CUBE_NONE,
		.callpath = UINT32_MAX,
		.level = LEVEL_MAIN,
		.cursor = { .event = EVENT_NONE, .metric = UINT32_MAX },
		.chosen = SELECTION_NONE,
		.generation = 1,
		.rows_generation = 1,
	};
	session->window = session->run;
	session->cursor.time = session->run.t0;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		vec_push(&session->rows, l);
	name_counters(session);
	if (session->rows.n > MANY_LOCATIONS)
		session_group(session, BY_RANGE, 0);
	session->grouped = false;
	changes_cut(&session->changes, 0);
}

void session_take_corrections(struct session *session, struct corrections *corrections)
{
	corrections_free(session->corrections);
	session->corrections = corrections;
}

void session_fini(struct session *session)
{
	other_free(session->other);
	analyses_free(session->analyses);
	corrections_free(session->corrections);
	filter_free(session->filter);
	changes_fini(&session->changes);
	vec_fini(&session->rows);
	vec_fini(&session->hidden);
	arrangement_fini(&session->arrangement);
	for (size_t i = 0; i < session->counter_names.n; i++)
		free(session->counter_names.data[i]);
	vec_fini(&session->counter_names);
	graph_free(session->graph);
	trace_free(session->trace);
	*session = (struct session){ 0 };
}

struct query session_query(const struct session *session)
{
	const bool whole =
		session->window.t0 == session->run.t0 && session->window.t1 == session->run.t1;
	const enum time_base against =
		difference_reference(session->trace, session->corrections, session->base);
	return (struct query){
		.trace = session->trace,
		.base = session->base,
		.t0 = whole ? INT64_MIN : session->window.t0,
		.t1 = whole ? INT64_MAX : session->window.t1,
		.filter = session->filter,
		.locations = session->hidden.n ? session->rows.data : NULL,
		.n_locations = (uint32_t)session->rows.n,
		.progress = session->progress,
		.corrections = session->corrections,
		.analyses = session->analyses,
		.other = session->other,
		.metric = session->metric,
		.callpath = session->callpath,
		.source_path = session->source_path,
		.arrangement = &session->arrangement,
		.difference = session->difference && against != session->base,
		.critical_path = session->critical_path && session->analyses,
		.against = against,
		.earlier = session->earlier,
	};
}

bool session_choose(struct session *session, const struct query *query, struct err *err)
{
	if (!session_set_base(session, query->base, err) ||
	    (query->filter && !session_set_filter(session, filter_text(query->filter), err)))
		return false;
	if (query->analyses) {
		analyses_free(session->analyses);
		session->analyses = new_analyses(session->trace, analyses_options(query->analyses));
	}
	OWNED bool *chosen = query->locations ? query_chosen(query) : NULL;
	OWNED_VEC(uint32_t) hidden = VEC_INIT;
	for (uint32_t l = 0; chosen && l < trace_location_count(session->trace); l++)
		if (!chosen[l])
			vec_push(&hidden, l);
	session_hide_all(session, hidden.data, (uint32_t)hidden.n);
	if (query->arrangement)
		session_group(session, query->arrangement->key, 0);
	session->difference = query->difference;
	session->source_path = query->source_path;
	if (!query_is_whole(query))
		session_zoom(session, query->t0 == INT64_MIN ? session->run.t0 : query->t0,
			     query->t1 == INT64_MAX ? session->run.t1 : query->t1);
	session->usual_base = session->base;
	changes_cut(&session->changes, 0);
	return true;
}

/* The nearest window of the same width inside the run. */
static struct span clamp(const struct session *session, struct span window)
{
	const struct span run = session->run;
	if (window.t1 - window.t0 >= run.t1 - run.t0)
		return run;
	int64_t width = window.t1 - window.t0;
	if (width < NARROWEST)
		width = NARROWEST;
	if (window.t0 < run.t0)
		window.t0 = run.t0;
	if (window.t0 > run.t1 - width)
		window.t0 = run.t1 - width;
	window.t1 = window.t0 + width;
	return window;
}

static bool same(struct span a, struct span b)
{
	return a.t0 == b.t0 && a.t1 == b.t1;
}

static void set_window(struct session *session, struct span window)
{
	if (same(session->window, window))
		return;
	session->window = window;
	session->window_restored = false;
	session->generation++;
}

void session_show_window(struct session *session, struct span window)
{
	set_window(session, clamp(session, window));
}

void session_zoom(struct session *session, int64_t t0, int64_t t1)
{
	/* A window that is too wide on one side only is cut there. */
	if (t0 < session->run.t0)
		t0 = session->run.t0;
	if (t1 > session->run.t1)
		t1 = session->run.t1;
	const struct span window = clamp(session, (struct span){ t0, t1 > t0 ? t1 : t0 });
	if (same(window, session->window))
		return;
	session_remember(session, CHANGE_WINDOW);
	set_window(session, window);
	if (session->cursor.time < window.t0 || session->cursor.time >= window.t1) {
		session->cursor.time = window.t0 + (window.t1 - window.t0) / 2;
		session->cursor.event = EVENT_NONE;
	}
}

void session_pan(struct session *session, int64_t by)
{
	struct span window = session->window;
	/* Pans the cursor along with the window; sums inside a run cannot exceed 64 bits. */
	const int64_t room = by < 0 ? session->run.t0 - window.t0 : session->run.t1 - window.t1;
	if (by < 0 ? by < room : by > room)
		by = room;
	window.t0 += by;
	window.t1 += by;
	if (by == 0)
		return;
	session->cursor.time += by;
	session->cursor.event = EVENT_NONE;
	set_window(session, window);
}

void session_set_cursor(struct session *session, uint32_t location, int64_t time, uint32_t event)
{
	session->cursor.location = location;
	if (time < session->run.t0)
		time = session->run.t0;
	if (time >= session->run.t1)
		time = session->run.t1 - 1;
	session->cursor.time = time;
	session->cursor.event = event;
	struct span window = session->window;
	const int64_t width = window.t1 - window.t0;
	if (time >= window.t0 && time < window.t1)
		return;
	/* A jump centres the window, so that the surroundings are visible. */
	window.t0 = time - width / 2;
	window.t1 = window.t0 + width;
	set_window(session, clamp(session, window));
}

void session_go_event(struct session *session, uint32_t event)
{
	session_set_cursor(session, trace_event_location(session->trace, event),
			   trace_event_time(session->trace, session->base, event), event);
}

void session_select(struct session *session, const struct selection *selection)
{
	if (selection_is_none(selection) || selection_same(selection, &session->chosen))
		return;
	session->chosen = *selection;
	session->chosen_no++;
}

static bool same_filter(const struct filter *a, const struct filter *b)
{
	return a && b ? strcmp(filter_text(a), filter_text(b)) == 0 : a == b;
}

bool session_set_filter(struct session *session, const char *text, struct err *err)
{
	struct filter *filter = NULL;
	if (text && text[strspn(text, " ")]) {
		filter = filter_compile(text, session->trace, err);
		if (!filter)
			return false;
	}
	if (!same_filter(session->filter, filter))
		session_remember(session, CHANGE_FILTER);
	filter_free(session->filter);
	session->filter = filter;
	session_rearranged(session);
	return true;
}

/* ---- time bases ---- */

static bool make_base(struct session *session, enum time_base base, struct err *err)
{
	if (!trace_has_base(session->trace, base))
		return err_set(err, STATUS_USAGE, "this trace has no time base '%s'",
			       time_base_name(base));
	return trace_base_make(session->trace, base, NULL, err);
}

static bool make_reference(struct session *session, enum time_base base, struct err *err)
{
	return make_base(session, difference_reference(session->trace, session->corrections, base),
			 err);
}

bool session_set_difference(struct session *session, bool on, struct err *err)
{
	if (on && !make_reference(session, session->base, err))
		return false;
	session->difference = on;
	session->generation++;
	return true;
}

/* Moves window and cursor to another base so that the events of the cursor's location stay where
 * they are. If neither was moved since the base last changed, both are mapped from where they were
 * before that, so that going back is exact. */
static void follow_base(struct session *session, enum time_base from)
{
	struct base_origin *o = &session->origin;
	const uint32_t location = session->cursor.location;
	const struct trace *trace = session->trace;
	struct span window;

	if (location >= trace_location_count(trace))
		return;
	if (!same(o->shown, session->window) || o->cursor_shown != session->cursor.time)
		*o = (struct base_origin){ .base = from,
					   .window = session->window,
					   .cursor = session->cursor.time };
	window.t0 = moves_map(trace, o->base, session->base, location, o->window.t0);
	window.t1 = moves_map(trace, o->base, session->base, location, o->window.t1);
	session->cursor.time =
		session->cursor.event == EVENT_NONE
			? moves_map(trace, o->base, session->base, location, o->cursor)
			: trace_event_time(trace, session->base, session->cursor.event);
	session->window = clamp(session, window);
}

bool session_set_base(struct session *session, enum time_base base, struct err *err)
{
	const enum time_base from = session->base;

	if (base == from)
		return true;
	if (!make_base(session, base, err) ||
	    (session->difference && !make_reference(session, base, err)))
		return false;
	session_remember(session, CHANGE_BASE);
	const bool whole = same(session->window, session->run);
	session->base = base;
	session->rows_generation++;
	session->run = run_of(session->trace, base);
	follow_base(session, from);
	if (whole)
		session->window = session->run;
	session->generation++;
	session_set_cursor(session, session->cursor.location, session->cursor.time,
			   session->cursor.event);
	session->origin.shown = session->window;
	session->origin.cursor_shown = session->cursor.time;
	if (session->comparison.on)
		session->comparison.after = base;
	return true;
}

/* ---- two bases, one above the other ---- */

static void widen(struct span *span, int64_t t)
{
	span->t0 = t < span->t0 ? t : span->t0;
	span->t1 = t >= span->t1 ? t + 1 : span->t1;
}

static struct span events_span(const struct session *session, enum time_base base, int64_t shift)
{
	const struct comparison *c = &session->comparison;
	const int64_t at = trace_event_time(session->trace, base, c->send) - shift;
	struct span span = { at, at + 1 };

	if (c->recv != EVENT_NONE)
		widen(&span, trace_event_time(session->trace, base, c->recv) - shift);
	return span;
}

/* TOO_FAR: a window this many times wider than its events shows nothing of them. TOO_WIDE: a pair
 * that takes more than 1/TOO_WIDE of the run is too far apart. */
enum { TOO_FAR = 20, TOO_WIDE = 4 };

/* True if one window cannot show both: without measured offsets, clocks may be seconds apart. */
static bool is_far(const struct session *session, struct span before, struct span after)
{
	const struct comparison *c = &session->comparison;
	const int64_t shift = trace_event_time(session->trace, c->before, c->send) -
			      trace_event_time(session->trace, c->after, c->send);
	const int64_t wide = after.t1 - after.t0 + before.t1 - before.t0;

	return (shift < 0 ? -shift : shift) / TOO_FAR > wide || before.t0 < session->run.t0 ||
	       before.t1 > session->run.t1;
}

/* Both events in both bases, and as much again on either side. If one window cannot show that, the
 * sends are aligned; if the pair is too far apart even then, its arrow leaves the upper picture. */
static struct span span_of(struct session *session)
{
	struct comparison *c = &session->comparison;
	struct span span = events_span(session, c->after, 0);
	struct span before = events_span(session, c->before, 0);

	if (c->recv != EVENT_NONE && is_far(session, before, span)) {
		c->shift = trace_event_time(session->trace, c->before, c->send) -
			   trace_event_time(session->trace, c->after, c->send);
		before = events_span(session, c->before, c->shift);
	}
	if (before.t1 - before.t0 <= (session->run.t1 - session->run.t0) / TOO_WIDE) {
		widen(&span, before.t0);
		widen(&span, before.t1 - 1);
	}
	const int64_t room = span.t1 - span.t0;
	return (struct span){ span.t0 - room, span.t1 + room };
}

bool session_compare(struct session *session, uint32_t send, uint32_t recv, enum time_base before,
		     enum time_base after, struct err *err)
{
	struct comparison *c = &session->comparison;

	if (send == EVENT_NONE) { /* only one end is known */
		send = recv;
		recv = EVENT_NONE;
	}
	if (!make_base(session, before, err) || !make_base(session, after, err))
		return false;
	session_compare_end(session);
	*c = (struct comparison){ .send = send,
				  .recv = recv,
				  .before = before,
				  .after = after,
				  .window = session->window,
				  .undo = session->changes.undo.n,
				  .base = session->base,
				  .cursor_location = session->cursor.location,
				  .cursor_event = session->cursor.event,
				  .cursor_time = session->cursor.time };
	session->changes.held = true;
	const bool ok = session_set_base(session, after, err);
	session->changes.held = false;
	if (!ok)
		return false;
	c->on = true;
	set_window(session, clamp(session, span_of(session)));
	session_go_event(session, recv == EVENT_NONE ? send : recv);
	session_rearranged(session);
	session->asked.goto_view = "timeline";
	session_notice(session, false, "%s above %s; Backspace goes back", time_base_name(before),
		       time_base_name(after));
	return true;
}

void session_compare_end(struct session *session)
{
	struct comparison *c = &session->comparison;

	if (!c->on)
		return;
	c->on = false;
	/* The base exists already, so this cannot fail. */
	session->changes.held = true;
	session_set_base(session, c->base, NULL);
	session->changes.held = false;
	session->window = clamp(session, c->window);
	session->cursor.location = c->cursor_location;
	session->cursor.event = c->cursor_event;
	session->cursor.time = c->cursor_time;
	changes_cut(&session->changes, c->undo);
	session_rearranged(session);
}

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
		session_notice(session, true, "at least one row must stay; X shows all");
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

void session_explain(struct session *session, const struct explain_subject *subject)
{
	session->asked.explain = *subject;
	session->asked.explaining = true;
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

void session_notice(struct session *session, bool error, const char *fmt, ...)
{
	char text[sizeof session->notice];
	va_list args;
	va_start(args, fmt);
	const int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	const size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
	str_clean(session->notice, sizeof session->notice, text, length);
	session->notice_is_error = error;
}
