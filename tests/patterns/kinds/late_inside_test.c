/* Time in MPI after all that a call waited for is there: usual, late, or without progress; by hand. */
#include "harness/made_run.h"
#include "harness/test.h"

enum { USUAL = 10 };

static int setup(void **state)
{
	return made_run_setup(state, "mpi p2p; ranks 2; inset 1");
}

FIXTURE(setup, made_run_teardown)

static int64_t total(const struct made_run *f, enum cube_metric metric)
{
	return (int64_t)cube_total(f->cube, metric, NULL);
}

/* Ten messages that take 4 ticks each, sent at 100, 200 ...: the tenth percentile is 4, what is
 * longer than 12 is late. */
static void write_usual(struct made_run *f)
{
	for (int i = 1; i <= USUAL; i++)
		made_run_write(f, "rank 0: MPI_Send@%d-%d ->1\nrank 1: MPI_Recv@%d-%d <-0", 100 * i,
			       100 * i + 2, 100 * i - 20, 100 * i + 4);
}

TEST_WITH(what_is_usual_is_not_late, struct made_run *f)
{
	write_usual(f);
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 20 * USUAL);
	assert_int_equal(total(f, CUBE_MPI_LATE), 0);
}

/* 40 ticks, 28 more than three times 4; the sender does not come back. */
TEST_WITH(delivered_late, struct made_run *f)
{
	write_usual(f);
	made_run_write(f, "rank 0: MPI_Send@2000-2002 ->1\nrank 1: MPI_Recv@1980-2040 <-0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_DELIVERED_LATE), 28);
	assert_int_equal(total(f, CUBE_MPI_NO_PROGRESS), 0);
	assert_int_equal(total(f, CUBE_MPI_LATE), 28);
	/* It is no waiting, and the part of a window that is in it. */
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 20 * USUAL + 20);
	made_run_look(f, 2020, 2030, CUBE_TIMES | CUBE_WAITS);
	assert_int_equal(total(f, CUBE_MPI_DELIVERED_LATE), 10);
}

/* The receive is late: time counts from its enter. */
TEST_WITH(a_late_receive, struct made_run *f)
{
	write_usual(f);
	made_run_write(f, "rank 0: MPI_Send@2000-2002 ->1\nrank 1: MPI_Recv@2100-2140 <-0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_DELIVERED_LATE), 28);
}

/* The sender computes from 2002 to 2030; late is what comes after 2012. */
TEST_WITH(no_progress, struct made_run *f)
{
	write_usual(f);
	made_run_write(f, "rank 0: MPI_Send@2000-2002 ->1 MPI_Send@2030-2031 ->1\n"
			  "rank 1: MPI_Recv@1980-2040 <-0 MPI_Recv@2041-2042 <-0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_NO_PROGRESS), 18);
	assert_int_equal(total(f, CUBE_MPI_DELIVERED_LATE), 10);
}

/* All messages are left alone: then nothing says that this is usual. */
TEST_WITH(never_any_progress, struct made_run *f)
{
	for (int i = 1; i <= USUAL; i++)
		made_run_write(f,
			       "rank 0: MPI_Send@%d-%d ->1 MPI_Barrier@%d-%d\n"
			       "rank 1: MPI_Recv@%d-%d <-0",
			       100 * i, 100 * i + 2, 100 * i + 32, 100 * i + 41, 100 * i - 20,
			       100 * i + 40);
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_NO_PROGRESS), 30 * USUAL);
	assert_int_equal(total(f, CUBE_MPI_DELIVERED_LATE), 8 * USUAL);
}

/* The last one begins at 51, as records are a tick inside of calls: usual are 2 ticks, 38 once. */
TEST_WITH(released_late, struct made_run *f)
{
	made_run_write(f, "mpi collective");
	for (int i = 1; i <= USUAL; i++)
		made_run_write(f,
			       "rank 0: MPI_Allreduce@%d-%d all 8B\n"
			       "rank 1: MPI_Allreduce@%d-%d all 8B",
			       100 * i, 100 * i + 54, 100 * i + 50, 100 * i + (i == 5 ? 90 : 54));
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_WAIT_NXN), 50 * USUAL);
	assert_int_equal(total(f, CUBE_MPI_RELEASED_LATE), 38 - 3 * 2);
	assert_int_equal(total(f, CUBE_MPI_LATE), 32);
}
