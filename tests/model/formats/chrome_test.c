/* Chrome JSON: what was written is read with a JSON library and compared with the store, event by
 * event. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/built.h"
#include "harness/load_trace.h"
#include "harness/test.h"
#include "model/build/builder.h"
#include "model/formats/chrome_write.h"

FREES(json_decref, json_t)

static json_t *write_and_read(struct trace *trace, const struct save_options *options)
{
	static const struct save_options all = { BASE_MEASURED, INT64_MIN, INT64_MAX, NULL };
	struct err err = ERR_INIT;
	json_error_t wrong;
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);
	json_t *root;

	assert_true(chrome_write(trace, file, options ? options : &all, NULL, &err));
	fclose(file);
	root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &wrong);
	if (!root)
		fail_msg("line %d: %s", wrong.line, wrong.text);
	free(text);
	return root;
}

/* The records of one place, in their order, without its names. */
struct place {
	json_t *records; /* array */
	size_t at;
};

static json_int_t number(const json_t *record, const char *key)
{
	const json_t *value = json_object_get(record, key);

	if (!json_is_integer(value))
		fail_msg("no whole number '%s' in %s", key, json_dumps(record, 0));
	return json_integer_value(value);
}

static const char *word(const json_t *record, const char *key)
{
	const json_t *value = json_object_get(record, key);

	return json_is_string(value) ? json_string_value(value) : "";
}

static struct place records_of(const json_t *root, int pid, int tid)
{
	const json_t *all = json_object_get(root, "traceEvents");
	struct place place = { json_array(), 0 };
	json_t *record;
	size_t i;

	json_array_foreach(all, i, record) if (strcmp(word(record, "ph"), "M") != 0 &&
					       number(record, "pid") == pid &&
					       number(record, "tid") == tid)
		json_array_append(place.records, record);
	return place;
}

/* The next record, which must be of this phase, time (in ticks) and name (NULL: none). */
static const json_t *expect(const struct trace *trace, struct place *place, const char *phase,
			    int64_t ticks, const char *name)
{
	const json_t *record = json_array_get(place->records, place->at++);
	const double per_us = (double)trace_scale(trace)->per_second / 1e6;

	if (!record)
		fail_msg("%s %s at %lld is missing", phase, name ? name : "", (long long)ticks);
	assert_string_equal(word(record, "ph"), phase);
	assert_string_equal(word(record, "name"), name ? name : "");
	/* Doubles hold these times to well below half a tick. */
	assert_int_equal(llround(json_number_value(json_object_get(record, "ts")) * per_us), ticks);
	return json_object_get(record, "args");
}

static bool is_matched(const struct trace *trace, uint32_t row)
{
	const struct message *m = trace_message(trace, row);

	return !(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING)) &&
	       what_id(trace_event_what(trace, m->send)) == row;
}

static void expect_message(const struct trace *trace, struct place *place, int64_t t, uint32_t what)
{
	const enum event_kind kind = what_kind(what);
	const bool arrow = (kind == EV_SEND || kind == EV_RECV) && is_matched(trace, what_id(what));
	const json_t *args = expect(trace, place,
				    !arrow            ? "i"
				    : kind == EV_SEND ? "s"
						      : "f",
				    t, arrow ? "message" : event_kind_name(kind));
	const json_t *record = json_array_get(place->records, place->at - 1);
	const struct message *m;

	if (arrow)
		assert_int_equal(number(record, "id"), what_id(what));
	if (what_id(what) == ID_NONE)
		return;
	m = trace_message(trace, what_id(what));
	if (!(m->flags & MSG_NO_BYTES))
		assert_int_equal(number(args, "bytes"), message_bytes(m));
	if (!(m->flags & MSG_NO_TAG))
		assert_int_equal(number(args, "tag"), m->tag);
	if (message_source(trace, m) != RANK_UNKNOWN)
		assert_int_equal(number(args, "source"), message_source(trace, m));
}

static void expect_collective(const struct trace *trace, const json_t *args, uint32_t what)
{
	const uint32_t id = trace_member_collective(trace, what_id(what));
	const struct collective *c = trace_collective(trace, id);
	const struct member *m = trace_member(trace, what_id(what));

	assert_int_equal(number(args, "collective"), id);
	assert_string_equal(word(args, "operation"), trace_region_name(trace, c->region));
	if (c->root >= 0)
		assert_int_equal(number(args, "root"), c->root);
	if (m->received != UINT64_MAX)
		assert_int_equal(number(args, "received"), m->received);
}

/* One event of the store; `open`: its call path before. */
static void expect_event(const struct trace *trace, struct place *place, const struct cursor *c)
{
	const uint32_t what = cursor_what(c);
	const int64_t t = cursor_time(c);
	struct cursor next = *c, last = *c;
	uint32_t open;
	const json_t *args;

	switch (what_kind(what)) {
	case EV_ENTER:
		args = expect(trace, place, "B", t,
			      trace_region_name(trace,
						trace_callpath_region(trace, what_id(what))));
		assert_non_null(args);
		break;
	case EV_LEAVE:
		for (open = cursor_path_before(c); open != what_id(what);
		     open = trace_callpath(trace, open)->parent)
			expect(trace, place, "E", t, NULL);
		args = expect(trace, place, "E", t, NULL);
		if (cursor_prev(&last) && cursor_time(&last) == t &&
		    what_kind(cursor_what(&last)) == EV_COLLECTIVE_END &&
		    what_id(cursor_what(&last)) != ID_NONE)
			expect_collective(trace, args, cursor_what(&last));
		break;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: expect_message(trace, place, t, what); break;
	case EV_COLLECTIVE_END:
		if (cursor_next(&next) && cursor_time(&next) == t &&
		    what_kind(cursor_what(&next)) == EV_LEAVE)
			break; /* the leave bears it */
		expect(trace, place, "i", t, "collective_end");
		break;
	case EV_STRAY_LEAVE:
	case EV_MARK:
	case EV_TRACING_ON:
	case EV_TRACING_OFF:
		args = expect(trace, place, "i", t,
			      trace_region_name(trace, trace_site(trace, what_id(what))->region));
		assert_string_equal(word(args, "kind"), event_kind_name(what_kind(what)));
		break;
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS:
	case EV_IO:
	case EV_COLLECTIVE_BEGIN:
		expect(trace, place, "i", t, event_kind_name(what_kind(what)));
		break;
	default: fail_msg("no such event in these traces");
	}
}

static void compare(struct trace *trace)
{
	FREED_BY(json_decref) json_t *root = write_and_read(trace, NULL);
	struct cursor c;

	for (uint32_t l = 0; l < trace_location_count(trace); l++) {
		const struct location *location = trace_location(trace, l);
		struct place place = records_of(root, location->rank, location->thread);

		for (bool ok = cursor_first(&c, trace, BASE_MEASURED, l); ok; ok = cursor_next(&c))
			expect_event(trace, &place, &c);
		assert_int_equal(place.at, json_array_size(place.records));
		json_decref(place.records);
	}
}

TEST(every_event_is_there)
{
	static const char *const paths[] = {
		"traces/picl-1992-table20.trc", "traces/mpicl.trc", "traces/ring.trc",
		"traces/collectives.trc",       "traces/farm.trc",  "traces/pi.trc",
		"traces/stencil.trc",           "traces/sweep.trc", "traces/tolerated.trc",
	};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		OWNED_TRACE *trace = load_trace(paths[i]);
		compare(trace);
	}
}

TEST(a_window_is_balanced)
{
	OWNED_TRACE *trace = load_trace("traces/stencil.trc");
	int64_t first, last;
	struct save_options part = { BASE_MEASURED, 0, 0, NULL };
	FREED_BY(json_decref) json_t *root = NULL;
	json_t *record;
	long depth = 0, arrows = 0, sends = 0;
	size_t i;

	trace_span(trace, BASE_MEASURED, &first, &last);
	part.t0 = first + (last - first) * 775 / 1000; /* the exchanges */
	part.t1 = first + (last - first) * 815 / 1000;
	root = write_and_read(trace, &part);
	json_array_foreach(json_object_get(root, "traceEvents"), i, record)
	{
		const char *phase = word(record, "ph");
		const double t = json_number_value(json_object_get(record, "ts")) * 1e3;
		depth += strcmp(phase, "B") == 0;
		depth -= strcmp(phase, "E") == 0;
		sends += strcmp(phase, "s") == 0;
		arrows += strcmp(phase, "s") == 0;
		arrows -= strcmp(phase, "f") == 0;
		assert_true(depth >= 0);
		if (strcmp(phase, "M") != 0)
			assert_true(t > (double)part.t0 - 0.5 && t < (double)part.t1 + 0.5);
	}
	assert_int_equal(depth, 0);
	assert_int_equal(arrows, 0); /* only whole ones */
	assert_true(sends > 20);
}

/* Names from outside, counters of every sort, ticks that are no nanoseconds. */
TEST(names_and_counters)
{
	static const char odd[] = "a \"quote\"\n\x01 \\ \xff \xc3\xa9";
	const struct timescale scale = { 1000000000000, 12 };
	struct builder *b = builder_new("test", &scale, NULL);
	const uint32_t name = built_string(b, odd);
	const uint32_t l = built_rank(b, 3, 0);
	const uint32_t site = built_site(b, odd, CLASS_USER, 7);
	const double half = 0.5, shown[] = { 0, -5, 2 * 18446744073709551615.0, 5 };
	uint64_t values[4] = { 0, (uint64_t)-5, UINT64_MAX, 0 };
	struct metric_set set = { .n = 3, .recorder = UINT32_MAX };
	struct metric sorts[] = { { .value = FIELD_INT, .base = 10 },
				  { .value = FIELD_UINT, .base = 2, .exponent = 1 },
				  { .value = FIELD_FLOAT, .base = 10, .exponent = 1 } };
	uint32_t metrics[3];
	OWNED_TRACE *trace;
	struct place place;
	FREED_BY(json_decref) json_t *root = NULL;

	for (int i = 0; i < 3; i++) {
		sorts[i].name = name;
		metrics[i] = builder_metric(b, &sorts[i]);
	}
	set.metrics = metrics;
	values[0] = builder_metric_set(b, &set);
	memcpy(&values[3], &half, sizeof half);
	builder_enter(b, l, 1, site);
	builder_detail(b, l, 2, DETAIL_METRIC, values, 4);
	builder_leave(b, l, 1234567, site);
	trace = built_end(b);

	root = write_and_read(trace, NULL);
	place = records_of(root, 3, 0);
	expect(trace, &place, "B", 1, "a \"quote\"\n\x01 \\ \xef\xbf\xbd \xc3\xa9");
	assert_int_equal(number(json_object_get(json_array_get(place.records, 1), "args"), "value"),
			 -5);
	for (size_t i = 1; i < 4; i++) {
		const json_t *args = json_object_get(json_array_get(place.records, i), "args");
		assert_true(json_number_value(json_object_get(args, "value")) == shown[i]);
	}
	place.at = 4;
	expect(trace, &place, "E", 1234567, NULL);
	json_decref(place.records);
}
