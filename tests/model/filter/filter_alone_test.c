/* Filters that are asked of visits without a trace: by hand. */
#include "model/filter/filter_alone.h"

#include <string.h>

#include "harness/test.h"

static struct filter_alone *compiled(const char *text)
{
	struct err err = ERR_INIT;
	struct filter_alone *f = filter_alone_new(text, &units_nanoseconds, &err);

	assert_string_equal(err.text, "");
	assert_non_null(f);
	return f;
}

static bool matches(struct filter_alone *f, const char *region, int32_t rank, int64_t dur)
{
	return filter_alone_matches(f, &(struct filter_alone_visit){ filter_alone_region(f, region),
								     rank, 0, dur });
}

TEST(test_visits)
{
	struct filter_alone *f = compiled("region =~ /^st.p$/ && dur > 2us && rank in 0..3");

	assert_true(matches(f, "step", 0, 2001));
	assert_true(matches(f, "stop", 3, INT64_MAX));
	assert_false(matches(f, "step", 0, 2000));
	assert_false(matches(f, "steps", 0, 2001));
	assert_false(matches(f, "step", 4, 2001));
	assert_false(matches(f, "step", -1, 2001));
	filter_alone_free(f);
	f = compiled("!(region == MPI_Send) && rank != 1 || thread > 0");
	assert_true(matches(f, "step", 0, 0));
	assert_false(matches(f, "MPI_Send", 0, 0));
	assert_false(matches(f, "step", 1, 0));
	filter_alone_free(f);
}

/* No shorter visit can match; where other comparisons may do without the time, any can. */
TEST(test_least)
{
	static const struct {
		const char *text;
		int64_t least;
	} cases[] = {
		{ "dur > 2us", 2001 },
		{ "dur >= 2us", 2000 },
		{ "region == step && dur > 2us && dur < 1s", 2001 },
		{ "dur > 2us || dur > 1us", 1001 },
		{ "dur > 2us || region == step", INT64_MIN },
		{ "region == step", INT64_MIN },
		{ "!(dur < 2us)", INT64_MIN },
		{ "dur != 2us", INT64_MIN },
		{ "dur > 2us && !(dur == 7us)", 2001 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct filter_alone *f = compiled(cases[i].text);
		assert_int_equal(filter_alone_least(f), cases[i].least);
		filter_alone_free(f);
	}
}

TEST(test_refused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "tag == 7", "only region, rank, thread and dur" },
		{ "dur > 2us && callpath =~ /a/", "not callpath" },
		{ "", "empty" },
		{ "dur > step", "needs a time" },
		{ "region =~ /(/", "not valid" },
		{ "dur >", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = ERR_INIT;
		assert_null(filter_alone_new(cases[i].text, &units_nanoseconds, &err));
		assert_true(err_is_set(&err));
		assert_non_null(strstr(err.text, cases[i].why));
	}
}
