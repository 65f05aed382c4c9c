/* Choosing columns by their names; with a table of numbers made up here. */
#include "harness/test.h"
#include "ui/session/column_choice.h"
#include "views/query/column_names.h"

#include <string.h>

static const struct column columns[] = {
	{ "region", "region", COLUMN_NAME, 0, true, true },
	{ "count", "count", COLUMN_COUNT, 8, true, true },
	{ "time_s", "time", COLUMN_TIME, 8, true, false },
	{ "inner", "inner", COLUMN_INT, 8, false, false },
};
static struct table table = { .columns = columns, .n_columns = 4, .scale = &units_nanoseconds };

/* Of a table that shows region and count. */
static void chooses(const char *text, const char *expected)
{
	static const unsigned shown[] = { 0, 1 };
	unsigned chosen[TABLE_COLUMNS], n;
	struct err err = ERR_INIT;
	OWNED_STR s = STR_INIT;

	if (!column_names_parse(&table, shown, 2, text, chosen, &n, &err)) {
		assert_non_null(strstr(err.text, expected));
		return;
	}
	for (unsigned i = 0; i < n; i++)
		str_add_fmt(&s, "%s%s", i ? " " : "", columns[chosen[i]].name);
	assert_string_equal(s.n ? s.text : "", expected);
}

TEST(names_replace_or_change)
{
	chooses("", "");
	chooses("count,region", "count region");
	chooses("time_s  count time_s", "count time_s");
	chooses("-count", "region");
	chooses("+time_s -region", "count time_s");
	chooses("+region", "count region"); /* goes to the end */
	chooses("-count -region", "one column must stay");
	chooses("regio", "no column 'regio'");
	chooses("inner", "no column 'inner'");
}

TEST(choices_are_kept_by_table)
{
	static const unsigned chosen[] = { 2, 0 };
	static const struct table other = { .columns = columns, .n_columns = 1 };
	ENDED_BY(column_choices_fini) struct column_choices choices = { .list = VEC_INIT };

	assert_null(column_choices_find(&choices, &table));
	column_choices_keep(&choices, &table, chosen, 2);
	assert_string_equal(column_choices_find(&choices, &table), "time_s region");
	assert_null(column_choices_find(&choices, &other));
	column_choices_keep(&choices, &table, chosen, 1);
	assert_string_equal(column_choices_find(&choices, &table), "time_s");
	column_choices_keep(&choices, &table, chosen, 0);
	assert_null(column_choices_find(&choices, &table));
	/* From a file that somebody else wrote. */
	assert_false(column_choices_restore(&choices, 1, ""));
	assert_false(column_choices_restore(&choices, 1, "a\033[2J"));
}
