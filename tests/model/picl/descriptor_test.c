/* Control strings: what is understood, what is refused, what the fields deliver. */
#include <string.h>

#include "harness/test.h"
#include "model/picl/descriptor.h"

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
	static const char *const controls[] = {
		"%n", "%d%n", "%p", "%", "%*d", "text only", "", "%[abc", "%99999999999d", "%5$d"
	};
	struct descriptor d;

	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		if (descriptor_parse(&d, controls[i], strlen(controls[i])))
			fail_msg("'%s' was taken", controls[i]);
}

TEST(fields_deliver_integers)
{
	static const struct {
		const char *control, *text;
		int fields;
		int64_t v[4];
	} cases[] = {
		{ "%d", "1 -2 +3", 3, { 1, -2, 3 } },
		{ "%d,%d", "1,2", 1, { 1, 2 } },
		{ "%2d%3d", "12345", 1, { 12, 345 } },
		{ "%x", "0xff", 1, { 255 } },
		{ "%*d %d", "1 2", 1, { 2 } },
		{ "%ld %lld %u %i", "1 2 3 4", 1, { 1, 2, 3, 4 } },
		{ "%d%%", "50%", 1, { 50 } },
		{ "%s %d", "\"two words\" 7", 1, { 7 } },
		{ "%[^;];%d", "a b;9", 1, { 9 } },
		{ "%[a-c]", "abcd", 1, { 0 } },
		{ "%d", "x", 0, { 0 } },
		{ "%c%c", "ab", 1, { 0 } },
	};

	assert_int_equal(fields("%d%lf", "1 2.5 3 4e-1", NULL, 0), 2);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t v[4] = { 0 };
		assert_int_equal(fields(cases[i].control, cases[i].text, v, 4), cases[i].fields);
		assert_memory_equal(v, cases[i].v, sizeof v);
	}
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
