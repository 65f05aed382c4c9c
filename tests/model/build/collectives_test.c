/* Collectives by hand: non-blocking ones, communicators of one process, of two groups, of threads. */
#include <string.h>

#include "harness/invariants.h"
#include "harness/test.h"
#include "model/build/builder.h"

static const struct timescale nanoseconds = { 1000000000, 9 };

struct fixture {
	struct builder *b;
	struct trace *t;
	uint32_t bcast, reduce; /* regions */
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	f->b = builder_new("test.trc", &nanoseconds, NULL);
	f->bcast = builder_region(f->b, "MPI_Ibcast", CLASS_COLLECTIVE, 1);
	f->reduce = builder_region(f->b, "MPI_Ireduce", CLASS_COLLECTIVE, 2);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	builder_abandon(f->b);
	trace_free(f->t);
	test_free(f);
	return 0;
}

FIXTURE(setup, teardown)

static uint32_t rank(struct fixture *f, int32_t rank, int32_t thread)
{
	return builder_location(f->b, &(struct location){
					      .rank = rank, .process = -1, .thread = thread });
}

static struct trace *finish(struct fixture *f)
{
	struct err err = ERR_INIT;
	const char *broken;

	f->t = builder_finish(f->b, NULL, NULL, &err);
	f->b = NULL;
	assert_string_equal(err.text, "");
	broken = trace_broken(f->t);
	if (broken)
		fail_msg("%s", broken);
	return f->t;
}

static uint64_t found(const struct trace *t, const char *code)
{
	for (size_t i = 0; i < trace_finding_count(t); i++)
		if (strcmp(trace_finding(t, i)->code, code) == 0)
			return trace_finding(t, i)->count;
	return 0;
}

static int64_t begin_of(const struct trace *t, uint32_t member)
{
	return trace_event_time(t, BASE_MEASURED, trace_member(t, member)->begin);
}

static int64_t end_of(const struct trace *t, uint32_t member)
{
	return trace_event_time(t, BASE_MEASURED, trace_member(t, member)->end);
}

/* Two ranks post a broadcast and a reduction; rank 1 completes them the other way round. The turn is
 * the request's, so that both are whole. */
TEST_WITH(turns_of_requests, struct fixture *f)
{
	const uint32_t r0 = rank(f, 0, 0), r1 = rank(f, 1, 0);
	const struct collective *c;
	struct trace *t;

	builder_collective_request(f->b, r0, 10, 7);
	builder_collective_request(f->b, r0, 20, 8);
	builder_collective_complete(f->b, r0, 30, 7, 0, f->bcast, 1, 100, 0);
	builder_collective_complete(f->b, r0, 40, 8, 0, f->reduce, 0, 200, 300);
	builder_collective_request(f->b, r1, 11, 7);
	builder_collective_request(f->b, r1, 21, 7); /* the id comes again */
	builder_request_test(f->b, r1, 22, 7);
	builder_collective_complete(f->b, r1, 31, 7, 0, f->bcast, 1, 0, 100);
	builder_collective_complete(f->b, r1, 41, 7, 0, f->reduce, 0, 201, 0);
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 2);
	c = trace_collective(t, 0);
	assert_int_equal(c->region, f->bcast);
	assert_int_equal(c->root, 1);
	assert_int_equal(c->members, 2);
	assert_int_equal(c->flags, COLL_REQUEST);
	assert_int_equal(begin_of(t, c->first), 10);
	assert_int_equal(end_of(t, c->first), 30);
	assert_int_equal(begin_of(t, c->first + 1), 11);
	assert_int_equal(end_of(t, c->first + 1), 31);
	assert_int_equal(trace_member(t, c->first)->sent, 100);
	assert_int_equal(trace_member(t, c->first + 1)->received, 100);
	c = trace_collective(t, 1);
	assert_int_equal(c->region, f->reduce);
	assert_int_equal(c->flags, COLL_REQUEST);
	assert_int_equal(begin_of(t, c->first + 1), 21);
	assert_int_equal(end_of(t, c->first + 1), 41);
	assert_int_equal(trace_member(t, c->first + 1)->sent, 201);
	assert_int_equal(found(t, "unknown-request"), 0);
}

TEST_WITH(crossed_completions, struct fixture *f)
{
	const uint32_t r0 = rank(f, 0, 0), r1 = rank(f, 1, 0);
	struct trace *t;

	builder_collective_request(f->b, r0, 10, 1);
	builder_collective_request(f->b, r0, 20, 2);
	builder_collective_complete(f->b, r0, 30, 2, 0, f->reduce, 0, 0, 0);
	builder_collective_complete(f->b, r0, 40, 1, 0, f->bcast, 0, 0, 0);
	builder_collective_request(f->b, r1, 11, 1);
	builder_collective_request(f->b, r1, 21, 2);
	builder_collective_complete(f->b, r1, 31, 1, 0, f->bcast, 0, 0, 0);
	builder_collective_complete(f->b, r1, 41, 2, 0, f->reduce, 0, 0, 0);
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_collective(t, 0)->region, f->bcast);
	assert_int_equal(trace_collective(t, 0)->members, 2);
	assert_int_equal(end_of(t, trace_collective(t, 0)->first), 40);
	assert_int_equal(trace_collective(t, 1)->members, 2);
	assert_int_equal(end_of(t, trace_collective(t, 1)->first), 30);
}

/* What was never completed belongs to nothing; what was never begun is counted. */
TEST_WITH(lost_ends, struct fixture *f)
{
	const uint32_t r0 = rank(f, 0, 0), r1 = rank(f, 1, 0);
	struct cursor c;
	struct trace *t;

	builder_collective_complete(f->b, r0, 1, 99, 0, f->bcast, 0, 0, 0);
	builder_collective_request(f->b, r0, 10, 1);
	builder_collective_request(f->b, r0, 12, 2);
	builder_collective_complete(f->b, r0, 20, 1, 0, f->bcast, 0, 0, 0);
	builder_collective_request(f->b, r1, 11, 3);
	builder_collective_request(f->b, r1, 13, 4);
	builder_request_cancelled(f->b, r1, 14, 4);
	builder_collective_complete(f->b, r1, 21, 3, 0, f->bcast, 0, 0, 0);
	builder_collective_begin_unknown(f->b, r1, 30);
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 1);
	assert_int_equal(trace_collective(t, 0)->members, 2);
	assert_int_equal(trace_collective(t, 0)->flags, COLL_REQUEST);
	assert_int_equal(found(t, "unknown-request"), 1);
	assert_int_equal(found(t, "unknown-collective"), 3);
	assert_true(cursor_first(&c, t, BASE_MEASURED, r0));
	assert_int_equal(cursor_what(&c), what_make(EV_COLLECTIVE_END, ID_NONE));
	assert_true(cursor_nth(&c, t, BASE_MEASURED, r0, 2));
	assert_int_equal(cursor_what(&c), what_make(EV_COLLECTIVE_BEGIN, ID_NONE));
	assert_true(cursor_last(&c, t, BASE_MEASURED, r1));
	assert_int_equal(cursor_what(&c), what_make(EV_COLLECTIVE_BEGIN, ID_NONE));
}

/* A blocking one that only its end describes; blocking and non-blocking ones share their turns. */
TEST_WITH(known_at_the_end, struct fixture *f)
{
	const uint32_t r0 = rank(f, 0, 0), r1 = rank(f, 1, 0);
	struct trace *t;

	builder_collective_request(f->b, r0, 5, 1);
	builder_collective_begin_unknown(f->b, r0, 10);
	builder_collective_is(f->b, r0, 0, f->reduce, 1);
	builder_collective_end(f->b, r0, 20, 8, 0);
	builder_collective_complete(f->b, r0, 25, 1, 0, f->bcast, -1, 0, 0);
	builder_collective_request(f->b, r1, 6, 1);
	builder_collective_begin(f->b, r1, 11, 0, f->reduce, 1, UINT64_MAX, UINT64_MAX);
	builder_collective_end(f->b, r1, 21, 8, 16);
	builder_collective_complete(f->b, r1, 26, 1, 0, f->bcast, -1, 0, 0);
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_collective(t, 0)->region, f->bcast);
	assert_int_equal(trace_collective(t, 0)->flags, COLL_REQUEST);
	assert_int_equal(trace_collective(t, 1)->region, f->reduce);
	assert_int_equal(trace_collective(t, 1)->flags, 0);
	assert_int_equal(trace_collective(t, 1)->members, 2);
	assert_int_equal(trace_member(t, trace_collective(t, 1)->first + 1)->received, 16);
}

TEST_WITH(one_process_each, struct fixture *f)
{
	const int32_t ranks[] = { 0, 1 };
	uint32_t self;
	struct trace *t;

	self = builder_comm_define(f->b, &(struct comm){ .size = 2,
							 .ranks = ranks,
							 .parent = UINT32_MAX,
							 .kind = COMM_SELF });
	for (int32_t r = 0; r < 2; r++)
		for (int64_t i = 0; i < 1 + r; i++) {
			builder_collective_begin(f->b, rank(f, r, 0), 10 * i, self, f->bcast, r, 0,
						 0);
			builder_collective_end(f->b, rank(f, r, 0), 10 * i + 5, 0, 0);
		}
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(trace_collective(t, i)->members, 1);
		assert_int_equal(trace_collective(t, i)->flags, 0);
	}
	assert_int_equal(found(t, "incomplete-collective"), 0);
}

/* Both groups of an inter-communicator take part; one rank that is missing is missed. */
TEST_WITH(two_groups, struct fixture *f)
{
	const int32_t first[] = { 0, 1 }, second[] = { 2 };
	const uint32_t inter = builder_comm_define(f->b, &(struct comm){ .size = 2,
									 .ranks = first,
									 .remote_size = 1,
									 .remote = second,
									 .parent = UINT32_MAX,
									 .kind = COMM_INTER });
	struct message_end all = { .rank = -1, .process = -1, .comm = inter };
	struct trace *t;

	for (int32_t r = 0; r < 3; r++) {
		const uint32_t l = rank(f, r, 0);
		for (int64_t i = 0; i < (r == 2 ? 1 : 2); i++) {
			builder_collective_begin(f->b, l, 10 * i, inter, f->bcast, 0, 0, 0);
			builder_collective_end(f->b, l, 10 * i + 5, 0, 0);
		}
	}
	builder_send(f->b, rank(f, 0, 0), 100, &all);
	builder_send(f->b, rank(f, 2, 0), 100, &all);
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 2);
	assert_int_equal(trace_collective(t, 0)->members, 3);
	assert_int_equal(trace_collective(t, 0)->flags, 0);
	assert_int_equal(trace_collective(t, 1)->members, 2);
	assert_int_equal(trace_collective(t, 1)->flags, COLL_INCOMPLETE);
	/* From rank 0 to rank 2 alone, from rank 2 to ranks 0 and 1. */
	assert_int_equal(trace_message_count(t), 3);
	assert_int_equal(message_destination(t, trace_message(t, 0)), 2);
	assert_int_equal(message_destination(t, trace_message(t, 1)), 0);
	assert_int_equal(message_destination(t, trace_message(t, 2)), 1);
}

/* Two threads of rank 0 call in turn: the world's second collective is the other thread's. */
TEST_WITH(threads_of_a_rank, struct fixture *f)
{
	const uint32_t a = rank(f, 0, 0), b = rank(f, 0, 1), c = rank(f, 1, 0);
	const int32_t team[] = { (int32_t)a, (int32_t)b };
	const uint32_t threads = builder_comm_define(f->b, &(struct comm){ .size = 2,
									   .ranks = team,
									   .parent = UINT32_MAX,
									   .kind = COMM_THREADS });
	struct trace *t;

	builder_collective_begin(f->b, a, 30, 0, f->reduce, 0, 0, 0);
	builder_collective_end(f->b, a, 35, 0, 0);
	builder_collective_begin(f->b, b, 10, 0, f->bcast, 0, 0, 0);
	builder_collective_end(f->b, b, 15, 0, 0);
	builder_collective_begin(f->b, c, 11, 0, f->bcast, 0, 0, 0);
	builder_collective_end(f->b, c, 16, 0, 0);
	builder_collective_begin(f->b, c, 31, 0, f->reduce, 0, 0, 0);
	builder_collective_end(f->b, c, 36, 0, 0);
	builder_collective_begin(f->b, a, 50, threads, f->bcast, 0, 0, 0);
	builder_collective_end(f->b, a, 51, 0, 0);
	builder_collective_begin(f->b, b, 50, threads, f->bcast, 0, 0, 0);
	builder_collective_end(f->b, b, 51, 0, 0);
	t = finish(f);

	assert_int_equal(trace_collective_count(t), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(trace_collective(t, i)->members, 2);
		assert_int_equal(trace_collective(t, i)->flags, 0);
	}
	assert_int_equal(found(t, "mixed-collective"), 0);
}

/* Without any rank locations are told apart by the source's ids, and the world is empty. */
TEST_WITH(without_ranks, struct fixture *f)
{
	struct location l = { .rank = RANK_UNKNOWN, .process = -1, .source_id = 1ull << 40 };
	struct trace *t;
	uint32_t a, b;

	a = builder_location(f->b, &l);
	l.source_id++;
	l.name = builder_string(f->b, "GPU stream", 10);
	b = builder_location(f->b, &l);
	assert_int_not_equal(a, b);
	assert_int_equal(builder_location(f->b, &l), b);
	builder_leave(f->b, a, 5, builder_site(f->b, f->bcast, 0, 0, 0));
	t = finish(f);

	assert_int_equal(trace_location_count(t), 2);
	assert_string_equal(trace_string(t, trace_location(t, a)->name), "location 0");
	assert_string_equal(trace_string(t, trace_location(t, b)->name), "GPU stream");
	assert_int_equal(trace_comm(t, 0)->size, 0);
	assert_int_equal(trace_location_of_rank(t, RANK_UNKNOWN), UINT32_MAX);
}

/* Attributes and markers come out in order, whatever the order they were given in. */
TEST_WITH(attributes_and_markers, struct fixture *f)
{
	const uint64_t type[] = { 0, 4 };
	const uint32_t key =
		builder_object(f->b, OBJECT_ATTRIBUTE, builder_string(f->b, "size", 4), type, 2);
	const uint32_t site = builder_site(f->b, f->bcast, 0, 0, 0);
	const uint32_t r0 = rank(f, 0, 0), r1 = rank(f, 1, 0);
	const struct event_attribute *found_attributes;
	struct cursor c;
	struct trace *t;
	uint32_t n;

	builder_mark(f->b, r0, 50, site); /* comes too early: it will be sorted behind */
	builder_attribute(f->b, r0, key, 1);
	builder_attribute(f->b, r0, key, 2);
	builder_mark(f->b, r1, 10, site);
	builder_attribute(f->b, r1, key, 3);
	builder_mark(f->b, r0, 20, site);
	builder_attribute(f->b, r0, key, 4);
	builder_marker(f->b, &(struct marker){ .time = 30, .severity = 1 });
	builder_marker(f->b, &(struct marker){ .time = 10, .severity = 2 });
	builder_marker(f->b, &(struct marker){ .time = 30, .severity = 3 });
	t = finish(f);

	assert_int_equal(trace_attribute_count(t), 4);
	assert_true(cursor_last(&c, t, BASE_MEASURED, r0));
	found_attributes = trace_event_attributes(t, c.id, &n);
	assert_int_equal(n, 2);
	assert_int_equal(found_attributes[0].value, 1);
	assert_int_equal(found_attributes[1].value, 2);
	assert_true(cursor_first(&c, t, BASE_MEASURED, r0));
	found_attributes = trace_event_attributes(t, c.id, &n);
	assert_int_equal(n, 1);
	assert_int_equal(found_attributes[0].value, 4);
	assert_int_equal(trace_marker(t, 0)->severity, 2);
	assert_int_equal(trace_marker(t, 1)->severity, 1);
	assert_int_equal(trace_marker(t, 2)->severity, 3);
}
