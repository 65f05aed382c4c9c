#include <math.h>

#include "base/chance.h"
#include "base/mem.h"
#include "model/trace/region_meaning.h"
#include "patterns/compare/delta_state.h"
#include "patterns/severity/region_metric.h"

/* One of so many comparisons of two runs of the same program may find a difference. */
#define CHANCE   0.05
/* Of the mean of equal values. */
#define ROUNDING 1e-12

static double mean_of(const double *samples, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += samples[i];
	return sum / n;
}

static double variance_of(const double *samples, unsigned n)
{
	const double mean = mean_of(samples, n);
	double squares = 0;

	for (unsigned i = 0; i < n; i++)
		squares += (samples[i] - mean) * (samples[i] - mean);
	return squares / (n - 1);
}

double delta_noise(const double *samples, unsigned n)
{
	return n < 2 ? 0
		     : chance_quantile(CHANCE, n - 1) *
			       sqrt(variance_of(samples, n) * (1 + 1.0 / n));
}

/* ---- what a row may show ---- */

/* The values of the old traces; returns how many. */
static unsigned samples_of(const struct delta *d, const double values[DELTA_PARTS],
			   double samples[DELTA_PARTS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->n; i++)
		if (i != ALIGN_NEW)
			samples[n++] = values[i];
	return n;
}

/* A count of messages that were waited for. */
static bool counts_waits(enum cube_metric metric)
{
	return metric == CUBE_MPI_SLR_COUNT || metric == CUBE_MPI_CLR_COUNT ||
	       cube_metric_within(metric, CUBE_MPI_SLS_COUNT) ||
	       cube_metric_within(metric, CUBE_MPI_CLS_COUNT);
}

static enum delta_kind kind_of(const struct delta *d, enum cube_metric metric, unsigned by,
			       uint32_t path)
{
	const bool setup = path == ALIGN_NONE ? d->in_setup[metric] : d->setup[path];

	if (counts_waits(metric) ||
	    (setup && (by & DELTA_BY_PLACE) && cube_metric_within(metric, CUBE_CRITICAL_PATH)))
		return DELTA_CHANCE;
	return setup ? DELTA_SETUP : DELTA_CORE;
}

/* The largest distance of one sample from the mean of the others; of times that chance gives to one
 * rank or another, all of it. */
static double deviation(const double *samples, unsigned n, bool whole)
{
	const double mean = mean_of(samples, n);
	double most = 0;

	for (unsigned i = 0; i < n; i++)
		most = fmax(most, whole ? samples[i] : fabs(samples[i] - mean) * n / (n - 1));
	return most;
}

static void mark_setup(struct delta *d)
{
	const struct alignment *a = d->alignment;

	d->setup = xcalloc((size_t)a->n_paths + 1, sizeof *d->setup);
	for (uint32_t node = 1; node < a->n_paths; node++) {
		const struct aligned_path *p = &a->paths[node];
		const int side = p->path[ALIGN_NEW] != ALIGN_NONE ? ALIGN_NEW : ALIGN_OLD;
		const uint32_t region = trace_callpath_region(a->trace[side], p->path[side]);
		const enum call_kind call = region_call(a->trace[side], region);

		d->setup[node] = d->setup[p->parent] || call == CALL_INIT ||
				 call == CALL_FINALIZE ||
				 region_metric(a->trace[side], region) == CUBE_OVERHEAD;
	}
}

static void note(struct delta *d, enum cube_metric metric, unsigned by, uint32_t path,
		 const double values[DELTA_PARTS])
{
	const enum delta_kind kind = kind_of(d, metric, by, path);
	const enum cube_unit unit = cube_metric_info(metric)->unit;
	struct delta_scatter *scatter = &d->scatter[by][metric][kind];
	double *most = &d->most[by][unit][kind];
	double samples[DELTA_PARTS];
	const unsigned n = samples_of(d, values, samples);
	const double mean = mean_of(samples, n);

	*most = fmax(*most, deviation(samples, n, kind == DELTA_CHANCE && unit == UNIT_TICKS));
	if (mean > 0) {
		scatter->squares += variance_of(samples, n) / (mean * mean);
		scatter->rows++;
	}
	d->rows++;
}

static void note_rows(struct delta *d, enum cube_metric metric, unsigned by,
		      const struct delta_gathering *cells)
{
	struct delta_gathering g = { .delta = d, .by = by };
	double values[DELTA_PARTS];

	delta_gather_from(&g, cells);
	for (size_t i = 0; i < g.entries.n;) {
		const uint32_t path = g.entries.data[i].path;
		i = delta_gather_row(&g, i, metric, values);
		if (by == DELTA_BY_PATH && d->setup[path])
			d->in_setup[metric] = true;
		note(d, metric, by, path, values);
	}
	vec_fini(&g.entries);
}

void delta_noise_make(struct delta *d)
{
	struct delta_gathering cells = { .delta = d, .by = DELTA_EACH_CELL };
	double values[DELTA_PARTS];

	mark_setup(d);
	/* One wait more is chance, also where all old runs have as many. */
	for (unsigned by = 0; by < DELTA_TABLES; by++)
		d->most[by][UNIT_COUNT][DELTA_CHANCE] = 1;
	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric metric = (enum cube_metric)m;
		if (!delta_has(d, metric))
			continue;
		delta_gather(&cells, metric, d->n);
		/* By path first: it says what is in set-up. */
		note_rows(d, metric, DELTA_BY_PATH, &cells);
		note_rows(d, metric, DELTA_BY_PLACE, &cells);
		note_rows(d, metric, DELTA_BY_PATH | DELTA_BY_PLACE, &cells);
		delta_totals(d, metric, values);
		note(d, metric, 0, ALIGN_NONE, values);
	}
	vec_fini(&cells.entries);
}

/* The variance of a row, from its few samples and from how much all rows like it scatter. */
static double moderated(const struct delta_scatter *scatter, const double *samples, unsigned n)
{
	const double mean = mean_of(samples, n);
	const double usual = scatter->rows ? mean * mean * scatter->squares / scatter->rows : 0;

	return (DELTA_PRIOR * usual + (n - 1) * variance_of(samples, n)) / (DELTA_PRIOR + n - 1);
}

struct delta_row delta_row_of(const struct delta *d, enum cube_metric metric, unsigned by,
			      uint32_t path, uint32_t place, const double values[DELTA_PARTS])
{
	const enum cube_unit unit = cube_metric_info(metric)->unit;
	struct delta_row row = { metric, path, place, { values[ALIGN_OLD], values[ALIGN_NEW] }, 0 };
	double samples[DELTA_PARTS];
	const unsigned n = samples_of(d, values, samples);

	if (n > 1) {
		const enum delta_kind kind = kind_of(d, metric, by, path);
		const double v = moderated(&d->scatter[by][metric][kind], samples, n);
		row.value[ALIGN_OLD] = mean_of(samples, n);
		row.noise = ROUNDING * fabs(row.value[ALIGN_NEW]) +
			    chance_quantile(CHANCE / d->rows, DELTA_PRIOR + n - 1) *
				    sqrt(v * (1 + 1.0 / n)) +
			    fmax(1, 1 / (CHANCE * (n + 1))) * d->most[by][unit][kind];
	} else if (unit == UNIT_TICKS) {
		row.noise = fmax(DELTA_OF_TIME * d->time,
				 DELTA_SHARE * fmax(fabs(row.value[ALIGN_OLD]),
						    fabs(row.value[ALIGN_NEW])));
	}
	return row;
}

double delta_total_noise(const struct delta *d, enum cube_metric metric)
{
	double values[DELTA_PARTS], samples[DELTA_PARTS];

	delta_totals(d, metric, values);
	return delta_noise(samples, samples_of(d, values, samples));
}
