/* Clocks that no pair with messages in both directions leads to, but a way there and another one
 * back: around a ring. */
#include <math.h>
#include <stdlib.h>

#include "base/lists.h"
#include "base/mem.h"
#include "correct/clocks/time_heap.h"
#include "correct/fit/level.h"
#include "correct/fit/level_state.h"

struct cycle_search {
	const struct level_hop *hops;
	struct lists of; /* hops that leave each clock, or with `back` reach it */
	bool back;
	struct time_heap heap;
	double *length; /* [clocks] sum of squares */
};

static void reach(struct cycle_search *s, uint32_t clock, double length)
{
	if (s->length[clock] <= length)
		return;
	if (!isinf(s->length[clock]))
		time_heap_remove(&s->heap, clock);
	s->length[clock] = length;
	time_heap_push(&s->heap, clock, level_order_of(length));
}

static void search(struct cycle_search *s)
{
	while (s->heap.n > 0) {
		const uint32_t clock = time_heap_pop(&s->heap);
		uint32_t n;
		const uint32_t *list = lists_of(&s->of, clock, &n);
		for (uint32_t k = 0; k < n; k++) {
			const struct level_hop *hop = &s->hops[list[k]];
			reach(s, s->back ? hop->from : hop->to,
			      s->length[clock] + level_square(hop->slack));
		}
	}
}

/* Fills length[clocks] from the roots along the hops, or against them. */
static void find_lengths(const struct level_hop *hops, size_t n, uint32_t clocks,
			 const uint32_t *root_of, bool back, double *length)
{
	OWNED uint32_t *keys = xmalloc((n + 1) * sizeof *keys);
	struct cycle_search s = { .hops = hops, .back = back, .length = length };

	for (size_t i = 0; i < n; i++)
		keys[i] = back ? hops[i].to : hops[i].from;
	lists_make(&s.of, clocks, keys, (uint32_t)n);
	time_heap_init(&s.heap, clocks);
	for (uint32_t c = 0; c < clocks; c++)
		length[c] = INFINITY;
	for (uint32_t c = 0; c < clocks; c++)
		if (root_of[c] == c)
			reach(&s, c, 0);
	search(&s);
	time_heap_fini(&s.heap);
	lists_fini(&s.of);
}

void level_cycles(const struct level_hop *hops, size_t n, uint32_t clocks, const uint32_t *root_of,
		  double *room)
{
	OWNED double *back = xmalloc((clocks + 1u) * sizeof *back);

	find_lengths(hops, n, clocks, root_of, false, room);
	find_lengths(hops, n, clocks, root_of, true, back);
	for (uint32_t c = 0; c < clocks; c++)
		room[c] = isinf(room[c]) || isinf(back[c]) ? -1 : sqrt((room[c] + back[c]) / 2);
}
