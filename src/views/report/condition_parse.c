#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "views/report/condition_state.h"

enum { DEEPEST = 100, NAME_BYTES = 64, NUMBER_DIGITS = 15 };

static const char *const efficiencies[CONDITION_EFFICIENCIES] = {
	"parallel_efficiency", "load_balance", "communication_efficiency",
	"serialisation_efficiency", "transfer_efficiency"
};
const struct condition_operator condition_operators[OPERATORS] = {
	[OP_LESS] = { "<", "less than", "not less than" },
	[OP_LESS_EQUAL] = { "<=", "at most", "more than" },
	[OP_MORE] = { ">", "more than", "not more than" },
	[OP_MORE_EQUAL] = { ">=", "at least", "less than" },
	[OP_EQUAL] = { "==", "exactly", "not" },
	[OP_UNEQUAL] = { "!=", "not", "exactly" },
};

const char *condition_name(int metric)
{
	return condition_is_efficiency(metric) ? efficiencies[metric - CUBE_METRICS]
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
		names[m] = condition_name(m);
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
		if (take(p, condition_operators[tried[i]].sign)) {
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
	const bool time = !condition_is_efficiency(test->metric) &&
			  cube_metric_info((enum cube_metric)test->metric)->unit == UNIT_TICKS;

	if (!unit)
		return "there is no such unit (% x s ms us ns min B kB MB GB KiB MiB GiB)";
	if (unit->measure == OF_OTHER)
		return p->other ? NULL
				: "x compares with another trace, and there is one trace only";
	if (condition_is_efficiency(test->metric))
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
	if (condition_is_efficiency(test.metric) && test.measure == OF_TIME)
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
