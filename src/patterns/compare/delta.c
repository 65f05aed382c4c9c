#include "patterns/compare/delta.h"

#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "base/order.h"

/* One of the compared traces: the old one, the new one, or a repeated one. */
struct delta_part {
	const struct cube *cube;
	uint32_t *path_of, *place_of; /* node and place; borrowed for the first two */
};

struct delta {
	struct alignment *alignment;
	struct delta_part parts[ALIGN_SIDES + DELTA_REPEATED];
	unsigned n;  /* of parts */
	double time; /* seconds, of the old trace */
};

/* ---- construction ---- */

/* Maps the paths and places of a repeated trace to those of the old one. */
static void map_repeated(struct delta *d, struct delta_part *part)
{
	const struct alignment *to = d->alignment;
	struct alignment *a = align_new(d->parts[ALIGN_OLD].cube, part->cube);
	const uint32_t paths = trace_callpath_count(a->trace[ALIGN_NEW]);
	const uint32_t locations = trace_location_count(a->trace[ALIGN_NEW]);
	OWNED uint32_t *places = xmalloc(((size_t)a->n_places + 1) * sizeof *places);

	part->path_of = xmalloc(((size_t)paths + 1) * sizeof *part->path_of);
	part->place_of = xmalloc(((size_t)locations + 1) * sizeof *part->place_of);
	for (uint32_t p = 0; p < paths; p++) {
		const uint32_t old = a->paths[a->path_of[ALIGN_NEW][p]].path[ALIGN_OLD];
		part->path_of[p] = old == ALIGN_NONE ? ALIGN_NONE : to->path_of[ALIGN_OLD][old];
	}
	for (uint32_t i = 0; i < a->n_places; i++)
		places[i] = ALIGN_NONE;
	for (uint32_t l = trace_location_count(a->trace[ALIGN_OLD]); l-- > 0;)
		places[a->place_of[ALIGN_OLD][l]] = to->place_of[ALIGN_OLD][l];
	for (uint32_t l = 0; l < locations; l++)
		part->place_of[l] = places[a->place_of[ALIGN_NEW][l]];
	align_free(a);
}

/* Seconds per tick for times, else 1. */
static double unit_of(const struct delta_part *part, enum cube_metric metric)
{
	return cube_metric_info(metric)->unit == UNIT_TICKS
		       ? 1 / (double)trace_scale(cube_trace(part->cube))->per_second
		       : 1;
}

struct delta *delta_new(const struct cube *old, const struct cube *new,
			const struct cube *const *repeated, unsigned n)
{
	struct delta *d = xcalloc(1, sizeof *d);

	d->alignment = align_new(old, new);
	for (int s = 0; s < ALIGN_SIDES; s++)
		d->parts[s] =
			(struct delta_part){ s == ALIGN_NEW ? new : old, d->alignment->path_of[s],
					     d->alignment->place_of[s] };
	d->n = ALIGN_SIDES;
	for (unsigned i = 0; i < n && i < DELTA_REPEATED; i++) {
		d->parts[d->n].cube = repeated[i];
		map_repeated(d, &d->parts[d->n++]);
	}
	d->time = cube_total(old, CUBE_TIME, NULL) * unit_of(&d->parts[ALIGN_OLD], CUBE_TIME);
	return d;
}

void delta_free(struct delta *d)
{
	if (!d)
		return;
	for (unsigned i = ALIGN_SIDES; i < d->n; i++)
		free_all(d->parts[i].path_of, d->parts[i].place_of);
	align_free(d->alignment);
	free(d);
}

const struct alignment *delta_alignment(const struct delta *d)
{
	return d->alignment;
}

unsigned delta_repeated(const struct delta *d)
{
	return d->n - ALIGN_SIDES;
}

bool delta_has(const struct delta *d, enum cube_metric metric)
{
	return cube_has(d->parts[ALIGN_OLD].cube, metric) ||
	       cube_has(d->parts[ALIGN_NEW].cube, metric);
}

/* ---- noise ---- */

double delta_noise(const double *samples, unsigned n)
{
	/* Student's t, 0.975, by degrees of freedom, the first for 1. */
	static const double quantiles[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};
	const unsigned known = sizeof quantiles / sizeof *quantiles;
	double mean = 0, squares = 0;

	if (n < 2)
		return 0;
	for (unsigned i = 0; i < n; i++)
		mean += samples[i] / n;
	for (unsigned i = 0; i < n; i++)
		squares += (samples[i] - mean) * (samples[i] - mean);
	return (n - 1 <= known ? quantiles[n - 2] : 1.96) * sqrt(squares / (n - 1)) * sqrt(2);
}

static double threshold(const struct delta *d, enum cube_metric metric, const double *values)
{
	const bool time = cube_metric_info(metric)->unit == UNIT_TICKS;
	double samples[ALIGN_SIDES + DELTA_REPEATED];
	unsigned n = 0;

	if (d->n == ALIGN_SIDES)
		return time ? fmax(DELTA_OF_TIME * d->time,
				   DELTA_SHARE *
					   fmax(fabs(values[ALIGN_OLD]), fabs(values[ALIGN_NEW])))
			    : 0;
	for (unsigned i = 0; i < d->n; i++)
		if (i != ALIGN_NEW)
			samples[n++] = values[i];
	return fmax(delta_noise(samples, n), time ? DELTA_LEAST * d->time : 0);
}

bool delta_is_noise(const struct delta_row *row)
{
	return fabs(delta_difference(row)) <= row->noise;
}

/* ---- rows ---- */

/* One trace's part of a row. */
struct delta_entry {
	fixed value; /* in the trace's ticks */
	uint32_t path, place;
	uint32_t part;
};

struct gathering {
	VEC(struct delta_entry) entries;
	const struct delta *delta;
	unsigned part, by;
};

static void gather(void *context, const struct cube_cell *cell)
{
	struct gathering *g = context;
	const struct delta_part *part = &g->delta->parts[g->part];
	const struct delta_entry entry = {
		fixed_of(cell->value),
		g->by & DELTA_BY_PATH ? part->path_of[cell->path] : ALIGN_NONE,
		g->by & DELTA_BY_PLACE ? part->place_of[cell->location] : ALIGN_NONE,
		g->part,
	};

	/* Values that only a repeated trace has do not count as noise. */
	if ((g->by & DELTA_BY_PATH && entry.path == ALIGN_NONE) ||
	    (g->by & DELTA_BY_PLACE && entry.place == ALIGN_NONE))
		return;
	vec_push(&g->entries, entry);
}

ORDERING(compare_entries, struct delta_entry, path, place, part)

/* Adds up what is of one row and trace. */
static void join_entries(struct gathering *g)
{
	size_t n = 0;

	if (g->entries.n)
		vec_sort(&g->entries, compare_entries);
	for (size_t i = 0; i < g->entries.n; i++) {
		const struct delta_entry *e = &g->entries.data[i];
		if (n && compare_entries(&g->entries.data[n - 1], e) == 0)
			g->entries.data[n - 1].value += e->value;
		else
			g->entries.data[n++] = *e;
	}
	g->entries.n = n;
}

/* The entries of a metric of the first n traces, of all processes that share them. */
static void gather_metric(struct gathering *g, enum cube_metric metric, unsigned n)
{
	struct exchange *x = trace_exchange(cube_trace(g->delta->parts[ALIGN_OLD].cube));

	g->entries.n = 0;
	for (g->part = 0; g->part < n; g->part++)
		cube_visit(g->delta->parts[g->part].cube, metric, gather, g);
	join_entries(g);
	exchange_rows(x, &g->entries);
	if (x)
		join_entries(g);
}

/* In seconds, if it is a time. */
static double value_of(const struct delta *d, enum cube_metric metric, const struct delta_entry *e)
{
	return fixed_value(e->value) * unit_of(&d->parts[e->part], metric);
}

/* The row of the entries from `at` on; returns the one after them. */
static size_t add_row(const struct gathering *g, size_t at, enum cube_metric metric,
		      struct delta_rows *rows)
{
	const struct delta_entry *entries = g->entries.data;
	const struct delta_entry first = entries[at];
	double values[ALIGN_SIDES + DELTA_REPEATED] = { 0 };

	for (; at < g->entries.n && entries[at].path == first.path &&
	       entries[at].place == first.place;
	     at++)
		values[entries[at].part] = value_of(g->delta, metric, &entries[at]);
	if (values[ALIGN_OLD] != 0 || values[ALIGN_NEW] != 0)
		vec_push(&rows->list, ((struct delta_row){ metric,
							   first.path,
							   first.place,
							   { values[ALIGN_OLD], values[ALIGN_NEW] },
							   threshold(g->delta, metric, values) }));
	return at;
}

/* A difference of a call path is noise up to twice the error of its estimated times, which is half
 * of them (model/trace/gap.h). The rows from `first` on are in the order of the entries. */
static void add_estimated(struct gathering *g, struct delta_rows *rows, size_t first)
{
	size_t i = first;

	gather_metric(g, CUBE_ESTIMATED, ALIGN_SIDES);
	for (size_t k = 0; k < g->entries.n; k++) {
		const struct delta_entry *e = &g->entries.data[k];
		while (i < rows->list.n &&
		       (rows->list.data[i].path < e->path || (rows->list.data[i].path == e->path &&
							      rows->list.data[i].place < e->place)))
			i++;
		if (i < rows->list.n && rows->list.data[i].path == e->path &&
		    rows->list.data[i].place == e->place)
			rows->list.data[i].noise += value_of(g->delta, CUBE_ESTIMATED, e);
	}
}

void delta_rows(const struct delta *d, enum cube_metric metric, unsigned by,
		struct delta_rows *rows)
{
	const size_t first = rows->list.n;
	struct gathering g = { .delta = d, .by = by };

	if (!by) {
		const struct delta_row row = delta_total(d, metric);
		if (row.value[ALIGN_OLD] != 0 || row.value[ALIGN_NEW] != 0)
			vec_push(&rows->list, row);
		return;
	}
	gather_metric(&g, metric, d->n);
	for (size_t i = 0; i < g.entries.n;)
		i = add_row(&g, i, metric, rows);
	if (by & DELTA_BY_PATH && cube_metric_info(metric)->unit == UNIT_TICKS)
		add_estimated(&g, rows, first);
	vec_fini(&g.entries);
}

struct delta_row delta_total(const struct delta *d, enum cube_metric metric)
{
	double values[ALIGN_SIDES + DELTA_REPEATED];

	for (unsigned i = 0; i < d->n; i++)
		values[i] =
			cube_total(d->parts[i].cube, metric, NULL) * unit_of(&d->parts[i], metric);
	return (struct delta_row){ metric,
				   ALIGN_NONE,
				   ALIGN_NONE,
				   { values[ALIGN_OLD], values[ALIGN_NEW] },
				   threshold(d, metric, values) };
}

/* ---- the old trace's values for the new one's axes ---- */

void delta_old_by_path(const struct delta *d, enum cube_metric metric, double *values)
{
	const struct alignment *a = d->alignment;
	const double unit = unit_of(&d->parts[ALIGN_OLD], metric);
	OWNED double *old =
		xcalloc((size_t)trace_callpath_count(a->trace[ALIGN_OLD]) + 1, sizeof *old);

	cube_by_path(d->parts[ALIGN_OLD].cube, metric, NULL, old);
	for (uint32_t p = 0; p < trace_callpath_count(a->trace[ALIGN_NEW]); p++) {
		const uint32_t from = a->paths[a->path_of[ALIGN_NEW][p]].path[ALIGN_OLD];
		const bool canonical = trace_callpath(a->trace[ALIGN_NEW], p)->canon == p;
		values[p] = canonical && from != ALIGN_NONE ? old[from] * unit : 0;
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct delta_row *x = a, *y = b;
	const double dx = fabs(delta_difference(x)), dy = fabs(delta_difference(y));

	ORDER_BY(dy, dx);
	ORDER_BY(x->metric, y->metric);
	ORDER_BY(x->path, y->path);
	return ORDER(x->place, y->place);
}

void delta_sort(struct delta_rows *rows)
{
	vec_sort(&rows->list, compare_rows);
}

const char *delta_unit(enum cube_metric metric)
{
	static const char *const units[] = { "s", "occ", "bytes" };

	return units[cube_metric_info(metric)->unit];
}
