/* Ranks and threads that share the cores of a node, counted by hand. */
#include "model/trace/crowd.h"

#include <stdlib.h>

#include "base/str.h"
#include "harness/notation.h"
#include "harness/test.h"

/* Rank 0 has three threads, of which two are there at once; rank 1, on the same node, has one;
 * those of rank 2 are elsewhere. */
static struct trace *made(const char *cores)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text,
		    "ranks 3; threads 3 rank 0; threads 2 rank 2\n"
		    "node one 0 1; node two 2; property cores '%s'\n"
		    "rank 0: f@0-100\n"
		    "rank 0 thread 1: f@10-20\n"
		    "rank 0 thread 2: f@30-40\n"
		    "rank 1: f@0-100\n"
		    "rank 2: f@0-100\n"
		    "rank 2 thread 1: f@0-100",
		    cores);
	return notation_trace(text.text);
}

static void assert_crowd(const char *cores, uint32_t ranks, uint32_t threads)
{
	OWNED_TRACE *trace = made(cores);
	const struct crowd crowd = trace_crowd(trace);

	assert_int_equal(crowd.cores, atoi(cores));
	assert_int_equal(crowd.ranks, ranks);
	assert_int_equal(crowd.threads, threads);
}

TEST(more_ranks_than_cores)
{
	assert_crowd("1", 2, 3);
}

TEST(more_threads_than_cores)
{
	assert_crowd("2", 0, 3);
}

TEST(enough_cores)
{
	assert_crowd("3", 0, 0);
}

TEST(cores_are_not_known)
{
	assert_crowd("0", 0, 0);
}
