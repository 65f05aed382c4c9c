/* Whose clock was set: pairs that exclude a step keep their clocks together, and of the groups that
 * are left the largest one was not set. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "correct/fit/step_state.h"

/* A step is named where it is so many times the room that a pair's messages leave. */
#define GAPS 2.2

#define NONE UINT32_MAX

enum { SEEDS = 8 }; /* that are tried where the earliest says nothing */

struct grouping {
	const struct step_search *s;
	const struct seen_step **cluster; /* the pairs' steps that may be one, one of each pair */
	size_t n;
	double size;                        /* ns: the largest of them */
	double time;                        /* common, ns: where pairs without a step are asked */
	double from, to;                    /* common, ns */
	uint32_t *parent, *members, *least; /* [clocks] of a root: how many, the lowest */
	/* The cluster's pairs of each group, as a list of ends: 2 i and 2 i + 1 of pair i. */
	uint32_t *head, *tail, *ends; /* [clocks] */
	uint32_t *next;               /* [2 n] */
};

static double room_of(const struct pair_step *step)
{
	return (step->most - step->least) / 2;
}

static double size_of(const struct pair_step *step)
{
	return fabs(step->least + step->most) / 2;
}

static bool is_large(const struct pair_step *step)
{
	return isfinite(step->least) && isfinite(step->most) &&
	       size_of(step) >= GAPS * room_of(step);
}

/* ---- those that may be one ---- */

static double common_from(const struct step_search *s, const struct seen_step *seen)
{
	return seen->step.from + s->common[seen->i];
}

static double common_to(const struct step_search *s, const struct seen_step *seen)
{
	return seen->step.to + s->common[seen->i];
}

/* Those that overlap the seed; of each pair, whose steps follow each other, the first. */
static void gather_cluster(struct grouping *g, const struct seen_step *seen, size_t n,
			   const struct seen_step *seed)
{
	const double a = common_from(g->s, seed), b = common_to(g->s, seed), pad = (b - a) / 2;

	g->n = 0;
	g->size = 0;
	g->from = -INFINITY;
	g->to = INFINITY;
	for (size_t i = 0; i < n; i++) {
		const struct pair_step *step = &seen[i].step;
		if (common_from(g->s, &seen[i]) > b + pad || common_to(g->s, &seen[i]) < a - pad)
			continue;
		if (g->n > 0 && g->cluster[g->n - 1]->i == seen[i].i &&
		    g->cluster[g->n - 1]->j == seen[i].j)
			continue;
		g->cluster[g->n++] = &seen[i];
		g->from = fmax(g->from, common_from(g->s, &seen[i]));
		g->to = fmin(g->to, common_to(g->s, &seen[i]));
		g->size = fmax(g->size, step->least * step->most > 0
						? fmin(fabs(step->least), fabs(step->most))
						: fmax(fabs(step->least), fabs(step->most)));
	}
	g->time = (g->from + g->to) / 2;
}

/* ---- groups ---- */

static uint32_t root_of(struct grouping *g, uint32_t clock)
{
	while (g->parent[clock] != clock) {
		g->parent[clock] = g->parent[g->parent[clock]];
		clock = g->parent[clock];
	}
	return clock;
}

static void join(struct grouping *g, uint32_t a, uint32_t b)
{
	a = root_of(g, a);
	b = root_of(g, b);
	if (a == b)
		return;
	g->parent[b] = a;
	g->members[a] += g->members[b];
	g->least[a] = g->least[b] < g->least[a] ? g->least[b] : g->least[a];
	if (g->head[b] == NONE)
		return;
	if (g->head[a] == NONE)
		g->head[a] = g->head[b];
	else
		g->next[g->tail[a]] = g->head[b];
	g->tail[a] = g->tail[b];
	g->ends[a] += g->ends[b];
}

static uint32_t clock_at(const struct grouping *g, uint32_t end)
{
	const struct seen_step *seen = g->cluster[end / 2];

	return (uint32_t)(end % 2 ? seen->j : seen->i);
}

/* True if a pair with a step is between two groups: looks at the pairs of the one that has
 * fewer. */
static bool step_between(struct grouping *g, uint32_t a, uint32_t b)
{
	const uint32_t few = g->ends[a] < g->ends[b] ? a : b, other = few == a ? b : a;

	for (uint32_t end = g->head[few]; end != NONE; end = g->next[end])
		if (root_of(g, clock_at(g, end ^ 1)) == other)
			return true;
	return false;
}

static void begin_groups(struct grouping *g)
{
	for (uint32_t c = 0; c < g->s->clocks.n; c++) {
		g->parent[c] = g->least[c] = c;
		g->members[c] = 1;
		g->head[c] = g->tail[c] = NONE;
		g->ends[c] = 0;
	}
	for (uint32_t end = 0; end < 2 * g->n; end++) {
		const uint32_t c = clock_at(g, end);
		g->next[end] = g->head[c];
		if (g->head[c] == NONE)
			g->tail[c] = end;
		g->head[c] = end;
		g->ends[c]++;
	}
}

/* A pair without a step at that time. */
struct quiet_pair {
	uint64_t i, j, n; /* messages */
	uint64_t excludes;
};
typedef VEC(struct quiet_pair) quiet_vec;

static int excluding_first(const void *left, const void *right)
{
	const struct quiet_pair *x = left, *y = right;

	ORDER_BY(y->excludes, x->excludes);
	ORDER_BY(y->n, x->n);
	ORDER_BY(x->i, y->i);
	return ORDER(x->j, y->j);
}

static int by_pair(const void *left, const void *right)
{
	const struct seen_step *x = *(const struct seen_step *const *)left;
	const struct seen_step *y = *(const struct seen_step *const *)right;

	ORDER_BY(x->i, y->i);
	return ORDER(x->j, y->j);
}

static bool in_cluster(const struct grouping *g, uint32_t i, uint32_t j)
{
	const struct seen_step key = { .i = i, .j = j }, *at = &key;

	return g->n > 0 && bsearch(&at, g->cluster, g->n, sizeof at, by_pair);
}

static void ask_others(const struct grouping *g, quiet_vec *quiet)
{
	const struct step_search *s = g->s;
	const struct step_pair *pair;

	vec_each (pair, &s->pairs) {
		double least, most;
		if (in_cluster(g, pair->i, pair->j))
			continue;
		step_room(&pair->points, g->time - s->common[pair->i], s->fine, &least, &most);
		vec_push(quiet,
			 ((struct quiet_pair){ pair->i, pair->j, pair->points.n,
					       fmax(fabs(least), fabs(most)) < g->size / 2 }));
	}
	exchange_rows(s->x, quiet);
	vec_sort(quiet, excluding_first);
}

static void make_groups(struct grouping *g)
{
	quiet_vec quiet = VEC_INIT;
	const struct quiet_pair *pair;

	begin_groups(g);
	ask_others(g, &quiet);
	vec_each (pair, &quiet) {
		const uint32_t a = root_of(g, (uint32_t)pair->i), b = root_of(g, (uint32_t)pair->j);
		if (a != b && (pair->excludes || !step_between(g, a, b)))
			join(g, a, b);
	}
	vec_fini(&quiet);
}

/* ---- their steps ---- */

struct group_step {
	double least, most; /* ns, against the base of its part */
	double room;        /* ns: the least of its pairs */
	uint32_t base;      /* root of the part's base; NONE: in no part yet */
	bool known;
};

/* The group that was not set: the largest, then the reference's, then the one with the lowest
 * clock. */
static bool is_better_base(const struct grouping *g, uint32_t a, uint32_t b)
{
	return g->members[a] != g->members[b] ? g->members[a] > g->members[b]
					      : g->least[a] < g->least[b];
}

/* The groups that the cluster's pairs connect with one, which is their base afterwards. */
static size_t gather_part(struct grouping *g, uint32_t from, struct group_step *of, uint32_t *queue)
{
	size_t n = 0;
	uint32_t base = from;

	queue[n++] = from;
	of[from].base = from;
	for (size_t k = 0; k < n; k++) {
		if (is_better_base(g, queue[k], base))
			base = queue[k];
		for (uint32_t end = g->head[queue[k]]; end != NONE; end = g->next[end]) {
			const uint32_t to = root_of(g, clock_at(g, end ^ 1));
			if (of[to].base == NONE) {
				of[to].base = from;
				queue[n++] = to;
			}
		}
	}
	for (size_t k = 0; k < n; k++)
		of[queue[k]].base = base;
	return n;
}

/* From the base on, what the pairs' steps say of each group, narrowed where several do. */
static void walk_part(struct grouping *g, uint32_t base, struct group_step *of, uint32_t *queue)
{
	size_t n = 0;

	of[base].known = true;
	queue[n++] = base;
	for (size_t k = 0; k < n; k++) {
		const uint32_t from = queue[k];
		for (uint32_t end = g->head[from]; end != NONE; end = g->next[end]) {
			const uint32_t to = root_of(g, clock_at(g, end ^ 1));
			const struct pair_step *step = &g->cluster[end / 2]->step;
			const double least = of[from].least + (end % 2 ? -step->most : step->least);
			const double most = of[from].most + (end % 2 ? -step->least : step->most);
			if (to == from)
				continue;
			of[to].room = fmin(of[to].room, room_of(step));
			if (!of[to].known) {
				of[to].known = true;
				of[to].least = least;
				of[to].most = most;
				queue[n++] = to;
			} else if (to != base &&
				   fmax(of[to].least, least) <= fmin(of[to].most, most)) {
				of[to].least = fmax(of[to].least, least);
				of[to].most = fmin(of[to].most, most);
			}
		}
	}
}

/* ---- the clocks that were set ---- */

/* The place of a clock's step, from the pairs of the cluster that have it, else from all. */
static void place_of(struct grouping *g, struct set_clock *set, uint32_t root)
{
	const double *common = g->s->common;
	double from = -INFINITY, to = INFINITY, all_from = -INFINITY, all_to = INFINITY;

	for (uint32_t end = g->head[root]; end != NONE; end = g->next[end]) {
		const struct pair_step *step = &g->cluster[end / 2]->step;
		const uint32_t clock = clock_at(g, end);
		const double a = end % 2 ? step->other_from : step->from;
		const double b = end % 2 ? step->other_to : step->to;
		if (root_of(g, clock_at(g, end ^ 1)) == root)
			continue;
		all_from = fmax(all_from, a + common[clock]);
		all_to = fmin(all_to, b + common[clock]);
		if (clock == set->clock) {
			from = fmax(from, a);
			to = fmin(to, b);
		}
	}
	if (isinf(from)) {
		from = g->from - common[set->clock];
		to = g->to - common[set->clock];
	}
	set->from = fmin(from, to);
	set->to = fmax(from, to);
	set->all_from = all_from - common[set->clock];
	set->all_to = all_to - common[set->clock];
}

static bool is_named(const struct group_step *step)
{
	return (step->least > 0 || step->most < 0) && isfinite(step->least) &&
	       isfinite(step->most) && fabs(step->least + step->most) / 2 >= GAPS * step->room;
}

static void name_clocks(struct grouping *g, const struct group_step *of, const size_t *part,
			set_clock_vec *out)
{
	for (uint32_t c = 0; c < g->s->clocks.n; c++) {
		const uint32_t root = root_of(g, c), base = of[root].base;
		struct set_clock set = { .clock = c, .partner = NONE };
		if (base == NONE || root == base || !is_named(&of[root]))
			continue;
		if (part[base] == 2 && g->members[root] == 1 && g->members[base] == 1)
			set.partner = g->least[base];
		set.group = g->least[root];
		set.least = of[root].least;
		set.most = of[root].most;
		place_of(g, &set, root);
		vec_push(out, set);
	}
}

static void decide(struct grouping *g, set_clock_vec *out, uint32_t *groups)
{
	const uint32_t clocks = g->s->clocks.n;
	OWNED struct group_step *of = xcalloc(clocks + 1u, sizeof *of);
	OWNED uint32_t *queue = xcalloc(clocks + 1u, sizeof *queue);
	OWNED size_t *part = xcalloc(clocks + 1u, sizeof *part);

	make_groups(g);
	for (uint32_t c = 0; c < clocks; c++)
		of[c] = (struct group_step){ .room = INFINITY, .base = NONE };
	for (uint32_t c = 0; c < clocks; c++) {
		size_t n;
		if (root_of(g, c) != c || g->head[c] == NONE || of[c].base != NONE)
			continue;
		n = gather_part(g, c, of, queue);
		part[of[c].base] = n;
		walk_part(g, of[c].base, of, queue);
	}
	name_clocks(g, of, part, out);
	for (uint32_t c = 0; c < clocks; c++)
		groups[c] = g->least[root_of(g, c)];
}

/* ---- seeds ---- */

struct seed {
	double to; /* common, ns */
	size_t seen;
};
ORDERING(earliest_first, struct seed, to, seen)

void step_groups(const struct step_search *s, const struct seen_step *seen, size_t n,
		 set_clock_vec *out, uint32_t *groups)
{
	const uint32_t clocks = s->clocks.n;
	struct grouping g = { .s = s };
	OWNED_VEC(struct seed) seeds = VEC_INIT;
	uint32_t *of_clocks = xcalloc(6 * ((size_t)clocks + 1), sizeof *of_clocks);

	for (size_t i = 0; i < n; i++)
		if (is_large(&seen[i].step))
			vec_push(&seeds, ((struct seed){ common_to(s, &seen[i]), i }));
	vec_sort(&seeds, earliest_first);
	g.cluster = xcalloc(n + 1, sizeof *g.cluster);
	g.next = xcalloc(2 * n + 2, sizeof *g.next);
	g.parent = of_clocks;
	g.members = g.parent + clocks;
	g.least = g.members + clocks;
	g.head = g.least + clocks;
	g.tail = g.head + clocks;
	g.ends = g.tail + clocks;
	for (size_t i = 0; i < seeds.n && i < SEEDS && out->n == 0; i++) {
		gather_cluster(&g, seen, n, &seen[seeds.data[i].seen]);
		decide(&g, out, groups);
	}
	free_all(of_clocks, g.next);
	free((void *)g.cluster);
}
