/* A rank that stays in a call counts as one that waits once it had the time to go on: one that sleeps
 * has, and one that has a processor; one that is ready and has none does not (rank_look.h). When one
 * that waits for several requests goes on. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
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

/* Messages to rank 0: of rank 2 on communicator 5 with tag 7 at 30, of rank 3 on 6 with tag 8 at 20.
 * They arrive 1 later. */
static uint64_t two_messages(const void *of, bool posts, int from, int to, uint32_t comm, int tag,
			     unsigned nth, struct carry_entry *e)
{
	const bool first = from == 2 && comm == 5 && (tag == 7 || tag == CARRY_ANY_TAG);
	const bool second = from == 3 && comm == 6 && (tag == 8 || tag == CARRY_ANY_TAG);

	(void)of;
	if (posts || to || nth || !(first || second))
		return 0;
	*e = (struct carry_entry){ .time = first ? 30 : 20, .comm = comm, .tag = first ? 7 : 8 };
	return e->time;
}

TEST(one_of_several_goes_on_by_the_first_message)
{
	static const struct {
		int64_t ready;
		int n;
		struct rank_wanted wanted[2];
	} of[] = {
		{ 31, 1, { { 7, RANK_FROM_ANY, 0, 0 } } },
		{ ORDER_NEVER, 1, { { 8, RANK_FROM_ANY, 0, 0 } } },
		{ 21, 1, { { 8, RANK_FROM_ANY, 0, 2 } } },
		{ 21, 2, { { 7, RANK_FROM_ANY, 0, 0 }, { -1, RANK_FROM_ANY, 0, 2 } } },
		{ 31, 2, { { 7, 2, 0, 0 }, { 8, 2, 0, 2 } } },
		{ ORDER_NEVER, 2, { { 7, 3, 0, 0 }, { -1, RANK_FROM_ANY, 0, 1 } } },
	};
	struct rank_look look[4] = { { .since = 0 } };
	const struct rank_sight sight = {
		.n = 4, .look = look, .under_way = two_messages, .latency = 1
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		look->line = (struct rank_line){
			.state = RANK_FIRST, .n = (uint8_t)of[i].n, .comm = 5, .others = { 9, 6 }
		};
		memcpy(look->line.wanted, of[i].wanted, sizeof of[i].wanted);
		assert_int_equal(rank_look_rate(&sight, 0, 0).ready, of[i].ready);
		assert_true(rank_look_waits(&sight, 0, 3) == (i != 4));
		assert_true(rank_look_waits(&sight, 0, 1) == (i != 4));
	}
}
