/* Rules that leave out expensive probes: traces whose visits, times and costs are written down, and
 * what that makes of them, by hand. */
#include <math.h>
#include <string.h>

#include "harness/notation.h"
#include "harness/test.h"
#include "model/trace/program.h"
#include "views/facts/probe_rules.h"

struct run {
	struct notation text;
	struct trace *trace;
	struct probe_rules rules;
};

/* A visit takes 20 ns in a loop, 10 of them in its own time: 8 beside other work and 0.4 for the
 * guard, and as much around it (graph_probes_test.c): 16.8 in all. The same of a loop. */
static void begin(struct run *r)
{
	*r = (struct run){ 0 };
	notation_begin(&r->text, 1000000000);
	notation_write(&r->text, "ranks 1; property 'cost-guard' 'inline'; "
				 "property 'cost-rows-ps' '20000 10000 20000 10000 40000 20000 0'");
}

static void end(struct run *r)
{
	probe_rules_fini(&r->rules);
	trace_free(r->trace);
	notation_fini(&r->text);
}

static uint32_t add(struct run *r, enum statement_kind kind, const char *name, uint32_t line,
		    uint32_t parent)
{
	struct builder *b = r->text.b;
	const struct statement s = { .kind = (uint8_t)kind,
				     .line = line,
				     .parent = parent,
				     .callee = NO_STATEMENT,
				     .name = builder_string(b, name, strlen(name)),
				     .file = builder_string(b, "h.c", 3),
				     .region = UINT32_MAX };

	return builder_statement(b, &s);
}

/* Adds a record: visits, and their time, of which `own` is exclusive. */
static void keep(struct run *r, uint32_t statement, uint64_t count, int64_t time, int64_t own,
		 uint32_t flags)
{
	const struct statement_record record = { .statement = statement,
						 .location = r->text.places.data[0].location,
						 .from = NO_STATEMENT,
						 .partner = RANK_UNKNOWN,
						 .comm = UINT32_MAX,
						 .count = count,
						 .time = time,
						 .exclusive = own,
						 .min = time / (int64_t)count,
						 .max = time / (int64_t)count,
						 .flags = flags };

	builder_statement_record(r->text.b, &record);
}

static uint32_t procedure(struct run *r, const char *name, uint32_t line, uint64_t count,
			  int64_t time)
{
	const uint32_t id = add(r, STATEMENT_PROCEDURE, name, line, NO_STATEMENT);

	keep(r, id, count, time, time, 0);
	return id;
}

static void find(struct run *r)
{
	struct err err = ERR_INIT;
	struct query query = { .t0 = INT64_MIN, .t1 = INT64_MAX };

	r->trace = notation_finish(&r->text);
	query.trace = r->trace;
	if (!probe_rules_find(&r->rules, &query, &err))
		fail_msg("%s", err.text);
}

static void assert_near(double is, double should)
{
	if (fabs(is - should) > 1e-6 * fabs(should) + 1e-6)
		fail_msg("%.9g is not %.9g", is, should);
}

static void assert_rule(const struct run *r, size_t i, const char *line)
{
	OWNED_STR text = STR_INIT;

	assert_true(i < r->rules.list.n);
	assert_true(probe_rule_line(&r->rules.list.data[i], r->trace, &text));
	assert_string_equal(text.text, line);
}

/* leaf: 1,000 visits cost 16,800 of 40,000 - 8,400 of its own. hot: 1,000 visits cost as much of
 * 991,600. tiny: its one visit costs more than a tenth of its own, but not a thousandth of all. */
TEST(what_costs_little_stays)
{
	ENDED_BY(end) struct run r;
	const struct probe_rule *leaf = NULL;

	begin(&r);
	procedure(&r, "leaf", 3, 1000, 40000);
	procedure(&r, "hot", 5, 1000, 1000000);
	procedure(&r, "tiny", 7, 1, 30);
	find(&r);
	assert_int_equal(r.rules.list.n, 1);
	assert_rule(&r, 0, "exclude ^leaf$");
	leaf = &r.rules.list.data[0];
	assert_int_equal(leaf->visits, 1000);
	assert_int_equal(leaf->line, 3);
	assert_near(leaf->cost, 16800);
	assert_near(leaf->own, 31600);
	assert_near(leaf->own_low, 40000 - 11.6 * 1000);
	assert_near(leaf->own_high, 40000 - 5 * 1000);
	assert_near(r.rules.cost, 2001 * 16.8);
	assert_near(r.rules.left, 1001 * 16.8);
	assert_near(r.rules.total, 1040030);
}

/* sweep is visited ten times, its loop 1,000 times in each: only the loop is worth a rule. */
TEST(loops_alone_where_their_procedure_is_cheap)
{
	ENDED_BY(end) struct run r;
	uint32_t sweep, loop;

	begin(&r);
	sweep = add(&r, STATEMENT_PROCEDURE, "sweep", 1, NO_STATEMENT);
	loop = add(&r, STATEMENT_LOOP, "for", 2, sweep);
	keep(&r, loop, 10000, 600000, 600000, 0);
	keep(&r, sweep, 10, 900000, 300000, 0);
	find(&r);
	assert_int_equal(r.rules.list.n, 1);
	assert_rule(&r, 0, "no-loops ^sweep$");
	assert_int_equal(r.rules.list.data[0].visits, 10);
	assert_int_equal(r.rules.list.data[0].loop_visits, 10000);
	assert_near(r.rules.list.data[0].loop_cost, 168000);
	/* Without what is in it and around it: 84,084 of the loop, 84,000 of the procedure. */
	assert_near(r.rules.list.data[0].own, 900000 - 84000 - 84000 - 84);
	assert_near(r.rules.left, 168);
}

/* Rules know names: two procedures of one name are left out together, and counted together. */
TEST(procedures_of_one_name_are_one)
{
	ENDED_BY(end) struct run r;

	begin(&r);
	procedure(&r, "step", 3, 500, 20000);
	procedure(&r, "step", 9, 500, 20000);
	procedure(&r, "(anonymous)::map[]", 20, 2000, 80000);
	find(&r);
	assert_int_equal(r.rules.list.n, 2);
	assert_rule(&r, 0, "exclude ^\\(anonymous\\)::map\\[]$");
	assert_rule(&r, 1, "exclude ^step$");
	assert_int_equal(r.rules.list.data[1].procedures, 2);
	assert_int_equal(r.rules.list.data[1].visits, 1000);
}

/* With events a visit is two records, 30 + 50 ns apart in a loop: 24 + 0.3 of them inside, 40 +
 * 0.5 around. What was called too often to be events costs what a row does. */
TEST(events_cost_what_they_cost)
{
	ENDED_BY(end) struct run r;

	begin(&r);
	notation_write(&r.text, "property 'cost-pairs-ps' "
				"'1000 30000 1000 1000 50000 1000 1000 1000 "
				"1000 1000 1000 1000 1000 1000 1000 1000'; "
				"rank 0: main@0 { leaf@10-20 } @2000000");
	procedure(&r, "leaf", 3, 1000, 100000);
	keep(&r, add(&r, STATEMENT_PROCEDURE, "often", 5, NO_STATEMENT), 1000, 50000, 50000,
	     RECORD_LIMITED);
	find(&r);
	assert_int_equal(r.rules.list.n, 2);
	assert_rule(&r, 0, "exclude ^leaf$");
	assert_near(r.rules.list.data[0].cost, 1000 * (0.8 * 80 + 0.8));
	assert_near(r.rules.list.data[0].own, 100000 - 1000 * (24 + 0.3));
	assert_rule(&r, 1, "exclude ^often$");
	assert_near(r.rules.list.data[1].cost, 16800);
}

TEST(a_trace_without_costs_has_no_rules)
{
	ENDED_BY(end) struct run r = { 0 };

	notation_begin(&r.text, 1000000000);
	notation_write(&r.text, "ranks 1");
	procedure(&r, "leaf", 3, 1000, 40000);
	find(&r);
	assert_int_equal(r.rules.list.n, 0);
	assert_non_null(strstr(r.rules.unknown, "does not say what its probes cost"));
}

/* A line break in a name would end the rule. */
TEST(a_name_that_is_no_line_has_no_rule)
{
	ENDED_BY(end) struct run r;
	OWNED_STR text = STR_INIT;

	begin(&r);
	procedure(&r, "a\nexclude .", 3, 1000, 40000);
	find(&r);
	assert_int_equal(r.rules.list.n, 1);
	assert_false(probe_rule_line(&r.rules.list.data[0], r.trace, &text));
	assert_int_equal(text.n, 0);
}
