#include "patterns/severity/cube_keep.h"

#include <math.h>

#include "base/mem.h"
#include "model/trace/piece.h"
#include "patterns/severity/cube_state.h"

static const char keep_name[] = "severities";

/* Cells of one call path, of locations that follow each other. */
struct run {
	uint32_t path, location, n;
};

struct runs {
	VEC(struct run) list;
};

static void add_runs(struct runs *runs, const struct cube *cube, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct cube_cell *c = &cube->cells[i];
		struct run *last = i > from ? vec_last(&runs->list) : NULL;

		if (last && last->path == c->path && last->location + last->n == c->location)
			last->n++;
		else
			vec_push(&runs->list, ((struct run){ c->path, c->location, 1 }));
	}
}

void cube_keep(const struct cube *cube, enum time_base base)
{
	const size_t n = cube->first[CUBE_METRICS];
	OWNED double *values = xmalloc((n + 1) * sizeof *values);
	uint64_t first_run[CUBE_METRICS + 1] = { 0 };
	struct runs runs = { VEC_INIT };
	struct piece piece = { VEC_INIT };

	for (int m = 0; m < CUBE_METRICS; m++) {
		add_runs(&runs, cube, cube->first[m], cube->first[m + 1]);
		first_run[m + 1] = runs.list.n;
	}
	for (size_t i = 0; i < n; i++)
		values[i] = cube->cells[i].value;
	piece_add(&piece, first_run, CUBE_METRICS + 1, sizeof *first_run);
	piece_add(&piece, runs.list.data, runs.list.n, sizeof *runs.list.data);
	piece_add(&piece, values, n, sizeof *values);
	vec_fini(&runs.list);
	piece_keep(&piece, cube->trace, keep_name, base);
}

bool cube_is_kept(const struct trace *trace, enum time_base base)
{
	struct piece_reader reader;

	return piece_find(&reader, trace, keep_name, base);
}

/* ---- reading ---- */

struct reading {
	const struct run *runs;
	const uint64_t *first_run; /* [CUBE_METRICS + 1] */
	const double *values;
	size_t n_runs, n_values;
};

static bool read_arrays(struct reading *r, const struct trace *trace, enum time_base base)
{
	struct piece_reader reader;
	size_t n;

	if (!piece_find(&reader, trace, keep_name, base))
		return false;
	r->first_run = piece_next(&reader, sizeof *r->first_run, &n);
	if (n != CUBE_METRICS + 1)
		return false;
	r->runs = piece_next(&reader, sizeof *r->runs, &r->n_runs);
	r->values = piece_next(&reader, sizeof *r->values, &r->n_values);
	return piece_ends(&reader) && r->first_run[0] == 0 &&
	       r->first_run[CUBE_METRICS] == r->n_runs;
}

/* The cells of a run; false where they cannot be. `before`: the one before of the metric. */
static bool read_run(struct cube *cube, const struct reading *r, const struct run *run,
		     const struct run *before, size_t *at)
{
	const struct trace *trace = cube->trace;

	if (run->path >= trace_callpath_count(trace) ||
	    trace_callpath(trace, run->path)->canon != run->path ||
	    run->location >= trace_location_count(trace) ||
	    run->n > trace_location_count(trace) - run->location || run->n > r->n_values - *at)
		return false;
	if (before && (before->path > run->path ||
		       (before->path == run->path && before->location + before->n > run->location)))
		return false;
	for (uint32_t i = 0; i < run->n; i++, ++*at) {
		if (!isfinite(r->values[*at]))
			return false;
		cube->cells[*at] =
			(struct cube_cell){ run->path, run->location + i, r->values[*at] };
	}
	return true;
}

static bool read_cells(struct cube *cube, const struct reading *r)
{
	size_t at = 0;

	cube->cells = xmalloc((r->n_values + 1) * sizeof *cube->cells);
	for (int m = 0; m < CUBE_METRICS; m++) {
		const uint64_t first = r->first_run[m], end = r->first_run[m + 1];

		if (first > end || end > r->n_runs)
			return false;
		for (uint64_t i = first; i < end; i++)
			if (!read_run(cube, r, &r->runs[i], i > first ? &r->runs[i - 1] : NULL,
				      &at))
				return false;
		cube->first[m + 1] = at;
	}
	return at == r->n_values;
}

struct cube *cube_kept(const struct trace *trace, enum time_base base)
{
	struct reading r;
	struct cube *cube;

	if (!read_arrays(&r, trace, base))
		return NULL;
	cube = cube_new(trace);
	cube_free_rows(cube);
	if (read_cells(cube, &r)) {
		cube_sum(cube);
		return cube;
	}
	cube_free(cube);
	return NULL;
}
