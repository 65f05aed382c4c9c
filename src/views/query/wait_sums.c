#include "views/query/wait_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"

/* A stretch of waiting that overlaps no other one. */
struct part {
	int64_t t0, t1;
	uint8_t slot;
};

struct parts {
	VEC(struct part) list;
	uint64_t *before; /* [list.n + 1][slots]: ticks of all earlier parts */
};

struct wait_sums {
	uint32_t locations;
	struct parts *of; /* [locations] */
	struct wait_slot slots[WAIT_SLOTS];
	unsigned n_slots;
};

enum wait_kind wait_kind_of(const struct wait *wait)
{
	const enum cube_metric metric = (enum cube_metric)wait->metric;

	if (cube_metric_within(metric, CUBE_MPI_LATESENDER) || metric == CUBE_MPI_PROBE_WAIT ||
	    metric == CUBE_MPI_POLLING)
		return WAIT_SENDER;
	if (metric == CUBE_MPI_LATERECEIVER)
		return WAIT_RECEIVER;
	if (cube_metric_within(metric, CUBE_MPI_COLLECTIVE) || metric == CUBE_MPI_BARRIER_WAIT ||
	    metric == CUBE_MPI_COMM_WAIT || metric == CUBE_MPI_FILE_WAIT ||
	    metric == CUBE_MPI_IO_WAIT)
		return WAIT_MEMBERS;
	return WAIT_OTHER;
}

bool wait_counts(const struct wait *wait)
{
	switch (wait->metric) {
	/* In a completion the first rank has left already: no rank is waited for. */
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

		/* The class of the call says the same about a wait for a device. */
		if (!wait_counts(w) || w->metric == CUBE_DEVICE_WAIT || t1 <= t0)
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
	parts->before = xcalloc((n + 1) * slots, sizeof *parts->before);
	for (size_t i = 0; i < n; i++) {
		const struct part *part = &parts->list.data[i];
		uint64_t *before = parts->before + i * slots;

		memcpy(before + slots, before, slots * sizeof *before);
		before[slots + part->slot] += (uint64_t)(part->t1 - part->t0);
	}
}

/* Puts the slots in the order of their kinds and classes; those of all processes. */
static void order_slots(struct wait_sums *s, struct exchange *x)
{
	uint64_t seen[WAIT_SLOTS] = { 0 };
	uint8_t place[WAIT_SLOTS], of[WAIT_SLOTS] = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_slots; i++) {
		of[i] = (uint8_t)(s->slots[i].kind * CLASS_COUNT + s->slots[i].cls);
		seen[of[i]] = 1;
	}
	exchange_sums(x, seen, WAIT_SLOTS);
	for (unsigned k = 0; k < WAIT_SLOTS; k++) {
		place[k] = (uint8_t)n;
		if (seen[k])
			s->slots[n++] = (struct wait_slot){ (uint8_t)(k / CLASS_COUNT),
							    (uint8_t)(k % CLASS_COUNT) };
	}
	s->n_slots = n;
	for (uint32_t l = 0; l < s->locations; l++) {
		struct part *part;
		vec_each (part, &s->of[l].list)
			part->slot = place[of[part->slot]];
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
	order_slots(s, trace_exchange(analysis_trace(analysis)));
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

/* The first of n times, `stride` numbers apart, at or after `from` that is later than t: galloping,
 * then bisection. */
static size_t first_after(const int64_t *times, size_t stride, size_t n, size_t from, int64_t t)
{
	size_t low = from, high = n;

	for (size_t i = from, step = 1; i < high; i += step, step *= 2)
		if (times[i * stride] <= t)
			low = i + 1;
		else
			high = i;
	BISECT(low, high, i, times[i * stride] <= t);
	return low;
}

/* The first part at or after `from` that ends after t. */
static size_t part_after(const struct parts *parts, size_t from, int64_t t)
{
	const size_t stride = sizeof *parts->list.data / sizeof t;

	return parts->list.n ? first_after(&parts->list.data->t1, stride, parts->list.n, from, t)
			     : 0;
}

/* The part of parts[i] before t. */
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
	size_t cell = 0, i = cells ? part_after(parts, 0, edges[0]) : n;

	while (i < n && p[i].t0 < edges[cells]) {
		size_t j;

		if (p[i].t0 >= edges[cell + 1])
			cell = first_after(edges, 1, cells, cell + 1, p[i].t0) - 1;
		/* From the first part that reaches into the cell to the first that reaches beyond
		 * it. */
		j = part_after(parts, i, edges[cell + 1]);
		uint64_t *sum = out + cell * slots;
		for (size_t k = 0; k < slots; k++)
			sum[k] += parts->before[j * slots + k] - parts->before[i * slots + k];
		if (j < n)
			sum[p[j].slot] += head_of(parts, j, edges[cell + 1]);
		sum[p[i].slot] -= head_of(parts, i, edges[cell]);
		i = j;
		if (++cell == cells)
			break;
	}
}
