/* How the critical path relates to the time of all locations: activities on and off the path, and
 * the imbalance that it represents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "patterns/causes/critical.h"
#include "patterns/causes/delay.h"

/* As a share of all that was added and subtracted, and in ticks: less is rounding error. */
#define DUST       1e-12
#define DUST_LEAST 1e-6

/* Over the locations. */
struct impact_sums {
	fixed *of;                                                 /* all of them, in one piece */
	fixed *cp, *total, *estimated, *headroom, *headroom_inter; /* [paths] */
	fixed all;                                                 /* of cp */
	rate scales, inter_scales;
};

struct impact {
	const struct critical *critical;
	const struct analysis *analysis;
	struct cube *cube;
	int64_t t0, t1;
	bool whole;
	uint32_t locations, paths;
	const struct progress *progress;
	struct path_sheet sheet, polled;
	struct cube *on; /* critical path cells */
	struct impact_sums sums;
	double *cp;        /* [paths] on the critical path, all locations */
	double *total;     /* [paths] time of all locations without waiting (C17) */
	double *estimated; /* [paths] part of cp and of the mean of `total` in gaps (interval.h) */
	double *headroom;  /* [paths] H: imbalance of a call path on the critical path */
	double *headroom_inter; /* the same, between partitions only */
	double sum;             /* of cp */
	double on_path;         /* of cp where it is above 0 */
};

/* `share` times the estimated part of a location's time in [t0, t1). */
static void add_estimated(struct impact *m, uint32_t location, int64_t t0, int64_t t1, double share)
{
	path_sheet_clear(&m->sheet);
	intervals_estimated(m->critical->intervals, location, t0, t1, &m->sheet);
	for (uint32_t i = 0; i < m->sheet.n; i++)
		m->sums.estimated[m->sheet.touched[i]] +=
			fixed_of(share * (double)m->sheet.of[m->sheet.touched[i]]);
}

/* ---- the path's own cells ---- */

static void add_stretch(struct impact *m, const struct critical_piece *s)
{
	const struct point *from = &m->critical->points->of[s->location].data[s->from];
	const int64_t low = s->t0 < s->t1 ? s->t0 : s->t1, high = s->t0 < s->t1 ? s->t1 : s->t0;
	const int64_t w = s->t0 - from->en;

	path_sheet_clear(&m->sheet);
	if (low >= m->t0 && high <= m->t1) {
		intervals_add(m->critical->intervals, s->location, s->from, s->to, &m->sheet);
		if (w != 0 && from->cls != DELAY_POLLING)
			path_sheet_add(&m->sheet, from->path, -w);
	} else {
		intervals_walk(m->critical->intervals, s->location, low > m->t0 ? low : m->t0,
			       high < m->t1 ? high : m->t1, s->t0 <= s->t1 ? 1 : -1, &m->sheet);
	}
	for (uint32_t i = 0; i < m->sheet.n; i++) {
		const uint32_t path = m->sheet.touched[i];
		const double ticks = (double)m->sheet.of[path];
		cube_add(m->on, CUBE_CRITICAL_PATH, path, s->location, ticks);
		m->sums.cp[path] += fixed_of(ticks);
		m->sums.all += fixed_of(ticks);
	}
	add_estimated(m, s->location, low > m->t0 ? low : m->t0, high < m->t1 ? high : m->t1, 1);
}

/* ---- what locations did without waiting ---- */

/* Calls take() with the part of polling inside the window on each call path that it was in. */
static void each_polled(struct impact *m, uint32_t location, int64_t begin, int64_t end,
			void (*take)(struct impact *m, uint32_t path, double ticks, void *context),
			void *context)
{
	path_sheet_clear(&m->polled);
	intervals_walk(m->critical->intervals, location, begin > m->t0 ? begin : m->t0,
		       end < m->t1 ? end : m->t1, 1, &m->polled);
	for (uint32_t i = 0; i < m->polled.n; i++)
		take(m, m->polled.touched[i], (double)m->polled.of[m->polled.touched[i]], context);
}

static void add_waiting(struct impact *m, uint32_t path, double ticks, void *waiting)
{
	if (m->sheet.is[path])
		((double *)waiting)[path] += ticks;
}

static void take_time(struct impact *m, uint32_t path, double ticks, void *unused)
{
	(void)unused;
	m->sums.total[path] -= fixed_of(ticks);
}

/* The waits of a point count as waiting, at most for the time available (C18). */
static void profile(struct impact *m, uint32_t location, double *waiting)
{
	const struct location_points *of = &m->critical->points->of[location];

	path_sheet_clear(&m->sheet);
	if (m->whole)
		intervals_profile(m->critical->intervals, location, &m->sheet);
	else
		intervals_walk(m->critical->intervals, location, m->t0, m->t1, 1, &m->sheet);
	for (uint32_t i = 0; i < m->sheet.n; i++)
		waiting[m->sheet.touched[i]] = 0;
	for (size_t i = 1; i < of->n; i++) {
		const struct point *point = &of->data[i];
		if (point->cls == DELAY_POLLING)
			each_polled(m, location, point->en, point->en + point->w, add_waiting,
				    waiting);
		else if (point->w > 0)
			add_waiting(m, point->path,
				    (double)delay_inside(m->analysis, location, point, m->t0,
							 m->t1),
				    waiting);
	}
}

static double useful(const struct impact *m, const double *waiting, uint32_t path)
{
	const double time = (double)m->sheet.of[path];

	return waiting[path] < time ? time - waiting[path] : 0;
}

/* Headroom of a location: cp - min(L, cp) of every call path on the critical path, scaled to fill
 * the time that the location waited (9); between partitions, of call paths that it does not visit
 * at all. The part that is equal for all locations is added at the end, so that the cost of a
 * location is that of its own call paths. */
static void add_headroom(struct impact *m, const double *waiting)
{
	double mine = 0, room = m->on_path, other_mine = 0, other_room = m->on_path;

	for (uint32_t i = 0; i < m->sheet.n; i++) {
		const uint32_t p = m->sheet.touched[i];
		const double l = useful(m, waiting, p), cp = m->cp[p];
		mine += l;
		if (l > 0)
			other_mine += l > cp ? l : cp;
		if (cp > 0)
			room -= l < cp ? l : cp;
		if (cp > 0 && l > 0)
			other_room -= cp;
	}
	const double least = DUST * m->on_path;
	const double f = room > least ? (m->sum - mine) / room : 0;
	const double g = other_room > least ? (m->sum - other_mine) / other_room : 0;
	m->sums.scales += rate_of(f);
	m->sums.inter_scales += rate_of(g);
	for (uint32_t i = 0; i < m->sheet.n; i++) {
		const uint32_t p = m->sheet.touched[i];
		const double l = useful(m, waiting, p), cp = m->cp[p];
		if (cp <= 0)
			continue;
		m->sums.headroom[p] -= fixed_of(f * (l < cp ? l : cp));
		if (l > 0)
			m->sums.headroom_inter[p] -= fixed_of(g * cp);
	}
}

/* 0 where what is left of `all` is rounding error. */
static double without_dust(double all, fixed taken)
{
	const double left = all + fixed_value(taken);

	return fabs(left) < DUST * fabs(all) + DUST_LEAST ? 0 : left;
}

static void end_headroom(struct impact *m)
{
	const double scales = rate_value(m->sums.scales);
	const double inter_scales = rate_value(m->sums.inter_scales);

	for (uint32_t p = 0; p < m->paths; p++) {
		if (m->cp[p] <= 0)
			continue;
		m->headroom[p] = without_dust(m->cp[p] * scales, m->sums.headroom[p]);
		m->headroom_inter[p] =
			without_dust(m->cp[p] * inter_scales, m->sums.headroom_inter[p]);
	}
}

static void add_activities(struct impact *m, uint32_t location, const double *waiting)
{
	for (uint32_t i = 0; i < m->sheet.n; i++) {
		const uint32_t p = m->sheet.touched[i];
		const double l = useful(m, waiting, p), cp = m->cp[p] > 0 ? m->cp[p] : 0;
		cube_add(m->cube, CUBE_CRITICAL_PATH_ACTIVITIES, p, location, l < cp ? l : cp);
		if (l > cp)
			cube_add(m->cube, CUBE_NON_CRITICAL_PATH_ACTIVITIES, p, location, l - cp);
		m->sums.total[p] += fixed_of((double)m->sheet.of[p]);
	}
}

/* The waiting that C17 subtracts: it includes early scan, which has no point. */
static void take_waiting(struct impact *m, uint32_t location)
{
	size_t n;
	const struct wait *waits = analysis_waits(m->analysis, location, &n);

	for (size_t i = 0; i < n; i++) {
		const struct point point = { .wait = (uint32_t)i, .w = waits[i].length };
		switch (waits[i].metric) {
		case CUBE_MPI_FINALIZE_WAIT:
		case CUBE_MPI_BARRIER_WAIT:
		case CUBE_MPI_LATESENDER:
		case CUBE_MPI_LATERECEIVER:
		case CUBE_MPI_PROBE_WAIT:
		case CUBE_MPI_EARLYREDUCE:
		case CUBE_MPI_EARLYSCAN:
		case CUBE_MPI_LATEBROADCAST:
		case CUBE_MPI_WAIT_NXN:
		case CUBE_MPI_COMM_WAIT:
		case CUBE_MPI_FILE_WAIT:
		case CUBE_MPI_IO_WAIT:
			m->sums.total[waits[i].path] -= fixed_of(
				(double)delay_inside(m->analysis, location, &point, m->t0, m->t1));
			break;
		case CUBE_MPI_POLLING:
			each_polled(m, location, waits[i].begin, waits[i].begin + waits[i].length,
				    take_time, NULL);
			break;
		default: break;
		}
	}
}

/* ---- the impact ---- */

/* Imbalance of a call path with all below it (C17), and its own impact (C18). */
static void add_imbalance(struct impact *m)
{
	const struct trace *trace = analysis_trace(m->analysis);
	OWNED double *cp = xmalloc(((size_t)m->paths + 1) * sizeof *cp);
	size_t n;
	const struct cube_cell *cells;

	memcpy(cp, m->cp, (size_t)m->paths * sizeof *cp);
	cube_include_paths(trace, cp);
	cube_include_paths(trace, m->total);
	cube_include_paths(trace, m->estimated);
	cube_settle(m->on);
	cells = cube_cells(m->on, CUBE_CRITICAL_PATH, &n);
	for (size_t i = 0; i < n; i++) {
		const struct cube_cell *x = &cells[i];
		const double over = cp[x->path] - m->total[x->path] / m->locations;
		cube_add(m->cube, CUBE_CRITICAL_PATH, x->path, x->location, x->value);
		if (cp[x->path] > 0 && over > m->estimated[x->path])
			cube_add(m->cube, CUBE_CRITICAL_PATH_IMBALANCE, x->path, x->location,
				 over / cp[x->path] * x->value);
		if (m->cp[x->path] <= 0 || x->value <= 0)
			continue;
		const double share = x->value / m->cp[x->path];
		double impact = share * m->headroom[x->path];
		double inter = share * m->headroom_inter[x->path];
		impact = impact > 0 ? impact : 0;
		inter = inter > 0 ? inter : 0;
		cube_add(m->cube, CUBE_INTER_PARTITION_IMBALANCE, x->path, x->location, inter);
		cube_add(m->cube, CUBE_INTRA_PARTITION_IMBALANCE, x->path, x->location,
			 impact - inter);
	}
}

static bool add_locations(struct impact *m)
{
	OWNED double *waiting = xcalloc((size_t)m->paths + 1, sizeof *waiting);
	bool wanted = true;

	for (uint32_t l = 0; l < m->locations && wanted; l++) {
		if (!trace_has_location(analysis_trace(m->analysis), l))
			continue;
		profile(m, l, waiting);
		add_activities(m, l, waiting);
		take_waiting(m, l);
		add_headroom(m, waiting);
		add_estimated(m, l, m->t0, m->t1, 1.0 / m->locations);
		wanted = progress_wanted(m->progress, "critical path", l, m->locations);
	}
	return wanted;
}

/* ---- several processes ---- */

/* Replaces sums of this process' locations by those of all. */
static void share(const struct impact *m, fixed *sums, size_t n)
{
	exchange_sum(trace_exchange(analysis_trace(m->analysis)), sums, n);
}

static void share_sums(struct impact *m)
{
	fixed *const of_locations[] = { m->sums.total, m->sums.estimated, m->sums.headroom,
					m->sums.headroom_inter };

	for (size_t i = 0; i < sizeof of_locations / sizeof *of_locations; i++)
		share(m, of_locations[i], m->paths);
	share(m, &m->sums.scales, 1);
	share(m, &m->sums.inter_scales, 1);
}

/* ---- all ---- */

static void impact_init(struct impact *m)
{
	const size_t room = (size_t)m->paths + 1;
	fixed **const sums[] = { &m->sums.cp, &m->sums.total, &m->sums.estimated, &m->sums.headroom,
				 &m->sums.headroom_inter };
	double **const values[] = { &m->cp, &m->total, &m->estimated, &m->headroom,
				    &m->headroom_inter };
	enum { VECTORS = sizeof values / sizeof *values };

	m->sums.of = xcalloc(VECTORS * room, sizeof *m->sums.of);
	m->cp = xcalloc(VECTORS * room, sizeof *m->cp);
	for (size_t i = 0; i < VECTORS; i++) {
		*sums[i] = m->sums.of + i * room;
		*values[i] = m->cp + i * room;
	}
	path_sheet_init(&m->sheet, m->paths);
	path_sheet_init(&m->polled, m->paths);
}

static void impact_fini(struct impact *m)
{
	cube_free(m->on);
	free_all(m->sums.of, m->cp);
	path_sheet_fini(&m->sheet);
	path_sheet_fini(&m->polled);
}

bool critical_add(const struct critical *critical, const struct analysis *analysis,
		  struct cube *cube, int64_t t0, int64_t t1, const struct progress *progress)
{
	const struct trace *trace = analysis_trace(analysis);
	struct impact m = { .critical = critical,
			    .analysis = analysis,
			    .cube = cube,
			    .t0 = t0,
			    .t1 = t1,
			    .whole = t0 == INT64_MIN && t1 == INT64_MAX,
			    .locations = trace_location_count(trace),
			    .paths = trace_callpath_count(trace),
			    .on = cube_new(trace),
			    .progress = progress };
	fixed on_path = 0;
	bool wanted;

	impact_init(&m);
	for (size_t i = 0; i < critical->n; i++)
		add_stretch(&m, &critical->data[i]);
	share(&m, m.sums.cp, m.paths);
	share(&m, &m.sums.all, 1);
	m.sum = fixed_value(m.sums.all);
	for (uint32_t p = 0; p < m.paths; p++) {
		m.cp[p] = fixed_value(m.sums.cp[p]);
		on_path += m.sums.cp[p] > 0 ? m.sums.cp[p] : 0;
	}
	m.on_path = fixed_value(on_path);
	wanted = add_locations(&m);
	if (wanted) {
		share_sums(&m);
		end_headroom(&m);
		for (uint32_t p = 0; p < m.paths; p++) {
			m.total[p] = fixed_value(m.sums.total[p]);
			m.estimated[p] = fixed_value(m.sums.estimated[p]);
		}
		add_imbalance(&m);
	}
	impact_fini(&m);
	return wanted;
}
