#include "correct/overhead/overhead.h"

#include <stdio.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/vec.h"
#include "correct/overhead/overhead_crowd.h"
#include "correct/overhead/overhead_replay.h"
#include "model/trace/base_write.h"
#include "model/trace/halo.h"

/* A cost that the user gives is an upper limit, and at least this share of it. */
static const double least_share = 0.3;
enum { COPY_REPORTED = 65536 }; /* bytes */

/* The cost of records in the three bases: higher costs make lower times. */
static void set_ways(struct overhead_replay *r, const struct overhead_cost *cost,
		     enum overhead_source source)
{
	r->ways[BEST] = (struct way_cost){ 1, 1, 0, 1, 1 };
	r->ways[LOWER] = r->ways[UPPER] = r->ways[BEST];
	if (r->paper)
		return;
	if (source == OVERHEAD_SAMPLED) {
		r->ways[LOWER] = (struct way_cost){ 1, 1.05, 2, 1.05, 1 };
		r->ways[UPPER] = (struct way_cost){ 1, 0.95, -2, 0.95, 1 };
		return;
	}
	if (source == OVERHEAD_LOOP && cost->function > 0) {
		const struct cost_range range = cost_uncalibrated(cost, cost->function);
		r->ways[BEST].factor = range.best / cost->function;
		r->ways[LOWER] = (struct way_cost){ range.high / cost->function, 1, 0, 1.5, 1 };
		r->ways[UPPER] = (struct way_cost){ range.low / cost->function, 1, 0, 0.5, 1 };
		return;
	}
	r->ways[UPPER].factor = r->ways[UPPER].calls = least_share;
}

/* Ranks that share cores wait for each other's records, too. Virtual time has none of that. */
static void set_crowd(struct overhead_replay *r, struct overhead_report *report)
{
	const struct overhead_crowd crowd = overhead_crowd(r->trace, r->survey, r->cost);

	report->crowd = report->crowd_most = 1;
	if (r->paper)
		return;
	r->ways[LOWER].crowd = report->crowd_most = crowd.most;
	if (r->timed->set == UINT32_MAX)
		r->ways[BEST].crowd = report->crowd = crowd.best;
}

/* Where the costs come from; costs of all records if the header has none but probes were left
 * out. */
static enum overhead_source find_source(struct overhead_cost *cost,
					const struct overhead_survey *survey, bool paper)
{
	if (cost->given)
		return OVERHEAD_GIVEN;
	if (survey->classes.sampled && !paper) {
		if (!(cost->function > 0))
			cost_all(cost, survey->classes.all.cost + survey->classes.all.beside.best);
		return OVERHEAD_SAMPLED;
	}
	return cost->known ? OVERHEAD_LOOP : OVERHEAD_NONE;
}

/* ---- the report ---- */

/* UINT32_MAX: of the run. */
static int64_t time_of(const struct trace *trace, enum time_base base, uint32_t location)
{
	struct cursor first, last;
	int64_t begin, end;

	if (location == UINT32_MAX) {
		trace_span(trace, base, &begin, &end);
		return end - begin;
	}
	if (!cursor_first(&first, trace, base, location) ||
	    !cursor_last(&last, trace, base, location))
		return 0;
	return cursor_time(&last) - cursor_time(&first);
}

static struct overhead_sum times_of(const struct overhead_replay *r, uint32_t location,
				    uint64_t records)
{
	return (struct overhead_sum){ .measured = time_of(r->trace, r->from, location),
				      .compensated = time_of(r->trace, way_base[BEST], location),
				      .lower = time_of(r->trace, way_base[LOWER], location),
				      .upper = time_of(r->trace, way_base[UPPER], location),
				      .records = records };
}

static void add_sum(struct overhead_sum *sum, const struct overhead_sum *more)
{
	sum->measured += more->measured;
	sum->compensated += more->compensated;
	sum->lower += more->lower;
	sum->upper += more->upper;
	sum->records += more->records;
}

static double share(double part, double all)
{
	return all > 0 ? part / all : 0;
}

static void report_location(struct overhead_report *report, const struct overhead_replay *r,
			    uint32_t location)
{
	struct overhead_location *to = &report->locations[location];
	const struct overhead_place *place = &r->places[location];
	const struct location_survey *survey = &r->survey->locations[location];

	to->event = share(place->removed, (double)place->records) * r->cost->tick;
	to->carried = share((double)place->carried, (double)place->local);
	to->sampled = share((double)survey->skipped, (double)survey->segments);
	to->sampled_used = survey->own;
	to->blocking = share((double)place->blocking, (double)to->time.measured);
	to->ratio = share((double)(place->work[0] - place->work[1]), (double)place->work[1]);
	add_sum(&report->local, &to->time);
}

/* What the report needs of a location. */
struct location_figures {
	uint64_t location;
	double removed;
	uint64_t records;
	int64_t local, carried, blocking, work[2];
	struct location_survey survey;
	struct overhead_sum time;
};

/* Takes over those of the locations of other processes. */
static void share_locations(struct overhead_report *report, struct overhead_replay *r)
{
	struct exchange *x = trace_exchange(r->trace);
	OWNED_VEC(struct location_figures) rows = VEC_INIT;
	const struct location_figures *row;

	if (!x)
		return;
	for (uint32_t l = 0; l < report->n_locations; l++) {
		const struct overhead_place *place = &r->places[l];
		struct location_figures *own;
		if (!trace_has_location(r->trace, l))
			continue;
		own = vec_add(&rows);
		own->location = l;
		own->removed = place->removed;
		own->records = place->records;
		own->local = place->local;
		own->carried = place->carried;
		own->blocking = place->blocking;
		memcpy(own->work, place->work, sizeof own->work);
		own->survey = r->survey->locations[l];
		own->time = report->locations[l].time;
	}
	exchange_rows(x, &rows);
	vec_each (row, &rows) {
		struct overhead_place *place = &r->places[row->location];
		place->removed = row->removed;
		place->records = row->records;
		place->local = row->local;
		place->carried = row->carried;
		place->blocking = row->blocking;
		memcpy(place->work, row->work, sizeof place->work);
		r->survey->locations[row->location] = row->survey;
		report->locations[row->location].time = row->time;
	}
}

static void share_counts(struct overhead_replay *r)
{
	struct exchange *x = trace_exchange(r->trace);
	uint64_t *const counts[] = { &r->clamped, &r->extended, &r->violations, &r->flushes };

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] = exchange_count(x, *counts[i]);
	exchange_ticks(x, &r->flushed, 1);
	exchange_ticks(x, (int64_t *)(void *)r->regions,
		       trace_region_count(r->trace) * sizeof *r->regions / sizeof(int64_t));
}

/* Ratios of sums over all locations, not sums of their ratios. */
static void report_shares(struct overhead_report *report, const struct overhead_replay *r)
{
	double removed = 0, local = 0, carried = 0, segments = 0, skipped = 0, blocking = 0;
	double work[2] = { 0, 0 };

	for (uint32_t l = 0; l < report->n_locations; l++) {
		const struct overhead_place *place = &r->places[l];
		removed += place->removed;
		local += (double)place->local;
		carried += (double)place->carried;
		segments += (double)r->survey->locations[l].segments;
		skipped += (double)r->survey->locations[l].skipped;
		blocking += (double)place->blocking;
		work[0] += (double)place->work[0];
		work[1] += (double)place->work[1];
	}
	report->event = share(removed, (double)report->local.records) * r->cost->tick;
	report->carried_share = share(carried, local);
	report->sampled_share = share(skipped, segments);
	report->blocking_share = share(blocking, (double)report->local.measured);
	report->ratio = share(work[0] - work[1], work[1]);
}

static void report_costs(struct overhead_report *report, const struct overhead_replay *r)
{
	const struct overhead_classes *classes = &r->survey->classes;
	const struct overhead_cost *cost = r->cost;
	const double copy = cost_of_copy(cost, COPY_REPORTED) / COPY_REPORTED;

	report->loop = cost->known && !cost->given ? cost->function * cost->tick : -1;
	report->copy_cost = cost->copy_each >= 0 || cost->n_copy ? copy * cost->tick : -1;
	report->event_low = report->event_high = cost->function * cost->tick;
	report->classes = (uint32_t)exchange_count(trace_exchange(r->trace), classes->list.n);
	report->classes_sampled = classes->own;
	if (report->source == OVERHEAD_SAMPLED) {
		report->event_low = classes->lowest * cost->tick;
		report->event_high = classes->highest * cost->tick;
	} else if (report->source == OVERHEAD_LOOP && report->model == OVERHEAD_INSITU) {
		const struct cost_range range = cost_uncalibrated(cost, cost->function);
		report->event_low = range.low * cost->tick;
		report->event_high = range.high * cost->tick;
	} else if (report->model == OVERHEAD_INSITU) {
		report->event_low *= least_share;
	}
}

static void make_report(struct overhead_report *report, struct overhead_replay *r)
{
	const struct trace *trace = r->trace;

	report->done = true;
	report->n_locations = trace_location_count(trace);
	report->locations = xcalloc((size_t)report->n_locations + 1, sizeof *report->locations);
	for (uint32_t l = 0; l < report->n_locations; l++)
		report->locations[l].time = times_of(r, l, r->places[l].records);
	share_locations(report, r);
	share_counts(r);
	report->n_regions = trace_region_count(trace);
	report->regions = r->regions;
	r->regions = NULL;
	for (uint32_t l = 0; l < report->n_locations; l++)
		report_location(report, r, l);
	report->run = times_of(r, UINT32_MAX, report->local.records);
	report_costs(report, r);
	report_shares(report, r);
	report->clamped = r->clamped;
	report->extended = r->extended;
	report->violations = r->violations;
	report->flushes = r->flushes;
	report->flushed = r->flushed;
}

/* ---- making the bases ---- */

static void drop_bases(struct trace *trace)
{
	for (int way = 0; way < WAYS; way++)
		base_drop(trace, way_base[way]);
}

static bool make_bases(struct overhead_replay *r, const struct progress *progress, struct err *err)
{
	bool ok = true;

	for (int way = 0; way < WAYS && ok; way++)
		ok = base_begin(r->trace, way_base[way], err);
	ok = ok && overhead_replay_run(r, progress, err);
	if (!ok) {
		drop_bases(r->trace);
		return false;
	}
	for (int way = 0; way < WAYS; way++)
		base_commit(r->trace, way_base[way]);
	return true;
}

static bool compensate(struct overhead_report *report, struct overhead_replay *r,
		       struct overhead_cost *cost, struct overhead_survey *survey,
		       const struct progress *progress, struct err *err)
{
	bool ok;

	if (!survey_make(survey, r->logical, r->paths, cost, r->timed, r->from, progress))
		return false;
	report->source = find_source(cost, survey, r->paper);
	if (report->source == OVERHEAD_NONE) {
		snprintf(
			report->why, sizeof report->why,
			"The trace does not say how long recording took; give the cost of a record "
			"with --overhead.");
		return true;
	}
	if (r->paper)
		cost_all(cost, cost->record);
	r->one_cost = r->paper || cost->given;
	set_ways(r, cost, report->source);
	set_crowd(r, report);
	ok = make_bases(r, progress, err);
	if (ok)
		make_report(report, r);
	overhead_replay_fini(r);
	return ok;
}

bool overhead_run(struct overhead_report *report, struct trace *trace,
		  const struct logical *logical, enum time_base from,
		  const struct overhead_options *options, const struct progress *progress,
		  struct err *err)
{
	const struct progress whole = progress_whole(progress);
	struct overhead_paths paths = paths_make(trace);
	struct overhead_cost cost;
	struct overhead_survey survey = { 0 };
	struct overhead_timed timed = timed_make(trace);
	struct overhead_replay replay = { .trace = trace,
					  .logical = logical,
					  .from = from,
					  .cost = &cost,
					  .paths = &paths,
					  .survey = &survey,
					  .timed = &timed,
					  .paper = options->model != OVERHEAD_INSITU,
					  .alike = options->model == OVERHEAD_PAPER_ALIKE };
	bool ok;

	memset(report, 0, sizeof *report);
	report->model = options->model;
	report->loop = report->copy_cost = -1;
	drop_bases(trace);
	cost_read(&cost, trace, options);
	timed_share(&timed, trace, &paths, from);
	ok = compensate(report, &replay, &cost, &survey, &whole, err);
	survey_fini(&survey);
	timed_fini(&timed);
	cost_fini(&cost);
	paths_fini(&paths);
	return ok;
}

const char *overhead_model_name(enum overhead_model model)
{
	static const char *const names[] = { [OVERHEAD_INSITU] = "insitu",
					     [OVERHEAD_PAPER] = "paper",
					     [OVERHEAD_PAPER_ALIKE] = "paper-12" };

	return names[model];
}

void overhead_report_fini(struct overhead_report *report)
{
	free_all(report->locations, report->regions);
	memset(report, 0, sizeof *report);
}
