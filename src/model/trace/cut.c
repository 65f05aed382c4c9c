#include "model/trace/cut.h"

#include <string.h>

/* ---- properties ---- */

static bool is_cost(const char *key)
{
	return strncmp(key, "cost-", 5) == 0 || strcmp(key, "insitu") == 0;
}

bool save_has_property(const struct trace *trace, const struct property *property,
		       enum time_base base)
{
	const char *key = trace_string(trace, property->key);

	return !(base > BASE_LINEAR && strcmp(key, SAVE_TIMES) == 0) &&
	       !(base >= BASE_COMPENSATED && is_cost(key));
}

/* ---- borders ---- */

void cut_border_init(struct cut_border *border, const struct trace *trace, enum time_base base,
		     uint32_t location, int64_t t0, int64_t t1)
{
	struct cursor c;
	uint32_t path;

	*border = (struct cut_border){ VEC_INIT, 0 };
	/* Nothing is known of a location after its last event, so that nothing is open there. */
	if (t0 != INT64_MIN && cursor_seek(&c, trace, base, location, t0))
		for (path = cursor_path_before(&c); path != 0;
		     path = trace_callpath(trace, path)->parent)
			vec_push(&border->open, path);
	if (t1 == INT64_MAX || t1 <= t0)
		return;
	if (cursor_seek(&c, trace, base, location, t1))
		border->close = cursor_path_before(&c);
	else if (trace_partial(trace)->is && cursor_last(&c, trace, base, location))
		border->close = cursor_path(&c); /* what came after it was not loaded */
}

void cut_border_fini(struct cut_border *border)
{
	vec_fini(&border->open);
}

/* ---- all events ---- */

static bool within(const struct cut *cut, int64_t time)
{
	return time < cut->t1 || cut->t1 == INT64_MAX;
}

static bool made(struct cut *cut, int64_t time, enum event_kind kind, uint32_t path)
{
	cut->time = time;
	cut->what = what_make(kind, path);
	cut->event = EVENT_NONE;
	return true;
}

static bool at_event(struct cut *cut)
{
	cut->time = cursor_time(&cut->cursor);
	cut->what = cursor_what(&cut->cursor);
	cut->event = cut->cursor.id;
	return true;
}

/* Takes the next step of this phase or of a later one. */
static bool step(struct cut *cut)
{
	struct cut_border *border = &cut->border;
	uint32_t path;

	if (cut->phase == CUT_OPENING) {
		if (border->open.n > 0)
			return made(cut, cut->t0, EV_ENTER, vec_pop(&border->open));
		cut->phase = CUT_INSIDE;
	}
	if (cut->phase == CUT_INSIDE) {
		if (cut->inside)
			return at_event(cut);
		cut->phase = CUT_CLOSING;
	}
	if (cut->phase == CUT_CLOSING && border->close != 0) {
		path = border->close;
		border->close = trace_callpath(cut->cursor.trace, path)->parent;
		return made(cut, cut->t1, EV_LEAVE, path);
	}
	cut->phase = CUT_OVER;
	return false;
}

bool cut_first(struct cut *cut, const struct trace *trace, enum time_base base, uint32_t location,
	       int64_t t0, int64_t t1)
{
	*cut = (struct cut){ .t0 = t0, .t1 = t1 };
	cut_border_init(&cut->border, trace, base, location, t0, t1);
	cut->cursor.trace = trace;
	cut->inside = cursor_seek(&cut->cursor, trace, base, location, t0) &&
		      within(cut, cursor_time(&cut->cursor));
	return step(cut);
}

bool cut_next(struct cut *cut)
{
	if (cut->phase == CUT_INSIDE)
		cut->inside = cursor_next(&cut->cursor) && within(cut, cursor_time(&cut->cursor));
	return step(cut);
}

void cut_fini(struct cut *cut)
{
	cut_border_fini(&cut->border);
}
