#include "harness/severities.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "patterns/causes/causes.h"
#include "patterns/severity/cube.h"

/* Sums of doubles: so much of the largest of what they are made of, and ticks. */
static const double tolerance = 1e-9, ticks = 1e-6;

static char *say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *say(const char *fmt, ...)
{
	struct str text = STR_INIT;
	va_list args;

	va_start(args, fmt);
	str_add_fmt_v(&text, fmt, args);
	va_end(args);
	return str_take(&text);
}

/* ---- instances ---- */

static char *wait_broken(const struct analysis *a, const struct causes *causes, uint32_t location,
			 uint32_t i, const struct wait *wait)
{
	const struct trace *trace = analysis_trace(a);
	struct explanation why;
	double sum = 0;

	if (wait->length <= 0)
		return say("location %u, wait %u: its length is %" PRId64, location, i,
			   wait->length);
	if (wait->path >= trace_callpath_count(trace) ||
	    trace_callpath(trace, wait->path)->canon != wait->path)
		return say("location %u, wait %u: call path %u", location, i, wait->path);
	if (trace_event_location(trace, wait->event) != location)
		return say("location %u, wait %u: event of another location", location, i);
	if (!causes_explain(causes, location, i, &why))
		return NULL;
	for (unsigned k = 0; k < why.n; k++) {
		if (!(why.reasons[k].share >= 0))
			return say("location %u, wait %u: share %u is %g", location, i, k,
				   why.reasons[k].share);
		sum += why.reasons[k].share;
	}
	/* Less than half a tick needs no explanation. */
	if (!(fabs(sum - (double)wait->length) <= 0.5 + tolerance * (double)wait->length))
		return say("location %u, wait %u of %" PRId64 ": explained are %.9g", location, i,
			   wait->length, sum);
	return NULL;
}

static char *waits_broken(const struct analysis *a, const struct causes *causes)
{
	for (uint32_t l = 0; l < trace_location_count(analysis_trace(a)); l++) {
		size_t n;
		const struct wait *waits = analysis_waits(a, l, &n);
		for (size_t i = 0; i < n; i++) {
			char *broken = wait_broken(a, causes, l, (uint32_t)i, &waits[i]);
			if (broken)
				return broken;
			if (i && waits[i].begin < waits[i - 1].begin)
				return say("location %u: waits %zu and before are not in order", l,
					   i);
		}
	}
	return NULL;
}

/* ---- causes ---- */

static char *causes_broken(const struct analysis *a, const struct causes *causes)
{
	struct causes_account account;
	size_t n;
	const struct path_stretch *path = causes_critical_path(causes, &n);
	int64_t begin, end;
	double length = 0;

	causes_account(causes, &account);
	if (!(fabs(account.waited - account.charged - account.unexplained) <=
	      ticks + tolerance * account.waited))
		return say("of %.9g waited %.9g are charged and %.9g not", account.waited,
			   account.charged, account.unexplained);
	trace_span(analysis_trace(a), analysis_base(a), &begin, &end);
	for (size_t i = 0; i < n; i++) {
		if (path[i].from < begin || path[i].to > end)
			return say("the critical path leaves the run at stretch %zu", i);
		length += (double)path[i].to - (double)path[i].from;
	}
	/* From the first that is on it to the last, without a gap, unless messages arrive before
	 * they are sent. */
	if (n && analysis_counts(a)->violations == 0 &&
	    length != (double)path[n - 1].to - (double)path[0].from)
		return say("the critical path is %.9g long, its ends are %.9g apart", length,
			   (double)path[n - 1].to - (double)path[0].from);
	return NULL;
}

/* ---- cubes ---- */

/* All values of a cube: [metrics][call paths][locations]. */
struct values {
	const struct trace *trace;
	uint32_t paths, locations;
	double *of;
};

struct values_of {
	const struct values *values;
	int metric;
};

static size_t row(const struct values *v, int metric, uint32_t path, uint32_t location)
{
	return ((size_t)metric * v->paths + path) * v->locations + location;
}

static void take(void *context, const struct cube_cell *cell)
{
	const struct values_of *to = context;

	to->values->of[row(to->values, to->metric, cell->path, cell->location)] += cell->value;
}

static void values_init(struct values *v, const struct analysis *a, int64_t t0, int64_t t1)
{
	struct cube *cube = analysis_cube(a, t0, t1, CUBE_ALL, NULL, NULL);

	v->trace = analysis_trace(a);
	v->paths = trace_callpath_count(v->trace);
	v->locations = trace_location_count(v->trace);
	v->of = xcalloc((size_t)CUBE_METRICS * v->paths * v->locations + 1, sizeof *v->of);
	for (int m = 0; m < CUBE_METRICS; m++)
		cube_visit(cube, (enum cube_metric)m, take, &(struct values_of){ v, m });
	cube_free(cube);
}

/* A cell of the critical path is less than nothing where two of its points lie in one call, and
 * what is between partitions may be more than all imbalance: the formulas are like that. */
static bool is_signed(int metric)
{
	return cube_metric_within((enum cube_metric)metric, CUBE_CRITICAL_PATH) ||
	       cube_metric_within((enum cube_metric)metric, CUBE_PERFORMANCE_IMPACT);
}

/* Late Receivers are counted in the call that waited, sends in the one that sent. Parts of
 * one-sided waiting are not cut where that is (wait_parts.h). */
static bool is_within_parent(int metric)
{
	switch (metric) {
	case CUBE_MPI_SLR_COUNT:
	case CUBE_MPI_CLR_COUNT:
	case CUBE_MPI_RMA_LATE_COMPLETE:
	case CUBE_MPI_RMA_EARLY_FENCE: return false;
	default: break;
	}
	return cube_metric_info((enum cube_metric)metric)->parent != CUBE_NONE &&
	       !is_signed(metric);
}

static char *value_broken(const struct values *v, int m, uint32_t path, uint32_t location)
{
	const struct cube_metric_info *info = cube_metric_info((enum cube_metric)m);
	const double value = v->of[row(v, m, path, location)];
	double parent;

	if (!isfinite(value) || (value < -ticks && !is_signed(m)))
		return say("%s, call path %u, location %u: %.9g", info->name, path, location,
			   value);
	if (!is_within_parent(m))
		return NULL;
	parent = v->of[row(v, (int)info->parent, path, location)];
	if (value > parent + ticks + tolerance * parent)
		return say("%s, call path %u, location %u: %.9g of %.9g", info->name, path,
			   location, value, parent);
	return NULL;
}

static char *values_broken(const struct values *v)
{
	char *broken = NULL;

	for (int m = 0; m < CUBE_METRICS && !broken; m++)
		for (uint32_t p = 0; p < v->paths && !broken; p++)
			for (uint32_t l = 0; l < v->locations && !broken; l++)
				broken = value_broken(v, m, p, l);
	return broken;
}

/* Imbalance is against the mean of the window, and so is the critical path's. */
static bool adds_up(int metric)
{
	return !cube_metric_within((enum cube_metric)metric, CUBE_IMBALANCE) && !is_signed(metric);
}

static char *sum_broken(const struct values *whole, const struct values *one,
			const struct values *two)
{
	const size_t cells = (size_t)whole->paths * whole->locations;

	for (size_t i = 0; i < CUBE_METRICS * cells; i++) {
		const double sum = one->of[i] + two->of[i];
		if (!adds_up((int)(i / cells)) ||
		    fabs(whole->of[i] - sum) <= ticks + tolerance * fabs(sum))
			continue;
		return say("%s, call path %zu, location %zu: %.9g, its parts %.9g and %.9g",
			   cube_metric_info((enum cube_metric)(i / cells))->name,
			   i % cells / whole->locations, i % whole->locations, whole->of[i],
			   one->of[i], two->of[i]);
	}
	return NULL;
}

static char *window_broken(const struct analysis *a, int64_t t0, int64_t t1, int64_t t2)
{
	struct values whole, one, two;
	char *broken;

	values_init(&whole, a, t0, t2);
	values_init(&one, a, t0, t1);
	values_init(&two, a, t1, t2);
	broken = values_broken(&whole);
	broken = broken ? broken : values_broken(&one);
	broken = broken ? broken : values_broken(&two);
	broken = broken ? broken : sum_broken(&whole, &one, &two);
	free(whole.of);
	free(one.of);
	free(two.of);
	return broken;
}

static int64_t at(int64_t begin, int64_t end, uint64_t share)
{
	const uint64_t length = (uint64_t)end - (uint64_t)begin;

	return (int64_t)((uint64_t)begin +
			 (uint64_t)((double)length * (double)(share % 1001) / 1001));
}

char *severities_broken(struct analysis *a, uint64_t dice)
{
	struct err err = ERR_INIT;
	const struct causes *causes = causes_of(a, NULL, &err);
	int64_t begin, end, t0, t1;
	char *broken;

	if (!causes)
		return say("no causes: %s", err.text);
	trace_span(analysis_trace(a), analysis_base(a), &begin, &end);
	t0 = at(begin, end, dice);
	t1 = at(t0, end, dice >> 20);
	broken = waits_broken(a, causes);
	broken = broken ? broken : causes_broken(a, causes);
	broken = broken ? broken : window_broken(a, INT64_MIN, t0, INT64_MAX);
	return broken ? broken : window_broken(a, t0, t1, end);
}
