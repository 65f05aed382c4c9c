/* The cells of a lane that lie in gaps: what is drawn there was estimated. */
#include "base/mem.h"
#include "model/trace/gap.h"
#include "ui/timeline/picture/timeline_picture.h"

/* Gaps that are looked at in a column; more are so short that they are not seen. */
enum { BUSY_GAPS = 64 };

/* Does a visit that the level draws begin or end in the gap? Those that go on all through it are
 * measured, and have no time of their own in its parts. */
static bool is_estimated(const struct trace *trace, const struct gap *gap, unsigned level)
{
	const struct gap_part *parts;
	size_t n;

	if (level == 0 || gap->read == gap->records)
		return gap->read < gap->records;
	parts = gap_parts(trace, gap, &n);
	for (size_t i = 0; i < n; i++)
		if (parts[i].inclusive > 0 && trace_callpath(trace, parts[i].path)->depth == level)
			return true;
	return false;
}

void timeline_gaps_add(struct timeline_picture *p, size_t lane, const struct query *query)
{
	const struct timeline_lane *l = &p->lanes.data[lane];
	struct timeline_cell *cells = p->cells + lane * (size_t)p->options.width;
	struct gap_walk w = gap_walk_begin(query->trace, query->base, l->location, p->scale.t0);

	for (int x = 0; x < p->options.width && w.from < p->scale.t1; x++) {
		const struct span column = time_scale_window(&p->scale, x);
		int64_t estimated = 0;

		for (int n = 0; w.from < column.t1; n++) {
			const int64_t from = w.from > column.t0 ? w.from : column.t0;
			const int64_t to = w.to < column.t1 ? w.to : column.t1;

			if (to > from && is_estimated(query->trace, w.gap, l->level))
				estimated += to - from;
			if (w.to > column.t1)
				break;
			if (n < BUSY_GAPS)
				gap_walk_next(&w);
			else
				w = gap_walk_begin(query->trace, query->base, l->location,
						   column.t1);
		}
		cells[x].estimated = estimated > (column.t1 - column.t0) / 2;
	}
}
