/* probe_rules: which probes of a recorded run cost too much, as rules for the next one (tvcc and
 * tvrun --filter-file), from the trace's statement records.
 *
 * The unit is the procedures of one name, with their loops, because rules know names. Their *own
 * time* is theirs, their loops', and that of the calls of MPI in them, without the cost of probes.
 * Where probes cost at least RULES_SHARE of it, and RULES_LEAST of total time, a rule takes out the
 * procedure's; or its loops' alone, where the procedure's own visits cost less than RULES_SHARE.
 *
 * Ownership: borrows the trace. Errors: false with err, which is untouched where progress stopped
 * it. */
#pragma once

#include "base/vec.h"
#include "views/query/view.h"

#define RULES_SHARE 0.1
#define RULES_LEAST 0.001

struct probe_rule {
	uint32_t name;       /* string of the trace */
	uint32_t file, line; /* of the first such procedure, 0 unknown */
	uint32_t procedures; /* how many have the name */
	bool loops;          /* only those are taken out */
	uint64_t visits, loop_visits;
	double cost, loop_cost;        /* ticks: of the procedures' probes, of their loops' */
	double own, own_low, own_high; /* ticks, without it */
};

struct probe_rules {
	VEC(struct probe_rule) list; /* largest cost first */
	const char *unknown; /* why there are none: the trace has no records, or does not say
					what probes cost; NULL: it does */
	double total;        /* ticks: total time, measured */
	double cost, left;   /* ticks: of all probes, and of those that no rule takes out */
};

bool probe_rules_find(struct probe_rules *rules, const struct query *query, struct err *err);
void probe_rules_fini(struct probe_rules *rules);

/* "exclude ^solve$": means the same as a regular expression of PCRE2 and of POSIX. Nothing is
 * appended, and false, where a name cannot be in a line. */
bool probe_rule_line(const struct probe_rule *rule, const struct trace *trace, struct str *out);
