/* Real traces against what the field's own implementation made of them: the lengths of the runs of
 * all ranks after SCOUT 2.6 --time-correct (one microsecond everywhere), to the digits that it
 * printed. It lets a rank's own begin hold back its own end, which we do not (A3): on one rank that
 * comes to 0.3 us. */
#include <math.h>

#include "correct/clc/clc.h"
#include "correct/clocks/clock_check.h"
#include "harness/owners.h"
#include "harness/test.h"
#include "model/formats/load.h"

enum { RANKS = 4 };

struct field {
	const char *path;
	double before[RANKS], after[RANKS]; /* seconds */
	double most;                        /* by which ours may differ */
};

static double run_length(const struct trace *trace, enum time_base base, uint32_t location)
{
	struct cursor first, last;

	assert_true(cursor_first(&first, trace, base, location));
	assert_true(cursor_last(&last, trace, base, location));
	return (double)(cursor_time(&last) - cursor_time(&first)) /
	       (double)trace_scale(trace)->per_second;
}

static void compare(const struct field *field)
{
	const struct load_options options = { .no_cache = true };
	const struct lmin_options microsecond = { 1e-6, 1e-6 };
	const struct clc_options standard = { 0 };
	struct err err = ERR_INIT;
	OWNED_TRACE *trace = trace_load(field->path, &options, NULL, &err);
	FREED_BY(logical_free) struct logical *logical;
	ENDED_BY(clc_report_fini) struct clc_report report;
	ENDED_BY(check_fini) struct check check;
	struct lmin lmin;

	assert_non_null(trace);
	assert_true(trace_base_make(trace, BASE_LINEAR, NULL, &err));
	logical = logical_new(trace, NULL, &err);
	lmin = lmin_make(logical, BASE_LINEAR, &microsecond);
	assert_true(clc_run(&report, trace, logical, BASE_LINEAR, &lmin, &standard, NULL, &err));
	assert_true(report.done);
	for (uint32_t l = 0; l < RANKS; l++) {
		assert_true(fabs(run_length(trace, BASE_LINEAR, l) - field->before[l]) <= 0.51e-6);
		assert_true(fabs(run_length(trace, BASE_CLC, l) - field->after[l]) <= field->most);
	}
	assert_true(check_make(&check, logical, BASE_CLC, &lmin, NULL));
	assert_int_equal(check.all.violating, 0);
}

TEST(comd)
{
	static const struct field field = { "traces/otf2/comd-4/traces.otf2",
					    { 0.234594, 0.228942, 0.228292, 0.229381 },
					    { 0.234595, 0.228942, 0.228294, 0.229401 },
					    0.51e-6 };

	compare(&field);
}

TEST(sweep3d)
{
	static const struct field field = { "traces/otf2/sweep3d-4/traces.otf2",
					    { 0.332066, 0.332599, 0.333049, 0.335684 },
					    { 0.332087, 0.332616, 0.333099, 0.335685 },
					    0.81e-6 };

	compare(&field);
}
