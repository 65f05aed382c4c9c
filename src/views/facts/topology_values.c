#include "views/facts/topology_values.h"

#include <math.h>

#include "base/mem.h"
#include "patterns/severity/cube.h"
#include "views/query/analyses.h"
#include "views/query/view_common.h"

/* The metric with the most waiting, if the user chose none. */
static enum cube_metric most_waiting(const struct cube *cube, const bool *chosen)
{
	enum cube_metric best = CUBE_NONE;
	double most = 0;

	for (int i = 0; i < CUBE_METRICS; i++) {
		const enum cube_metric metric = (enum cube_metric)i;
		const double total =
			cube_metric_is_waiting(metric) && !cube_metric_is_completion(metric)
				? cube_total(cube, metric, chosen)
				: 0;
		if (total > most) {
			most = total;
			best = metric;
		}
	}
	if (best == CUBE_NONE)
		best = cube_total(cube, CUBE_MPI, chosen) > 0 ? CUBE_MPI : CUBE_TIME;
	return best;
}

bool topology_values_make(struct topology_values *v, const struct query *query, struct err *err)
{
	const struct cube *cube;

	*v = (struct topology_values){ .trace = query->trace,
				       .metric = (enum cube_metric)query->metric,
				       .own = query->metric == CUBE_NONE,
				       .callpath = query->callpath,
				       .n = trace_location_count(query->trace) };
	if (!query->analyses)
		return true;
	cube = analyses_cube(query->analyses, query->base, query->t0, query->t1, query->progress,
			     err);
	v->grids = cube ? analyses_grids(query->analyses, query->base, err) : NULL;
	if (!v->grids)
		return false;
	v->chosen = query_chosen(query);
	v->of = xcalloc((size_t)v->n + 1, sizeof *v->of);
	if (v->own)
		v->metric = most_waiting(cube, v->chosen);
	/* The root's subtree includes all call paths. */
	cube_by_location(cube, v->metric, v->callpath == UINT32_MAX ? 0 : v->callpath, true, v->of);
	return true;
}

void topology_values_fini(struct topology_values *v)
{
	free_all(v->chosen, v->of);
	v->chosen = NULL;
	v->of = NULL;
	v->grids = NULL;
}

bool topology_value_at(const struct topology_values *v, const struct grid *grid,
		       const int32_t *coords, double *value)
{
	const uint32_t *found;
	const uint32_t n = grid_locations(grid, coords, &found);
	bool any = false;

	*value = 0;
	for (uint32_t i = 0; i < n; i++)
		if (v->chosen[found[i]]) {
			*value += v->of[found[i]];
			any = true;
		}
	return any;
}

struct topology_range topology_range(const struct topology_values *v, const struct grid *grid)
{
	struct topology_range r = { 0, 0, 0, 0 };

	for (uint32_t i = 0; i < grid->places;) {
		const int32_t *at = grid_at(grid, grid->order[i]);
		const uint32_t *found;
		double value;
		if (topology_value_at(v, grid, at, &value)) {
			r.min = !r.places || value < r.min ? value : r.min;
			r.max = !r.places || value > r.max ? value : r.max;
			r.sum += value;
			r.places++;
		}
		i += grid_locations(grid, at, &found);
	}
	return r;
}

/* ---- values as text ---- */

static int64_t whole(double value)
{
	if (!(fabs(value) < 9e18))
		return value < 0 ? INT64_MIN + 1 : INT64_MAX;
	return llround(value);
}

void topology_show(const struct topology_values *v, double value, struct str *out)
{
	switch (cube_metric_info(v->metric)->unit) {
	case UNIT_TICKS: units_human_time(out, whole(value), trace_scale(v->trace), 3); break;
	case UNIT_BYTES: units_bytes(out, (uint64_t)whole(fmax(value, 0))); break;
	case UNIT_COUNT: units_count(out, (uint64_t)whole(fmax(value, 0))); break;
	}
}

/* Thousands to divide by, so that `most` has at most four digits before the point. */
static unsigned thousands(double most)
{
	unsigned steps = 0;

	for (; most >= 9999.5 && steps < 4; most /= 1000)
		steps++;
	return steps;
}

void topology_show_short(const struct topology_values *v, double value, double most,
			 struct str *out)
{
	double shown = value, largest = most;

	if (cube_metric_info(v->metric)->unit == UNIT_TICKS) {
		const struct timescale *scale = trace_scale(v->trace);
		const double unit =
			pow(10, units_exponent(whole(most), scale)) * (double)scale->per_second;
		shown = value / unit;
		largest = most / unit;
	} else {
		shown = value / pow(1000, thousands(most));
		largest = most / pow(1000, thousands(most));
		if (thousands(most) == 0) {
			str_add_fmt(out, "%.0f", shown);
			return;
		}
	}
	str_add_fmt(out, "%.*f", largest >= 100 ? 0 : largest >= 10 ? 1 : 2, shown);
}

const char *topology_short_unit(const struct topology_values *v, double most)
{
	static const char *const counts[] = { "", "thousands", "millions", "10^9", "10^12" };
	static const char *const bytes[] = { "B", "kB", "MB", "GB", "TB" };

	switch (cube_metric_info(v->metric)->unit) {
	case UNIT_TICKS:
		return units_exponent_name(units_exponent(whole(most), trace_scale(v->trace)));
	case UNIT_BYTES: return bytes[thousands(most)];
	case UNIT_COUNT: break;
	}
	return counts[thousands(most)];
}
