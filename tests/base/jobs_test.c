/* Every thing is done once, whatever the number of threads; in order where there is one. */
#include <stdlib.h>

#include "base/jobs.h"
#include "base/mem.h"
#include "harness/test.h"

enum { THINGS = 20000 };

struct tally {
	unsigned char done[THINGS];
	size_t last[JOBS_MOST];
	int backwards[JOBS_MOST];
	unsigned jobs;
};

static void count(void *context, unsigned worker, size_t thing)
{
	struct tally *t = context;

	if (worker >= t->jobs || thing >= THINGS)
		abort();
	t->done[thing]++;
	t->backwards[worker] += thing < t->last[worker];
	t->last[worker] = thing;
}

TEST(each_thing_once)
{
	static const unsigned jobs[] = { 1, 2, 7, JOBS_MOST };
	static const size_t things[] = { 0, 1, 5, THINGS };

	for (size_t j = 0; j < 4; j++)
		for (size_t n = 0; n < 4; n++) {
			OWNED struct tally *t = xcalloc(1, sizeof *t);
			t->jobs = jobs[j];
			jobs_run(jobs[j], things[n], count, t);
			for (size_t i = 0; i < THINGS; i++)
				assert_int_equal(t->done[i], i < things[n]);
			for (unsigned w = 0; w < JOBS_MOST; w++)
				assert_int_equal(t->backwards[w], 0);
		}
}

TEST(counts)
{
	assert_in_range(jobs_count(0), 1, JOBS_MOST);
	assert_int_equal(jobs_count(-3), jobs_count(0));
	assert_int_equal(jobs_count(1), 1);
	assert_int_equal(jobs_count(3), 3);
	assert_int_equal(jobs_count(100000), JOBS_MOST);
}
