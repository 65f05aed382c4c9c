/* Segments between two calls of MPI in which the clock is read seldom or never, as capture/lib/gaps.h
 * has them: all events are there, and their times are interpolated where the clock was not read. */
#include "engine_impl.h"

enum { READ_EVERY = 17, KNOWN = 8, OF_BLOCK = 4, SAME = 48, BLANKS_MOST = 16 };

void gap_begin(struct engine *e, uint32_t rank, bool drawn)
{
	struct actor *a = &e->actors[rank];
	struct gap_state *g = &a->gap;

	g->open = drawn && a->calls >= KNOWN;
	if (!g->open)
		return;
	g->blank = g->number++ % OF_BLOCK && a->calls >= SAME && g->blanks < BLANKS_MOST;
	g->blanks += g->blank;
	g->from = e->run->of[rank].events.n;
	g->read_at = a->now;
	g->records = g->read = 0;
	e->run->left_out++;
}

/* The events since the clock was read before have times in equal distances up to now. */
static void spread_out(struct engine *e, uint32_t rank, int64_t now)
{
	struct gap_state *g = &e->actors[rank].gap;
	struct happening *events = e->run->of[rank].events.data;
	const size_t n = e->run->of[rank].events.n - g->from;

	for (size_t i = 0; i < n; i++)
		events[g->from + i].time =
			g->read_at +
			(int64_t)((double)(now - g->read_at) * (double)(i + 1) / (double)(n + 1));
	g->from += n;
	g->read_at = now;
}

void gap_record(struct engine *e, uint32_t rank, enum happening_kind kind, uint8_t region)
{
	struct actor *a = &e->actors[rank];
	struct gap_state *g = &a->gap;
	int64_t now;

	if (++g->records % READ_EVERY || g->blank) {
		now = a->now; /* is not known to the trace, but to the true one */
		engine_intrude(e, rank, g->blank ? e->guard : e->gap_note);
		engine_note(e, rank, kind, region, now);
		return;
	}
	engine_intrude(e, rank, e->cost[region] / 2);
	now = a->now;
	engine_intrude(e, rank, e->cost[region] - e->cost[region] / 2);
	if (e->measured)
		spread_out(e, rank, now);
	engine_note(e, rank, kind, region, now);
	g->from = e->run->of[rank].events.n;
	g->read_at = now;
	g->read++;
}

void gap_end(struct engine *e, uint32_t rank, int64_t time)
{
	struct gap_state *g = &e->actors[rank].gap;

	if (!g->open)
		return;
	g->open = false;
	if (e->measured)
		spread_out(e, rank, time);
	if (g->records)
		vec_push(&e->run->of[rank].events, ((struct happening){ .time = time,
									.kind = HAPPEN_GAP,
									.bytes = g->records,
									.request = g->read,
									.tag = g->blank }));
	e->run->events += g->records > 0;
}
