#include "ui/timeline/picture/timeline_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"

void timeline_rows_fini(struct timeline_rows *r)
{
	vec_fini(&r->list);
	timeline_hosted_fini(&r->hosted);
	free_all(r->locations, r->hosts, r->group_of, r->mpi);
	grouping_fini(&r->grouping);
	*r = (struct timeline_rows){ .list = VEC_INIT };
}

/* ---- which locations, in which order ---- */

static void take_locations(struct timeline_rows *r, const struct query *query)
{
	const uint32_t all = query_location_count(query);

	r->locations = xcalloc((size_t)all + 1, sizeof *r->locations);
	for (uint32_t i = 0; i < all; i++) {
		const uint32_t location = query_location(query, i);

		if (!query->filter || filter_location(query->filter, location))
			r->locations[r->n_locations++] = location;
	}
	r->hosts = timeline_hosts(r->trace, r->locations, r->n_locations);
	timeline_hosted_make(&r->hosted, r->trace, r->hosts, r->locations, r->n_locations);
	r->n_locations =
		timeline_hosts_order(&r->hosted, r->trace, r->hosts, r->locations, r->n_locations);
}

/* The shares of a location of the rows, which its process makes. */
struct portrait {
	uint32_t nth;
	float shares[SHADING_SLOTS];
};

struct all_portraits {
	struct portrait *data;
	size_t n, cap;
};

static void portray(const struct timeline_rows *r, const struct timeline_level *level,
		    struct span run, struct all_portraits *all)
{
	for (uint32_t i = 0; i < r->n_locations; i++) {
		struct portrait portrait = { .nth = i };
		uint64_t sums[SHADING_SLOTS] = { 0 };

		if (!trace_has_location(r->trace, r->locations[i]))
			continue;
		shading_window(level->shading, r->locations[i], run.t0, run.t1, sums);
		for (unsigned s = 0; s < level->slots; s++)
			portrait.shares[s] =
				(float)((double)sums[s] / ((double)run.t1 - (double)run.t0));
		vec_push(all, portrait);
	}
	exchange_rows(trace_exchange(r->trace), all);
}

/* Shares of the run's time by slot of the innermost level, of the locations in their order; and of
 * MPI, of which the order is made. */
static float *make_portraits(struct timeline_rows *r, const struct query *query,
			     const struct timeline_level *level)
{
	float *shares = xcalloc((size_t)r->n_locations * level->slots + 1, sizeof *shares);
	struct all_portraits all = VEC_INIT;
	const struct portrait *p;
	struct span run;

	trace_span(query->trace, query->base, &run.t0, &run.t1);
	if (run.t1 <= run.t0)
		run.t1 = run.t0 + 1;
	r->mpi = xcalloc((size_t)trace_location_count(query->trace) + 1, sizeof *r->mpi);
	portray(r, level, run, &all);
	vec_each (p, &all)
		for (unsigned s = 0; s < level->slots; s++) {
			shares[(size_t)p->nth * level->slots + s] = p->shares[s];
			if (timeline_is_mpi(level->state[s]))
				r->mpi[r->locations[p->nth]] += p->shares[s];
		}
	vec_fini(&all);
	return shares;
}

/* ---- order ---- */

struct place {
	float mpi;
	uint32_t location, nth;
};

static int by_mpi(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->mpi != y->mpi)
		return x->mpi < y->mpi ? 1 : -1;
	return ORDER(x->nth, y->nth);
}

static void sort_by_mpi(const struct timeline_rows *r, uint32_t *locations, uint32_t n)
{
	OWNED struct place *places = xcalloc((size_t)n + 1, sizeof *places);

	for (uint32_t i = 0; i < n; i++)
		places[i] = (struct place){ r->mpi[locations[i]], locations[i], i };
	SORT(places, n, by_mpi);
	for (uint32_t i = 0; i < n; i++)
		locations[i] = places[i].location;
}

/* Groups by the mean of their members, and members among themselves. A group keeps its first member
 * by name: what is open or pinned is known by it. */
static uint32_t *order_groups(const struct timeline_rows *r, bool sorted)
{
	const struct grouping *g = &r->grouping;
	uint32_t *order = xcalloc(g->groups.n + 1, sizeof *order);
	OWNED struct place *places = xcalloc(g->groups.n + 1, sizeof *places);

	for (uint32_t k = 0; k < g->groups.n; k++) {
		const struct location_group *group = &g->groups.data[k];
		float sum = 0;

		for (uint32_t i = 0; sorted && i < group->n; i++)
			sum += r->mpi[g->members[group->first + i]];
		places[k] = (struct place){ sum / (float)group->n, k, k };
	}
	if (sorted)
		qsort(places, g->groups.n, sizeof *places, by_mpi);
	for (uint32_t k = 0; k < g->groups.n; k++)
		order[k] = places[k].location;
	return order;
}

/* ---- rows ---- */

static bool is_pinned(const struct arrangement *a, uint32_t location, bool group)
{
	for (size_t i = 0; i < a->pins.n; i++)
		if (a->pins.data[i].location == location && a->pins.data[i].group == group)
			return true;
	return false;
}

/* Does any of these locations record it? */
static bool any_has(const struct timeline_rows *r, const uint32_t *locations, uint32_t n,
		    uint32_t metric)
{
	for (uint32_t i = 0; i < n; i++)
		if (counters_has(r->counters, locations[i], metric))
			return true;
	return false;
}

/* A counter of locations that have nothing else, under the row of their hosts. */
static void add_hosted_counters(struct timeline_rows *r, const struct timeline_row *above,
				const uint32_t *members, uint32_t n, uint32_t metric)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t l = r->hosted.first[members[i]];

		for (; l != UINT32_MAX; l = r->hosted.next[l]) {
			struct timeline_row row = *above;

			if (!counters_has(r->counters, l, metric))
				continue;
			row.kind = ROW_COUNTER;
			row.location = l;
			row.metric = metric;
			r->group_of[l] = r->group_of[members[i]];
			vec_push(&r->list, row);
		}
	}
}

/* The counters under the row that was added last. */
static void add_counters(struct timeline_rows *r, const struct arrangement *a)
{
	const struct timeline_row above = *vec_last(&r->list);
	const uint32_t *members;
	uint32_t n;

	if (!r->counters)
		return;
	members = timeline_row_members(r, &above, &n);
	for (size_t i = 0; i < a->counters.n; i++) {
		struct timeline_row row = above;

		if (above.kind != ROW_GROUP || !above.open)
			add_hosted_counters(r, &above, members, n, a->counters.data[i]);
		if (!any_has(r, members, n, a->counters.data[i]))
			continue;
		row.kind = ROW_COUNTER;
		row.of_group = above.kind == ROW_GROUP;
		row.metric = a->counters.data[i];
		vec_push(&r->list, row);
	}
}

static void add_row(struct timeline_rows *r, const struct arrangement *a, uint32_t location,
		    uint32_t group, bool under)
{
	vec_push(&r->list, ((struct timeline_row){ .kind = ROW_LOCATION,
						   .under = under,
						   .location = location,
						   .group = group,
						   .metric = UINT32_MAX }));
	add_counters(r, a);
}

static void add_group(struct timeline_rows *r, const struct arrangement *a, uint32_t k, bool pinned)
{
	const struct location_group *group = &r->grouping.groups.data[k];
	const uint32_t first = r->grouping.members[group->first];
	const bool open = arrangement_is_open(a, first);
	uint32_t *members;

	vec_push(&r->list, ((struct timeline_row){ .kind = ROW_GROUP,
						   .open = open,
						   .location = first,
						   .group = k,
						   .metric = UINT32_MAX }));
	add_counters(r, a);
	if (!open)
		return;
	members = xcalloc(group->n, sizeof *members);
	memcpy(members, r->grouping.members + group->first, group->n * sizeof *members);
	if (a->order == ROWS_BY_MPI)
		sort_by_mpi(r, members, group->n);
	for (uint32_t i = 0; i < group->n; i++)
		if (pinned || !is_pinned(a, members[i], false))
			add_row(r, a, members[i], k, true);
	free(members);
}

static void add_groups(struct timeline_rows *r, const struct arrangement *a)
{
	OWNED uint32_t *order = order_groups(r, a->order == ROWS_BY_MPI);

	for (size_t i = 0; i < r->grouping.groups.n; i++) {
		const struct location_group *group = &r->grouping.groups.data[order[i]];
		const uint32_t first = r->grouping.members[group->first];

		if (group->n > 1 && !is_pinned(a, first, true))
			add_group(r, a, order[i], false);
		else if (group->n == 1 && !is_pinned(a, first, false))
			add_row(r, a, first, order[i], false);
	}
}

static void add_pinned(struct timeline_rows *r, const struct arrangement *a)
{
	for (size_t i = 0; i < a->pins.n; i++) {
		const struct pin *pin = &a->pins.data[i];
		const uint32_t k = pin->location < trace_location_count(r->trace)
					   ? r->group_of[pin->location]
					   : NO_GROUP;
		const bool grouped = r->grouping.groups.n > 0;

		if (k == NO_GROUP) /* hidden now, or out of an old state */
			continue;
		if (!pin->group)
			add_row(r, a, pin->location, grouped ? k : NO_GROUP, false);
		else if (grouped && r->grouping.groups.data[k].n > 1 &&
			 r->grouping.members[r->grouping.groups.data[k].first] == pin->location)
			add_group(r, a, k, true);
	}
	r->pinned = (uint32_t)r->list.n;
}

static void index_groups(struct timeline_rows *r)
{
	const struct grouping *g = &r->grouping;
	const uint32_t n = trace_location_count(r->trace);

	r->group_of = xcalloc((size_t)n + 1, sizeof *r->group_of);
	for (uint32_t l = 0; l < n; l++)
		r->group_of[l] = NO_GROUP;
	for (uint32_t i = 0; g->groups.n == 0 && i < r->n_locations; i++)
		r->group_of[r->locations[i]] = 0;
	for (uint32_t k = 0; k < g->groups.n; k++)
		for (uint32_t i = 0; i < g->groups.data[k].n; i++)
			r->group_of[g->members[g->groups.data[k].first + i]] = k;
}

bool timeline_rows_make(struct timeline_rows *r, const struct query *query,
			struct timeline_shades *shades, struct err *err)
{
	static const struct arrangement plain = { .key = BY_NONE };
	const struct arrangement *a = query->arrangement ? query->arrangement : &plain;
	struct portraits portraits = { 0, NULL };
	float *shares = NULL;

	timeline_rows_fini(r);
	r->trace = query->trace;
	take_locations(r, query);
	if (a->key == BY_LIKENESS || a->order == ROWS_BY_MPI) {
		const struct timeline_level *level = timeline_shades_get(shades, query, 0, err);

		/* Stopped: they are not made, so that they will be. */
		if (!level) {
			timeline_rows_fini(r);
			return false;
		}
		shares = make_portraits(r, query, level);
		portraits = (struct portraits){ level->slots, shares };
	}
	if (a->key != BY_NONE)
		grouping_make(&r->grouping, query->trace, a->key, r->locations, r->n_locations,
			      a->range, a->fit, &portraits);
	index_groups(r);
	if (a->counters.n)
		r->counters = timeline_shades_counters(shades, query->trace);
	if (a->order == ROWS_BY_MPI)
		sort_by_mpi(r, r->locations, r->n_locations);
	add_pinned(r, a);
	if (a->key != BY_NONE)
		add_groups(r, a);
	for (uint32_t i = 0; a->key == BY_NONE && i < r->n_locations; i++)
		if (!is_pinned(a, r->locations[i], false))
			add_row(r, a, r->locations[i], NO_GROUP,
				a->order == ROWS_BY_RANK &&
					r->hosts[r->locations[i]] != UINT32_MAX);
	free(shares);
	return true;
}

/* ---- asking ---- */

uint32_t timeline_rows_find(const struct timeline_rows *r, uint32_t location, bool group,
			    uint32_t metric)
{
	const uint32_t k = location < trace_location_count(r->trace) && r->grouping.groups.n
				   ? r->group_of[location]
				   : NO_GROUP;
	uint32_t own = UINT32_MAX, of_group = UINT32_MAX;

	for (uint32_t i = 0; i < r->list.n; i++) {
		const struct timeline_row *row = &r->list.data[i];
		const bool mine = row->location == location;

		if (row->kind == ROW_COUNTER && row->metric == metric &&
		    (group && row->of_group ? row->group == k : mine && !row->of_group))
			return i;
		if (row->kind == ROW_LOCATION && mine && own == UINT32_MAX)
			own = i;
		if (row->kind == ROW_GROUP && k != NO_GROUP && row->group == k)
			of_group = i;
	}
	if (of_group != UINT32_MAX && (group || own == UINT32_MAX))
		return of_group;
	return own == UINT32_MAX ? 0 : own;
}

const uint32_t *timeline_row_members(const struct timeline_rows *r, const struct timeline_row *row,
				     uint32_t *n)
{
	const bool all = row->kind == ROW_GROUP || (row->kind == ROW_COUNTER && row->of_group);

	if (!all) {
		*n = 1;
		return &row->location;
	}
	*n = r->grouping.groups.data[row->group].n;
	return r->grouping.members + r->grouping.groups.data[row->group].first;
}
