#include "patterns/iterations/iteration_counts.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"

enum { VISITS_LEAST = 3 };

#define MOST 0.9 /* share of the locations that must have a count */

ORDERING(by_token, struct visit_count, token, visits)

static void add(struct visit_counts *c, uint32_t token, uint32_t visits, uint32_t locations)
{
	uint32_t row;

	if (keymap_new(&c->rows, KEY_OF(token, visits, 0, 0), c->of.n, &row))
		vec_push(&c->of, ((struct visit_count){ token, visits, 0 }));
	c->of.data[row].locations += locations;
}

bool visit_counts_add(struct visit_counts *c, const struct iteration_calls *calls)
{
	const struct iteration_own_token *own;
	struct keymap numbers = { 0 };
	bool mpi = false;

	vec_each (own, &calls->own)
		mpi = mpi || calls->tokens->mpi[own->token];
	if (!mpi)
		return false;
	vec_each (own, &calls->own) {
		uint32_t row;
		if (own->visits < VISITS_LEAST)
			continue;
		add(c, own->token, own->visits, 1);
		if (keymap_new(&numbers, KEY_OF(own->visits, 0, 0, 0), 0, &row))
			add(c, TOKEN_NONE, own->visits, 1);
	}
	keymap_fini(&numbers);
	return true;
}

void visit_counts_join(struct visit_counts *c, const struct visit_counts *other)
{
	const struct visit_count *of;

	vec_each (of, &other->of)
		add(c, of->token, of->visits, of->locations);
}

void visit_counts_fini(struct visit_counts *c)
{
	keymap_fini(&c->rows);
	vec_fini(&c->of);
}

void visit_counts_keep(struct visit_counts *c, struct exchange *x, uint32_t callers,
		       uint32_t tokens, struct iteration_counts *kept)
{
	kept->n = 0;
	kept->common = xcalloc((size_t)tokens + 1, sizeof *kept->common);
	exchange_rows(x, &c->of);
	vec_sort(&c->of, by_token);
	for (size_t i = 0; i < c->of.n;) {
		const struct visit_count *of = &c->of.data[i];
		uint64_t locations = 0;
		/* Equal rows come from several processes. */
		for (; i < c->of.n && !by_token(of, &c->of.data[i]); i++)
			locations += c->of.data[i].locations;
		if ((double)locations < MOST * callers)
			continue;
		if (of->token != TOKEN_NONE)
			kept->common[of->token] = of->visits;
		else if (kept->n < COUNTS_MOST)
			kept->of[kept->n++] = of->visits;
	}
}
