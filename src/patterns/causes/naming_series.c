/* What locations did in each iteration. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/jobs.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/select.h"
#include "model/trace/core_wait.h"
#include "model/trace/halo.h"
#include "model/trace/message.h"
#include "model/trace/visit_walk.h"
#include "patterns/causes/core_parts.h"

/* Cells of all locations together: of more, several iterations share one. */
enum { CELLS_MOST = 1 << 20, CELLS_LEAST = 8, BINS = 1 << 16 };

/* ---- which iterations are in the window ---- */

/* A thread has the iterations of its process. */
static const int64_t *begins_of(const struct naming *m, uint32_t location)
{
	const int64_t *begin = iterations_of(m->iterations, location);
	const int32_t rank = trace_location(m->trace, location)->rank;
	const uint32_t first =
		begin || rank < 0 ? location : trace_location_of_rank(m->trace, rank);

	return first == UINT32_MAX ? NULL : iterations_of(m->iterations, first);
}

/* The first and last iteration that all locations have whole in the window, [*first, *end). */
static void iterations_in(const struct naming *m, uint32_t *first, uint32_t *end)
{
	const struct iteration_level *level = iterations_main(m->iterations);
	int64_t from = 0, to = level ? level->n : 0;

	for (uint32_t l = 0; level && l < m->series.locations; l++) {
		const int64_t *begin = iterations_of(m->iterations, l);
		for (; begin && from < level->n && begin[from] < m->t0; from++)
			;
		for (; begin && to > 0 && begin[to] > m->t1; to--)
			;
	}
	*first = (uint32_t)exchange_latest(trace_exchange(m->trace), from);
	*end = (uint32_t)-exchange_latest(trace_exchange(m->trace), -to);
	if (*end < *first)
		*end = *first;
}

static double median_length(const struct naming *m, uint32_t first, uint32_t end)
{
	struct exchange *x = trace_exchange(m->trace);
	OWNED_VEC(int64_t) lengths = VEC_INIT;

	for (uint32_t l = 0; l < m->series.locations; l++) {
		const int64_t *begin = iterations_of(m->iterations, l);
		for (uint32_t k = first; begin && k < end; k++)
			vec_push(&lengths, begin[k + 1] - begin[k]);
	}
	const uint64_t n = exchange_count(x, lengths.n);
	return n ? (double)select_nth(x, lengths.data, lengths.n, n / 2) : 0;
}

/* ---- the walk ---- */

struct series_walk {
	struct naming *m;
	uint32_t first, end; /* iterations */
	int64_t *waited;     /* [locations][2] ticks: for a core, of so many */
	atomic_bool stopped;
	atomic_uint done;
};

/* Cell of a time; times come in order: *cell is where the last one was. */
static uint32_t cell_at(const struct series_walk *w, const int64_t *begin, uint32_t *iteration,
			int64_t t)
{
	if (!begin)
		return 1;
	while (*iteration <= w->end && begin[*iteration] <= t)
		++*iteration;
	/* *iteration is the first that begins later: one beyond that of t. */
	if (*iteration == w->first)
		return 0;
	if (*iteration > w->end)
		return w->m->series.cells - 1;
	return 1 + (*iteration - 1 - w->first) / w->m->series.each;
}

static uint64_t bytes_of(const struct trace *trace, uint32_t row)
{
	const struct message *m =
		row < trace_message_count(trace) ? trace_message(trace, row) : NULL;

	return m && !(m->flags & (MSG_CANCELLED | MSG_NO_BYTES)) ? message_bytes(m) : 0;
}

/* Time and visits of the call paths that made a stream of a device late (stream_idle.h). */
static void walk_idle(const struct series_walk *w, uint32_t location)
{
	const struct naming *m = w->m;
	const struct cause_series *s = &m->series;
	const int64_t *begin = s->iterating ? begins_of(m, location) : NULL;
	struct idle_walk idle = stream_idle_walk(m->causes->idle, location, m->t0);
	uint32_t iteration = w->first;

	for (; idle.at < idle.end && idle.at->from < m->t1; idle.at++) {
		const uint8_t group = m->group_of[idle.at->path];
		const int64_t from = idle_from(idle.at, m->t0);
		if (group == NO_GROUP)
			continue;
		const size_t at =
			series_at(s, group, location) + cell_at(w, begin, &iteration, from);
		s->time[at] += idle_to(idle.at, m->t1) - from;
		s->visits[at] += idle.at->enters;
	}
}

static void walk_location(const struct series_walk *w, uint32_t location)
{
	const struct naming *m = w->m;
	const struct cause_series *s = &m->series;
	const int64_t *begin = s->iterating ? begins_of(m, location) : NULL;
	uint32_t iteration = w->first;
	ENDED_BY(core_parts_fini) struct core_parts parts;
	struct core_wait wait;
	struct core_walk core;
	struct visit_walk v;

	core_parts_init(&parts);
	core_walk_begin(&core, m->trace);
	for (bool ok = visit_walk_begin(&v, m->trace, m->base, location, m->t0, m->t1); ok;
	     ok = visit_walk_next(&v)) {
		const uint8_t group = m->group_of[v.path], next = m->group_of[v.next];
		const bool spoils = m->plain.sampled && m->plain.unrecorded[v.path];

		/* Most stretches are in no group: where they are is not asked for. */
		if ((group != NO_GROUP || spoils) && v.traced && v.to > v.from) {
			const uint32_t cell = cell_at(w, begin, &iteration, v.from);
			if (group != NO_GROUP) {
				const size_t at = series_at(s, group, location) + cell;
				s->time[at] += v.to - v.from;
				if (s->core)
					core_parts_add(&parts, group, at, v.to - v.from);
			}
			if (spoils)
				s->spoiled[(size_t)location * s->cells + cell] = 1;
		}
		if (s->core && group == NO_GROUP && v.traced && v.to > v.from)
			core_parts_add(&parts, GROUPS, 0, v.to - v.from);
		switch (core_walk_step(&core, &v, &wait)) {
		case CORE_WALK_ON:
		case CORE_WALK_MPI: break;
		case CORE_WALK_BEGIN: core_parts_end(&parts, -1); break;
		case CORE_WALK_WAIT: core_parts_end(&parts, wait.ticks); break;
		}
		if (next == NO_GROUP || v.at_end)
			continue;
		const enum event_kind kind = visit_walk_kind(&v);
		if (kind != EV_ENTER && kind != EV_SEND && kind != EV_RECV)
			continue;
		const uint32_t cell = cell_at(w, begin, &iteration, v.time);
		if (kind == EV_ENTER)
			s->visits[series_at(s, next, location) + cell] += !m->plain.hidden[v.next];
		else if (cell > 0 && cell + 1 < s->cells)
			s->bytes[(size_t)next * s->locations + location] +=
				bytes_of(m->trace, what_id(v.what));
	}
	if (s->core) {
		core_parts_take(&parts, s->time, s->core);
		w->waited[2 * location] = core.waited;
		w->waited[2 * location + 1] = core.of;
	}
}

/* Takes the waiting at a point off, in the cell in which it begins. Polling is in several call
 * paths. */
static void subtract_wait(const struct naming *m, uint32_t location, const struct point *p,
			  uint32_t cell, struct path_sheet *sheet)
{
	const struct cause_series *s = &m->series;
	const int64_t end = p->en + p->w;

	path_sheet_clear(sheet);
	if (p->cls == DELAY_POLLING)
		intervals_walk(m->causes->intervals, location, p->en > m->t0 ? p->en : m->t0,
			       end < m->t1 ? end : m->t1, 1, sheet);
	else
		path_sheet_add(sheet, p->path,
			       delay_inside(m->causes->analysis, location, p, m->t0, m->t1));
	for (uint32_t i = 0; i < sheet->n; i++) {
		const uint8_t group = m->group_of[sheet->touched[i]];
		if (group != NO_GROUP)
			s->time[series_at(s, group, location) + cell] -=
				sheet->of[sheet->touched[i]];
	}
}

static void subtract_waits(const struct series_walk *w, uint32_t location)
{
	const struct naming *m = w->m;
	const int64_t *begin = m->series.iterating ? begins_of(m, location) : NULL;
	const struct location_points *points = &m->causes->points->of[location];
	struct path_sheet sheet;

	path_sheet_init(&sheet, m->plain.n);
	for (size_t i = 1; i < points->n; i++) {
		const struct point *p = &points->data[i];
		uint32_t low = w->first, high = w->end + 1;
		if (p->w <= 0 || (p->cls != DELAY_POLLING && m->group_of[p->path] == NO_GROUP))
			continue;
		/* They do not begin in their order. */
		if (begin)
			BISECT(low, high, middle, begin[middle] <= p->en);
		subtract_wait(m, location, p, cell_at(w, begin, &low, p->en), &sheet);
	}
	path_sheet_fini(&sheet);
}

static void walk(void *context, unsigned worker, size_t location)
{
	struct series_walk *w = context;
	const unsigned done = atomic_fetch_add(&w->done, 1u) + 1u;

	if (worker == 0 && !progress_wanted(w->m->progress, "comparing ranks by iteration", done,
					    w->m->series.locations))
		atomic_store(&w->stopped, true);
	if (atomic_load(&w->stopped) || !w->m->series.active[location] ||
	    !trace_has_location(w->m->trace, (uint32_t)location))
		return;
	walk_location(w, (uint32_t)location);
	walk_idle(w, (uint32_t)location);
	subtract_waits(w, (uint32_t)location);
}

/* Which locations do anything, and have iterations. */
static void find_there(struct naming *m)
{
	struct cause_series *s = &m->series;
	OWNED double *time = xcalloc((size_t)s->locations + 1, sizeof *time);
	OWNED uint64_t *has = xcalloc(2 * (size_t)s->locations + 1, sizeof *has);

	s->active = xcalloc((size_t)s->locations + 1, sizeof *s->active);
	s->there = xcalloc((size_t)s->locations + 1, sizeof *s->there);
	s->stream = xcalloc((size_t)s->locations + 1, sizeof *s->stream);
	cube_by_location(m->cube, CUBE_EXECUTION, 0, true, time);
	for (uint32_t l = 0; l < s->locations; l++) {
		has[l] = trace_has_location(m->trace, l) && time[l] > 0;
		s->stream[l] = trace_location(m->trace, l)->type == LOCATION_ACCELERATOR;
		has[s->locations + l] = has[l] && (!s->iterating || begins_of(m, l)) &&
					(!s->stream[l] || stream_idle_has(m->causes->idle, l));
	}
	exchange_sums(trace_exchange(m->trace), has, 2 * (size_t)s->locations);
	for (uint32_t l = 0; l < s->locations; l++) {
		s->active[l] = has[l] > 0;
		s->there[l] = has[s->locations + l] > 0;
	}
}

/* `waited` [locations][2] ticks: for a core, of so many. */
static void find_own(struct cause_series *s, const int64_t *waited)
{
	double without = 0, all = 0;

	for (uint32_t l = 0; l < s->locations; l++) {
		without += (double)waited[2 * (size_t)l];
		all += (double)waited[2 * (size_t)l + 1];
	}
	s->own = all > 0 ? 1 - without / all : 1;
}

bool naming_series(struct naming *m)
{
	struct exchange *x = trace_exchange(m->trace);
	struct cause_series *s = &m->series;
	struct series_walk w = { .m = m };
	size_t room = CELLS_MOST / (s->locations ? s->locations : 1u);
	size_t n;

	iterations_in(m, &w.first, &w.end);
	s->iterating = w.end > w.first + 2;
	s->n = s->iterating ? w.end - w.first : 1;
	s->before = s->iterating ? w.first : 0;
	s->of_run = s->iterating ? iterations_main(m->iterations)->n : 0;
	n = s->n;
	if (room < CELLS_LEAST)
		room = CELLS_LEAST;
	s->each = 1;
	while ((n - 1) / s->each >= room)
		s->each++;
	s->cells = (uint32_t)((n - 1) / s->each) + 3;
	s->length = s->iterating ? s->each * median_length(m, w.first, w.end)
				 : m->core / (s->locations ? s->locations : 1);
	find_there(m);
	n = (size_t)m->n_groups * s->locations * s->cells;
	s->time = xcalloc(n + 1, sizeof *s->time);
	s->visits = xcalloc(n + 1, sizeof *s->visits);
	s->bytes = xcalloc((size_t)m->n_groups * s->locations + 1, sizeof *s->bytes);
	s->spoiled = xcalloc((size_t)s->locations * s->cells + 1, sizeof *s->spoiled);
	if (trace_core_wait_set(m->trace) != UINT32_MAX)
		s->core = xcalloc(n + 1, sizeof *s->core);
	OWNED int64_t *waited = xcalloc(2 * (size_t)s->locations + 1, sizeof *waited);
	w.waited = waited;
	jobs_run(m->jobs, s->locations, walk, &w);
	if (exchange_any(x, atomic_load(&w.stopped)))
		return false;
	exchange_ticks(x, s->time, n);
	if (s->core)
		exchange_ticks(x, s->core, n);
	exchange_ticks(x, waited, 2 * (size_t)s->locations);
	find_own(s, waited);
	exchange_sums(x, s->visits, n);
	exchange_sums(x, s->bytes, (size_t)m->n_groups * s->locations);
	exchange_sums(x, s->spoiled, (size_t)s->locations * s->cells);
	return true;
}

/* ---- overlap ---- */

/* Time in a group by bins of the run's time. */
struct overlap_bins {
	int64_t from, width;
	uint64_t in[BINS]; /* locations */
	int64_t ticks[BINS];
};

static void add_stretch(struct overlap_bins *b, int64_t from, int64_t to, uint32_t *last)
{
	while (from < to) {
		const uint32_t bin = (uint32_t)((from - b->from) / b->width);
		const int64_t end = b->from + ((int64_t)bin + 1) * b->width;
		const int64_t until = end < to ? end : to;
		b->ticks[bin] += until - from;
		b->in[bin] += *last != bin;
		*last = bin;
		from = until;
	}
}

double naming_overlap(const struct naming *m, unsigned group)
{
	struct exchange *x = trace_exchange(m->trace);
	OWNED struct overlap_bins *b = xcalloc(1, sizeof *b);
	double all = 0, shared = 0;
	int64_t begin, end;
	struct visit_walk v;

	trace_span(m->trace, m->base, &begin, &end);
	b->from = begin > m->t0 ? begin : m->t0;
	b->width = ((end < m->t1 ? end : m->t1) - b->from) / (BINS - 1) + 1;
	for (uint32_t l = 0; l < m->series.locations; l++) {
		uint32_t last = UINT32_MAX;
		if (!m->series.active[l] || !trace_has_location(m->trace, l))
			continue;
		for (bool ok = visit_walk_begin(&v, m->trace, m->base, l, m->t0, m->t1); ok;
		     ok = visit_walk_next_change(&v))
			if (v.traced && m->group_of[v.path] == group)
				add_stretch(b, v.from, v.to, &last);
	}
	exchange_sums(x, b->in, BINS);
	exchange_ticks(x, b->ticks, BINS);
	for (uint32_t i = 0; i < BINS; i++) {
		all += (double)b->ticks[i];
		shared += b->in[i] > 1 ? (double)b->ticks[i] : 0;
	}
	return all > 0 ? shared / all : 1;
}
