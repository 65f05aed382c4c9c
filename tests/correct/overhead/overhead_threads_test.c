/* Compensation of threads: what recording cost the one that begins a team goes on to the others. By
 * hand; ticks are nanoseconds, and a record costs 4. */
#include <string.h>

#include "correct/overhead/overhead.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/test.h"

enum { FLUSH = 50000, RECORD = 4 };

static const char run[] =
	"threads 2 rank 0; region barrier = '!$omp barrier @a.c:1' class sync\n"
	"region flush class overhead\n"
	"property 'cost-pairs-ps' '4000 4000 4000 4000 4000 4000 4000 4000 "
	"4000 4000 4000 4000 4000 4000 4000 4000'\n"
	"property 'cost-guard' inline\n"
	"rank 0: main@0 flush@1000-51000, [thread-fork 0 2 @52000] [team-begin team @52000]\n"
	"  work@52100-62100 barrier@62200-72100, [team-end team @72100] [thread-join 0 @72100]\n";

/* The worker begins, by the system, 1000 after the fork; works from `work` on; and comes last to the
 * barrier, at 72000. `traced`: recording it begins before its team does. */
static struct trace *make(bool traced)
{
	static const struct overhead_options options = OVERHEAD_DEFAULTS;
	struct notation n;
	struct trace *trace;
	struct overhead_report report;
	struct err err = ERR_INIT;

	notation_begin(&n, 1000000000);
	notation_write(&n, "%s", run);
	if (traced)
		builder_tracing(n.b, 1, 53000, notation_id(&n, NOTATION_REGION, "flush"), true);
	notation_write(&n, "location 1: [team-begin team @53004] work@53100-71900\n"
			   "  barrier@72000-72100, [team-end team @72100]");
	trace = notation_finish(&n);
	FREED_BY(logical_free) struct logical *logical = logical_new(trace, NULL, &err);
	assert_true(overhead_run(&report, trace, logical, BASE_MEASURED, &options, NULL, &err));
	assert_true(report.done);
	overhead_report_fini(&report);
	return trace;
}

/* All after the flush is earlier by it, and by some records; the beginning of recording has the time
 * of the team's, which is 4 later. */
static void assert_earlier(const struct trace *trace, uint32_t location, enum time_base base)
{
	struct cursor c, m;
	bool ok = cursor_first(&c, trace, base, location);

	assert_true(cursor_first(&m, trace, BASE_MEASURED, location));
	for (; ok; ok = cursor_next(&c), cursor_next(&m)) {
		const int64_t earlier = cursor_time(&m) - cursor_time(&c);
		if (cursor_time(&m) < 51000)
			continue;
		assert_true(earlier >= FLUSH - RECORD && earlier <= FLUSH + 10 * RECORD);
	}
}

static void check(bool traced)
{
	static const enum time_base bases[] = { BASE_COMPENSATED, BASE_LOWER, BASE_UPPER };
	OWNED_TRACE *trace = make(traced);

	for (int way = 0; way < 3; way++)
		for (uint32_t location = 0; location < 2; location++)
			assert_earlier(trace, location, bases[way]);
}

TEST(a_team_begins_after_the_fork_in_all_bases)
{
	check(false);
}

TEST(recording_of_a_thread_begins_with_its_team)
{
	check(true);
}
