#include "ui/timeline/picture/miniature.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/cache/cache.h"
#include "model/trace/halo.h"
#include "model/trace/piece.h"
#include "views/query/analyses.h"

static const struct wait_sums *waits_of(const struct query *query)
{
	return query->analyses ? analyses_wait_sums(query->analyses, query->base) : NULL;
}

void miniature_fini(struct miniature *m)
{
	if (m->locations) {
		tally_fini(&m->tally);
		time_cells_fini(&m->columns);
	}
	free_all(m->mixes, m->cells, m->locations, m->waited);
	*m = (struct miniature){ 0 };
}

bool miniature_stale(const struct miniature *m, const struct query *query)
{
	return m->locations && m->waits != waits_of(query);
}

static void set_cell(struct miniature *m, size_t at)
{
	static const struct timeline_mix nothing;
	struct timeline_cell *cell = &m->cells[at];

	*cell = timeline_cell_of(&m->mixes[at], &nothing);
	cell->left = cell->right = cell->whole;
	cell->mix = (uint32_t)at;
}

/* ---- with the trace ---- */

static const char keep_name[] = "miniature";

/* What one is of, beside its locations, and what is summed in it. */
struct miniature_head {
	int64_t t0, t1;
	int32_t rows, columns;
	uint64_t waiting[CLASS_COUNT];
};

static size_t cells_of(const struct miniature *m)
{
	return (size_t)m->rows * (size_t)m->scale.n;
}

/* For the next start, on a screen of the same size, which then touches no event for it. */
static void keep(const struct miniature *m)
{
	struct miniature_head head = { m->scale.t0, m->scale.t1, m->rows, m->scale.n, { 0 } };
	struct piece piece = { VEC_INIT };

	if (!m->waits || trace_is_cached(m->trace))
		return;
	memcpy(head.waiting, m->waiting, sizeof head.waiting);
	piece_add(&piece, &head, 1, sizeof head);
	piece_add(&piece, m->locations, m->n, sizeof *m->locations);
	piece_add_sparse(&piece, m->mixes, cells_of(m), sizeof *m->mixes);
	piece_keep(&piece, m->trace, keep_name, m->base);
}

/* False: another one is kept, or none. */
static bool take_kept(struct miniature *m)
{
	struct miniature_head head;
	struct piece_reader reader;
	const uint32_t *locations;
	size_t n, cells;
	OWNED struct timeline_mix *mixes = NULL;

	if (!m->waits || !piece_find(&reader, m->trace, keep_name, m->base) ||
	    !piece_value(&reader, &head, sizeof head) || head.t0 != m->scale.t0 ||
	    head.t1 != m->scale.t1 || head.rows != m->rows || head.columns != m->scale.n)
		return false;
	locations = piece_next(&reader, sizeof *locations, &n);
	if (n != m->n || memcmp(locations, m->locations, n * sizeof *locations) != 0)
		return false;
	mixes = piece_next_sparse(&reader, sizeof *mixes, &cells);
	if (!piece_ends(&reader) || cells != cells_of(m))
		return false;
	for (size_t i = 0; i < cells; i++)
		if (mixes[i].states >> STATE_COUNT)
			return false;
	memcpy(m->waiting, head.waiting, sizeof m->waiting);
	memcpy(m->mixes, mixes, cells * sizeof *mixes);
	for (size_t i = 0; i < cells; i++)
		set_cell(m, i);
	return true;
}

/* ---- making ---- */

bool miniature_begin(struct miniature *m, const struct query *query, int rows, int columns)
{
	const struct shading *shading = trace_class_shading(query->trace, query->base);
	const uint32_t all = query_location_count(query);
	const struct span w = timeline_window(query);
	size_t cells;

	miniature_fini(m);
	if (!shading || !all || rows < 1 || columns < 1)
		return false;
	m->trace = query->trace;
	m->base = query->base;
	m->locations = xcalloc(all, sizeof *m->locations);
	for (uint32_t i = 0; i < all; i++)
		if (location_runs_code(trace_location(query->trace, query_location(query, i))))
			m->locations[m->n++] = query_location(query, i);
	m->rows = (uint32_t)rows < m->n ? rows : (int)m->n;
	m->scale = (struct time_scale){ w.t0, w.t1, columns };
	m->waits = waits_of(query);
	m->waits_known = m->waits != NULL;
	time_cells_init(&m->columns, &m->scale);
	tally_init(&m->tally, shading, m->columns.edges, m->columns.intervals);
	cells = cells_of(m);
	m->mixes = xcalloc(cells + 1, sizeof *m->mixes);
	m->cells = xcalloc(cells + 1, sizeof *m->cells);
	m->waited = xcalloc(m->columns.intervals * WAIT_SLOTS + 1, sizeof *m->waited);
	m->done = m->n == 0 || take_kept(m);
	return m->n > 0;
}

/* The row of the i-th location: rows differ by one location at most. */
static int row_of(const struct miniature *m, uint32_t i)
{
	return (int)((uint64_t)i * (uint64_t)m->rows / m->n);
}

static int32_t rank_of(const struct miniature *m, uint32_t i)
{
	return trace_location(m->trace, m->locations[i])->rank;
}

int32_t miniature_rank(const struct miniature *m, int row)
{
	const uint64_t rows = (uint64_t)m->rows;

	for (uint32_t i = (uint32_t)(((uint64_t)row * m->n + rows - 1) / rows);
	     i < m->n && row_of(m, i) == row; i++)
		if (!i || rank_of(m, i) != rank_of(m, i - 1))
			return rank_of(m, i);
	return RANK_UNKNOWN;
}

static void add_waiting(struct miniature *m, const struct timeline_mix *before,
			const struct timeline_mix *after)
{
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		m->waiting[c] += before->of[c] - after->of[c];
}

/* Each column shows an interval; of several that show one, its time counts once. */
static void finish_row(struct miniature *m, int row)
{
	const uint64_t *sums = tally_sums(&m->tally);
	const unsigned slots = m->waits ? wait_sums_slots(m->waits, NULL) : 0;
	const size_t first = (size_t)row * (size_t)m->scale.n;

	for (int x = 0; x < m->scale.n; x++) {
		const size_t interval = m->columns.of[x];
		struct timeline_mix *mix = &m->mixes[first + (size_t)x], before;

		for (unsigned c = 0; c < CLASS_COUNT; c++)
			timeline_mix_put(mix, c, sums[interval * SHADING_SLOTS + c]);
		before = *mix;
		if (m->waits)
			timeline_mix_wait(mix, m->waits, m->waited + interval * slots);
		if (!x || m->columns.of[x - 1] != interval)
			add_waiting(m, &before, mix);
		set_cell(m, first + (size_t)x);
	}
	tally_clear(&m->tally);
	memset(m->waited, 0, m->columns.intervals * slots * sizeof *m->waited);
}

bool miniature_work(struct miniature *m, int64_t nanoseconds)
{
	const int64_t begin = clock_cpu_ns();

	if (!m->locations || m->done)
		return false;
	while (m->next < m->n) {
		const int row = row_of(m, m->next);
		const uint32_t location = m->locations[m->next++];

		if (trace_has_location(m->trace, location)) {
			tally_add(&m->tally, location);
			if (m->waits)
				wait_sums_add(m->waits, location, m->columns.edges,
					      m->columns.intervals, m->waited);
		}
		if (m->next == m->n || row_of(m, m->next) != row)
			finish_row(m, row);
		if (m->next < m->n && clock_cpu_ns() - begin >= nanoseconds)
			return true;
	}
	m->done = true;
	keep(m);
	return false;
}
