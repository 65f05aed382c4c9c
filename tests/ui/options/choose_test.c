/* What --ranks and --time choose before there is a trace. */
#include "base/mem.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "ui/options/choose_rows.h"

#include <string.h>

static struct load_part part_of(const struct options *options)
{
	struct load_part part;
	struct err err = ERR_INIT;

	assert_true(choice_part(&part, options, &err));
	assert_false(err_is_set(&err));
	return part;
}

TEST(ranks_are_ranges)
{
	struct load_part part =
		part_of(&(struct options){ .ranks = "0-3,8,host", .base = "linear" });

	assert_int_equal(part.n_ranks, 3);
	assert_false(part.timed);
	for (int32_t rank = -1; rank < 12; rank++)
		assert_int_equal(load_part_has_rank(&part, rank),
				 (rank >= 0 && rank <= 3) || rank == 8);
	assert_true(load_part_has_rank(&part, RANK_HOST));
	choice_part_fini(&part);
	/* The host's number lies in a range, but no range means it. */
	part = part_of(&(struct options){ .ranks = "0-100000", .base = "measured" });
	assert_false(load_part_has_rank(&part, RANK_HOST));
	assert_true(load_part_has_rank(&part, RANK_HOST + 1));
	choice_part_fini(&part);
	part = part_of(&(struct options){ 0 });
	assert_true(load_part_has_rank(&part, 7));
	assert_true(load_part_has_rank(&part, RANK_HOST));
	choice_part_fini(&part);
}

TEST(spans_are_nanoseconds_a_little_wider)
{
	struct load_part part =
		part_of(&(struct options){ .time = "0.1s:250ms", .base = "linear" });

	assert_true(part.timed);
	assert_int_equal(part.t0, 100000000 - 1);
	assert_int_equal(part.t1, 250000000 + 1);
	choice_part_fini(&part);
	part = part_of(&(struct options){ .time = "3ms:", .base = "linear" });
	assert_int_equal(part.t0, 3000000 - 1);
	assert_int_equal(part.t1, INT64_MAX);
	choice_part_fini(&part);
	part = part_of(&(struct options){ .time = ":0.5", .base = "linear" });
	assert_true(part.timed);
	assert_int_equal(part.t0, INT64_MIN);
	choice_part_fini(&part);
}

/* Where a span of another base lies is known when all is there. */
TEST(other_bases_need_all)
{
	struct load_part part = part_of(&(struct options){ .time = "1:2", .base = "measured" });

	assert_false(part.timed);
	choice_part_fini(&part);
}

/* Clocks are fitted to the messages of the whole run: a part would have other times. */
TEST(corrected_times_need_all)
{
	static const char *const bases[] = {
		NULL, "fitted", "clc", "compensated", "lower", "upper"
	};

	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		struct load_part part = part_of(
			&(struct options){ .ranks = "0-3", .time = "1:2", .base = bases[i] });
		assert_false(part.timed);
		assert_int_equal(part.n_ranks, 0);
		choice_part_fini(&part);
	}
}

TEST(nonsense_is_refused)
{
	static const struct options options[] = {
		{ .ranks = "3-1" }, { .ranks = "a" },  { .ranks = "1," }, { .ranks = "0;1" },
		{ .time = "1" },    { .time = "2:1" }, { .time = "1:x" }, { .time = "1h:" },
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		struct load_part part;
		struct err err = ERR_INIT;

		assert_false(choice_part(&part, &options[i], &err));
		assert_int_equal(err.status, STATUS_USAGE);
		choice_part_fini(&part);
	}
}

static const char threads[] = "rank 0: main@0-9\n"
			      "rank 1: main@0-9\n"
			      "rank 1 thread 1: main@0-9\n"
			      "rank 2: main@0-9\n"
			      "rank 2 thread 1: main@0-9\n"
			      "rank 3: main@0-9\n"
			      "rank 7: main@0-9\n"
			      "host: main@0-9\n";

static void lists(const struct trace *trace, unsigned marked, const char *expected)
{
	bool chosen[8];
	OWNED_STR list = STR_INIT;

	for (unsigned l = 0; l < 8; l++)
		chosen[l] = marked >> l & 1;
	choose_add_locations(trace, chosen, &list);
	assert_string_equal(list.text, expected);
}

/* Bits are locations in their order above. A rank with its threads is a range. */
TEST(locations_are_listed_as_ranges)
{
	struct trace *trace = notation_trace(threads);

	assert_int_equal(trace_location_count(trace), 8);
	lists(trace, 0x01, "0");
	lists(trace, 0x02, "1");
	lists(trace, 0x04, "1.1");
	lists(trace, 0x06, "1-1");
	lists(trace, 0x3f, "0-3");
	lists(trace, 0x7d, "0,1.1,2-3,7");
	lists(trace, 0xa0, "3,host");
	trace_free(trace);
}

TEST(lists_of_locations_are_read_back)
{
	struct trace *trace = notation_trace(threads);
	struct rng rng = { 20261130 };

	for (int round = 0; round < 300; round++) {
		bool chosen[8] = { false }, back[8] = { false };
		OWNED_STR list = STR_INIT;
		struct err err = ERR_INIT;

		for (int l = 0; l < 8; l++)
			chosen[l] = rng_below(&rng, 3) != 0;
		choose_add_locations(trace, chosen, &list);
		assert_true(!list.n || choose_locations(trace, list.text, back, &err));
		assert_memory_equal(back, chosen, sizeof chosen);
	}
	trace_free(trace);
}

TEST(pins_and_groups_are_read_back)
{
	struct trace *trace = notation_trace(threads);
	struct arrangement a = { .key = BY_NONE };
	struct err err = ERR_INIT;
	OWNED_STR list = STR_INIT, opened = STR_INIT;

	assert_true(choose_pins(&a, trace, "2.1,1+,7-7,host", &err));
	assert_true(choose_opened(&a, trace, "3,1,3", &err));
	choose_add_pins(trace, &a, &list);
	choose_add_opened(trace, &a, &opened);
	assert_string_equal(list.text, "2.1,1+,7,host");
	assert_string_equal(opened.text, "3,1");
	assert_false(choose_pins(&a, trace, "4", &err));
	assert_false(choose_opened(&a, trace, "1,", NULL));
	arrangement_fini(&a);
	trace_free(trace);
}

TEST(groups_have_a_number)
{
	struct arrangement a = { .key = BY_NONE, .fit = 5 };

	assert_true(arrangement_group(&a, "range:64"));
	assert_int_equal(a.key, BY_RANGE);
	assert_int_equal(a.range, 64);
	assert_true(arrangement_group(&a, "likeness 12"));
	assert_int_equal(a.fit, 12);
	assert_true(arrangement_group(&a, "range"));
	assert_int_equal(a.range, 0);
	assert_int_equal(a.fit, 12);
	for (const char *const *bad =
		     (const char *const[]){ "range:", "range:0", "range:-1", "range:1x", "node:2",
					    "ranges", "range:1000000000", "", NULL };
	     *bad; bad++)
		assert_false(arrangement_group(&a, *bad));
}

/* One metric of a set of its own, with a sample on location 0. */
static void add_counter(struct builder *b, const char *name, int64_t time)
{
	const uint32_t metric =
		builder_metric(b, &(struct metric){ .name = builder_string(b, name, strlen(name)),
						    .mode = METRIC_ACCUMULATED_START,
						    .value = FIELD_UINT });
	const uint64_t values[] = {
		builder_metric_set(b, &(struct metric_set){ .n = 1,
							    .metrics = &metric,
							    .recorder = UINT32_MAX }),
		7
	};

	builder_detail(b, 0, time, DETAIL_METRIC, values, 2);
}

/* The list that --counter takes, and that the line of y and E writes. */
TEST(a_comma_of_a_name_is_no_end)
{
	struct choice choice = { .query = { .t0 = INT64_MIN, .t1 = INT64_MAX } };
	struct err err = ERR_INIT;
	OWNED_STR list = STR_INIT;
	struct notation n;

	choose_add_name("reads,writes", &list);
	choose_add_name("L1", &list);
	assert_string_equal(list.text, "reads\\,writes,L1");
	notation_begin(&n, 1000000);
	notation_write(&n, "ranks 1; rank 0: main@0");
	add_counter(n.b, "reads,writes", 1);
	add_counter(n.b, "writes", 2);
	add_counter(n.b, "L1", 3);
	OWNED_TRACE *t = notation_finish(&n);
	choice.query.trace = t;
	assert_true(choose_rows(&choice, &(struct options){ .counter = list.text }, &err));
	assert_int_equal(choice.arrangement.counters.n, 2);
	assert_int_equal(choice.arrangement.counters.data[0], 0);
	assert_int_equal(choice.arrangement.counters.data[1], 2);
	arrangement_fini(&choice.arrangement);
}
