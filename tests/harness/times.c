#include "harness/times.h"

#include "harness/test.h"

void assert_times(const struct trace *trace, enum time_base base, uint32_t location,
		  const int64_t *expected, size_t n)
{
	struct cursor c;
	size_t i = 0;

	for (bool ok = cursor_first(&c, trace, base, location); ok; ok = cursor_next(&c)) {
		assert_true(i < n);
		assert_int_equal(cursor_time(&c), expected[i]);
		i++;
	}
	assert_int_equal(i, n);
}
