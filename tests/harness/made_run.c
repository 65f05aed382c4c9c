#include "harness/made_run.h"
#include "patterns/patterns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct timescale nanoseconds = { 1000000000, 9 };

void made_run_begin(struct made_run *run, enum region_class mpi)
{
	*run = (struct made_run){ .b = builder_new("test.trc", &nanoseconds, NULL), .mpi = mpi };
}

static uint32_t add(struct made_run *run, const struct location *location)
{
	assert_true(run->n < MADE_LOCATIONS);
	run->location[run->n] = builder_location(run->b, location);
	return run->location[run->n++];
}

void made_run_ranks(struct made_run *run, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++)
		add(run, &(struct location){ .rank = (int32_t)r, .process = -1, .thread = 0 });
}

uint32_t made_run_threads(struct made_run *run, uint32_t n, int32_t rank, uint32_t owner)
{
	int32_t members[MADE_LOCATIONS];

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t location =
			add(run, &(struct location){
					 .rank = rank, .process = -1, .thread = (int32_t)i });
		if (rank == RANK_UNKNOWN)
			builder_location_owner(run->b, location, owner, LOCATION_CPU, i);
		members[i] = (int32_t)location;
	}
	return builder_comm_define(run->b,
				   &(struct comm){ .name = builder_string(run->b, "team", 4),
						   .size = n,
						   .ranks = members,
						   .parent = UINT32_MAX,
						   .kind = COMM_THREADS });
}

void made_run_finish(struct made_run *run)
{
	struct err err = ERR_INIT;

	run->t = builder_finish(run->b, NULL, NULL, &err);
	run->b = NULL;
	assert_non_null(run->t);
}

void made_run_look(struct made_run *run, int64_t t0, int64_t t1, unsigned parts)
{
	struct err err = ERR_INIT;

	cube_free(run->cube);
	run->cube = analysis_cube(run->analysis, t0, t1, parts, NULL, &err);
	assert_non_null(run->cube);
}

void made_run_analyse(struct made_run *run)
{
	struct err err = ERR_INIT;

	if (!run->t)
		made_run_finish(run);
	run->analysis = analysis_new(patterns, run->t, BASE_MEASURED, NULL, NULL, &err);
	assert_non_null(run->analysis);
	made_run_look(run, INT64_MIN, INT64_MAX, CUBE_TIMES | CUBE_WAITS);
}

void made_run_fini(struct made_run *run)
{
	cube_free(run->cube);
	analysis_free(run->analysis);
	builder_abandon(run->b);
	trace_free(run->t);
}

uint32_t made_region(struct made_run *run, const char *name)
{
	return builder_region(run->b, name, strncmp(name, "MPI_", 4) == 0 ? run->mpi : CLASS_USER,
			      100);
}

void made_enter(struct made_run *run, int index, int64_t time, const char *name)
{
	builder_enter(run->b, run->location[index], time,
		      builder_site(run->b, made_region(run, name), 0, 0, 100));
}

void made_leave(struct made_run *run, int index, int64_t time, const char *name)
{
	builder_leave(run->b, run->location[index], time,
		      builder_site(run->b, made_region(run, name), 0, 0, 100));
}

void made_assert_metric(const struct made_run *run, enum cube_metric metric, const double *want)
{
	for (uint32_t i = 0; i < run->n; i++) {
		bool chosen[MADE_LOCATIONS] = { false };
		chosen[run->location[i]] = true;
		if (fabs(cube_total(run->cube, metric, chosen) - want[i]) > 1e-9)
			fail_msg("%s of location %u: %g, not %g", cube_metric_info(metric)->name, i,
				 cube_total(run->cube, metric, chosen), want[i]);
	}
}
