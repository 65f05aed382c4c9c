/* Whether a kept diagnosis can be one of the trace: it comes from a cache file. */
#include <math.h>
#include <string.h>

#include "base/exchange.h"
#include "views/facts/diagnosis.h"

static bool is_location(const struct trace *trace, uint32_t id)
{
	return id == UINT32_MAX || id < trace_location_count(trace);
}

static bool is_path(const struct trace *trace, uint32_t id)
{
	return id == UINT32_MAX || id < trace_callpath_count(trace);
}

static bool is_wait(const struct trace *trace, const struct diagnosed_wait *w)
{
	return w->metric < CUBE_METRICS && is_path(trace, w->at.id) &&
	       is_location(trace, w->who.id) && is_location(trace, w->culprit.id) &&
	       is_path(trace, w->cause.id) && is_location(trace, w->worst_location) &&
	       (w->worst_location == UINT32_MAX || w->worst_event == EVENT_NONE ||
		trace_has_event(trace, w->worst_event)) &&
	       is_location(trace, w->worst_partner) && is_path(trace, w->worst_path) &&
	       isfinite(w->sum);
}

static bool is_cause(const struct trace *trace, const struct named_cause *c)
{
	return c->kind < CAUSE_KINDS && is_location(trace, c->location) &&
	       c->path < trace_callpath_count(trace) && is_location(trace, c->other) &&
	       c->share >= 0 && c->share <= 1;
}

static bool is_imbalance(const struct trace *trace, const struct imbalance *of)
{
	return of->kind < IMBALANCE_KINDS && is_path(trace, of->path) &&
	       (of->path != UINT32_MAX || of->region < trace_region_count(trace)) &&
	       of->location < trace_location_count(trace) &&
	       of->farthest < trace_location_count(trace);
}

/* What is made of texts of a trace is clean. */
static bool is_clean(const char *text, size_t size)
{
	OWNED_STR clean = STR_INIT;
	const char *end = memchr(text, '\0', size);

	if (end)
		str_add_clean(&clean, text, (size_t)(end - text));
	return end && clean.n == (size_t)(end - text) &&
	       (!clean.n || !memcmp(clean.text, text, clean.n));
}

bool diagnosis_holds(const struct diagnosis *d, const struct trace *trace)
{
	bool ok = d->n <= DIAGNOSED_WAITS && d->n_ranks <= DIAGNOSED_RANKS &&
		  d->names.n <= CAUSES_NAMED && d->n_imbalance <= IMBALANCES &&
		  is_clean(d->grid, sizeof d->grid);

	/* Of those that share a trace each has some events; what they have kept, they made. */
	if (trace_exchange(trace))
		return true;
	for (uint32_t i = 0; ok && i < d->n; i++)
		ok = is_wait(trace, &d->waits[i]);
	for (uint32_t i = 0; ok && i < d->n_ranks; i++)
		ok = d->ranks[i].location < trace_location_count(trace);
	for (uint32_t i = 0; ok && i < d->names.n; i++)
		ok = is_cause(trace, &d->names.of[i]);
	for (uint32_t i = 0; ok && i < DIAGNOSED_PATHS; i++)
		ok = is_path(trace, d->critical[i].id);
	for (uint32_t i = 0; ok && i < d->n_imbalance; i++)
		ok = is_imbalance(trace, &d->imbalance[i]);
	return ok;
}
