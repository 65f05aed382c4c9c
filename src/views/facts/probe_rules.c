#include "views/facts/probe_rules.h"

#include <string.h>

#include "base/keymap.h"
#include "base/order.h"
#include "patterns/graph/graph.h"

struct rules_finder {
	struct probe_rules *rules;
	const struct graph *graph;
	struct keymap names; /* string -> index in rules->list */
};

/* Functions; regions of OpenMP and of the tool have no rules. */
static bool is_function(const struct trace *trace, const struct graph_node *node)
{
	const struct statement *s =
		node->statement == NO_STATEMENT ? NULL : trace_statement(trace, node->statement);

	return s && (s->region >= trace_region_count(trace) ||
		     trace_region(trace, s->region)->cls == CLASS_USER);
}

static struct probe_rule *rule_of(struct rules_finder *f, const struct graph_node *procedure)
{
	uint32_t *at = keymap_find(&f->names, KEY_OF(procedure->name));
	struct probe_rule *rule;

	if (at)
		return &f->rules->list.data[*at];
	*keymap_add(&f->names, KEY_OF(procedure->name)) = (uint32_t)f->rules->list.n;
	rule = vec_add(&f->rules->list);
	*rule = (struct probe_rule){ .name = procedure->name,
				     .file = procedure->file,
				     .line = procedure->line };
	return rule;
}

/* The procedure that a statement is in, GRAPH_NONE. */
static uint32_t procedure_of(const struct graph *graph, uint32_t node)
{
	while (node != GRAPH_NONE && graph_node(graph, node)->kind != GRAPH_KIND_PROCEDURE)
		node = graph_node(graph, node)->parent;
	return node;
}

static void add_node(struct rules_finder *f, const struct trace *trace, uint32_t id)
{
	const uint32_t up = procedure_of(f->graph, id);
	const struct graph_node *node = graph_node(f->graph, id);
	struct graph_values v;
	struct probe_rule *rule;
	double time;

	if (node->kind == GRAPH_KIND_CALL || node->kind == GRAPH_KIND_PROGRAM)
		return;
	graph_values(f->graph, id, &v);
	f->rules->cost += v.caused;
	if (up == GRAPH_NONE || !is_function(trace, graph_node(f->graph, up)))
		return;
	rule = rule_of(f, graph_node(f->graph, up));
	if (node->kind == GRAPH_KIND_PROCEDURE) {
		rule->procedures++;
		rule->visits += v.count;
		rule->cost += v.caused;
	} else if (node->kind == GRAPH_KIND_LOOP) {
		rule->loop_visits += node->flags & GRAPH_UNTIMED ? 0 : v.count;
		rule->loop_cost += v.caused;
	}
	time = (double)v.exclusive;
	rule->own += time;
	rule->own_low += time + v.probes_own.best - v.probes_own.high;
	rule->own_high += time + v.probes_own.best - v.probes_own.low;
}

static int by_cost(const void *pa, const void *pb)
{
	const struct probe_rule *a = pa, *b = pb;

	ORDER_BY(b->cost + b->loop_cost, a->cost + a->loop_cost);
	return ORDER(a->name, b->name);
}

/* Keeps the rules that are worth it. */
static void choose(struct probe_rules *rules)
{
	size_t n = 0;

	rules->left = rules->cost;
	for (size_t i = 0; i < rules->list.n; i++) {
		struct probe_rule rule = rules->list.data[i];
		const double all = rule.cost + rule.loop_cost;
		if (all < RULES_SHARE * rule.own || all < RULES_LEAST * rules->total)
			continue;
		rule.loops = rule.cost < RULES_SHARE * rule.own;
		rules->left -= rule.loops ? rule.loop_cost : all;
		rules->list.data[n++] = rule;
	}
	rules->list.n = n;
	vec_sort(&rules->list, by_cost);
}

static void find(struct rules_finder *f, const struct trace *trace)
{
	struct graph_origin origin;
	struct graph_values whole;

	graph_origin(f->graph, &origin);
	if (!origin.compensated) {
		f->rules->unknown = "it does not say what its probes cost (this version of tvrun "
				    "measures it)";
		return;
	}
	graph_values(f->graph, GRAPH_PROGRAM, &whole);
	f->rules->total = (double)whole.time + whole.probes.best;
	for (uint32_t node = 0; node < graph_node_count(f->graph); node++)
		add_node(f, trace, node);
	choose(f->rules);
}

bool probe_rules_find(struct probe_rules *rules, const struct query *query, struct err *err)
{
	const struct graph_options options = { .base = query->base,
					       .t0 = INT64_MIN,
					       .t1 = INT64_MAX,
					       .locations = query->locations,
					       .n_locations = query->n_locations,
					       .records = true,
					       .costs = true };
	struct rules_finder f = { .rules = rules };
	struct graph *graph;

	*rules = (struct probe_rules){ .list = VEC_INIT };
	if (!trace_statement_record_count(query->trace)) {
		rules->unknown = "it has no statistics of statements (tvrun records them)";
		return true;
	}
	graph = graph_new(query->trace, &options, query->progress, err);
	if (!graph)
		return false;
	f.graph = graph;
	find(&f, query->trace);
	keymap_fini(&f.names);
	graph_free(graph);
	return true;
}

void probe_rules_fini(struct probe_rules *rules)
{
	vec_fini(&rules->list);
}

bool probe_rule_line(const struct probe_rule *rule, const struct trace *trace, struct str *out)
{
	const char *name = trace_string(trace, rule->name);
	OWNED_STR clean = STR_INIT;

	str_add_clean_text(&clean, name);
	if (!*name || strcmp(clean.text, name) != 0)
		return false;
	str_add(out, rule->loops ? "no-loops ^" : "exclude ^");
	str_add_escaped(out, name, "\\.^$*+?()[{|");
	str_add_char(out, '$');
	return true;
}
