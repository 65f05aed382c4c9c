#include "patterns/iterations/iteration_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

enum { MEMBERS_MOST = 200, CLASSES_MOST = 16 };

/* ---- places ---- */

static bool is_counted(const struct iteration_counts *counts, uint32_t visits)
{
	uint32_t low = 0, high = counts->n;

	BISECT(low, high, middle, counts->of[middle] < visits);
	return low < counts->n && counts->of[low] == visits;
}

void token_places_init(struct token_places *p, const struct iteration_calls *calls,
		       const struct iteration_counts *counts)
{
	const size_t own = calls->own.n;
	const struct iteration_call *call;
	uint32_t n = 0;

	p->calls = calls;
	p->counts = counts;
	p->last = xcalloc(own + 1, sizeof *p->last);
	p->segments = xcalloc(own + 1, sizeof *p->segments);
	p->now = xcalloc(own + 1, sizeof *p->now);
	p->most = xcalloc(own + 1, sizeof *p->most);
	p->inside = xcalloc(own + 1, sizeof *p->inside);
	p->first = xmalloc((own + 1) * sizeof *p->first);
	for (size_t i = 0; i < own; i++) {
		const uint32_t visits = calls->own.data[i].visits;
		p->first[i] = n;
		n += is_counted(counts, visits) ? visits : 0;
	}
	p->first[own] = n;
	p->at = xmalloc(((size_t)n + 1) * sizeof *p->at);
	/* `last`: how many were put in. */
	vec_each (call, &calls->of)
		if (p->first[call->token] < p->first[call->token + 1])
			p->at[p->first[call->token] + p->last[call->token]++] =
				(uint32_t)(call - calls->of.data);
	memset(p->last, 0, own * sizeof *p->last);
}

void token_places_fini(struct token_places *p)
{
	free_all(p->first, p->at, p->last, p->segments, p->now, p->most, p->inside);
}

/* ---- classes ---- */

/* a[0] < b[0] < a[1] < b[1] ... */
static bool alternate(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (b[i] <= a[i] || (i + 1 < n && b[i] >= a[i + 1]))
			return false;
	return true;
}

struct forming {
	uint32_t first, members;
	bool common; /* one of them is */
};

static uint32_t span_of(const struct token_places *p, uint32_t token)
{
	return token_at(p, token)[token_visits(p, token) - 1] - token_at(p, token)[0];
}

static bool is_better(const struct token_places *p, const struct forming *a,
		      const struct forming *b)
{
	if (a->common != b->common)
		return a->common;
	if (span_of(p, a->first) != span_of(p, b->first))
		return span_of(p, a->first) > span_of(p, b->first);
	return a->members > b->members;
}

bool token_places_form(const struct token_places *p, uint32_t nth, struct iteration_class *found)
{
	const uint32_t visits = p->counts->of[nth];
	struct forming classes[CLASSES_MOST];
	unsigned n = 0, best = 0, members = 0;

	*found = (struct iteration_class){ .location = p->calls->location, .count = nth };
	for (uint32_t own = 0; own < p->calls->own.n; own++) {
		unsigned c = 0;
		if (token_visits(p, own) != visits || members++ >= MEMBERS_MOST)
			continue;
		while (c < n && !alternate(token_at(p, classes[c].first), token_at(p, own), visits))
			c++;
		if (c == CLASSES_MOST)
			continue;
		if (c == n)
			classes[n++] = (struct forming){ own, 0, false };
		classes[c].members++;
		classes[c].common = classes[c].common ||
				    p->counts->common[p->calls->own.data[own].token] == visits;
	}
	if (!n)
		return false;
	for (unsigned c = 1; c < n; c++)
		if (is_better(p, &classes[c], &classes[best]))
			best = c;
	found->visits = visits;
	found->token = classes[best].first;
	found->common = classes[best].common;
	found->members = classes[best].members;
	return true;
}
