#include "ui/overview_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/keep.h"
#include "ui/view_common.h"

/* ---- time by class ---- */

static void add_classes(struct overview_facts *f, const struct query *query)
{
	const struct shading *shading = trace_class_shading(query->trace, query->base);
	uint64_t sums[SHADING_SLOTS];

	for (uint32_t i = 0; shading && i < f->locations; i++) {
		shading_window(shading, query_location(query, i), f->t0, f->t1, sums);
		for (int c = 0; c < CLASS_COUNT; c++)
			f->by_class[c] += sums[c];
	}
}

/* ---- regions ---- */

/* Starting and ending takes what it takes; it is told by itself, so that it does not hide where
 * the program spends its time. */
static bool is_start_or_end(const struct trace *trace, uint32_t region)
{
	static const char *const names[] = { "MPI_Init", "MPI_Init_thread", "MPI_Finalize", "open0",
					     "close0" };
	const char *name = trace_region_name(trace, region);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool counts_as_work(const struct trace *trace, uint32_t region)
{
	const uint8_t cls = trace_region(trace, region)->cls;

	return cls != CLASS_OVERHEAD && cls != CLASS_OUTSIDE && !is_start_or_end(trace, region);
}

static void add_regions(struct overview_facts *f, const struct query *query)
{
	struct profile profile;

	if (!profile_make(&profile, query->trace, query->base, PROFILE_REGION, query->locations,
			  f->locations, query->t0, query->t1, query->progress, NULL))
		return;
	f->in_no_region = f->whole - f->by_class[CLASS_OUTSIDE];
	for (uint32_t r = 0; r < profile.n; r++) {
		const int64_t exclusive = profile.rows[r].exclusive;
		size_t place = 0;
		f->in_no_region -= exclusive;
		if (is_start_or_end(query->trace, r))
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

/* ---- waiting ---- */

struct walk {
	struct overview_facts *facts;
	const struct query *query;
	bool *is_top;         /* [callpath]: its innermost region is the most expensive one */
	int64_t *region_wait; /* [region] */
	int64_t *waits;       /* [location], at collectives */
	bool *chosen;         /* [location] */
	VEC(struct frame) open;
};

/* An open call: when it was entered and how much of it has been found to be waiting. */
struct frame {
	int64_t enter;
	int64_t waited;
};

static void note_wait(struct waiting *wait, int64_t by)
{
	wait->sum += by;
}

static void note_location(struct waiting *wait, uint32_t location, int64_t sum)
{
	if (sum > 0 && (wait->location == UINT32_MAX || sum > wait->most)) {
		wait->location = location;
		wait->most = sum;
	}
}

/* A receive completes in the innermost open call: how long had it waited for the send to begin?
 * What earlier messages of the same call explain already does not count again. */
static int64_t late_sender(struct walk *w, struct frame *frame, uint32_t id, int64_t now,
			   uint32_t region)
{
	const struct trace *trace = w->query->trace;
	const struct message *m;
	int64_t send, wait, more;

	if (id >= trace_message_count(trace))
		return 0;
	m = trace_message(trace, id);
	if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
		return 0;
	send = trace_event_time(trace, w->query->base, m->send);
	wait = (send < now ? send : now) - frame->enter;
	more = wait - frame->waited;
	if (more <= 0)
		return 0;
	if (!frame->waited)
		w->facts->late_sender.count++;
	frame->waited = wait;
	w->region_wait[region] += more;
	note_wait(&w->facts->late_sender, more);
	return more;
}

enum { EVENTS_A_STEP = 1 << 15 };

/* Walks one location: time in the most expensive region, and waiting in its receives. */
static void walk_location(struct walk *w, uint32_t location, int64_t *top_time, int64_t *waited)
{
	const struct trace *trace = w->query->trace;
	const enum time_base base = w->query->base;
	struct overview_facts *f = w->facts;
	struct cursor c;
	uint32_t path;
	int64_t before = f->t0;

	*top_time = *waited = 0;
	w->open.n = 0;
	if (!cursor_seek(&c, trace, base, location, f->t0))
		return;
	path = cursor_path_before(&c);
	/* Calls entered before the window count from its start. */
	for (uint32_t d = 0; d <= trace_callpath(trace, path)->depth; d++)
		vec_push(&w->open, ((struct frame){ f->t0, 0 }));
	do {
		const int64_t now = cursor_time(&c);
		const uint32_t what = cursor_what(&c), id = what_id(what);
		if (now > f->t1 || now >= w->query->t1)
			break;
		if (++f->events % EVENTS_A_STEP == 0 && query_stopped(w->query))
			return;
		if (w->is_top[path])
			*top_time += now - before;
		before = now;
		if (what_kind(what) == EV_ENTER) {
			path = id;
			w->open.n = trace_callpath(trace, path)->depth;
			vec_push(&w->open, ((struct frame){ now, 0 }));
		} else if (what_kind(what) == EV_LEAVE) {
			path = trace_callpath(trace, id)->parent;
			w->open.n = trace_callpath(trace, path)->depth + 1;
		} else if (what_kind(what) == EV_RECV && path) {
			*waited += late_sender(w, vec_last(&w->open), id, now,
					       trace_callpath_region(trace, path));
		}
	} while (cursor_next(&c));
	if (w->is_top[path] && before < f->t1)
		*top_time += f->t1 - before;
}

static void find_region(struct waiting *wait, const int64_t *region_wait, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++)
		if (region_wait[r] > wait->region_sum) {
			wait->region_sum = region_wait[r];
			wait->region = r;
		}
}

static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

static void walk_locations(struct walk *w)
{
	const struct query *query = w->query;
	struct overview_facts *f = w->facts;
	const int64_t mean = f->locations && f->top[0] != UINT32_MAX
				     ? f->top_exclusive[0] / (int64_t)f->locations
				     : 0;
	int64_t most = -1;

	for (uint32_t i = 0; i < f->locations; i++) {
		const uint32_t location = query_location(query, i);
		int64_t top_time, waited;
		if (!progress_step(query->progress, "overview", i, f->locations))
			return;
		walk_location(w, location, &top_time, &waited);
		note_location(&f->late_sender, location, waited);
		if (distance(top_time, mean) > most) {
			most = distance(top_time, mean);
			f->top_location = location;
			f->top_location_time = top_time;
		}
	}
	find_region(&f->late_sender, w->region_wait, trace_region_count(query->trace));
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
	f->messages++;
	f->guessed += (m->flags & MSG_GUESSED) != 0;
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
	by = trace_event_time(w->query->trace, w->query->base, m->send) -
	     trace_event_time(w->query->trace, w->query->base, m->recv);
	f->reversed += by > 0;
	if (by > f->worst_reversed)
		f->worst_reversed = by;
	return true;
}

/* ---- collectives ---- */

/* Operations that nobody can leave before everybody has come. */
static bool waits_for_all(const char *name)
{
	static const char *const names[] = {
		"MPI_Barrier",    "MPI_Allreduce",      "MPI_Allgather",
		"MPI_Allgatherv", "MPI_Alltoall",       "MPI_Alltoallv",
		"MPI_Alltoallw",  "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
		"barrier0",       "clocksync0",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void add_collective_waits(struct walk *w, const struct collective *c)
{
	const struct trace *trace = w->query->trace;
	const enum time_base base = w->query->base;
	int64_t last = INT64_MIN;

	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = trace_member(trace, c->first + i);
		if (m->begin != EVENT_NONE && trace_event_time(trace, base, m->begin) > last)
			last = trace_event_time(trace, base, m->begin);
	}
	for (uint32_t i = 0; i < c->members; i++) {
		const struct member *m = trace_member(trace, c->first + i);
		int64_t begin, until = last;
		if (m->begin == EVENT_NONE || m->end == EVENT_NONE ||
		    !w->chosen[trace_event_location(trace, m->begin)])
			continue;
		begin = trace_event_time(trace, base, m->begin);
		if (trace_event_time(trace, base, m->end) < until)
			until = trace_event_time(trace, base, m->end);
		if (until <= begin)
			continue;
		w->waits[trace_event_location(trace, m->begin)] += until - begin;
		w->region_wait[c->region] += until - begin;
		w->facts->collective.count++;
	}
}

static void add_collective(void *context, uint32_t id, const struct collective *c)
{
	struct walk *w = context;
	struct overview_facts *f = w->facts;
	int64_t begin, end;

	f->collectives++;
	f->incomplete += (c->flags & COLL_INCOMPLETE) != 0;
	collective_span(w->query->trace, w->query->base, c, &begin, &end);
	if (f->slowest == UINT32_MAX || end - begin > f->slowest_time) {
		f->slowest = id;
		f->slowest_time = end - begin;
	}
	if (c->members > 1 && waits_for_all(trace_region_name(w->query->trace, c->region)))
		add_collective_waits(w, c);
}

static void add_collectives(struct walk *w)
{
	const struct query *query = w->query;
	struct overview_facts *f = w->facts;

	memset(w->region_wait, 0, trace_region_count(query->trace) * sizeof *w->region_wait);
	collectives_collect(query, add_collective, w);
	for (uint32_t i = 0; i < f->locations; i++) {
		const uint32_t location = query_location(query, i);
		note_location(&f->collective, location, w->waits[location]);
		note_wait(&f->collective, w->waits[location]);
	}
	find_region(&f->collective, w->region_wait, trace_region_count(query->trace));
}

static void make(struct overview_facts *f, const struct query *query)
{
	const struct trace *trace = query->trace;
	struct walk w = { .facts = f, .query = query };
	/* The overview is of everything in the window: a filter chooses rows of tables. */
	struct query unfiltered = *query;

	*f = (struct overview_facts){ .locations = query_location_count(query),
				      .top_location = UINT32_MAX,
				      .slowest = UINT32_MAX };
	unfiltered.filter = NULL;
	w.query = &unfiltered;
	for (size_t i = 0; i < ARRAY_SIZE(f->top); i++)
		f->top[i] = UINT32_MAX;
	f->late_sender.location = f->late_sender.region = UINT32_MAX;
	f->collective.location = f->collective.region = UINT32_MAX;
	query_span(query, &f->t0, &f->t1);
	f->whole = (__int128)(f->t1 - f->t0) * f->locations;
	w.is_top = xcalloc(trace_callpath_count(trace), sizeof *w.is_top);
	w.region_wait = xcalloc(trace_region_count(trace), sizeof *w.region_wait);
	w.chosen = query_chosen(query);
	w.waits = xcalloc(trace_location_count(trace), sizeof *w.waits);
	add_classes(f, &unfiltered);
	add_regions(f, &unfiltered);
	mark_top(&w);
	walk_locations(&w);
	messages_collect(&unfiltered, add_message, &w);
	add_collectives(&w);
	free(w.is_top);
	free(w.region_wait);
	free(w.waits);
	free(w.chosen);
	vec_fini(&w.open);
}

/* What is asked for first, and most: the whole run of all locations. */
static bool is_whole(const struct query *query)
{
	int64_t t0, t1;

	trace_span(query->trace, query->base, &t0, &t1);
	return !query->locations && query->t0 <= t0 && query->t1 > t1;
}

void overview_facts_make(struct overview_facts *f, const struct query *query)
{
	static const char name[] = "overview";
	const bool whole = is_whole(query);

	if (whole && keep_get(query->trace, name, query->base, f, sizeof *f))
		return;
	make(f, query);
	if (whole && !query_stopped(query))
		keep_put(query->trace, name, query->base, f, sizeof *f);
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
}
