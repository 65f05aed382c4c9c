#include "views/report/fail_on.h"

#include <math.h>
#include <stdlib.h>

#include "patterns/causes/causes.h"
#include "patterns/severity/cube.h"
#include "views/query/analyses.h"
#include "views/query/second_trace.h"
#include "views/query/view_common.h"

/* Sets the values for the chosen locations (NULL: all). */
static void values_of(struct condition_values *values, const struct cube *cube, const bool *chosen,
		      const struct efficiency *efficiency)
{
	const struct efficiency unknown = { NAN, NAN, NAN, NAN, NAN, NAN };
	const struct efficiency *e = efficiency ? efficiency : &unknown;
	const double second = (double)trace_scale(cube_trace(cube))->per_second;

	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric metric = (enum cube_metric)m;
		values->metrics[m] = cube_total(cube, metric, chosen) /
				     (cube_metric_info(metric)->unit == UNIT_TICKS ? second : 1);
	}
	values->efficiencies[CONDITION_PARALLEL] = e->parallel;
	values->efficiencies[CONDITION_BALANCE] = e->load_balance;
	values->efficiencies[CONDITION_COMMUNICATION] = e->communication;
	values->efficiencies[CONDITION_SERIALISATION] = e->serialisation;
	values->efficiencies[CONDITION_TRANSFER] = e->transfer;
}

static bool holds_of_both(const struct condition *condition, const struct query *query,
			  struct str *why, struct err *err)
{
	struct condition_values values, others;
	struct efficiency of[ALIGN_SIDES];

	if (!other_efficiencies(query->other, query, of, err))
		return false;
	values_of(&values, query->other->cube, NULL, &of[ALIGN_NEW]);
	values_of(&others, query->other->all[0].cube, NULL, &of[ALIGN_OLD]);
	return condition_holds(condition, &values, &others, why);
}

static bool holds(const struct condition *condition, const struct query *query, struct str *why,
		  struct err *err)
{
	struct condition_values values;
	struct efficiency efficiency;
	struct analysis *analysis;
	const struct causes *causes;
	const struct cube *cube;
	bool *chosen, is;

	if (query->other)
		return holds_of_both(condition, query, why, err);
	analysis = analyses_get(query->analyses, query->base, query->progress, err);
	causes = analysis ? causes_of(analysis, query->progress, err) : NULL;
	cube = causes ? analyses_cube(query->analyses, query->base, query->t0, query->t1,
				      query->progress, err)
		      : NULL;
	if (!cube || !causes_ideal(causes, query->t0, query->t1, query->progress, err))
		return false;
	chosen = query->locations ? query_chosen(query) : NULL;
	efficiency_of(causes, cube, chosen, query->t0, query->t1, &efficiency);
	values_of(&values, cube, chosen, &efficiency);
	is = condition_holds(condition, &values, NULL, why);
	free(chosen);
	return is;
}

bool fail_on_judge(const struct condition *condition, const struct query *query,
		   const char *program, FILE *out, int *status, struct err *err)
{
	OWNED_STR why = STR_INIT;

	*status = STATUS_OK;
	if (condition && holds(condition, query, &why, err)) {
		*status = STATUS_NO;
		for (const char *p = why.text; out && *p; p += strcspn(p, "\n") + 1)
			fprintf(out, "%s: --fail-on: %.*s\n", program, (int)strcspn(p, "\n"), p);
	}
	return !err_is_set(err);
}
