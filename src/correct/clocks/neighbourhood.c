#include "correct/clocks/neighbourhood.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/sources.h"

static const struct topology *topology_of(const struct trace *trace, uint32_t comm)
{
	for (uint32_t i = 0; i < trace_topology_count(trace); i++)
		if (trace_topology(trace, i)->comm == comm)
			return trace_topology(trace, i);
	return NULL;
}

/* The cell of coordinates, `step` further in one dimension; UINT32_MAX: outside. */
static uint32_t cell_of(const struct topology *t, const int32_t *coords, uint32_t dim, int32_t step)
{
	uint64_t cell = 0;

	for (uint32_t d = 0; d < t->dims; d++) {
		int64_t x = (int64_t)coords[d] + (d == dim ? step : 0);
		if (d == dim && t->periodic[d] && t->size[d] > 0)
			x = (x + t->size[d]) % t->size[d];
		if (coords[d] < 0 || x < 0 || x >= t->size[d])
			return UINT32_MAX;
		cell = cell * (uint64_t)t->size[d] + (uint64_t)x;
	}
	return (uint32_t)cell;
}

/* The number of cells of the grid; 0: more than there are ranks. */
static uint32_t cells_of(const struct topology *t, uint32_t ranks)
{
	uint64_t cells = 1;

	for (uint32_t d = 0; d < t->dims; d++) {
		cells *= t->size[d] > 0 ? (uint64_t)t->size[d] : 0;
		if (cells == 0 || cells > ranks)
			return 0;
	}
	return (uint32_t)cells;
}

/* Finds the rank of each cell, UINT32_MAX: none. False if two ranks claim one cell. */
static bool place_ranks(const struct topology *t, uint32_t ranks, uint32_t *rank_at, uint32_t cells)
{
	memset(rank_at, 0xff, cells * sizeof *rank_at);
	for (uint32_t r = 0; r < ranks; r++) {
		const uint32_t cell = cell_of(t, t->coords + (size_t)r * t->dims, 0, 0);
		if (cell == UINT32_MAX)
			continue;
		if (rank_at[cell] != UINT32_MAX)
			return false;
		rank_at[cell] = r;
	}
	return true;
}

/* In periodic dimensions of one or two cells a step leads to the rank itself, or twice to the same
 * one. */
static bool is_new(const struct neighbourhood *b, uint32_t rank, uint32_t n, uint32_t neighbour)
{
	for (uint32_t i = b->first[rank]; i < n; i++)
		if (b->list[i] == neighbour)
			return false;
	return neighbour != rank;
}

static void list_neighbours(struct neighbourhood *b, const struct topology *t,
			    const uint32_t *rank_at)
{
	uint32_t n = 0;

	for (uint32_t r = 0; r < b->n; r++) {
		const int32_t *coords = t->coords + (size_t)r * t->dims;
		b->first[r] = n;
		for (uint32_t i = 0; i < 2 * t->dims; i++) {
			const uint32_t cell = cell_of(t, coords, i / 2, i % 2 ? 1 : -1);
			if (cell != UINT32_MAX && rank_at[cell] != UINT32_MAX &&
			    is_new(b, r, n, rank_at[cell]))
				b->list[n++] = rank_at[cell];
		}
	}
	b->first[b->n] = n;
}

/* Lists the ranks that receive from each, from those that each receives from. */
static void list_after(struct neighbourhood *b)
{
	uint32_t *at;

	b->first_after = xcalloc(b->n + 2, sizeof *b->first_after);
	b->list_after = xmalloc((b->first[b->n] + 1) * sizeof *b->list_after);
	for (uint32_t i = 0; i < b->first[b->n]; i++)
		b->first_after[b->list[i] + 2]++;
	for (uint32_t r = 0; r < b->n; r++)
		b->first_after[r + 2] += b->first_after[r + 1];
	at = b->first_after + 1; /* becomes where the next one begins */
	for (uint32_t r = 0; r < b->n; r++)
		for (uint32_t i = b->first[r]; i < b->first[r + 1]; i++)
			b->list_after[at[b->list[i]]++] = r;
}

static void make_graph(struct neighbourhood *b, const struct topology *t)
{
	uint32_t n = 0;

	b->list = xmalloc(((size_t)b->n * t->dims + 1) * sizeof *b->list);
	for (uint32_t r = 0; r < b->n; r++) {
		b->first[r] = n;
		for (uint32_t d = 0; d < t->dims; d++) {
			const int32_t source = t->coords[(size_t)r * t->dims + d];
			if (source >= 0 && (uint32_t)source < b->n &&
			    is_new(b, r, n, (uint32_t)source))
				b->list[n++] = (uint32_t)source;
		}
	}
	b->first[b->n] = n;
	list_after(b);
}

void neighbourhood_make(struct neighbourhood *b, const struct trace *trace, uint32_t comm)
{
	const struct topology *t;
	uint32_t *rank_at, cells;

	if (b->comm == comm && b->first)
		return;
	neighbourhood_fini(b);
	b->comm = comm;
	b->n = trace_comm(trace, comm)->size;
	t = topology_of(trace, comm);
	if (t && topology_is_sources(trace, t)) {
		b->first = xcalloc(b->n + 1, sizeof *b->first);
		make_graph(b, t);
		return;
	}
	cells = t ? cells_of(t, b->n) : 0;
	b->first = xcalloc(b->n + 1, sizeof *b->first);
	rank_at = xmalloc((cells + 1) * sizeof *rank_at);
	if (!cells || !place_ranks(t, b->n, rank_at, cells)) {
		b->n = 0;
	} else {
		b->list = xmalloc(((size_t)b->n * 2 * t->dims + 1) * sizeof *b->list);
		list_neighbours(b, t, rank_at);
	}
	free(rank_at);
}

void neighbourhood_fini(struct neighbourhood *b)
{
	free_all(b->first, b->list, b->first_after, b->list_after);
	*b = (struct neighbourhood){ .comm = UINT32_MAX };
}

const uint32_t *neighbours_of(const struct neighbourhood *b, uint32_t rank, uint32_t *n)
{
	*n = b->first[rank + 1] - b->first[rank];
	return b->list + b->first[rank];
}

const uint32_t *neighbours_after(const struct neighbourhood *b, uint32_t rank, uint32_t *n)
{
	if (!b->first_after)
		return neighbours_of(b, rank, n);
	*n = b->first_after[rank + 1] - b->first_after[rank];
	return b->list_after + b->first_after[rank];
}
