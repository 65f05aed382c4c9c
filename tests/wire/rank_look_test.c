/* A rank that stays in a call counts as one that waits once it had the time to go on: one that sleeps
 * has, and one that has a processor; one that is ready and has none does not (rank_look.h). */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/lib/rank_look.h"
#include "capture/lib/recorder.h"
#include "harness/test.h"
#include "wire/far_aid.h"

enum { MS = 1000000, SHORT = 400, LONGEST = 60000 }; /* ns; ms */

static void sleeps(void)
{
	for (;;)
		pause();
}

static void works(void)
{
	for (volatile int i = 0;; i++)
		;
}

/* On this processor, where anything else comes first. */
static void is_ready(void)
{
	const struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &none) == 0)
		works();
	_exit(1);
}

static pid_t rank_begin(void (*does)(void))
{
	const pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0, 0, 0);
		does();
	}
	return child;
}

/* Looks at a rank in a call until it counts as one that waits, but not for longer than so many ms;
 * `idle`: others have the processor in between. */
static bool stays(pid_t pid, int ms, bool idle)
{
	const struct rank_line line = {
		.seq = 2, .state = RANK_CALLS, .pid = pid, .space = rank_look_space()
	};
	const uint64_t begin = tv_now_slow();
	struct rank_look look = { .since = 0 };

	do {
		rank_look_at(&look, &line, tv_now_slow(), 0, line.space);
		if (idle)
			nanosleep(&(struct timespec){ 0, MS }, NULL);
	} while (!look.stays && tv_now_slow() - begin < (uint64_t)ms * MS);
	return look.stays;
}

static void rank_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(one_that_sleeps_or_works_stays)
{
	pid_t rank;

	far_aid_begin();
	rank = rank_begin(sleeps);
	assert_true(stays(rank, LONGEST, true));
	rank_end(rank);
	rank = rank_begin(works);
	assert_true(stays(rank, LONGEST, true));
	rank_end(rank);
	far_aid_end();
}

/* This process does not leave it the processor that both share. */
TEST(one_without_a_processor_does_not)
{
	cpu_set_t one;
	pid_t rank;

	far_aid_begin();
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	rank = rank_begin(is_ready);
	assert_false(stays(rank, SHORT, false));
	rank_end(rank);
	far_aid_end();
}
