#include "harness/made_run.h"
#include "patterns/patterns.h"

#include <math.h>
#include <string.h>

#include "harness/test.h"

void made_run_begin(struct made_run *run, enum region_class mpi)
{
	*run = (struct made_run){ 0 };
	notation_begin(&run->text, 1000000000);
	run->text.mpi = mpi;
	run->b = run->text.b;
}

void made_run_write(struct made_run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	notation_write_v(&run->text, format, args);
	va_end(args);
	for (; run->n < run->text.places.n; run->n++) {
		assert_true(run->n < MADE_LOCATIONS);
		run->location[run->n] = run->text.places.data[run->n].location;
	}
}

int made_run_setup(void **state, const char *text)
{
	struct made_run *run = test_calloc(1, sizeof *run);

	made_run_begin(run, CLASS_P2P);
	made_run_write(run, "%s", text);
	*state = run;
	return 0;
}

int made_run_teardown(void **state)
{
	made_run_fini(*state);
	test_free(*state);
	return 0;
}

void made_run_finish(struct made_run *run)
{
	run->t = notation_finish(&run->text);
	run->b = NULL;
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
	notation_fini(&run->text);
	trace_free(run->t);
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
