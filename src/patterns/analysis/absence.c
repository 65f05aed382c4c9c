#include "patterns/analysis/absence.h"

#include "model/trace/visit_walk.h"

#define ALONE 0.3 /* of a delivery, that the sender must be away */

static bool is_call(const struct trace *trace, uint32_t path)
{
	return path && trace_callpath_class(trace, path) != CLASS_USER;
}

struct absence absence_find(const struct trace *trace, enum time_base base, uint32_t location,
			    int64_t from, int64_t to)
{
	struct absence a = { 0 };
	int64_t longest = 0;
	struct visit_walk v;

	for (bool ok = visit_walk_begin(&v, trace, base, location, from, to); ok;
	     ok = visit_walk_next(&v)) {
		if (v.to == v.from)
			continue;
		if (is_call(trace, v.path) && a.to > a.from)
			break;
		if (is_call(trace, v.path))
			continue;
		if (a.to == a.from)
			a.from = v.from;
		a.to = v.to;
		if (v.to - v.from > longest) {
			longest = v.to - v.from;
			a.path = v.path;
		}
	}
	return a;
}

bool absence_stops(const struct absence *a, int64_t from, int64_t to)
{
	return a->to > a->from && a->to < to &&
	       (double)(a->to - a->from) >= ALONE * (double)(to - from);
}
