/* Two cubes subtracted, by hand. */
#include <math.h>
#include <string.h>

#include "harness/owners.h"
#include "harness/test.h"
#include "patterns/compare/delta.h"
#include "patterns/compare/pair_aid.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

FREES(delta_free, struct delta)

static const char *const old_visits[] = { "main:1/read:2 5", "main:1/solve:3/relax:10 20",
					  "main:1/solve:3/MPI_Recv:12 8", "main:1/write:4 4",
					  NULL };
/* 7 ms more in relax, write is gone, plot is new. */
static const char *const new_visits[] = { "main:1/read:2 5", "main:1/solve:3/relax:10 27",
					  "main:1/solve:3/MPI_Recv:12 8", "main:1/plot:5/draw:6 2",
					  NULL };

/* With so much more of a metric, on a rank. */
static struct cube *with(struct trace *trace, enum cube_metric metric, const char *path,
			 uint32_t rank, double value)
{
	struct cube *plain = pair_cube(trace), *cube = cube_new(trace);

	for (int m = 0; m < CUBE_METRICS; m++) {
		size_t n;
		const struct cube_cell *cells = cube_cells(plain, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++)
			cube_add(cube, (enum cube_metric)m, cells[i].path, cells[i].location,
				 cells[i].value);
	}
	cube_add(cube, metric, pair_path(trace, path), rank, value);
	cube_settle(cube);
	cube_free(plain);
	return cube;
}

/* With 3 ms (2 ms) of Late Sender in MPI_Recv on rank 1. */
static struct cube *with_wait(struct trace *trace, double ms)
{
	return with(trace, CUBE_MPI_LATESENDER, "main > solve > MPI_Recv", 1, ms * 1000);
}

static const struct delta_row *find(const struct delta *d, const struct delta_rows *rows,
				    const char *path, uint32_t place)
{
	struct str text = STR_INIT;
	const struct delta_row *found = NULL;

	for (size_t i = 0; i < rows->list.n && !found; i++) {
		const struct delta_row *row = &rows->list.data[i];
		str_clear(&text);
		if (row->path != ALIGN_NONE)
			align_path_text(delta_alignment(d), row->path, &text);
		if (strcmp(text.text, path) == 0 && row->place == place)
			found = row;
	}
	str_fini(&text);
	return found;
}

static void assert_row(const struct delta_row *row, double old, double new)
{
	assert_non_null(row);
	assert_near(row->value[ALIGN_OLD], old);
	assert_near(row->value[ALIGN_NEW], new);
}

TEST(values_are_those_of_both)
{
	OWNED_TRACE *old = pair_trace(old_visits, 2), *new = pair_trace(new_visits, 2);
	FREED_BY(cube_free) struct cube *a = with_wait(old, 3), *b = with_wait(new, 2);
	FREED_BY(delta_free) struct delta *d = delta_new(a, b, NULL, 0);
	struct delta_rows rows = { VEC_INIT };
	struct delta_row total;

	/* 37 ms and 42 ms on each of two ranks. */
	total = delta_total(d, CUBE_TIME);
	assert_row(&total, 0.074, 0.084);
	total = delta_total(d, CUBE_MPI_LATESENDER);
	assert_row(&total, 0.003, 0.002);
	total = delta_total(d, CUBE_VISITS);
	assert_row(&total, 12, 14);
	delta_rows(d, CUBE_TIME, DELTA_BY_PATH, &rows);
	assert_row(find(d, &rows, "main > solve > relax", ALIGN_NONE), 0.040, 0.054);
	assert_row(find(d, &rows, "main > read", ALIGN_NONE), 0.010, 0.010);
	assert_row(find(d, &rows, "main > write", ALIGN_NONE), 0.008, 0);
	assert_row(find(d, &rows, "main > plot > draw", ALIGN_NONE), 0, 0.004);
	assert_null(find(d, &rows, "main > plot", ALIGN_NONE)); /* no time of its own */
	delta_sort(&rows);
	assert_near(delta_difference(&rows.list.data[0]), 0.014);
	vec_fini(&rows.list);
	delta_rows(d, CUBE_MPI_LATESENDER, DELTA_BY_PATH | DELTA_BY_PLACE, &rows);
	assert_int_equal(rows.list.n, 1);
	assert_row(find(d, &rows, "main > solve > MPI_Recv", 1), 0.003, 0.002);
	vec_fini(&rows.list);
	/* `mpi` is made of times: 8 ms on each rank. */
	delta_rows(d, CUBE_MPI, DELTA_BY_PLACE, &rows);
	assert_int_equal(rows.list.n, 2);
	assert_row(&rows.list.data[1], 0.008, 0.008);
	vec_fini(&rows.list);
}

/* Rows by path, by place, by both and not at all add up to the same. */
TEST(sums_agree)
{
	OWNED_TRACE *old = pair_trace(old_visits, 4), *new = pair_trace(new_visits, 8);
	FREED_BY(cube_free) struct cube *a = pair_cube(old), *b = pair_cube(new);
	FREED_BY(delta_free) struct delta *d = delta_new(a, b, NULL, 0);

	for (int m = 0; m < CUBE_METRICS; m++) {
		const struct delta_row total = delta_total(d, (enum cube_metric)m);
		for (unsigned by = 0; by <= (DELTA_BY_PATH | DELTA_BY_PLACE); by++) {
			struct delta_rows rows = { VEC_INIT };
			double sums[ALIGN_SIDES] = { 0 };
			delta_rows(d, (enum cube_metric)m, by, &rows);
			for (size_t i = 0; i < rows.list.n; i++)
				for (int s = 0; s < ALIGN_SIDES; s++)
					sums[s] += rows.list.data[i].value[s];
			for (int s = 0; s < ALIGN_SIDES; s++)
				assert_near(sums[s], total.value[s]);
			vec_fini(&rows.list);
		}
	}
	assert_int_equal(delta_alignment(d)->rule, ALIGN_BY_POSITION);
}

/* ---- noise ---- */

TEST(noise_is_what_one_more_run_may_differ_by)
{
	/* s of {1, 3} is sqrt(2), and one more run differs from their mean by sqrt(1 + 1/2) times
	 * as much; s of {10, 11, 12} is 1. */
	const double two[] = { 1, 3 }, three[] = { 10, 11, 12 }, same[] = { 5, 5, 5, 5 };

	assert_near(delta_noise(two, 2), 12.706204736432102 * sqrt(3));
	assert_near(delta_noise(three, 3), 4.302652729696142 * sqrt(4 / 3.0));
	assert_near(delta_noise(same, 4), 0);
	assert_near(delta_noise(two, 1), 0);
}

TEST(repeated_runs_say_what_is_noise)
{
	static const char *const again[2][5] = {
		{ "main:1/read:2 5", "main:1/solve:3/relax:10 26", "main:1/solve:3/MPI_Recv:12 8",
		  "main:1/write:4 4", NULL },
		{ "main:1/read:2 5", "main:1/solve:3/relax:10 23", "main:1/solve:3/MPI_Recv:12 8",
		  "main:1/write:4 4", NULL },
	};
	static const char *const later[] = { "main:1/read:2 6", "main:1/solve:3/relax:10 30",
					     "main:1/solve:3/MPI_Recv:12 8", "main:1/write:4 4",
					     NULL };
	struct trace *traces[] = { pair_trace(old_visits, 1), pair_trace(later, 1),
				   pair_trace(again[0], 1), pair_trace(again[1], 1) };
	struct cube *cubes[4];
	struct delta_rows rows = { VEC_INIT };
	struct delta *d;
	const struct delta_row *row;
	double t;

	for (int i = 0; i < 4; i++)
		cubes[i] = pair_cube(traces[i]);
	d = delta_new(cubes[0], cubes[1], (const struct cube *const *)cubes + 2, 2);
	assert_int_equal(delta_repeated(d), 2);
	delta_rows(d, CUBE_TIME, DELTA_BY_PATH, &rows);
	/* relax: 20, 26, 23 ms: s = 3 ms; the other three do not vary, so that the mean square of
	 * s / mean is (3 / 23)^2 / 4. Six degrees of freedom. Rows by call path, by rank, by both,
	 * and in all: time and execution 4 + 1 + 4 + 1, comp 3 + 1 + 3 + 1, mpi and its two classes
	 * 1 + 1 + 1 + 1, visits 6 + 1 + 6 + 1: 54. SciPy: stats.t.isf(0.025 / 54, 6). The largest
	 * interruption is that of relax: 26 is 4.5 from the mean of 20 and 23. */
	t = 6.046851596821632;
	row = find(d, &rows, "main > solve > relax", ALIGN_NONE);
	assert_row(row, 0.023, 0.030);
	assert_near(row->noise, t * sqrt((9 + 2 * 9) / 6.0) * 1e-3 * sqrt(4 / 3.0) + 5 * 0.0045);
	assert_true(delta_is_noise(row));
	/* read never varied, but an interruption may fall into it: 1 ms is noise, 25 would not be. */
	row = find(d, &rows, "main > read", ALIGN_NONE);
	assert_row(row, 0.005, 0.006);
	assert_near(row->noise, t * sqrt(25 * 9 / 529.0 / 6) * 1e-3 * sqrt(4 / 3.0) + 5 * 0.0045);
	assert_true(delta_is_noise(row));
	vec_fini(&rows.list);
	delta_free(d);
	for (int i = 0; i < 4; i++) {
		cube_free(cubes[i]);
		trace_free(traces[i]);
	}
}

/* Three old runs that are equal. Whether one of eight messages is waited for, and which rank's
 * MPI_Init the critical path goes through, is chance all the same: 5 is 20 / (3 + 1). */
TEST(what_chance_decides_is_noise)
{
	static const char *const visits[] = { "main:1/MPI_Init:2 300", "main:1/MPI_Recv:3 8",
					      "main:1/relax:4 30", NULL };
	static const struct {
		enum cube_metric metric;
		const char *path;
		uint32_t old_rank, rank;
		double old, new, noise;
	} cases[] = {
		{ CUBE_MPI_CLS_COUNT, "main > MPI_Recv", 0, 0, 8, 7, 5 },
		{ CUBE_MPI_CLS_COUNT, "main > MPI_Recv", 0, 0, 8, 14, 5 },
		{ CUBE_MPI_SLR_COUNT, "main > MPI_Recv", 0, 1, 8, 8, 5 },
		{ CUBE_COMMS_RECV, "main > MPI_Recv", 0, 0, 8, 7, 0 },
		{ CUBE_CRITICAL_PATH, "main > MPI_Init", 0, 1, 300e3, 300e3, 1.5 },
		{ CUBE_CRITICAL_PATH, "main > relax", 0, 1, 30e3, 30e3, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trace *traces[4];
		struct cube *cubes[4];
		struct delta_rows rows = { VEC_INIT };
		const struct delta_row *row;
		struct delta *d;
		for (int t = 0; t < 4; t++) {
			traces[t] = pair_trace(visits, 2);
			cubes[t] = with(traces[t], cases[i].metric, cases[i].path,
					t == 3 ? cases[i].rank : cases[i].old_rank,
					t == 3 ? cases[i].new : cases[i].old);
		}
		d = delta_new(cubes[0], cubes[3], (const struct cube *const *)cubes + 1, 2);
		delta_rows(d, cases[i].metric, DELTA_BY_PATH | DELTA_BY_PLACE, &rows);
		row = find(d, &rows, cases[i].path, cases[i].rank);
		assert_non_null(row);
		assert_near(row->noise, cases[i].noise);
		vec_fini(&rows.list);
		delta_free(d);
		for (int t = 0; t < 4; t++) {
			cube_free(cubes[t]);
			trace_free(traces[t]);
		}
	}
}

TEST(without_them_shares_do)
{
	OWNED_TRACE *old = pair_trace(old_visits, 1), *new = pair_trace(new_visits, 1);
	FREED_BY(cube_free) struct cube *a = pair_cube(old), *b = pair_cube(new);
	struct delta *d = delta_new(a, b, NULL, 0);
	const struct delta_row time = delta_total(d, CUBE_TIME),
			       visits = delta_total(d, CUBE_VISITS);

	/* 2 % of 42 ms; 0.1 % of 37 ms is less. */
	assert_near(time.noise, 0.00084);
	assert_false(delta_is_noise(&time));
	assert_near(visits.noise, 0);
	delta_free(d);
	d = delta_new(a, a, NULL, 0);
	for (int m = 0; m < CUBE_METRICS; m++) {
		const struct delta_row row = delta_total(d, (enum cube_metric)m);
		assert_true(delta_difference(&row) == 0);
		assert_true(delta_is_noise(&row));
	}
	delta_free(d);
}

/* Values of the old trace by the axes of the new one. */
TEST(old_values_stand_where_the_new_ones_do)
{
	OWNED_TRACE *old = pair_trace(old_visits, 2), *new = pair_trace(new_visits, 2);
	FREED_BY(cube_free) struct cube *a = pair_cube(old), *b = pair_cube(new);
	FREED_BY(delta_free) struct delta *d = delta_new(a, b, NULL, 0);
	double paths[32];

	assert_true(trace_callpath_count(new) <= 32);
	delta_old_by_path(d, CUBE_TIME, paths);
	assert_near(paths[pair_path(new, "main > solve > relax")], 0.040);
	assert_near(paths[pair_path(new, "main > plot > draw")], 0);
}

/* 7 ms more in relax on each rank: noise where as much of it was estimated in gaps. */
TEST(estimated_times_are_noise)
{
	static const struct {
		double old, new; /* ms on rank 1 */
		bool noise;
	} gaps[] = { { 0, 0, false }, { 4, 4, false }, { 0, 14, true }, { 10, 4, true } };
	OWNED_TRACE *old = pair_trace(old_visits, 2), *new = pair_trace(new_visits, 2);

	for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
		FREED_BY(cube_free) struct cube *a = with_wait(old, 3), *b = with_wait(new, 2);
		FREED_BY(delta_free) struct delta *d = NULL;
		struct delta_rows rows = { VEC_INIT };

		cube_reopen(a);
		cube_reopen(b);
		cube_add(a, CUBE_ESTIMATED, pair_path(old, "main > solve > relax"), 1,
			 gaps[i].old * 1000);
		cube_add(b, CUBE_ESTIMATED, pair_path(new, "main > solve > relax"), 1,
			 gaps[i].new * 1000);
		cube_settle(a);
		cube_settle(b);
		d = delta_new(a, b, NULL, 0);
		delta_rows(d, CUBE_TIME, DELTA_BY_PATH, &rows);
		assert_int_equal(delta_is_noise(find(d, &rows, "main > solve > relax", ALIGN_NONE)),
				 gaps[i].noise);
		assert_false(delta_is_noise(find(d, &rows, "main > plot > draw", ALIGN_NONE)));
		vec_fini(&rows.list);
		/* Of all call paths together it is as long as it was measured. */
		delta_rows(d, CUBE_TIME, DELTA_BY_PLACE, &rows);
		assert_false(delta_is_noise(&rows.list.data[0]));
		vec_fini(&rows.list);
	}
}
