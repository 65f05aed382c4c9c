#include "ui/timeline/picture/timeline_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum { LOOK = 4 };

/* The values of one row, as far as they are summed. */
struct kept {
	struct timeline_row row;
	uint32_t next; /* member */
	bool done;
	struct timeline_value *values; /* [columns] */
	uint32_t *seen;                /* [columns] members that knew something */
};

struct timeline_counts {
	int64_t frame_ns, deadline;
	const struct timeline_rows *rows;
	uint64_t generation;
	const struct trace *trace;
	enum time_base base;
	struct counters *counters;
	int n; /* columns */
	VEC(int64_t) edges;
	VEC(uint32_t) of; /* [n] interval of a column */
	VEC(struct kept) kept;
};

struct timeline_counts *timeline_counts_new(int64_t frame_ns)
{
	struct timeline_counts *c = xcalloc(1, sizeof *c);

	c->frame_ns = frame_ns;
	return c;
}

static void forget(struct timeline_counts *c)
{
	for (size_t i = 0; i < c->kept.n; i++) {
		free_all(c->kept.data[i].values, c->kept.data[i].seen);
	}
	c->kept.n = 0;
}

void timeline_counts_forget(struct timeline_counts *c)
{
	if (!c)
		return;
	forget(c);
	c->rows = NULL;
}

void timeline_counts_free(struct timeline_counts *c)
{
	if (!c)
		return;
	forget(c);
	vec_fini(&c->kept);
	vec_fini(&c->edges);
	vec_fini(&c->of);
	free(c);
}

void timeline_counts_begin(struct timeline_counts *c, const struct timeline_rows *rows,
			   uint64_t generation, const struct query *query,
			   struct timeline_shades *shades, const struct time_cells *columns)
{
	const size_t edges = columns->intervals + 1;

	c->deadline = c->frame_ns == INT64_MAX ? INT64_MAX : clock_cpu_ns() + c->frame_ns;
	if (c->rows != rows || c->generation != generation || c->base != query->base ||
	    c->n != columns->n || c->edges.n != edges ||
	    memcmp(c->edges.data, columns->edges, edges * sizeof *columns->edges) != 0)
		forget(c);
	c->rows = rows;
	c->generation = generation;
	c->trace = query->trace;
	c->base = query->base;
	c->counters = timeline_shades_counters(shades, query->trace);
	c->n = columns->n;
	c->edges.n = c->of.n = 0;
	for (size_t i = 0; i < edges; i++)
		vec_push(&c->edges, columns->edges[i]);
	for (int x = 0; x < columns->n; x++)
		vec_push(&c->of, columns->of[x]);
}

/* ---- summing ---- */

static void add_location(const struct timeline_counts *c, struct kept *k, uint32_t location)
{
	const struct counter_series *s =
		counters_series(c->counters, c->base, location, k->row.metric);
	const double second = (double)trace_scale(c->trace)->per_second;
	size_t near = 0;

	for (int x = 0; s && x < c->n; x++) {
		const uint32_t cell = c->of.data[x];
		double sum, ticks;

		if (!counter_span(s, c->edges.data[cell], c->edges.data[cell + 1], &near, &sum,
				  &ticks))
			continue;
		k->values[x].value += s->rate ? sum / ticks * second : sum / ticks;
		k->values[x].known = true;
		k->seen[x]++;
	}
}

static void finish(const struct timeline_counts *c, struct kept *k)
{
	/* Rates are summed; other values are averaged. */
	for (int x = 0; !metric_is_rate(trace_metric(c->trace, k->row.metric)) && x < c->n; x++)
		k->values[x].value /= k->seen[x] ? k->seen[x] : 1;
	k->done = true;
}

/* At least one location; false when the time was over first. */
static bool sum(const struct timeline_counts *c, struct kept *k, int64_t deadline)
{
	uint32_t n;
	const uint32_t *members = timeline_row_members(c->rows, &k->row, &n);

	while (k->next < n) {
		for (int i = 0; i < LOOK && k->next < n; i++)
			add_location(c, k, members[k->next++]);
		if (k->next < n && clock_cpu_ns() >= deadline)
			return false;
	}
	finish(c, k);
	return true;
}

static struct kept *keep(struct timeline_counts *c, const struct timeline_row *row)
{
	struct kept *k;

	for (size_t i = 0; i < c->kept.n; i++) {
		k = &c->kept.data[i];
		if (k->row.metric == row->metric && k->row.location == row->location &&
		    k->row.of_group == row->of_group)
			return k;
	}
	k = vec_add(&c->kept);
	k->row = *row;
	k->values = xcalloc((size_t)c->n + 1, sizeof *k->values);
	k->seen = xcalloc((size_t)c->n + 1, sizeof *k->seen);
	return k;
}

bool timeline_counts_get(struct timeline_counts *c, const struct timeline_row *row,
			 struct timeline_value *values)
{
	struct kept *k = keep(c, row);

	if (!k->done &&
	    (!row->of_group || c->deadline == INT64_MAX || clock_cpu_ns() < c->deadline))
		sum(c, k, c->deadline);
	if (k->done)
		memcpy(values, k->values, (size_t)c->n * sizeof *values);
	else
		memset(values, 0, (size_t)c->n * sizeof *values);
	return k->done;
}

bool timeline_counts_work(struct timeline_counts *c, bool *changed)
{
	const int64_t deadline = clock_cpu_ns() + SLICE_NS;

	for (size_t i = 0; i < c->kept.n; i++) {
		if (c->kept.data[i].done)
			continue;
		if (!sum(c, &c->kept.data[i], deadline))
			return true;
		*changed = true;
		if (clock_cpu_ns() >= deadline)
			return true;
	}
	return false;
}
