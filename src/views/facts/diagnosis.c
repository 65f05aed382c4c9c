#include "views/facts/diagnosis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "model/trace/halo.h"
#include "model/trace/keep.h"
#include "patterns/topology/topology.h"
#include "views/facts/run_core.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

struct making {
	struct diagnosis *d;
	const struct query *query;
	const struct trace *trace;
	const struct analysis *analysis;
	const struct cube *cube;
	bool *chosen;     /* [location], NULL all */
	double *by_place; /* [location] */
	double *by_path;  /* [callpath] */
	double *waits;    /* [location] */
};

/* The metric that charges the wait to its cause; CUBE_NONE: none. */
static enum cube_metric costs_of(enum cube_metric metric)
{
	switch (metric) {
	case CUBE_MPI_LATESENDER: return CUBE_DELAY_LATESENDER_AGGREGATE;
	case CUBE_MPI_LATERECEIVER: return CUBE_DELAY_LATERECEIVER_AGGREGATE;
	case CUBE_MPI_PROBE_WAIT: return CUBE_DELAY_PROBE_AGGREGATE;
	case CUBE_MPI_POLLING: return CUBE_DELAY_POLLING_AGGREGATE;
	case CUBE_MPI_BARRIER_WAIT: return CUBE_DELAY_BARRIER_AGGREGATE;
	case CUBE_MPI_WAIT_NXN: return CUBE_DELAY_N2N_AGGREGATE;
	case CUBE_MPI_LATEBROADCAST: return CUBE_DELAY_12N_AGGREGATE;
	case CUBE_MPI_EARLYREDUCE: return CUBE_DELAY_N21_AGGREGATE;
	case CUBE_MPI_EARLYSCAN: return CUBE_DELAY_SCAN_AGGREGATE;
	case CUBE_MPI_RMA_WAIT_AT_CREATE:
	case CUBE_MPI_RMA_WAIT_AT_FREE: return CUBE_DELAY_WINDOW_AGGREGATE;
	case CUBE_MPI_RMA_WAIT_AT_FENCE: return CUBE_DELAY_FENCE_AGGREGATE;
	case CUBE_MPI_RMA_SYNC_LATE_POST:
	case CUBE_MPI_RMA_COMM_LATE_POST:
	case CUBE_MPI_RMA_EARLY_WAIT: return CUBE_DELAY_EPOCH_AGGREGATE;
	case CUBE_MPI_RMA_SYNC_LOCK_COMPETITION:
	case CUBE_MPI_RMA_COMM_LOCK_COMPETITION: return CUBE_DELAY_LOCK_AGGREGATE;
	case CUBE_MPI_COMM_WAIT: return CUBE_DELAY_CREATION_AGGREGATE;
	case CUBE_MPI_FILE_WAIT:
	case CUBE_MPI_IO_WAIT: return CUBE_DELAY_FILE_AGGREGATE;
	case CUBE_OMP_EBARRIER_WAIT:
	case CUBE_OMP_IBARRIER_WAIT: return CUBE_DELAY_OMPBARRIER_AGGREGATE;
	default: return CUBE_NONE;
	}
}

static struct largest place_of(const struct making *m, enum cube_metric metric)
{
	cube_by_location(m->cube, metric, 0, true, m->by_place);
	return largest_of(m->by_place, trace_location_count(m->trace), m->chosen);
}

static struct largest path_of(const struct making *m, enum cube_metric metric, const bool *chosen)
{
	cube_by_path(m->cube, metric, chosen, m->by_path);
	return largest_of(m->by_path, trace_callpath_count(m->trace), NULL);
}

/* ---- waits ---- */

/* Of the values by location. */
static struct time_parts parts_of(const struct making *m)
{
	struct time_parts parts = { 0 };

	for (uint32_t l = 0; l < trace_location_count(m->trace); l++)
		if (!m->chosen || m->chosen[l])
			time_parts_add(&parts, trace_location(m->trace, l), m->by_place[l]);
	return parts;
}

static void add_wait(struct making *m, enum cube_metric metric)
{
	const uint32_t n = trace_location_count(m->trace);
	struct diagnosed_wait w = { .metric = (uint8_t)metric,
				    .sum = cube_total(m->cube, metric, m->chosen),
				    .culprit = { .id = UINT32_MAX },
				    .cause = { .id = UINT32_MAX },
				    .worst_location = UINT32_MAX,
				    .worst_event = EVENT_NONE,
				    .worst_partner = UINT32_MAX };
	const enum cube_metric costs = costs_of(metric);
	uint32_t place = m->d->n;

	if (w.sum <= 0)
		return;
	w.lower = w.upper = w.sum;
	w.who = place_of(m, metric);
	w.parts = parts_of(m);
	for (uint32_t l = 0; l < n && !cube_metric_is_completion(metric); l++)
		m->waits[l] += m->by_place[l];
	if (!cube_metric_is_completion(metric)) {
		m->d->waiting.hosts += w.parts.hosts;
		m->d->waiting.streams += w.parts.streams;
	}
	w.at = path_of(m, metric, m->chosen);
	/* A cause may be on a location that was not chosen, so costs include all locations. */
	if (costs != CUBE_NONE)
		w.costs = cube_total(m->cube, costs, NULL);
	if (w.costs > 0) {
		OWNED bool *one = xcalloc(n, sizeof *one);
		cube_by_location(m->cube, costs, 0, true, m->by_place);
		w.culprit = largest_of(m->by_place, n, NULL);
		if (w.culprit.id != UINT32_MAX) {
			one[w.culprit.id] = true;
			w.cause = path_of(m, costs, one);
		}
	}
	/* Costliest first, completion last; the cheapest drops out. */
	while (place &&
	       cube_metric_is_completion((enum cube_metric)m->d->waits[place - 1].metric) >=
		       cube_metric_is_completion(metric) &&
	       (m->d->waits[place - 1].sum < w.sum ||
		cube_metric_is_completion((enum cube_metric)m->d->waits[place - 1].metric) >
			cube_metric_is_completion(metric)))
		place--;
	if (place == DIAGNOSED_WAITS)
		return;
	if (m->d->n < DIAGNOSED_WAITS)
		m->d->n++;
	memmove(&m->d->waits[place + 1], &m->d->waits[place],
		(m->d->n - 1 - place) * sizeof *m->d->waits);
	m->d->waits[place] = w;
}

/* ---- locations ---- */

static void add_rank(struct making *m, uint32_t location, double waits, double costs)
{
	const struct diagnosed_rank rank = { .location = location, .waits = waits, .costs = costs };
	uint32_t place = m->d->n_ranks;

	while (place && m->d->ranks[place - 1].waits + m->d->ranks[place - 1].costs < waits + costs)
		place--;
	if (place == DIAGNOSED_RANKS || waits + costs <= 0)
		return;
	if (m->d->n_ranks < DIAGNOSED_RANKS)
		m->d->n_ranks++;
	memmove(&m->d->ranks[place + 1], &m->d->ranks[place],
		(m->d->n_ranks - 1 - place) * sizeof *m->d->ranks);
	m->d->ranks[place] = rank;
}

static void add_ranks(struct making *m)
{
	const uint32_t n = trace_location_count(m->trace);

	cube_by_location(m->cube, CUBE_DELAY, 0, true, m->by_place);
	for (uint32_t l = 0; l < n; l++)
		if (!m->chosen || m->chosen[l])
			add_rank(m, l, m->waits[l], m->by_place[l]);
	cube_by_location(m->cube, CUBE_COMP, 0, true, m->by_place);
	for (uint32_t i = 0; i < m->d->n_ranks; i++)
		m->d->ranks[i].comp = m->by_place[m->d->ranks[i].location];
	cube_by_location(m->cube, CUBE_MPI, 0, true, m->by_place);
	for (uint32_t i = 0; i < m->d->n_ranks; i++)
		m->d->ranks[i].mpi = m->by_place[m->d->ranks[i].location];
}

/* ---- critical path ---- */

static void add_paths(struct making *m)
{
	m->d->underload = cube_total(m->cube, CUBE_IMBALANCE_BELOW, m->chosen);
	m->d->critical_path = cube_total(m->cube, CUBE_CRITICAL_PATH, m->chosen);
	cube_by_path(m->cube, CUBE_CRITICAL_PATH, m->chosen, m->by_path);
	several_of(m->d->critical, DIAGNOSED_PATHS, m->by_path, trace_callpath_count(m->trace));
}

/* ---- all ---- */

/* False: stopped. */
static bool compute(struct diagnosis *d, const struct query *query, const struct analysis *analysis,
		    const struct causes *causes, const struct cube *cube)
{
	const struct trace *trace = query->trace;
	const struct grid *grid = analysis_grid(analysis);
	struct making m = { .d = d,
			    .query = query,
			    .trace = trace,
			    .analysis = analysis,
			    .cube = cube,
			    .chosen = query->locations ? query_chosen(query) : NULL };
	bool done;

	memset(d, 0, sizeof *d);
	d->core = (struct efficiency){ NAN, NAN, NAN, NAN, NAN, 0 };
	m.by_place = xcalloc(trace_location_count(trace), sizeof *m.by_place);
	m.waits = xcalloc(trace_location_count(trace), sizeof *m.waits);
	m.by_path = xcalloc(trace_callpath_count(trace), sizeof *m.by_path);
	for (int metric = 0; metric < CUBE_METRICS; metric++)
		if (cube_metric_is_waiting((enum cube_metric)metric))
			add_wait(&m, (enum cube_metric)metric);
	diagnosis_count(d, query, analysis, m.chosen);
	add_ranks(&m);
	add_paths(&m);
	done = cause_names_make(causes, cube, query->t0, query->t1, query->progress, &d->names) &&
	       diagnosis_imbalance(d, query, causes, cube, m.chosen);
	d->time = cube_total(cube, CUBE_TIME, m.chosen);
	d->comp = cube_total(cube, CUBE_COMP, m.chosen);
	d->counts = *analysis_counts(analysis);
	if (grid) {
		OWNED_STR s = STR_INIT;
		str_add_fmt(&s, "%s. %s", grid->name, grid->note);
		str_clean(d->grid, sizeof d->grid, s.text, s.n);
		d->guessed = grid->source == GRID_GUESSED;
	}
	efficiency_of(causes, cube, m.chosen, query->t0, query->t1, &d->efficiency);
	free_all(m.by_place, m.waits, m.by_path, m.chosen);
	return done;
}

/* Severities in the bounds of the compensated times, in the same window. */
static bool add_bounds(struct diagnosis *d, const struct query *query, struct err *err)
{
	static const enum time_base bases[] = { BASE_LOWER, BASE_UPPER };
	bool *chosen, ok = true;

	if (query->base != BASE_COMPENSATED)
		return true;
	chosen = query->locations ? query_chosen(query) : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(bases) && ok; i++) {
		const struct cube *cube;
		if (!trace_has_base(query->trace, bases[i]))
			continue;
		if (!trace_base_make(query->trace, bases[i], query->progress, err) ||
		    !(cube = analyses_cube(query->analyses, bases[i], query->t0, query->t1,
					   query->progress, err))) {
			ok = false;
			break;
		}
		for (uint32_t k = 0; k < d->n; k++) {
			struct diagnosed_wait *w = &d->waits[k];
			const double sum = cube_total(cube, (enum cube_metric)w->metric, chosen);
			w->lower = fmin(w->lower, sum);
			w->upper = fmax(w->upper, sum);
		}
	}
	free(chosen);
	return ok;
}

/* The efficiency of a whole run between MPI_Init and MPI_Finalize. */
static bool add_core(struct diagnosis *d, const struct query *query, const struct causes *causes,
		     struct err *err)
{
	const struct cube *cube;
	struct span run, core;

	d->core = (struct efficiency){ NAN, NAN, NAN, NAN, NAN, 0 };
	trace_span(query->trace, query->base, &run.t0, &run.t1);
	core = run_core(query->trace, query->base, run, false);
	if (core.t0 == run.t0 && core.t1 == run.t1)
		return true;
	cube = analyses_cube(query->analyses, query->base, core.t0, core.t1, query->progress, err);
	if (!cube)
		return false;
	efficiency_of(causes, cube, NULL, core.t0, core.t1, &d->core);
	return true;
}

/* True if everything that efficiencies need has been computed. */
static bool is_ready(const struct query *query)
{
	const struct causes *causes = analyses_causes(query->analyses, query->base);

	return causes && causes_has_ideal(causes);
}

static const char keep_name[] = "diagnosis";

enum diagnosis_state diagnosis_make(struct diagnosis *d, const struct query *query, bool wait,
				    struct err *err)
{
	const bool whole = query_is_all(query);
	/* Names of causes depend on the iterations. */
	const bool named = query->analyses && analyses_iterated_by(query->analyses);
	struct analysis *analysis;
	const struct causes *causes;
	const struct cube *cube;
	struct query of = *query;

	if (whole) {
		of.t0 = INT64_MIN;
		of.t1 = INT64_MAX;
	}
	/* Bounds are computed only if the caller waits. */
	if (whole && !named && !(wait && query->base == BASE_COMPENSATED) &&
	    keep_get(query->trace, keep_name, query->base, d, sizeof *d) &&
	    diagnosis_holds(d, query->trace))
		return DIAGNOSIS_THERE;
	if (!query->analyses)
		return DIAGNOSIS_NONE;
	if (!wait && (!analyses_peek(query->analyses, query->base) ||
		      (!is_ready(query) && analyses_state(query->analyses).busy)))
		return DIAGNOSIS_LOOKING;
	if (whole)
		analyses_ahead(query->analyses);
	analysis = analyses_get(query->analyses, query->base, query->progress, err);
	causes = analysis ? causes_of(analysis, query->progress, err) : NULL;
	cube = causes ? analyses_cube(query->analyses, of.base, of.t0, of.t1, of.progress, err)
		      : NULL;
	if (!cube || !causes_ideal(causes, of.t0, of.t1, of.progress, err))
		return DIAGNOSIS_NONE;
	if (!compute(d, &of, analysis, causes, cube))
		return DIAGNOSIS_NONE;
	if (whole && !add_core(d, &of, causes, err))
		return DIAGNOSIS_NONE;
	if (wait && !add_bounds(d, &of, err))
		return DIAGNOSIS_NONE;
	if (whole && !named)
		keep_of_base(query->trace, keep_name, query->base, d, sizeof *d);
	/* For the timeline of the next start. */
	if (whole)
		analyses_wait_sums(query->analyses, query->base);
	return DIAGNOSIS_THERE;
}

void diagnosis_prepare(struct trace *trace, enum time_base base)
{
	const struct analysis_options options = { 0 };
	struct query query = { .trace = trace, .base = base, .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct diagnosis *d;

	if (!trace_base_make(trace, base, NULL, NULL))
		return;
	d = xcalloc(1, sizeof *d);
	query.analyses = analyses_new(trace, &options);
	diagnosis_make(d, &query, true, NULL);
	analyses_free(query.analyses);
	free(d);
}

void diagnosis_name_events(struct trace *trace, enum time_base base)
{
	OWNED struct diagnosis *d = xcalloc(1, sizeof *d);
	const bool kept = keep_get(trace, keep_name, base, d, sizeof *d);

	/* All have the same diagnosis; each knows the events of its own locations. */
	for (uint32_t i = 0; kept && i < d->n; i++) {
		struct diagnosed_wait *w = &d->waits[i];
		const bool here = w->worst_event != EVENT_NONE &&
				  trace_has_location(trace, w->worst_location);
		const uint64_t number =
			exchange_count(trace_exchange(trace),
				       here ? trace_event_number(trace, w->worst_event) : 0);
		if (w->worst_event != EVENT_NONE)
			w->worst_event = number < EVENT_NONE ? (uint32_t)number : EVENT_NONE;
	}
	if (kept)
		keep_of_base(trace, keep_name, base, d, sizeof *d);
}
