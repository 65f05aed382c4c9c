/* Threads of one rank that send and receive at once with one tag: which message is which is decided
 * by time, reverses none where it can be helped, and is said. */
#include "harness/built.h"
#include "harness/test.h"

enum { FIRST, SECOND, OTHER, FOURTH };

static struct builder *begin(void)
{
	struct builder *b = built_begin(0);

	built_rank(b, 0, 0);
	built_rank(b, 0, 1);
	built_rank(b, 1, 0);
	built_rank(b, 1, 1);
	return b;
}

static void call(struct builder *b, uint32_t location, int64_t from, int64_t to, bool sends)
{
	const uint32_t site =
		builder_site(b, builder_region(b, sends ? "MPI_Send" : "MPI_Recv", CLASS_P2P, 0), 0,
			     0, 0);
	const struct message_end end = { .rank = sends, .process = -1, .bytes = 8 };

	builder_enter(b, location, from, site);
	if (sends)
		builder_send(b, location, from, &end);
	else
		builder_recv(b, location, to, &end);
	builder_leave(b, location, to, site);
}

/* By rows alone the sends of the first thread came before those of the second. */
TEST(turns_by_time)
{
	struct builder *b = begin();
	OWNED_TRACE *t;

	call(b, FIRST, 100, 110, true);
	call(b, SECOND, 10, 20, true);
	call(b, OTHER, 5, 30, false);
	call(b, OTHER, 90, 130, false);
	t = built_end(b);
	for (uint32_t i = 0; i < 2; i++) {
		const struct message *m = trace_message(t, i);
		const int64_t sent = trace_event_time(t, BASE_MEASURED, m->send);
		assert_int_equal(m->flags & MSG_TURN_GUESSED, 0);
		assert_int_equal(trace_event_time(t, BASE_MEASURED, m->recv),
				 sent == 10 ? 30 : 130);
	}
	assert_int_equal(trace_finding_sum(t, FINDING_GUESS), 0);
}

/* The receive that was called first had the later message. */
TEST(completions_decide_where_posts_would_reverse)
{
	struct builder *b = begin();
	OWNED_TRACE *t;

	call(b, FIRST, 10, 60, true);
	call(b, SECOND, 50, 60, true);
	call(b, OTHER, 5, 70, false);
	call(b, FOURTH, 6, 40, false);
	t = built_end(b);
	for (uint32_t i = 0; i < 2; i++) {
		const struct message *m = trace_message(t, i);
		const int64_t sent = trace_event_time(t, BASE_MEASURED, m->send);
		assert_int_equal(m->flags & MSG_TURN_GUESSED, MSG_TURN_GUESSED);
		assert_int_equal(trace_event_time(t, BASE_MEASURED, m->recv), sent == 10 ? 40 : 70);
	}
	assert_int_equal(trace_finding_sum(t, FINDING_GUESS), 2);
}
