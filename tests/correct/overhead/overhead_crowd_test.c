/* Ranks that share cores, and what their records take from each other. */
#include <math.h>

#include "correct/overhead/overhead_aid.h"
#include "harness/owners.h"
#include "harness/test.h"

FREES(aid_free, struct aid_program)

/* Ranks with 400, 300, 200, and no records of functions, which each cost 10 ns, and so much work
 * between them that nothing is limited to 0. */
static struct overhead_report of_crowd(int cores, int slower)
{
	FREED_BY(aid_free) struct aid_program *p = aid_new(4);
	ENDED_BY(aid_trace_fini) struct aid_trace t;
	struct overhead_report report;

	aid_one_cost(p, 10000);
	p->cores = cores;
	p->slower = slower;
	for (uint32_t rank = 0; rank < 3; rank++)
		aid_call(p, rank, 0, 1000000, 200 - 50 * (int)rank);
	aid_add(p, 3, (struct aid_step){ AID_WORK, 0, 0, 1000000, 0 });
	t = aid_run(p);
	report = aid_compensate(&t, NULL);
	assert_true(report.done);
	return report;
}

/* What was taken out of a rank. */
static int64_t taken(const struct overhead_report *report, uint32_t rank, bool most)
{
	const struct overhead_sum *time = &report->locations[rank].time;

	return time->measured - (most ? time->lower : time->compensated);
}

/* On two cores the records of (400 + 300 + 200) / 400 ranks, and of four at most, take them from
 * each other: 9/8 and 2 times their cost. On three and one 3/4, so 1, and 4/3; 9/4 and 4. Three
 * times where the run took so much longer than the ranks had cores, but not with one for each. */
TEST(ranks_that_share_cores_wait_for_records)
{
	static const struct {
		int cores, slower;
		double best, most;
	} cases[] = { { 2, 0, 9. / 8, 2 }, { 3, 0, 1, 4. / 3 }, { 1, 0, 9. / 4, 4 },
		      { 2, 3, 9. / 8, 3 }, { 1, 3, 9. / 4, 4 }, { 4, 3, 1, 1 } };
	ENDED_BY(overhead_report_fini) struct overhead_report alone = of_crowd(0, 0);

	assert_true(alone.crowd_most <= 1 && taken(&alone, 0, false) > 3900000);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ENDED_BY(overhead_report_fini)
		struct overhead_report report = of_crowd(cases[i].cores, cases[i].slower);
		assert_true(fabs(report.crowd - cases[i].best) < 1e-12);
		assert_true(fabs(report.crowd_most - cases[i].most) < 1e-12);
		for (uint32_t rank = 0; rank < 3; rank++) {
			const double best = (double)taken(&report, rank, false),
				     most = (double)taken(&report, rank, true);
			assert_true(fabs(best -
					 cases[i].best * (double)taken(&alone, rank, false)) < 10);
			assert_true(fabs(most - cases[i].most * (double)taken(&alone, rank, true)) <
				    10);
		}
		assert_true(report.locations[0].time.upper == alone.locations[0].time.upper);
	}
}
