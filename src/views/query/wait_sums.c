#include "views/query/wait_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

/* A stretch of waiting that no other one overlaps. */
struct part {
	int64_t t0, t1;
	uint8_t slot;
};

struct parts {
	VEC(struct part) list;
	uint64_t *before; /* [list.n][slots]: ticks of all parts in front of it */
};

struct wait_sums {
	uint32_t locations;
	struct parts *of; /* [locations] */
	struct wait_slot slots[WAIT_SLOTS];
	unsigned n_slots;
};

const char *wait_kind_name(enum wait_kind kind)
{
	static const char *const names[WAIT_KINDS] = { [WAIT_SENDER] = "late sender",
						       [WAIT_RECEIVER] = "late receiver",
						       [WAIT_MEMBERS] = "collective",
						       [WAIT_OTHER] = "other waiting" };
	return names[kind];
}

enum wait_kind wait_kind_of(const struct wait *wait)
{
	const enum cube_metric metric = (enum cube_metric)wait->metric;

	if (cube_metric_within(metric, CUBE_MPI_LATESENDER))
		return WAIT_SENDER;
	if (metric == CUBE_MPI_LATERECEIVER)
		return WAIT_RECEIVER;
	if (cube_metric_within(metric, CUBE_MPI_COLLECTIVE) || metric == CUBE_MPI_BARRIER_WAIT)
		return WAIT_MEMBERS;
	return WAIT_OTHER;
}

bool wait_counts(const struct wait *wait)
{
	switch (wait->metric) {
	/* After the first rank has left, no rank is waited for. */
	case CUBE_MPI_INIT_COMPLETION:
	case CUBE_MPI_BARRIER_COMPLETION:
	case CUBE_MPI_NXN_COMPLETION: return false;
	default: return !(wait->flags & WAIT_PART) && wait->length > 0;
	}
}

/* ---- making ---- */

static uint8_t slot_of(struct wait_sums *s, enum wait_kind kind, enum region_class cls)
{
	unsigned i = 0;

	while (i < s->n_slots && (s->slots[i].kind != kind || s->slots[i].cls != cls))
		i++;
	if (i == s->n_slots)
		s->slots[s->n_slots++] = (struct wait_slot){ (uint8_t)kind, (uint8_t)cls };
	return (uint8_t)i;
}

static void add_parts(struct wait_sums *s, const struct analysis *analysis, const bool *drawn,
		      uint32_t location)
{
	const struct trace *trace = analysis_trace(analysis);
	struct parts *parts = &s->of[location];
	int64_t end = INT64_MIN;
	size_t n;
	const struct wait *waits = analysis_waits(analysis, location, &n);

	for (size_t i = 0; i < n; i++) {
		const struct wait *w = &waits[i];
		const int64_t t0 = w->begin > end ? w->begin : end, t1 = w->begin + w->length;

		if (!wait_counts(w) || t1 <= t0)
			continue;
		end = t1;
		if (!drawn || drawn[w->path])
			vec_push(&parts->list,
				 ((struct part){ t0, t1,
						 slot_of(s, wait_kind_of(w),
							 trace_callpath_class(trace, w->path)) }));
	}
}

static void add_prefixes(const struct wait_sums *s, struct parts *parts)
{
	const size_t n = parts->list.n, slots = s->n_slots;

	if (n == 0)
		return;
	parts->before = xcalloc(n * slots, sizeof *parts->before);
	for (size_t i = 1; i < n; i++) {
		const struct part *last = &parts->list.data[i - 1];
		uint64_t *before = parts->before + i * slots;

		memcpy(before, before - slots, slots * sizeof *before);
		before[last->slot] += (uint64_t)(last->t1 - last->t0);
	}
}

struct wait_sums *wait_sums_new(const struct analysis *analysis, const bool *drawn,
				const struct progress *progress)
{
	struct wait_sums *s = xcalloc(1, sizeof *s);

	s->locations = trace_location_count(analysis_trace(analysis));
	s->of = xcalloc((size_t)s->locations + 1, sizeof *s->of);
	for (uint32_t l = 0; l < s->locations; l++) {
		add_parts(s, analysis, drawn, l);
		if (!progress_step(progress, "wait states", l, s->locations)) {
			wait_sums_free(s);
			return NULL;
		}
	}
	/* All slots are known now. */
	for (uint32_t l = 0; l < s->locations; l++)
		add_prefixes(s, &s->of[l]);
	return s;
}

void wait_sums_free(struct wait_sums *s)
{
	if (!s)
		return;
	for (uint32_t l = 0; l < s->locations; l++) {
		vec_fini(&s->of[l].list);
		free(s->of[l].before);
	}
	free_all(s->of, s);
}

unsigned wait_sums_slots(const struct wait_sums *s, const struct wait_slot **slots)
{
	if (slots)
		*slots = s->slots;
	return s->n_slots;
}

/* ---- asking ---- */

/* First part from `from` on that ends after t: galloping, then bisection. */
static size_t part_behind(const struct parts *parts, size_t from, int64_t t)
{
	const size_t n = parts->list.n;
	const struct part *p = parts->list.data;
	size_t low = from, step = 1, high;

	if (low >= n || p[low].t1 > t)
		return low;
	while (low + step < n && p[low + step].t1 <= t) {
		low += step;
		step *= 2;
	}
	high = low + step < n ? low + step : n;
	while (low + 1 < high) {
		const size_t mid = low + (high - low) / 2;

		if (p[mid].t1 <= t)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* Last cell from `from` on that begins at or before t. */
static size_t cell_at(const int64_t *edges, size_t cells, size_t from, int64_t t)
{
	size_t low = from, step = 1, high;

	while (low + step < cells && edges[low + step] <= t) {
		low += step;
		step *= 2;
	}
	high = low + step < cells ? low + step : cells;
	while (low + 1 < high) {
		const size_t mid = low + (high - low) / 2;

		if (edges[mid] <= t)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* The part of parts[i] in front of t. */
static uint64_t head_of(const struct parts *parts, size_t i, int64_t t)
{
	const struct part *p = &parts->list.data[i];

	return t > p->t0 ? (uint64_t)(t < p->t1 ? t - p->t0 : p->t1 - p->t0) : 0;
}

void wait_sums_add(const struct wait_sums *s, uint32_t location, const int64_t *edges, size_t cells,
		   uint64_t *out)
{
	const struct parts *parts = &s->of[location];
	const struct part *p = parts->list.data;
	const size_t n = parts->list.n, slots = s->n_slots;
	size_t cell = 0, i = cells ? part_behind(parts, 0, edges[0]) : n;

	while (i < n && p[i].t0 < edges[cells]) {
		size_t j;

		if (p[i].t0 >= edges[cell + 1])
			cell = cell_at(edges, cells, cell, p[i].t0);
		/* From the first part that reaches into the cell to the first that reaches
		 * beyond. */
		j = part_behind(parts, i, edges[cell + 1]);
		uint64_t *sum = out + cell * slots;
		for (size_t k = 0; j > i && k < slots; k++)
			sum[k] += (j < n ? parts->before[j * slots + k]
					 : parts->before[(n - 1) * slots + k] +
						   (p[n - 1].slot == k
							    ? (uint64_t)(p[n - 1].t1 - p[n - 1].t0)
							    : 0)) -
				  parts->before[i * slots + k];
		if (j < n)
			sum[p[j].slot] += head_of(parts, j, edges[cell + 1]);
		sum[p[i].slot] -= head_of(parts, i, edges[cell]);
		i = j;
		if (++cell == cells)
			break;
	}
}
