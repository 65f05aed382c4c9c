#include "views/facts/under_way.h"

#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "model/trace/halo.h"
#include "model/trace/piece.h"
#include "model/trace/program.h"
#include "views/facts/utilisation.h"
#include "views/query/table_kept.h"
#include "views/query/view_common.h"

/* A message that has been sent. */
struct travelling {
	int64_t arrives;
	uint64_t bytes;
	uint32_t to; /* index of the rank */
};

struct under_way_maker {
	struct under_way *w;
	const struct query *query;
	VEC(struct travelling) heap; /* the one that arrives first on top */
	int64_t t0, t1;
};

/* ---- the heap ---- */

static void heap_push(struct under_way_maker *m, struct travelling message)
{
	size_t at = m->heap.n;

	vec_push(&m->heap, message);
	for (size_t above; at > 0; at = above) {
		above = (at - 1) / 2;
		if (m->heap.data[above].arrives <= message.arrives)
			break;
		m->heap.data[at] = m->heap.data[above];
	}
	m->heap.data[at] = message;
}

static struct travelling heap_pop(struct under_way_maker *m)
{
	struct travelling *heap = m->heap.data;
	const struct travelling top = heap[0], last = vec_pop(&m->heap);
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < m->heap.n; at = child) {
		if (child + 1 < m->heap.n && heap[child + 1].arrives < heap[child].arrives)
			child++;
		if (last.arrives <= heap[child].arrives)
			break;
		heap[at] = heap[child];
	}
	if (m->heap.n)
		heap[at] = last;
	return top;
}

/* ---- levels over time ---- */

/* The rank's levels have been the same from `since` to t. */
static void advance(struct under_way *w, uint32_t nth, int64_t t)
{
	struct under_way_rank *r = &w->ranks[nth];
	struct under_way_cell *cells = w->over_time + (size_t)nth * w->cells;

	while (r->since < t) {
		struct under_way_cell *cell = &cells[r->at_cell];
		const int64_t edge = w->edges[r->at_cell + 1];
		const int64_t end = t < edge ? t : edge;
		const double time = (double)(end - r->since);

		cell->most = r->count.now > cell->most ? r->count.now : cell->most;
		cell->most_bytes =
			r->bytes.now > cell->most_bytes ? r->bytes.now : cell->most_bytes;
		cell->sum += (double)r->count.now * time;
		cell->sum_bytes += (double)r->bytes.now * time;
		r->count.sum += (double)r->count.now * time;
		r->bytes.sum += (double)r->bytes.now * time;
		r->since = end;
		r->at_cell += end == edge;
	}
}

static void rise(struct under_way_level *level, uint64_t by, int64_t t)
{
	level->now += by;
	if (level->now > level->most) {
		level->most = level->now;
		level->most_at = t;
	}
}

/* Takes off what arrives up to t: at one time arrivals come before sends. */
static void arrive(struct under_way_maker *m, int64_t t)
{
	while (m->heap.n && m->heap.data[0].arrives <= t) {
		const struct travelling message = heap_pop(m);
		struct under_way_rank *r = &m->w->ranks[message.to];

		advance(m->w, message.to, message.arrives);
		r->count.now--;
		r->bytes.now -= message.bytes;
	}
}

/* ---- messages ---- */

static uint32_t find_rank(const struct under_way *w, int32_t rank)
{
	uint32_t low = 0, high = w->n;

	BISECT(low, high, i, w->ranks[i].rank < rank);
	return low < w->n && w->ranks[low].rank == rank ? low : UINT32_MAX;
}

/* In the order of their earlier ends, which for those that are under way is that of their sends. */
static bool add_message(void *context, uint32_t id, const struct message *message)
{
	struct under_way_maker *m = context;
	const struct trace *trace = m->query->trace;
	const uint32_t to = find_rank(m->w, message_destination(trace, message));
	struct under_way_rank *r = to == UINT32_MAX ? NULL : &m->w->ranks[to];
	int64_t sent, received;

	if (!r || message->flags & MSG_CANCELLED)
		return true;
	if (!message_arrived(message)) {
		if (trace_message_is_far(trace, id))
			return true;
		if (!(message->flags & MSG_NO_SEND))
			r->unreceived++;
		else if (!(message->flags & (MSG_NO_RECV | MSG_RECV_PENDING)))
			r->unsent++;
		return true;
	}
	if (!trace_has_location(trace, r->location))
		return true;
	sent = trace_event_time(trace, m->query->base, message->send);
	received = trace_event_time(trace, m->query->base, message->recv);
	sent = sent < m->t0 ? m->t0 : sent;
	if (received <= sent || sent >= m->t1)
		return true;
	arrive(m, sent);
	advance(m->w, to, sent);
	r->messages++;
	r->no_bytes |= (message->flags & MSG_NO_BYTES) != 0;
	const uint64_t bytes = message->flags & MSG_NO_BYTES ? 0 : message_bytes(message);
	rise(&r->count, 1, sent);
	rise(&r->bytes, bytes, sent);
	heap_push(m, (struct travelling){ received, bytes, to });
	return true;
}

static void add_ranks(struct under_way *w, const struct query *query)
{
	const uint32_t n = query_location_count(query);
	OWNED uint32_t *locations = query_by_rank(query);

	w->ranks = xcalloc((size_t)n + 1, sizeof *w->ranks);
	for (uint32_t i = 0; i < n; i = query_rank_end(query, locations, i)) {
		const int32_t rank = trace_location(query->trace, locations[i])->rank;

		if (rank == RANK_UNKNOWN)
			continue;
		w->ranks[w->n].location = locations[i];
		w->ranks[w->n++].rank = rank;
	}
}

/* Messages without a receive are where they were sent, all others where they are received. */
static void share(struct under_way *w, struct exchange *x)
{
	OWNED uint64_t *counts = xcalloc(2 * (size_t)w->n + 1, sizeof *counts);

	for (uint32_t i = 0; i < w->n; i++) {
		counts[2 * i] = w->ranks[i].unreceived;
		counts[2 * i + 1] = w->ranks[i].unsent;
	}
	exchange_sums(x, counts, 2 * (size_t)w->n);
	for (uint32_t i = 0; i < w->n; i++) {
		w->ranks[i].unreceived = counts[2 * i];
		w->ranks[i].unsent = counts[2 * i + 1];
	}
}

/* ---- with the trace ---- */

static const char keep_name[] = "under-way";

static void keep(const struct under_way *w, const struct query *query)
{
	struct piece piece = { VEC_INIT };

	if (!query_keeps(query))
		return;
	piece_add(&piece, w->ranks, w->n, sizeof *w->ranks);
	piece_add(&piece, w->over_time, w->n * w->cells, sizeof *w->over_time);
	piece_keep(&piece, query->trace, keep_name, query->base);
}

static bool level_holds(const struct under_way_level *level)
{
	return level->most_at >= -RECORD_TIME_MAX && level->most_at <= RECORD_TIME_MAX;
}

/* The ranks are there already. */
static bool take_kept(struct under_way *w, const struct query *query)
{
	struct piece_reader reader;
	const struct under_way_rank *ranks;
	const struct under_way_cell *cells;
	size_t n, all;

	if (!query_keeps(query) || !piece_find(&reader, query->trace, keep_name, query->base))
		return false;
	ranks = piece_next(&reader, sizeof *ranks, &n);
	cells = piece_next(&reader, sizeof *cells, &all);
	if (!piece_ends(&reader) || n != w->n || all != w->n * w->cells)
		return false;
	for (size_t i = 0; i < n; i++)
		if (ranks[i].rank != w->ranks[i].rank ||
		    ranks[i].location != w->ranks[i].location || ranks[i].no_bytes > 1 ||
		    !level_holds(&ranks[i].count) || !level_holds(&ranks[i].bytes))
			return false;
	memcpy(w->ranks, ranks, n * sizeof *ranks);
	memcpy(w->over_time, cells, all * sizeof *cells);
	return true;
}

/* ---- making ---- */

static bool make(struct under_way_maker *m)
{
	struct under_way *w = m->w;
	bool whole;

	for (uint32_t i = 0; i < w->n; i++)
		w->ranks[i].since = m->t0;
	whole = message_ends_collect(m->query, add_message, m);
	arrive(m, m->t1 - 1);
	for (uint32_t i = 0; i < w->n; i++)
		advance(w, i, m->t1);
	vec_fini(&m->heap);
	if (trace_exchange(m->query->trace))
		share(w, trace_exchange(m->query->trace));
	if (whole)
		keep(w, m->query);
	return whole;
}

bool under_way_make(struct under_way *w, const struct query *query, size_t cells)
{
	struct under_way_maker m = { .w = w, .query = query };

	*w = (struct under_way){ 0 };
	query_span(query, &m.t0, &m.t1);
	w->edges = xcalloc(cells + 1, sizeof *w->edges);
	w->cells = utilisation_edges(m.t0, m.t1, cells, w->edges);
	add_ranks(w, query);
	w->over_time = xcalloc((size_t)w->n * w->cells + 1, sizeof *w->over_time);
	return take_kept(w, query) || make(&m);
}

void under_way_fini(struct under_way *w)
{
	free_all(w->edges, w->ranks, w->over_time);
	*w = (struct under_way){ 0 };
}
