/* Making the sums of superblocks. */
#include "model/sums/profile_sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT64_MAX

/* An open visit. */
struct visit {
	int64_t enter;
	uint32_t path;
	uint64_t sum; /* its row, once its superblock is done; NO_ROW: that has none */
	uint64_t end; /* its place in the ends then */
};

struct sums_maker {
	struct profile_sums *made;
	const struct trace *trace;
	enum time_base base;
	VEC(struct profile_sum) rows; /* of the superblock in work */
	uint32_t *row_of[SUM_KINDS];  /* [id] 1 + row of the superblock in work, 0 none */
	VEC(struct visit) open;
	size_t fresh; /* from here on the open visits began in the superblock in work */
	uint32_t path;
	bool traced;
	int64_t time; /* up to here time has been summed */
};

static void find_outermost(const struct trace *trace, uint8_t *outermost)
{
	const struct callpath *paths = trace->paths.data;
	const uint32_t n = (uint32_t)trace->paths.n;
	uint32_t *child = xcalloc(n, sizeof *child), *sibling = xcalloc(n, sizeof *sibling);
	uint32_t *open = xcalloc(trace->regions.n, sizeof *open);
	uint32_t path = 0;

	for (uint32_t p = n; p-- > 1;) {
		sibling[p] = child[paths[p].parent];
		child[paths[p].parent] = p;
	}
	/* Down to the first child where there is one not visited, else on to the sibling, else up:
	 * recursion of the traced program may be deeper than our own stack. */
	for (;;) {
		if (child[path] != 0) {
			const uint32_t next = child[path];
			child[path] = sibling[next];
			path = next;
			outermost[path] = open[trace->sites.data[paths[path].site].region]++ == 0;
		} else if (path != 0) {
			open[trace->sites.data[paths[path].site].region]--;
			path = paths[path].parent;
		} else {
			break;
		}
	}
	free_all(child, sibling, open);
}

struct profile_sums *profile_sums_new(const struct trace *trace)
{
	struct profile_sums *sums = xcalloc(1, sizeof *sums);
	const size_t n = trace->locations.n;

	sums->super_of = xmalloc(n * sizeof *sums->super_of);
	for (size_t l = 0; l < n; l++)
		sums->super_of[l] = UINT64_MAX;
	sums->outermost = xcalloc(trace->paths.n, sizeof *sums->outermost);
	find_outermost(trace, sums->outermost);
	return sums;
}

void profile_sums_free(struct profile_sums *sums)
{
	if (!sums)
		return;
	vec_fini(&sums->sums);
	vec_fini(&sums->ends);
	vec_fini(&sums->supers);
	free_all(sums->super_of, sums->outermost, sums);
}

struct sums_maker *sums_maker_new(struct profile_sums *sums, const struct trace *trace,
				  enum time_base base)
{
	struct sums_maker *m = xcalloc(1, sizeof *m);

	m->made = sums;
	m->trace = trace;
	m->base = base;
	m->row_of[SUM_PATH] = xcalloc(trace->paths.n, sizeof(uint32_t));
	m->row_of[SUM_UNTRACED] = xcalloc(trace->paths.n, sizeof(uint32_t));
	m->row_of[SUM_MARK] = xcalloc(trace->sites.n, sizeof(uint32_t));
	return m;
}

void sums_maker_free(struct sums_maker *m)
{
	if (!m)
		return;
	for (int kind = 0; kind < SUM_KINDS; kind++)
		free(m->row_of[kind]);
	vec_fini(&m->rows);
	vec_fini(&m->open);
	free(m);
}

/* ---- the superblock in work ---- */

static struct profile_sum *row(struct sums_maker *m, enum sum_kind kind, uint32_t id)
{
	uint32_t *place = &m->row_of[kind][id];

	if (*place == 0) {
		const struct profile_sum fresh = { .key = (uint32_t)kind << WHAT_ID_BITS | id };
		vec_push(&m->rows, fresh);
		*place = (uint32_t)m->rows.n;
	}
	return &m->rows.data[*place - 1];
}

static void count_visit(struct profile_sum *sum, int64_t length)
{
	if (sum->count == 0 || length < sum->min)
		sum->min = length;
	if (sum->count == 0 || length > sum->max)
		sum->max = length;
	sum->count++;
	add_time(&sum->visit_sum, length);
}

static void spend(struct sums_maker *m, int64_t t)
{
	if (t > m->time)
		row(m, m->traced ? SUM_PATH : SUM_UNTRACED, m->path)->self += t - m->time;
	m->time = t;
}

static void visit_begin(struct sums_maker *m, uint32_t path, int64_t t)
{
	const struct visit visit = { t, path, NO_ROW, NO_ROW };

	vec_push(&m->open, visit);
}

static void visit_end(struct sums_maker *m, int64_t t)
{
	const struct visit visit = vec_pop(&m->open);

	if (m->open.n >= m->fresh) {
		count_visit(row(m, SUM_PATH, visit.path), t - visit.enter);
		return;
	}
	m->fresh = m->open.n;
	m->made->ends.data[visit.end] = t;
	if (visit.sum != NO_ROW)
		count_visit(&m->made->sums.data[visit.sum], t - visit.enter);
}

static void super_begin(struct sums_maker *m)
{
	const struct super super = { .first_sum = m->made->sums.n, .first_end = m->made->ends.n };

	vec_push(&m->made->supers, super);
	m->fresh = m->open.n;
}

/* Visits that are still open get their rows now, and their ends when these are known. */
static void super_end(struct sums_maker *m)
{
	struct super *super = vec_last(&m->made->supers);

	for (size_t i = m->fresh; i < m->open.n; i++)
		(void)row(m, SUM_PATH, m->open.data[i].path);
	super->walked = m->rows.n > MOST_SUMS;
	super->level = (uint32_t)m->fresh + 1;
	for (size_t i = m->fresh; i < m->open.n; i++) {
		struct visit *visit = &m->open.data[i];
		assert(m->trace->paths.data[visit->path].depth == i + 1);
		visit->end = m->made->ends.n;
		vec_push(&m->made->ends, (int64_t)0);
		if (!super->walked)
			visit->sum = m->made->sums.n + m->row_of[SUM_PATH][visit->path] - 1;
	}
	m->fresh = m->open.n;
	for (size_t i = 0; i < m->rows.n; i++) {
		const struct profile_sum *sum = &m->rows.data[i];
		m->row_of[sum->key >> WHAT_ID_BITS][sum->key & WHAT_ID_MASK] = 0;
	}
	if (!super->walked && m->rows.n > 0) {
		vec_reserve(&m->made->sums, m->rows.n);
		memcpy(m->made->sums.data + m->made->sums.n, m->rows.data,
		       m->rows.n * sizeof *m->rows.data);
		m->made->sums.n += m->rows.n;
	}
	m->rows.n = 0;
}

/* ---- the pass ---- */

static void pass_event(struct sums_maker *m, uint32_t what, int64_t t)
{
	const uint32_t id = what_id(what);

	switch (what_kind(what)) {
	case EV_ENTER:
		spend(m, t);
		visit_begin(m, id, t);
		m->path = id;
		break;
	case EV_LEAVE: {
		const struct callpath *path = &m->trace->paths.data[id];
		spend(m, t);
		while (m->open.n >= path->depth)
			visit_end(m, t);
		m->path = path->parent;
		break;
	}
	case EV_MARK: count_visit(row(m, SUM_MARK, id), 0); break;
	case EV_TRACING_ON:
	case EV_TRACING_OFF:
		spend(m, t);
		m->traced = what_kind(what) == EV_TRACING_ON;
		break;
	default: break;
	}
}

/* Regions that are open before the location's first event count as begun there. */
static void open_at_start(struct sums_maker *m, uint32_t path)
{
	const struct callpath *paths = m->trace->paths.data;
	const uint32_t depth = paths[path].depth;

	vec_reserve(&m->open, depth);
	m->open.n = depth;
	for (uint32_t i = depth; i-- > 0; path = paths[path].parent)
		m->open.data[i] = (struct visit){ m->time, path, NO_ROW, NO_ROW };
}

static void pass_block(struct sums_maker *m, uint32_t id)
{
	const struct block *block = store_block(m->trace, id);
	const struct times *times = store_times(m->trace, m->base, id);
	const int64_t *wide = store_wide(m->trace, m->base, times);

	for (uint32_t slot = 0; slot < block->n; slot++)
		pass_event(m, block->what[slot],
			   wide ? wide[slot] : times->base + times->delta[slot]);
}

void sums_maker_add(struct sums_maker *m, uint32_t location)
{
	const struct block_ids *list = &m->trace->lists.data[location];
	const struct block *first;
	struct cursor c;

	m->made->super_of[location] = m->made->supers.n;
	if (!cursor_last(&c, m->trace, m->base, location))
		return;
	first = store_block(m->trace, list->data[0]);
	m->time = store_times(m->trace, m->base, list->data[0])->base;
	m->path = first->path;
	m->traced = !(first->flags & BLOCK_NOT_TRACED);
	super_begin(m);
	open_at_start(m, first->path);
	m->fresh = 0;
	for (size_t nth = 0; nth < list->n; nth++) {
		store_prefetch(m->trace, m->base, list, nth + 2);
		if (nth > 0 && nth % SUMS_BLOCKS == 0) {
			spend(m, store_times(m->trace, m->base, list->data[nth])->base);
			super_end(m);
			super_begin(m);
		}
		pass_block(m, list->data[nth]);
	}
	spend(m, cursor_time(&c));
	super_end(m);
	while (m->open.n > 0)
		visit_end(m, m->time);
	super_begin(m); /* says where the last one's rows end */
}
