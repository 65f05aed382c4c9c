/* The efficiency model of the POP project. */
#include <math.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "base/mem.h"
#include "patterns/causes/causes_state.h"

/* Whether the location runs the program's code. */
static bool counts(const struct trace *trace, uint32_t location, const bool *chosen)
{
	const struct location *l = trace_location(trace, location);

	return (!chosen || chosen[location]) && location_runs_code(l) && l->events > 0;
}

void efficiency_of(const struct causes *causes, const struct cube *cube, const bool *chosen,
		   int64_t t0, int64_t t1, struct efficiency *e)
{
	const struct trace *trace = cube_trace(cube);
	const uint32_t n = trace_location_count(trace);
	OWNED double *comp = xcalloc((size_t)n + 1, sizeof *comp);
	double most = 0;
	fixed sum = 0;
	struct err err = ERR_INIT;
	uint32_t counted = 0, of = 0;
	int64_t begin, end;
	bool ideal;

	*e = (struct efficiency){ NAN, NAN, NAN, NAN, NAN, 0 };
	trace_span(trace, analysis_base(causes->analysis), &begin, &end);
	begin = t0 > begin ? t0 : begin;
	end = t1 < end ? t1 : end;
	e->run_time = end > begin ? (double)(end - begin) : 0;
	cube_by_location(cube, CUBE_COMP, 0, true, comp);
	for (uint32_t l = 0; l < n; l++) {
		of += counts(trace, l, NULL);
		if (counts(trace, l, chosen)) {
			counted++;
			sum += fixed_of(comp[l]);
			most = comp[l] > most ? comp[l] : most;
		}
	}
	/* Several processes replay together, whatever each has of the cube. */
	ideal = counted == of && causes_whole(causes, t0, t1) &&
		causes_ideal(causes, t0, t1, NULL, &err);
	if (most <= 0 || e->run_time <= 0)
		return;
	e->load_balance = fixed_value(sum) / counted / most;
	e->communication = most / e->run_time;
	e->parallel = e->load_balance * e->communication;
	if (!ideal || causes->ideal < (int64_t)most)
		return;
	/* Clocks may disagree by more than a transfer takes. */
	e->transfer = fmin(1, (double)causes->ideal / e->run_time);
	e->serialisation = e->communication / e->transfer;
}
