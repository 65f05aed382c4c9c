/* Rare events, objects and attributes: their texts, and what filters know of them. */
#include <string.h>

#include "harness/built.h"
#include "harness/test.h"
#include "model/filter/filter.h"

/* Ten events of one location, at times 0, 10, ... */
enum { PUT, ACQUIRE, COUNTERS, ANGLE, NAME, FORK, OPEN, SAMPLE, START, PLAIN, EVENTS };

static uint64_t bits(double value)
{
	uint64_t result;

	memcpy(&result, &value, sizeof result);
	return result;
}

static uint32_t object(struct builder *b, enum detail_type type, const char *name, uint64_t a,
		       uint64_t c)
{
	const uint64_t values[] = { a, c, 0, 0, 0 };

	return builder_object(b, type, built_string(b, name), values, detail_info(type)->fields);
}

static uint32_t counters(struct builder *b)
{
	const struct metric cycles = { .name = built_string(b, "PAPI_TOT_CYC"),
				       .value = FIELD_UINT };
	const struct metric heat = { .name = built_string(b, "heat"),
				     .unit = built_string(b, "W"),
				     .value = FIELD_FLOAT,
				     .base = 10,
				     .exponent = -3 };
	const uint32_t ids[] = { builder_metric(b, &cycles), builder_metric(b, &heat) };
	const struct metric_set set = { .n = 2, .metrics = ids, .recorder = UINT32_MAX };

	return builder_metric_set(b, &set);
}

static int setup(void **state)
{
	struct builder *b = built_begin(1);
	const uint32_t l = 0;
	const uint32_t region = builder_region(b, "work", CLASS_USER, 0);
	const uint32_t site = builder_site(b, region, built_string(b, "work.c"), 7, 0);
	const uint32_t window = object(b, OBJECT_RMA_WINDOW, "w0", 0, 0);
	const uint32_t angle = object(b, OBJECT_PARAMETER, "angle", 1, 0);
	const uint32_t file = object(b, OBJECT_IO_HANDLE, "out.dat", UINT64_MAX, UINT64_MAX);
	const uint32_t size = object(b, OBJECT_ATTRIBUTE, "size", 0, 6);
	const uint32_t note = object(b, OBJECT_ATTRIBUTE, "note", 0, 11);
	const uint64_t put[] = { window, 3, 4096, 1 };
	const uint64_t acquire[] = { window, 2, 9, 1 };
	const uint64_t metric[] = { counters(b), 1000, bits(2.5) };
	const uint64_t value[] = { angle, (uint64_t)-45 },
		       name[] = { angle, built_string(b, "blue\tsky") };
	const uint64_t fork[] = { 3, 8 }, opened[] = { file, 1, 2, 3 };
	const uint64_t sample[] = { site, 2, UINT64_MAX };
	const uint64_t start[] = { built_string(b, "./a.out"), built_string(b, "-n"),
				   built_string(b, "4") };

	builder_detail(b, l, 0, DETAIL_RMA_PUT, put, 4);
	builder_detail(b, l, 10, DETAIL_RMA_ACQUIRE_LOCK, acquire, 4);
	builder_detail(b, l, 20, DETAIL_METRIC, metric, 3);
	builder_detail(b, l, 30, DETAIL_PARAMETER_INT, value, 2);
	builder_detail(b, l, 40, DETAIL_PARAMETER_STRING, name, 2);
	builder_detail(b, l, 50, DETAIL_THREAD_FORK, fork, 2);
	builder_detail(b, l, 60, DETAIL_IO_CREATE_HANDLE, opened, 4);
	builder_detail(b, l, 70, DETAIL_SAMPLE, sample, 3);
	builder_detail(b, l, 80, DETAIL_PROGRAM_BEGIN, start, 3);
	builder_mark(b, l, 90, site);
	builder_attribute(b, l, size, (uint64_t)-8);
	builder_attribute(b, l, note, built_string(b, "left\033right"));
	*state = built_end(b);
	return 0;
}

static int teardown(void **state)
{
	trace_free(*state);
	return 0;
}

FIXTURE(setup, teardown)

TEST_WITH(texts, const struct trace *t)
{
	static const char *const wanted[] = {
		"rma-put window w0, remote 3, bytes 4096, matching 1",
		"rma-acquire-lock window w0, remote 2, lock 9, type shared",
		"PAPI_TOT_CYC 1000, heat 2.5*10^-3 W",
		"parameter-int parameter angle, value -45",
		"parameter-string parameter angle, value blue sky",
		"thread-fork paradigm openmp, threads 8",
		"io-create-handle handle out.dat, mode write, creation 0x2, status 0x3",
		"sample site work, unwound 2, generator none",
		"program-begin program ./a.out, arguments -n 4",
	};
	OWNED_STR s = STR_INIT;

	for (uint32_t i = 0; i < PLAIN; i++) {
		str_clear(&s);
		trace_detail_text(t, i, &s);
		assert_string_equal(s.text, wanted[i]);
	}
}

TEST_WITH(attributes, const struct trace *t)
{
	OWNED_STR s = STR_INIT;
	struct cursor c;

	assert_true(cursor_last(&c, t, BASE_MEASURED, 0));
	trace_attributes_text(t, c.id, &s);
	assert_non_null(strstr(s.text, "size -8, note left"));
	assert_null(strchr(s.text, '\033'));
	str_clear(&s);
	cursor_prev(&c);
	trace_attributes_text(t, c.id, &s);
	assert_string_equal(s.text, "");
}

/* The events that match, as bits. */
static unsigned matching(const struct trace *t, const char *filter_text)
{
	struct err err = ERR_INIT;
	struct filter *filter = filter_compile(filter_text, t, &err);
	unsigned hits = 0, i = 0;
	struct cursor c;

	assert_string_equal(err.text, "");
	for (bool ok = cursor_first(&c, t, BASE_MEASURED, 0); ok; ok = cursor_next(&c), i++)
		hits |= (unsigned)filter_event(filter, BASE_MEASURED, c.id) << i;
	assert_int_equal(i, EVENTS);
	filter_free(filter);
	return hits;
}

TEST_WITH(filters, const struct trace *t)
{
	static const struct {
		const char *filter;
		unsigned events;
	} cases[] = {
		{ "detail == rma-put", 1 << PUT },
		{ "detail =~ /^rma/", 1 << PUT | 1 << ACQUIRE },
		{ "detail != metric", (1 << PLAIN) - 1 - (1 << COUNTERS) },
		{ "kind == metric", 1 << COUNTERS },
		{ "object == w0", 1 << PUT | 1 << ACQUIRE },
		{ "object == heat", 1 << COUNTERS },
		{ "object in angle,out.dat", 1 << ANGLE | 1 << NAME | 1 << OPEN },
		{ "object == size", 1 << PLAIN },
		{ "value > 999", 1 << COUNTERS },
		{ "value == 2", 1 << COUNTERS }, /* of 2.5 W */
		{ "value < 0", 1 << ANGLE | 1 << PLAIN },
		{ "object == note && value == -8", 1 << PLAIN },
		{ "bytes >= 4k", 1 << PUT },
		{ "peer == 2", 1 << ACQUIRE },
		{ "file == work.c", 1 << SAMPLE | 1 << PLAIN },
		{ "tag == 7 || dur > 1", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (matching(t, cases[i].filter) != cases[i].events)
			fail_msg("%s: %x, not %x", cases[i].filter, matching(t, cases[i].filter),
				 cases[i].events);
}

TEST_WITH(wrong_detail, const struct trace *t)
{
	struct err err = ERR_INIT;

	assert_null(filter_compile("detail == rma-putt", t, &err));
	assert_non_null(strstr(err.text, "not a valid detail; there are thread-begin,"));
	assert_null(strstr(err.text, "window"));
}

/* The table: every type has a name of its own, found by it; fields stand where `fields` says. */
TEST(table)
{
	for (int i = 0; i < DETAIL_TYPES; i++) {
		const struct detail_info *info = detail_info((enum detail_type)i);
		assert_non_null(info->name);
		assert_int_equal(detail_find(info->name, strlen(info->name)), i);
		assert_true(info->fields <= DETAIL_FIELDS);
		for (unsigned k = 0; k < DETAIL_FIELDS; k++)
			assert_int_equal(info->field[k].name != NULL, k < info->fields);
		for (unsigned k = 0; k < info->fields; k++)
			assert_int_equal(info->field[k].names != NULL,
					 info->field[k].kind == FIELD_ENUM);
		assert_int_equal(info->kind == EV_KINDS, i >= OBJECT_PARAMETER);
	}
	assert_int_equal(detail_find("rma-pu", 6), DETAIL_TYPES);
}

/* Streams of a device have a process of their own, made by that of their host. */
TEST(programs)
{
	struct builder *b = built_begin(0);
	const uint32_t none = UINT32_MAX;
	const struct process made[] = { { .type = 1, .node = none, .creator = none },
					{ .type = 1, .node = none, .creator = none },
					{ .type = 2, .node = none, .creator = 1 } };
	const struct location of[] = {
		{ .rank = RANK_UNKNOWN, .owner = 2, .type = LOCATION_ACCELERATOR },
		{ .rank = 1, .process = -1, .thread = 1, .owner = none },
		{ .rank = 1, .process = -1, .owner = 1 },
		{ .rank = 0, .process = -1, .owner = 0 },
		{ .rank = RANK_UNKNOWN, .process = 4, .owner = none },
		{ .rank = RANK_UNKNOWN, .process = 5, .owner = none },
	};
	const uint32_t expected[] = { 0, 0, 0, 3, 4, 5 };
	uint32_t program[6];

	for (int i = 0; i < 3; i++)
		builder_process(b, &made[i]);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(builder_location(b, &of[i]), i);
		builder_location_owner(b, (uint32_t)i, of[i].owner, of[i].type, 0);
	}
	OWNED_TRACE *trace = built_end(b);
	trace_programs(trace, program);
	for (int i = 0; i < 6; i++)
		assert_int_equal(program[i], expected[i]);
}
