#include "patterns/iterations/iteration_class.h"

#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"

enum { MEMBERS_MOST = 200, CLASSES_MOST = 16, WARM_MOST = 2 };

#define TYPICAL_PART 0.6 /* of the typical calls, that make an iteration at the ends */
#define REACH        1.5 /* iterations that are looked at beyond the first and last anchor */

/* ---- places ---- */

void iteration_places_init(struct iteration_places *p, const struct iteration_calls *calls,
			   uint32_t tokens)
{
	uint32_t seen = 0;

	*p = (struct iteration_places){ .calls = calls, .tokens = tokens };
	p->n = xcalloc((size_t)tokens + 1, sizeof *p->n);
	p->first = xcalloc((size_t)tokens + 2, sizeof *p->first);
	p->at = xmalloc((calls->of.n + 1) * sizeof *p->at);
	p->last = xcalloc((size_t)tokens + 1, sizeof *p->last);
	p->segments = xcalloc((size_t)tokens + 1, sizeof *p->segments);
	p->by_first = xmalloc(((size_t)tokens + 1) * sizeof *p->by_first);
	for (size_t i = 0; i < calls->of.n; i++) {
		const uint32_t token = calls->of.data[i].token;
		if (p->first[token + 1]++ == 0)
			p->by_first[seen++] = token;
	}
	for (uint32_t t = 0; t < tokens; t++)
		p->first[t + 1] += p->first[t];
	for (size_t i = 0; i < calls->of.n; i++) {
		const uint32_t token = calls->of.data[i].token;
		p->at[p->first[token] + p->n[token]++] = (uint32_t)i;
	}
	for (; seen < tokens; seen++)
		p->by_first[seen] = TOKEN_NONE;
}

void iteration_places_fini(struct iteration_places *p)
{
	free_all(p->n, p->first, p->at, p->last, p->segments, p->by_first);
}

static const uint32_t *places_of(const struct iteration_places *p, uint32_t token)
{
	return p->at + p->first[token];
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

static uint32_t span_of(const struct iteration_places *p, uint32_t token)
{
	return places_of(p, token)[p->n[token] - 1] - places_of(p, token)[0];
}

static bool is_better(const struct iteration_places *p, const struct forming *a,
		      const struct forming *b)
{
	if (a->common != b->common)
		return a->common;
	if (span_of(p, a->first) != span_of(p, b->first))
		return span_of(p, a->first) > span_of(p, b->first);
	return a->members > b->members;
}

static void form(const struct iteration_places *p, uint32_t visits, const uint32_t *common,
		 struct iteration_class *found)
{
	struct forming classes[CLASSES_MOST];
	unsigned n = 0, best = 0, members = 0;

	for (uint32_t i = 0; i < p->tokens && p->by_first[i] != TOKEN_NONE; i++) {
		const uint32_t token = p->by_first[i];
		unsigned c = 0;
		if (p->n[token] != visits || members++ >= MEMBERS_MOST)
			continue;
		while (c < n &&
		       !alternate(places_of(p, classes[c].first), places_of(p, token), visits))
			c++;
		if (c == CLASSES_MOST)
			continue;
		if (c == n)
			classes[n++] = (struct forming){ token, 0, false };
		classes[c].members++;
		classes[c].common = classes[c].common || common[token] == visits;
	}
	if (!n)
		return;
	for (unsigned c = 1; c < n; c++)
		if (is_better(p, &classes[c], &classes[best]))
			best = c;
	found->visits = visits;
	found->token = classes[best].first;
	found->common = classes[best].common;
	found->members = classes[best].members;
}

/* ---- stretches ---- */

/* The stretches between visits of the anchor. */
struct stretches {
	const struct iteration_places *p;
	const uint32_t *at; /* [n + 1] */
	uint32_t n, typical;
	double length; /* median, calls */
};

/* In how many stretches each token is, and how alike neighbours are. */
static double compare_stretches(struct stretches *s)
{
	const struct iteration_places *p = s->p;
	OWNED double *alike = xmalloc((s->n + 1) * sizeof *alike);
	OWNED double *lengths = xmalloc((s->n + 1) * sizeof *lengths);
	uint32_t before = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t here = 0, both = 0;
		for (uint32_t i = s->at[k]; i < s->at[k + 1]; i++) {
			const uint32_t token = p->calls->of.data[i].token;
			if (p->last[token] == k + 1)
				continue;
			both += k > 0 && p->last[token] == k;
			p->last[token] = k + 1;
			p->segments[token]++;
			here++;
		}
		if (k > 0)
			alike[k - 1] = (double)both / (double)(before + here - both);
		lengths[k] = s->at[k + 1] - s->at[k];
		before = here;
	}
	for (uint32_t t = 0; t < p->tokens; t++) {
		p->last[t] = 0;
		s->typical += 2 * p->segments[t] >= s->n;
	}
	s->length = median_of(lengths, s->n);
	return median_of(alike, s->n - 1);
}

static bool is_typical(const struct stretches *s, uint32_t token)
{
	return 2 * s->p->segments[token] >= s->n;
}

/* Typical tokens in calls [from, to), each counted once. */
static uint32_t typical_in(const struct stretches *s, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++) {
		const uint32_t token = s->p->calls->of.data[i].token;
		n += !s->p->last[token] && is_typical(s, token);
		s->p->last[token] = 1;
	}
	for (uint32_t i = from; i < to; i++)
		s->p->last[s->p->calls->of.data[i].token] = 0;
	return n;
}

/* A stretch that is not like the others: something that happens in no other, or too little. */
static bool is_warm(const struct stretches *s, uint32_t k)
{
	for (uint32_t i = s->at[k]; i < s->at[k + 1]; i++) {
		const uint32_t token = s->p->calls->of.data[i].token;
		if (s->p->segments[token] == 1 && s->p->n[token] <= 2)
			return true;
	}
	return 2 * typical_in(s, s->at[k], s->at[k + 1]) < s->typical;
}

/* How far an iteration before the first anchor, or after the last, reaches: to where a caller's
 * other calls begin. */
static uint32_t head_begin(const struct stretches *s)
{
	const struct iteration_call *calls = s->p->calls->of.data;
	uint32_t i = s->at[0];

	while (i > 0 && (double)(s->at[0] - i) < REACH * s->length &&
	       calls[i - 1].depth >= calls[s->at[0]].depth)
		i--;
	return i;
}

static uint32_t tail_end(const struct stretches *s)
{
	const struct iteration_calls *calls = s->p->calls;
	const uint32_t anchor = s->at[s->n];
	uint32_t i = anchor;

	while (i < calls->of.n && (double)(i - anchor) < REACH * s->length &&
	       calls->of.data[i].depth >= calls->of.data[anchor].depth)
		i++;
	return i;
}

static void find_ends(const struct stretches *s, struct iteration_class *c)
{
	const struct iteration_calls *calls = s->p->calls;
	const uint32_t head = head_begin(s), tail = tail_end(s);
	const double wanted = TYPICAL_PART * s->typical;
	const int64_t core = calls->to - calls->from;

	while (c->warm < WARM_MOST && c->warm < s->n && is_warm(s, c->warm))
		c->warm++;
	c->opening = typical_in(s, s->at[s->n], tail) >= wanted;
	/* The anchor itself is not in the head. */
	c->closing = !c->opening && !c->warm &&
		     typical_in(s, head, s->at[0]) >= TYPICAL_PART * (s->typical - 1);
	c->first = s->at[0];
	c->last = s->at[s->n];
	if (c->closing)
		for (c->first = head;
		     c->first < s->at[0] && !is_typical(s, calls->of.data[c->first].token);)
			c->first++;
	if (c->opening)
		for (c->last = tail - 1;
		     c->last > s->at[s->n] && !is_typical(s, calls->of.data[c->last].token);)
			c->last--;
	c->part = (double)(c->last - c->first) / (double)calls->of.n;
	c->cover = core > 0 ? (double)(calls->of.data[c->last].en - calls->of.data[c->first].en) /
				      (double)core
			    : 0;
}

static void measure(const struct iteration_places *p, struct iteration_class *c)
{
	struct stretches s = { .p = p, .at = places_of(p, c->token), .n = c->visits - 1 };

	c->similar = compare_stretches(&s);
	c->warm = 0;
	find_ends(&s, c);
	memset(p->segments, 0, p->tokens * sizeof *p->segments);
}

/* ---- levels within levels ---- */

/* Whether every stretch of `outer` holds the same number of anchors of `inner`, and how many of
 * these are inside visits of the outer anchor. */
static void nest(const struct iteration_places *p, struct iteration_class *outer,
		 const struct iteration_class *inner)
{
	const uint32_t *a = places_of(p, outer->token), *b = places_of(p, inner->token);
	uint32_t same = UINT32_MAX, inside = 0, j = 0;
	bool equal = true;

	for (uint32_t k = 0; k < outer->visits; k++) {
		const uint32_t end = k + 1 < outer->visits ? a[k + 1] : UINT32_MAX;
		uint32_t n = 0;
		for (; j < inner->visits && b[j] < end; j++) {
			n += b[j] > a[k];
			inside += b[j] > a[k] &&
				  p->calls->of.data[b[j]].en < p->calls->of.data[a[k]].lv;
		}
		if (k + 1 == outer->visits)
			break;
		equal = equal && (same == UINT32_MAX || n == same);
		same = n;
	}
	outer->every |= (uint64_t)equal << inner->count;
	outer->encloses |= (uint64_t)(inside >= 0.8 * inner->visits) << inner->count;
}

void iteration_classes_find(const struct iteration_places *p, const uint32_t *counts, uint32_t n,
			    const uint32_t *common, uint32_t location,
			    struct iteration_class *classes)
{
	for (uint32_t i = 0; i < n; i++) {
		classes[i] = (struct iteration_class){ .location = location, .count = i };
		form(p, counts[i], common, &classes[i]);
		if (classes[i].visits)
			measure(p, &classes[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (classes[i].visits && classes[k].visits &&
			    2 * classes[k].visits > 3 * classes[i].visits)
				nest(p, &classes[i], &classes[k]);
}
