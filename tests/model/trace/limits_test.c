/* Traces that are larger than the store can name: a sentence that says so, and nothing else. The
 * tables are said to be full, which nobody could make them in a test. */
#include <string.h>

#include "harness/built.h"
#include "harness/test.h"
#include "model/build/build.h"

static const uint64_t most_rows = (1u << 27) - 1;

enum table { SENDS, RECVS, PARTS, DETAILS, RECORDS, BLOCKS, TABLES };

static void fill(struct builder *b, enum table table)
{
	switch (table) {
	case SENDS: b->trace->messages.size = most_rows * sizeof(struct message); break;
	case RECVS: b->recvs.size = most_rows * sizeof(struct message); break;
	case PARTS: b->parts.size = most_rows * sizeof(struct part); break;
	case DETAILS: b->trace->details.size = most_rows * sizeof(struct detail); break;
	case RECORDS: b->trace->records.n = most_rows; break;
	default: b->home->blocks.size = (size_t)(UINT32_MAX / BLOCK_EVENTS) * sizeof(struct block);
	}
}

static void add(struct builder *b, enum table table, uint32_t site)
{
	const struct message_end end = { .rank = 0, .process = -1 };
	const struct record record = { 1000, site, 0 };

	switch (table) {
	case SENDS: builder_send(b, 0, 1, &end); break;
	case RECVS: builder_recv(b, 0, 1, &end); break;
	case PARTS: builder_collective_request(b, 0, 1, 1); break;
	case DETAILS: builder_detail(b, 0, 1, DETAIL_UNKNOWN, NULL, 0); break;
	case RECORDS: builder_record(b, 0, 1, EV_DATA, &record); break;
	default: builder_enter(b, 0, 1, site);
	}
}

static void expect_sentence(struct builder *b, enum table table)
{
	struct err err = ERR_INIT;

	assert_true(builder_failed(b));
	builder_enter(b, 0, 2, 0); /* nothing happens */
	if (table == RECORDS)
		b->trace->records.n = 0; /* it has no such memory */
	assert_null(builder_finish(b, NULL, NULL, &err));
	assert_int_equal(err.status, STATUS_IO);
	assert_non_null(strstr(err.text, table == BLOCKS ? "2^32" : "2^27"));
	assert_non_null(strstr(err.text, "--ranks or --time"));
	assert_non_null(strstr(err.text, "large.trc"));
}

static struct builder *small_trace(uint32_t *site)
{
	struct builder *b = builder_new("large.trc", &units_nanoseconds, NULL);

	built_rank(b, 0, 0);
	*site = built_site(b, "main", CLASS_USER, 0);
	return b;
}

TEST(alone)
{
	for (int table = 0; table < TABLES; table++) {
		uint32_t site;
		struct builder *b = small_trace(&site);
		fill(b, (enum table)table);
		add(b, (enum table)table, site);
		expect_sentence(b, (enum table)table);
	}
}

/* The same met by a child, which its parent learns at the join. */
TEST(in_a_child)
{
	for (int table = 0; table < TABLES; table++) {
		uint32_t site;
		struct builder *b = small_trace(&site), *child = builder_fork(b);
		assert_non_null(child);
		fill(child, (enum table)table);
		add(child, (enum table)table, site);
		assert_true(builder_failed(child));
		if (table == RECORDS)
			child->trace->records.n = 0;
		assert_false(builder_join(b, &child, 1));
		expect_sentence(b, (enum table)table);
	}
}

/* Two children, each of them with rows enough: together they are too many. */
TEST(in_both_children)
{
	const struct message_end end = { .rank = 0, .process = -1 };
	struct builder *child[2], *b;
	uint32_t site;

	b = small_trace(&site);
	built_rank(b, 1, 0);
	for (uint32_t i = 0; i < 2; i++) {
		child[i] = builder_fork(b);
		builder_send(child[i], i, 1, &end);
		child[i]->tally.data[i].rows[ROW_MESSAGE] = most_rows / 2 + 1;
	}
	assert_false(builder_join(b, child, 2));
	expect_sentence(b, SENDS);
}
