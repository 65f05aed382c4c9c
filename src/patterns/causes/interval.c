#include "patterns/causes/interval.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "model/trace/gap.h"
#include "model/trace/visit_walk.h"
#include "patterns/causes/stream_idle.h"

enum { FAN_OUT = 16, LEVELS = 9 };

/* Ticks of a call path. What 31 bits do not hold is in a second row, which counts 2^31 times its
 * ticks (a span of time has 62 bits). Sums are read in no order: the less memory they have, the
 * better. */
struct sum_row {
	uint32_t path; /* | ROW_UPPER */
	int32_t ticks;
};

#define ROW_UPPER (1u << 31)
#define ROW_UNIT  ((int64_t)1 << 31)

/* Sums: node i has the rows first[i] .. first[i + 1] - 1. */
struct sum_level {
	size_t n; /* nodes */
	size_t *first;
	struct sum_row *rows;
};

/* Rows of the level that is being made. They grow here, in the same memory for all levels: what
 * grows in its own place at the end of the heap does not use what was freed before. */
struct sum_rows {
	struct sum_row *data;
	size_t n, cap;
};

struct location_sums {
	struct sum_level levels[LEVELS]; /* 0: stretches; then FAN_OUT nodes of the level below */
	int64_t *waited;                 /* [points + 1] waiting at the points before */
};

struct intervals {
	const struct trace *trace;
	enum time_base base;
	const struct points *points;
	const struct stream_idle *idle;
	const struct progress *progress;
	struct location_sums *of;
	bool gaps; /* of any location that is here */
	atomic_bool stopped;
	atomic_uint done;
};

struct interval_maker {
	struct intervals *intervals;
	struct making {
		struct path_sheet sheet;
		struct sum_rows rows;
	} of[JOBS_MOST]; /* each worker's */
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
	free_all(s->of, s->is, s->touched);
}

void path_sheet_clear(struct path_sheet *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		s->of[s->touched[i]] = 0;
		s->is[s->touched[i]] = false;
	}
	s->n = 0;
}

void path_sheet_cut(struct path_sheet *s, uint32_t from, const struct point *first)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->of[s->touched[i]] < 0)
			s->of[s->touched[i]] = 0;
	if (from > 0 && s->is[first->path]) {
		int64_t *ticks = &s->of[first->path];
		*ticks = *ticks > first->used ? *ticks - first->used : 0;
	}
}

/* ---- walking ---- */

/* A stretch goes to the call path that was open in it. */
static void add_stretch(const struct intervals *iv, uint32_t location, uint32_t canon, int64_t from,
			int64_t to, int sign, struct path_sheet *sheet)
{
	if (canon == 0 && stream_idle_has(iv->idle, location))
		stream_idle_add(iv->idle, location, from, to, sign, sheet);
	else
		path_sheet_add(sheet, canon, sign * (to - from));
}

void intervals_walk(const struct intervals *iv, uint32_t location, int64_t t0, int64_t t1, int sign,
		    struct path_sheet *sheet)
{
	struct visit_walk w;

	for (bool ok = visit_walk_begin(&w, iv->trace, iv->base, location, t0, t1); ok;
	     ok = visit_walk_next_change(&w))
		if (w.traced && w.to > w.from)
			add_stretch(iv, location, w.paths[w.path].canon, w.from, w.to, sign, sheet);
}

void intervals_wait(const struct intervals *iv, uint32_t location, const struct point *point,
		    int sign, struct path_sheet *sheet)
{
	if (point->cls == DELAY_POLLING)
		intervals_walk(iv, location, point->en, point->en + point->w, sign, sheet);
	else if (point->w != 0)
		path_sheet_add(sheet, point->path, sign * point->w);
}

/* Parts of a gap are in measured ticks: each has the same share of the gap in any time base. */
static void add_gap(const struct intervals *iv, const struct gap *gap, struct path_sheet *sheet)
{
	const double length = (double)(gap_end_time(iv->trace, BASE_MEASURED, gap) -
				       gap_begin_time(iv->trace, BASE_MEASURED, gap));
	const double here = (double)(gap_end_time(iv->trace, iv->base, gap) -
				     gap_begin_time(iv->trace, iv->base, gap));
	size_t n;
	const struct gap_part *parts = gap_parts(iv->trace, gap, &n);

	for (size_t i = 0; i < n && length > 0; i++)
		path_sheet_add(sheet, trace_callpath(iv->trace, parts[i].path)->canon,
			       (int64_t)ceil((double)parts[i].own * here / length));
}

bool intervals_have_gaps(const struct intervals *iv)
{
	return iv->gaps;
}

void intervals_estimated(const struct intervals *iv, uint32_t location, int64_t t0, int64_t t1,
			 struct path_sheet *sheet)
{
	struct gap_walk w = gap_walk_begin(iv->trace, iv->base, location, t0);

	for (; w.from < t1; gap_walk_next(&w))
		add_gap(iv, w.gap, sheet);
}

/* ---- construction ---- */

static void level_begin(struct sum_level *level, size_t nodes)
{
	level->n = nodes;
	level->first = xcalloc(nodes + 1, sizeof *level->first);
}

/* Stores the sheet as the sums of the next node. */
static void level_put(struct sum_level *level, size_t node, struct making *m)
{
	struct path_sheet *sheet = &m->sheet;
	struct sum_rows *rows = &m->rows;

	for (uint32_t i = 0; i < sheet->n; i++) {
		const uint32_t path = sheet->touched[i];
		const int64_t ticks = sheet->of[path];
		if (ticks == 0)
			continue;
		vec_push(rows, ((struct sum_row){ path, (int32_t)(ticks % ROW_UNIT) }));
		if (ticks / ROW_UNIT != 0)
			vec_push(rows, ((struct sum_row){ path | ROW_UPPER,
							  (int32_t)(ticks / ROW_UNIT) }));
	}
	level->first[node + 1] = rows->n;
	path_sheet_clear(sheet);
}

static void level_end(struct sum_level *level, struct sum_rows *rows)
{
	level->rows = xmalloc((rows->n + 1) * sizeof *level->rows);
	if (rows->n > 0)
		memcpy(level->rows, rows->data, rows->n * sizeof *level->rows);
	rows->n = 0;
}

static void level_add(const struct sum_level *level, size_t node, struct path_sheet *sheet)
{
	const struct sum_row *end = level->rows + level->first[node + 1];

	for (const struct sum_row *row = level->rows + level->first[node]; row < end; row++)
		path_sheet_add(sheet, row->path & ~ROW_UPPER,
			       row->ticks * (row->path & ROW_UPPER ? ROW_UNIT : 1));
}

/* The waiting at a point does not count in the point's stretch. */
static void put_stretch(const struct intervals *iv, uint32_t location, size_t i, struct making *m)
{
	intervals_wait(iv, location, &iv->points->of[location].data[i], -1, &m->sheet);
	level_put(&iv->of[location].levels[0], i, m);
}

/* A pass over the events of a location. */
struct stretching {
	const struct intervals *iv;
	uint32_t location;
	const struct location_points *points;
	struct making *m;
	size_t i;      /* the point whose stretch it is in */
	uint64_t stop; /* index of the event at which that one ends */
	int64_t since; /* ticks: what is earlier has been added */
	const struct callpath *paths;
	uint32_t path; /* open */
	bool traced;
};

static void stretch_to(struct stretching *s, int64_t time)
{
	if (s->traced && time > s->since)
		add_stretch(s->iv, s->location, s->paths[s->path].canon, s->since, time, 1,
			    &s->m->sheet);
	s->since = time;
}

static void find_stop(struct stretching *s)
{
	s->stop = s->i + 1 < s->points->n ? s->points->data[s->i + 1].enter : UINT64_MAX;
}

static void end_stretches(struct stretching *s, uint64_t at)
{
	while (s->stop <= at) {
		put_stretch(s->iv, s->location, s->i, s->m);
		s->i++;
		find_stop(s);
	}
}

/* visit_walk.h in a form for a whole location: this is one of the passes that cost most. Events
 * inside a call path matter only where stretches end. */
static void stretch_block(struct stretching *s, const struct cursor *c)
{
	const struct block *block = c->block;
	uint64_t at = (uint64_t)block->nth * BLOCK_EVENTS;

	for (struct cursor here = *c; here.slot < block->n; here.slot++, at++) {
		const uint32_t what = cursor_what(&here);
		const enum event_kind kind = what_kind(what);
		const bool change = kind <= EV_LEAVE || kind >= EV_TRACING_ON;
		if (!change && at < s->stop)
			continue;
		stretch_to(s, cursor_time(&here));
		if (kind <= EV_LEAVE)
			s->path = kind == EV_ENTER ? what_id(what) : s->paths[what_id(what)].parent;
		else if (change)
			s->traced = kind == EV_TRACING_ON;
		end_stretches(s, at);
	}
}

/* The stretch of point i is from the enter of its call to that of the next point's; it is empty
 * where both are in one call. */
static void make_stretches(const struct intervals *iv, uint32_t location, struct making *m)
{
	struct sum_level *level = &iv->of[location].levels[0];
	struct stretching s = {
		.iv = iv, .location = location, .points = &iv->points->of[location], .m = m
	};
	struct visit_walk w;

	level_begin(level, s.points->n);
	find_stop(&s);
	if (visit_walk_begin(&w, iv->trace, iv->base, location, INT64_MIN, INT64_MAX)) {
		s.since = w.from;
		s.paths = w.paths;
		s.path = w.path;
		s.traced = w.traced;
		do
			stretch_block(&s, &w.c);
		while (cursor_next_block(&w.c));
		w.c.slot = w.c.block->n - 1u;
		stretch_to(&s, cursor_time(&w.c));
	}
	for (; s.i < s.points->n; s.i++)
		put_stretch(iv, location, s.i, m);
	level_end(level, &m->rows);
}

static void make_levels(struct location_sums *sums, struct making *m)
{
	for (int l = 1; l < LEVELS && sums->levels[l - 1].n > FAN_OUT; l++) {
		const struct sum_level *below = &sums->levels[l - 1];
		level_begin(&sums->levels[l], below->n / FAN_OUT);
		for (size_t node = 0; node < sums->levels[l].n; node++) {
			for (size_t i = node * FAN_OUT; i < (node + 1) * FAN_OUT; i++)
				level_add(below, i, &m->sheet);
			level_put(&sums->levels[l], node, m);
		}
		level_end(&sums->levels[l], &m->rows);
	}
}

static void make_location(void *context, unsigned worker, size_t location)
{
	struct interval_maker *making = context;
	struct intervals *iv = making->intervals;
	const struct location_points *points = &iv->points->of[location];
	struct location_sums *sums = &iv->of[location];
	struct making *m = &making->of[worker];

	if (atomic_load(&iv->stopped))
		return;
	if (!m->sheet.of)
		path_sheet_init(&m->sheet, trace_callpath_count(iv->trace));
	sums->waited = xcalloc(points->n + 1, sizeof *sums->waited);
	for (size_t i = 0; i < points->n; i++)
		sums->waited[i + 1] = sums->waited[i] + points->data[i].w;
	make_stretches(iv, (uint32_t)location, m);
	make_levels(sums, m);
	const unsigned done = atomic_fetch_add(&iv->done, 1u) + 1u;
	if (worker == 0 &&
	    !progress_wanted(iv->progress, "searching for causes", done, iv->points->locations))
		atomic_store(&iv->stopped, true);
}

static bool has_gaps(const struct trace *trace, uint32_t location)
{
	size_t n;

	gaps_of(trace, location, &n);
	return n > 0;
}

struct intervals *intervals_new(const struct trace *trace, enum time_base base,
				const struct points *points, const struct stream_idle *idle,
				unsigned jobs, const struct progress *progress)
{
	struct intervals *iv = xcalloc(1, sizeof *iv);
	OWNED struct interval_maker *making = xcalloc(1, sizeof *making);

	making->intervals = iv;
	iv->trace = trace;
	iv->base = base;
	iv->points = points;
	iv->idle = idle;
	iv->progress = progress;
	iv->of = xcalloc((size_t)points->locations + 1, sizeof *iv->of);
	for (uint32_t l = 0; l < points->locations && !iv->gaps; l++)
		iv->gaps = has_gaps(trace, l);
	jobs_run(jobs, points->locations, make_location, making);
	for (int i = 0; i < JOBS_MOST; i++) {
		path_sheet_fini(&making->of[i].sheet);
		vec_fini(&making->of[i].rows);
	}
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
			struct sum_level *level = &iv->of[l].levels[i];
			free_all(level->first, level->rows);
		}
		free(iv->of[l].waited);
	}
	free_all(iv->of, iv);
}

/* ---- queries ---- */

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
	/* path_sheet_cut() does not take off that of polling. */
	if (from < to && first->cls != DELAY_POLLING)
		intervals_wait(iv, location, first, 1, sheet);
}

void intervals_near(const struct intervals *iv, uint32_t location, uint32_t from)
{
	__builtin_prefetch(&iv->points->of[location].data[from]);
	__builtin_prefetch(&iv->of[location].levels[0].first[from]);
}

void intervals_here(const struct intervals *iv, uint32_t location, uint32_t from)
{
	const struct sum_level *level = &iv->of[location].levels[0];

	__builtin_prefetch(&level->rows[level->first[from]]);
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
		intervals_wait(iv, location, &of->data[i], 1, sheet);
}
