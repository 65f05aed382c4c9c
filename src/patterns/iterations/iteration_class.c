#include "patterns/iterations/iteration_class.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/median.h"
#include "base/mem.h"
#include "model/trace/visit_walk.h"
#include "patterns/iterations/iteration_places.h"

enum { WARM_MOST = 2 };

#define TYPICAL_PART 0.6 /* of the typical calls, that make an iteration at the ends */
#define REACH        1.5 /* iterations that are looked at beyond the first and last anchor */

/* ---- stretches ---- */

/* The stretches between visits of the anchor. */
struct stretches {
	const struct token_places *p;
	const uint32_t *at; /* [n + 1] */
	uint32_t n, typical;
	uint32_t head, tail;  /* calls: how far iterations before the first anchor and after the
				last reach */
	double before, after; /* of the calls of a stretch, how many are in the head and tail */
};

/* How far an iteration before the first anchor, or after the last, reaches: to where a caller's
 * other calls begin. */
static void find_reach(struct stretches *s)
{
	const struct iteration_calls *calls = s->p->calls;
	const uint32_t *depth = calls->tokens->depth;
	const uint32_t first = s->at[0], last = s->at[s->n];
	const uint32_t above = depth[calls->of.data[first].path];
	const uint32_t below = depth[calls->of.data[last].path];
	OWNED double *lengths = xmalloc((s->n + 1) * sizeof *lengths);
	double most;

	for (uint32_t k = 0; k < s->n; k++)
		lengths[k] = s->at[k + 1] - s->at[k];
	most = REACH * median_of(lengths, s->n);
	s->head = first;
	while (s->head > 0 && (double)(first - s->head) < most &&
	       depth[calls->of.data[s->head - 1].path] >= above)
		s->head--;
	s->tail = last;
	while (s->tail < calls->of.n && (double)(s->tail - last) < most &&
	       depth[calls->of.data[s->tail].path] >= below)
		s->tail++;
}

static struct stretches stretches_of(const struct token_places *p, uint32_t token)
{
	struct stretches s = { .p = p, .at = token_at(p, token), .n = token_visits(p, token) - 1 };

	find_reach(&s);
	return s;
}

/* How alike each stretch is to the one of its neighbours that is more so: of steps that alternate
 * (a sweep from each corner twice) half would be like none after them. Replaces the n likenesses of
 * neighbours by those of n + 1 stretches. */
static void take_better(double *alike, uint32_t n)
{
	double before = 0;

	for (uint32_t k = 0; k <= n; k++) {
		const double after = k < n ? alike[k] : 0;
		alike[k] = fmax(before, after);
		before = after;
	}
}

/* In how many stretches each token is and how often at most, and how alike neighbours are. */
static double compare_stretches(struct stretches *s)
{
	const struct token_places *p = s->p;
	OWNED double *alike = xmalloc((s->n + 1) * sizeof *alike);
	uint32_t before = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t here = 0, both = 0;
		for (uint32_t i = s->at[k]; i < s->at[k + 1]; i++) {
			const uint32_t own = p->calls->of.data[i].token;
			const bool again = p->last[own] == k + 1;
			p->now[own] = again ? p->now[own] + 1 : 1;
			p->inside[own]++;
			if (p->now[own] > p->most[own])
				p->most[own] = p->now[own];
			if (again)
				continue;
			both += k > 0 && p->last[own] == k;
			p->last[own] = k + 1;
			p->segments[own]++;
			here++;
		}
		if (k > 0)
			alike[k - 1] = (double)both / (double)(before + here - both);
		before = here;
	}
	for (uint32_t own = 0; own < p->calls->own.n; own++) {
		p->last[own] = p->now[own] = 0;
		s->typical += 2 * p->segments[own] >= s->n;
	}
	take_better(alike, s->n - 1);
	return median_of(alike, s->n);
}

/* Whether an iteration that has the calls that were taken so far may have this one, too: no more of
 * a token than any stretch has. What is in no stretch may be in the first iteration alone. */
static bool takes(const struct stretches *s, uint32_t call)
{
	const struct token_places *p = s->p;
	const uint32_t own = p->calls->of.data[call].token;

	return !p->most[own] || p->now[own]++ < p->most[own];
}

/* Of the calls of an average stretch, how many are in [from, to), without the anchor. */
static double count_usual(const struct stretches *s, uint32_t from, uint32_t to)
{
	const struct token_places *p = s->p;
	const uint32_t anchor = p->calls->of.data[s->at[0]].token;
	double n = 0;

	for (uint32_t i = from; i < to; i++) {
		const uint32_t own = p->calls->of.data[i].token;
		if (own != anchor)
			n += fmin(p->now[own], (double)p->inside[own] / s->n);
		p->now[own] = 0;
	}
	return n;
}

/* Ends head and tail where an iteration would have more calls of a kind than any other has: a
 * function that the loop calls may be called before it, too. */
static void limit_reach(struct stretches *s)
{
	const struct token_places *p = s->p;
	const uint32_t head = s->head, tail = s->tail;

	for (s->head = s->at[0]; s->head > head && takes(s, s->head - 1);)
		s->head--;
	s->before = count_usual(s, s->head, s->at[0]);
	for (s->tail = s->at[s->n]; s->tail < tail && takes(s, s->tail);)
		s->tail++;
	s->after = count_usual(s, s->at[s->n], s->tail);
	memset(p->now, 0, p->calls->own.n * sizeof *p->now);
}

static bool is_typical(const struct stretches *s, uint32_t call)
{
	return 2 * s->p->segments[s->p->calls->of.data[call].token] >= s->n;
}

/* Typical tokens in calls [from, to), each counted once. */
static uint32_t typical_in(const struct stretches *s, uint32_t from, uint32_t to)
{
	const struct iteration_call *calls = s->p->calls->of.data;
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++) {
		n += !s->p->last[calls[i].token] && is_typical(s, i);
		s->p->last[calls[i].token] = 1;
	}
	for (uint32_t i = from; i < to; i++)
		s->p->last[calls[i].token] = 0;
	return n;
}

/* A stretch that is not like the others: something that happens in no other, or too little. */
static bool is_warm(const struct stretches *s, uint32_t k)
{
	for (uint32_t i = s->at[k]; i < s->at[k + 1]; i++) {
		const uint32_t own = s->p->calls->of.data[i].token;
		if (s->p->segments[own] == 1 && token_visits(s->p, own) <= 2)
			return true;
	}
	return 2 * typical_in(s, s->at[k], s->at[k + 1]) < s->typical;
}

/* Shares of the calls, and of the time, from one call to another. */
static double part_between(const struct iteration_calls *calls, uint32_t first, uint32_t last)
{
	return (double)(last - first) / (double)calls->of.n;
}

static double cover_between(const struct iteration_calls *calls, uint32_t first, uint32_t last)
{
	const int64_t core = calls->to - calls->from;

	return core > 0 ? (double)(iteration_call_begin(calls, last) -
				   iteration_call_begin(calls, first)) /
				  (double)core
			: 0;
}

/* An iteration may begin with the anchor or end with it: where there is one both before the first
 * and after the last, what is more like the others is one. */
static void find_phase(const struct stretches *s, struct iteration_class *c)
{
	const double wanted = TYPICAL_PART * s->typical;

	while (c->warm < WARM_MOST && c->warm < s->n && is_warm(s, c->warm))
		c->warm++;
	c->opening = typical_in(s, s->at[s->n], s->tail) >= wanted;
	/* The anchor itself is not in the head. */
	c->closing = !c->warm && (!c->opening || s->before > s->after) &&
		     typical_in(s, s->head, s->at[0]) >= TYPICAL_PART * (s->typical - 1);
	c->opening = c->opening && !c->closing;
}

/* Most locations may have another phase than this one: both ends are found. */
static void find_ends(const struct stretches *s, struct iteration_class *c)
{
	uint32_t from, to;

	c->anchor = s->at[0];
	for (c->first = s->head; c->first < s->at[0] && !is_typical(s, c->first);)
		c->first++;
	for (c->last = s->tail - 1; c->last > s->at[s->n] && !is_typical(s, c->last);)
		c->last--;
	from = c->closing ? c->first : s->at[0];
	to = c->opening ? c->last : s->at[s->n];
	c->from = iteration_call_begin(s->p->calls, from);
	c->to = iteration_call_begin(s->p->calls, to);
	c->part = part_between(s->p->calls, from, to);
	c->cover = cover_between(s->p->calls, from, to);
}

static void measure(const struct token_places *p, struct iteration_class *c)
{
	const size_t own = p->calls->own.n;
	struct stretches s = stretches_of(p, c->token);

	c->similar = compare_stretches(&s);
	limit_reach(&s);
	find_phase(&s, c);
	find_ends(&s, c);
	memset(p->segments, 0, own * sizeof *p->segments);
	memset(p->most, 0, own * sizeof *p->most);
	memset(p->inside, 0, own * sizeof *p->inside);
}

/* ---- levels within levels ---- */

/* Whether a call is inside the visit of the last anchor before it, which is an ancestor then. */
static bool is_inside(const struct trace *trace, uint32_t call, uint32_t anchor)
{
	return callpath_at_depth(trace, call, trace_callpath(trace, anchor)->depth) == anchor;
}

/* The same, which is asked of few call paths again and again. */
struct inside {
	uint32_t call, anchor; /* call paths */
	bool is;
};

static bool knows_inside(struct inside *last, const struct iteration_calls *calls, uint32_t call,
			 uint32_t anchor)
{
	const struct iteration_call *a = &calls->of.data[anchor], *c = &calls->of.data[call];

	if (last->call != c->path || last->anchor != a->path)
		*last = (struct inside){ c->path, a->path,
					 is_inside(calls->trace, c->path, a->path) };
	return last->is;
}

/* Whether every stretch of `outer` holds the same number of anchors of `inner`, and how many of
 * these are inside visits of the outer anchor. */
static void nest(const struct token_places *p, struct iteration_class *outer,
		 const struct iteration_class *inner)
{
	const uint32_t *a = token_at(p, outer->token), *b = token_at(p, inner->token);
	struct inside last = { UINT32_MAX, UINT32_MAX, false };
	uint32_t same = UINT32_MAX, inside = 0, j = 0;
	bool equal = true;

	for (uint32_t k = 0; k < outer->visits; k++) {
		const uint32_t end = k + 1 < outer->visits ? a[k + 1] : UINT32_MAX;
		uint32_t n = 0;
		for (; j < inner->visits && b[j] < end; j++) {
			n += b[j] > a[k];
			inside += b[j] > a[k] && knows_inside(&last, p->calls, b[j], a[k]);
		}
		if (k + 1 == outer->visits)
			break;
		equal = equal && (same == UINT32_MAX || n == same);
		same = n;
	}
	outer->every |= (uint64_t)equal << inner->count;
	outer->encloses |= (uint64_t)(inside >= 0.8 * inner->visits) << inner->count;
}

static void nest_all(const struct token_places *p, uint32_t n, struct iteration_class *classes)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (classes[i].visits && classes[k].visits &&
			    2 * classes[k].visits > 3 * classes[i].visits)
				nest(p, &classes[i], &classes[k]);
}

/* ---- all ---- */

/* Whether a class may cover a share of the time, or of the calls. */
static void find_reach_of(const struct token_places *p, uint32_t token, double share, bool *cover,
			  bool *part)
{
	const struct stretches s = stretches_of(p, token);
	const uint32_t last = s.tail > s.at[s.n] ? s.tail - 1 : s.at[s.n];

	*cover = cover_between(p->calls, s.head, last) >= share;
	*part = part_between(p->calls, s.head, last) >= share;
}

void iteration_classes_survey(const struct iteration_calls *calls,
			      const struct iteration_counts *counts, double share,
			      struct iteration_reach *reach, struct visit_counts *votes)
{
	struct token_places p;

	token_places_init(&p, calls, counts);
	for (uint32_t i = 0; i < counts->n; i++) {
		struct formed_class formed[CLASSES_MOST];
		const unsigned n = token_places_form(&p, i, formed);
		const unsigned best = token_places_best(&p, i, formed, n);
		for (unsigned c = 0; c < n; c++) {
			bool cover, part;
			find_reach_of(&p, formed[c].first, share, &cover, &part);
			if (cover || part)
				token_places_vote(&p, c, formed, votes);
			if (c != best)
				continue;
			reach[i].locations++;
			reach[i].cover += cover;
			reach[i].part += part;
		}
		token_places_forget(&p);
	}
	token_places_fini(&p);
}

void iteration_classes_find(const struct iteration_calls *calls,
			    const struct iteration_counts *counts, struct iteration_class *classes)
{
	struct token_places p;

	token_places_init(&p, calls, counts);
	for (uint32_t i = 0; i < counts->n; i++)
		if (token_places_choose(&p, i, &classes[i]))
			measure(&p, &classes[i]);
	nest_all(&p, counts->n, classes);
	for (uint32_t i = 0; i < counts->n; i++) {
		struct iteration_class *c = &classes[i];
		if (!c->visits)
			continue;
		c->token = calls->own.data[c->token].token;
		c->first = calls->of.data[c->first].event;
		c->last = calls->of.data[c->last].event;
		c->anchor = calls->of.data[c->anchor].event;
	}
	token_places_fini(&p);
}
