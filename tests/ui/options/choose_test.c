/* What --ranks and --time choose before there is a trace. */
#include "harness/test.h"
#include "ui/options/choose.h"

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
