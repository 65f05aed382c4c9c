#include "patterns/causes/interval.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"

enum { FAN_OUT = 16, LEVELS = 9 };

/* Sums: those of node i are rows first[i] .. first[i + 1] - 1. */
struct level {
	size_t n; /* nodes */
	size_t *first;
	VEC(uint32_t) paths;
	VEC(int64_t) ticks;
};

/* From this time on a location is traced, or not. */
struct toggle {
	int64_t time;
	bool on;
};

struct location_sums {
	struct level levels[LEVELS]; /* 0: stretches; each next of FAN_OUT of the one below */
	int64_t *waited;             /* [points + 1] at the points before */
	VEC(struct toggle) toggles;
};

struct intervals {
	const struct trace *trace;
	enum time_base base;
	const struct points *points;
	const struct progress *progress;
	struct location_sums *of;
	atomic_bool stopped;
	atomic_uint done;
};

struct making {
	struct intervals *intervals;
	struct path_sheet sheets[JOBS_MOST]; /* of a worker each */
};

/* ---- sheets ---- */

void path_sheet_init(struct path_sheet *s, uint32_t paths)
{
	s->of = xcalloc((size_t)paths + 1, sizeof *s->of);
	s->is = xcalloc((size_t)paths + 1, sizeof *s->is);
	s->touched = xmalloc(((size_t)paths + 1) * sizeof *s->touched);
	s->n = 0;
}

void path_sheet_fini(struct path_sheet *s)
{
	free(s->of);
	free(s->is);
	free(s->touched);
}

void path_sheet_clear(struct path_sheet *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		s->of[s->touched[i]] = 0;
		s->is[s->touched[i]] = false;
	}
	s->n = 0;
}

/* ---- walking ---- */

/* Time goes to the call path that is open; none between two traced spans. */
struct walker {
	const struct trace *trace;
	struct path_sheet *sheet;
	int sign;
	uint32_t path; /* open, canonical */
	bool traced;
	int64_t time; /* up to here it has been given out */
};

static void walker_spend(struct walker *w, int64_t t)
{
	if (t > w->time && w->traced)
		path_sheet_add(w->sheet, w->path, w->sign * (t - w->time));
	if (t > w->time)
		w->time = t;
}

static void walker_event(struct walker *w, uint32_t what)
{
	switch (what_kind(what)) {
	case EV_ENTER: w->path = trace_callpath(w->trace, what_id(what))->canon; break;
	case EV_LEAVE:
		w->path = trace_callpath(w->trace, trace_callpath(w->trace, what_id(what))->parent)
				  ->canon;
		break;
	case EV_TRACING_ON: w->traced = true; break;
	case EV_TRACING_OFF: w->traced = false; break;
	default: break;
	}
}

/* Is the location traced just before an event at this time, or behind those before it? */
static bool traced_at(const struct location_sums *sums, int64_t t)
{
	size_t low = 0, high = sums->toggles.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (sums->toggles.data[middle].time < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 || sums->toggles.data[low - 1].on;
}

/* What is left without having been entered was open from the first event on. */
static uint32_t open_at_start(const struct cursor *first)
{
	return trace_callpath(first->trace, first->block->path)->canon;
}

void intervals_walk(const struct intervals *iv, uint32_t location, int64_t t0, int64_t t1, int sign,
		    struct path_sheet *sheet)
{
	struct walker w = { .trace = iv->trace, .sheet = sheet, .sign = sign, .traced = true };
	struct cursor c;

	if (t0 >= t1 || !cursor_first(&c, iv->trace, iv->base, location))
		return;
	w.time = cursor_time(&c);
	w.path = open_at_start(&c);
	if (w.time < t0) {
		if (!cursor_seek(&c, iv->trace, iv->base, location, t0))
			return;
		w.time = t0;
		w.path = trace_callpath(iv->trace, cursor_path_before(&c))->canon;
		w.traced = traced_at(&iv->of[location], t0);
	}
	bool more = true;
	for (; more && cursor_time(&c) < t1; more = cursor_next(&c)) {
		walker_spend(&w, cursor_time(&c));
		walker_event(&w, cursor_what(&c));
	}
	if (more)
		walker_spend(&w, t1);
}

/* ---- making ---- */

static void level_begin(struct level *level, size_t nodes)
{
	level->n = nodes;
	level->first = xcalloc(nodes + 1, sizeof *level->first);
}

/* What is on the sheet becomes the next node's sums. */
static void level_put(struct level *level, size_t node, struct path_sheet *sheet)
{
	for (uint32_t i = 0; i < sheet->n; i++) {
		const uint32_t path = sheet->touched[i];
		if (sheet->of[path] == 0)
			continue;
		vec_push(&level->paths, path);
		vec_push(&level->ticks, sheet->of[path]);
	}
	level->first[node + 1] = level->paths.n;
	path_sheet_clear(sheet);
}

static void level_add(const struct level *level, size_t node, struct path_sheet *sheet)
{
	for (size_t i = level->first[node]; i < level->first[node + 1]; i++)
		path_sheet_add(sheet, level->paths.data[i], level->ticks.data[i]);
}

/* The stretch of point i goes from the enter of its call to that of the next point's; it ends where it
 * begins where both are in one call. */
static void make_stretches(const struct intervals *iv, uint32_t location, struct path_sheet *sheet)
{
	const struct location_points *points = &iv->points->of[location];
	struct level *level = &iv->of[location].levels[0];
	struct walker w = { .trace = iv->trace, .sheet = sheet, .sign = 1, .traced = true };
	struct cursor c;
	size_t i = 0;
	uint64_t at = 0;
	bool more = cursor_first(&c, iv->trace, iv->base, location);

	w.time = more ? cursor_time(&c) : 0;
	w.path = more ? open_at_start(&c) : 0;
	level_begin(level, points->n);
	for (; more; more = cursor_next(&c), at++) {
		walker_spend(&w, cursor_time(&c));
		while (i + 1 < points->n && points->data[i + 1].enter <= at) {
			if (points->data[i].w != 0)
				path_sheet_add(sheet, points->data[i].path, -points->data[i].w);
			level_put(level, i++, sheet);
		}
		walker_event(&w, cursor_what(&c));
		if (what_kind(cursor_what(&c)) == EV_TRACING_ON ||
		    what_kind(cursor_what(&c)) == EV_TRACING_OFF)
			vec_push(&iv->of[location].toggles,
				 ((struct toggle){ cursor_time(&c), w.traced }));
	}
	for (; i < points->n; i++) {
		if (points->data[i].w != 0)
			path_sheet_add(sheet, points->data[i].path, -points->data[i].w);
		level_put(level, i, sheet);
	}
}

static void make_levels(struct location_sums *sums, struct path_sheet *sheet)
{
	for (int l = 1; l < LEVELS && sums->levels[l - 1].n > FAN_OUT; l++) {
		const struct level *below = &sums->levels[l - 1];
		level_begin(&sums->levels[l], below->n / FAN_OUT);
		for (size_t node = 0; node < sums->levels[l].n; node++) {
			for (size_t i = node * FAN_OUT; i < (node + 1) * FAN_OUT; i++)
				level_add(below, i, sheet);
			level_put(&sums->levels[l], node, sheet);
		}
	}
}

static void make_location(void *context, unsigned worker, size_t location)
{
	struct making *making = context;
	struct intervals *iv = making->intervals;
	const struct location_points *points = &iv->points->of[location];
	struct location_sums *sums = &iv->of[location];
	struct path_sheet *sheet = &making->sheets[worker];

	if (atomic_load(&iv->stopped))
		return;
	if (!sheet->of)
		path_sheet_init(sheet, trace_callpath_count(iv->trace));
	sums->waited = xcalloc(points->n + 1, sizeof *sums->waited);
	for (size_t i = 0; i < points->n; i++)
		sums->waited[i + 1] = sums->waited[i] + points->data[i].w;
	make_stretches(iv, (uint32_t)location, sheet);
	make_levels(sums, sheet);
	const unsigned done = atomic_fetch_add(&iv->done, 1u) + 1u;
	if (worker == 0 &&
	    !progress_step(iv->progress, "looking for causes", done, iv->points->locations) &&
	    progress_dropped(iv->progress))
		atomic_store(&iv->stopped, true);
}

struct intervals *intervals_new(const struct trace *trace, enum time_base base,
				const struct points *points, unsigned jobs,
				const struct progress *progress)
{
	struct intervals *iv = xcalloc(1, sizeof *iv);
	struct making *making = xcalloc(1, sizeof *making);

	making->intervals = iv;
	iv->trace = trace;
	iv->base = base;
	iv->points = points;
	iv->progress = progress;
	iv->of = xcalloc((size_t)points->locations + 1, sizeof *iv->of);
	jobs_run(jobs, points->locations, make_location, making);
	for (int i = 0; i < JOBS_MOST; i++)
		path_sheet_fini(&making->sheets[i]);
	free(making);
	iv->progress = NULL;
	if (!atomic_load(&iv->stopped))
		return iv;
	intervals_free(iv);
	return NULL;
}

void intervals_free(struct intervals *iv)
{
	if (!iv)
		return;
	for (uint32_t l = 0; l < iv->points->locations; l++) {
		for (int i = 0; i < LEVELS; i++) {
			struct level *level = &iv->of[l].levels[i];
			free(level->first);
			vec_fini(&level->paths);
			vec_fini(&level->ticks);
		}
		free(iv->of[l].waited);
		vec_fini(&iv->of[l].toggles);
	}
	free(iv->of);
	free(iv);
}

/* ---- asking ---- */

void intervals_add(const struct intervals *iv, uint32_t location, uint32_t from, uint32_t to,
		   struct path_sheet *sheet)
{
	const struct location_sums *sums = &iv->of[location];
	const struct point *first = &iv->points->of[location].data[from];
	size_t at = from;

	while (at < to) {
		int l = 0;
		size_t width = 1;
		while (l + 1 < LEVELS && at % (width * FAN_OUT) == 0 &&
		       at + width * FAN_OUT <= to &&
		       at / (width * FAN_OUT) < sums->levels[l + 1].n) {
			width *= FAN_OUT;
			l++;
		}
		level_add(&sums->levels[l], at / width, sheet);
		at += width;
	}
	if (from < to && first->w != 0)
		path_sheet_add(sheet, first->path, first->w);
}

void intervals_near(const struct intervals *iv, uint32_t location, uint32_t from)
{
	__builtin_prefetch(&iv->points->of[location].data[from]);
	__builtin_prefetch(&iv->of[location].levels[0].first[from]);
}

void intervals_here(const struct intervals *iv, uint32_t location, uint32_t from)
{
	const struct level *level = &iv->of[location].levels[0];

	__builtin_prefetch(&level->paths.data[level->first[from]]);
	__builtin_prefetch(&level->ticks.data[level->first[from]]);
}

int64_t intervals_waited(const struct intervals *iv, uint32_t location, uint32_t from, uint32_t to)
{
	const int64_t *waited = iv->of[location].waited;

	return from + 1 < to ? waited[to] - waited[from + 1] : 0;
}

const struct point *intervals_point(const struct intervals *iv, uint32_t location, uint32_t row)
{
	return &iv->points->of[location].data[row];
}

void intervals_profile(const struct intervals *iv, uint32_t location, struct path_sheet *sheet)
{
	const struct location_points *of = &iv->points->of[location];

	intervals_add(iv, location, 0, (uint32_t)of->n, sheet);
	for (size_t i = 1; i < of->n; i++)
		if (of->data[i].w != 0)
			path_sheet_add(sheet, of->data[i].path, of->data[i].w);
}
