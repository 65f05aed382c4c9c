#include "patterns/causes/cause_ends.h"

#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "patterns/causes/causes_state.h"
#include "patterns/causes/explain_sides.h"
#include "patterns/causes/points_far.h"

/* The longest wait at the points of an interval. */
struct longest_wait {
	int64_t w;      /* ticks; 0: there is none */
	uint32_t point; /* POINT_NONE */
	uint32_t path;
};

/* The largest reason of a wait, in its own process. `next`: CAUSE_END_WAIT: the point of that. */
struct cause_step {
	struct cause_end end;
	uint32_t next; /* POINT_NONE */
};

/* A wait for the ends of others (MPI_Finalize), of which each location has one at most. Nothing is
 * charged for it, so there is no delay: it is explained as by causes_explain(). */
struct last_wait {
	uint32_t location, wait;
	struct cause_end end;
};

struct cause_ends {
	const struct causes *causes;
	uint32_t **longest; /* [locations][2 points] a tree of the points with the longest waits */
	struct longest_wait *far;   /* [own delays] at the points of locations elsewhere; NULL */
	struct cause_end *ends;     /* [own delays] NULL: not found ahead */
	VEC(struct last_wait) last; /* found ahead, by location */
};

/* ---- the longest wait in an interval ---- */

static uint32_t longer(const struct location_points *of, uint32_t a, uint32_t b)
{
	if (a == POINT_NONE || b == POINT_NONE)
		return a == POINT_NONE ? b : a;
	if (of->data[a].w != of->data[b].w)
		return of->data[a].w > of->data[b].w ? a : b;
	return a < b ? a : b;
}

/* Node i has the longer one of its children 2 i and 2 i + 1; the points are its leaves. */
static uint32_t *longest_tree(const struct location_points *of)
{
	const size_t n = of->n;
	uint32_t *tree = xmalloc((2 * n + 1) * sizeof *tree);

	for (size_t i = 0; i < n; i++)
		tree[n + i] = of->data[i].w > 0 && of->data[i].wait != POINT_NONE ? (uint32_t)i
										  : POINT_NONE;
	for (size_t i = n; i-- > 1;)
		tree[i] = longer(of, tree[2 * i], tree[2 * i + 1]);
	return tree;
}

/* Strictly between two points of a location that is here. */
static struct longest_wait longest_between(struct cause_ends *e, uint32_t location, uint32_t from,
					   uint32_t to)
{
	const struct location_points *of = &e->causes->points->of[location];
	uint32_t best = POINT_NONE;

	if (!e->longest[location])
		e->longest[location] = longest_tree(of);
	for (size_t a = of->n + from + 1, b = of->n + to; a < b; a /= 2, b /= 2) {
		if (a % 2)
			best = longer(of, best, e->longest[location][a++]);
		if (b % 2)
			best = longer(of, best, e->longest[location][--b]);
	}
	if (best == POINT_NONE)
		return (struct longest_wait){ 0, POINT_NONE, UINT32_MAX };
	return (struct longest_wait){ of->data[best].w, best, of->data[best].path };
}

/* ---- a hop ---- */

/* Of an own delay. */
static struct cause_step step_of(struct cause_ends *e, uint32_t row)
{
	const struct delays *d = e->causes->delays;
	const struct delay *delay = &d->data[row];
	const struct excesses *excess = &d->excess[delay->other];
	/* Of collectives a scale may be above 1 (C14). */
	const double known = fmin(delay_scale(d, delay), 1) * (delay->total - delay->estimated);
	const int64_t w = d->points->of[delay->location].data[delay->point].w;
	struct cause_step step = { { CAUSE_END_UNKNOWN, delay->other, UINT32_MAX }, POINT_NONE };
	struct longest_wait wait;
	double most = 0;

	if (known < 0.5 * (double)w)
		return step;
	wait = points_are_far(d->points, delay->other)
		       ? e->far[row]
		       : longest_between(e, delay->other, delay->other_from, delay->other_point);
	for (size_t i = delay->first; i < delay->first + delay->n; i++)
		if (excess->ticks[i] > most ||
		    (excess->ticks[i] == most && excess->paths[i] < step.end.path)) {
			most = excess->ticks[i];
			step.end.path = excess->paths[i];
		}
	step.end.kind = CAUSE_END_WORK;
	if ((double)wait.w > most) {
		step.end = (struct cause_end){ CAUSE_END_WAIT, delay->other, wait.path };
		step.next = wait.point;
	}
	return step;
}

/* Of a point of this process; false: nothing is known of it. */
static bool step_at(struct cause_ends *e, uint32_t location, uint32_t point,
		    struct cause_step *step)
{
	const uint32_t row = e->causes->points->of[location].data[point].delay;
	struct cause_step next;

	if (row == POINT_NONE)
		return false;
	next = step_of(e, row);
	if (next.end.kind == CAUSE_END_UNKNOWN)
		return false;
	*step = next;
	return true;
}

static bool is_here(const struct cause_ends *e, uint32_t location)
{
	return !points_are_far(e->causes->points, location);
}

/* Goes on from a step as long as locations are here; the hops are counted. */
static void go_on(struct cause_ends *e, struct cause_step *step, unsigned *hops)
{
	while (step->next != POINT_NONE && is_here(e, step->end.location) && *hops < CAUSE_HOPS) {
		const uint32_t point = step->next;

		++*hops;
		step->next = POINT_NONE;
		if (!step_at(e, step->end.location, point, step))
			return;
	}
}

static struct cause_end end_of(struct cause_ends *e, uint32_t row)
{
	struct cause_step step = step_of(e, row);
	unsigned hops = 0;

	go_on(e, &step, &hops);
	return step.end;
}

/* The first step of a wait without a delay; of several processes all call it. */
static struct cause_step explained_step(const struct cause_ends *e, uint32_t location,
					uint32_t wait)
{
	const struct causes *c = e->causes;
	const struct trace *trace = analysis_trace(c->analysis);
	struct cause_step step = { { CAUSE_END_UNKNOWN, UINT32_MAX, UINT32_MAX }, POINT_NONE };
	struct explanation x;
	double all = 0, known = 0;
	size_t n;

	if (!causes_explain(c, location, wait, &x))
		return step;
	for (unsigned i = 0; i < x.n; i++) {
		all += x.reasons[i].share;
		known += x.reasons[i].kind == REASON_UNEXPLAINED ? 0 : x.reasons[i].share;
	}
	if (known < 0.5 * all)
		return step;
	step.end = (struct cause_end){ x.reasons[0].kind == REASON_WORK ? CAUSE_END_WORK
									: CAUSE_END_WAIT,
				       x.reasons[0].location, x.reasons[0].path };
	if (step.end.kind == CAUSE_END_WORK)
		return step;
	if (trace_has_location(trace, x.delayer))
		step.next =
			points_of_wait(c->points, trace, x.delayer, x.reasons[0].wait,
				       analysis_waits(c->analysis, x.delayer, &n)[x.reasons[0].wait]
					       .event);
	exchange_from(trace_exchange(trace), trace_process_of(trace, x.delayer), &step.next,
		      sizeof step.next);
	return step;
}

static struct cause_end explained_end(struct cause_ends *e, uint32_t location, uint32_t wait)
{
	struct cause_step step = explained_step(e, location, wait);
	unsigned hops = 0;

	go_on(e, &step, &hops);
	return step.end;
}

/* ---- where several processes share the trace ---- */

/* The longest waits at points of other processes, told by those: to each waiter that they know. */
static void take_far_waits(struct cause_ends *e)
{
	const struct delays *d = e->causes->delays;
	const struct far_points *far = d->points->far;
	struct exchange *x = far->exchange;
	const size_t told = far->told_first[x->processes], asked = far->asked_first[x->processes];
	OWNED struct longest_wait *mine = xcalloc(told + 1, sizeof *mine);
	struct exchange_parts theirs;

	for (size_t i = 0; i < told; i++) {
		const struct delay *delay = &d->data[d->own + i];
		if (delay->other_point != POINT_NONE)
			mine[i] = longest_between(e, delay->other, delay->other_from,
						  delay->other_point);
	}
	exchange_swap(x, mine, sizeof *mine, far->told_first, &theirs);
	e->far = xcalloc(d->own + 1, sizeof *e->far);
	for (size_t i = 0; i < asked; i++) {
		const struct asked_point *a = &far->asked[i];
		const uint32_t row = d->points->of[a->location].data[a->point].delay;
		if (row != POINT_NONE)
			e->far[row] = ((const struct longest_wait *)(const void *)theirs.data)[i];
	}
	exchange_parts_fini(&theirs);
}

/* A chain that goes on in another process. */
struct open_chain {
	uint32_t row; /* of the delay, or in `last`, that it began with */
	bool is_last;
	unsigned hops;
	struct cause_step step;
};

/* What is asked about. */
struct asked_step {
	uint32_t location, point;
};

/* What is told: `is` false: nothing is known of it. */
struct told_step {
	struct cause_step step;
	bool is;
};

static void *answer_steps(void *context, const void *rows, size_t n)
{
	const struct asked_step *asked = rows;
	struct told_step *told = xcalloc(n + 1, sizeof *told);

	for (size_t i = 0; i < n; i++)
		told[i].is = step_at(context, asked[i].location, asked[i].point, &told[i].step);
	return told;
}

struct open_chains {
	struct open_chain *data;
	size_t n, cap;
};

/* As far as it can be gone here; whether it goes on elsewhere. */
static bool end_chain(struct cause_ends *e, struct open_chain *c)
{
	go_on(e, &c->step, &c->hops);
	if (c->is_last)
		e->last.data[c->row].end = c->step.end;
	else
		e->ends[c->row] = c->step.end;
	return c->step.next != POINT_NONE && c->hops < CAUSE_HOPS;
}

/* One hop of each chain in the process of its location; those that have ended are left out. */
static void hop_all(struct cause_ends *e, struct open_chains *chains)
{
	const struct far_points *far = e->causes->points->far;
	OWNED struct asked_step *asked = xcalloc(chains->n + 1, sizeof *asked);
	OWNED uint32_t *to = xcalloc(chains->n + 1, sizeof *to);
	OWNED struct told_step *told = NULL;
	size_t left = 0;

	for (size_t i = 0; i < chains->n; i++) {
		const struct cause_step *step = &chains->data[i].step;
		asked[i] = (struct asked_step){ step->end.location, step->next };
		to[i] = trace_process_of(far->trace, step->end.location);
	}
	told = exchange_ask(far->exchange, asked, chains->n, sizeof *asked, to, answer_steps, e,
			    sizeof *told);
	for (size_t i = 0; i < chains->n; i++) {
		struct open_chain c = chains->data[i];

		c.hops++;
		c.step.next = POINT_NONE;
		if (told[i].is)
			c.step = told[i].step;
		if (end_chain(e, &c))
			chains->data[left++] = c;
	}
	chains->n = left;
}

/* Of all locations, one after the other. */
static void begin_last(struct cause_ends *e, struct open_chains *chains)
{
	const struct analysis *a = e->causes->analysis;
	struct last_waits {
		struct last_wait *data;
		size_t n, cap;
	} all = VEC_INIT;

	for (uint32_t l = 0; l < e->causes->points->locations; l++) {
		size_t n = 0;
		const struct wait *waits = is_here(e, l) ? analysis_waits(a, l, &n) : NULL;
		for (size_t i = n; i-- > 0;)
			if (waits[i].metric == CUBE_MPI_FINALIZE_WAIT &&
			    explain_has_causes(&waits[i])) {
				vec_push(&all, ((struct last_wait){ .location = l,
								    .wait = (uint32_t)i }));
				break;
			}
	}
	exchange_rows(e->causes->points->far->exchange, &all);
	for (size_t i = 0; i < all.n; i++) {
		struct open_chain c = { (uint32_t)e->last.n, true, 0,
					explained_step(e, all.data[i].location, all.data[i].wait) };

		if (!is_here(e, all.data[i].location))
			continue;
		vec_push(&e->last, all.data[i]);
		if (end_chain(e, &c))
			vec_push(chains, c);
	}
	vec_fini(&all);
}

static void find_all(struct cause_ends *e)
{
	const struct delays *d = e->causes->delays;
	struct open_chains chains = VEC_INIT;

	e->ends = xcalloc(d->own + 1, sizeof *e->ends);
	for (uint32_t row = 0; row < d->own; row++) {
		struct open_chain c = { row, false, 0, step_of(e, row) };

		if (end_chain(e, &c))
			vec_push(&chains, c);
	}
	begin_last(e, &chains);
	while (exchange_any(d->points->far->exchange, chains.n > 0))
		hop_all(e, &chains);
	vec_fini(&chains);
}

/* ---- the ends ---- */

struct cause_ends *cause_ends_new(const struct causes *causes)
{
	struct cause_ends *e = xcalloc(1, sizeof *e);

	e->causes = causes;
	e->longest = xcalloc((size_t)causes->points->locations + 1, sizeof *e->longest);
	if (causes->points->far) {
		take_far_waits(e);
		find_all(e);
	}
	return e;
}

void cause_ends_free(struct cause_ends *e)
{
	if (!e)
		return;
	for (uint32_t l = 0; l < e->causes->points->locations; l++)
		free(e->longest[l]);
	vec_fini(&e->last);
	free_all(e->longest, e->far, e->ends, e);
}

static int compare_last(const void *key, const void *one)
{
	const struct last_wait *a = key, *b = one;

	return (a->location > b->location) - (a->location < b->location);
}

static struct cause_end last_end(struct cause_ends *e, uint32_t location, uint32_t wait)
{
	const struct last_wait key = { .location = location }, *last;

	if (!e->ends)
		return explained_end(e, location, wait);
	last = e->last.n ? bsearch(&key, e->last.data, e->last.n, sizeof key, compare_last) : NULL;
	if (last && last->wait == wait)
		return last->end;
	return (struct cause_end){ CAUSE_END_UNKNOWN, UINT32_MAX, UINT32_MAX };
}

struct cause_end cause_ends_of(struct cause_ends *e, uint32_t location, uint32_t wait)
{
	const struct trace *trace = analysis_trace(e->causes->analysis);
	const struct points *points = e->causes->points;
	size_t n;
	const struct wait *waits = analysis_waits(e->causes->analysis, location, &n);
	uint32_t row;

	if (wait >= n || !explain_has_causes(&waits[wait]))
		return (struct cause_end){ CAUSE_END_NONE, UINT32_MAX, UINT32_MAX };
	if (waits[wait].metric == CUBE_MPI_FINALIZE_WAIT)
		return last_end(e, location, wait);
	row = points_of_wait(points, trace, location, wait, waits[wait].event);
	if (row != POINT_NONE)
		row = points->of[location].data[row].delay;
	if (row == POINT_NONE)
		return (struct cause_end){ CAUSE_END_UNKNOWN, UINT32_MAX, UINT32_MAX };
	return e->ends ? e->ends[row] : end_of(e, row);
}
