/* Where the cursor stands before anybody has moved it. */
#include <string.h>

#include "ui/timeline_panel_impl.h"

/* Events of a location that are looked at for the ends of setting up and the begin of the end. */
enum { STARTUP_EVENTS = 4096, STARTUP_LOCATIONS = 256 };

static bool is_named(const struct trace *trace, uint32_t what, enum event_kind kind,
		     const char *prefix)
{
	return what_kind(what) == kind &&
	       strncmp(trace_region_name(trace, trace_callpath_region(trace, what_id(what))),
		       prefix, strlen(prefix)) == 0;
}

/* The part of the run between MPI_Init and MPI_Finalize of all locations, as far as they have them.
 */
static struct span core_of(const struct session *s)
{
	const uint32_t n = trace_location_count(s->trace);
	struct span core = s->run;

	for (uint32_t l = 0; l < n && l < STARTUP_LOCATIONS; l++) {
		struct cursor c;
		bool ok = cursor_first(&c, s->trace, s->base, l);

		for (int i = 0; ok && i < STARTUP_EVENTS; i++, ok = cursor_next(&c))
			if (is_named(s->trace, cursor_what(&c), EV_LEAVE, "MPI_Init") &&
			    cursor_time(&c) > core.t0)
				core.t0 = cursor_time(&c);
		ok = cursor_last(&c, s->trace, s->base, l);
		for (int i = 0; ok && i < STARTUP_EVENTS; i++, ok = cursor_prev(&c))
			if (is_named(s->trace, cursor_what(&c), EV_ENTER, "MPI_Finalize") &&
			    cursor_time(&c) < core.t1)
				core.t1 = cursor_time(&c);
	}
	return core.t0 < core.t1 ? core : s->run;
}

/* A cursor that nobody has moved yet goes to the middle of what the program did, where zooming in
 * leads to something. */
void timeline_look_first(struct timeline_panel *t)
{
	struct session *s = t->panel.session;
	const double run = (double)s->run.t1 - (double)s->run.t0;
	struct span core;

	if (t->looked)
		return;
	t->looked = true;
	if (s->cursor_event != EVENT_NONE || s->cursor_time != s->run.t0 ||
	    s->window.t0 != s->run.t0 || s->window.t1 != s->run.t1)
		return;
	core = core_of(s);
	s->cursor_time = core.t0 + (core.t1 - core.t0) / 2;
	if ((double)core.t1 - (double)core.t0 < run / 2 && !s->notice[0])
		session_notice(s, false,
			       "MPI_Init and MPI_Finalize take %.0f %% of the run: w zooms in "
			       "between them",
			       100 * (1 - ((double)core.t1 - (double)core.t0) / run));
}
