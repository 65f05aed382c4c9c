/* The time of threads while no team uses them: omp_idle_threads and omp_limited_parallelism, and
 * what of it is outside the location's own events as time: a worker costs from the begin to the end
 * of its process. Idle are threads of a process that were in a team, while they are in none; of
 * that, limited parallelism while the process' first thread is in one. O(spans). */
#include <stdlib.h>

#include "model/trace/visit_walk.h"
#include "patterns/kinds/threads.h"

struct idle {
	const struct analysis *analysis;
	const struct trace *trace;
	enum time_base base;
	struct cube *cube;
	int64_t t0, t1; /* the window */
	uint32_t location;
	int64_t first, last; /* of the location's own events */
	const struct own_threads *master;
	size_t at; /* the master's span that may be next */
};

static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
	const int64_t from = a0 > b0 ? a0 : b0, to = a1 < b1 ? a1 : b1;

	return to > from ? to - from : 0;
}

/* How long the master was in a team in [from, to). Asked for ascending stretches. */
static int64_t master_in_team(struct idle *i, int64_t from, int64_t to)
{
	const struct own_threads *m = i->master;
	int64_t sum = 0;

	while (i->at < m->spans.n && m->spans.data[i->at].end <= from)
		i->at++;
	for (size_t k = i->at; k < m->spans.n && m->spans.data[k].begin < to; k++)
		sum += overlap(from, to, m->spans.data[k].begin, m->spans.data[k].end);
	return sum;
}

static void add_idle(struct idle *i, int64_t from, int64_t to, uint32_t path)
{
	cube_add(i->cube, CUBE_OMP_IDLE_THREADS, path, i->location, (double)(to - from));
	cube_add(i->cube, CUBE_OMP_LIMITED_PARALLELISM, path, i->location,
		 (double)master_in_team(i, from, to));
}

/* [from, to), in the call path, without its wait states. */
static void add_beside_waits(struct idle *i, int64_t from, int64_t to, uint32_t path)
{
	size_t n;
	const struct wait *waits = analysis_waits(i->analysis, i->location, &n);

	for (size_t k = analysis_wait_at(i->analysis, i->location, from); k < n; k++) {
		const struct wait *wait = &waits[k];
		if (wait->begin >= to)
			break;
		if (wait->path != path)
			continue;
		if (wait->begin > from)
			add_idle(i, from, wait->begin, path);
		if (wait->begin + wait->length > from)
			from = wait->begin + wait->length;
		if (from >= to)
			return;
	}
	add_idle(i, from, to, path);
}

/* What of [from, to) the location's own events leave in the call path, which is open around its
 * teams: a thread in any other one, or that waits, does something. Events in there are rare. */
static void add_recorded(struct idle *i, int64_t from, int64_t to, uint32_t path)
{
	struct visit_walk w;

	for (bool ok = visit_walk_begin(&w, i->trace, i->base, i->location, from, to); ok;
	     ok = visit_walk_next_change(&w))
		if (w.traced && w.to > w.from && trace_callpath(i->trace, w.path)->canon == path)
			add_beside_waits(i, w.from, w.to, path);
}

static void add_piece(struct idle *i, int64_t from, int64_t to, uint32_t path, bool idle,
		      bool recorded)
{
	if (from < i->t0)
		from = i->t0;
	if (to > i->t1)
		to = i->t1;
	if (to <= from)
		return;
	if (!recorded)
		cube_add(i->cube, CUBE_TIME, path, i->location, (double)(to - from));
	if (idle && recorded)
		add_recorded(i, from, to, path);
	else if (idle)
		add_idle(i, from, to, path);
}

/* [from, to) outside teams. Before the first and after the last event of the location no region is
 * open, and no other time covers it. */
static void add_stretch(struct idle *i, int64_t from, int64_t to, uint32_t path, bool idle)
{
	if (from < i->first)
		add_piece(i, from, to < i->first ? to : i->first, 0, idle, false);
	add_piece(i, from > i->first ? from : i->first, to < i->last ? to : i->last, path, idle,
		  true);
	if (to > i->last)
		add_piece(i, from > i->last ? from : i->last, to, 0, idle, false);
}

static void add_location(struct idle *i, const struct own_threads *own, int64_t begin, int64_t end)
{
	int64_t from = begin;
	uint32_t path = 0;

	for (size_t k = 0; k < own->spans.n; k++) {
		const struct team_span *span = &own->spans.data[k];
		const int64_t fork = span->fork > from ? span->fork : from;
		path = span->path;
		add_stretch(i, from, fork, path, true);
		add_stretch(i, fork, span->begin, path, false);
		if (span->end > from)
			from = span->end;
	}
	if (from < end)
		add_stretch(i, from, end, path, true);
}

static bool add_idle_threads(struct analysis *analysis, struct cube *cube, int64_t t0, int64_t t1,
			     const struct progress *progress, struct err *err)
{
	const enum time_base base = analysis_base(analysis);
	struct idle i = { .analysis = analysis,
			  .trace = analysis_trace(analysis),
			  .base = base,
			  .cube = cube,
			  .t0 = t0,
			  .t1 = t1 };
	OWNED uint32_t *masters = threads_masters(i.trace);

	(void)progress;
	(void)err;
	for (uint32_t l = 0; l < trace_location_count(i.trace); l++) {
		const struct own_threads *own = analysis_local(analysis, &threads_pattern, l);
		const uint32_t master = masters[l];
		struct cursor first, last, begin, end;
		if (!own->spans.n || master == l || !cursor_first(&begin, i.trace, base, master) ||
		    !cursor_last(&end, i.trace, base, master) ||
		    !cursor_first(&first, i.trace, base, l) ||
		    !cursor_last(&last, i.trace, base, l))
			continue;
		i.location = l;
		i.first = cursor_time(&first);
		i.last = cursor_time(&last);
		i.master = analysis_local(analysis, &threads_pattern, master);
		i.at = 0;
		add_location(&i, own, cursor_time(&begin), cursor_time(&end));
	}
	return true;
}

const struct pattern idle_threads_pattern = {
	.name = "idle threads",
	.part = CUBE_TIMES,
	.add = add_idle_threads,
};
