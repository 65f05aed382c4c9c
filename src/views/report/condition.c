#include "views/report/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

enum { DEEPEST = 100, NO_NODE = -1, NAME_BYTES = 64, NUMBER_DIGITS = 15 };

enum node_kind { NODE_OR, NODE_AND, NODE_NOT, NODE_TEST };
enum operator{ OP_LESS, OP_LESS_EQUAL, OP_MORE, OP_MORE_EQUAL, OP_EQUAL, OP_UNEQUAL, OPERATORS };
enum measure { AS_IT_IS, OF_TIME, OF_OTHER };

struct test {
	int metric; /* enum cube_metric, or CUBE_METRICS + enum condition_efficiency */
	uint8_t op; /* enum operator */
	uint8_t measure;
	double number;  /* in the unit of the values, or a ratio */
	size_t at, end; /* of the test in the text */
};

struct node {
	enum node_kind kind;
	int first, next; /* first child and next sibling */
	struct test test;
};

struct condition {
	char *text;
	VEC(struct node) nodes;
	int root;
};

static const char *const efficiencies[CONDITION_EFFICIENCIES] = {
	"parallel_efficiency", "load_balance", "communication_efficiency",
	"serialisation_efficiency", "transfer_efficiency"
};
static const struct {
	const char *sign, *words, *denial;
} operators[OPERATORS] = {
	[OP_LESS] = { "<", "less than", "not less than" },
	[OP_LESS_EQUAL] = { "<=", "at most", "more than" },
	[OP_MORE] = { ">", "more than", "not more than" },
	[OP_MORE_EQUAL] = { ">=", "at least", "less than" },
	[OP_EQUAL] = { "==", "exactly", "not" },
	[OP_UNEQUAL] = { "!=", "not", "exactly" },
};

static bool is_efficiency(int metric)
{
	return metric >= CUBE_METRICS;
}

static const char *name_of(int metric)
{
	return is_efficiency(metric) ? efficiencies[metric - CUBE_METRICS]
				     : cube_metric_info((enum cube_metric)metric)->name;
}

/* ---- parsing ---- */

struct parser {
	struct condition *condition;
	const char *text;
	size_t at;
	unsigned depth;
	bool other;
	struct err *err;
};

static int parse_or(struct parser *p);

static int wrong(struct parser *p, size_t at, const char *what)
{
	err_set_at(p->err, "--fail-on", p->text, at, "%s", what);
	return NO_NODE;
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->text + p->at, " \t\r\n");
}

static bool take(struct parser *p, const char *sign)
{
	skip_blanks(p);
	if (strncmp(p->text + p->at, sign, strlen(sign)) != 0)
		return false;
	p->at += strlen(sign);
	return true;
}

static int add_node(struct parser *p, struct node node)
{
	vec_push(&p->condition->nodes, node);
	return (int)p->condition->nodes.n - 1;
}

/* A chain that begins with `first`; others may be added after `last`. */
static int chain(struct parser *p, enum node_kind kind, const char *sign,
		 int (*parse)(struct parser *p))
{
	int first = parse(p), last = first, node;

	if (first == NO_NODE || !take(p, sign))
		return first;
	node = add_node(p, (struct node){ .kind = kind, .first = first, .next = NO_NODE });
	do {
		const int more = parse(p);
		if (more == NO_NODE)
			return NO_NODE;
		p->condition->nodes.data[last].next = more;
		last = more;
	} while (take(p, sign));
	return node;
}

static int no_metric(struct parser *p, size_t at, const char *name)
{
	const char *names[CUBE_METRICS + CONDITION_EFFICIENCIES + 1];
	char text[3 * NAME_BYTES];
	const char *near;

	for (int m = 0; m < CUBE_METRICS + CONDITION_EFFICIENCIES; m++)
		names[m] = name_of(m);
	names[CUBE_METRICS + CONDITION_EFFICIENCIES] = NULL;
	near = nearest_word(name, names);
	if (near)
		snprintf(text, sizeof text, "there is no metric '%s'; did you mean '%s'?", name,
			 near);
	else
		snprintf(text, sizeof text,
			 "there is no metric '%s' (tview export patterns lists those of a trace)",
			 name);
	return wrong(p, at, text);
}

/* Negative if there is no such metric. */
static int find_metric(const char *name, size_t n)
{
	const enum cube_metric metric = cube_metric_find(name, n);

	for (int e = 0; e < CONDITION_EFFICIENCIES; e++)
		if (strcmp(name, efficiencies[e]) == 0)
			return CUBE_METRICS + e;
	return metric == CUBE_NONE ? NO_NODE : (int)metric;
}

static bool parse_name(struct parser *p, struct test *test)
{
	const size_t n = strspn(p->text + p->at, "abcdefghijklmnopqrstuvwxyz"
						 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	char name[NAME_BYTES];

	if (n == 0 || (p->text[p->at] >= '0' && p->text[p->at] <= '9'))
		return wrong(p, p->at,
			     p->text[p->at] ? "here a metric should stand, such as mpi_latesender"
					    : "a metric should follow") != NO_NODE;
	if (n >= sizeof name)
		return wrong(p, p->at, "no metric has so long a name") != NO_NODE;
	memcpy(name, p->text + p->at, n);
	name[n] = '\0';
	test->metric = find_metric(name, n);
	if (test->metric < 0)
		return no_metric(p, p->at, name) != NO_NODE;
	p->at += n;
	return true;
}

static bool parse_operator(struct parser *p, struct test *test)
{
	/* Longer signs first, as they begin with shorter ones. */
	static const uint8_t tried[] = { OP_LESS_EQUAL, OP_MORE_EQUAL, OP_EQUAL,
					 OP_UNEQUAL,    OP_LESS,       OP_MORE };

	for (size_t i = 0; i < sizeof tried; i++)
		if (take(p, operators[tried[i]].sign)) {
			test->op = tried[i];
			return true;
		}
	return wrong(p, p->at, "a comparison should follow: < <= > >= == or !=") != NO_NODE;
}

/* Reads a decimal number; the decimal sign is a point in any locale. */
static bool parse_number(struct parser *p, double *number)
{
	double value = 0, scale = 1;
	unsigned digits = 0;
	bool point = false, any = false;

	skip_blanks(p);
	for (;; p->at++) {
		const char c = p->text[p->at];
		if (c == '.' && !point) {
			point = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		any = true;
		if (digits == NUMBER_DIGITS) {
			if (!point)
				return wrong(p, p->at, "this number has too many digits") !=
				       NO_NODE;
			continue;
		}
		digits += value > 0 || c != '0';
		value = 10 * value + (c - '0');
		scale *= point ? 10 : 1;
	}
	if (!any || scale > 1e15)
		return wrong(p, p->at,
			     any ? "this number is too small"
				 : "a number should follow, such as 5%, 1.1x, 20ms or 1000") !=
		       NO_NODE;
	*number = value / scale;
	return true;
}

struct unit {
	const char *name;
	double factor;
	uint8_t of, measure; /* enum cube_unit, enum measure */
};

enum { OF_ANY = 100 };

static const struct unit *find_unit(const char *name, size_t n)
{
	static const struct unit units[] = {
		{ "%", 0.01, OF_ANY, OF_TIME },
		{ "x", 1, OF_ANY, OF_OTHER },
		{ "s", 1, UNIT_TICKS, AS_IT_IS },
		{ "ms", 1e-3, UNIT_TICKS, AS_IT_IS },
		{ "us", 1e-6, UNIT_TICKS, AS_IT_IS },
		{ "ns", 1e-9, UNIT_TICKS, AS_IT_IS },
		{ "min", 60, UNIT_TICKS, AS_IT_IS },
		{ "", 1, UNIT_COUNT, AS_IT_IS },
		{ "B", 1, UNIT_BYTES, AS_IT_IS },
		{ "kB", 1e3, UNIT_BYTES, AS_IT_IS },
		{ "MB", 1e6, UNIT_BYTES, AS_IT_IS },
		{ "GB", 1e9, UNIT_BYTES, AS_IT_IS },
		{ "KiB", 1024, UNIT_BYTES, AS_IT_IS },
		{ "MiB", 1048576, UNIT_BYTES, AS_IT_IS },
		{ "GiB", 1073741824, UNIT_BYTES, AS_IT_IS },
	};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i].name) == n && memcmp(units[i].name, name, n) == 0)
			return &units[i];
	return NULL;
}

/* The reason why a unit does not suit the metric; NULL: it does. */
static const char *misfit(const struct parser *p, const struct test *test, const struct unit *unit)
{
	const bool time = !is_efficiency(test->metric) &&
			  cube_metric_info((enum cube_metric)test->metric)->unit == UNIT_TICKS;

	if (!unit)
		return "there is no such unit (% x s ms us ns min B kB MB GB KiB MiB GiB)";
	if (unit->measure == OF_OTHER)
		return p->other ? NULL
				: "x compares with another trace, and there is one trace only";
	if (is_efficiency(test->metric))
		return unit->measure == OF_TIME || unit->of == UNIT_COUNT
			       ? NULL
			       : "an efficiency is compared with per cent: 80%";
	if (unit->measure == OF_TIME)
		return time ? NULL
			    : "% is a share of time, and this is none; compare with a number";
	if (time)
		return unit->of == UNIT_TICKS
			       ? NULL
			       : "a time is compared with a time (20ms), a share of time (5%), or "
				 "the other trace (1.1x)";
	if (cube_metric_info((enum cube_metric)test->metric)->unit == UNIT_BYTES)
		return unit->of == UNIT_TICKS ? "these are bytes: 10MB" : NULL;
	return unit->of == UNIT_COUNT ? NULL : "this is a count: compare with a plain number";
}

static int parse_test(struct parser *p)
{
	struct test test = { .at = p->at };
	const struct unit *unit;
	const char *misfits;
	size_t at, n;

	if (!parse_name(p, &test) || !parse_operator(p, &test) || !parse_number(p, &test.number))
		return NO_NODE;
	test.end = p->at;
	skip_blanks(p);
	at = p->at;
	n = p->text[at] == '%' ? 1
			       : strspn(p->text + at, "abcdefghijklmnopqrstuvwxyz"
						      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	unit = find_unit(p->text + at, n);
	misfits = misfit(p, &test, unit);
	if (misfits)
		return wrong(p, at, misfits);
	p->at += n;
	if (n)
		test.end = p->at;
	test.number *= unit->factor;
	test.measure = unit->measure;
	if (is_efficiency(test.metric) && test.measure == OF_TIME)
		test.measure = AS_IT_IS;
	return add_node(p, (struct node){ NODE_TEST, NO_NODE, NO_NODE, test });
}

static int parse_not(struct parser *p)
{
	int node;

	skip_blanks(p);
	if (p->depth == DEEPEST)
		return wrong(p, p->at, "that is nested too deeply");
	p->depth++;
	if (take(p, "!")) {
		const int of = parse_not(p);
		node = of == NO_NODE ? NO_NODE
				     : add_node(p, (struct node){ .kind = NODE_NOT,
								  .first = of,
								  .next = NO_NODE });
	} else if (take(p, "(")) {
		const size_t open = p->at - 1;
		node = parse_or(p);
		if (node != NO_NODE && !take(p, ")"))
			node = p->text[p->at] ? wrong(p, p->at, "&&, || or ) should follow")
					      : wrong(p, open, "this ( is never closed");
	} else {
		node = parse_test(p);
	}
	p->depth--;
	return node;
}

static int parse_and(struct parser *p)
{
	return chain(p, NODE_AND, "&&", parse_not);
}

static int parse_or(struct parser *p)
{
	return chain(p, NODE_OR, "||", parse_and);
}

struct condition *condition_parse(const char *text, bool other, struct err *err)
{
	struct condition *c = xcalloc(1, sizeof *c);
	struct parser p = { .condition = c, .text = text, .other = other, .err = err };

	c->text = xstrdup(text);
	c->root = parse_or(&p);
	skip_blanks(&p);
	if (c->root != NO_NODE && text[p.at])
		c->root = wrong(&p, p.at, "&& or || should follow");
	if (c->root != NO_NODE)
		return c;
	condition_free(c);
	return NULL;
}

void condition_free(struct condition *c)
{
	if (!c)
		return;
	vec_fini(&c->nodes);
	free_all(c->text, c);
}

/* ---- does it hold? ---- */

static double value_of(const struct condition_values *values, int metric)
{
	if (!values)
		return NAN;
	return is_efficiency(metric) ? values->efficiencies[metric - CUBE_METRICS]
				     : values->metrics[metric];
}

/* Two zeros are equal. */
static double ratio(double value, double of)
{
	return value == 0 && of == 0 ? 1 : of == 0 && value > 0 ? INFINITY : value / of;
}

/* The value to compare with the number. */
static double measured(const struct test *test, const struct condition_values *values,
		       const struct condition_values *other)
{
	const double value = value_of(values, test->metric);

	switch ((enum measure)test->measure) {
	case OF_TIME: return value == 0 ? 0 : value / value_of(values, CUBE_TIME);
	case OF_OTHER: return ratio(value, value_of(other, test->metric));
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

struct evaluation {
	const struct condition *condition;
	const struct condition_values *values, *other;
};

/* Unknown (NaN) stays unknown when it is negated. */
enum truth { NO, YES, UNKNOWN };

static enum truth evaluate(const struct evaluation *e, int at)
{
	const struct node *node = &e->condition->nodes.data[at];
	const enum truth ends = node->kind == NODE_OR ? YES : NO;
	enum truth all = node->kind == NODE_OR ? NO : YES;

	if (node->kind == NODE_TEST) {
		const double value = measured(&node->test, e->values, e->other);
		if (isnan(value))
			return UNKNOWN;
		return compare((enum operator)node->test.op, value, node->test.number) ? YES : NO;
	}
	if (node->kind == NODE_NOT) {
		const enum truth of = evaluate(e, node->first);
		return of == UNKNOWN ? UNKNOWN : of == YES ? NO : YES;
	}
	for (int i = node->first; i != NO_NODE; i = e->condition->nodes.data[i].next) {
		const enum truth one = evaluate(e, i);
		if (one == ends)
			return ends;
		if (one == UNKNOWN)
			all = UNKNOWN;
	}
	return all;
}

/* ---- why ---- */

static void add_value(struct str *out, int metric, double value)
{
	if (is_efficiency(metric))
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

static void add_test(const struct evaluation *e, const struct test *test, bool held,
		     struct str *out)
{
	const double value = value_of(e->values, test->metric);
	const double other = value_of(e->other, test->metric);
	const double share = measured(test, e->values, e->other);

	str_add_fmt(out, "%s is ", name_of(test->metric));
	add_value(out, test->metric, value);
	if (test->measure == OF_TIME) {
		str_add_fmt(out, ", %.4g %% of time (", 100 * share);
		add_value(out, CUBE_TIME, value_of(e->values, CUBE_TIME));
		str_add(out, ")");
	} else if (test->measure == OF_OTHER) {
		if (isfinite(share))
			str_add_fmt(out, ", %.4gx the other trace's ", share);
		else
			str_add(out, ", the other trace's ");
		add_value(out, test->metric, other);
	}
	str_add_fmt(out, ": %s ", held ? operators[test->op].words : operators[test->op].denial);
	if (test->measure == OF_TIME)
		str_add_fmt(out, "%.10g %%", 100 * test->number);
	else if (test->measure == OF_OTHER)
		str_add_fmt(out, "%.10gx", test->number);
	else
		add_value(out, test->metric, test->number);
	str_add(out, "\n");
}

/* Lists the comparisons that decided a part's result. */
static void explain(const struct evaluation *e, int at, bool held, struct str *out)
{
	const struct node *node = &e->condition->nodes.data[at];

	if (node->kind == NODE_TEST) {
		add_test(e, &node->test, held, out);
		return;
	}
	if (node->kind == NODE_NOT) {
		explain(e, node->first, !held, out);
		return;
	}
	for (int i = node->first; i != NO_NODE; i = e->condition->nodes.data[i].next)
		if (evaluate(e, i) == (held ? YES : NO))
			explain(e, i, held, out);
}

bool condition_holds(const struct condition *c, const struct condition_values *values,
		     const struct condition_values *other, struct str *why)
{
	const struct evaluation e = { c, values, other };

	if (evaluate(&e, c->root) != YES)
		return false;
	if (why)
		explain(&e, c->root, true, why);
	return true;
}
