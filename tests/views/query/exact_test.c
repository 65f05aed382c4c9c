/* Exact numbers in exports: the shortest of 15 to 17 digits that reads as the same number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/test.h"
#include "views/query/table.h"

static void check(double real)
{
	static const struct column column = { .type = COLUMN_EXACT, .exported = true };
	const struct table table = { .columns = &column, .n_columns = 1 };
	const struct value value = { .known = true, .real = real };
	OWNED_STR text = STR_INIT;
	char wanted[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(wanted, sizeof wanted, "%.*g", digits, real);
		if (strtod(wanted, NULL) == real)
			break;
	}
	table_write(&table, 0, &value, &text);
	assert_string_equal(text.text, wanted);
}

TEST(exact_numbers_are_the_shortest_that_read_the_same)
{
	static const double some[] = { 0,          -0.0,       1,          10,         0.1,
				       0.5,        1e-4,       9e-5,       1e14,       1e15,
				       1e16,       123456.789, 999999.5,   -1.5,       1e300,
				       1e-9,       1 / 3.,     2 / 3.,     0.1 + 0.2,  1e5 + 1e-9,
				       1e15 - 1,   1e6,        1e6 - 1e-9, 1e6 + 1e-9, 0.999999999,
				       1e-4 - 1e-9 };
	uint64_t random = 1;

	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		check(some[i]);
	for (int i = 0; i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		const uint64_t n = random >> (random >> 58);
		check((double)n);
		check((double)n / 1e9);
		check((double)n / 1e10);
		check((double)n * 0x1p-62);
		check(nextafter((double)n / 1e9, 0));
	}
}
