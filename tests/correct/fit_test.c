/* Clocks fitted to messages, against simulated runs whose true times are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "correct/fit.h"
#include "correct/fit_aid.h"

struct outcome {
	struct fit_report report;
	double measured, linear, fitted; /* us, rms; negative without the base */
};

static struct outcome fit_of(const struct aid_run *run, bool even_if_poor)
{
	const struct fit_options options = { .even_if_poor = even_if_poor };
	struct err err = ERR_INIT;
	struct aid_truth truth;
	struct trace *trace = aid_make(run, &truth);
	struct logical *logical;
	struct outcome outcome = { .linear = -1, .fitted = -1 };

	assert_non_null(trace);
	logical = logical_new(trace, NULL, &err);
	assert_non_null(logical);
	assert_true(fit_run(&outcome.report, trace, logical, &options, NULL, &err));
	outcome.measured = aid_rms(trace, BASE_MEASURED, &truth);
	if (trace_has_base(trace, BASE_LINEAR))
		outcome.linear = aid_rms(trace, BASE_LINEAR, &truth);
	if (outcome.report.done)
		outcome.fitted = aid_rms(trace, BASE_FITTED, &truth);
	if (getenv("TVIEW_FIT_TABLE"))
		printf("# %-11s %-7s %4u ranks: %11.1f %8.2f %8.2f us, sigma %5.0f, reversed %llu -> %llu of "
		       "%llu, dropped %llu, slack %.0f %s\n",
		       aid_program_name(run->program), aid_clocks_name(run->clocks), run->ranks,
		       outcome.measured, outcome.linear, outcome.fitted, outcome.report.sigma,
		       (unsigned long long)outcome.report.reversed_before,
		       (unsigned long long)outcome.report.reversed_after,
		       (unsigned long long)outcome.report.edges,
		       (unsigned long long)outcome.report.dropped, outcome.report.min_slack,
		       outcome.report.why);
	logical_free(logical);
	trace_free(trace);
	aid_truth_fini(&truth);
	return outcome;
}

static void fitted_clocks_are_nearer_to_the_truth(void **state)
{
	(void)state;
	for (int p = 0; p < AID_ONE_WAY; p++)
		for (int c = 0; c < AID_CLOCKS; c++) {
			struct aid_run run = AID_RUN;
			struct outcome o;
			run.program = (enum aid_program)p;
			run.clocks = (enum aid_clocks)c;
			o = fit_of(&run, false);
			assert_true(o.report.done);
			assert_true(o.fitted <= o.linear / (c == AID_SINUS  ? 4
							    : c == AID_STEP ? 1.5
									    : 2));
			if (c != AID_STEP)
				assert_int_equal(o.report.reversed_after, 0);
			fit_report_fini(&o.report);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fitted_clocks_are_nearer_to_the_truth),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
