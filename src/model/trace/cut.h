/* cut: the events of a location within a window, made whole: what was open at the window's start is
 * entered there, what is open at its end and goes on after it is left there. All writers take
 * events from here, so that a part of a trace means the same in every format.
 *
 *	struct cut cut;
 *	for (bool more = cut_first(&cut, trace, base, location, t0, t1); more;
 *	     more = cut_next(&cut))
 *		write(cut.time, cut.what, cut.event);
 *	cut_fini(&cut);
 *
 * Windows are half-open; the leaves at the end stand at t1 itself. Messages and collectives are not
 * completed: what has one end in the window is written with that end. */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"

/* What of a trace is written. */
struct save_options {
	enum time_base base;      /* times of this base (made) are written */
	int64_t t0, t1;           /* window in that base; INT64_MIN, INT64_MAX: all */
	const uint8_t *locations; /* [location] 1 = written; NULL all */
};

/* What is written of a trace's properties: not what its measurement cost with times that are
 * without it, or the next reader took it out once more. Times that no offsets give are named in a
 * property SAVE_TIMES, instead of one that is there. */
#define SAVE_TIMES "times"
bool save_has_property(const struct trace *trace, const struct property *property,
		       enum time_base base);

enum cut_phase { CUT_OPENING, CUT_INSIDE, CUT_CLOSING, CUT_OVER };

/* What a window's borders add to a location's events, for those who walk the events themselves. */
struct cut_border {
	VEC(uint32_t) open; /* call paths to be entered at t0, the next one last */
	uint32_t close;     /* call path to be left at t1, then those around it; 0 none */
};

void cut_border_init(struct cut_border *border, const struct trace *trace, enum time_base base,
		     uint32_t location, int64_t t0, int64_t t1);
void cut_border_fini(struct cut_border *border);

struct cut {
	int64_t time;
	uint32_t what;        /* kind and id, as an event has them */
	uint32_t event;       /* EVENT_NONE: an enter or leave made by the cut */
	struct cursor cursor; /* on the event, where there is one */

	/* The cut's own. */
	enum cut_phase phase;
	int64_t t0, t1;
	bool inside; /* the cursor is on an event of the window */
	struct cut_border border;
};

/* Positions on the first event; false where the window has none. cut_fini() is due in any case. */
bool cut_first(struct cut *cut, const struct trace *trace, enum time_base base, uint32_t location,
	       int64_t t0, int64_t t1);
bool cut_next(struct cut *cut);
void cut_fini(struct cut *cut);
