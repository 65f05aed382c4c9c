/* Late Sender, wrong order, Late Receiver: traces of a few calls with numbers worked out by hand from
 * section 6.3 of the specification and its corrections C1, C5, C6, C7; section 7's vectors, in tenths. */
#include <string.h>

#include "harness/made_run.h"
#include "harness/test.h"

enum { RANKS = 4 };

static int setup(void **state)
{
	struct made_run *f = test_calloc(1, sizeof *f);

	made_run_begin(f, CLASS_P2P);
	made_run_ranks(f, RANKS);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	made_run_fini(*state);
	test_free(*state);
	return 0;
}

FIXTURE(setup, teardown)

/* ---- events ---- */

static struct message_end message(int rank, int tag, uint64_t bytes)
{
	return (struct message_end){ .rank = rank, .process = -1, .tag = tag, .bytes = bytes };
}

static struct message_end with_request(int rank, int tag, uint64_t bytes, int64_t request,
				       uint16_t flag)
{
	struct message_end end = message(rank, tag, bytes);

	end.has_request = true;
	end.request = request;
	end.flags = flag;
	return end;
}

static void send(struct made_run *f, int rank, int64_t t, int to, int tag, uint64_t bytes)
{
	const struct message_end end = message(to, tag, bytes);

	builder_send(f->b, f->location[rank], t, &end);
}

static void recv(struct made_run *f, int rank, int64_t t, int from, int tag, uint64_t bytes)
{
	const struct message_end end = message(from, tag, bytes);

	builder_recv(f->b, f->location[rank], t, &end);
}

static void isend(struct made_run *f, int rank, int64_t t, int to, int tag, int64_t request)
{
	const struct message_end end = with_request(to, tag, 8, request, MSG_SEND_REQUEST);

	builder_send(f->b, f->location[rank], t, &end);
}

static void sent(struct made_run *f, int rank, int64_t t, int64_t request)
{
	builder_send_complete(f->b, f->location[rank], t, request, 0);
}

static void irecv(struct made_run *f, int rank, int64_t t, int from, int tag, int64_t request)
{
	const struct message_end end = with_request(from, tag, 8, request, MSG_RECV_REQUEST);

	builder_recv_request(f->b, f->location[rank], t, &end);
}

static void received(struct made_run *f, int rank, int64_t t, int from, int tag, int64_t request)
{
	const struct message_end end = with_request(from, tag, 8, request, MSG_RECV_REQUEST);

	builder_recv(f->b, f->location[rank], t, &end);
}

/* A whole call of MPI_Send, or of MPI_Recv. */
static void send_call(struct made_run *f, int rank, int64_t en, int64_t lv, int to, int tag)
{
	made_enter(f, rank, en, "MPI_Send");
	send(f, rank, en + 1, to, tag, 8);
	made_leave(f, rank, lv, "MPI_Send");
}

static void recv_call(struct made_run *f, int rank, int64_t en, int64_t lv, int from, int tag)
{
	made_enter(f, rank, en, "MPI_Recv");
	recv(f, rank, lv - 1, from, tag, 8);
	made_leave(f, rank, lv, "MPI_Recv");
}

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

	made_enter(f, 1, 0, "main");
	recv_call(f, 1, 10, 32, 0, 1);
	made_leave(f, 1, 50, "main");
	send_call(f, 0, 25, 26 + 1, 1, 1);
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
	recv_call(f, 1, 10, 32, 0, 1);
	send_call(f, 0, 40, 45, 1, 1);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Recv", 22);
	assert_int_equal(analysis_counts(f->analysis)->violations, 1);
}

/* It is the enter of the call that counts, not its record, and not a user function around it. */
TEST_WITH(the_call_of_the_send_counts, struct made_run *f)
{
	recv_call(f, 1, 10, 90, 0, 1);
	made_enter(f, 0, 0, "main");
	made_enter(f, 0, 30, "MPI_Isend");
	isend(f, 0, 39, 1, 1, 5);
	made_leave(f, 0, 40, "MPI_Isend");
	made_leave(f, 0, 95, "main");
	/* A send that no call is around: its record. */
	recv_call(f, 3, 10, 90, 2, 1);
	made_enter(f, 2, 0, "main");
	send(f, 2, 35, 3, 1, 8);
	made_leave(f, 2, 95, "main");
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 20 + 25);
}

TEST_WITH(the_largest_wait_of_a_waitall_counts_once, struct made_run *f)
{
	made_enter(f, 0, 0, "MPI_Irecv");
	irecv(f, 0, 1, 1, 1, 11);
	made_leave(f, 0, 2, "MPI_Irecv");
	made_enter(f, 0, 3, "MPI_Irecv");
	irecv(f, 0, 4, 2, 1, 12);
	made_leave(f, 0, 5, "MPI_Irecv");
	made_enter(f, 0, 10, "MPI_Waitall");
	received(f, 0, 55, 1, 1, 11);
	received(f, 0, 56, 2, 1, 12);
	made_leave(f, 0, 60, "MPI_Waitall");
	send_call(f, 1, 20, 30, 0, 1);
	send_call(f, 2, 50, 54, 0, 1);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Waitall", 40);
	assert_only(f, CUBE_MPI_CLS_COUNT, 0, "MPI_Waitall", 1);
	assert_only(f, CUBE_COMMS_RECV, 0, "MPI_Waitall", 2);
	assert_only(f, CUBE_BYTES_RCVD, 0, "MPI_Waitall", 16);
}

TEST_WITH(a_test_does_not_wait, struct made_run *f)
{
	made_enter(f, 0, 0, "MPI_Irecv");
	irecv(f, 0, 1, 1, 1, 11);
	made_leave(f, 0, 2, "MPI_Irecv");
	made_enter(f, 0, 10, "MPI_Test");
	received(f, 0, 55, 1, 1, 11);
	made_leave(f, 0, 60, "MPI_Test");
	send_call(f, 1, 20, 30, 0, 1);
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
	assert_int_equal(total(f, CUBE_MPI_CLS_COUNT), 0);
	assert_only(f, CUBE_COMMS_RECV, 0, "MPI_Test", 1);
}

/* In MPI_Sendrecv the whole call waits for a sender, and nobody for a receiver (A15). */
TEST_WITH(sendrecv_waits_for_senders_alone, struct made_run *f)
{
	made_enter(f, 0, 10, "MPI_Sendrecv");
	send(f, 0, 11, 1, 1, 8);
	recv(f, 0, 58, 1, 2, 8);
	made_leave(f, 0, 60, "MPI_Sendrecv");
	made_enter(f, 1, 40, "MPI_Sendrecv");
	send(f, 1, 41, 0, 2, 8);
	recv(f, 1, 50, 0, 1, 8);
	made_leave(f, 1, 60, "MPI_Sendrecv");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Sendrecv", 30);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
}

TEST_WITH(messages_without_payload_are_synchronisations, struct made_run *f)
{
	made_enter(f, 1, 10, "MPI_Recv");
	recv(f, 1, 30, 0, 1, 0);
	made_leave(f, 1, 32, "MPI_Recv");
	made_enter(f, 0, 25, "MPI_Send");
	send(f, 0, 26, 1, 1, 0);
	made_leave(f, 0, 27, "MPI_Send");
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

	made_enter(f, 1, 0, "MPI_Start");
	irecv(f, 1, 1, 0, 1, 7);
	made_leave(f, 1, 2, "MPI_Start");
	made_enter(f, 1, 10, "MPI_Wait");
	received(f, 1, 30, 0, 1, 7);
	made_leave(f, 1, 32, "MPI_Wait");
	send_call(f, 0, 25, 27, 1, 1);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Wait", 15);
	waits = analysis_waits(f->analysis, f->location[1], &n);
	assert_int_equal(waits->flags & WAIT_EXTENDED, WAIT_EXTENDED);
	assert_int_equal(analysis_counts(f->analysis)->extended, 1);
}

/* A run that was cut off: the call goes on to the last event, and what was open before the first one began
 * there. */
TEST_WITH(calls_without_their_ends, struct made_run *f)
{
	made_enter(f, 1, 10, "MPI_Recv");
	recv(f, 1, 40, 0, 1, 8);
	send_call(f, 0, 25, 27, 1, 1);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 1, "MPI_Recv", 15);
	assert_int_equal(total(f, CUBE_TIME), 30 + 2);
}

/* ---- what is large: a step that is quadratic in any of these would not end ---- */

enum { MANY = 100000 };

TEST_WITH(a_waitall_of_very_many, struct made_run *f)
{
	made_enter(f, 0, 0, "MPI_Startall");
	for (int i = 0; i < MANY; i++) {
		irecv(f, 0, 1, 1, i, i);
		isend(f, 0, 1, 2, i, MANY + i);
	}
	made_leave(f, 0, 2, "MPI_Startall");
	made_enter(f, 0, 10, "MPI_Waitall");
	for (int i = 0; i < MANY; i++) {
		received(f, 0, 20 + i, 1, i, i);
		sent(f, 0, 20 + i, MANY + i);
	}
	made_leave(f, 0, MANY + 100, "MPI_Waitall");
	made_enter(f, 1, 5, "MPI_Startall");
	for (int i = 0; i < MANY; i++)
		isend(f, 1, 6, 0, i, i);
	made_leave(f, 1, 7, "MPI_Startall");
	made_enter(f, 1, 8, "MPI_Waitall");
	for (int i = 0; i < MANY; i++)
		sent(f, 1, 9, i);
	made_leave(f, 1, 10, "MPI_Waitall");
	made_enter(f, 2, 40, "MPI_Startall");
	for (int i = 0; i < MANY; i++)
		irecv(f, 2, 41, 0, i, i);
	made_leave(f, 2, 42, "MPI_Startall");
	made_enter(f, 2, 43, "MPI_Waitall");
	for (int i = 0; i < MANY; i++)
		received(f, 2, 44, 0, i, i);
	made_leave(f, 2, 45, "MPI_Waitall");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Waitall", 30);
	assert_int_equal(total(f, CUBE_COMMS_RECV), 2 * MANY);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER), 0);
}

/* Every level of a recursion receives a message of its own. */
TEST_WITH(a_very_deep_recursion, struct made_run *f)
{
	double values[RANKS];

	for (int i = 0; i < MANY; i++) {
		made_enter(f, 0, 10 * i, "descend");
		recv_call(f, 0, 10 * i + 1, 10 * i + 9, 1, 1);
	}
	for (int i = 0; i < MANY; i++)
		made_leave(f, 0, 10 * MANY + i, "descend");
	for (int i = 0; i < MANY; i++)
		send_call(f, 1, 10 * i + 4, 10 * i + 6, 0, 1);
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
	recv_call(f, 0, 20, 52, first, 1);
	recv_call(f, 0, 60, 70, second, 2);
	if (first == second) {
		send_call(f, second, second_sent, second_sent + 2, 0, 2);
		send_call(f, first, 50, 54, 0, 1);
	} else {
		send_call(f, first, 50, 54, 0, 1);
		send_call(f, second, second_sent, second_sent + 2, 0, 2);
	}
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

/* Messages of one MPI_Waitall have no order among each other (C5): its Late Sender is compared with what
 * comes behind it. */
TEST_WITH(a_waitall_has_no_order_inside, struct made_run *f)
{
	made_enter(f, 0, 0, "MPI_Irecv");
	irecv(f, 0, 1, 1, 1, 11);
	made_leave(f, 0, 2, "MPI_Irecv");
	made_enter(f, 0, 3, "MPI_Irecv");
	irecv(f, 0, 4, 2, 1, 12);
	made_leave(f, 0, 5, "MPI_Irecv");
	made_enter(f, 0, 10, "MPI_Waitall");
	received(f, 0, 55, 1, 1, 11);
	received(f, 0, 56, 2, 1, 12);
	made_leave(f, 0, 60, "MPI_Waitall");
	send_call(f, 1, 50, 54, 0, 1);
	send_call(f, 2, 20, 30, 0, 1);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Waitall", 40);
	assert_int_equal(total(f, CUBE_MPI_LATESENDER_WO), 0);
}

/* 100 Late Senders are kept: one message sent before them all makes 100 of 101 wrong. */
TEST_WITH(a_hundred_are_kept, struct made_run *f)
{
	for (int i = 0; i < 101; i++) {
		recv_call(f, 0, 1000 + 10 * i, 1000 + 10 * i + 8, 1, i);
		send_call(f, 1, 1000 + 10 * i + 3, 1000 + 10 * i + 6, 0, i);
	}
	send_call(f, 2, 5, 7, 0, 7);
	recv_call(f, 0, 5000, 5005, 2, 7);
	/* Each is in the wrong order once. */
	send_call(f, 2, 10, 12, 0, 8);
	recv_call(f, 0, 5010, 5015, 2, 8);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATESENDER, 0, "MPI_Recv", 303);
	assert_only(f, CUBE_MPI_LSWO_DIFFERENT, 0, "MPI_Recv", 300);
	assert_only(f, CUBE_MPI_CLSWO_COUNT, 0, "MPI_Recv", 100);
}

/* Rank 1 of {0, 2} is process 2: the ranks of communicators are not compared (C6, Q3). */
TEST_WITH(sources_are_processes, struct made_run *f)
{
	const int32_t pair[] = { 0, 2 };
	const uint32_t comm = builder_comm(f->b, "pair", pair, 2, 1);
	struct message_end end = message(2, 1, 8);

	end.comm = comm;
	made_enter(f, 0, 20, "MPI_Recv");
	builder_recv(f->b, f->location[0], 51, &end);
	made_leave(f, 0, 52, "MPI_Recv");
	recv_call(f, 0, 60, 70, 1, 2);
	send_call(f, 1, 10, 12, 0, 2);
	end = message(0, 1, 8);
	end.comm = comm;
	made_enter(f, 2, 50, "MPI_Send");
	builder_send(f->b, f->location[2], 51, &end);
	made_leave(f, 2, 52, "MPI_Send");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LSWO_DIFFERENT, 0, "MPI_Recv", 30);
	assert_int_equal(total(f, CUBE_MPI_LSWO_SAME), 0);
}

/* ---- Late Receiver ---- */

static void irecv_call(struct made_run *f, int rank, int64_t en, int from, int tag, int64_t request)
{
	made_enter(f, rank, en, "MPI_Irecv");
	irecv(f, rank, en + 1, from, tag, request);
	made_leave(f, rank, en + 2, "MPI_Irecv");
}

static void wait_call(struct made_run *f, int rank, int64_t en, int64_t lv, int from, int tag,
		      int64_t request)
{
	made_enter(f, rank, en, "MPI_Wait");
	received(f, rank, lv - 1, from, tag, request);
	made_leave(f, rank, lv, "MPI_Wait");
}

static void ssend_call(struct made_run *f, int rank, int64_t en, int64_t lv, int to, int tag)
{
	made_enter(f, rank, en, "MPI_Ssend");
	send(f, rank, en + 1, to, tag, 8);
	made_leave(f, rank, lv, "MPI_Ssend");
}

TEST_WITH(a_sender_waits_for_a_late_receiver, struct made_run *f)
{
	const struct wait *waits;
	size_t n;

	ssend_call(f, 0, 10, 40, 1, 1);
	irecv_call(f, 1, 30, 0, 1, 5);
	wait_call(f, 1, 34, 41, 0, 1, 5);
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
	ssend_call(f, 0, 10, 40, 1, 1);
	irecv_call(f, 1, 40, 0, 1, 5);
	wait_call(f, 1, 44, 50, 0, 1, 5);
	made_run_analyse(f);
	assert_int_equal(total(f, CUBE_MPI_LATERECEIVER), 0);
}

/* Of a blocking receive its own call counts; buffered and immediate sends do not block. */
TEST_WITH(which_calls_block, struct made_run *f)
{
	send_call(f, 0, 10, 40, 1, 1);
	recv_call(f, 1, 25, 41, 0, 1);
	made_enter(f, 2, 10, "MPI_Bsend");
	send(f, 2, 11, 3, 1, 8);
	made_leave(f, 2, 40, "MPI_Bsend");
	recv_call(f, 3, 25, 41, 2, 1);
	made_enter(f, 2, 50, "MPI_Isend");
	isend(f, 2, 51, 3, 2, 9);
	made_leave(f, 2, 70, "MPI_Isend");
	recv_call(f, 3, 60, 81, 2, 2);
	made_enter(f, 2, 75, "MPI_Test");
	sent(f, 2, 76, 9);
	made_leave(f, 2, 77, "MPI_Test");
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Send", 15);
}

/* The completion's call waits, not the one that started the send. */
TEST_WITH(an_immediate_send_waits_where_it_completes, struct made_run *f)
{
	made_enter(f, 0, 0, "MPI_Isend");
	isend(f, 0, 1, 1, 1, 9);
	made_leave(f, 0, 2, "MPI_Isend");
	made_enter(f, 0, 10, "MPI_Wait");
	sent(f, 0, 38, 9);
	made_leave(f, 0, 40, "MPI_Wait");
	recv_call(f, 1, 25, 41, 0, 1);
	made_run_analyse(f);
	assert_only(f, CUBE_MPI_LATERECEIVER, 0, "MPI_Wait", 15);
	assert_only(f, CUBE_COMMS_SEND, 0, "MPI_Isend", 1);
	assert_only(f, CUBE_MPI_CLR_COUNT, 0, "MPI_Wait", 1);
}

/* An MPI_Waitall on two sends and, where `late` is not 0, a receive whose sender comes at that time. */
static void sends_of_a_waitall(struct made_run *f, int64_t first, int64_t second, int64_t late)
{
	made_enter(f, 0, 0, "MPI_Isend");
	isend(f, 0, 1, 1, 1, 9);
	made_leave(f, 0, 2, "MPI_Isend");
	made_enter(f, 0, 3, "MPI_Isend");
	isend(f, 0, 4, 2, 1, 10);
	made_leave(f, 0, 5, "MPI_Isend");
	irecv_call(f, 0, 6, 3, 1, 11);
	made_enter(f, 0, 10, "MPI_Waitall");
	sent(f, 0, 70, 9);
	sent(f, 0, 71, 10);
	received(f, 0, 72, 3, 1, 11);
	made_leave(f, 0, 80, "MPI_Waitall");
	recv_call(f, 1, first, 75, 0, 1);
	recv_call(f, 2, second, 75, 0, 1);
	send_call(f, 3, late, late + 2, 0, 1);
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

	made_enter(f, 1, 0, "main");
	recv_call(f, 1, 10, 32, 0, 1);
	made_leave(f, 1, 50, "main");
	send_call(f, 0, 25, 27, 1, 1);
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
