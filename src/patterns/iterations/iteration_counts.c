#include "patterns/iterations/iteration_counts.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"

enum { VISITS_LEAST = 3 };

#define MOST 0.9 /* share of the locations that must have a count */

ORDERING(by_token, struct visit_count, token, visits)

void visit_counts_put(struct visit_counts *c, uint32_t token, uint32_t visits, uint32_t locations)
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
		visit_counts_put(c, own->token, own->visits, 1);
		if (keymap_new(&numbers, KEY_OF(own->visits, 0, 0, 0), 0, &row))
			visit_counts_put(c, TOKEN_NONE, own->visits, 1);
	}
	keymap_fini(&numbers);
	return true;
}

void visit_counts_join(struct visit_counts *c, const struct visit_counts *other)
{
	const struct visit_count *of;

	vec_each (of, &other->of)
		visit_counts_put(c, of->token, of->visits, of->locations);
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
	kept->loop_of = NULL;
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
		else if (kept->n < COUNTS_MOST) {
			kept->loop[kept->n] = TOKEN_NONE;
			kept->of[kept->n++] = of->visits;
		}
	}
}

/* ---- loops with the same number ---- */

/* The loop of each call, as most locations have it, of those in which enough voted. */
static void find_loops(const struct visit_counts *votes, uint32_t callers, uint32_t tokens,
		       uint32_t *loop_of)
{
	for (uint32_t t = 0; t < tokens; t++)
		loop_of[t] = TOKEN_NONE;
	for (size_t i = 0; i < votes->of.n;) {
		const uint32_t token = votes->of.data[i].token;
		uint64_t all = 0, most = 0;
		uint32_t loop = TOKEN_NONE;
		while (i < votes->of.n && votes->of.data[i].token == token) {
			const struct visit_count *of = &votes->of.data[i];
			uint64_t n = 0;
			for (; i < votes->of.n && !by_token(of, &votes->of.data[i]); i++)
				n += votes->of.data[i].locations;
			all += n;
			if (n > most) {
				most = n;
				loop = of->visits;
			}
		}
		/* A loop is known by its lowest call, whose own is known already. */
		if (2 * all >= callers)
			loop_of[token] = loop == token ? token : loop_of[loop];
	}
}

void visit_counts_divide(struct visit_counts *votes, struct exchange *x, uint32_t callers,
			 uint32_t tokens, struct iteration_counts *kept)
{
	const struct iteration_counts all = *kept;

	exchange_rows(x, &votes->of);
	vec_sort(&votes->of, by_token);
	kept->loop_of = xcalloc((size_t)tokens + 1, sizeof *kept->loop_of);
	find_loops(votes, callers, tokens, kept->loop_of);
	kept->n = 0;
	for (uint32_t i = 0; i < all.n && kept->n < COUNTS_MOST; i++) {
		const uint32_t first = kept->n;
		for (uint32_t t = 0; t < tokens && kept->n < COUNTS_MOST; t++)
			if (kept->loop_of[t] == t && kept->common[t] == all.of[i]) {
				kept->of[kept->n] = all.of[i];
				kept->loop[kept->n++] = t;
			}
		if (kept->n > first + 1)
			continue;
		kept->of[first] = all.of[i];
		kept->loop[first] = TOKEN_NONE;
		kept->n = first + 1;
	}
}
