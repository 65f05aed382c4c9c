/* view_difference: where the time is that one base has and another one has not: exclusive time by
 * region, or by rank and region, before and after, and shares of the whole difference (paper 3). */
#include <stdlib.h>
#include <string.h>

#include "ui/difference.h"
#include "ui/table_list.h"
#include "ui/view_common.h"

enum { D_RANK, D_REGION, D_BEFORE, D_AFTER, D_DIFFERENCE, D_SHARE, D_COLUMNS };

static const struct column columns[D_COLUMNS] = {
	[D_RANK] = { "rank", "rank", COLUMN_RANK, 5, true, true },
	[D_REGION] = { "region", "region", COLUMN_TEXT, 24, true, true },
	[D_BEFORE] = { "before_s", "before", COLUMN_DURATION, 12, true, true },
	[D_AFTER] = { "after_s", "after", COLUMN_DURATION, 12, true, true },
	[D_DIFFERENCE] = { "difference_s", "difference", COLUMN_DURATION, 12, true, true },
	[D_SHARE] = { "share", "share", COLUMN_SHARE, 8, true, true },
};

/* Exclusive time, ticks. */
struct sums {
	int64_t before, after;
};

struct row {
	struct sums sums;
	uint32_t region; /* regions of the trace: none is open */
	int32_t rank;
};

struct difference_table {
	struct list_table list;
	struct column columns[D_COLUMNS]; /* with the names of both bases */
	const struct trace *trace;
	VEC(struct row) rows;
	int64_t total; /* before - after of all rows */
	bool by_rank;
};

static enum time_base reference_of(const struct query *query)
{
	return query->difference ? query->against : difference_reference(query->trace, query->base);
}

/* ---- sums ---- */

/* Of one base: where the sums go is told by `after`. */
struct side {
	const struct query *query;
	enum time_base base;
	bool after;
	struct sums *of; /* [regions + 1] */
};

static void add_paths(const struct side *side, const struct profile *paths, uint32_t location)
{
	const struct trace *trace = side->query->trace;
	const struct filter *filter = side->query->filter;
	const bool by_path = filter && !filter_by_visit(filter);

	for (uint32_t p = 0; p < paths->n; p++) {
		const uint32_t region =
			p ? trace_callpath_region(trace, p) : trace_region_count(trace);
		struct sums *sums = &side->of[region];

		if (by_path && (p == 0 || !filter_callpath(filter, location, p)))
			continue;
		*(side->after ? &sums->after : &sums->before) += paths->rows[p].exclusive;
	}
}

static bool add_profile(const struct side *side, const uint32_t *locations, size_t n, int64_t t0,
			int64_t t1, struct err *err)
{
	const struct query *q = side->query;
	struct profile paths;
	bool ok;

	if (filter_by_visit(q->filter))
		ok = profile_make_visits(&paths, q->trace, side->base, PROFILE_CALLPATH, locations,
					 n, t0, t1, q->filter, q->progress);
	else
		ok = profile_make(&paths, q->trace, side->base, PROFILE_CALLPATH, locations, n, t0,
				  t1, q->progress, err);
	if (!ok)
		return false;
	add_paths(side, &paths, locations[0]);
	profile_fini(&paths);
	return true;
}

/* The window of the query where its events are in this base. */
static int64_t in_base(const struct side *side, uint32_t location, int64_t t)
{
	return t == INT64_MIN || t == INT64_MAX
		       ? t
		       : moves_map(side->query->trace, side->query->base, side->base, location, t);
}

static bool add_side(const struct side *side, const uint32_t *locations, size_t n, struct err *err)
{
	const struct query *q = side->query;
	bool ok = true;

	if (query_is_whole(q) && !q->filter)
		return add_profile(side, locations, n, q->t0, q->t1, err);
	for (size_t i = 0; ok && i < n; i++)
		if (!q->filter || filter_location(q->filter, locations[i]))
			ok = add_profile(side, &locations[i], 1, in_base(side, locations[i], q->t0),
					 in_base(side, locations[i], q->t1), err);
	return ok;
}

static bool add_rows(struct difference_table *t, const struct query *query,
		     const uint32_t *locations, size_t n, struct err *err)
{
	const uint32_t regions = trace_region_count(t->trace);
	struct sums *of = xcalloc((size_t)regions + 1, sizeof *of);
	const struct side before = { query, reference_of(query), false, of };
	const struct side after = { query, query->base, true, of };
	const bool ok = add_side(&before, locations, n, err) && add_side(&after, locations, n, err);

	for (uint32_t r = 0; ok && r <= regions; r++) {
		if (of[r].before == 0 && of[r].after == 0)
			continue;
		t->total += of[r].before - of[r].after;
		vec_push(&t->rows,
			 ((struct row){ of[r], r, trace_location(t->trace, locations[0])->rank }));
	}
	free(of);
	return ok;
}

static bool add_all(struct difference_table *t, const struct query *query, struct err *err)
{
	const uint32_t n = query_location_count(query);
	uint32_t *locations = query_by_rank(query);
	bool ok = true;

	for (uint32_t i = 0, end; ok && i < n; i = end) {
		end = t->by_rank ? query_rank_end(query, locations, i) : n;
		ok = add_rows(t, query, locations + i, end - i, err);
	}
	free(locations);
	return ok;
}

/* ---- the table ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct difference_table *t = (struct difference_table *)list;
	const struct row *row = &t->rows.data[item];
	const int64_t difference = row->sums.before - row->sums.after;
	unsigned c = 0;

	if (t->by_rank)
		v[c++] = value_rank(row->rank);
	v[c++] = value_text(row->region < trace_region_count(t->trace)
				    ? trace_region_name(t->trace, row->region)
				    : "(none)");
	v[c++] = value_integer(true, row->sums.before);
	v[c++] = value_integer(true, row->sums.after);
	v[c++] = value_integer(true, difference);
	v[c] = (struct value){ .known = t->total != 0 };
	if (t->total != 0)
		v[c].real = (double)difference / (double)t->total;
}

static void fini(struct list_table *list)
{
	vec_fini(&((struct difference_table *)list)->rows);
}

struct table *difference_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .fini = fini };
	struct difference_table *t = xcalloc(1, sizeof *t);
	const unsigned first = query->by_rank ? D_RANK : D_REGION;

	memcpy(t->columns, columns, sizeof columns);
	t->columns[D_BEFORE].title = time_base_name(reference_of(query));
	t->columns[D_AFTER].title = time_base_name(query->base);
	t->trace = query->trace;
	t->by_rank = query->by_rank;
	list_table_init(&t->list, &ops, t->columns + first, D_COLUMNS - first,
			trace_scale(query->trace));
	if (!add_all(t, query, err)) {
		table_free(&t->list.table);
		return NULL;
	}
	for (uint32_t i = 0; i < t->rows.n; i++)
		list_table_add(&t->list, i);
	list_table_sort(&t->list.table, D_REGION - first, false);
	list_table_sort(&t->list.table, D_DIFFERENCE - first, true);
	return &t->list.table;
}
