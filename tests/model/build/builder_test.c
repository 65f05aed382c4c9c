/* Hand-made traces, numbers counted by hand. */
#include "harness/built.h"
#include "harness/test.h"
#include "model/sums/profile.h"
#include "model/sums/shading.h"

struct fixture {
	struct builder *b;
	struct trace *t;
	uint32_t user, inner, recv, recv_blocked, send;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	uint32_t region;

	f->b = built_begin(4);
	f->user = built_site(f->b, "solve", CLASS_USER, 17);
	f->inner = built_site(f->b, "inner", CLASS_USER, 18);
	region = builder_region(f->b, "recv0", CLASS_P2P, -51);
	f->recv = builder_site(f->b, region, 0, 0, -51);
	f->recv_blocked = builder_site(f->b, region, 0, 0, -52);
	f->send = built_site(f->b, "send0", CLASS_P2P, -21);
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

static struct trace *finish(struct fixture *f, bool decide_blocked)
{
	struct err err = ERR_INIT;

	f->t = builder_finish(f->b,
			      &(struct builder_options){ .decide_blocked = decide_blocked,
							 .jobs = 1 },
			      NULL, &err);
	f->b = NULL;
	assert_string_equal(err.text, "");
	assert_non_null(f->t);
	return f->t;
}

static struct message_end end(int32_t rank, int32_t tag, uint64_t bytes)
{
	return (struct message_end){ .rank = rank, .process = -1, .tag = tag, .bytes = bytes };
}

TEST_WITH(empty_trace, struct fixture *f)
{
	struct trace *t = finish(f, false);
	int64_t begin, stop;

	assert_int_equal(trace_event_count(t), 0);
	assert_int_equal(trace_location_count(t), 4);
	assert_int_equal(trace_comm(t, 0)->size, 4);
	trace_span(t, BASE_MEASURED, &begin, &stop);
	assert_int_equal(begin, 0);
	assert_int_equal(stop, 0);
	assert_int_equal(trace_message_count(t), 0);
	assert_int_equal(trace_path_at(t, BASE_MEASURED, 0, 5), 0);
}

TEST_WITH(a_message_and_its_regions, struct fixture *f)
{
	struct message_end out = end(1, 7, 100), in = end(0, 7, 100);
	const struct message *m;
	uint64_t sums[SHADING_SLOTS];
	struct trace *t;

	builder_enter(f->b, 0, 0, f->user);
	builder_enter(f->b, 0, 10, f->send);
	builder_send(f->b, 0, 10, &out);
	builder_leave(f->b, 0, 15, f->send);
	builder_leave(f->b, 0, 40, f->user);
	builder_enter(f->b, 1, 5, f->recv);
	builder_recv(f->b, 1, 20, &in);
	builder_leave(f->b, 1, 20, f->recv);
	t = finish(f, true);

	assert_int_equal(trace_message_count(t), 1);
	m = trace_message(t, 0);
	assert_int_equal(m->flags, MSG_RECV_BLOCKED); /* sent at 10, entered at 5 */
	assert_int_equal(trace_event_time(t, BASE_MEASURED, m->send), 10);
	assert_int_equal(trace_event_time(t, BASE_MEASURED, m->recv), 20);
	assert_int_equal(message_source(t, m), 0);
	assert_int_equal(message_destination(t, m), 1);
	assert_int_equal(message_bytes(m), 100);
	assert_int_equal(what_id(trace_event_what(t, m->recv)), 0);

	assert_path(t, trace_event_path(t, m->send), "solve > send0");
	const uint32_t path = trace_event_path(t, m->recv);
	assert_int_equal(trace_site(t, trace_callpath(t, path)->site)->picl, -52);
	assert_int_not_equal(trace_callpath(t, path)->canon, path);
	assert_int_equal(trace_callpath_region(t, trace_callpath(t, path)->canon),
			 trace_callpath_region(t, path));

	shading_window(trace_class_shading(t, BASE_MEASURED), 0, -10, 50, sums);
	assert_int_equal(sums[CLASS_USER], 35);
	assert_int_equal(sums[CLASS_P2P], 5);
	assert_int_equal(sums[CLASS_OUTSIDE], 20);
	shading_window(trace_class_shading(t, BASE_MEASURED), 0, 12, 13, sums);
	assert_int_equal(sums[CLASS_P2P], 1);
	assert_int_equal(sums[CLASS_USER], 0);
}

static int32_t picl_at(const struct trace *t, uint32_t location, int64_t time)
{
	struct cursor c;

	assert_true(cursor_seek(&c, t, BASE_MEASURED, location, time));
	return trace_site(t, trace_callpath(t, trace_event_path(t, c.id))->site)->picl;
}

/* Whether a receive waited is judged by the reference clock where offsets are known: rank 0's clock
 * is 100 behind. One region may complete several receives (MPI_Waitall). */
TEST_WITH(waiting_is_judged_by_the_reference_clock, struct fixture *f)
{
	struct message_end out = end(1, 7, 1), in = end(0, 7, 1);
	struct builder *b = f->b;
	const uint32_t wait = built_site(b, "MPI_Waitall", CLASS_P2P, 900);
	struct trace *t;

	builder_offset(b, &(struct offset){ 0, 0, 100, 1 });
	builder_offset(b, &(struct offset){ 1, 0, 0, 1 });
	builder_send(b, 0, 10, &out);
	builder_send(b, 0, 20, &out);
	builder_send(b, 0, 350, &out);
	builder_send(b, 0, 360, &out);
	builder_enter(b, 1, 50, f->recv); /* sent at 110: waits */
	builder_recv(b, 1, 130, &in);
	builder_leave(b, 1, 131, f->recv);
	builder_enter(b, 1, 140, f->recv); /* sent at 120: does not */
	builder_recv(b, 1, 150, &in);
	builder_leave(b, 1, 151, f->recv);
	builder_enter(b, 1, 455, wait);
	builder_recv(b, 1, 470, &in); /* sent at 450 */
	builder_recv(b, 1, 471, &in); /* sent at 460 */
	builder_leave(b, 1, 472, wait);
	t = finish(f, true);
	assert_int_equal(picl_at(t, 1, 50), -52);
	assert_int_equal(picl_at(t, 1, 131), -52);
	assert_int_equal(picl_at(t, 1, 140), -51);
	assert_int_equal(picl_at(t, 1, 151), -51);
	assert_int_equal(picl_at(t, 1, 455), 900);
	assert_int_equal(trace_message(t, 0)->flags, MSG_RECV_BLOCKED);
	assert_int_equal(trace_message(t, 1)->flags, 0);
	assert_int_equal(trace_message(t, 2)->flags, 0);
	assert_int_equal(trace_message(t, 3)->flags, MSG_RECV_BLOCKED);
}

/* A sort of the file by time alone put the enter of the next region before the leave of the last,
 * an outer leave before the inner one, and a leave before the enter of a visit without duration. */
TEST_WITH(equal_times_are_put_in_order, struct fixture *f)
{
	const uint32_t a = f->user, c = f->inner, d = f->send;
	static const char *const paths[] = { "solve", "", "inner", "inner > send0",
					     "inner", "", "send0", "" };
	static const int64_t times[] = { 0, 5, 5, 6, 9, 9, 12, 12 };
	struct cursor cur;
	struct trace *t;
	size_t i = 0;

	builder_enter(f->b, 0, 0, a);
	builder_enter(f->b, 0, 5, c);
	builder_extra(f->b, 0, "of inner", 8);
	builder_leave(f->b, 0, 5, a);
	builder_enter(f->b, 0, 6, d);
	builder_leave(f->b, 0, 9, c);
	builder_leave(f->b, 0, 9, d);
	builder_leave(f->b, 0, 12, d);
	builder_enter(f->b, 0, 12, d);
	t = finish(f, false);
	for (bool ok = cursor_first(&cur, t, BASE_MEASURED, 0); ok; ok = cursor_next(&cur), i++) {
		assert_path(t, cursor_path(&cur), paths[i]);
		assert_int_equal(cursor_time(&cur), times[i]);
		if (i == 2)
			assert_string_equal(trace_event_extra(t, cur.id), "of inner");
		else
			assert_null(trace_event_extra(t, cur.id));
	}
	assert_int_equal(i, 8);
	assert_int_equal(trace_finding_count(t), 1);
	assert_int_equal(found(t, "equal-time-order"), 3);
}

/* Coordinates of a world that is known only later, or never told: as many as it has members, the
 * rest unknown. */
TEST_WITH(topology_before_the_world, struct fixture *f)
{
	static const int32_t size[] = { 2, 2 }, coords[] = { 0, 1, 1, 0, 1, 1 };
	static const uint8_t periodic[] = { 1, 0 };
	const struct topology given = {
		.dims = 2, .size = size, .periodic = periodic, .coords = coords
	};
	const struct topology *t;

	builder_topology(f->b, &given, 3);
	builder_topology(f->b, &given, 2);
	builder_world(f->b, (const int32_t[]){ 0, 1 }, 2); /* less than the coordinates */
	builder_world(f->b, (const int32_t[]){ 0, 1, 2, 3 }, 4);
	builder_topology(f->b, &(struct topology){ .dims = 2, .size = size, .periodic = periodic },
			 0);
	t = trace_topology(finish(f, false), 0);
	assert_memory_equal(t->coords, ((const int32_t[]){ 0, 1, 1, 0, -1, -1, -1, -1 }),
			    8 * sizeof *coords);
	t = trace_topology(f->t, 1);
	assert_memory_equal(t->coords, ((const int32_t[]){ 0, 1, 1, 0, -1, -1, -1, -1 }),
			    8 * sizeof *coords);
	t = trace_topology(f->t, 2);
	assert_memory_equal(t->coords, ((const int32_t[]){ -1, -1, -1, -1, -1, -1, -1, -1 }),
			    8 * sizeof *coords);
}

/* Nobody says which ranks the world has: those with a location, here four. */
TEST_WITH(topology_of_an_unsaid_world, struct fixture *f)
{
	static const int32_t size[] = { 3 }, coords[] = { 2, 0, 1 };
	static const uint8_t periodic[] = { 0 };

	builder_topology(f->b,
			 &(struct topology){
				 .dims = 1, .size = size, .periodic = periodic, .coords = coords },
			 3);
	assert_memory_equal(trace_topology(finish(f, false), 0)->coords,
			    ((const int32_t[]){ 2, 0, 1, -1 }), 4 * sizeof *coords);
}
