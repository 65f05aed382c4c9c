/* The profile of the visits that a filter lets pass, one by one: fields that definitions do not
 * decide (dur, time) are known of single visits only. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/sums/profile_sums.h"
#include "model/trace/gap.h"
#include "model/trace/visit_walk.h"

/* What metrics counted by rows, [rows * n] each. */
struct counts_sums {
	struct counters *counters;
	const uint32_t *metric; /* [n] */
	uint32_t n;
	struct fixed_pair *inclusive, *exclusive;
};

/* A location's series of a metric, and where it was read last. */
struct counted {
	const struct counter_series *series; /* NULL: the location has none */
	size_t near;
};

/* An open visit. */
struct visit {
	uint32_t event; /* that the filter is asked about: its enter, or its leave where the trace
			   has no enter; EVENT_NONE: neither */
	uint32_t row;
	int64_t enter; /* ticks */
	bool matches;
	bool counted; /* it matches and began in the window */
};

struct profile_walk {
	struct visit_walk v;
	struct gap_walk gaps;
	uint32_t location;
	const struct trace *trace;
	const struct filter *filter;
	enum time_base base;
	enum profile_key key;
	int64_t t0, t1;
	struct profile_row *rows;
	uint32_t *open; /* [row] matching visits on the stack */
	VEC(struct visit) stack;
	VEC(uint32_t) leaves;       /* [level] of the visits without enter, EVENT_NONE unknown */
	size_t counted;             /* visits on the stack */
	struct counts_sums *counts; /* NULL: only times are wanted */
	VEC(struct counted) of;     /* with them, each metric's */
};

static uint32_t row_of(const struct profile_walk *w, uint32_t path)
{
	return w->key == PROFILE_CALLPATH ? trace_callpath(w->trace, path)->canon
					  : trace_callpath_region(w->trace, path);
}

static void push(struct profile_walk *w, uint32_t path, uint32_t event, int64_t t)
{
	const struct visit visit = { .event = event, .row = row_of(w, path), .enter = t };

	vec_push(&w->stack, visit);
}

/* Adds what was counted in a span. */
static void count(const struct profile_walk *w, struct fixed_pair *sums, uint32_t row, int64_t t0,
		  int64_t t1)
{
	double sum, ticks;

	for (size_t k = 0; w->counts && k < w->of.n; k++)
		if (w->of.data[k].series &&
		    counter_span(w->of.data[k].series, t0, t1, &w->of.data[k].near, &sum, &ticks))
			fixed_pair_add(&sums[(size_t)row * w->counts->n + k], sum);
}

static bool matches(const struct profile_walk *w, uint32_t event)
{
	return !w->filter || (event != EVENT_NONE && filter_event(w->filter, w->base, event));
}

static void ask(struct profile_walk *w, struct visit *visit)
{
	visit->matches = matches(w, visit->event);
	visit->counted = visit->matches && visit->enter >= w->t0 && visit->enter < w->t1;
	w->open[visit->row] += visit->matches;
	w->counted += visit->counted;
}

static void end_visit(struct profile_walk *w, int64_t t)
{
	const struct visit visit = vec_pop(&w->stack);
	struct profile_row *row = &w->rows[visit.row];
	int64_t estimated;

	if (!visit.matches)
		return;
	w->counted -= visit.counted;
	estimated = gap_time_of_visit(w->trace, w->base, w->location, visit.enter, t);
	if (--w->open[visit.row] == 0) {
		if (w->counts)
			count(w, w->counts->inclusive, visit.row,
			      visit_walk_clip(&w->v, visit.enter), visit_walk_clip(&w->v, t));
		add_time(&row->inclusive,
			 visit_walk_clip(&w->v, t) - visit_walk_clip(&w->v, visit.enter));
		add_time(&row->estimated.inclusive, estimated);
	}
	if (visit.counted) {
		add_visits(row, 1, t - visit.enter, t - visit.enter, t - visit.enter);
		add_time(&row->estimated.visits, estimated);
	}
}

/* ---- up to the window ---- */

static void open_at_start(struct profile_walk *w)
{
	const uint32_t depth = trace_callpath(w->trace, w->v.path)->depth;
	OWNED uint32_t *chain = callpath_chain(w->trace, w->v.path);

	w->leaves.n = 0;
	vec_reserve(&w->leaves, depth);
	visit_walk_leaves(w->trace, w->v.c, w->leaves.data, depth);
	for (uint32_t d = 0; d < depth; d++)
		push(w, chain[d], w->leaves.data[d], w->v.time);
}

/* Goes to the first event of the window; what is open there is on the stack. The filter is not
 * asked about visits that end before. False where the location has no event from there on. */
static bool find_window(struct profile_walk *w, uint32_t location)
{
	if (!visit_walk_begin_all(&w->v, w->trace, w->base, location, w->t0, w->t1))
		return false;
	open_at_start(w);
	while (w->v.time < w->t0) {
		if (visit_walk_kind(&w->v) == EV_ENTER)
			push(w, w->v.next, w->v.c.id, w->v.time);
		else
			w->stack.n = trace_callpath(w->trace, w->v.next)->depth;
		if (!visit_walk_next(&w->v))
			return false;
	}
	for (size_t i = 0; i < w->stack.n; i++)
		ask(w, &w->stack.data[i]);
	return true;
}

/* ---- in the window ---- */

static void mark(struct profile_walk *w)
{
	const uint32_t site = what_id(w->v.what);

	if (w->key == PROFILE_REGION && w->v.time < w->t1 && matches(w, w->v.c.id))
		add_visits(&w->rows[trace_site(w->trace, site)->region], 1, 0, 0, 0);
}

static void pass_event(struct profile_walk *w)
{
	switch (visit_walk_kind(&w->v)) {
	case EV_ENTER:
		push(w, w->v.next, w->v.c.id, w->v.time);
		if (w->v.time < w->t1)
			ask(w, vec_last(&w->stack));
		break;
	case EV_LEAVE:
		while (w->stack.n > trace_callpath(w->trace, w->v.next)->depth)
			end_visit(w, w->v.time);
		break;
	case EV_MARK: mark(w); break;
	default: break;
	}
}

static void spend(struct profile_walk *w, uint32_t nth)
{
	struct profile_row *row = &w->rows[nth];
	const int64_t time = w->v.to - w->v.from;

	if (w->counts)
		count(w, w->counts->exclusive, nth, w->v.from, w->v.to);
	add_time(&row->exclusive, time);
	if (time > 0 && gap_walk_has(&w->gaps, w->v.from, w->v.to))
		add_time(&row->estimated.exclusive, time);
}

static void find_series(struct profile_walk *w, uint32_t location)
{
	w->of.n = 0;
	for (uint32_t k = 0; w->counts && k < w->counts->n; k++)
		vec_push(&w->of, ((struct counted){ counters_series(w->counts->counters, w->base,
								    location, w->counts->metric[k]),
						    0 }));
}

static void walk_location(struct profile_walk *w, uint32_t location)
{
	w->stack.n = 0;
	w->location = location;
	find_series(w, location);
	w->gaps = gap_walk_begin(w->trace, w->base, location, w->t0);
	if (!find_window(w, location))
		return;
	do {
		const struct visit *top = w->stack.n ? vec_last(&w->stack) : NULL;
		if (w->v.traced && top && top->matches)
			spend(w, top->row);
		/* After the window only the ends of visits that began in it matter. */
		if (w->v.time >= w->t1 && w->counted == 0)
			break;
		pass_event(w);
	} while (visit_walk_next(&w->v));
	while (w->stack.n > 0)
		end_visit(w, w->v.time);
}

static bool walk_all(struct profile_walk *w, struct profile *profile, const uint32_t *locations,
		     size_t n, const struct progress *progress)
{
	const size_t count = locations ? n : trace_location_count(w->trace);
	bool ok = true;

	profile->n = w->key == PROFILE_REGION ? trace_region_count(w->trace)
					      : trace_callpath_count(w->trace);
	profile->rows = w->rows = xcalloc(profile->n, sizeof *profile->rows);
	w->open = xcalloc(profile->n, sizeof *w->open);
	for (size_t i = 0; i < count && ok; i++) {
		const uint32_t location = locations ? locations[i] : (uint32_t)i;
		ok = progress_step(progress, "profile", i, count);
		if (ok && (!w->filter || filter_location(w->filter, location)))
			walk_location(w, location);
	}
	free(w->open);
	vec_fini(&w->leaves);
	vec_fini(&w->stack);
	vec_fini(&w->of);
	if (!ok)
		profile_fini(profile);
	return ok;
}

bool profile_make_visits(struct profile *profile, const struct trace *trace, enum time_base base,
			 enum profile_key key, const uint32_t *locations, size_t n, int64_t t0,
			 int64_t t1, const struct filter *filter, const struct progress *progress)
{
	struct profile_walk w = {
		.trace = trace, .filter = filter, .base = base, .key = key, .t0 = t0, .t1 = t1
	};

	return walk_all(&w, profile, locations, n, progress);
}

/* Each sum of all processes rounded once; its memory is then free. */
static double *take_values(struct fixed_pair *sums, size_t n, struct exchange *x)
{
	double *values = xcalloc(n + 1, sizeof *values);

	exchange_pairs(x, sums, n);
	for (size_t i = 0; i < n; i++)
		values[i] = fixed_pair_value(&sums[i]);
	free(sums);
	return values;
}

bool profile_counts_make(struct profile_counts *counts, struct counters *counters,
			 const struct trace *trace, enum time_base base, enum profile_key key,
			 const uint32_t *locations, size_t n, int64_t t0, int64_t t1,
			 const struct filter *filter, struct exchange *x,
			 const struct progress *progress)
{
	const uint32_t rows =
		key == PROFILE_REGION ? trace_region_count(trace) : trace_callpath_count(trace);
	const size_t cells = (size_t)rows * counts->n;
	struct counts_sums sums = { counters, counts->metric, counts->n,
				    xcalloc(cells + 1, sizeof *sums.inclusive),
				    xcalloc(cells + 1, sizeof *sums.exclusive) };
	struct profile_walk w = { .trace = trace,
				  .filter = filter,
				  .base = base,
				  .key = key,
				  .t0 = t0,
				  .t1 = t1,
				  .counts = &sums };
	struct profile times;
	const bool ok = walk_all(&w, &times, locations, n, progress);

	if (ok)
		profile_fini(&times);
	counts->rows = rows;
	counts->inclusive = take_values(sums.inclusive, cells, x);
	counts->exclusive = take_values(sums.exclusive, cells, x);
	if (!ok)
		profile_counts_fini(counts);
	return ok;
}

void profile_counts_fini(struct profile_counts *counts)
{
	free(counts->inclusive);
	free(counts->exclusive);
	counts->inclusive = counts->exclusive = NULL;
}
