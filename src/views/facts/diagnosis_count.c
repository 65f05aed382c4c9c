/* How many wait states of each kind the diagnosis has, and the longest of them. */
#include <string.h>

#include "base/exchange.h"
#include "base/vec.h"
#include "views/facts/diagnosis.h"

/* The instances of a kind in one process. */
struct instances {
	uint64_t count;
	int64_t begin, length; /* of the longest, as those below; of equals the lower location's */
	uint32_t location, event, partner, path;
};

static void note_longest(struct instances *of, const struct instances *more)
{
	const uint64_t count = of->count + more->count;

	if (more->length > of->length ||
	    (more->length == of->length && more->location < of->location))
		*of = *more;
	of->count = count;
}

static void add_instance(const struct trace *trace, uint32_t location, const struct wait *wait,
			 struct instances *of)
{
	of->count++;
	if (wait->length <= of->length)
		return;
	*of = (struct instances){ .count = of->count,
				  .begin = wait->begin,
				  .length = wait->length,
				  .location = location,
				  .event = wait->event,
				  .partner = wait_partner(trace, wait),
				  .path = wait->path };
}

/* One pass over the instances of this process. */
static void find_instances(const struct query *query, const struct analysis *analysis,
			   const bool *chosen, const uint8_t *kinds, struct instances *of)
{
	for (uint32_t l = 0; l < trace_location_count(query->trace); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(analysis, l, &n);
		if (chosen && !chosen[l])
			continue;
		for (size_t i = analysis_wait_at(analysis, l, query->t0); i < n; i++) {
			if (waits[i].begin >= query->t1)
				break;
			if (kinds[waits[i].metric] < DIAGNOSED_WAITS)
				add_instance(query->trace, l, &waits[i],
					     &of[kinds[waits[i].metric]]);
		}
	}
}

void diagnosis_count(struct diagnosis *d, const struct query *query,
		     const struct analysis *analysis, const bool *chosen)
{
	OWNED_VEC(struct instances) of = VEC_INIT;
	uint8_t kinds[CUBE_METRICS];

	if (!d->n)
		return;
	memset(kinds, DIAGNOSED_WAITS, sizeof kinds);
	for (uint32_t i = 0; i < d->n; i++) {
		kinds[d->waits[i].metric] = (uint8_t)i;
		vec_push(&of, ((struct instances){ .location = UINT32_MAX,
						   .event = EVENT_NONE,
						   .partner = UINT32_MAX }));
	}
	find_instances(query, analysis, chosen, kinds, of.data);
	exchange_rows(trace_exchange(query->trace), &of);
	for (size_t i = d->n; i < of.n; i++)
		note_longest(&of.data[i % d->n], &of.data[i]);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct instances *all = &of.data[i];
		struct diagnosed_wait *w = &d->waits[i];

		w->count = all->count;
		w->worst_location = all->location;
		w->worst_event = all->event;
		w->worst_partner = all->partner;
		w->worst_path = all->path;
		w->worst_begin = all->begin;
		w->worst_length = all->length;
	}
}
