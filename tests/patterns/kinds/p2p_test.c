/* Late Sender, wrong order, Late Receiver: traces of a few calls with numbers worked out by hand
 * from section 6.3 of the specification and its corrections C1, C5, C6, C7; section 7's vectors, in
 * tenths. */
#include <stdio.h>
#include <string.h>

#include "harness/made_run.h"
#include "harness/test.h"

enum { RANKS = 4 };

static int setup(void **state)
{
	return made_run_setup(state, "mpi p2p; ranks 4; inset 1");
}

FIXTURE(setup, made_run_teardown)

static const char *region_of(const struct made_run *f, uint32_t path)
{
	return trace_region_name(f->t, trace_callpath_region(f->t, path));
}

/* The value of a metric on a rank, in calls of a region; everywhere else it is zero. */
static void assert_only(const struct made_run *f, enum cube_metric metric, int rank,
			const char *region, int64_t value)
{
	double there = 0;

	for (uint32_t p = 1; p < trace_callpath_count(f->t); p++)
		if (strcmp(region_of(f, p), region) == 0)
			there += cube_value(f->cube, metric, p, f->location[rank]);
	assert_int_equal((int64_t)there, value);
	assert_int_equal((int64_t)cube_total(f->cube, metric, NULL), value);
}

static int64_t total(const struct made_run *f, enum cube_metric metric)
{
	return (int64_t)cube_total(f->cube, metric, NULL);
}

/* ---- Late Sender ---- */

TEST_WITH(a_receiver_waits_for_a_late_sender, struct made_run *f)
{
	const struct wait *waits;
	size_t n;

	made_run_write(f, "rank 1: main@0 { MPI_Recv@10-32 <-0 } @50\n"
			  "rank 0: MPI_Send@25-27 ->1");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Recv", 15);
	assert_only(f, CUBE_MPI_CLS_COUNT, 1, "MPI_Recv", 1);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
	waits = analysis_waits(f->analysis, f->location[1], &n);
	assert_int_equal(n, 1);
	assert_int_equal(waits->begin, 10);
	assert_int_equal(waits->length, 15);
	assert_int_equal(what_kind(trace_event_what(f->t, waits->event)), EV_RECV);
	assert_int_equal(what_kind(trace_event_what(f->t, waits->partner)), EV_SEND);
	assert_int_equal(trace_event_location(f->t, waits->partner), f->location[0]);
	assert_int_equal(analysis_counts(f->analysis)->violations, 0);
}

/* Clocks that disagree: the wait ends with the call. */
TEST_WITH(a_wait_is_not_longer_than_its_call, struct made_run *f)
{
	made_run_write(f, "rank 1: MPI_Recv@10-32 <-0; rank 0: MPI_Send@40-45 ->1");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Recv", 22);
	assert_int_equal(analysis_counts(f->analysis)->violations, 1);
}

/* It is the enter of the call that counts, not its record, and not a user function around it. */
TEST_WITH(the_call_of_the_send_counts, struct made_run *f)
{
	made_run_write(f, "rank 1: MPI_Recv@10-90 <-0\n"
			  "rank 0: main@0 { MPI_Isend@30-40 ->1 req 5 @39 } @95\n"
			  /* A send that no call is around: its record. */
			  "rank 3: MPI_Recv@10-90 <-2\n"
			  "rank 2: main@0 { ->3 @35 } @95");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 20 + 25);
}

TEST_WITH(the_largest_wait_of_a_waitall_counts_once, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Irecv@0-2 post <-1 req 11  MPI_Irecv@3-5 post <-2 req 12\n"
			  "        MPI_Waitall@10-60 <-1 req 11 @55 <-2 req 12 @56\n"
			  "rank 1: MPI_Send@20-30 ->0; rank 2: MPI_Send@50-54 ->0");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Waitall", 40);
	assert_only(f, CUBE_MPI_CLS_COUNT, 0, "MPI_Waitall", 1);
	assert_only(f, CUBE_COMMS_RECV, 0, "MPI_Waitall", 2);
	assert_only(f, CUBE_BYTES_RCVD, 0, "MPI_Waitall", 16);
}

TEST_WITH(a_test_does_not_wait, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Irecv@0-2 post <-1 req 11  MPI_Test@10-60 <-1 req 11 @55\n"
			  "rank 1: MPI_Send@20-30 ->0");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
	assert_int_equal(total(f, CUBE_MPI_CLS_COUNT), 0);
	assert_only(f, CUBE_COMMS_RECV, 0, "MPI_Test", 1);
}

/* In MPI_Sendrecv the whole call waits for a sender, and nobody for a receiver (A15). */
TEST_WITH(sendrecv_waits_for_senders_alone, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Sendrecv@10-60 ->1 tag 1 @11 <-1 tag 2 @58\n"
			  "rank 1: MPI_Sendrecv@40-60 ->0 tag 2 @41 <-0 tag 1 @50");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Sendrecv", 30);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
}

/* One request, two messages: it waits for one of them at a time. */
TEST_WITH(isendrecv_waits_for_senders_alone, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Isendrecv@5-6 ->1 req 1 post <-1 req 2\n"
			  "        MPI_Wait@10-60 sent 1 @58 <-1 req 2 @58\n"
			  "rank 1: MPI_Isendrecv@40-41 ->0 req 1 post <-0 req 2\n"
			  "        MPI_Wait@42-60 sent 1 @58 <-0 req 2 @58");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Wait", 30);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
}

TEST_WITH(messages_without_payload_are_synchronisations, struct made_run *f)
{
	made_run_write(f, "rank 1: MPI_Recv@10-32 <-0 0B @30; rank 0: MPI_Send@25-27 ->1 0B");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_SLS_COUNT, 1, "MPI_Recv", 1);
	assert_int_equal(total(f, CUBE_MPI_CLS_COUNT), 0);
	assert_only(f, CUBE_SYNCS_SEND, 0, "MPI_Send", 1);
	assert_only(f, CUBE_SYNCS_RECV, 1, "MPI_Recv", 1);
	assert_int_equal(total(f, CUBE_COMMS), 0);
	assert_int_equal(total(f, CUBE_BYTES), 0);
}

TEST_WITH(persistent_requests_are_marked, struct made_run *f)
{
	const struct wait *waits;
	size_t n;

	made_run_write(f, "rank 1: MPI_Start@0-2 post <-0 req 7  MPI_Wait@10-32 <-0 req 7 @30\n"
			  "rank 0: MPI_Send@25-27 ->1");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Wait", 15);
	waits = analysis_waits(f->analysis, f->location[1], &n);
	assert_int_equal(waits->flags & WAIT_EXTENDED, WAIT_EXTENDED);
	assert_int_equal(analysis_counts(f->analysis)->extended, 1);
}

/* A run that was cut off: the call goes on to the last event, and what was open before the first
 * one began there. */
TEST_WITH(calls_without_their_ends, struct made_run *f)
{
	made_run_write(f, "rank 1: MPI_Recv@10 <-0 @40; rank 0: MPI_Send@25-27 ->1");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Recv", 15);
	assert_int_equal(total(f, CUBE_TIME), 30 + 2);
}

/* ---- what is large: a step that is quadratic in any of these would not end ---- */

enum { MANY = 100000 };

TEST_WITH(a_waitall_of_very_many, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Startall@0");
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 0: post <-1 tag %d req %d @1  ->2 tag %d req %d @1", i, i,
			       i, MANY + i);
	made_run_write(f, "rank 0: leave MPI_Startall @2  MPI_Waitall@10");
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 0: <-1 tag %d req %d @%d  sent %d @%d", i, i, 20 + i,
			       MANY + i, 20 + i);
	made_run_write(f, "rank 0: leave MPI_Waitall @%d; rank 1: MPI_Startall@5", MANY + 100);
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 1: ->0 tag %d req %d @6", i, i);
	made_run_write(f, "rank 1: leave MPI_Startall @7  MPI_Waitall@8");
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 1: sent %d @9", i);
	made_run_write(f, "rank 1: leave MPI_Waitall @10; rank 2: MPI_Startall@40");
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 2: post <-0 tag %d req %d @41", i, i);
	made_run_write(f, "rank 2: leave MPI_Startall @42  MPI_Waitall@43");
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 2: <-0 tag %d req %d @44", i, i);
	made_run_write(f, "rank 2: leave MPI_Waitall @45");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Waitall", 30);
	assert_int_equal(total(f, CUBE_COMMS_RECV), 2 * MANY);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
}

/* Every level of a recursion receives a message of its own. */
TEST_WITH(a_very_deep_recursion, struct made_run *f)
{
	double values[RANKS];

	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 0: descend@%d MPI_Recv@%d-%d <-1", 10 * i, 10 * i + 1,
			       10 * i + 9);
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 0: leave descend @%d", 10 * MANY + i);
	for (int i = 0; i < MANY; i++)
		made_run_write(f, "rank 1: MPI_Send@%d-%d ->0", 10 * i + 4, 10 * i + 6);
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 3 * MANY);
	assert_int_equal(total(f, CUBE_VISITS), 3 * MANY + 2);
	cube_by_location(f->cube, CUBE_MPI_LATESENDER, trace_event_path(f->t, 0), true, values);
	assert_int_equal((int64_t)values[f->location[0]], 3 * MANY);
	cube_by_location(f->cube, CUBE_MPI_LATESENDER, trace_event_path(f->t, 0), false, values);
	assert_int_equal((int64_t)values[f->location[0]], 0);
}

/* ---- wrong order ---- */

/* The first receive waits, the second gets a message that had been sent long before. */
static void two_receives(struct made_run *f, int first, int second, int64_t second_sent)
{
	char early[64], late[64];

	snprintf(early, sizeof early, "rank %d: MPI_Send@%d-%d ->0 tag 2", second, (int)second_sent,
		 (int)second_sent + 2);
	snprintf(late, sizeof late, "rank %d: MPI_Send@50-54 ->0 tag 1", first);
	made_run_write(f, "rank 0: MPI_Recv@20-52 <-%d tag 1  MPI_Recv@60-70 <-%d tag 2\n%s\n%s",
		       first, second, first == second ? early : late,
		       first == second ? late : early);
}

TEST_WITH(another_order_would_have_helped, struct made_run *f)
{
	two_receives(f, 2, 3, 10);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Recv", 30);
	assert_only(f, CUBE_MPI_LSWO_DIFFERENT, 0, "MPI_Recv", 30);
	assert_only(f, CUBE_MPI_LATESENDER_WO, 0, "MPI_Recv", 30);
	assert_int_equal(total(f, CUBE_MPI_LSWO_SAME), 0);
	assert_only(f, CUBE_MPI_CLSWO_COUNT, 0, "MPI_Recv", 1);
}

TEST_WITH(of_the_same_source, struct made_run *f)
{
	two_receives(f, 2, 2, 10);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LSWO_SAME, 0, "MPI_Recv", 30);
	assert_int_equal(total(f, CUBE_MPI_LSWO_DIFFERENT), 0);
}

/* The send records are compared: strictly. */
TEST_WITH(of_two_sent_at_once_none_is_earlier, struct made_run *f)
{
	two_receives(f, 2, 3, 50);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Recv", 30);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER_WO), 0);
}

/* Messages of one MPI_Waitall have no order among each other (C5): its Late Sender is compared with
 * what comes behind it. */
TEST_WITH(a_waitall_has_no_order_inside, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Irecv@0-2 post <-1 req 11  MPI_Irecv@3-5 post <-2 req 12\n"
			  "        MPI_Waitall@10-60 <-1 req 11 @55 <-2 req 12 @56\n"
			  "rank 1: MPI_Send@50-54 ->0; rank 2: MPI_Send@20-30 ->0");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Waitall", 40);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER_WO), 0);
}

/* 100 Late Senders are kept: one message sent before them all makes 100 of 101 wrong. */
TEST_WITH(a_hundred_are_kept, struct made_run *f)
{
	for (int i = 0; i < 101; i++) {
		const int t = 1000 + 10 * i;
		made_run_write(
			f, "rank 0: MPI_Recv@%d-%d <-1 tag %d; rank 1: MPI_Send@%d-%d ->0 tag %d",
			t, t + 8, i, t + 3, t + 6, i);
	}
	/* Each is in the wrong order once. */
	made_run_write(f, "rank 2: MPI_Send@5-7 ->0 tag 7  MPI_Send@10-12 ->0 tag 8\n"
			  "rank 0: MPI_Recv@5000-5005 <-2 tag 7  MPI_Recv@5010-5015 <-2 tag 8");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Recv", 303);
	assert_only(f, CUBE_MPI_LSWO_DIFFERENT, 0, "MPI_Recv", 300);
	assert_only(f, CUBE_MPI_CLSWO_COUNT, 0, "MPI_Recv", 100);
}

/* Rank 1 of {0, 2} is process 2: the ranks of communicators are not compared (C6, Q3). */
TEST_WITH(sources_are_processes, struct made_run *f)
{
	made_run_write(f, "comm pair 0 2\n"
			  "rank 0: MPI_Recv@20-52 <-2 tag 1 comm pair  MPI_Recv@60-70 <-1 tag 2\n"
			  "rank 1: MPI_Send@10-12 ->0 tag 2\n"
			  "rank 2: MPI_Send@50-52 ->0 tag 1 comm pair");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LSWO_DIFFERENT, 0, "MPI_Recv", 30);
	assert_int_equal(total(f, CUBE_MPI_LSWO_SAME), 0);
}

/* ---- Late Receiver ---- */

TEST_WITH(a_sender_waits_for_a_late_receiver, struct made_run *f)
{
	const struct wait *waits;
	size_t n;

	made_run_write(f, "rank 0: MPI_Ssend@10-40 ->1\n"
			  "rank 1: MPI_Irecv@30-32 post <-0 req 5  MPI_Wait@34-41 <-0 req 5");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Ssend", 20);
	assert_only(f, CUBE_MPI_CLR_COUNT, 0, "MPI_Ssend", 1);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
	waits = analysis_waits(f->analysis, f->location[0], &n);
	assert_int_equal(n, 1);
	assert_int_equal(waits->begin, 10);
	assert_int_equal(what_kind(trace_event_what(f->t, waits->event)), EV_SEND);
	assert_int_equal(what_kind(trace_event_what(f->t, waits->partner)), EV_RECV_REQUEST);
}

/* Posted when the send had returned: it did not wait for that. */
TEST_WITH(a_send_that_returned_did_not_wait, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Ssend@10-40 ->1\n"
			  "rank 1: MPI_Irecv@40-42 post <-0 req 5  MPI_Wait@44-50 <-0 req 5");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
}

/* Of a blocking receive its own call counts; buffered and immediate sends do not block. */
TEST_WITH(which_calls_block, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Send@10-40 ->1; rank 1: MPI_Recv@25-41 <-0\n"
			  "rank 2: MPI_Bsend@10-40 ->3 tag 1  MPI_Isend@50-70 ->3 tag 2 req 9\n"
			  "        MPI_Test@75-77 sent 9 @76\n"
			  "rank 3: MPI_Recv@25-41 <-2 tag 1  MPI_Recv@60-81 <-2 tag 2");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Send", 15);
}

/* The completion's call waits, not the one that started the send. */
TEST_WITH(an_immediate_send_waits_where_it_completes, struct made_run *f)
{
	made_run_write(f, "rank 0: MPI_Isend@0-2 ->1 req 9  MPI_Wait@10-40 sent 9 @38\n"
			  "rank 1: MPI_Recv@25-41 <-0");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Wait", 15);
	assert_only(f, CUBE_COMMS_SEND, 0, "MPI_Isend", 1);
	assert_only(f, CUBE_MPI_CLR_COUNT, 0, "MPI_Wait", 1);
}

/* An MPI_Waitall on two sends and, where `late` is not 0, a receive whose sender comes at that
 * time. */
static void sends_of_a_waitall(struct made_run *f, int64_t first, int64_t second, int64_t late)
{
	made_run_write(f,
		       "rank 0: MPI_Isend@0-2 ->1 req 9  MPI_Isend@3-5 ->2 req 10\n"
		       "        MPI_Irecv@6-8 post <-3 req 11\n"
		       "        MPI_Waitall@10-80 sent 9 @70 sent 10 @71 <-3 req 11 @72\n"
		       "rank 1: MPI_Recv@%d-75 <-0; rank 2: MPI_Recv@%d-75 <-0\n"
		       "rank 3: MPI_Send@%d-%d ->0",
		       (int)first, (int)second, (int)late, (int)late + 2);
	made_run_analyse(f);
}

TEST_WITH(the_largest_wait_of_a_waitall_for_receivers, struct made_run *f)
{
	sends_of_a_waitall(f, 50, 30, 8);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Waitall", 40);
	assert_only(f, CUBE_MPI_CLR_COUNT, 0, "MPI_Waitall", 1);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
}

TEST_WITH(of_equal_waits_the_last_send_counts, struct made_run *f)
{
	size_t n;

	sends_of_a_waitall(f, 50, 50, 8);
	assert_int_equal(trace_event_location(f->t, analysis_waits(f->analysis, f->location[0], &n)
							    ->partner),
			 f->location[2]);
	assert_int_equal(n, 1);
}

/* A Late Sender in a multi-wait hides its Late Receivers, whichever is larger (C7). */
TEST_WITH(a_late_sender_hides_late_receivers, struct made_run *f)
{
	sends_of_a_waitall(f, 50, 30, 12);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Waitall", 2);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
}

/* ---- the cube of a window ---- */

TEST_WITH(a_window_has_the_part_inside, struct made_run *f)
{
	struct cube *cube;

	made_run_write(f, "rank 1: main@0 { MPI_Recv@10-32 <-0 } @50\n"
			  "rank 0: MPI_Send@25-27 ->1");
	made_run_analyse(f);
	cube = analysis_cube(f->analysis, 20, 30, CUBE_TIMES | CUBE_WAITS, NULL, NULL);
	assert_int_equal((int)cube_total(cube, CUBE_MPI_LATESENDER, NULL), 5);
	assert_int_equal((int)cube_total(cube, CUBE_TIME, NULL), 10 + 2);
	assert_int_equal((int)cube_total(cube, CUBE_MPI_POINT2POINT, NULL), 10 + 2);
	/* Its receive comes behind it, at 31. */
	assert_int_equal((int)cube_total(cube, CUBE_MPI_CLS_COUNT, NULL), 0);
	assert_int_equal((int)cube_total(cube, CUBE_COMMS_RECV, NULL), 0);
	assert_int_equal((int)cube_total(cube, CUBE_COMMS_SEND, NULL), 1);
	assert_int_equal((int)cube_total(cube, CUBE_VISITS, NULL), 1 + 1); /* send, its program */
	cube_free(cube);
	cube = analysis_cube(f->analysis, 30, 32, CUBE_TIMES | CUBE_WAITS, NULL, NULL);
	assert_int_equal((int)cube_total(cube, CUBE_MPI_LATESENDER, NULL), 0);
	assert_int_equal((int)cube_total(cube, CUBE_MPI_CLS_COUNT, NULL), 1);
	cube_free(cube);
	cube = analysis_cube(f->analysis, 20, 30, CUBE_WAITS, NULL, NULL);
	assert_int_equal((int)cube_total(cube, CUBE_MPI_LATESENDER, NULL), 5);
	assert_int_equal((int)cube_total(cube, CUBE_TIME, NULL), 0);
	cube_free(cube);
}
