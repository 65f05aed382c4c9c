#include "patterns/iterations/iteration_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/iterations/iteration_counts.h"

enum { MEMBERS_MOST = 200 };

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
	p->class_of = xcalloc(own + 1, sizeof *p->class_of);
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
	free_all(p->first, p->at, p->last, p->segments, p->now, p->most, p->inside, p->class_of);
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

static uint32_t span_of(const struct token_places *p, uint32_t token)
{
	return token_at(p, token)[token_visits(p, token) - 1] - token_at(p, token)[0];
}

static bool is_better(const struct token_places *p, const struct formed_class *a,
		      const struct formed_class *b)
{
	if ((a->common == TOKEN_NONE) != (b->common == TOKEN_NONE))
		return a->common != TOKEN_NONE;
	if (span_of(p, a->first) != span_of(p, b->first))
		return span_of(p, a->first) > span_of(p, b->first);
	return a->members > b->members;
}

unsigned token_places_form(const struct token_places *p, uint32_t nth,
			   struct formed_class classes[CLASSES_MOST])
{
	const uint32_t visits = p->counts->of[nth];
	unsigned n = 0, members = 0;

	for (uint32_t own = 0; own < p->calls->own.n; own++) {
		const uint32_t token = p->calls->own.data[own].token;
		unsigned c = 0;
		if (token_visits(p, own) != visits || members++ >= MEMBERS_MOST)
			continue;
		while (c < n && !alternate(token_at(p, classes[c].first), token_at(p, own), visits))
			c++;
		if (c == CLASSES_MOST)
			continue;
		if (c == n)
			classes[n++] = (struct formed_class){ own, 0, TOKEN_NONE };
		classes[c].members++;
		p->class_of[own] = (uint8_t)(c + 1);
		if (token < classes[c].common && p->counts->common[token] == visits)
			classes[c].common = token;
	}
	return n;
}

void token_places_forget(const struct token_places *p)
{
	memset(p->class_of, 0, p->calls->own.n * sizeof *p->class_of);
}

void token_places_vote(const struct token_places *p, unsigned c, const struct formed_class *classes,
		       struct visit_counts *votes)
{
	if (classes[c].common == TOKEN_NONE)
		return;
	for (uint32_t own = 0; own < p->calls->own.n; own++) {
		const uint32_t token = p->calls->own.data[own].token;
		if (p->class_of[own] == c + 1 && p->counts->common[token] == token_visits(p, own))
			visit_counts_put(votes, token, classes[c].common, 1);
	}
}

/* Whether a class is of the loop that is looked for. */
static bool is_of(const struct iteration_counts *counts, uint32_t nth,
		  const struct formed_class *class)
{
	return counts->loop[nth] == TOKEN_NONE ||
	       (class->common != TOKEN_NONE && counts->loop_of[class->common] == counts->loop[nth]);
}

unsigned token_places_best(const struct token_places *p, uint32_t nth,
			   const struct formed_class *classes, unsigned n)
{
	unsigned best = n;

	for (unsigned c = 0; c < n; c++)
		if (is_of(p->counts, nth, &classes[c]) &&
		    (best == n || is_better(p, &classes[c], &classes[best])))
			best = c;
	return best;
}

bool token_places_choose(const struct token_places *p, uint32_t nth, struct iteration_class *found)
{
	struct formed_class classes[CLASSES_MOST];
	const unsigned n = token_places_form(p, nth, classes);
	const unsigned best = token_places_best(p, nth, classes, n);

	token_places_forget(p);
	*found = (struct iteration_class){ .location = p->calls->location, .count = nth };
	if (best == n)
		return false;
	found->visits = p->counts->of[nth];
	found->token = classes[best].first;
	found->common = classes[best].common != TOKEN_NONE;
	found->members = classes[best].members;
	return true;
}
