#include <math.h>

#include "base/units.h"
#include "views/report/condition_state.h"

/* ---- does it hold? ---- */

struct evaluation {
	const struct condition *condition;
	const struct condition_values *values;
	const struct condition_other *other; /* NULL: there is none */
};

/* Two zeros are equal. */
static double ratio(double value, double of)
{
	return value == 0 && of == 0 ? 1 : of == 0 && value > 0 ? INFINITY : value / of;
}

static double other_of(const struct evaluation *e, int metric)
{
	return e->other ? e->other->values.of[metric] : NAN;
}

static double noise_of(const struct evaluation *e, int metric)
{
	return e->other ? e->other->noise.of[metric] : 0;
}

/* What is compared with the number, where the trace's own value is `value`. */
static double measured(const struct evaluation *e, const struct test *test, double value)
{
	switch ((enum measure)test->measure) {
	case OF_TIME: return value == 0 ? 0 : value / e->values->of[CUBE_TIME];
	case OF_OTHER: return ratio(value, other_of(e, test->metric));
	case AS_IT_IS: break;
	}
	return value;
}

static bool compare(enum operator op, double a, double b)
{
	switch (op) {
	case OP_LESS: return a < b;
	case OP_LESS_EQUAL: return a <= b;
	case OP_MORE: return a > b;
	case OP_MORE_EQUAL: return a >= b;
	case OP_EQUAL: return a == b;
	case OP_UNEQUAL: return a != b;
	case OPERATORS: break;
	}
	return false;
}

/* True if the number is within the noise. */
static bool is_close(const struct evaluation *e, const struct test *test)
{
	const double value = e->values->of[test->metric], noise = noise_of(e, test->metric);

	return test->measure == OF_OTHER && noise > 0 &&
	       measured(e, test, value - noise) <= test->number &&
	       test->number <= measured(e, test, value + noise);
}

static enum condition_answer evaluate_test(const struct evaluation *e, const struct test *test)
{
	const double value = measured(e, test, e->values->of[test->metric]);

	if (isnan(value) || is_close(e, test))
		return CONDITION_OPEN;
	return compare((enum operator)test->op, value, test->number) ? CONDITION_YES : CONDITION_NO;
}

/* What is open stays open when it is negated. */
static enum condition_answer denied(enum condition_answer answer)
{
	return answer == CONDITION_OPEN  ? CONDITION_OPEN
	       : answer == CONDITION_YES ? CONDITION_NO
					 : CONDITION_YES;
}

static enum condition_answer evaluate(const struct evaluation *e, int at)
{
	const struct node *node = &e->condition->nodes.data[at];
	const enum condition_answer ends = node->kind == NODE_OR ? CONDITION_YES : CONDITION_NO;
	enum condition_answer all = node->kind == NODE_OR ? CONDITION_NO : CONDITION_YES;

	if (node->kind == NODE_TEST)
		return evaluate_test(e, &node->test);
	if (node->kind == NODE_NOT)
		return denied(evaluate(e, node->first));
	for (int i = node->first; i != NO_NODE; i = e->condition->nodes.data[i].next) {
		const enum condition_answer one = evaluate(e, i);
		if (one == ends)
			return ends;
		if (one == CONDITION_OPEN)
			all = CONDITION_OPEN;
	}
	return all;
}

/* ---- why ---- */

static void add_value(struct str *out, int metric, double value)
{
	if (condition_is_efficiency(metric))
		str_add_fmt(out, "%.1f %%", 100 * value);
	else if (fabs(value) > 1e9)
		str_add_fmt(out, "%.4g", value);
	else if (cube_metric_info((enum cube_metric)metric)->unit == UNIT_TICKS)
		units_human_time(out, llround(value * 1e9), &units_nanoseconds, 4);
	else if (cube_metric_info((enum cube_metric)metric)->unit == UNIT_BYTES && value >= 0)
		units_bytes(out, (uint64_t)llround(value));
	else
		str_add_fmt(out, "%.10g", value);
}

static void add_limit(const struct test *test, struct str *out)
{
	if (test->measure == OF_TIME)
		str_add_fmt(out, "%.10g %%", 100 * test->number);
	else if (test->measure == OF_OTHER)
		str_add_fmt(out, "%.10gx", test->number);
	else
		add_value(out, test->metric, test->number);
}

/* "time is 10.00 s, 1.25x the other trace's 8.000 s". */
static void add_measured(const struct evaluation *e, const struct test *test, struct str *out)
{
	const double value = e->values->of[test->metric];
	const double share = measured(e, test, value);

	str_add_fmt(out, "%s is ", condition_name(test->metric));
	if (isnan(value))
		str_add(out, "not known");
	else
		add_value(out, test->metric, value);
	if (test->measure == OF_TIME && isfinite(share)) {
		str_add_fmt(out, ", %.4g %% of time (", 100 * share);
		add_value(out, CUBE_TIME, e->values->of[CUBE_TIME]);
		str_add(out, ")");
	} else if (test->measure == OF_OTHER && isnan(other_of(e, test->metric))) {
		str_add(out, ", the other trace's is not known");
	} else if (test->measure == OF_OTHER) {
		if (isfinite(share))
			str_add_fmt(out, ", %.4gx the other trace's ", share);
		else
			str_add(out, ", the other trace's ");
		add_value(out, test->metric, other_of(e, test->metric));
	}
}

static void add_test(const struct evaluation *e, const struct test *test,
		     enum condition_answer answer, struct str *out)
{
	add_measured(e, test, out);
	if (answer == CONDITION_OPEN && is_close(e, test)) {
		str_add(out, ": noise of +-");
		add_value(out, test->metric, noise_of(e, test->metric));
		str_add(out, " includes ");
		add_limit(test, out);
	} else if (answer != CONDITION_OPEN) {
		str_add_fmt(out, ": %s ",
			    answer == CONDITION_YES ? condition_operators[test->op].words
						    : condition_operators[test->op].denial);
		add_limit(test, out);
	}
	str_add(out, "\n");
}

/* Lists the comparisons that decided a part's answer, or left it open. */
static void explain(const struct evaluation *e, int at, enum condition_answer answer,
		    struct str *out)
{
	const struct node *node = &e->condition->nodes.data[at];

	if (node->kind == NODE_TEST) {
		add_test(e, &node->test, answer, out);
		return;
	}
	if (node->kind == NODE_NOT) {
		explain(e, node->first, denied(answer), out);
		return;
	}
	for (int i = node->first; i != NO_NODE; i = e->condition->nodes.data[i].next)
		if (evaluate(e, i) == answer)
			explain(e, i, answer, out);
}

enum condition_answer condition_answer(const struct condition *c,
				       const struct condition_values *values,
				       const struct condition_other *other, struct str *why)
{
	const struct evaluation e = { c, values, other };
	const enum condition_answer answer = evaluate(&e, c->root);

	if (why && answer != CONDITION_NO)
		explain(&e, c->root, answer, why);
	return answer;
}
