/* Late Senders of wavefronts, by corner: on traces of real programs, and on simulated ones of which
 * it is known who waits how long. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "patterns/analysis/analysis.h"
#include "patterns/patterns.h"
#include "patterns/topology/topology.h"
#include "simulate/engine.h"
#include "simulate/write.h"

enum { FIRST = CUBE_MPI_WAVEFRONT_W, LAST = CUBE_MPI_WAVEFRONT_UNE };

/* A trace, its analysis in a base, and the severities of the whole run. */
struct looked {
	struct trace *trace;
	struct analysis *analysis;
	struct cube *cube;
};

static struct looked look(struct trace *trace, enum time_base base, const char *topology)
{
	const struct analysis_options options = { .topology = topology };
	struct looked l = { .trace = trace };
	struct err err = ERR_INIT;

	assert_non_null(trace);
	assert_true(trace_base_make(trace, base, NULL, &err));
	l.analysis = analysis_new(patterns, trace, base, &options, NULL, &err);
	assert_non_null(l.analysis);
	l.cube = analysis_cube(l.analysis, INT64_MIN, INT64_MAX, CUBE_WAITS, NULL, &err);
	assert_non_null(l.cube);
	return l;
}

static void leave(struct looked *l)
{
	cube_free(l->cube);
	analysis_free(l->analysis);
	trace_free(l->trace);
}

static double total(const struct looked *l, enum cube_metric metric)
{
	return cube_total(l->cube, metric, NULL);
}

static double share(const struct looked *l, enum cube_metric metric)
{
	return total(l, metric) / total(l, CUBE_MPI_LATESENDER);
}

/* No cell of the wavefronts is more than what the Late Senders there are. */
static void expect_parts(const struct looked *l)
{
	for (int m = FIRST; m <= LAST; m++) {
		size_t n;
		const struct cube_cell *cells = cube_cells(l->cube, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n; i++) {
			const double all = cube_value(l->cube, CUBE_MPI_LATESENDER, cells[i].path,
						      cells[i].location);
			assert_true(cells[i].value > 0 && cells[i].value <= all);
		}
	}
}

/* SWEEP3D on 2 x 2: shares that another implementation of these rules found (specs: topology). */
TEST(sweep3d)
{
	struct looked l = look(load_trace("traces/otf2/sweep3d-4/traces.otf2"), BASE_LINEAR, "2x2");

	assert_true(fabs(total(&l, CUBE_MPI_LATESENDER) / (double)trace_scale(l.trace)->per_second -
			 0.2358) < 5e-5);
	assert_true(fabs(share(&l, CUBE_MPI_WAVEFRONT_NW) - .233) < .0006);
	assert_true(fabs(share(&l, CUBE_MPI_WAVEFRONT_NE) - .059) < .0006);
	assert_true(fabs(share(&l, CUBE_MPI_WAVEFRONT_SW) - .138) < .0011);
	assert_true(fabs(share(&l, CUBE_MPI_WAVEFRONT_SE) - .220) < .0006);
	assert_true(total(&l, CUBE_MPI_WAVEFRONT_W) + total(&l, CUBE_MPI_WAVEFRONT_DSW) == 0);
	expect_parts(&l);
	leave(&l);
	/* The guess comes to the same grid. */
	l = look(load_trace("traces/otf2/sweep3d-4/traces.otf2"), BASE_LINEAR, NULL);
	assert_int_equal(analysis_grid(l.analysis)->source, GRID_GUESSED);
	assert_true(fabs(share(&l, CUBE_MPI_WAVEFRONT_NW) - .233) < .0006);
	leave(&l);
	/* Ranks laid out the other way round: names of corners follow. */
	l = look(load_trace("traces/otf2/sweep3d-4/traces.otf2"), BASE_LINEAR, "2x2,flip=x");
	assert_true(fabs(share(&l, CUBE_MPI_WAVEFRONT_NE) - .233) < .0006);
	leave(&l);
	/* A grid that it does not run on has no wavefronts. */
	l = look(load_trace("traces/otf2/sweep3d-4/traces.otf2"), BASE_LINEAR, "4x1");
	assert_true(total(&l, CUBE_MPI_LATESENDER_WAVEFRONT) == 0);
	leave(&l);
}

/* Parts of the run add up to the whole. */
TEST(windows_add_up)
{
	ENDED_BY(leave)
	struct looked l = look(load_trace("traces/otf2/sweep3d-4/traces.otf2"), BASE_LINEAR, "2x2");
	int64_t begin, end;
	double sum = 0;

	trace_span(l.trace, BASE_LINEAR, &begin, &end);
	for (int part = 0; part < 7; part++) {
		const int64_t step = (end - begin) / 7 + 1;
		struct err err = ERR_INIT;
		FREED_BY(cube_free)
		struct cube *cube =
			analysis_cube(l.analysis, begin + part * step, begin + (part + 1) * step,
				      CUBE_WAITS, NULL, &err);
		sum += cube_total(cube, CUBE_MPI_LATESENDER_WAVEFRONT, NULL);
	}
	assert_true(fabs(sum - total(&l, CUBE_MPI_LATESENDER_WAVEFRONT)) < 1);
}

static void expect_none(const char *path)
{
	ENDED_BY(leave) struct looked l = look(load_trace(path), BASE_MEASURED, NULL);

	if (total(&l, CUBE_MPI_LATESENDER_WAVEFRONT) > 0)
		fail_msg("%s has wavefronts", path);
}

TEST(codes_without_wavefronts)
{
	static const char *const own[] = {
		"traces/otf2/comd-4/traces.otf2",
		"traces/otf2/mg.S-4/traces.otf2",
		"traces/ring.trc",
		"traces/pi.trc",
		"traces/stencil.trc",
		"traces/collectives.trc",
		"traces/farm.trc",
		"traces/mpicl.trc",
	};
	static const char *const others[] = {
		"ft.S-4/traces.otf2",
		"public-mpi_allreduce/traces.otf2",
		"public-mpi_gather/traces.otf2",
		"public-mpi_pthread_hello_world/traces.otf2",
	};
	const char *traces = getenv("TVIEW_TRACES");

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		expect_none(own[i]);
	for (size_t i = 0; traces && i < sizeof others / sizeof *others; i++) {
		char path[512];
		FILE *there;
		snprintf(path, sizeof path, "%s/otf2/%s", traces, others[i]);
		there = fopen(path, "r");
		if (!there)
			continue;
		fclose(there);
		expect_none(path);
	}
}

/* The program of this project, recorded on 2 x 2 (MPI_Cart_create): all four directions are
 * taken. */
TEST(recorded)
{
	ENDED_BY(leave) struct looked l = look(load_trace("traces/sweep.trc"), BASE_MEASURED, NULL);
	size_t n;

	assert_int_equal(analysis_grid(l.analysis)->source, GRID_TRACE);
	for (int m = CUBE_MPI_WAVEFRONT_SW; m <= CUBE_MPI_WAVEFRONT_NE; m++) {
		cube_cells(l.cube, (enum cube_metric)m, &n);
		assert_true(n > 0);
	}
	expect_parts(&l);
}

/* ---- simulated: 8 x 8 ---- */

enum { EDGE = 8 };

static struct looked simulated(uint32_t steps)
{
	struct settings settings = SETTINGS_DEFAULTS;
	struct err err = ERR_INIT;
	struct trace *trace;
	struct run run;

	settings.program = "sweep";
	settings.ranks = EDGE * EDGE;
	settings.steps = steps;
	settings.noise = settings.jitter = 0;
	assert_true(engine_run(&run, &settings, false, NULL));
	trace = write_trace(&run, &settings, true, "simulated", &err);
	run_fini(&run);
	return look(trace, BASE_MEASURED, NULL);
}

/* By location: what each waits for wavefronts from a corner. */
static void by_place(const struct looked *l, enum cube_metric metric, double wait[EDGE][EDGE])
{
	double *values = xcalloc(trace_location_count(l->trace) + 1, sizeof *values);

	cube_by_location(l->cube, metric, 0, true, values);
	for (int32_t y = 0; y < EDGE; y++)
		for (int32_t x = 0; x < EDGE; x++)
			wait[y][x] = values[trace_location_of_rank(l->trace, x + EDGE * y)];
	free(values);
}

/* A single sweep, from the south-east: with each diagonal a block's computation more, and the
 * corner reached last waits most. */
TEST(one_sweep_fills_by_diagonals)
{
	ENDED_BY(leave) struct looked l = simulated(1);
	const double work = 1e-4 * (double)trace_scale(l.trace)->per_second;
	double wait[EDGE][EDGE];

	assert_string_equal(analysis_grid(l.analysis)->name, "8 x 8");
	by_place(&l, CUBE_MPI_WAVEFRONT_SE, wait);
	for (int y = 0; y < EDGE; y++)
		for (int x = 0; x < EDGE; x++) {
			const int blocks = EDGE - 1 - x + y;
			/* Computation, and at most a tenth of it for messages. */
			assert_true(wait[y][x] >= work * blocks);
			assert_true(wait[y][x] <= 1.1 * work * blocks);
			assert_true(wait[y][x] < wait[EDGE - 1][0] || (x == 0 && y == EDGE - 1));
		}
	assert_true(total(&l, CUBE_MPI_LATESENDER_WAVEFRONT) == total(&l, CUBE_MPI_WAVEFRONT_SE));
}

/* Sweeps from all corners one after another, ten rounds: the corner that a sweep reaches last waits
 * most for it. */
TEST(the_corner_reached_last_waits_most)
{
	static const struct {
		enum cube_metric metric;
		int x, y; /* where it starts */
	} corners[] = { { CUBE_MPI_WAVEFRONT_SW, 0, 0 },
			{ CUBE_MPI_WAVEFRONT_SE, EDGE - 1, 0 },
			{ CUBE_MPI_WAVEFRONT_NW, 0, EDGE - 1 },
			{ CUBE_MPI_WAVEFRONT_NE, EDGE - 1, EDGE - 1 } };
	ENDED_BY(leave) struct looked l = simulated(40);

	for (int c = 0; c < 4; c++) {
		double wait[EDGE][EDGE], most = 0;
		const int x = EDGE - 1 - corners[c].x, y = EDGE - 1 - corners[c].y;
		by_place(&l, corners[c].metric, wait);
		for (int i = 0; i < EDGE * EDGE; i++)
			most = fmax(most, wait[i / EDGE][i % EDGE]);
		assert_true(wait[corners[c].y][corners[c].x] == 0);
		/* But for what the calls themselves take, which depends on the way there. */
		assert_true(wait[y][x] > 0.999 * most);
	}
	expect_parts(&l);
}

/* ---- made by hand: three dimensions ---- */

enum { SIDE = 3, CUBE_RANKS = SIDE * SIDE * SIDE, STEPS = 3 };

/* A run on 3 x 3 x 3 whose waits are known: clocks by rank, when messages were entered to be sent
 * by step, sender, and dimension. */
struct made {
	struct builder *b;
	uint32_t site_recv, site_send;
	int64_t clock[CUBE_RANKS];
	int64_t sent[CUBE_RANKS][3];
	double wait[8]; /* of first steps, by direction */
};

static int coordinate(int rank, int d)
{
	static const int stride[] = { 1, SIDE, SIDE * SIDE };

	return rank / stride[d] % SIDE;
}

/* The rank beside it along a dimension, -1 none. */
static int beside(int rank, int d, int by)
{
	static const int stride[] = { 1, SIDE, SIDE * SIDE };
	const int at = coordinate(rank, d) + by;

	return at < 0 || at >= SIDE ? -1 : rank + by * stride[d];
}

static void take_part(struct made *m, int rank, unsigned direction, int step)
{
	int64_t *t = &m->clock[rank];

	for (int d = 0; d < 3; d++) {
		const int from = beside(rank, d, direction >> d & 1 ? -1 : 1);
		if (from < 0)
			continue;
		builder_enter(m->b, (uint32_t)rank, *t, m->site_recv);
		if (step == 0 && m->sent[from][d] > *t)
			m->wait[direction] += (double)(m->sent[from][d] - *t);
		if (m->sent[from][d] > *t)
			*t = m->sent[from][d];
		*t += 3;
		builder_recv(m->b, (uint32_t)rank, *t,
			     &(struct message_end){
				     .rank = from, .process = -1, .tag = d, .bytes = 8 });
		*t += 1;
		builder_leave(m->b, (uint32_t)rank, *t, m->site_recv);
	}
	*t += 50 + rank % 4; /* computation */
	for (int d = 0; d < 3; d++) {
		const int to = beside(rank, d, direction >> d & 1 ? 1 : -1);
		if (to < 0)
			continue;
		builder_enter(m->b, (uint32_t)rank, *t, m->site_send);
		m->sent[rank][d] = *t;
		builder_send(m->b, (uint32_t)rank, *t + 1,
			     &(struct message_end){
				     .rank = to, .process = -1, .tag = d, .bytes = 8 });
		*t += 2;
		builder_leave(m->b, (uint32_t)rank, *t, m->site_send);
	}
}

/* Ranks in the order in which the sweep passes them. */
static void sweep(struct made *m, unsigned direction)
{
	for (int step = 0; step < STEPS; step++)
		for (int z = 0; z < SIDE; z++)
			for (int y = 0; y < SIDE; y++)
				for (int x = 0; x < SIDE; x++)
					take_part(m,
						  (direction & 1 ? x : SIDE - 1 - x) +
							  SIDE * (direction & 2 ? y
										: SIDE - 1 - y) +
							  SIDE * SIDE *
								  (direction & 4 ? z
										 : SIDE - 1 - z),
						  direction, step);
}

TEST(eight_corners_of_three_dimensions)
{
	static const unsigned order[] = { 7, 0, 5, 2, 1, 6, 3, 4 };
	struct made m = { .b = builder_new("made.trc", &units_nanoseconds, NULL) };
	struct err err = ERR_INIT;
	ENDED_BY(leave) struct looked l;
	double sum = 0;

	for (int r = 0; r < CUBE_RANKS; r++)
		builder_location(m.b, &(struct location){ .rank = r, .process = -1 });
	m.site_recv = builder_site(m.b, builder_region(m.b, "MPI_Recv", CLASS_P2P, 51), 0, 0, 51);
	m.site_send = builder_site(m.b, builder_region(m.b, "MPI_Send", CLASS_P2P, 21), 0, 0, 21);
	for (int i = 0; i < 8; i++)
		sweep(&m, order[i]);
	l = look(builder_finish(m.b, NULL, NULL, &err), BASE_MEASURED, "3x3x3");
	for (unsigned d = 0; d < 8; d++) {
		char name[32];
		/* Towards higher x it comes from the west, higher y south, higher z from below. */
		const int n = snprintf(name, sizeof name, "mpi_wavefront_%c%c%c", d & 4 ? 'd' : 'u',
				       d & 2 ? 's' : 'n', d & 1 ? 'w' : 'e');
		const enum cube_metric metric = cube_metric_find(name, (size_t)n);
		assert_true(metric != CUBE_NONE);
		assert_true(m.wait[d] > 0);
		assert_true(fabs(total(&l, metric) - m.wait[d]) < 0.5);
		sum += m.wait[d];
	}
	assert_true(fabs(total(&l, CUBE_MPI_LATESENDER_WAVEFRONT) - sum) < 0.5);
	expect_parts(&l);
}
