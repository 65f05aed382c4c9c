/* Wait in Probe and Polling: traces of a few calls with numbers worked out by hand. */
#include <string.h>

#include "harness/made_run.h"
#include "harness/test.h"

static int setup(void **state)
{
	return made_run_setup(state, "mpi p2p; ranks 3");
}

FIXTURE(setup, made_run_teardown)

static int64_t total(const struct made_run *f, enum cube_metric metric)
{
	return (int64_t)cube_total(f->cube, metric, NULL);
}

/* Of a metric on rank 0, in visits of a region. */
static int64_t in(const struct made_run *f, enum cube_metric metric, const char *region)
{
	double value = 0;

	for (uint32_t p = 1; p < trace_callpath_count(f->t); p++) {
		const uint32_t of = trace_callpath_region(f->t, p);
		if (strcmp(trace_region_name(f->t, of), region) == 0)
			value += cube_value(f->cube, metric, p, f->location[0]);
	}
	return (int64_t)value;
}

TEST_WITH(a_probe_waits_for_the_message_that_is_received_next, struct made_run *f)
{
	const struct wait *waits;
	size_t n;

	made_run_write(f, "rank 0: main@0 { MPI_Probe@10-32 MPI_Recv@35-40 <-1 } @50\n"
			  "rank 1: MPI_Send@25-27 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_PROBE_WAIT), 15);
	assert_int_equal(in(f, CUBE_MPI_PROBE_WAIT, "MPI_Probe"), 15);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
	waits = analysis_waits(f->analysis, f->location[0], &n);
	assert_int_equal(n, 1);
	assert_int_equal(waits->begin, 10);
	assert_int_equal(waits->length, 15);
	assert_int_equal(what_kind(trace_event_what(f->t, waits->event)), EV_LEAVE);
	assert_int_equal(trace_event_location(f->t, waits->partner), f->location[1]);
}

/* A matched probe, taken by a request that ends after other messages. */
TEST_WITH(a_matched_probe_waits, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Irecv@0-2 post <-2 req 1  MPI_Mprobe@10-32\n"
			  "        MPI_Imrecv@33-34 post <-1 req 2\n"
			  "        MPI_Wait@35-36 <-2 req 1  MPI_Wait@37-38 <-1 req 2\n"
			  "rank 1: MPI_Send@25-27 ->0; rank 2: MPI_Send@30-32 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_PROBE_WAIT), 15);
}

/* Sent after the probe had returned: it was another message that it saw. */
TEST_WITH(a_probe_saw_what_was_there, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Probe@10-32 MPI_Recv@35-60 <-1; rank 1: MPI_Send@50-52 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_PROBE_WAIT), 0);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 15);
}

TEST_WITH(a_probe_of_a_message_that_is_there_does_not_wait, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Probe@10-12 MPI_Recv@15-16 <-1; rank 1: MPI_Send@5-7 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_PROBE_WAIT), 0);
}

/* From 10 to 25: 2 + 2 + 1 in the calls, 4 + 6 in between, in main. */
TEST_WITH(looks_are_polling, struct made_run *f)
{
	made_run_write(f, "rank 0: main@0 { MPI_Iprobe@10-12 MPI_Iprobe@16-18 MPI_Iprobe@24-28\n"
			  "        MPI_Recv@35-40 <-1 } @50\n"
			  "rank 1: MPI_Send@25-27 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_POLLING), 15);
	assert_int_equal(in(f, CUBE_MPI_POLLING, "MPI_Iprobe"), 5);
	assert_int_equal(in(f, CUBE_MPI_POLLING, "main"), 10);
	/* 50 of main and the send, without 10 that are waiting: MPI has 2 + 2 + 4 + 5 + 10. */
	assert_int_equal(total(f, CUBE_MPI_POINT2POINT), 2 + 2 + 4 + 5 + 2 + 10);
	assert_int_equal(total(f, CUBE_COMP), 50 - 13 - 10);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
}

/* From 10 until 25, when the later one of two messages is sent. */
TEST_WITH(tests_are_polling, struct made_run *f)
{
	made_run_write(
		f, "rank 0: main@0 { MPI_Irecv@0-2 post <-1 req 1  MPI_Irecv@3-5 post <-2 req 2\n"
		   "        MPI_Testall@10-12 MPI_Testall@16-18\n"
		   "        MPI_Testall@24-30 <-1 req 1 @29 <-2 req 2 @29 } @50\n"
		   "rank 1: MPI_Send@20-21 ->0; rank 2: MPI_Send@25-26 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_POLLING), 15);
	assert_int_equal(in(f, CUBE_MPI_POLLING, "MPI_Testall"), 2 + 2 + 1);
	assert_int_equal(in(f, CUBE_MPI_POLLING, "main"), 10);
}

/* A function between two looks may do work: only the looks after it are a run. */
TEST_WITH(functions_end_a_run, struct made_run *f)
{
	made_run_write(f, "rank 0: main@0 { MPI_Iprobe@10-12 work@13-15 MPI_Iprobe@16-18\n"
			  "        MPI_Iprobe@24-28 MPI_Recv@35-40 <-1 } @50\n"
			  "rank 1: MPI_Send@25-27 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_POLLING), 25 - 16);
}

/* 2 ms between looks, on average: it computes. 1 ms: it waits. */
TEST_WITH(long_code_between_looks_is_work, struct made_run *f)
{
	made_run_write(f, "rank 0: main@0 { MPI_Iprobe@10-12 MPI_Iprobe@2000012-2000014\n"
			  "        MPI_Recv@2000035-2000040 <-1 } @2000050\n"
			  "rank 1: MPI_Send@2000013-2000014 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_POLLING), 0);
}

TEST_WITH(short_code_between_looks_waits, struct made_run *f)
{
	made_run_write(f, "rank 0: main@0 { MPI_Iprobe@10-12 MPI_Iprobe@1000012-1000014\n"
			  "        MPI_Recv@1000035-1000040 <-1 } @1000050\n"
			  "rank 1: MPI_Send@1000013-1000014 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_POLLING), 1000003);
}

/* ---- causes ---- */

/* Rank 1 works 70 before it sends; rank 0 polls meanwhile, 30 of it in main, and makes rank 2 wait.
 * Rank 0 itself took 10 in the last look, 5 to receive. */
TEST_WITH(polling_is_not_work, struct made_run *f)
{
	made_run_write(
		f, "region MPI_Barrier class sync\n"
		   "rank 0: main@0 { MPI_Barrier@0-10 all MPI_Iprobe@10-20 MPI_Iprobe@35-50\n"
		   "        MPI_Iprobe@65-90 MPI_Recv@90-95 <-1 MPI_Send@95-96 ->2 } @100\n"
		   "rank 1: main@0 { MPI_Barrier@0-10 all work@10-80 MPI_Send@80-81 ->0 } @100\n"
		   "rank 2: main@0 { MPI_Barrier@0-10 all MPI_Recv@10-99 <-0 } @100");
	made_run_analyse(f);
	made_run_look(f, INT64_MIN, INT64_MAX, CUBE_ALL);
	made_assert_metric(f, CUBE_MPI_POLLING, (const double[]){ 70, 0, 0 });
	made_assert_metric(f, CUBE_MPI_LATESENDER, (const double[]){ 0, 0, 85 });
	made_assert_metric(f, CUBE_DELAY_POLLING_AGGREGATE, (const double[]){ 0, 70, 0 });
	made_assert_metric(f, CUBE_DELAY_LATESENDER, (const double[]){ 15, 0, 0 });
	made_assert_metric(f, CUBE_DELAY_LATESENDER_LONGTERM, (const double[]){ 0, 70, 0 });
	assert_int_equal(in(f, CUBE_DELAY_LATESENDER, "MPI_Iprobe"), 10);
	assert_int_equal(in(f, CUBE_DELAY_LATESENDER, "MPI_Recv"), 5);
}
