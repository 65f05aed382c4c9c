/* What crosses a window of time, against a look at every row: shapes that mislead a search by one
 * end (long rows among short ones, rows within rows), sizes around those of the tree's nodes. */
#include <string.h>

#include "base/order.h"
#include "harness/built.h"
#include "harness/random.h"
#include "harness/test.h"

enum { MANY = 30000, STEP = 10 };

struct ends {
	int64_t send, recv;
	int32_t tag; /* its number: rows are matched by it */
};

/* ---- shapes: the ends of message i of n ---- */

typedef struct ends (*shape_fn)(struct rng *rng, uint32_t i, uint32_t n);

static struct ends short_ones(struct rng *rng, uint32_t i, uint32_t n)
{
	(void)n;
	return (struct ends){ (int64_t)i * STEP, (int64_t)i * STEP + 1 + rng_below(rng, 5), 0 };
}

static struct ends a_long_one_first(struct rng *rng, uint32_t i, uint32_t n)
{
	return i == 0 ? (struct ends){ 0, (int64_t)n * STEP, 0 } : short_ones(rng, i, n);
}

/* Row 255 of each 256 reaches over the whole run, the others are short. */
static struct ends long_ones_between(struct rng *rng, uint32_t i, uint32_t n)
{
	struct ends ends = short_ones(rng, i, n);

	if (i % 256 == 255)
		ends.recv = (int64_t)n * STEP + i;
	return ends;
}

/* Each lies within the one before. */
static struct ends nested(struct rng *rng, uint32_t i, uint32_t n)
{
	(void)rng;
	return (struct ends){ i, 2 * (int64_t)n - i, 0 };
}

static struct ends all_at_once(struct rng *rng, uint32_t i, uint32_t n)
{
	(void)i;
	return (struct ends){ 5, 5 + rng_below(rng, n), 0 };
}

/* Most are short, some very long; no order of the one end follows from the other. */
static struct ends heavy_tail(struct rng *rng, uint32_t i, uint32_t n)
{
	const int64_t send = rng_below(rng, n * STEP);

	(void)i;
	return (struct ends){ send, send + (n * STEP >> rng_below(rng, 20)), 0 };
}

/* Received before they are sent, as clocks that are off have it. */
static struct ends backwards(struct rng *rng, uint32_t i, uint32_t n)
{
	const struct ends ends = heavy_tail(rng, i, n);

	return (struct ends){ ends.recv, ends.send, 0 };
}

/* ---- making ---- */

ORDERING(by_send, struct ends, send)
ORDERING(by_recv, struct ends, recv)

/* Even messages go from rank 0, odd ones from rank 2, all to rank 1. Rank 2 comes last, so that
 * rows do not stand in order. */
static struct trace *make(shape_fn shape, struct rng *rng, uint32_t n)
{
	struct builder *b = built_begin(3);
	struct ends *ends = test_malloc(n * sizeof *ends);
	struct message_end end = { .process = -1 };
	struct trace *t;

	for (uint32_t i = 0; i < n; i++) {
		ends[i] = shape(rng, i, n);
		ends[i].tag = (int32_t)i;
	}
	SORT(ends, n, by_send);
	for (int32_t odd = 0; odd < 2; odd++)
		for (uint32_t i = 0; i < n; i++) {
			end.rank = 1;
			end.tag = ends[i].tag;
			if (end.tag % 2 == odd)
				builder_send(b, 2 * (uint32_t)odd, ends[i].send, &end);
		}
	SORT(ends, n, by_recv);
	for (uint32_t i = 0; i < n; i++) {
		end.rank = ends[i].tag % 2 * 2;
		end.tag = ends[i].tag;
		builder_recv(b, 1, ends[i].recv, &end);
	}
	test_free(ends);
	t = built_end(b);
	assert_int_equal(trace_message_count(t), n);
	return t;
}

/* ---- comparing ---- */

struct row_span {
	int64_t first, last;
	uint32_t seen; /* in the how-manieth window */
};

static void same_window(struct span_query *q, struct row_span *rows, uint32_t n, int64_t t0,
			int64_t t1, uint32_t window)
{
	int64_t before = INT64_MIN;
	uint32_t expected = 0, hits = 0, row;

	for (uint32_t i = 0; i < n; i++)
		expected += rows[i].first < t1 && rows[i].last >= t0;
	for (; span_query_next(q, &row); hits++) {
		assert_true(row < n && rows[row].seen < window);
		assert_true(rows[row].first < t1 && rows[row].last >= t0);
		assert_true(rows[row].first >= before);
		before = rows[row].first;
		rows[row].seen = window;
	}
	assert_int_equal(hits, expected);
	assert_false(span_query_next(q, &row));
}

static void compare(shape_fn shape, uint64_t seed, uint32_t n)
{
	struct rng rng = { seed * 7919 + 1 };
	OWNED_TRACE *t = make(shape, &rng, n);
	struct row_span *rows = test_calloc(n, sizeof *rows);
	struct span_query q;
	int64_t end = 0;

	for (uint32_t i = 0; i < n; i++) {
		message_span(t, BASE_MEASURED, trace_message(t, i), &rows[i].first, &rows[i].last);
		end = rows[i].last > end ? rows[i].last : end;
	}
	for (uint32_t k = 1; k <= 60; k++) {
		/* At a row's end or anywhere, from nothing to all of the run. */
		const int64_t t0 = k % 3 == 0 ? rows[rng_below(&rng, n)].last
					      : (int64_t)rng_below(&rng, (uint32_t)end + 2) - 1;
		const int64_t t1 = k % 5 == 0 ? t0 : t0 + (end >> rng_below(&rng, 20)) + 1;
		messages_in_window(&q, t, BASE_MEASURED, t0, t1);
		same_window(&q, rows, n, t0, t1, k);
	}
	messages_in_window(&q, t, BASE_MEASURED, INT64_MIN, INT64_MAX);
	same_window(&q, rows, n, INT64_MIN, INT64_MAX, 61);
	messages_in_window(&q, t, BASE_MEASURED, end, INT64_MAX);
	same_window(&q, rows, n, end, INT64_MAX, 62);
	messages_in_window(&q, t, BASE_MEASURED, end + 1, INT64_MAX);
	assert_false(span_query_next(&q, &rows->seen));
	test_free(rows);
}

static const shape_fn shapes[] = { short_ones,  a_long_one_first, long_ones_between, nested,
				   all_at_once, heavy_tail,       backwards };
enum { SHAPES = sizeof shapes / sizeof *shapes };

TEST(misleading_shapes)
{
	for (uint32_t i = 0; i < SHAPES; i++)
		compare(shapes[i], i + 1, MANY);
}

TEST(sizes_of_nodes)
{
	static const uint32_t sizes[] = {
		1, 2, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65537
	};

	for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		compare(shapes[i % SHAPES], 100 + i, sizes[i]);
	for (uint32_t i = 0; i < SHAPES; i++)
		compare(shapes[i], 200 + i, 257);
}

TEST(no_rows)
{
	OWNED_TRACE *t = built_end(built_begin(0));
	struct span_query q;
	uint32_t row;

	messages_in_window(&q, t, BASE_MEASURED, INT64_MIN, INT64_MAX);
	assert_false(span_query_next(&q, &row));
	collectives_in_window(&q, t, BASE_MEASURED, INT64_MIN, INT64_MAX);
	assert_false(span_query_next(&q, &row));
}

/* Ranks 2 and 3 are in one collective for the whole run, 0 and 1 in one after the other. */
TEST(a_collective_as_long_as_the_run)
{
	static const int32_t first[] = { 0, 1 }, second[] = { 2, 3 };
	enum { SHORT = 3000 };
	struct builder *b = built_begin(4);
	struct row_span rows[SHORT + 1];
	struct rng rng = { 99 };
	struct span_query q;
	OWNED_TRACE *t;

	const uint32_t op = builder_region(b, "MPI_Barrier", CLASS_SYNC, -783);
	const uint32_t pair = builder_comm(b, "first", first, 2, -2);
	const uint32_t other = builder_comm(b, "second", second, 2, -3);
	for (uint32_t l = 2; l < 4; l++) {
		builder_collective_begin(b, l, l, other, op, -1, 0, 0);
		builder_collective_end(b, l, SHORT * STEP + 50, 0, 0);
	}
	for (int64_t i = 0; i < SHORT; i++)
		for (uint32_t l = 0; l < 2; l++) {
			builder_collective_begin(b, l, 10 + i * STEP + l, pair, op, -1, 0, 0);
			builder_collective_end(b, l, 14 + i * STEP + l, 0, 0);
		}
	t = built_end(b);
	assert_int_equal(trace_collective_count(t), SHORT + 1);
	memset(rows, 0, sizeof rows);
	for (uint32_t i = 0; i <= SHORT; i++)
		collective_span(t, BASE_MEASURED, trace_collective(t, i), &rows[i].first,
				&rows[i].last);
	for (uint32_t k = 1; k <= 200; k++) {
		const int64_t t0 = rng_below(&rng, SHORT * STEP);
		const int64_t t1 = t0 + rng_below(&rng, k % 2 ? 30 : SHORT * STEP);
		collectives_in_window(&q, t, BASE_MEASURED, t0, t1);
		same_window(&q, rows, SHORT + 1, t0, t1, k);
	}
}
