/* view_difference: the exclusive time by which two time bases differ, by region, or by rank and
 * region: before, after, and shares of all differences (paper 3). The regions of the corrections
 * are the same for the whole run, measured against compensated, with bounds. */
#include <stdlib.h>

#include "base/exchange.h"
#include "correct/virtual/virtual_values.h"
#include "views/facts/corrections_facts.h"
#include "views/facts/difference.h"
#include "views/query/query_profile.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

/* Column sets: two bases, the same by rank, regions of the corrections, the bounds of virtual and
 * compensated times. */
enum { BASES = 1, RANKS = 2, CORRECTIONS = 4, BOUNDS = 8, EVERY = BASES | CORRECTIONS };

#define ALL_COLUMNS(ROW)                                                                         \
	ROW(D_RANK, RANKS, "rank", "rank", COLUMN_RANK, 5, true, true)                           \
	ROW(D_REGION, EVERY, "region", "region", COLUMN_NAME, 24, true, true)                    \
	ROW(D_BEFORE, BASES, "before_s", "before", COLUMN_DURATION, 12, true, true)              \
	ROW(D_AFTER, BASES, "after_s", "after", COLUMN_DURATION, 12, true, true)                 \
	ROW(D_MEASURED, CORRECTIONS, "measured_s", "measured", COLUMN_DURATION, 9, true, true)   \
	ROW(D_COMPENSATED, CORRECTIONS, "compensated_s", "without", COLUMN_DURATION, 9, true,    \
	    true)                                                                                \
	ROW(D_DIFFERENCE, EVERY, "difference_s", "difference", COLUMN_DURATION, 12, true, true)  \
	ROW(D_SHARE, EVERY, "share", "share", COLUMN_SHARE, 8, true, true)                       \
	ROW(D_LOWER, CORRECTIONS, "lower_s", "without >=", COLUMN_DURATION, 10, true, true)      \
	ROW(D_UPPER, CORRECTIONS, "upper_s", "without <=", COLUMN_DURATION, 10, true, true)      \
	ROW(D_EVENTS, BOUNDS, "events", "events", COLUMN_COUNT, 9, true, true)                   \
	ROW(D_BEYOND, BOUNDS, "beyond", "beyond", COLUMN_COUNT, 9, true, true)                   \
	ROW(D_VIRTUAL, BOUNDS, "virtual_bound_s", "virtual +-", COLUMN_DURATION, 10, true, true) \
	ROW(D_OTHER, BOUNDS, "compensated_bound_s", "compens. +-", COLUMN_DURATION, 11, true,    \
	    true)                                                                                \
	ROW(D_REMOVED, CORRECTIONS, "removed_share", "removed", COLUMN_SHARE, 8, true, false)    \
	ROW(D_RECORDS, CORRECTIONS, "records", "records", COLUMN_COUNT, 9, true, false)
enum { ALL_COLUMNS(COLUMN_ID) D_COLUMNS };
static const struct column_of all_columns[D_COLUMNS] = { ALL_COLUMNS(COLUMN_ROW_WITH) };

enum { BEFORE, AFTER, LOWER, UPPER, SIDES };

/* Exclusive time, ticks. */
struct sums {
	int64_t of[SIDES];
};

/* Of events with bounds: how many, and how many differ by more; the largest bounds. */
struct bounded {
	uint64_t events, beyond;
	int64_t virtual_most, compensated_most;
};

struct difference_row {
	struct sums sums;
	struct bounded bounded;
	uint32_t region; /* number of regions of the trace: no region is open */
	int32_t rank;
};

struct difference_table {
	struct list_table list;
	const struct corrections *corrections; /* NULL: two bases, or no corrections */
	int64_t total;                         /* of all rows, without signs: |before - after| */
	bool by_rank;
	bool claimed;    /* the times after are valid */
	int64_t *bounds; /* of virtual times, NULL: not shown */
};

static enum time_base reference_of(const struct query *query)
{
	return query->difference
		       ? query->against
		       : difference_reference(query->trace, query->corrections, query->base);
}

/* ---- sums ---- */

/* The times of one base. */
struct side {
	const struct query *query;
	enum time_base base;
	int which;       /* index in sums */
	struct sums *of; /* [regions + 1] */
};

static void add_paths(const struct side *side, const struct profile *paths)
{
	const struct trace *trace = side->query->trace;

	for (uint32_t p = 0; p < paths->n; p++) {
		const uint32_t region =
			p ? trace_callpath_region(trace, p) : trace_region_count(trace);

		side->of[region].of[side->which] += paths->rows[p].exclusive;
	}
}

/* Within a window, each location has its own window in the other base. */
static bool add_side(const struct side *side, const uint32_t *locations, size_t n, struct err *err)
{
	const size_t step = query_is_whole(side->query) ? n : 1;

	for (size_t i = 0; i < n; i += step) {
		const struct query query = query_in_base(side->query, side->base, locations[i]);
		struct profile paths;
		if (!query_profile(&paths, &query, PROFILE_CALLPATH, locations + i, step, err))
			return false;
		add_paths(side, &paths);
		profile_fini(&paths);
	}
	return true;
}

/* Events in the window of `query`, by the region that they are in. */
static void add_bounded(const struct query *query, const int64_t *bounds, uint32_t location,
			struct bounded *of)
{
	const struct trace *trace = query->trace;
	struct cursor c;

	for (bool ok = cursor_seek(&c, trace, query->base, location, query->t0);
	     ok && cursor_time(&c) < query->t1; ok = cursor_next(&c)) {
		const struct virtual_pair p = virtual_pair_of(trace, bounds, c.id);
		const uint32_t path = trace_event_path(trace, c.id);
		struct bounded *b =
			&of[path ? trace_callpath_region(trace, path) : trace_region_count(trace)];
		if (p.virtual_bound < 0)
			continue;
		b->events++;
		b->beyond += p.beyond;
		if (p.virtual_bound > b->virtual_most)
			b->virtual_most = p.virtual_bound;
		if (p.compensated_bound > b->compensated_most)
			b->compensated_most = p.compensated_bound;
	}
}

static bool add_rows(struct difference_table *t, const struct query *query,
		     const struct query_group *group, struct err *err)
{
	const uint32_t *locations = group->locations, n = group->n;
	const enum time_base bases[SIDES] = { reference_of(query), query->base, BASE_LOWER,
					      BASE_UPPER };
	const uint32_t regions = trace_region_count(t->list.trace);
	OWNED struct sums *of = xcalloc((size_t)regions + 1, sizeof *of);
	OWNED struct bounded *bounded = xcalloc((size_t)regions + 1, sizeof *bounded);
	const int32_t rank = trace_location(t->list.trace, locations[0])->rank;
	bool ok = true;

	for (int s = 0; ok && s < (t->corrections ? SIDES : LOWER); s++) {
		const struct side side = { query, bases[s], s, of };
		ok = add_side(&side, locations, n, err);
	}
	exchange_ticks(group->exchange, of->of, ((size_t)regions + 1) * SIDES);
	for (uint32_t i = 0; ok && t->bounds && i < n; i++)
		add_bounded(query, t->bounds, locations[i], bounded);
	for (uint32_t r = 0; ok && group->has_rows && r <= regions; r++) {
		if (of[r].of[BEFORE] == 0 && of[r].of[AFTER] == 0 && !bounded[r].events)
			continue;
		t->total += llabs(of[r].of[BEFORE] - of[r].of[AFTER]);
		list_table_add_row(&t->list,
				   &(struct difference_row){ of[r], bounded[r], r, rank });
	}
	return ok;
}

static int32_t rank_of(const void *row)
{
	return ((const struct difference_row *)row)->rank;
}

static bool add_all(struct difference_table *t, const struct query *query, struct err *err)
{
	struct exchange *x = trace_exchange(query->trace);
	OWNED uint32_t *locations = query_by_rank(query);
	struct query_group group = { 0 };
	bool ok = true;

	while (ok && query_group_next(query, locations, t->by_rank, &group))
		ok = add_rows(t, query, &group, err);
	if (ok && t->by_rank) {
		exchange_ticks(x, &t->total, 1);
		list_table_share(&t->list, x, rank_of);
	}
	return ok;
}

/* ---- the table ---- */

/* Waiting time need not shrink with the overhead: the bounds include all three times. */
static void bounds_of(const struct sums *sums, int64_t *least, int64_t *most)
{
	*least = *most = sums->of[AFTER];
	for (int s = LOWER; s <= UPPER; s++) {
		if (sums->of[s] < *least)
			*least = sums->of[s];
		if (sums->of[s] > *most)
			*most = sums->of[s];
	}
}

/* Fills the columns that only the regions of the corrections have. */
static void correction_cells(const struct difference_table *t, const struct difference_row *row,
			     struct value *v)
{
	const struct overhead_report *o = &t->corrections->overhead;
	const int64_t before = row->sums.of[BEFORE], after = row->sums.of[AFTER];
	const bool counted = row->region < o->n_regions;
	int64_t least, most;

	bounds_of(&row->sums, &least, &most);
	v[D_LOWER] = value_integer(t->claimed, least);
	v[D_UPPER] = value_integer(t->claimed, most);
	v[D_REMOVED] = value_real(t->claimed && before > 0,
				  before > 0 ? (double)(before - after) / (double)before : 0);
	v[D_RECORDS] = value_count(counted ? o->regions[row->region].records : 0);
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct difference_table *t = (struct difference_table *)list;
	const struct difference_row *row = list_table_row(list, item);
	const int64_t before = row->sums.of[BEFORE], after = row->sums.of[AFTER];

	v[D_RANK] = value_rank(row->rank);
	v[D_REGION] = value_text(row->region < trace_region_count(t->list.trace)
					 ? trace_region_name(t->list.trace, row->region)
					 : "(none)");
	v[D_BEFORE] = v[D_MEASURED] = value_integer(true, before);
	v[D_AFTER] = v[D_COMPENSATED] = value_integer(t->claimed, after);
	v[D_DIFFERENCE] = value_integer(t->claimed, before - after);
	v[D_SHARE] = value_real(t->claimed && t->total != 0,
				t->total ? (double)(before - after) / (double)t->total : 0);
	v[D_EVENTS] = value_count(row->bounded.events);
	v[D_BEYOND] = value_count(row->bounded.beyond);
	v[D_VIRTUAL] = value_integer(row->bounded.events > 0, row->bounded.virtual_most);
	v[D_OTHER] = value_integer(row->bounded.events > 0, row->bounded.compensated_most);
	if (t->corrections)
		correction_cells(t, row, v);
}

static void fini(struct list_table *list)
{
	free(((struct difference_table *)list)->bounds);
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct difference_row *row = list_table_row(list, item);

	return (struct row_thing){ THING_REGION, row->region, 0 };
}

/* Sorts by difference, largest first, then by name. `corrections`: NULL, or those whose regions are
 * the rows. Adds no rows unless `any`. */
static struct table *make(const struct query *query, const struct corrections *corrections,
			  const struct column *columns, bool claimed, bool any, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .fini = fini,
					     .row_size = sizeof(struct difference_row),
					     .thing = thing };
	struct difference_table *t =
		list_table_new(sizeof *t, &ops, columns, D_COLUMNS, query->trace);

	t->corrections = corrections;
	t->claimed = claimed;
	if (query->difference && virtual_compares(query->trace, query->base, query->against))
		t->bounds = virtual_bounds_new(query->trace);
	t->by_rank = query->export.by_rank;
	if (any && !add_all(t, query, err))
		return list_table_done(&t->list, false);
	list_table_sort(&t->list.table, D_REGION, false);
	list_table_sort(&t->list.table, D_DIFFERENCE, true);
	return &t->list.table;
}

struct table *difference_table_new(const struct query *query, struct err *err)
{
	struct column columns[D_COLUMNS];
	unsigned sets = query->export.by_rank ? BASES | RANKS : BASES;

	if (query->difference && virtual_compares(query->trace, query->base, query->against))
		sets |= BOUNDS;
	table_columns_of(all_columns, D_COLUMNS, sets, columns);
	columns[D_BEFORE].title = time_base_name(reference_of(query));
	columns[D_AFTER].title = time_base_name(query->base);
	return make(query, NULL, columns, true, true, err);
}

struct table *corrections_regions_new(const struct query *query, struct err *err)
{
	const struct query whole = { .trace = query->trace,
				     .base = BASE_COMPENSATED,
				     .against = trace_default_base(query->trace),
				     .difference = true,
				     .t0 = INT64_MIN,
				     .t1 = INT64_MAX,
				     .progress = query->progress };
	const struct corrections *c = query->corrections;
	const bool any = c && c->overhead.done && trace_has_base(query->trace, BASE_COMPENSATED);
	struct column columns[D_COLUMNS];

	table_columns_of(all_columns, D_COLUMNS, CORRECTIONS, columns);
	columns[D_DIFFERENCE].width = columns[D_LOWER].width;
	return make(&whole, any ? c : NULL, columns, any && corrected_of(query->trace, c).overhead,
		    any, err);
}
