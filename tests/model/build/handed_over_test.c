/* Requests that one thread of a process begins and another one tests, cancels or completes: the
 * same messages whichever thread is fed first, by one builder or by children. */
#include "harness/built.h"
#include "harness/test.h"

enum { BEGINS, ENDS, OTHER, LOCATIONS }; /* two threads of rank 0, one of rank 1 */
enum { SEND = 5, RECV, CANCELLED, COLLECTIVE, SELDOM = 99 };

static struct message_end end_of(int32_t rank, int64_t request, uint16_t flags)
{
	return (struct message_end){ .rank = rank,
				     .process = -1,
				     .tag = (int32_t)request,
				     .bytes = 64,
				     .flags = flags,
				     .has_request = true,
				     .request = request };
}

static void begin(struct builder *b)
{
	const struct message_end send = end_of(1, SEND, MSG_SEND_REQUEST);
	const struct message_end recv = end_of(1, RECV, MSG_RECV_REQUEST | MSG_NO_BYTES);
	const struct message_end cancelled = end_of(1, CANCELLED, MSG_RECV_REQUEST);

	builder_send(b, BEGINS, 10, &send);
	builder_recv_request(b, BEGINS, 20, &recv);
	builder_recv_request(b, BEGINS, 30, &cancelled);
	builder_collective_request(b, BEGINS, 40, COLLECTIVE);
	/* The same id once more, after the other thread has asked for it. */
	builder_send(b, BEGINS, 200, &send);
}

static void complete(struct builder *b, uint32_t region)
{
	const struct message_end recv = end_of(1, RECV, MSG_RECV_REQUEST);

	builder_request_test(b, ENDS, 50, RECV);
	builder_recv(b, ENDS, 60, &recv);
	builder_request_cancelled(b, ENDS, 70, CANCELLED);
	builder_send_complete(b, ENDS, 80, SEND, MSG_SEND_BLOCKED);
	builder_collective_complete(b, ENDS, 90, COLLECTIVE, 0, region, -1, 8, 16);
	builder_send_complete(b, ENDS, 100, SEND, 0); /* not begun yet */
	builder_send_complete(b, ENDS, 110, SELDOM, 0);
}

/* The other rank's ids are its own. */
static void answer(struct builder *b)
{
	struct message_end send = end_of(0, RECV, 0), recv = end_of(0, SEND, 0);

	send.has_request = recv.has_request = false;
	builder_send(b, OTHER, 15, &send);
	builder_recv(b, OTHER, 75, &recv);
	builder_send_complete(b, OTHER, 300, SEND, 0);
}

static struct trace *run(bool ends_first, bool in_children)
{
	struct builder *b = built_begin(0), *child[3] = { b, b, b };
	uint32_t region;

	built_rank(b, 0, 0);
	built_rank(b, 0, 1);
	built_rank(b, 1, 0);
	region = builder_region(b, "MPI_Iallreduce", CLASS_COLLECTIVE, -785);
	for (int i = 0; in_children && i < 3; i++)
		assert_non_null(child[i] = builder_fork(b));
	if (ends_first)
		complete(child[1], region);
	begin(child[0]);
	if (!ends_first)
		complete(child[1], region);
	answer(child[2]);
	if (in_children)
		assert_true(builder_join(b, child, 3));
	return built_end(b);
}

static const struct message *message_with(const struct trace *trace, int32_t tag, uint32_t nth)
{
	for (uint32_t i = 0; i < trace_message_count(trace); i++)
		if (trace_message(trace, i)->tag == tag && nth-- == 0)
			return trace_message(trace, i);
	return NULL;
}

static void check_event(const struct trace *trace, uint32_t event, uint32_t location, int64_t time)
{
	assert_int_equal(trace_event_location(trace, event), location);
	assert_int_equal(trace_event_time(trace, BASE_MEASURED, event), time);
}

static void check_messages(const struct trace *trace)
{
	const struct message *sent = message_with(trace, SEND, 0),
			     *again = message_with(trace, SEND, 1),
			     *received = message_with(trace, RECV, 0),
			     *cancelled = message_with(trace, CANCELLED, 0);

	assert_int_equal(trace_message_count(trace), 4);
	check_event(trace, sent->send, BEGINS, 10);
	check_event(trace, sent->recv, OTHER, 75);
	assert_true(sent->flags & MSG_SEND_BLOCKED);
	assert_true(again->flags & MSG_NO_RECV);
	check_event(trace, again->send, BEGINS, 200);
	check_event(trace, received->send, OTHER, 15);
	check_event(trace, received->recv, ENDS, 60);
	assert_int_equal(received->flags & (MSG_RECV_REQUEST | MSG_RECV_PENDING), MSG_RECV_REQUEST);
	assert_int_equal(message_bytes(received), 64);
	assert_true(cancelled->flags & MSG_CANCELLED);
}

static void check_collective(const struct trace *trace)
{
	const struct member *member = trace_member(trace, 0);

	assert_int_equal(trace_collective_count(trace), 1);
	assert_int_equal(trace_collective(trace, 0)->members, 1);
	check_event(trace, member->begin, BEGINS, 40);
	check_event(trace, member->end, ENDS, 90);
	assert_int_equal(member->sent, 8);
	assert_int_equal(member->received, 16);
}

/* What the second thread's events name. */
static void check_names(const struct trace *trace)
{
	static const uint32_t kinds[] = { EV_REQUEST_TEST,  EV_RECV,           EV_REQUEST_CANCELLED,
					  EV_SEND_COMPLETE, EV_COLLECTIVE_END, EV_SEND_COMPLETE,
					  EV_SEND_COMPLETE };
	static const int32_t tags[] = { RECV, RECV, CANCELLED, SEND };
	struct cursor c;
	bool ok = cursor_first(&c, trace, BASE_MEASURED, ENDS);

	for (int i = 0; i < 7; i++, ok = cursor_next(&c)) {
		assert_true(ok);
		assert_int_equal(what_kind(cursor_what(&c)), kinds[i]);
		if (i < 4)
			assert_int_equal(trace_message(trace, what_id(cursor_what(&c)))->tag,
					 tags[i]);
		else if (i > 4)
			assert_int_equal(what_id(cursor_what(&c)), ID_NONE);
	}
}

TEST(ends_in_another_thread)
{
	for (int way = 0; way < 4; way++) {
		struct trace *trace = run(way & 1, way & 2);
		check_messages(trace);
		check_collective(trace);
		check_names(trace);
		/* Before its begin, of no request, in another process. */
		assert_int_equal(found(trace, "unknown-request"), 3);
		assert_true(trace_hands_over(trace));
		trace_free(trace);
	}
}
