#include "views/query/second_trace.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "correct/correct.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

/* ---- the other traces ---- */

static void add(struct other *o, struct trace *trace, struct corrections *corrections,
		enum time_base base)
{
	o->all[o->n++] = (struct other_trace){
		.trace = trace,
		.corrections = corrections,
		.analyses = analyses_new(trace, &(struct analysis_options){ 0 }),
		.base = base,
	};
}

static void look_at_first(struct other *o)
{
	o->trace = o->all[0].trace;
	o->corrections = o->all[0].corrections;
	o->analyses = o->all[0].analyses;
	o->base = o->all[0].base;
}

struct other *other_of_figures(const char *name, struct figures *figures, unsigned n)
{
	struct other *o = xcalloc(1, sizeof *o);

	assert(n > 0 && n <= 1 + DELTA_REPEATED);
	o->name = xstrdup(name);
	for (unsigned i = 0; i < n; i++)
		o->all[o->n++] = (struct other_trace){ .trace = figures[i].trace,
						       .figures = figures[i],
						       .base = figures[i].base };
	look_at_first(o);
	return o;
}

struct other *other_new(struct trace *trace, struct corrections *corrections, enum time_base base)
{
	struct other *o = xcalloc(1, sizeof *o);

	add(o, trace, corrections, base);
	look_at_first(o);
	return o;
}

static void forget(struct other *o)
{
	delta_free(o->delta);
	o->delta = NULL;
	cube_free(o->cube);
	o->cube = NULL;
	free(o->chosen);
	o->chosen = NULL;
	for (unsigned i = 0; i < o->n; i++) {
		cube_free(o->all[i].cube);
		o->all[i].cube = NULL;
		free(o->all[i].chosen);
		o->all[i].chosen = NULL;
	}
}

void other_free(struct other *o)
{
	if (!o)
		return;
	forget(o);
	for (unsigned i = 0; i < o->n; i++) {
		analyses_free(o->all[i].analyses);
		corrections_free(o->all[i].corrections);
		cube_free(o->all[i].figures.cube);
		trace_free(o->all[i].trace);
	}
	free_all(o->name, o);
}

bool other_repeat(struct other *o, struct trace *trace, struct corrections *corrections,
		  enum time_base base)
{
	if (o->n <= DELTA_REPEATED) {
		add(o, trace, corrections, base);
		forget(o);
		return true;
	}
	corrections_free(corrections);
	trace_free(trace);
	return false;
}

/* ---- the same window ---- */

static int64_t map_time(const struct other_trace *to, const struct query *from,
			const struct other_point *point, int64_t t)
{
	const long double scale = (long double)trace_scale(to->trace)->per_second /
				  (long double)trace_scale(from->trace)->per_second;
	long double ticks;

	if (t == INT64_MIN || t == INT64_MAX)
		return t;
	ticks = roundl(((long double)t - (long double)point->here) * scale) +
		(long double)point->there;
	return ticks <= (long double)INT64_MIN   ? INT64_MIN + 1
	       : ticks >= (long double)INT64_MAX ? INT64_MAX - 1
						 : (int64_t)ticks;
}

struct other_point other_begin(const struct other_trace *trace, const struct query *query)
{
	struct other_point point;
	int64_t end;

	trace_span(query->trace, query->base, &point.here, &end);
	trace_span(trace->trace, trace->base, &point.there, &end);
	return point;
}

struct span_of_other other_window_at(const struct other_trace *trace, const struct query *query,
				     const struct other_point *point)
{
	return (struct span_of_other){ map_time(trace, query, point, query->t0),
				       map_time(trace, query, point, query->t1) };
}

struct span_of_other other_window(const struct other_trace *trace, const struct query *query)
{
	const struct other_point begin = other_begin(trace, query);

	return other_window_at(trace, query, &begin);
}

/* ---- the same ranks ---- */

/* Marks the locations of a trace whose ranks the query chooses. */
static bool *same_ranks(const struct trace *trace, const struct query *query, const bool *chosen)
{
	const uint32_t n = trace_location_count(trace), all = trace_location_count(query->trace);
	bool *same = xcalloc((size_t)n + 1, sizeof *same);

	for (uint32_t l = 0; l < n; l++) {
		const uint32_t there =
			trace_location_of_rank(query->trace, trace_location(trace, l)->rank);
		same[l] = there < all && chosen[there];
	}
	return same;
}

/* A cube of the chosen locations only. NULL `chosen`: all. */
static struct cube *some_of(const struct cube *cube, const bool *chosen)
{
	struct cube *some = cube_new(cube_trace(cube));

	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cells = cube_cells(cube, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++)
			if (!chosen || chosen[cells[i].location])
				cube_add(some, (enum cube_metric)m, cells[i].path,
					 cells[i].location, cells[i].value);
	}
	cube_settle(some);
	return some;
}

/* The same; takes `cube`. */
static struct cube *only(struct cube *cube, const bool *chosen)
{
	struct cube *some;

	if (!cube || !chosen)
		return cube;
	some = some_of(cube, chosen);
	cube_free(cube);
	return some;
}

/* True if the last answer was for the locations that the query chooses. */
static bool is_of_these(const struct other *o, const struct query *query)
{
	bool *chosen, same;

	if (!o->chosen || !query->locations)
		return !o->chosen && !query->locations;
	chosen = query_chosen(query);
	same = memcmp(chosen, o->chosen, trace_location_count(query->trace) * sizeof *chosen) == 0;
	free(chosen);
	return same;
}

static struct cube *cube_of(struct analyses *analyses, enum time_base base, int64_t t0, int64_t t1,
			    const struct query *query, struct err *err)
{
	const struct analysis *analysis = analyses_get(analyses, base, query->progress, err);

	return analysis ? analysis_cube(analysis, t0, t1, CUBE_ALL, query->progress, err) : NULL;
}

/* Uses the query's base where a trace has it, otherwise the trace's default. */
static bool follow_base(struct other *o, const struct query *query, struct err *err)
{
	for (unsigned i = 0; i < o->n; i++) {
		struct other_trace *one = &o->all[i];
		if (!one->analyses)
			continue;
		const enum time_base base = trace_has_base(one->trace, query->base)
						    ? query->base
						    : trace_default_base(one->trace);
		if (!trace_base_make(one->trace, base, query->progress, err))
			return false;
		one->base = base;
	}
	o->base = o->all[0].base;
	return true;
}

/* Figures have no events, but the cube of their run. */
static struct cube *cube_of_other(const struct other_trace *one, const struct query *query,
				  struct err *err)
{
	struct span_of_other window;

	if (!one->analyses)
		return some_of(one->figures.cube, one->chosen);
	window = other_window(one, query);
	return only(cube_of(one->analyses, one->base, window.t0, window.t1, query, err),
		    one->chosen);
}

static bool make_cubes(struct other *o, const struct query *query, struct err *err)
{
	o->chosen = query->locations ? query_chosen(query) : NULL;
	for (unsigned i = 0; i < o->n; i++) {
		struct other_trace *one = &o->all[i];

		if (o->chosen)
			one->chosen = same_ranks(one->trace, query, o->chosen);
		one->cube = cube_of_other(one, query, err);
		if (!one->cube)
			return false;
	}
	o->cube = only(cube_of(query->analyses, query->base, query->t0, query->t1, query, err),
		       o->chosen);
	return o->cube != NULL;
}

const struct delta *other_delta(struct other *o, const struct query *query, struct err *err)
{
	const struct cube *repeated[DELTA_REPEATED];

	if (o->delta && o->of == query->trace && o->of_base == query->base && o->t0 == query->t0 &&
	    o->t1 == query->t1 && is_of_these(o, query))
		return o->delta;
	forget(o);
	if (o->name && !query_is_whole(query)) {
		err_set(err, STATUS_USAGE,
			"baseline %s has figures of whole runs: they cannot be compared with a "
			"window (--time)",
			o->name);
		return NULL;
	}
	if (!follow_base(o, query, err) || !make_cubes(o, query, err)) {
		forget(o);
		return NULL;
	}
	for (unsigned i = 1; i < o->n; i++)
		repeated[i - 1] = o->all[i].cube;
	o->delta = delta_new(o->all[0].cube, o->cube, repeated, o->n - 1);
	o->of = query->trace;
	o->of_base = query->base;
	o->t0 = query->t0;
	o->t1 = query->t1;
	return o->delta;
}

static bool efficiency_in(struct analyses *analyses, enum time_base base, const struct cube *cube,
			  const bool *chosen, struct span_of_other window,
			  const struct query *query, struct efficiency *efficiency, struct err *err)
{
	struct analysis *analysis = analyses_get(analyses, base, query->progress, err);
	const struct causes *causes = analysis ? causes_of(analysis, query->progress, err) : NULL;

	if (!causes || !causes_ideal(causes, window.t0, window.t1, query->progress, err))
		return false;
	efficiency_of(causes, cube, chosen, window.t0, window.t1, efficiency);
	return true;
}

/* Efficiencies, as they follow each other in the struct. */
enum { EFFICIENCIES = sizeof(struct efficiency) / sizeof(double) };

static void summarise(const struct efficiency *samples, unsigned n, struct efficiency *mean,
		      struct efficiency *noise)
{
	for (unsigned f = 0; f < EFFICIENCIES; f++) {
		double values[1 + DELTA_REPEATED], sum = 0, of_noise;
		for (unsigned i = 0; i < n; i++) {
			memcpy(&values[i], (const double *)&samples[i] + f, sizeof *values);
			sum += values[i] / n;
		}
		of_noise = delta_noise(values, n);
		memcpy((double *)mean + f, &sum, sizeof sum);
		memcpy((double *)noise + f, &of_noise, sizeof of_noise);
	}
}

bool other_efficiencies(struct other *o, const struct query *query,
			struct other_efficiencies *efficiencies, struct err *err)
{
	struct efficiency samples[1 + DELTA_REPEATED];

	if (!other_delta(o, query, err))
		return false;
	for (unsigned i = 0; i < o->n; i++) {
		const struct other_trace *one = &o->all[i];
		if (!one->analyses)
			samples[i] = one->figures.efficiency;
		else if (!efficiency_in(one->analyses, one->base, one->cube, one->chosen,
					other_window(one, query), query, &samples[i], err))
			return false;
	}
	summarise(samples, o->n, &efficiencies->of[ALIGN_OLD], &efficiencies->noise);
	return efficiency_in(query->analyses, query->base, o->cube, o->chosen,
			     (struct span_of_other){ query->t0, query->t1 }, query,
			     &efficiencies->of[ALIGN_NEW], err);
}
