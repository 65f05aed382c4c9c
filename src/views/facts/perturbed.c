#include "views/facts/perturbed.h"

#include <math.h>

#include "model/trace/store.h"

/* A change of a smaller part of a wait is not told. */
#define TOLD 0.01

static bool is_compensated(enum time_base base)
{
	return base == BASE_COMPENSATED || base == BASE_LOWER || base == BASE_UPPER;
}

struct perturbed_place perturbed_at(const struct trace *trace, enum time_base base,
				    uint32_t location, int64_t time)
{
	struct perturbed_place place = { .location = location };
	struct cursor c;

	if (!is_compensated(base) || !cursor_seek(&c, trace, base, location, time))
		return place;
	place.known = true;
	place.taken = (double)(trace_event_time(trace, trace_default_base(trace), c.id) -
			       cursor_time(&c));
	return place;
}

const char *perturbed_wait(struct phrases *p, const struct perturbed_place *begin,
			   const struct perturbed_place *end, double length)
{
	const double measured = length + end->taken - begin->taken;
	const char *was;

	if (!begin->known || !end->known || begin->location == end->location ||
	    fabs(end->taken - begin->taken) < TOLD * length)
		return "";
	was = measured > 0 ? phrase(p, "as measured the wait was %s", phrase_time(p, measured))
			   : "as measured there was none";
	return phrase(
		p,
		"perturbed from %s, of which %s of overhead were taken out before (%s of %s): "
		"%s",
		phrase_location(p, end->location), phrase_time(p, fmax(end->taken, 0)),
		phrase_time(p, fmax(begin->taken, 0)), phrase_location(p, begin->location), was);
}
