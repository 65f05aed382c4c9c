/* cut: the events of a location within a window, completed: regions that are open at the window's
 * start are entered there, regions that are open at its end and go on are left there. All writers
 * use it, so that a part of a trace is the same in every format.
 *
 *	struct cut cut;
 *	for (bool more = cut_first(&cut, trace, base, location, t0, t1); more;
 *	     more = cut_next(&cut))
 *		write(cut.time, cut.what, cut.event);
 *	cut_fini(&cut);
 *
 * Windows are half-open; the leaves at the end have the time t1. Messages and collectives are not
 * completed: those with one end in the window are written with that end. */
#pragma once

#include "base/vec.h"
#include "model/trace/trace.h"

/* The part of a trace that is written. */
struct save_options {
	enum time_base base;      /* times of this base (made) are written */
	int64_t t0, t1;           /* window in that base; INT64_MIN, INT64_MAX: all */
	const uint8_t *locations; /* [location] 1 = written; NULL all */
};

/* True if a property is written. Costs of measurement are not, with times from which they were
 * removed, or the next reader would remove them again. For times that offsets alone do not give,
 * the writer sets the property SAVE_TIMES, instead of an existing one. */
#define SAVE_TIMES "times"
bool save_has_property(const struct trace *trace, const struct property *property,
		       enum time_base base);

enum cut_phase { CUT_OPENING, CUT_INSIDE, CUT_CLOSING, CUT_OVER };

/* The enters and leaves at a window's borders, for code that walks the events itself. */
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

/* Goes to the first event; false if the window has none. cut_fini() is due in any case. */
bool cut_first(struct cut *cut, const struct trace *trace, enum time_base base, uint32_t location,
	       int64_t t0, int64_t t1);
bool cut_next(struct cut *cut);
void cut_fini(struct cut *cut);
