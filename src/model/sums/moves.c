#include "model/sums/moves.h"

#include "base/mem.h"
#include "base/order.h"
#include "base/vec.h"

/* What is kept of a block. */
struct stretch {
	int64_t begin;     /* of its first event, in the base */
	int64_t low, high; /* moves */
	int64_t first;     /* move of its first event */
	uint32_t event;    /* that */
};

struct spot {
	int64_t t, move;
};

struct moves {
	const struct trace *trace;
	enum time_base base, reference;
	VEC(struct stretch) list; /* by location */
	size_t *of;               /* [locations + 1] */
	struct spot *last;        /* [locations] the last event, where there is one */
};

/* ---- one time ---- */

static int64_t moved(const struct trace *trace, enum time_base base, enum time_base reference,
		     uint32_t event)
{
	return trace_event_time(trace, base, event) - trace_event_time(trace, reference, event);
}

static int64_t straight(struct spot a, struct spot b, int64_t t)
{
	if (b.t <= a.t || t >= b.t)
		return b.move;
	return t <= a.t ? a.move
			: a.move + (int64_t)((__int128)(b.move - a.move) * (t - a.t) / (b.t - a.t));
}

/* Move at t, `next` being the first event that is not before it. */
static int64_t move_before(struct cursor next, enum time_base reference, int64_t t)
{
	const struct trace *trace = next.trace;
	const int64_t t1 = cursor_time(&next);
	const int64_t m1 = moved(trace, next.base, reference, next.id);

	if (t1 == t || !cursor_prev(&next))
		return m1;
	const struct spot before = { cursor_time(&next),
				     moved(trace, next.base, reference, next.id) };
	return straight(before, (struct spot){ t1, m1 }, t);
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
		vec_push(&m->list, ((struct stretch){ cursor_time(c), move, move, move, c->id }));
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
		m->last[location] =
			(struct spot){ cursor_time(&c), cursor_time(&c) - cursor_time(&r) };
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
	m->last = xcalloc((size_t)n + 1, sizeof *m->last);
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
	free_all(m->of, m->last, m);
}

enum time_base moves_reference(const struct moves *m)
{
	return m->reference;
}

/* ---- cells ---- */

/* A walk along a location: its next event is in no cell so far. */
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

/* From the begin of a block over all that are wholly before t. */
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
	const struct spot last = m->last[location];
	int64_t edge;

	for (size_t i = 0; i < cells; i++)
		out[i] = (struct move){ .known = false };
	if (cells == 0 || s.n == 0)
		return;
	s.more = cursor_seek(&s.c, m->trace, m->base, location, edges[0]);
	edge = s.more ? move_before(s.c, m->reference, edges[0]) : last.move;
	for (size_t i = 0; i < cells; i++) {
		out[i].begin = edge;
		sweep_cell(&s, edges[i + 1], &out[i]);
		edge = s.more ? move_before(s.c, m->reference, edges[i + 1]) : last.move;
		out[i].end = edge;
		take_edges(&out[i], &edges[i], s.of[0].begin, last.t);
	}
}

/* ---- to the block ---- */

/* The last block that begins before t; the first one where none does. */
static size_t block_at(const struct stretch *of, size_t n, int64_t t)
{
	size_t low = 1, high = n;

	BISECT(low, high, mid, of[mid].begin < t);
	return low - 1;
}

/* The move at t, which is in block i, before the first or after the last event. */
static int64_t outline_at(const struct moves *m, uint32_t location, size_t i, int64_t t)
{
	const struct stretch *at = m->list.data + m->of[location] + i;
	const bool end = m->of[location] + i + 1 == m->of[location + 1];
	const struct spot next =
		end ? m->last[location] : (struct spot){ at[1].begin, at[1].first };

	return straight((struct spot){ at->begin, at->first }, next, t);
}

/* A block reaches to the first event of the next one. */
static void take_block(struct move *move, const struct stretch *of, size_t n, size_t i)
{
	take(move, of[i].low, of[i].high);
	if (i + 1 < n)
		take(move, of[i + 1].first, of[i + 1].first);
}

void moves_outline(const struct moves *m, uint32_t location, const int64_t *edges, size_t cells,
		   struct move *out)
{
	const struct stretch *of = m->list.data + m->of[location];
	const size_t n = m->of[location + 1] - m->of[location];
	size_t i = n && cells ? block_at(of, n, edges[0]) : 0;

	for (size_t c = 0; c < cells; c++) {
		out[c] = (struct move){ .known = false };
		if (n == 0)
			continue;
		out[c].begin = outline_at(m, location, i, edges[c]);
		if (of[i].begin < edges[c + 1] && m->last[location].t >= edges[c])
			take_block(&out[c], of, n, i);
		while (i + 1 < n && of[i + 1].begin < edges[c + 1])
			take_block(&out[c], of, n, ++i);
		out[c].end = outline_at(m, location, i, edges[c + 1]);
	}
}
