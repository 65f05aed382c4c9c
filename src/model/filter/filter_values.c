/* Constants to spans of numbers. Times are compared exactly: 0.5 ns is between two ticks of 1 ns,
 * and `dur > 0.5ns` means 1 tick and more. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/str.h"
#include "model/filter/filter_compiled.h"

/* A constant between two integers: floor <= value <= ceil, equal where the constant is a whole
 * number. */
struct bound {
	int64_t floor, ceil;
};

static bool refuse(const struct filter_input *in, const struct filter_constant *constant,
		   const char *wants)
{
	char shown[60];

	if (!constant->value)
		return false;
	str_clean(shown, sizeof shown, constant->value, strlen(constant->value));
	return FILTER_MISTAKE(in, constant->offset, "%s needs %s, not '%s'", in->field->name, wants,
			      shown);
}

static bool read_integer(const char *value, struct bound *bound)
{
	char *end;

	errno = 0;
	bound->floor = strtoll(value, &end, 10);
	bound->ceil = bound->floor;
	return *value && *end == '\0' && errno == 0;
}

/* The time in picoseconds is exact, and tells on which side of a tick it is; times too large for
 * that (106 days) are taken to the nearest tick. */
static bool read_time(const char *value, const struct timescale *scale, struct bound *bound)
{
	const struct timescale *exact = &units_picoseconds;
	struct err ignored = ERR_INIT;
	int64_t ps, floor;
	__int128 ticks;

	if (units_parse_time(value, NULL, exact, &ps, &ignored)) {
		ticks = (__int128)ps * scale->per_second;
		floor = (int64_t)(ticks / exact->per_second);
		if (ticks % exact->per_second < 0)
			floor--;
		bound->floor = floor;
		bound->ceil = floor + (ticks % exact->per_second != 0);
		return true;
	}
	ignored = (struct err)ERR_INIT;
	if (!units_parse_time(value, NULL, scale, &bound->floor, &ignored))
		return false;
	bound->ceil = bound->floor;
	return true;
}

static bool read_bytes(const char *value, struct bound *bound)
{
	struct err ignored = ERR_INIT;
	uint64_t bytes;

	if (!units_parse_bytes(value, &bytes, &ignored) || bytes > INT64_MAX)
		return false;
	bound->floor = bound->ceil = (int64_t)bytes;
	return true;
}

static bool read_bound(const struct filter_input *in, const struct filter_constant *constant,
		       struct bound *bound)
{
	static const char *const wants[] = {
		[TYPE_NUMBER] = "a whole number",
		[TYPE_RANK] = "a rank (a whole number, or host)",
		[TYPE_TIME] = "a time (0.25, 250ms, 12us)",
		[TYPE_BYTES] = "a size (4096, 64k, 1.5M)",
	};
	const enum filter_type type = in->field->type;
	bool ok = false;

	if (constant->type == TOKEN_WORD && type == TYPE_RANK &&
	    strcmp(constant->value, "host") == 0) {
		bound->floor = bound->ceil = RANK_HOST;
		return true;
	}
	if (constant->type == TOKEN_NUMBER) {
		if (type == TYPE_TIME)
			ok = read_time(constant->value, in->scale, bound);
		else if (type == TYPE_BYTES)
			ok = read_bytes(constant->value, bound);
		else
			ok = read_integer(constant->value, bound);
	}
	return ok || refuse(in, constant, wants[type]);
}

/* The numbers that `op bound` admits; false where there are none. */
static bool span_of_op(enum filter_op op, const struct bound *b, struct filter_span *span)
{
	*span = (struct filter_span){ INT64_MIN, INT64_MAX };
	switch (op) {
	case OP_LT:
		if (b->ceil == INT64_MIN)
			return false;
		span->last = b->ceil - 1;
		return true;
	case OP_LE: span->last = b->floor; return true;
	case OP_GT:
		if (b->floor == INT64_MAX)
			return false;
		span->first = b->floor + 1;
		return true;
	case OP_GE: span->first = b->ceil; return true;
	default: *span = (struct filter_span){ b->ceil, b->floor }; return b->floor == b->ceil;
	}
}

static bool add_span(struct filter_test *test, const struct filter_input *in,
		     const struct filter_element *element)
{
	struct bound first = { INT64_MIN, INT64_MIN }, last = { INT64_MAX, INT64_MAX };
	struct filter_span span;

	if (element->first.value && !read_bound(in, &element->first, &first))
		return false;
	if (!element->range) {
		if (span_of_op(in->term->op, &first, &span))
			vec_push(&test->spans, span);
		return true;
	}
	if (element->last.value && !read_bound(in, &element->last, &last))
		return false;
	if (first.floor > last.ceil)
		return FILTER_MISTAKE(in, element->first.offset,
				      "this range ends before it begins");
	span = (struct filter_span){ first.ceil, last.floor };
	if (span.first <= span.last)
		vec_push(&test->spans, span);
	return true;
}

ORDERING(by_first, struct filter_span, first)

static void merge_spans(struct filter_test *test)
{
	size_t n = 0;

	if (test->spans.n == 0)
		return;
	vec_sort(&test->spans, by_first);
	for (size_t i = 1; i < test->spans.n; i++) {
		struct filter_span *const last = &test->spans.data[n];
		const struct filter_span span = test->spans.data[i];

		if (span.first > last->last)
			test->spans.data[++n] = span;
		else if (span.last > last->last)
			last->last = span.last;
	}
	test->spans.n = n + 1;
}

bool filter_make_spans(struct filter_test *test, const struct filter_input *in)
{
	const struct filter_term *term = in->term;
	const struct filter_element *element;

	if (term->op == OP_MATCH || term->op == OP_NO_MATCH)
		return FILTER_MISTAKE(in, term->offset, "%s is a number, patterns are for text",
				      in->field->name);
	vec_each (element, &term->set)
		if (!add_span(test, in, element))
			return false;
	merge_spans(test);
	return true;
}

enum verdict filter_spans_verdict(const struct filter_test *test, int64_t value)
{
	size_t low = 0, high = test->spans.n;

	BISECT(low, high, middle, test->spans.data[middle].last < value);
	return low < test->spans.n && test->spans.data[low].first <= value ? VERDICT_HIT
									   : VERDICT_MISS;
}
