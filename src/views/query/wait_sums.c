#include "views/query/wait_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/trace/keep.h"

/* CHECKPOINT: parts from one kept prefix sum to the next. */
enum { SLOT_BITS = 8, CHECKPOINT = 16 };
#define LONGEST_PART (INT64_MAX >> SLOT_BITS)

/* A stretch of waiting that overlaps no other one. */
struct part {
	int64_t t0;
	uint64_t what; /* its length, above the slot */
};

/* All in one piece, as it is kept: this, start, parts, before. */
struct sums_head {
	uint32_t locations, n_slots;
	struct wait_slot slots[WAIT_SLOTS];
};

struct wait_sums {
	const struct sums_head *head;
	const uint64_t *start;    /* [locations + 1] the first part of each */
	const struct part *parts; /* location by location, by time */
	const uint64_t
		*before; /* [checkpoint][slots]: ticks of all parts before it of its location */
	size_t bytes;
	void *own; /* NULL: the trace's */
};

/* While they are made. */
struct parts {
	VEC(struct part) list;
};

struct making {
	struct sums_head head;
	uint32_t locations;
	struct parts *of; /* [locations] */
};

static int64_t length_of(const struct part *p)
{
	return (int64_t)(p->what >> SLOT_BITS);
}

static unsigned slot_of_part(const struct part *p)
{
	return p->what & ((1u << SLOT_BITS) - 1);
}

static int64_t end_of(const struct part *p)
{
	return (int64_t)((uint64_t)p->t0 + (uint64_t)length_of(p));
}

/* The first checkpoint of a location: each has one for every CHECKPOINT parts, and one more. */
static size_t checkpoint_of(const uint64_t *start, uint32_t location)
{
	return (size_t)(start[location] / CHECKPOINT) + location;
}

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

static uint8_t slot_of(struct sums_head *s, enum wait_kind kind, enum region_class cls)
{
	unsigned i = 0;

	while (i < s->n_slots && (s->slots[i].kind != kind || s->slots[i].cls != cls))
		i++;
	if (i == s->n_slots)
		s->slots[s->n_slots++] = (struct wait_slot){ (uint8_t)kind, (uint8_t)cls };
	return (uint8_t)i;
}

static struct part part_of(int64_t t0, int64_t length, unsigned slot)
{
	return (struct part){ t0, (uint64_t)length << SLOT_BITS | slot };
}

static void add_part(struct parts *parts, int64_t t0, int64_t t1, unsigned slot)
{
	for (; t1 - t0 > LONGEST_PART; t0 += LONGEST_PART)
		vec_push(&parts->list, part_of(t0, LONGEST_PART, slot));
	vec_push(&parts->list, part_of(t0, t1 - t0, slot));
}

static void add_parts(struct making *m, const struct analysis *analysis, const bool *drawn,
		      uint32_t location)
{
	const struct trace *trace = analysis_trace(analysis);
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
			add_part(&m->of[location], t0, t1,
				 slot_of(&m->head, wait_kind_of(w),
					 trace_callpath_class(trace, w->path)));
	}
}

/* Puts the slots in the order of their kinds and classes; those of all processes. */
static void order_slots(struct making *m, struct exchange *x)
{
	struct sums_head *h = &m->head;
	uint64_t seen[WAIT_SLOTS] = { 0 };
	uint8_t place[WAIT_SLOTS], of[WAIT_SLOTS] = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < h->n_slots; i++) {
		of[i] = (uint8_t)(h->slots[i].kind * CLASS_COUNT + h->slots[i].cls);
		seen[of[i]] = 1;
	}
	exchange_sums(x, seen, WAIT_SLOTS);
	for (unsigned k = 0; k < WAIT_SLOTS; k++) {
		place[k] = (uint8_t)n;
		if (seen[k])
			h->slots[n++] = (struct wait_slot){ (uint8_t)(k / CLASS_COUNT),
							    (uint8_t)(k % CLASS_COUNT) };
	}
	h->n_slots = n;
	for (uint32_t l = 0; l < m->locations; l++) {
		struct part *p;
		vec_each (p, &m->of[l].list)
			*p = part_of(p->t0, length_of(p), place[of[slot_of_part(p)]]);
	}
}

/* Ascending, and at most so many parts. */
static bool are_starts(const uint64_t *start, uint32_t locations, uint64_t most)
{
	bool ok = start[locations] <= most;

	for (uint32_t l = 0; ok && l < locations; l++)
		ok = start[l] <= start[l + 1];
	return ok;
}

static bool are_slots(const struct sums_head *head)
{
	bool ok = head->n_slots <= WAIT_SLOTS;

	for (uint32_t i = 0; ok && i < head->n_slots; i++)
		ok = head->slots[i].kind < WAIT_KINDS && head->slots[i].cls < CLASS_COUNT;
	return ok;
}

/* The parts of a piece, which are `bytes` long; false: it is not one. */
static bool lay_out(struct wait_sums *s, const char *piece, size_t bytes)
{
	size_t at = sizeof *s->head;

	s->head = (const struct sums_head *)(const void *)piece;
	if (bytes < at + sizeof *s->start * ((size_t)s->head->locations + 1))
		return false;
	s->start = (const uint64_t *)(const void *)(piece + at);
	at += ((size_t)s->head->locations + 1) * sizeof *s->start;
	if (!are_starts(s->start, s->head->locations, (bytes - at) / sizeof *s->parts))
		return false;
	s->parts = (const struct part *)(const void *)(piece + at);
	at += s->start[s->head->locations] * sizeof *s->parts;
	s->before = (const uint64_t *)(const void *)(piece + at);
	at += checkpoint_of(s->start, s->head->locations) * s->head->n_slots * sizeof *s->before;
	s->bytes = bytes;
	return at == bytes;
}

static size_t size_of(const struct making *m, uint64_t parts)
{
	const size_t checkpoints = (size_t)(parts / CHECKPOINT) + m->locations;

	return sizeof(struct sums_head) + ((size_t)m->locations + 1) * sizeof(uint64_t) +
	       parts * sizeof(struct part) + checkpoints * m->head.n_slots * sizeof(uint64_t);
}

static void add_prefixes(const struct parts *parts, unsigned slots, uint64_t *before)
{
	uint64_t sum[WAIT_SLOTS] = { 0 };

	for (size_t i = 0; i <= parts->list.n; i++) {
		const struct part *p = parts->list.data + i;

		if (i % CHECKPOINT == 0)
			memcpy(before + i / CHECKPOINT * slots, sum, slots * sizeof *sum);
		if (i < parts->list.n)
			sum[slot_of_part(p)] += (uint64_t)length_of(p);
	}
}

static struct wait_sums *finish(struct making *m)
{
	struct wait_sums *s = xcalloc(1, sizeof *s);
	const size_t head = sizeof(struct sums_head);
	uint64_t parts = 0;
	size_t bytes;
	char *piece;
	uint64_t *start;

	for (uint32_t l = 0; l < m->locations; l++)
		parts += m->of[l].list.n;
	bytes = size_of(m, parts);
	piece = s->own = xcalloc(bytes, 1);
	m->head.locations = m->locations;
	memcpy(piece, &m->head, head);
	start = (uint64_t *)(void *)(piece + head);
	for (uint32_t l = 0; l < m->locations; l++)
		start[l + 1] = start[l] + m->of[l].list.n;
	lay_out(s, piece, bytes);
	for (uint32_t l = 0; l < m->locations; l++) {
		const struct parts *of = &m->of[l];

		if (of->list.n)
			memcpy((struct part *)(uintptr_t)s->parts + start[l], of->list.data,
			       of->list.n * sizeof *of->list.data);
		add_prefixes(of, m->head.n_slots,
			     (uint64_t *)(uintptr_t)s->before +
				     checkpoint_of(start, l) * m->head.n_slots);
		vec_fini(&m->of[l].list);
	}
	return s;
}

struct wait_sums *wait_sums_new(const struct analysis *analysis, const bool *drawn,
				const struct progress *progress)
{
	struct making m = { .locations = trace_location_count(analysis_trace(analysis)) };
	struct wait_sums *s = NULL;
	bool go_on = true;

	m.of = xcalloc((size_t)m.locations + 1, sizeof *m.of);
	for (uint32_t l = 0; l < m.locations && go_on; l++) {
		add_parts(&m, analysis, drawn, l);
		go_on = progress_step(progress, "wait states", l, m.locations);
	}
	if (go_on) {
		order_slots(&m, trace_exchange(analysis_trace(analysis)));
		s = finish(&m);
	}
	for (uint32_t l = 0; l < m.locations; l++)
		vec_fini(&m.of[l].list);
	free(m.of);
	return s;
}

void wait_sums_free(struct wait_sums *s)
{
	if (s)
		free_all(s->own, s);
}

/* ---- with the trace ---- */

static const char keep_name[] = "wait-sums";

void wait_sums_keep(struct wait_sums *s, const struct trace *trace, enum time_base base)
{
	if (s->own && !trace_exchange(trace))
		keep_give(trace, keep_name, base, s->own, s->bytes);
	s->own = trace_exchange(trace) ? s->own : NULL;
}

struct wait_sums *wait_sums_kept(const struct trace *trace, enum time_base base)
{
	size_t bytes;
	const char *piece = keep_lent(trace, keep_name, base, &bytes);
	struct wait_sums *s = piece ? xcalloc(1, sizeof *s) : NULL;

	if (s && (bytes < sizeof *s->head || !lay_out(s, piece, bytes) || !are_slots(s->head) ||
		  s->head->locations != trace_location_count(trace))) {
		wait_sums_free(s);
		s = NULL;
	}
	return s;
}

unsigned wait_sums_slots(const struct wait_sums *s, const struct wait_slot **slots)
{
	if (slots)
		*slots = s->head->slots;
	return s->head->n_slots;
}

/* ---- asking ---- */

/* BISECT, after steps that grow from `low` on: what is near is found soon. */
#define GALLOP(low, high, i, before)                                               \
	{                                                                          \
		for (size_t i = (low), step = 1; i < (high); i += step, step *= 2) \
			if (before)                                                \
				(low) = i + 1;                                     \
			else                                                       \
				(high) = i;                                        \
		BISECT(low, high, i, before);                                      \
	}

/* The first part at or after `from` that ends after t. */
static size_t part_after(const struct part *parts, size_t n, size_t from, int64_t t)
{
	size_t low = from, high = n;

	GALLOP(low, high, i, end_of(&parts[i]) <= t);
	return low;
}

/* The first edge at or after `from` that is later than t. */
static size_t edge_after(const int64_t *edges, size_t n, size_t from, int64_t t)
{
	size_t low = from, high = n;

	GALLOP(low, high, i, edges[i] <= t);
	return low;
}

/* A location's parts. */
struct row {
	const struct part *parts;
	const uint64_t *before;
	size_t n, slots;
};

static struct row row_of(const struct wait_sums *s, uint32_t location)
{
	return (struct row){ s->parts + s->start[location],
			     s->before + checkpoint_of(s->start, location) * s->head->n_slots,
			     (size_t)(s->start[location + 1] - s->start[location]),
			     s->head->n_slots };
}

/* Parts are mapped from a cache file: each is checked when it is used, not read before. */
static void add_to(const struct row *r, size_t i, uint64_t length, uint64_t *sum)
{
	const unsigned slot = slot_of_part(&r->parts[i]);

	if (slot < r->slots)
		sum[slot] += length;
}

static void add_lengths(const struct row *r, size_t i, size_t j, uint64_t *sum)
{
	for (; i < j; i++)
		add_to(r, i, (uint64_t)length_of(&r->parts[i]), sum);
}

/* Adds the parts [i, j). */
static void add_between(const struct row *r, size_t i, size_t j, uint64_t *sum)
{
	const size_t first = (i + CHECKPOINT - 1) / CHECKPOINT, last = j / CHECKPOINT;

	if (first >= last) {
		add_lengths(r, i, j, sum);
		return;
	}
	add_lengths(r, i, first * CHECKPOINT, sum);
	for (size_t k = 0; k < r->slots; k++)
		sum[k] += r->before[last * r->slots + k] - r->before[first * r->slots + k];
	add_lengths(r, last * CHECKPOINT, j, sum);
}

/* What of a part is before t. */
static uint64_t head_of(const struct part *p, int64_t t)
{
	return t > p->t0 ? (uint64_t)(t < end_of(p) ? t - p->t0 : length_of(p)) : 0;
}

void wait_sums_add(const struct wait_sums *s, uint32_t location, const int64_t *edges, size_t cells,
		   uint64_t *out)
{
	const struct row r = row_of(s, location);
	size_t cell = 0, i = cells ? part_after(r.parts, r.n, 0, edges[0]) : r.n;

	while (i < r.n && r.parts[i].t0 < edges[cells]) {
		size_t j;

		if (r.parts[i].t0 >= edges[cell + 1])
			cell = edge_after(edges, cells, cell + 1, r.parts[i].t0) - 1;
		/* From the first part that reaches into the cell to the first that reaches beyond
		 * it. */
		j = part_after(r.parts, r.n, i, edges[cell + 1]);
		uint64_t *sum = out + cell * r.slots;
		add_between(&r, i, j, sum);
		if (j < r.n)
			add_to(&r, j, head_of(&r.parts[j], edges[cell + 1]), sum);
		add_to(&r, i, 0 - head_of(&r.parts[i], edges[cell]), sum);
		i = j;
		if (++cell == cells)
			break;
	}
}

size_t wait_sums_parts(const struct wait_sums *s, uint32_t location)
{
	return row_of(s, location).n;
}

unsigned wait_sums_part(const struct wait_sums *s, uint32_t location, size_t nth, int64_t *t0,
			int64_t *t1)
{
	const struct row r = row_of(s, location);
	const struct part *part = &r.parts[nth];

	*t0 = part->t0;
	*t1 = end_of(part);
	return slot_of_part(part);
}
