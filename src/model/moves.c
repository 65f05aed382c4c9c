#include "model/moves.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

/* What is kept of a block. */
struct stretch {
	int64_t begin;     /* of its first event, in the base */
	int64_t low, high; /* moves */
	uint32_t event;    /* its first one */
};

struct moves {
	const struct trace *trace;
	enum time_base base, reference;
	VEC(struct stretch) list; /* by location */
	size_t *of;               /* [locations + 1] */
};

/* ---- one time ---- */

static int64_t moved(const struct trace *trace, enum time_base base, enum time_base reference,
		     uint32_t event)
{
	return trace_event_time(trace, base, event) - trace_event_time(trace, reference, event);
}

/* Move at t, `next` being the first event that is not before it. */
static int64_t move_before(struct cursor next, enum time_base reference, int64_t t)
{
	const struct trace *trace = next.trace;
	const int64_t t1 = cursor_time(&next);
	const int64_t m1 = moved(trace, next.base, reference, next.id);
	int64_t t0, m0;

	if (t1 == t || !cursor_prev(&next))
		return m1;
	t0 = cursor_time(&next);
	m0 = moved(trace, next.base, reference, next.id);
	return m0 + (int64_t)((__int128)(m1 - m0) * (t - t0) / (t1 - t0));
}

/* The move at t; 0 where the location has no events. */
static int64_t move_at(const struct trace *trace, enum time_base base, enum time_base reference,
		       uint32_t location, int64_t t)
{
	struct cursor c;

	if (cursor_seek(&c, trace, base, location, t))
		return move_before(c, reference, t);
	return cursor_last(&c, trace, base, location) ? moved(trace, base, reference, c.id) : 0;
}

int64_t moves_map(const struct trace *trace, enum time_base from, enum time_base to,
		  uint32_t location, int64_t t)
{
	return t - move_at(trace, from, to, location, t);
}

/* ---- making ---- */

enum { BLOCKS_A_STEP = 1 << 12 };

static void add_event(struct moves *m, const struct cursor *c, const struct cursor *r, bool first)
{
	const int64_t move = cursor_time(c) - cursor_time(r);
	struct stretch *last;

	if (first) {
		vec_push(&m->list, ((struct stretch){ cursor_time(c), move, move, c->id }));
		return;
	}
	last = vec_last(&m->list);
	last->low = move < last->low ? move : last->low;
	last->high = move > last->high ? move : last->high;
}

static bool add_location(struct moves *m, uint32_t location, const struct progress *progress)
{
	struct cursor c, r;
	bool ok = cursor_first(&c, m->trace, m->base, location) &&
		  cursor_first(&r, m->trace, m->reference, location);

	while (ok) {
		if (c.slot == 0 && m->list.n % BLOCKS_A_STEP == 0 &&
		    !progress_step(progress, "differences", m->list.n * BLOCK_EVENTS,
				   trace_event_count(m->trace)))
			return false;
		add_event(m, &c, &r, c.slot == 0);
		ok = cursor_next(&c) && cursor_next(&r);
	}
	return true;
}

struct moves *moves_new(const struct trace *trace, enum time_base base, enum time_base reference,
			const struct progress *progress)
{
	const uint32_t n = trace_location_count(trace);
	struct moves *m = xcalloc(1, sizeof *m);

	m->trace = trace;
	m->base = base;
	m->reference = reference;
	m->of = xcalloc((size_t)n + 1, sizeof *m->of);
	for (uint32_t l = 0; l < n; l++) {
		m->of[l] = m->list.n;
		if (!add_location(m, l, progress)) {
			moves_free(m);
			return NULL;
		}
	}
	m->of[n] = m->list.n;
	return m;
}

void moves_free(struct moves *m)
{
	if (!m)
		return;
	vec_fini(&m->list);
	free(m->of);
	free(m);
}

enum time_base moves_base(const struct moves *m)
{
	return m->base;
}

enum time_base moves_reference(const struct moves *m)
{
	return m->reference;
}

/* ---- cells ---- */

/* A finger that goes along a location: the next event that no cell has had. */
struct sweep {
	const struct moves *m;
	const struct stretch *of; /* [n] of the location, by block */
	size_t n;
	struct cursor c;
	bool more;
};

static void take(struct move *move, int64_t low, int64_t high)
{
	if (!move->known || low < move->low)
		move->low = low;
	if (!move->known || high > move->high)
		move->high = high;
	move->known = true;
}

/* From the begin of a block over all that lie before t as a whole. */
static void skip_blocks(struct sweep *s, int64_t t, struct move *move)
{
	const size_t first = s->c.block->nth;
	size_t i = first;

	while (i + 1 < s->n && s->of[i + 1].begin < t) {
		take(move, s->of[i].low, s->of[i].high);
		i++;
	}
	if (i != first)
		cursor_at(&s->c, s->m->trace, s->m->base, s->of[i].event);
}

/* All events before t. */
static void sweep_cell(struct sweep *s, int64_t t, struct move *move)
{
	while (s->more && cursor_time(&s->c) < t) {
		if (s->c.slot == 0)
			skip_blocks(s, t, move);
		const int64_t here = moved(s->m->trace, s->m->base, s->m->reference, s->c.id);
		take(move, here, here);
		s->more = cursor_next(&s->c);
	}
}

/* The edges belong to a cell as far as there are events on both sides. */
static void take_edges(struct move *move, const int64_t *edges, int64_t begin, int64_t end)
{
	if (edges[0] >= begin && edges[0] <= end)
		take(move, move->begin, move->begin);
	if (edges[1] > begin && edges[1] <= end)
		take(move, move->end, move->end);
}

void moves_sweep(const struct moves *m, uint32_t location, const int64_t *edges, size_t cells,
		 struct move *out)
{
	const size_t first = m->of[location];
	struct sweep s = { .m = m, .of = m->list.data + first, .n = m->of[location + 1] - first };
	struct cursor last;
	int64_t edge, final;

	for (size_t i = 0; i < cells; i++)
		out[i] = (struct move){ .known = false };
	if (cells == 0 || !cursor_last(&last, m->trace, m->base, location))
		return;
	final = moved(m->trace, m->base, m->reference, last.id);
	s.more = cursor_seek(&s.c, m->trace, m->base, location, edges[0]);
	edge = s.more ? move_before(s.c, m->reference, edges[0]) : final;
	for (size_t i = 0; i < cells; i++) {
		out[i].begin = edge;
		sweep_cell(&s, edges[i + 1], &out[i]);
		edge = s.more ? move_before(s.c, m->reference, edges[i + 1]) : final;
		out[i].end = edge;
		take_edges(&out[i], &edges[i], s.of[0].begin, cursor_time(&last));
	}
}
