/* The way through a chain of causes, to be gone place by place: from the wait to the largest ends,
 * each through the waits between, until the ends explain enough of the wait. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "views/explain/explaining_chain.h"

/* A reason after which no other follows. */
struct chain_end {
	uint32_t node;
	unsigned reason;
	double ticks; /* of the first wait */
	bool work;    /* it explains them */
};

typedef VEC(struct chain_end) chain_ends;

/* Which reasons of each step are gone to. */
struct chain_way {
	uint32_t *taken; /* [steps] a bit for each reason */
	size_t n;        /* hops */
};

static const struct step *step_of(const struct chain *c, uint32_t node)
{
	const uint32_t step = c->nodes.data[node].step;

	return step == CHAIN_NO_NODE ? NULL : &c->steps.data[step];
}

static bool has_lines(const struct step *step)
{
	for (unsigned i = 0; step && i < step->x.n; i++)
		if (step->line[i] != CHAIN_NO_LINE)
			return true;
	return false;
}

/* Reasons that have lines, and below which none has. */
static void find_ends(const struct chain *c, chain_ends *ends)
{
	for (uint32_t node = 0; node < c->nodes.n; node++) {
		const struct step *step = step_of(c, node);

		for (unsigned i = 0; step && i < step->x.n; i++) {
			const struct reason *r = &step->x.reasons[i];
			const uint32_t below = step->below[i];
			if (step->line[i] == CHAIN_NO_LINE ||
			    (below != CHAIN_NO_NODE && has_lines(step_of(c, below))))
				continue;
			vec_push(ends, ((struct chain_end){
					       node, i, r->share * c->nodes.data[node].scale,
					       r->kind == REASON_WORK &&
						       explain_is_work(c->query->trace, r) }));
		}
	}
}

static int by_size(const void *a, const void *b)
{
	const struct chain_end *x = a, *y = b;

	ORDER_BY(y->ticks, x->ticks);
	ORDER_BY(x->node, y->node);
	return ORDER(x->reason, y->reason);
}

/* How many hops an end adds; with `take`, adds them. */
static size_t hops_to(const struct chain *c, struct chain_way *way, const struct chain_end *end,
		      bool take)
{
	uint32_t node = end->node;
	unsigned reason = end->reason;
	size_t n = 0;

	while (node != CHAIN_NO_NODE) {
		uint32_t *taken = &way->taken[c->nodes.data[node].step];

		n += !(*taken >> reason & 1);
		if (take)
			*taken |= 1u << reason;
		reason = c->nodes.data[node].reason;
		node = c->nodes.data[node].above;
	}
	return n;
}

static void choose(const struct chain *c, struct chain_way *way)
{
	chain_ends ends = VEC_INIT;
	const struct chain_end *end;
	double explained = 0;

	find_ends(c, &ends);
	vec_sort(&ends, by_size);
	way->n = 1;
	vec_each (end, &ends) {
		const size_t more = hops_to(c, way, end, false);

		if (explained >= EXPLAIN_ENOUGH * c->all)
			break;
		if (way->n + more > EXPLAIN_HOPS)
			continue;
		way->n += hops_to(c, way, end, true);
		explained += end->work ? end->ticks : 0;
	}
	vec_fini(&ends);
}

static void add_hop(struct chain *c, size_t line, bool end, double explained, const char *text)
{
	vec_push(&c->e->hops, ((struct explain_hop){ xstrdup(text), line, end,
						     c->all > 0 ? explained / c->all : 0 }));
}

/* How a hop to an end closes: how much of the wait that explains. */
static const char *end_text(struct chain *c, bool work, bool last, double explained)
{
	struct phrases *p = &c->e->p;
	const char *share = phrase_share(p, c->all > 0 ? explained / c->all : 0);

	if (!last)
		return work ? phrase(p, " This explains %s of the wait so far.", share)
			    : " This way ends here.";
	if (explained >= EXPLAIN_ENOUGH * c->all)
		return phrase(p, " The chain ends here: %s of the wait is explained.", share);
	return phrase(p, " The chain ends here, but explains only %s of the wait.", share);
}

/* In the order of the lines: what made a rank wait comes after its wait. */
static void add_way(struct chain *c, const struct chain_way *way)
{
	struct phrases *p = &c->e->p;
	OWNED_VEC(struct chain_end) stack = VEC_INIT;
	double explained = 0;

	vec_push(&stack, ((struct chain_end){ .node = 0 }));
	while (stack.n > 0) {
		struct chain_end *at = vec_last(&stack);
		const struct chain_node *n = &c->nodes.data[at->node];
		const struct step *step = step_of(c, at->node);
		const unsigned i = at->reason++;

		if (!step || i >= step->x.n) {
			stack.n--;
			continue;
		}
		if (!(way->taken[n->step] >> i & 1))
			continue;
		const struct reason *r = &step->x.reasons[i];
		const uint32_t below = step->below[i];
		const bool end = below == CHAIN_NO_NODE || !has_lines(step_of(c, below));
		const bool work = r->kind == REASON_WORK && explain_is_work(p->trace, r);
		const char *text = phrase(p, "%s was late%s because it %s.",
					  phrase_capital(p, explain_who(p, r->location)),
					  at->work ? ", too," : "", chain_reason_text(c, n, i));
		const char *core = work && !at->work ? chain_core_text(c, n) : "";
		if (*core)
			text = phrase(p, "%s %s.", text, phrase_capital(p, core));
		at->work = true; /* one was said */
		explained += work ? r->share * n->scale : 0;
		if (end)
			text = phrase(p, "%s%s", text,
				      end_text(c, work, c->e->hops.n + 1 == way->n, explained));
		add_hop(c, step->line[i], end, explained, text);
		if (!end)
			vec_push(&stack, ((struct chain_end){ .node = below }));
	}
}

void chain_add_hops(struct chain *c)
{
	struct chain_way way = { .taken = xcalloc(c->steps.n + 1, sizeof *way.taken) };

	if (c->e->lines.n > 0) {
		choose(c, &way);
		add_hop(c, 0, way.n == 1, 0, phrase_capital(&c->e->p, c->e->lines.data[0].text));
		add_way(c, &way);
	}
	free(way.taken);
}
