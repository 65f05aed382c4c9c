#include "model/cut.h"

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

/* The next step of the phase, or of those behind it. */
static bool step(struct cut *cut)
{
	const struct trace *trace = cut->cursor.trace;
	uint32_t path;

	if (cut->phase == CUT_OPENING) {
		if (cut->left > 0)
			return made(cut, cut->t0, EV_ENTER, cut->open.data[--cut->left]);
		cut->phase = CUT_INSIDE;
	}
	if (cut->phase == CUT_INSIDE) {
		if (cut->inside)
			return at_event(cut);
		cut->phase = CUT_CLOSING;
	}
	if (cut->phase == CUT_CLOSING && cut->path != 0) {
		path = cut->path;
		cut->path = trace_callpath(trace, path)->parent;
		return made(cut, cut->t1, EV_LEAVE, path);
	}
	cut->phase = CUT_OVER;
	return false;
}

bool cut_first(struct cut *cut, const struct trace *trace, enum time_base base, uint32_t location,
	       int64_t t0, int64_t t1)
{
	uint32_t path;
	bool behind;

	*cut = (struct cut){ .t0 = t0, .t1 = t1 };
	cut->cursor.trace = trace;
	/* Nothing is known of a location behind its last event, so that nothing is open there. */
	if (!cursor_seek(&cut->cursor, trace, base, location, t0)) {
		cut->phase = CUT_OVER;
		return false;
	}
	path = cursor_path_before(&cut->cursor);
	behind = !within(cut, cursor_time(&cut->cursor));
	cut->inside = !behind;
	if (behind)
		cut->path = path;
	for (; path != 0; path = trace_callpath(trace, path)->parent)
		vec_push(&cut->open, path);
	cut->left = cut->open.n;
	return step(cut);
}

bool cut_next(struct cut *cut)
{
	if (cut->phase != CUT_INSIDE)
		return step(cut);
	cut->inside = cursor_next(&cut->cursor);
	if (cut->inside && !within(cut, cursor_time(&cut->cursor))) {
		cut->inside = false;
		cut->path = cursor_path_before(&cut->cursor);
	}
	return step(cut);
}

void cut_fini(struct cut *cut)
{
	vec_fini(&cut->open);
}
