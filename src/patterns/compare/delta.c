#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "patterns/compare/delta_state.h"

/* ---- construction ---- */

/* Maps those paths of a repeated trace that have no node yet, by its alignment with a side. */
static void map_paths(struct delta *d, struct delta_part *part, enum align_side side,
		      const struct alignment *a)
{
	for (uint32_t p = 0; p < trace_callpath_count(a->trace[ALIGN_NEW]); p++) {
		const uint32_t there = a->paths[a->path_of[ALIGN_NEW][p]].path[ALIGN_OLD];
		if (part->path_of[p] == ALIGN_NONE && there != ALIGN_NONE)
			part->path_of[p] = d->alignment->path_of[side][there];
	}
}

static void map_places(struct delta *d, struct delta_part *part, const struct alignment *a)
{
	OWNED uint32_t *places = xmalloc(((size_t)a->n_places + 1) * sizeof *places);

	for (uint32_t i = 0; i < a->n_places; i++)
		places[i] = ALIGN_NONE;
	for (uint32_t l = trace_location_count(a->trace[ALIGN_OLD]); l-- > 0;)
		places[a->place_of[ALIGN_OLD][l]] = d->alignment->place_of[ALIGN_OLD][l];
	for (uint32_t l = 0; l < trace_location_count(a->trace[ALIGN_NEW]); l++)
		part->place_of[l] = places[a->place_of[ALIGN_NEW][l]];
}

/* Maps a repeated trace: to the old one's paths and places, else to paths of the new one. */
static void map_repeated(struct delta *d, struct delta_part *part)
{
	const uint32_t paths = trace_callpath_count(cube_trace(part->cube));
	const uint32_t locations = trace_location_count(cube_trace(part->cube));

	part->path_of = xmalloc(((size_t)paths + 1) * sizeof *part->path_of);
	part->place_of = xmalloc(((size_t)locations + 1) * sizeof *part->place_of);
	for (uint32_t p = 0; p < paths; p++)
		part->path_of[p] = ALIGN_NONE;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct alignment *a = align_new(d->parts[s].cube, part->cube);
		map_paths(d, part, (enum align_side)s, a);
		if (s == ALIGN_OLD)
			map_places(d, part, a);
		align_free(a);
	}
}

struct delta *delta_new(const struct cube *old, const struct cube *new,
			const struct cube *const *repeated, unsigned n)
{
	struct delta *d = xcalloc(1, sizeof *d);
	double values[DELTA_PARTS];

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
	delta_totals(d, CUBE_TIME, values);
	d->time = values[ALIGN_OLD];
	if (delta_repeated(d))
		delta_noise_make(d);
	return d;
}

struct delta *delta_share(const struct delta *delta)
{
	struct delta *shared = (struct delta *)(uintptr_t)delta;

	if (shared)
		shared->sharers++;
	return shared;
}

void delta_free(struct delta *d)
{
	if (!d || d->sharers-- > 0)
		return;
	for (unsigned i = ALIGN_SIDES; i < d->n; i++)
		free_all(d->parts[i].path_of, d->parts[i].place_of);
	align_free(d->alignment);
	free_all(d->setup, d);
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
	for (unsigned i = 0; i < d->n; i++)
		if (cube_has(d->parts[i].cube, metric))
			return true;
	return false;
}

/* ---- rows ---- */

bool delta_is_noise(const struct delta_row *row)
{
	return fabs(delta_difference(row)) <= row->noise;
}

/* A difference of a call path is noise up to twice the error of its estimated times, which is half
 * of them (model/trace/gap.h). The rows from `first` on are in the order of the entries. */
static void add_estimated(struct delta_gathering *g, struct delta_rows *rows, size_t first)
{
	size_t i = first;

	delta_gather(g, CUBE_ESTIMATED, ALIGN_SIDES);
	for (size_t k = 0; k < g->entries.n; k++) {
		const struct delta_entry *e = &g->entries.data[k];
		while (i < rows->list.n &&
		       (rows->list.data[i].path < e->path || (rows->list.data[i].path == e->path &&
							      rows->list.data[i].place < e->place)))
			i++;
		if (i < rows->list.n && rows->list.data[i].path == e->path &&
		    rows->list.data[i].place == e->place)
			rows->list.data[i].noise += delta_entry_value(g->delta, CUBE_ESTIMATED, e);
	}
}

static bool is_nothing(const struct delta_row *row)
{
	return row->value[ALIGN_OLD] == 0 && row->value[ALIGN_NEW] == 0;
}

void delta_rows(const struct delta *d, enum cube_metric metric, unsigned by,
		struct delta_rows *rows)
{
	const size_t first = rows->list.n;
	struct delta_gathering g = { .delta = d, .by = by };
	double values[DELTA_PARTS];

	if (!by) {
		const struct delta_row row = delta_total(d, metric);
		if (!is_nothing(&row))
			vec_push(&rows->list, row);
		return;
	}
	delta_gather(&g, metric, d->n);
	for (size_t i = 0; i < g.entries.n;) {
		const struct delta_entry at = g.entries.data[i];
		struct delta_row row;
		i = delta_gather_row(&g, i, metric, values);
		row = delta_row_of(d, metric, by, at.path, at.place, values);
		if (!is_nothing(&row))
			vec_push(&rows->list, row);
	}
	if (by & DELTA_BY_PATH && cube_metric_info(metric)->unit == UNIT_TICKS)
		add_estimated(&g, rows, first);
	vec_fini(&g.entries);
}

struct delta_row delta_total(const struct delta *d, enum cube_metric metric)
{
	double values[DELTA_PARTS];

	delta_totals(d, metric, values);
	return delta_row_of(d, metric, 0, ALIGN_NONE, ALIGN_NONE, values);
}

/* ---- the old values on the new one's axes ---- */

void delta_old_by_path(const struct delta *d, enum cube_metric metric, double *values)
{
	const struct alignment *a = d->alignment;
	OWNED double *nodes = xcalloc((size_t)a->n_paths + 1, sizeof *nodes);
	struct delta_rows rows = { VEC_INIT };

	delta_rows(d, metric, DELTA_BY_PATH, &rows);
	for (size_t i = 0; i < rows.list.n; i++)
		nodes[rows.list.data[i].path] = rows.list.data[i].value[ALIGN_OLD];
	vec_fini(&rows.list);
	for (uint32_t p = 0; p < trace_callpath_count(a->trace[ALIGN_NEW]); p++) {
		const bool canonical = trace_callpath(a->trace[ALIGN_NEW], p)->canon == p;
		values[p] = canonical ? nodes[a->path_of[ALIGN_NEW][p]] : 0;
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
