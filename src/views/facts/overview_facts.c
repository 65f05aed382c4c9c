#include "views/facts/overview_facts.h"

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "model/trace/keep.h"
#include "model/trace/visit_walk.h"
#include "views/facts/collective_facts.h"
#include "views/facts/diagnosis.h"
#include "views/facts/sizes.h"
#include "views/query/view_common.h"

/* ---- time by class ---- */

static void add_classes(struct overview_facts *f, const struct query *query)
{
	const struct shading *shading = trace_class_shading(query->trace, query->base);
	uint64_t sums[SHADING_SLOTS];

	for (uint32_t i = 0; shading && i < f->locations; i++) {
		if (!trace_has_location(query->trace, query_location(query, i)))
			continue;
		shading_window(shading, query_location(query, i), f->t0, f->t1, sums);
		for (int c = 0; c < CLASS_COUNT; c++)
			f->by_class[c] += sums[c];
	}
	exchange_sum(trace_exchange(query->trace), f->by_class, CLASS_COUNT);
}

/* ---- regions ---- */

static bool counts_as_work(const struct trace *trace, uint32_t region)
{
	const uint8_t cls = trace_region(trace, region)->cls;

	/* Starting and ending MPI would hide where the program spends its time. */
	return cls != CLASS_OVERHEAD && cls != CLASS_OUTSIDE && cls != CLASS_START_END;
}

static void add_regions(struct overview_facts *f, const struct query *query)
{
	struct profile profile;

	if (!profile_make(&profile, query->trace, query->base, PROFILE_REGION, query->locations,
			  f->locations, query->t0, query->t1, query->progress, NULL))
		return;
	profile_share(&profile, trace_exchange(query->trace));
	f->in_no_region = f->whole - f->by_class[CLASS_OUTSIDE];
	for (uint32_t r = 0; r < profile.n; r++) {
		const int64_t exclusive = profile.rows[r].exclusive;
		size_t place = 0;
		f->in_no_region -= exclusive;
		if (trace_region(query->trace, r)->cls == CLASS_START_END)
			f->start_and_end += exclusive;
		if (exclusive <= 0 || !counts_as_work(query->trace, r))
			continue;
		while (place < ARRAY_SIZE(f->top) && f->top[place] != UINT32_MAX &&
		       f->top_exclusive[place] >= exclusive)
			place++;
		if (place == ARRAY_SIZE(f->top))
			continue;
		for (size_t i = ARRAY_SIZE(f->top) - 1; i > place; i--) {
			f->top[i] = f->top[i - 1];
			f->top_exclusive[i] = f->top_exclusive[i - 1];
		}
		f->top[place] = r;
		f->top_exclusive[place] = exclusive;
	}
	if (f->top[0] != UINT32_MAX)
		f->top_count = profile.rows[f->top[0]].count;
	profile_fini(&profile);
}

/* ---- a walk over the events ---- */

/* A location, by how far its time in the most expensive region is from the mean of all. */
struct deviation {
	int64_t distance, time;
	uint32_t nth, location; /* of those of the query */
};

/* A collective. */
struct spanned {
	int64_t time; /* from its first begin to its last end */
	struct row_place place;
	uint32_t region, members;
};

struct walk {
	struct overview_facts *facts;
	const struct query *query;
	bool *is_top; /* [callpath]: its innermost region is the most expensive one */
	/* At most one of each in a process: that which deviates, or lasts, most. */
	VEC(struct deviation) deviations;
	VEC(struct spanned) slowest;
};

enum { EVENTS_A_STEP = 1 << 15 };

/* Walks one location: its events, and the time in the most expensive region. */
static int64_t walk_location(struct walk *w, uint32_t location)
{
	struct overview_facts *f = w->facts;
	struct visit_walk v;
	int64_t top_time = 0;
	bool more = visit_walk_begin(&v, w->query->trace, w->query->base, location, f->t0,
				     w->query->t1);

	if (!more)
		return 0;
	for (; more; more = visit_walk_next(&v)) {
		if (!v.at_end && ++f->events % EVENTS_A_STEP == 0 && query_stopped(w->query))
			return top_time;
		if (w->is_top[v.path])
			top_time += v.to - v.from;
	}
	/* The region that is open after the last event stays open. */
	if (w->is_top[v.path] && v.to < f->t1)
		top_time += f->t1 - v.to;
	return top_time;
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

static void note_deviation(struct walk *w, const struct deviation *d)
{
	struct deviation *most = w->deviations.data;

	if (!w->deviations.n)
		vec_push(&w->deviations, *d);
	else if (d->distance > most->distance ||
		 (d->distance == most->distance && d->nth < most->nth))
		*most = *d;
}

static void walk_locations(struct walk *w)
{
	const struct query *query = w->query;
	const struct overview_facts *f = w->facts;
	const int64_t mean = f->locations && f->top[0] != UINT32_MAX
				     ? f->top_exclusive[0] / (int64_t)f->locations
				     : 0;

	for (uint32_t i = 0; i < f->locations; i++) {
		const uint32_t location = query_location(query, i);
		int64_t time;
		if (!progress_step(query->progress, "overview", i, f->locations))
			return;
		if (!trace_has_location(query->trace, location))
			continue;
		time = walk_location(w, location);
		note_deviation(w, &(struct deviation){ distance(time, mean), time, i, location });
	}
}

/* Counts the events of locations whose time does not count. */
static void walk_others(struct walk *w, const struct query *all)
{
	const uint32_t n = query_location_count(all);

	for (uint32_t i = 0; i < n && w->facts->locations < n; i++)
		if (!location_runs_code(trace_location(all->trace, query_location(all, i))))
			walk_location(w, query_location(all, i));
}

static void mark_top(struct walk *w)
{
	const struct trace *trace = w->query->trace;

	for (uint32_t p = 1; p < trace_callpath_count(trace); p++)
		w->is_top[p] = trace_callpath_region(trace, p) == w->facts->top[0];
}

/* ---- messages ---- */

static bool add_message(void *context, uint32_t id, const struct message *m)
{
	struct walk *w = context;
	struct overview_facts *f = w->facts;
	int64_t by;

	(void)id;
	/* A receive that was cancelled is not a message. */
	if (m->flags & MSG_CANCELLED)
		return true;
	f->messages++;
	f->guessed += (m->flags & (MSG_GUESSED | MSG_TURN_GUESSED)) != 0;
	if (!(m->flags & MSG_NO_BYTES)) {
		f->bytes_known = true;
		f->bytes += message_bytes(m);
		if (message_bytes(m) > f->largest)
			f->largest = message_bytes(m);
	}
	if (m->flags & (MSG_NO_SEND | MSG_NO_RECV)) {
		f->unmatched++;
		return true;
	}
	if (!message_arrived(m))
		return true;
	by = trace_event_time(w->query->trace, w->query->base, m->send) -
	     trace_event_time(w->query->trace, w->query->base, m->recv);
	f->reversed += by > 0;
	if (by > f->worst_reversed)
		f->worst_reversed = by;
	return true;
}

/* ---- collectives ---- */

/* Of equals the one that began first. */
static void note_slowest(struct walk *w, const struct spanned *c)
{
	struct spanned *most = w->slowest.data;

	if (!w->slowest.n)
		vec_push(&w->slowest, *c);
	else if (c->time > most->time ||
		 (c->time == most->time && row_place_compare(&c->place, &most->place) < 0))
		*most = *c;
}

static void note_collective(struct walk *w, const struct collective_facts *c)
{
	note_slowest(w, &(struct spanned){ c->end - c->begin, c->place, c->region, c->members });
}

/* Those whose members may be elsewhere, too, come from add_shared(). */
static void add_collective(void *context, uint32_t id, const struct collective *c)
{
	struct walk *w = context;
	const struct trace *trace = w->query->trace;
	struct collective_facts facts;
	int64_t begin, end;

	if (trace_exchange(trace) && id >= trace_first_turn(trace))
		return;
	w->facts->collectives++;
	w->facts->incomplete += (c->flags & COLL_INCOMPLETE) != 0;
	collective_span(trace, w->query->base, c, &begin, &end);
	if (w->slowest.n && end - begin < w->slowest.data->time)
		return;
	facts = collective_facts_of(w->query, NULL, id);
	note_collective(w, &facts);
}

static void add_shared(struct walk *w)
{
	struct collective_list list = { 0 };

	if (trace_exchange(w->query->trace))
		collective_facts_share(w->query, &list);
	for (size_t i = 0; i < list.n; i++) {
		w->facts->collectives++;
		w->facts->incomplete += (list.data[i].flags & COLL_INCOMPLETE) != 0;
		note_collective(w, &list.data[i]);
	}
	free(list.data);
}

/* ---- copies ---- */

static bool add_copy(void *context, uint32_t id, const struct copy *copy)
{
	struct overview_facts *f = context;

	(void)id, (void)copy;
	f->copies++;
	return true;
}

/* They are on streams, whose time does not count. */
static void add_copies(struct overview_facts *f, const struct query *query)
{
	struct query unfiltered = *query;

	unfiltered.filter = NULL;
	copies_collect(&unfiltered, add_copy, f);
}

/* ---- all processes that share the trace ---- */

static void share_sums(struct overview_facts *f, struct exchange *x)
{
	uint64_t *const counts[] = { &f->events,      &f->messages,   &f->bytes,
				     &f->unmatched,   &f->guessed,    &f->reversed,
				     &f->collectives, &f->incomplete, &f->copies };
	uint64_t sums[ARRAY_SIZE(counts)];

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		sums[i] = *counts[i];
	exchange_sums(x, sums, ARRAY_SIZE(counts));
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		*counts[i] = sums[i];
	f->bytes_known = exchange_any(x, f->bytes_known);
}

/* The first of the rows becomes the most of all. */
static void take_mosts(struct walk *w, struct exchange *x)
{
	struct overview_facts *f = w->facts;
	const struct deviation *d;
	const struct spanned *c;

	exchange_rows(x, &w->deviations);
	vec_each (d, &w->deviations)
		note_deviation(w, d);
	exchange_rows(x, &w->slowest);
	vec_each (c, &w->slowest)
		note_slowest(w, c);
	if (w->deviations.n) {
		f->top_location = w->deviations.data->location;
		f->top_location_time = w->deviations.data->time;
	}
	if (w->slowest.n) {
		f->slowest_time = w->slowest.data->time;
		f->slowest_region = w->slowest.data->region;
		f->slowest_members = w->slowest.data->members;
	}
	f->largest = (uint64_t)exchange_latest(x, (int64_t)f->largest);
	f->worst_reversed = exchange_latest(x, f->worst_reversed);
}

/* Chooses the locations whose time counts; leaves the choice as it is if that is all of them, or
 * none. The caller owns the list. */
static uint32_t *counted_locations(const struct query *query, struct query *chosen)
{
	const uint32_t n = query_location_count(query);
	uint32_t *list = xmalloc((n + 1) * sizeof *list);
	uint32_t counted = 0;

	for (uint32_t i = 0; i < n; i++)
		if (location_runs_code(trace_location(query->trace, query_location(query, i))))
			list[counted++] = query_location(query, i);
	if (counted && counted < n) {
		chosen->locations = list;
		chosen->n_locations = counted;
	}
	return list;
}

static void make(struct overview_facts *f, const struct query *query)
{
	const struct trace *trace = query->trace;
	struct walk w = { .facts = f, .query = query };
	/* The overview covers everything in the window: a filter chooses rows of tables only. */
	struct query unfiltered = *query;
	uint32_t *list = counted_locations(query, &unfiltered);

	*f = (struct overview_facts){ .locations = query_location_count(&unfiltered),
				      .top_location = UINT32_MAX,
				      .slowest_region = UINT32_MAX };
	unfiltered.filter = NULL;
	w.query = &unfiltered;
	for (size_t i = 0; i < ARRAY_SIZE(f->top); i++)
		f->top[i] = UINT32_MAX;
	query_span(query, &f->t0, &f->t1);
	f->whole = (__int128)(f->t1 - f->t0) * f->locations;
	w.is_top = xcalloc(trace_callpath_count(trace), sizeof *w.is_top);
	add_classes(f, &unfiltered);
	add_regions(f, &unfiltered);
	mark_top(&w);
	walk_locations(&w);
	messages_collect(&unfiltered, add_message, &w);
	collectives_collect(&unfiltered, add_collective, &w);
	add_shared(&w);
	walk_others(&w, query);
	add_copies(f, query);
	device_facts_make(&f->devices, query);
	share_sums(f, trace_exchange(trace));
	take_mosts(&w, trace_exchange(trace));
	vec_fini(&w.deviations);
	vec_fini(&w.slowest);
	free_all(w.is_top, list);
}

/* Whether kept facts can be of the trace. */
static bool holds(const struct overview_facts *f, const struct trace *trace)
{
	const uint32_t regions = trace_region_count(trace);
	bool ok =
		f->locations <= trace_location_count(trace) &&
		(f->top_location == UINT32_MAX || f->top_location < trace_location_count(trace)) &&
		(f->slowest_region == UINT32_MAX || f->slowest_region < regions) &&
		(f->devices.idlest == UINT32_MAX ||
		 f->devices.idlest < trace_location_count(trace)) &&
		(f->devices.top == UINT32_MAX || f->devices.top < regions) &&
		*(const unsigned char *)&f->bytes_known <= 1;

	for (size_t i = 0; i < 3; i++)
		ok = ok && (f->top[i] == UINT32_MAX || f->top[i] < regions);
	return ok;
}

void overview_facts_make(struct overview_facts *f, const struct query *query)
{
	static const char name[] = "overview facts";
	/* Only facts of the whole run are kept: they are requested first and most often. */
	const bool whole = query_is_all(query);

	if (whole && keep_get(query->trace, name, query->base, f, sizeof *f) &&
	    holds(f, query->trace))
		return;
	make(f, query);
	if (whole && !query_stopped(query))
		keep_of_base(query->trace, name, query->base, f, sizeof *f);
}

void overview_prepare_with(struct trace *trace, const struct progress *progress)
{
	struct overview_facts facts;
	const struct query query = { .trace = trace,
				     .base = trace_default_base(trace),
				     .t0 = INT64_MIN,
				     .t1 = INT64_MAX,
				     .progress = progress };

	if (trace_base_make(trace, query.base, progress, NULL))
		overview_facts_make(&facts, &query);
}

void overview_prepare(struct trace *trace)
{
	overview_prepare_with(trace, NULL);
	diagnosis_prepare(trace, trace_default_base(trace));
	sizes_prepare(trace, trace_default_base(trace));
}
