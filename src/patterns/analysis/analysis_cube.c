/* The cube of a window: times and counts by a walk over its events, and the part of each wait that
 * is in it. */
#include "base/jobs.h"
#include "base/order.h"
#include "patterns/analysis/analysis_state.h"

struct cube_window {
	struct stage stage;
	struct cube *cube;
	int64_t t0, t1;
	unsigned parts;
	struct window_sums *sums[JOBS_MOST]; /* a worker's */
};

static void add_wait(const struct cube_window *w, uint32_t location, const struct wait_part *part)
{
	const int64_t from = part->begin > w->t0 ? part->begin : w->t0;
	const int64_t to = part->end < w->t1 ? part->end : w->t1;

	if (to <= from)
		return;
	cube_add(w->cube, (enum cube_metric)part->metric, part->path, location,
		 (double)(to - from));
	if (part->flags & WAIT_WRONG_ORDER)
		cube_add(w->cube,
			 part->flags & WAIT_SAME_SOURCE ? CUBE_MPI_LSWO_SAME
							: CUBE_MPI_LSWO_DIFFERENT,
			 part->path, location, (double)(to - from));
}

static void add_waits(const struct cube_window *w, uint32_t location)
{
	const struct analysis *a = w->stage.analysis;
	const struct location_findings *place = &a->places[location];
	const struct wait_parts *parts = &place->parts;

	if (place->cut) {
		for (size_t i = wait_parts_at(parts, w->t0);
		     i < parts->n && parts->data[i].begin < w->t1; i++)
			add_wait(w, location, &parts->data[i]);
		return;
	}
	for (size_t i = analysis_wait_at(a, location, w->t0); i < place->n; i++) {
		const struct wait *wait = &place->waits[i];
		if (wait->begin >= w->t1)
			break;
		add_wait(w, location,
			 &(struct wait_part){ wait->begin, wait->begin + wait->length, wait->path,
					      wait->metric, wait->flags });
	}
}

static void add_marks(const struct cube_window *w, uint32_t location)
{
	const struct location_findings *place = &w->stage.analysis->places[location];
	size_t low = 0, high = place->marks.n;

	BISECT(low, high, middle, place->marks.data[middle].time < w->t0);
	for (; low < place->marks.n && place->marks.data[low].time < w->t1; low++) {
		const struct metric_mark *mark = &place->marks.data[low];
		cube_add(w->cube, (enum cube_metric)mark->metric, mark->path, location,
			 mark->amount);
	}
}

static void add_location(void *context, unsigned worker, size_t location)
{
	struct stage *stage = context;
	struct cube_window *w = context; /* its first member */
	const uint32_t l = (uint32_t)location;

	if (!stage_step(stage, worker, location, trace_location_count(stage->analysis->trace)))
		return;
	if (w->parts & CUBE_TIMES) {
		if (!w->sums[worker])
			w->sums[worker] = window_sums_new(stage->analysis->trace);
		window_add(w->sums[worker], stage, worker, w->cube, l, w->t0, w->t1);
		add_marks(w, l);
	}
	if (w->parts & CUBE_WAITS)
		add_waits(w, l);
}

struct cube *analysis_cube(const struct analysis *a, int64_t t0, int64_t t1, unsigned parts,
			   const struct progress *progress, struct err *err)
{
	const struct progress whole = progress_whole(progress);
	struct cube_window w = { .stage = { .analysis = (struct analysis *)(uintptr_t)a,
					    .progress = &whole,
					    .what = "severities" },
				 .cube = cube_new(a->trace),
				 .t0 = t0,
				 .t1 = t1,
				 .parts = parts };
	bool ok;

	jobs_run(a->jobs, trace_location_count(a->trace), add_location, &w);
	for (unsigned i = 0; i < JOBS_MOST; i++)
		window_sums_free(w.sums[i]);
	ok = !w.stage.stopped;
	for (unsigned i = 0; ok && a->registry[i]; i++)
		if (a->registry[i]->add && w.parts & a->registry[i]->part)
			ok = a->registry[i]->add(w.stage.analysis, w.cube, t0, t1, &whole, err);
	if (!ok) {
		cube_free(w.cube);
		return NULL;
	}
	cube_settle(w.cube);
	for (unsigned i = 0; a->registry[i]; i++)
		if (a->registry[i]->add_settled && parts & CUBE_TIMES &&
		    parts & a->registry[i]->part)
			a->registry[i]->add_settled(w.cube);
	return w.cube;
}
