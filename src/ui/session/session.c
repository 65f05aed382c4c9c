#include "ui/session/session.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "correct/correct.h"
#include "model/trace/detail.h"
#include "views/facts/difference.h"
#include "views/facts/iteration_sums.h"
#include "views/facts/run_core.h"
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
	session->window = session->core = session->run;
	session->cursor.time = session->run.t0;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		vec_push(&session->rows, l);
	counter_names_make(&session->counter_names, trace);
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
	session_sequence_fini(&session->sequence);
	filter_free(session->filter);
	for (size_t i = 0; i < session->filters.n; i++)
		filter_free(session->filters.data[i]);
	vec_fini(&session->filters);
	changes_fini(&session->changes);
	vec_fini(&session->rows);
	vec_fini(&session->hidden);
	arrangement_fini(&session->arrangement);
	column_choices_fini(&session->columns);
	counter_names_fini(&session->counter_names);
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
		.sequence = session->sequence.sequence,
		.found = session->sequence.found,
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
		.colouring = &session->colouring,
		.difference = session->difference && against != session->base,
		.critical_path = session->critical_path && session->analyses,
		.against = against,
		.earlier = session->earlier,
	};
}

bool session_choose(struct session *session, const struct query *query, struct err *err)
{
	if (!session_set_base(session, query->base, err) ||
	    (query->filter && !session_set_filter(session, filter_text(query->filter), err)) ||
	    (query->sequence &&
	     !session_set_sequence(session, sequence_text(query->sequence), err)))
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
		session_group(session, query->arrangement->key, query->arrangement->range);
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

/* Ends that take less than this part of the run are left in it. */
#define ENDS_LEAST 0.1

void session_find_core(struct session *session)
{
	const struct span run = session->run;
	const struct span core = run_core(session->trace, session->base, run, false);
	const double left =
		1 - ((double)core.t1 - (double)core.t0) / ((double)run.t1 - (double)run.t0);

	session->core = left >= ENDS_LEAST && core.t1 - core.t0 >= NARROWEST ? core : run;
}

void session_whole_run(struct session *session)
{
	const struct span to = same(session->window, session->run) ? session->core : session->run;

	session_zoom(session, to.t0, to.t1);
}

void session_none(const struct session *session, const char *what, struct str *out)
{
	if (session->filter)
		str_add_fmt(out, "no %s match the filter; %s changes it", what,
			    session_key(session, ACTION_FILTER).text);
	else if (!same(session->window, session->run))
		str_add_fmt(out, "no %s in this window; %s shows the whole run", what,
			    session_key(session, ACTION_WHOLE_RUN).text);
	else
		str_add_fmt(out, "this run has no %s", what);
}

struct span session_zoom_limit(const struct session *session)
{
	const struct span w = session->window, core = session->core;
	const bool inside = w.t0 >= core.t0 && w.t1 <= core.t1 && !same(w, core);

	return inside ? core : session->run;
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
	assert(location < trace_location_count(session->trace) || location == 0);
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
	if (session->filter)
		vec_push(&session->filters, session->filter);
	session->filter = filter;
	session_rearranged(session);
	return true;
}

/* ---- time bases ---- */

bool session_make_base(struct session *session, enum time_base base, struct err *err)
{
	if (!trace_has_base(session->trace, base))
		return err_set(err, STATUS_USAGE, "this trace has no time base '%s'",
			       time_base_name(base));
	return trace_base_make(session->trace, base, NULL, err);
}

static bool make_reference(struct session *session, enum time_base base, struct err *err)
{
	return session_make_base(session,
				 difference_reference(session->trace, session->corrections, base),
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
	if (!session_make_base(session, base, err) ||
	    (session->difference && !make_reference(session, base, err)))
		return false;
	session_remember(session, CHANGE_BASE);
	const bool whole = same(session->window, session->run);
	const bool core = !whole && same(session->window, session->core);
	session->base = base;
	session->rows_generation++;
	session->run = run_of(session->trace, base);
	follow_base(session, from);
	session_find_core(session);
	if (whole || core)
		session->window = core ? session->core : session->run;
	session->generation++;
	session_set_cursor(session, session->cursor.location, session->cursor.time,
			   session->cursor.event);
	session->origin.shown = session->window;
	session->origin.cursor_shown = session->cursor.time;
	if (session->comparison.on)
		session->comparison.after = base;
	return true;
}

void session_explain(struct session *session, const struct explain_subject *subject)
{
	session->asked.explain = *subject;
	session->asked.explaining = true;
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
