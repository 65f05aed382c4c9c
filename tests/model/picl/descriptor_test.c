/* Control strings: what is understood, what is refused, what the fields deliver. */
#include <string.h>

#include "harness/test.h"
#include "model/picl/descriptor.h"

static void refused(const char *control)
{
	struct descriptor d;

	if (descriptor_parse(&d, control, strlen(control)))
		fail_msg("'%s' was taken", control);
}

/* Reads fields until the text ends or does not fit; gives their number. */
static int fields(const char *control, const char *text, int64_t *v, size_t room)
{
	struct descriptor_sink sink = { .room = room, .only_integers = true };
	const char *p = text, *end = text + strlen(text);
	struct descriptor d;
	int n = 0;

	sink.v = v;
	assert_true(descriptor_parse(&d, control, strlen(control)));
	while (p < end && descriptor_field(&d, &p, end, &sink))
		n++;
	descriptor_fini(&d);
	return n;
}

TEST(dangerous_and_unknown_are_refused)
{
	refused("%n");
	refused("%d%n");
	refused("%p");
	refused("%");
	refused("%*d");
	refused("text only");
	refused("");
	refused("%[abc");
	refused("%99999999999d");
	refused("%5$d");
}

TEST(fields_deliver_integers)
{
	int64_t v[8] = { 0 };

	assert_int_equal(fields("%d", "1 -2 +3", v, 8), 3);
	assert_int_equal(v[1], -2);
	assert_int_equal(v[2], 3);
	assert_int_equal(fields("%d%lf", "1 2.5 3 4e-1", v, 8), 2);
	assert_int_equal(fields("%d,%d", "1,2", v, 8), 1);
	assert_int_equal(v[1], 2);
	assert_int_equal(fields("%2d%3d", "12345", v, 8), 1);
	assert_int_equal(v[0], 12);
	assert_int_equal(v[1], 345);
	assert_int_equal(fields("%x", "0xff", v, 8), 1);
	assert_int_equal(v[0], 255);
	assert_int_equal(fields("%*d %d", "1 2", v, 8), 1);
	assert_int_equal(v[0], 2);
	assert_int_equal(fields("%ld %lld %u %i", "1 2 3 4", v, 8), 1);
	assert_int_equal(v[3], 4);
	assert_int_equal(fields("%d%%", "50%", v, 8), 1);
	assert_int_equal(fields("%s %d", "\"two words\" 7", v, 8), 1);
	assert_int_equal(v[0], 7);
	assert_int_equal(fields("%[^;];%d", "a b;9", v, 8), 1);
	assert_int_equal(v[0], 9);
	assert_int_equal(fields("%[a-c]", "abcd", v, 8), 1);
	assert_int_equal(fields("%d", "x", v, 8), 0);
	assert_int_equal(fields("%c%c", "ab", v, 8), 1);
}

TEST(integers_saturate)
{
	static const struct {
		const char *text;
		int64_t value;
		bool saturated, is_float;
	} cases[] = {
		{ "9223372036854775807", INT64_MAX, false, false },
		{ "9223372036854775808", INT64_MAX, true, false },
		{ "-9223372036854775807", -INT64_MAX, false, false },
		{ "99999999999999999999999", INT64_MAX, true, false },
		{ "1000000000000000000", 1000000000000000000, false, false },
		{ "9300000000000000000", INT64_MAX, true, false },
		{ "007", 7, false, false },
		{ "1.9", 1, false, true },
		{ "1e3", 1, false, true },
		{ "-0", 0, false, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const size_t n = strlen(cases[i].text);
		bool is_float, saturated;
		int64_t value;
		assert_int_equal(descriptor_integer(cases[i].text, cases[i].text + n, &value,
						    &is_float, &saturated),
				 n);
		assert_int_equal(value, cases[i].value);
		assert_int_equal(saturated, cases[i].saturated);
		assert_int_equal(is_float, cases[i].is_float);
	}
}

TEST(predefined_numbers)
{
	assert_string_equal(descriptor_predefined(0), "%c");
	assert_string_equal(descriptor_predefined(2), "%d");
	assert_string_equal(descriptor_predefined(5), "%lf");
	assert_null(descriptor_predefined(6));
	assert_null(descriptor_predefined(-1));
}
