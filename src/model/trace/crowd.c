#include "model/trace/crowd.h"

#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"

/* A thread comes (+1), or has gone (-1). */
struct turn {
	int64_t time;
	int by;
};

/* Of equal times those that go come later: a thread with one event was there. */
static int by_time(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	ORDER_BY(x->time, y->time);
	return ORDER(y->by, x->by);
}

static bool is_there(const struct location *l, uint32_t node)
{
	return l->rank != RANK_UNKNOWN && l->thread >= 0 && l->node == node &&
	       location_runs_code(l);
}

/* The most threads of a node that were there at once. */
static uint32_t most_at_once(const struct trace *trace, uint32_t node)
{
	const uint32_t n = trace_location_count(trace);
	OWNED_VEC(struct turn) turns = VEC_INIT;
	int now = 0, most = 0;

	for (uint32_t l = 0; l < n; l++) {
		struct cursor first, last;
		if (!is_there(trace_location(trace, l), node) ||
		    !cursor_first(&first, trace, BASE_MEASURED, l) ||
		    !cursor_last(&last, trace, BASE_MEASURED, l))
			continue;
		vec_push(&turns, ((struct turn){ cursor_time(&first), 1 }));
		vec_push(&turns, ((struct turn){ cursor_time(&last), -1 }));
	}
	exchange_rows(trace_exchange(trace), &turns);
	vec_sort(&turns, by_time);
	for (size_t i = 0; i < turns.n; i++) {
		now += turns.data[i].by;
		most = now > most ? now : most;
	}
	return (uint32_t)most;
}

struct crowd trace_crowd(const struct trace *trace)
{
	const char *value = trace_property_value(trace, "cores");
	struct crowd crowd = { 0 };
	uint32_t ranks = 0, threads, node = 0;

	if (!value)
		return crowd;
	crowd.cores = (uint32_t)strtoul(value, NULL, 10);
	if (!crowd.cores)
		return crowd;
	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		if (trace_location(trace, l)->rank == 0)
			node = trace_location(trace, l)->node;
	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *of = trace_location(trace, l);
		ranks += of->rank != RANK_UNKNOWN && of->thread == 0 && of->node == node;
	}
	threads = most_at_once(trace, node);
	crowd.ranks = ranks > crowd.cores ? ranks : 0;
	crowd.threads = threads > crowd.cores ? threads : 0;
	return crowd;
}
