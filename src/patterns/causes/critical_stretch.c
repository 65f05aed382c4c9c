#include "patterns/causes/critical_stretch.h"

#include "base/order.h"
#include "model/trace/halo.h"
#include "patterns/causes/causes_state.h"

size_t critical_stretch_at(const struct path_stretch *path, size_t n, int64_t t)
{
	size_t low = 0, high = n;

	BISECT(low, high, middle, path[middle].to <= t);
	return low;
}

int64_t critical_stretch_sum(const struct path_stretch *path, size_t n, uint32_t location,
			     int64_t t0, int64_t t1)
{
	int64_t sum = 0;

	for (size_t i = critical_stretch_at(path, n, t0); i < n && path[i].from < t1; i++)
		if (path[i].location == location)
			sum += (path[i].to < t1 ? path[i].to : t1) -
			       (path[i].from > t0 ? path[i].from : t0);
	return sum;
}

static uint32_t longest(const struct path_sheet *sheet)
{
	uint32_t best = 0;
	int64_t most = 0;

	for (uint32_t i = 0; i < sheet->n; i++) {
		const uint32_t path = sheet->touched[i];
		const int64_t ticks = sheet->of[path];
		if (ticks > most || (ticks == most && ticks > 0 && path < best)) {
			best = path;
			most = ticks;
		}
	}
	return best;
}

bool critical_stretch_callpaths(const struct causes *c, const struct path_stretch *path, size_t n,
				int64_t t0, int64_t t1, uint32_t *callpaths,
				const struct progress *progress)
{
	const struct trace *trace = analysis_trace(c->analysis);
	struct path_sheet sheet;
	bool going = true;

	path_sheet_init(&sheet, trace_callpath_count(trace));
	for (size_t i = 0; going && i < n; i++) {
		const struct path_stretch *s = &path[i];
		const int64_t from = s->from > t0 ? s->from : t0, to = s->to < t1 ? s->to : t1;
		path_sheet_clear(&sheet);
		if (from < to && trace_has_location(trace, s->location))
			intervals_walk(c->intervals, s->location, from, to, 1, &sheet);
		callpaths[i] = longest(&sheet);
		going = i % 1024 != 0 ||
			progress_step(progress, "following the critical path", i, n);
	}
	path_sheet_fini(&sheet);
	return going;
}
