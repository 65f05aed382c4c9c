#include "correct/truth.h"

#include <assert.h>
#include <math.h>

bool truth_first(struct cursor *cursor, const struct trace *trace, enum time_base base,
		 uint32_t rank)
{
	return cursor_first(cursor, trace, base, trace_location_of_rank(trace, (int32_t)rank)) &&
	       cursor_next(cursor);
}

bool truth_counts(bool *inside, const struct happening *h)
{
	bool counts;

	if (h->kind == HAPPEN_ENTER && h->region == REGION_FINALIZE)
		*inside = false;
	counts = *inside && region_info[h->region].cls != CLASS_OVERHEAD;
	if (h->kind == HAPPEN_LEAVE && h->region == REGION_INIT)
		*inside = true;
	return counts;
}

double truth_rms(const struct trace *trace, const struct run *truth, enum time_base base)
{
	const double ns = 1e9 / (double)trace_scale(trace)->per_second;
	double sum = 0, squares = 0, n = 0;

	for (uint32_t r = 0; r < truth->ranks; r++) {
		bool inside = false, ok;
		struct cursor cursor;
		ok = truth_first(&cursor, trace, base, r);
		assert(ok);
		for (size_t i = 0; i < truth->of[r].events.n; i++, cursor_next(&cursor)) {
			const struct happening *h = &truth->of[r].events.data[i];
			const double error =
				1e-3 * (ns * (double)cursor_time(&cursor) - 1e-3 * (double)h->time);
			if (!truth_counts(&inside, h))
				continue;
			sum += error;
			squares += error * error;
			n++;
		}
	}
	assert(n > 100);
	return sqrt(fmax(0, squares / n - sum / n * sum / n));
}
