#include "views/report/fail_on.h"

#include <stdlib.h>
#include <string.h>

#include "views/query/run_figures.h"
#include "views/query/second_trace.h"
#include "views/query/view_common.h"

static void set_efficiencies(struct condition_values *values, const struct efficiency *e)
{
	double *of = values->of + CUBE_METRICS;

	of[CONDITION_PARALLEL] = e->parallel;
	of[CONDITION_BALANCE] = e->load_balance;
	of[CONDITION_COMMUNICATION] = e->communication;
	of[CONDITION_SERIALISATION] = e->serialisation;
	of[CONDITION_TRANSFER] = e->transfer;
}

static enum condition_answer answer_of_both(const struct condition *condition,
					    const struct query *query, struct str *why,
					    struct err *err)
{
	const struct delta *delta = other_delta(query->other, query, err);
	struct other_efficiencies efficiencies;
	struct condition_values values;
	struct condition_other other;

	if (!delta || !other_efficiencies(query->other, query, &efficiencies, err))
		return CONDITION_NO;
	for (int m = 0; m < CUBE_METRICS; m++) {
		const struct delta_row row = delta_total(delta, (enum cube_metric)m);
		values.of[m] = row.value[ALIGN_NEW];
		other.values.of[m] = row.value[ALIGN_OLD];
		other.noise.of[m] = delta_total_noise(delta, (enum cube_metric)m);
	}
	set_efficiencies(&values, &efficiencies.of[ALIGN_NEW]);
	set_efficiencies(&other.values, &efficiencies.of[ALIGN_OLD]);
	set_efficiencies(&other.noise, &efficiencies.noise);
	return condition_answer(condition, &values, &other, why);
}

/* Of the chosen locations (NULL: all). */
static void set_metrics(struct condition_values *values, const struct cube *cube,
			const bool *chosen)
{
	const double second = (double)trace_scale(cube_trace(cube))->per_second;

	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric metric = (enum cube_metric)m;
		values->of[m] = cube_total(cube, metric, chosen) /
				(cube_metric_info(metric)->unit == UNIT_TICKS ? second : 1);
	}
}

static enum condition_answer answer(const struct condition *condition, const struct query *query,
				    struct str *why, struct err *err)
{
	struct condition_values values;
	struct efficiency efficiency;
	const struct cube *cube;
	OWNED bool *chosen = NULL;

	if (query->other)
		return answer_of_both(condition, query, why, err);
	chosen = query->locations ? query_chosen(query) : NULL;
	cube = query_severities(query, chosen, &efficiency, err);
	if (!cube)
		return CONDITION_NO;
	set_metrics(&values, cube, chosen);
	set_efficiencies(&values, &efficiency);
	return condition_answer(condition, &values, NULL, why);
}

bool fail_on_answer(const struct condition *condition, const struct query *query,
		    enum condition_answer *is, struct str *why, struct err *err)
{
	*is = answer(condition, query, why, err);
	return !err_is_set(err);
}

int fail_on_status(enum condition_answer is)
{
	static const enum status statuses[] = { [CONDITION_NO] = STATUS_OK,
						[CONDITION_YES] = STATUS_NO,
						[CONDITION_OPEN] = STATUS_OPEN };

	return (int)statuses[is];
}

bool fail_on_judge(const struct condition *condition, const struct query *query,
		   const char *program, FILE *out, int *status, struct err *err)
{
	enum condition_answer is = CONDITION_NO;
	OWNED_STR why = STR_INIT;

	if (condition)
		fail_on_answer(condition, query, &is, &why, err);
	*status = fail_on_status(is);
	for (const char *p = why.text; out && *p; p += strcspn(p, "\n") + 1)
		fprintf(out, "%s: --fail-on%s: %.*s\n", program,
			is == CONDITION_OPEN ? " is inconclusive" : "", (int)strcspn(p, "\n"), p);
	return !err_is_set(err);
}
