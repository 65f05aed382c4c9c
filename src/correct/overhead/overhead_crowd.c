#include "correct/overhead/overhead_crowd.h"

#include <math.h>

#include "model/trace/crowd.h"
#include "model/trace/halo.h"

/* Records of all locations here, over those of the one with the most: how many record at once. */
static double at_once(const struct trace *trace, const struct overhead_survey *survey)
{
	struct exchange *x = trace_exchange(trace);
	uint64_t all = 0, most = 0;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const uint64_t n = trace_has_location(trace, l) ? survey->locations[l].records : 0;
		all += n;
		most = n > most ? n : most;
	}
	all = exchange_count(x, all);
	most = (uint64_t)exchange_most(x, (double)most);
	return most ? (double)all / (double)most : 0;
}

struct overhead_crowd overhead_crowd(const struct trace *trace,
				     const struct overhead_survey *survey,
				     const struct overhead_cost *cost)
{
	const struct crowd crowd = trace_crowd(trace);
	const double n = crowd.threads > crowd.ranks ? crowd.threads : crowd.ranks;
	const double recording = at_once(trace, survey);
	const double slower = cost->cpu > 0 ? cost->wall / cost->cpu : 1;

	if (!(n > 0))
		return (struct overhead_crowd){ 1, 1 };
	return (struct overhead_crowd){ fmax(1, fmin(n, recording) / crowd.cores),
					fmax(n / crowd.cores, slower) };
}
