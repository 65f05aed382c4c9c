/* --fail-on: what it says, whether it holds, what it says where it is nonsense. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "views/report/condition.h"

FREES(condition_free, struct condition)

/* 10 s of time, 0.6 s of it Late Sender, 1,000 visits, 2 MB; the other: 8 s, 0.5 s, 1,000, none. */
static void values_of(struct condition_values *now, struct condition_other *others)
{
	struct condition_values *other = &others->values;

	memset(now, 0, sizeof *now);
	memset(others, 0, sizeof *others);
	now->of[CUBE_TIME] = 10;
	now->of[CUBE_MPI_LATESENDER] = 0.6;
	now->of[CUBE_VISITS] = 1000;
	now->of[CUBE_BYTES] = 2e6;
	other->of[CUBE_TIME] = 8;
	other->of[CUBE_MPI_LATESENDER] = 0.5;
	other->of[CUBE_VISITS] = 1000;
	now->of[CUBE_METRICS + CONDITION_PARALLEL] = 0.65;
	other->of[CUBE_METRICS + CONDITION_PARALLEL] = 0.8;
	now->of[CUBE_METRICS + CONDITION_TRANSFER] = other->of[CUBE_METRICS + CONDITION_TRANSFER] =
		NAN;
}

static enum condition_answer answer_with(double noise, const char *text, struct str *why)
{
	struct condition_values now;
	struct condition_other other;
	struct err err = ERR_INIT;
	FREED_BY(condition_free) struct condition *c = condition_parse(text, true, &err);

	if (!c)
		fail_msg("%s: %s", text, err.text);
	values_of(&now, &other);
	other.noise.of[CUBE_TIME] = noise;
	return condition_answer(c, &now, &other, why);
}

static bool holds(const char *text, struct str *why)
{
	return answer_with(0, text, why) == CONDITION_YES;
}

TEST(comparisons_hold_or_not)
{
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{ "mpi_latesender > 5%", true }, /* 6 % */
		{ "mpi_latesender > 6%", false },
		{ "mpi_latesender >= 6 %", true },
		{ "mpi_latesender > 599ms", true },
		{ "mpi_latesender > 0.601s", false },
		{ "mpi_latesender < 600001us", true },
		{ "time > 1.1x", true }, /* 1.25 */
		{ "time > 1.25x", false },
		{ "time >= 1.25x", true },
		{ "time==10s", true },
		{ "time!=10s", false },
		{ "time < 0.2min", true },
		{ "visits > 999", true },
		{ "visits != 1000", false },
		{ "visits == 1x", true },
		{ "bytes > 1.9MB", true },
		{ "bytes > 1.9MiB", true },
		{ "bytes > 1.91MiB", false },     /* 2,002,780 */
		{ "bytes > 100x", true },         /* there were none */
		{ "mpi_file_ops > 1.1x", false }, /* none, as before */
		{ "parallel_efficiency < 70%", true },
		{ "parallel_efficiency < 0.65", false },
		{ "parallel_efficiency < 0.82x", true }, /* 0.8125 */
		{ "transfer_efficiency < 70%", false },  /* not known */
		{ "!(transfer_efficiency < 70%)", false },
		{ "transfer_efficiency < 70% || time > 1s", true },
		{ "transfer_efficiency < 70% && time > 1s", false },
		{ "time > 1.1x && visits < 3", false },
		{ "time > 1.1x || visits < 3", true },
		{ "!(time > 1.1x) || !(visits < 3)", true },
		/* && binds closer than ||. */
		{ "time > 1s || time > 1s && visits < 3", true },
		{ "(time > 1s || time > 1s) && visits < 3", false },
		{ "!!(time > 1s)", true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (holds(cases[i].text, NULL) != cases[i].holds)
			fail_msg("%s: %d", cases[i].text, !cases[i].holds);
}

TEST(it_says_which_part_held)
{
	OWNED_STR why = STR_INIT;

	assert_true(holds("mpi_latesender > 5% || visits < 3 || time > 1.1x", &why));
	assert_string_equal(why.text,
			    "mpi_latesender is 600.0 ms, 6 % of time (10.00 s): more than 5 %\n"
			    "time is 10.00 s, 1.25x the other trace's 8.000 s: more than 1.1x\n");
	str_clear(&why);
	assert_true(holds("!(visits < 3 || parallel_efficiency >= 70%)", &why));
	assert_string_equal(why.text, "visits is 1000: not less than 3\n"
				      "parallel_efficiency is 65.0 %: less than 70.0 %\n");
	str_clear(&why);
	assert_false(holds("time > 2x", &why));
	assert_string_equal(why.text, "");
}

/* Time: 10 s after 8 s, 1.25 times; with noise of 0.4 s from 1.2 to 1.3 times. */
TEST(what_noise_includes_is_open)
{
	static const struct {
		const char *text;
		enum condition_answer answer;
	} cases[] = {
		{ "time > 1.19x", CONDITION_YES },
		{ "time > 1.21x", CONDITION_OPEN },
		{ "time > 1.29x", CONDITION_OPEN },
		{ "time > 1.31x", CONDITION_NO },
		{ "!(time > 1.21x)", CONDITION_OPEN },
		{ "time == 1.22x", CONDITION_OPEN },
		{ "time == 1.5x", CONDITION_NO },
		{ "time > 1.21x || visits >= 1000", CONDITION_YES },
		{ "time > 1.21x && visits > 1000", CONDITION_NO },
		{ "time > 9s", CONDITION_YES },                  /* of this run alone */
		{ "transfer_efficiency < 50%", CONDITION_OPEN }, /* not known */
		{ "transfer_efficiency < 0.9x", CONDITION_OPEN },
	};
	OWNED_STR why = STR_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (answer_with(0.4, cases[i].text, NULL) != cases[i].answer)
			fail_msg("%s: not %d", cases[i].text, cases[i].answer);
	answer_with(0.4, "time > 1.21x || transfer_efficiency < 50%", &why);
	assert_string_equal(why.text,
			    "time is 10.00 s, 1.25x the other trace's 8.000 s: noise of +-400.0 ms "
			    "includes 1.21x\n"
			    "transfer_efficiency is not known\n");
}

TEST(nonsense_is_pointed_at)
{
	static const struct {
		const char *text;
		bool other;
		unsigned column;
		const char *says;
	} cases[] = {
		{ "", true, 1, "a metric should follow" },
		{ "mpi_latesendr > 5%", true, 1, "did you mean 'mpi_latesender'?" },
		{ "nonsense > 5%", true, 1, "there is no metric 'nonsense'" },
		{ "time > 1.1x", false, 11, "one trace only" },
		{ "time", true, 5, "a comparison should follow" },
		{ "time >", true, 7, "a number should follow" },
		{ "time > much", true, 8, "a number should follow" },
		{ "time > 5", true, 9, "a time is compared with a time" },
		{ "time > 5kg", true, 9, "no such unit" },
		{ "visits > 5%", true, 11, "% is a share of time" },
		{ "visits > 5ms", true, 11, "this is a count" },
		{ "bytes > 5ms", true, 10, "these are bytes" },
		{ "load_balance < 5ms", true, 17, "per cent" },
		{ "time > 5s time", true, 11, "&& or || should follow" },
		{ "time > 5s ||", true, 13, "a metric should follow" },
		{ "(time > 5s", true, 1, "never closed" },
		{ "(time > 5s visits", true, 12, "&&, || or ) should follow" },
		{ "time > 5s)", true, 10, "&& or || should follow" },
		{ "time = 5s", true, 6, "a comparison should follow" },
		{ "5% < time", true, 1, "here a metric should stand" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = ERR_INIT;
		char column[32];
		assert_null(condition_parse(cases[i].text, cases[i].other, &err));
		assert_int_equal(err.status, STATUS_USAGE);
		snprintf(column, sizeof column, "column %u:", cases[i].column);
		if (!strstr(err.text, column) || !strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

TEST(nesting_has_an_end)
{
	enum { DEEP = 5000, MANY = 20000 };
	OWNED char *text = calloc(1, 32 * MANY);
	struct err err = ERR_INIT;
	size_t n = 0;

	memset(text, '(', DEEP);
	assert_null(condition_parse(text, true, &err));
	assert_non_null(strstr(err.text, "nested too deeply"));
	/* A long chain is none. */
	for (int i = 0; i < MANY; i++)
		n += (size_t)sprintf(text + n, "%stime > 1s", i ? " || " : "");
	assert_true(holds(text, NULL));
}
