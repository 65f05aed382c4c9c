#include "correct/fit/step_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/step_state.h"
#include "model/trace/store.h"

enum {
	ROUNDS = 24,
	OF_ONE_CLOCK = 4, /* a clock with more wanders: the rate was too small */
	FIRST_POINTS = 10,
};
#define RATE_MOST 0.5

static uint32_t lower_clock(const struct fit_edge *e)
{
	return e->from < e->to ? e->from : e->to;
}

static uint32_t higher_clock(const struct fit_edge *e)
{
	return e->from < e->to ? e->to : e->from;
}

static void add_point(struct step_pair *pair, const struct fit_edge *e)
{
	const bool upper = e->from == pair->i;
	const double mine = upper ? e->send : e->recv, other = upper ? e->recv : e->send;

	vec_push(&pair->points, ((struct step_point){ mine, other - mine, upper }));
}

static void make_pairs(struct step_search *s, const step_edge_vec *edges)
{
	const struct fit_edge *e;

	vec_each (e, edges) {
		const uint32_t i = lower_clock(e), j = higher_clock(e);
		struct step_pair *last = s->pairs.n ? vec_last(&s->pairs) : NULL;
		if (!last || last->i != i || last->j != j) {
			last = vec_add(&s->pairs);
			last->i = i;
			last->j = j;
		}
		add_point(last, e);
	}
}

static void drop_pairs(struct step_search *s)
{
	struct step_pair *pair;

	vec_each (pair, &s->pairs) {
		vec_fini(&pair->points);
		vec_fini(&pair->found);
	}
	vec_fini(&s->pairs);
}

static double find_rate(struct step_search *s)
{
	struct step_rates rates = { 0 };
	struct step_pair *pair;

	vec_each (pair, &s->pairs) {
		step_points_sort(&pair->points);
		step_rates_add(&rates, &pair->points);
	}
	exchange_sums(s->x, &rates.count[0][0], RATE_LEVELS * RATE_BINS);
	return step_rate(&rates);
}

/* ---- what pairs show ---- */

typedef VEC(struct seen_step) seen_vec;
ORDERING(by_clocks, struct seen_step, i, j, step.from)

static void scan_pairs(struct step_search *s, seen_vec *seen)
{
	struct step_pair *pair;
	const struct pair_step *step;

	seen->n = 0;
	vec_each (pair, &s->pairs) {
		if (!pair->known) {
			step_points_sort(&pair->points);
			pair->found.n = 0;
			step_scan(&pair->points, s->rate, &pair->found);
			pair->known = true;
		}
		vec_each (step, &pair->found)
			vec_push(seen, ((struct seen_step){ pair->i, pair->j, *step }));
	}
	exchange_rows(s->x, seen);
	vec_sort(seen, by_clocks);
}

/* ---- a time that all clocks share ---- */

struct link {
	uint64_t i, j;
	double middle; /* of C_j - C_i, ns */
};
ORDERING(by_link, struct link, i, j)
typedef VEC(struct link) link_vec;

/* From a pair's first points. */
static double first_middle(const struct step_pair *pair)
{
	double low = -INFINITY, high = INFINITY;
	size_t lows = 0, highs = 0;

	for (size_t i = 0; i < pair->points.n && (lows < FIRST_POINTS || highs < FIRST_POINTS);
	     i++) {
		const struct step_point *p = &pair->points.data[i];
		if (p->upper && highs++ < FIRST_POINTS)
			high = fmin(high, p->value);
		else if (!p->upper && lows++ < FIRST_POINTS)
			low = fmax(low, p->value);
	}
	return isinf(low) ? high : isinf(high) ? low : (low + high) / 2;
}

static void list_links(struct lists *of, const link_vec *links, uint32_t clocks)
{
	OWNED uint32_t *ends = xmalloc((2 * links->n + 1) * sizeof *ends);

	for (size_t k = 0; k < links->n; k++) {
		ends[2 * k] = (uint32_t)links->data[k].i;
		ends[2 * k + 1] = (uint32_t)links->data[k].j;
	}
	lists_of_neighbours(of, clocks, ends, (uint32_t)links->n);
}

static double middle_of(const link_vec *links, uint32_t from, uint32_t to)
{
	const struct link key = { from < to ? from : to, from < to ? to : from, 0 };
	const struct link *link = bsearch(&key, links->data, links->n, sizeof key, by_link);

	return from < to ? link->middle : -link->middle;
}

static void find_common_times(struct step_search *s)
{
	const uint32_t n = s->clocks.n;
	link_vec links = VEC_INIT;
	OWNED uint32_t *queue = xcalloc(n + 1u, sizeof *queue);
	OWNED bool *done = xcalloc(n + 1u, sizeof *done);
	const struct step_pair *pair;
	struct lists of;

	vec_each (pair, &s->pairs)
		vec_push(&links, ((struct link){ pair->i, pair->j, first_middle(pair) }));
	exchange_rows(s->x, &links);
	vec_sort(&links, by_link);
	list_links(&of, &links, n);
	for (uint32_t root = 0; root < n; root++) {
		uint32_t ends = 0;
		if (done[root])
			continue;
		done[root] = true;
		s->common[root] = 0;
		queue[ends++] = root;
		for (uint32_t k = 0; k < ends; k++)
			for (uint32_t m = of.start[queue[k]]; m < of.start[queue[k] + 1]; m++) {
				const uint32_t to = of.list[m];
				if (done[to])
					continue;
				s->common[to] =
					s->common[queue[k]] - middle_of(&links, queue[k], to);
				done[to] = true;
				queue[ends++] = to;
			}
	}
	lists_fini(&of);
	vec_fini(&links);
}

/* ---- steps are taken out ---- */

double step_time(const struct step_search *s, uint32_t clock, int64_t measured)
{
	int64_t t = measured;

	for (size_t i = 0; i < s->steps.n; i++)
		if (s->of.data[i] == clock && measured >= s->steps.data[i].at)
			t -= s->steps.data[i].size;
	return clocks_time(&s->clocks, clock, t);
}

/* Drops messages that a clock receives at a time (ns) at which its times were held back. */
static void drop_held(struct step_search *s, uint32_t clock, double held)
{
	struct step_pair *pair;

	vec_each (pair, &s->pairs) {
		size_t n = 0;
		if (pair->i != clock && pair->j != clock)
			continue;
		for (size_t i = 0; i < pair->points.n; i++) {
			const struct step_point p = pair->points.data[i];
			const double t = pair->i == clock ? p.time : p.time + p.value;
			if (p.upper == (pair->j == clock) && fabs(t - held) < s->clocks.ns / 2)
				continue;
			pair->points.data[n++] = p;
		}
		pair->points.n = n;
	}
}

/* Takes a step of `size` at a time (ns) out of a clock's points. */
static void take_out(struct step_search *s, uint32_t clock, double at, double size)
{
	struct step_pair *pair;
	struct step_point *p;

	vec_each (pair, &s->pairs) {
		if (pair->i != clock && pair->j != clock)
			continue;
		pair->known = false;
		vec_each (p, &pair->points) {
			if (pair->i == clock && p->time >= at) {
				p->time -= size;
				p->value += size;
			} else if (pair->j == clock && p->time + p->value >= at) {
				p->value -= size;
			}
		}
	}
}

/* True if a clock has too many steps to be believed. */
static bool wanders(const struct step_search *s)
{
	OWNED uint32_t *of = xcalloc(s->clocks.n + 1u, sizeof *of);
	bool any = false;

	for (size_t i = 0; i < s->of.n; i++)
		any = ++of[s->of.data[i]] > OF_ONE_CLOCK || any;
	return any;
}

/* The earliest steps; false: there are no more. */
static bool find_round(struct step_search *s, uint32_t *groups)
{
	seen_vec seen = VEC_INIT;
	set_clock_vec set = VEC_INIT;
	const size_t before = s->steps.n;

	scan_pairs(s, &seen);
	if (seen.n > 0) {
		find_common_times(s);
		step_groups(s, seen.data, seen.n, &set, groups);
	}
	for (size_t i = 0; i < set.n; i++)
		step_place(s, &set.data[i], groups);
	for (size_t i = before; i < s->steps.n; i++) {
		const struct fit_step *step = &s->steps.data[i];
		int64_t t = step->at;
		/* Its time without the earlier ones, as the points have it. */
		for (size_t k = 0; k < before; k++)
			if (s->of.data[k] == s->of.data[i] && step->at >= s->steps.data[k].at)
				t -= s->steps.data[k].size;
		if (step->held != STEP_NOT_HELD)
			drop_held(s, s->of.data[i],
				  clocks_time(&s->clocks, s->of.data[i],
					      t + step->held - step->at));
		take_out(s, s->of.data[i], clocks_time(&s->clocks, s->of.data[i], t) - 1e-3,
			 (double)step->size * s->clocks.ns);
	}
	vec_fini(&seen);
	vec_fini(&set);
	return s->steps.n > before;
}

struct numbered_step {
	uint32_t clock;
	struct fit_step step;
};
ORDERING(by_clock_and_time, struct numbered_step, clock, step.at)

/* All steps at a rate; false: dropped. */
static bool find_all(struct step_search *s, const step_edge_vec *edges, uint32_t *groups,
		     const struct progress *progress)
{
	drop_pairs(s);
	make_pairs(s, edges);
	s->steps.n = s->of.n = 0;
	s->fine = step_fine_rate(s->rate);
	for (s->round = 0; s->round < ROUNDS; s->round++) {
		if (!find_round(s, groups) || wanders(s))
			break;
		if (!fit_goes_on(progress, s->round, ROUNDS))
			return false;
	}
	return true;
}

typedef VEC(struct numbered_step) numbered_vec;

static void number_steps(const struct step_search *s, numbered_vec *out)
{
	out->n = 0;
	for (uint32_t i = 0; i < s->steps.n; i++)
		vec_push(out, ((struct numbered_step){ s->of.data[i], s->steps.data[i] }));
	vec_sort(out, by_clock_and_time);
}

static bool same_clocks(const numbered_vec *a, const numbered_vec *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (a->data[i].clock != b->data[i].clock)
			return false;
	return a->n == b->n;
}

/* Clocks that bend more than the trace as a whole demands look as if they were set, but not at a
 * larger rate: what is believed are the steps of a rate at which there are as many as at four times
 * that. */
static bool search(struct step_search *s, const step_edge_vec *edges, numbered_vec *found,
		   const struct progress *progress)
{
	OWNED uint32_t *groups = xcalloc(s->clocks.n + 1u, sizeof *groups);
	numbered_vec now = VEC_INIT;
	bool known = false, ok;

	make_pairs(s, edges);
	s->rate = find_rate(s);
	while ((ok = find_all(s, edges, groups, progress))) {
		const bool wild = wanders(s);
		number_steps(s, &now);
		if (now.n == 0 || (known && !wild && same_clocks(found, &now)))
			break;
		found->n = 0;
		for (size_t i = 0; i < now.n && !wild; i++)
			vec_push(found, now.data[i]);
		known = !wild;
		if (s->rate >= RATE_MOST)
			break;
		s->rate = fmin(4 * s->rate, RATE_MOST);
	}
	if (now.n == 0)
		found->n = 0;
	vec_fini(&now);
	return ok;
}

/* ---- the result ---- */

/* Offsets against a clock without steps, of clocks without steps. */
static void mend_offsets(struct clock_steps *steps, const struct clocks *clocks)
{
	const size_t n = trace_offset_count(clocks->trace);

	steps->offsets = xmalloc((n + 1) * sizeof *steps->offsets);
	for (size_t i = 0; i < n; i++) {
		struct offset *o = &steps->offsets[i];
		*o = *trace_offset(clocks->trace, i);
		const int64_t reference = o->time + o->offset;
		o->time -= steps_until(steps, clocks->of[o->location], o->time);
		o->offset = reference - steps_until(steps, 0, reference) - o->time;
	}
}

static void keep_steps(struct clock_steps *out, const numbered_vec *found,
		       const struct clocks *clocks)
{
	const uint32_t n = (uint32_t)found->n;
	uint32_t at = 0;

	out->n = n;
	out->data = xcalloc(n + 1u, sizeof *out->data);
	out->clock = xcalloc(n + 1u, sizeof *out->clock);
	out->first = xcalloc(clocks->n + 2u, sizeof *out->first);
	for (uint32_t i = 0; i < n; i++) {
		out->data[i] = found->data[i].step;
		out->clock[i] = found->data[i].clock;
	}
	for (uint32_t c = 0; c <= clocks->n; c++) {
		while (at < n && out->clock[at] < c)
			at++;
		out->first[c] = at;
	}
	mend_offsets(out, clocks);
}

/* The clocks in measured times. */
static void show_measured(struct clocks *out, const struct clocks *clocks)
{
	*out = *clocks;
	out->base = BASE_MEASURED;
	out->tied = NULL;
	out->line = xcalloc(clocks->n + 1u, sizeof *out->line);
	out->plain = xcalloc(clocks->n + 1u, sizeof *out->plain);
	out->rate = xcalloc(clocks->n + 1u, sizeof *out->rate);
	out->first = xcalloc(clocks->n + 1u, sizeof *out->first);
	clocks_set_lines(out);
}

bool steps_find(struct clock_steps *steps, const struct clocks *clocks,
		const struct logical *logical, const struct progress *progress)
{
	struct step_search s = { .x = trace_exchange(clocks->trace) };
	step_edge_vec edges = VEC_INIT;
	numbered_vec found = VEC_INIT;
	bool ok;

	*steps = (struct clock_steps){ 0 };
	show_measured(&s.clocks, clocks);
	s.common = xcalloc(clocks->n + 1u, sizeof *s.common);
	ok = step_edges_collect(&edges, &s.clocks, logical, progress) &&
	     search(&s, &edges, &found, progress);
	if (ok && found.n > 0)
		keep_steps(steps, &found, clocks);
	drop_pairs(&s);
	vec_fini(&s.steps);
	vec_fini(&s.of);
	vec_fini(&found);
	vec_fini(&edges);
	free_all(s.common, s.clocks.line, s.clocks.plain, s.clocks.rate, s.clocks.first);
	return ok;
}

void steps_fini(struct clock_steps *steps)
{
	free_all(steps->data, steps->clock, steps->first, steps->offsets);
	*steps = (struct clock_steps){ 0 };
}
