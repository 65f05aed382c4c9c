/* view_filter: the rules that leave out probes which cost too much (facts/probe_rules.h), as a
 * table, and as the file that tvcc and tvrun read (--filter-file). */
#include "views/facts/phrases.h"
#include "views/facts/probe_rules.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                                \
	ROW(F_RULE, "rule", "rule", COLUMN_TEXT, 30, true, true)                    \
	ROW(F_NAME, "name", "name", COLUMN_TEXT, 20, true, false)                   \
	ROW(F_FILE, "file", "file", COLUMN_TEXT, 16, true, false)                   \
	ROW(F_LINE, "line", "line", COLUMN_INT, 6, true, false)                     \
	ROW(F_PROCEDURES, "procedures", "procedures", COLUMN_COUNT, 6, true, false) \
	ROW(F_VISITS, "visits", "visits", COLUMN_COUNT, 10, true, true)             \
	ROW(F_LOOPS, "loop_visits", "loops", COLUMN_COUNT, 10, true, true)          \
	ROW(F_COST, "cost_s", "cost", COLUMN_PART, 10, true, true)                  \
	ROW(F_OWN, "own_s", "own", COLUMN_PART, 10, true, true)                     \
	ROW(F_LOW, "own_low_s", "own, at least", COLUMN_PART, 10, true, false)      \
	ROW(F_HIGH, "own_high_s", "own, at most", COLUMN_PART, 10, true, false)     \
	ROW(F_SHARE, "share", "share", COLUMN_SHARE, 8, true, true)
enum { COLUMNS(COLUMN_ID) F_COLUMNS };
static const struct column columns[F_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct rules_table {
	struct list_table list;
	struct probe_rules rules;
};

/* What a rule takes out. */
static double cost_of(const struct probe_rule *rule)
{
	return rule->loop_cost + (rule->loops ? 0 : rule->cost);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct rules_table *t = (const struct rules_table *)list;
	const struct probe_rule *rule = &t->rules.list.data[item];
	struct str *line = list_table_text(list);

	probe_rule_line(rule, list->trace, line);
	v[F_RULE] = value_text(line->text);
	v[F_NAME] = value_text(trace_string(list->trace, rule->name));
	v[F_FILE] = value_text(trace_string(list->trace, rule->file));
	v[F_LINE] = value_integer(rule->line, rule->line);
	v[F_PROCEDURES] = value_count(rule->procedures);
	v[F_VISITS] = value_count(rule->visits);
	v[F_LOOPS] = value_count(rule->loop_visits);
	v[F_COST] = value_real(true, cost_of(rule));
	v[F_OWN] = value_real(true, rule->own);
	v[F_LOW] = value_real(true, rule->own_low);
	v[F_HIGH] = value_real(true, rule->own_high);
	v[F_SHARE] = value_real(t->rules.total > 0, cost_of(rule) / t->rules.total);
}

static void fini(struct list_table *list)
{
	probe_rules_fini(&((struct rules_table *)list)->rules);
}

struct table *rules_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	struct rules_table *t = list_table_new(sizeof *t, &ops, columns, F_COLUMNS, query->trace);
	const bool found = probe_rules_find(&t->rules, query, err);

	if (found)
		list_table_add_all(&t->list, t->rules.list.n);
	return list_table_done(&t->list, found);
}

/* ---- as a file of rules ---- */

/* The first line is all that tvcc says of a file that it made. */
static void add_summary(struct phrases *p, const struct probe_rules *rules, struct str *out)
{
	const struct probe_rule *rule;
	uint64_t procedures = 0, loops = 0;

	vec_each (rule, &rules->list)
		*(rule->loops ? &loops : &procedures) += rule->procedures;
	if (rules->unknown) {
		str_add_fmt(out, "# no rules: %s\n", rules->unknown);
		return;
	}
	str_add_fmt(out, "# measurement took %s of total time; ",
		    phrase_share(p, rules->total > 0 ? rules->cost / rules->total : 0));
	if (!rules->list.n) {
		str_add(out, "no rule is worth it\n");
		return;
	}
	str_add_fmt(out, "%s is expected without the probes of ",
		    phrase_share(p, rules->left / rules->total));
	if (procedures)
		str_add(out, phrase_count(p, procedures, "procedure", "procedures"));
	if (loops)
		str_add_fmt(out, "%sthe loops of %s", procedures ? " and " : "",
			    phrase_count(p, loops, "procedure", "procedures"));
	str_add_char(out, '\n');
}

static void add_head(struct phrases *p, const struct query *query, const struct probe_rules *rules,
		     struct str *out)
{
	add_summary(p, rules, out);
	str_add(out, "# rules for tvcc --filter-file and tvrun --filter-file, made from ");
	str_add_clean_text(out, trace_path(query->trace));
	str_add_fmt(
		out,
		"\n# a rule leaves out the probes of a procedure, or of its loops, that cost at "
		"least %s of its own time\n# and %s of total time; own time: without "
		"measurement, with its loops and MPI calls\n# the last rule that matches wins; "
		"the time of a procedure without probes is its caller's\n",
		phrase_share(p, RULES_SHARE), phrase_share(p, RULES_LEAST));
}

static void add_reason(struct phrases *p, const struct trace *trace, const struct probe_rule *rule,
		       struct str *out)
{
	str_add(out, "\n# ");
	str_add_clean_text(out, trace_string(trace, rule->name));
	if (rule->line) {
		str_add(out, " (");
		str_add_clean_text(out, trace_string(trace, rule->file));
		str_add_fmt(out, ":%u", rule->line);
		if (rule->procedures > 1)
			str_add_fmt(out, " and %s",
				    phrase_count(p, rule->procedures - 1, "other", "others"));
		str_add_char(out, ')');
	}
	str_add_fmt(out, ": %s", phrase_count(p, rule->visits, "visit", "visits"));
	if (rule->loop_visits)
		str_add_fmt(out, ", %s",
			    phrase_count(p, rule->loop_visits, "loop run", "loop runs"));
	str_add_fmt(out, "; probes%s cost %s", rule->loops ? " of the loops" : "",
		    phrase_part(p, cost_of(rule)));
	if (rule->own > 0)
		str_add_fmt(out, ", %s of", phrase_share(p, cost_of(rule) / rule->own));
	else
		str_add(out, ", all of");
	str_add_fmt(out, " own time %s (%s to %s)\n", phrase_part(p, rule->own),
		    phrase_part(p, rule->own_low), phrase_part(p, rule->own_high));
}

bool rules_text(const struct query *query, struct str *out, struct err *err)
{
	struct probe_rules rules;
	ENDED_BY(phrases_fini) struct phrases phrases = { .trace = query->trace };
	const struct probe_rule *rule;
	const bool found = probe_rules_find(&rules, query, err);

	if (found)
		add_head(&phrases, query, &rules, out);
	vec_each (rule, &rules.list) {
		OWNED_STR line = STR_INIT;
		if (!probe_rule_line(rule, query->trace, &line))
			continue;
		add_reason(&phrases, query->trace, rule, out);
		str_add_fmt(out, "%s\n", line.text);
	}
	probe_rules_fini(&rules);
	return found;
}
