/* The linear base: numbers worked out by hand from T(t) = t + o1 + (o2 - o1) / (t2 - t1) * (t -
 * t1).
 */
#include "harness/built.h"
#include "harness/test.h"
#include "harness/times.h"
#include "model/sums/shading.h"

struct point {
	int64_t time, offset;
};

/* A trace with one location whose offsets are given, and events at the given times. */
static struct trace *make(const struct point *offsets, size_t n, const int64_t *times,
			  size_t events)
{
	struct builder *b = built_begin(1);
	const uint32_t site = built_site(b, "f", CLASS_USER, 1);

	built_rank(b, 0, 1);
	for (size_t i = 0; i < n; i++)
		builder_offset(b, &(struct offset){ .location = 0,
						    .time = offsets[i].time,
						    .offset = offsets[i].offset,
						    .rtt = -1 });
	for (size_t i = 0; i < events; i++)
		for (uint32_t l = 0; l < 2; l++)
			builder_mark(b, l, times[i], site);
	return built_end(b);
}

static void linear_is(struct trace *t, const int64_t *expected, size_t n)
{
	struct err err = ERR_INIT;

	assert_true(trace_has_base(t, BASE_LINEAR));
	assert_int_equal(trace_default_base(t), BASE_LINEAR);
	assert_true(trace_base_make(t, BASE_LINEAR, NULL, &err));
	for (uint32_t l = 0; l < 2; l++) /* the second thread has its rank's clock */
		assert_times(t, BASE_LINEAR, l, expected, n);
	trace_free(t);
}

TEST(without_offsets_there_is_no_linear_base)
{
	static const int64_t times[] = { 1, 2 };
	OWNED_TRACE *t = make(NULL, 0, times, 2);

	for (enum time_base base = BASE_LINEAR; base < BASE_COUNT; base++)
		assert_false(trace_has_base(t, base));
	assert_int_equal(trace_default_base(t), BASE_MEASURED);
}

TEST(one_offset_is_added)
{
	static const struct point o[] = { { 100, -30 } };
	static const int64_t times[] = { 0, 100, 5000 }, expected[] = { -30, 70, 4970 };

	linear_is(make(o, 1, times, 3), expected, 3);
}

/* From 10 at 0 to 20 at 1000: a hundredth. Beyond both ends the same line. */
TEST(two_offsets_make_a_line)
{
	static const struct point o[] = { { 1000, 20 }, { 0, 10 } };
	static const int64_t times[] = { -1000, 0, 49, 50, 150, 500, 1000, 3000 };
	/* 49: 10.49 -> 10; 50: 10.5 and 150: 11.5 go to the even 10 and 12 */
	static const int64_t expected[] = { -1000, 10, 59, 60, 162, 515, 1020, 3040 };

	linear_is(make(o, 2, times, 8), expected, 8);
}

TEST(more_offsets_make_pieces)
{
	static const struct point o[] = { { 0, 0 }, { 100, 10 }, { 200, 0 }, { 200, 7 } };
	static const int64_t times[] = { -10, 50, 100, 150, 200, 210 };
	static const int64_t expected[] = { -11, 55, 110, 155, 200, 209 };

	linear_is(make(o, 4, times, 6), expected, 6);
}

/* A slope below -1 would turn events round: they are held back instead. */
TEST(order_stays)
{
	static const struct point o[] = { { 0, 1000 }, { 10, 0 } };
	static const int64_t times[] = { 0, 5, 10 }, expected[] = { 1000, 1000, 1000 };

	linear_is(make(o, 2, times, 3), expected, 3);
}

TEST(every_base_has_its_shading)
{
	static const struct point o[] = { { 0, 0 }, { 10, 10 } }; /* twice as long */
	struct err err = ERR_INIT;
	struct builder *b = built_begin(1);
	const uint32_t site = built_site(b, "f", CLASS_P2P, 1);
	uint64_t sums[SHADING_SLOTS];
	int64_t begin, end;
	OWNED_TRACE *t;

	for (int i = 0; i < 2; i++)
		builder_offset(b, &(struct offset){ 0, o[i].time, o[i].offset, -1 });
	builder_enter(b, 0, 100, site);
	builder_leave(b, 0, 103, site);
	t = built_end(b);
	assert_true(trace_base_make(t, BASE_LINEAR, NULL, &err));
	trace_span(t, BASE_LINEAR, &begin, &end);
	assert_int_equal(begin, 200);
	assert_int_equal(end, 206);
	shading_window(trace_class_shading(t, BASE_LINEAR), 0, 0, 300, sums);
	assert_int_equal(sums[CLASS_P2P], 6);
	shading_window(trace_class_shading(t, BASE_MEASURED), 0, 0, 300, sums);
	assert_int_equal(sums[CLASS_P2P], 3);
}
