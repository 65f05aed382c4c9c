/* Locations of two traces: paired with the same location, or by position in the range of ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/compare/align_steps.h"

/* A location, in the order in which both traces are gone through. */
struct place_name {
	int32_t rank, thread;
	uint32_t id;
};

struct place_side {
	struct place_name *list;
	uint32_t n, ranks;
};

ORDERING(compare, struct place_name, rank, thread, id)

static struct place_side side_of(const struct trace *trace)
{
	struct place_side side = { .n = trace_location_count(trace) };

	side.list = xcalloc((size_t)side.n + 1, sizeof *side.list);
	for (uint32_t l = 0; l < side.n; l++) {
		const struct location *location = trace_location(trace, l);
		side.list[l] = (struct place_name){ location->rank, location->thread, l };
	}
	SORT(side.list, side.n, compare);
	for (uint32_t i = 0; i < side.n; i++)
		side.ranks += i == 0 || side.list[i].rank != side.list[i - 1].rank;
	return side;
}

/* Compares the i-th of one side with the k-th of the other: before, same, after. */
static int order(enum align_rule rule, const struct place_side sides[ALIGN_SIDES],
		 const uint32_t at[2])
{
	const struct place_name *x = &sides[ALIGN_OLD].list[at[ALIGN_OLD]];
	const struct place_name *y = &sides[ALIGN_NEW].list[at[ALIGN_NEW]];

	if (at[ALIGN_OLD] == sides[ALIGN_OLD].n || at[ALIGN_NEW] == sides[ALIGN_NEW].n)
		return at[ALIGN_OLD] == sides[ALIGN_OLD].n ? 1 : -1;
	ORDER_BY(x->rank, y->rank);
	if (rule == ALIGN_BY_RANK || x->thread == y->thread)
		return 0;
	return x->thread < y->thread ? -1 : 1;
}

static void add_place(struct alignment *a, uint32_t place, int s, const struct place_name *one)
{
	struct aligned_place *p = &a->places[place];

	if (p->n[s]++ == 0)
		p->first[s] = one->rank;
	p->last[s] = one->rank;
	p->thread = one->thread;
	if (p->n[s] == 1 && (s == ALIGN_NEW || p->n[ALIGN_NEW] == 0))
		p->some = one->id;
	a->place_of[s][one->id] = place;
}

/* Merges both orders; with `a` it makes the places. Returns the number of places, and in *common
 * how many both sides have. */
static uint32_t merge(struct alignment *a, enum align_rule rule,
		      const struct place_side sides[ALIGN_SIDES], uint32_t *common)
{
	uint32_t at[ALIGN_SIDES] = { 0, 0 }, places = 0;

	*common = 0;
	while (at[ALIGN_OLD] < sides[ALIGN_OLD].n || at[ALIGN_NEW] < sides[ALIGN_NEW].n) {
		const int which = order(rule, sides, at);
		const uint32_t from[ALIGN_SIDES] = { at[ALIGN_OLD], at[ALIGN_NEW] };

		*common += which == 0;
		for (int s = 0; s < ALIGN_SIDES; s++) {
			if (s == ALIGN_OLD ? which > 0 : which < 0)
				continue;
			do {
				if (a)
					add_place(a, places, s, &sides[s].list[at[s]]);
				at[s]++;
			} while (rule == ALIGN_BY_RANK && at[s] < sides[s].n &&
				 sides[s].list[at[s]].rank == sides[s].list[from[s]].rank);
		}
		places++;
	}
	return places;
}

/* The rank at position i of n gets place i * places / n. */
static void by_position(struct alignment *a, const struct place_side sides[ALIGN_SIDES])
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct place_side *side = &sides[s];
		uint64_t rank = 0;

		for (uint32_t i = 0; i < side->n; i++) {
			rank += i > 0 && side->list[i].rank != side->list[i - 1].rank;
			add_place(a, (uint32_t)(rank * a->n_places / side->ranks), s,
				  &side->list[i]);
		}
	}
}

void align_places_make(struct alignment *a)
{
	struct place_side sides[ALIGN_SIDES];
	uint32_t common, all;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		sides[s] = side_of(a->trace[s]);
		a->place_of[s] = xcalloc((size_t)sides[s].n + 1, sizeof *a->place_of[s]);
	}
	a->rule = ALIGN_BY_LOCATION;
	all = merge(NULL, a->rule, sides, &common);
	if (common < all) {
		a->rule = ALIGN_BY_RANK;
		all = merge(NULL, a->rule, sides, &common);
		if (4 * (uint64_t)common < 3 * (uint64_t)all && sides[ALIGN_OLD].n &&
		    sides[ALIGN_NEW].n)
			a->rule = ALIGN_BY_POSITION;
	}
	a->n_places = all;
	if (a->rule == ALIGN_BY_POSITION)
		a->n_places = sides[ALIGN_OLD].ranks < sides[ALIGN_NEW].ranks
				      ? sides[ALIGN_OLD].ranks
				      : sides[ALIGN_NEW].ranks;
	a->places = xcalloc((size_t)a->n_places + 1, sizeof *a->places);
	if (a->rule == ALIGN_BY_POSITION)
		by_position(a, sides);
	else
		merge(a, a->rule, sides, &common);
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(sides[s].list);
}

static void add_ranks(const struct aligned_place *p, int s, struct str *out)
{
	str_add_fmt(out, p->first[s] == p->last[s] ? "%d" : "%d-%d", p->first[s], p->last[s]);
}

void align_place_text(const struct alignment *a, uint32_t place, struct str *out)
{
	const struct aligned_place *p = &a->places[place];
	const int s = p->n[ALIGN_NEW] ? ALIGN_NEW : ALIGN_OLD;

	if (a->rule == ALIGN_BY_POSITION) {
		const bool both = p->first[ALIGN_OLD] != p->first[ALIGN_NEW] ||
				  p->last[ALIGN_OLD] != p->last[ALIGN_NEW];
		str_add(out, both || p->first[s] != p->last[s] ? "ranks " : "rank ");
		add_ranks(p, ALIGN_OLD, out);
		if (both) {
			str_add(out, " : ");
			add_ranks(p, ALIGN_NEW, out);
		}
	} else if (a->rule == ALIGN_BY_RANK && p->n[s] > 1 && p->first[s] >= 0 &&
		   p->first[s] != RANK_HOST) {
		str_add_fmt(out, "rank %d", p->first[s]);
	} else {
		const struct location *location = trace_location(a->trace[s], p->some);
		const char *name = trace_string(a->trace[s], location->name);
		if (*name)
			str_add_clean(out, name, strlen(name));
		else
			location_default_name(location, p->some, out);
	}
}

void align_place_ranks(const struct alignment *a, uint32_t place, struct str *out)
{
	const struct aligned_place *p = &a->places[place];
	const int s = p->n[ALIGN_NEW] ? ALIGN_NEW : ALIGN_OLD;

	if (p->first[s] < 0 || p->first[s] == RANK_HOST) {
		align_place_text(a, place, out);
		return;
	}
	add_ranks(p, s == ALIGN_NEW && p->n[ALIGN_OLD] ? ALIGN_OLD : s, out);
	if (a->rule == ALIGN_BY_POSITION) {
		str_add(out, ":");
		add_ranks(p, ALIGN_NEW, out);
	} else if (a->rule == ALIGN_BY_LOCATION && p->thread > 0) {
		str_add_fmt(out, " thread %d", p->thread);
	}
}
