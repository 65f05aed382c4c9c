#include "patterns/severity/cube_keep.h"

#include <math.h>

#include "base/mem.h"
#include "base/varint.h"
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

/* The values, metric by metric: a whole number as its difference from the whole one before, twice;
 * another one as 1, and among the fractions. */
struct values {
	VEC(char) numbers; /* and VARINT_MOST zeros: reading one never leaves the array */
	VEC(double) fractions;
	int64_t last;
};
enum { FRACTION = 1 };
#define MOST_WHOLE 9e15 /* below 2^53 */

static void add_value(struct values *v, double value)
{
	const bool whole = fabs(value) < MOST_WHOLE && value == (double)(int64_t)value &&
			   !(value == 0 && signbit(value));
	char *end;

	vec_reserve(&v->numbers, VARINT_MOST);
	end = v->numbers.data + v->numbers.n;
	if (whole) {
		end = varint_put(end, varint_fold((int64_t)value - v->last) << 1);
		v->last = (int64_t)value;
	} else {
		end = varint_put(end, FRACTION);
		vec_push(&v->fractions, value);
	}
	v->numbers.n = (size_t)(end - v->numbers.data);
}

void cube_keep(const struct cube *cube, enum time_base base)
{
	uint64_t first_run[CUBE_METRICS + 1] = { 0 };
	struct values values = { .last = 0 };
	struct runs runs = { VEC_INIT };
	struct piece piece = { VEC_INIT };

	for (int m = 0; m < CUBE_METRICS; m++) {
		add_runs(&runs, cube, cube->first[m], cube->first[m + 1]);
		first_run[m + 1] = runs.list.n;
		values.last = 0;
		for (size_t i = cube->first[m]; i < cube->first[m + 1]; i++)
			add_value(&values, cube->cells[i].value);
	}
	for (int i = 0; i < VARINT_MOST; i++)
		vec_push(&values.numbers, 0);
	piece_add(&piece, first_run, CUBE_METRICS + 1, sizeof *first_run);
	piece_add(&piece, runs.list.data, runs.list.n, sizeof *runs.list.data);
	piece_add(&piece, values.numbers.data, values.numbers.n, 1);
	piece_add(&piece, values.fractions.data, values.fractions.n, sizeof *values.fractions.data);
	vec_fini(&runs.list);
	vec_fini(&values.numbers);
	vec_fini(&values.fractions);
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
	const char *number, *last; /* the next number; where the last one may begin */
	const double *fraction;    /* the next one */
	size_t n_runs, n_fractions;
	int64_t before; /* the whole number before */
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
	r->number = piece_next(&reader, 1, &n);
	if (n < VARINT_MOST)
		return false;
	r->last = r->number + n - VARINT_MOST;
	r->fraction = piece_next(&reader, sizeof *r->fraction, &r->n_fractions);
	return piece_ends(&reader) && r->first_run[0] == 0 &&
	       r->first_run[CUBE_METRICS] == r->n_runs;
}

static bool read_value(struct reading *r, double *value)
{
	const uint64_t number = r->number < r->last ? varint_get(&r->number) : FRACTION;

	if (number != FRACTION) {
		r->before = (int64_t)((uint64_t)r->before + (uint64_t)varint_unfold(number >> 1));
		*value = (double)r->before;
		return true;
	}
	if (!r->n_fractions)
		return false;
	*value = *r->fraction++;
	r->n_fractions--;
	return isfinite(*value);
}

/* The cells of a run; false where they cannot be. `before`: the one before of the metric. */
static bool read_run(struct cube *cube, struct reading *r, const struct run *run,
		     const struct run *before, struct cube_cell **cell)
{
	const struct trace *trace = cube->trace;

	if (run->path >= trace_callpath_count(trace) ||
	    trace_callpath(trace, run->path)->canon != run->path)
		return false;
	if (before && (before->path > run->path ||
		       (before->path == run->path && before->location + before->n > run->location)))
		return false;
	for (uint32_t i = 0; i < run->n; i++, ++*cell) {
		**cell = (struct cube_cell){ run->path, run->location + i, 0 };
		if (!read_value(r, &(*cell)->value))
			return false;
	}
	return true;
}

/* How many cells the runs have; SIZE_MAX where locations are not of the trace, or there are fewer
 * values. */
static size_t count_cells(const struct reading *r, uint32_t locations)
{
	const size_t most = (size_t)(r->last - r->number);
	size_t n = 0;

	for (size_t i = 0; i < r->n_runs; i++) {
		const struct run *run = &r->runs[i];

		if (run->location >= locations || run->n > locations - run->location ||
		    run->n > most - n)
			return SIZE_MAX;
		n += run->n;
	}
	return n;
}

static bool read_cells(struct cube *cube, struct reading *r)
{
	const size_t n = count_cells(r, trace_location_count(cube->trace));
	struct cube_cell *cell;

	if (n == SIZE_MAX)
		return false;
	cube->cells = cell = xmalloc((n + 1) * sizeof *cube->cells);
	for (int m = 0; m < CUBE_METRICS; m++) {
		const uint64_t first = r->first_run[m], end = r->first_run[m + 1];

		if (first > end || end > r->n_runs)
			return false;
		r->before = 0;
		for (uint64_t i = first; i < end; i++)
			if (!read_run(cube, r, &r->runs[i], i > first ? &r->runs[i - 1] : NULL,
				      &cell))
				return false;
		cube->first[m + 1] = (size_t)(cell - cube->cells);
	}
	return r->number == r->last && r->n_fractions == 0;
}

struct cube *cube_kept(const struct trace *trace, enum time_base base)
{
	struct reading r = { .before = 0 };
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
