/* Trace Event JSON that is read: what comes out, by hand; what cannot be true is said. */
#include "model/chrome/chrome.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fuzz.h"
#include "harness/invariants.h"
#include "harness/test.h"
#include "model/chrome/chrome_record.h"
#include "model/trace/detail.h"
#include "model/trace/message.h"

static struct trace *read_with(const char *text, struct err *err)
{
	static const struct load_options options = { .jobs = 1 };
	const int fd = fuzz_file(text, strlen(text));
	struct trace *trace = chrome_read("test.json", fd, &options, NULL, err);

	close(fd);
	if (trace)
		assert_null(trace_broken(trace));
	return trace;
}

static struct trace *read_text(const char *text)
{
	struct err err = ERR_INIT;
	struct trace *trace = read_with(text, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

/* "0 enter main; 50 leave main; " in ns, of a location. */
static void list_events(const struct trace *trace, uint32_t location, struct str *out)
{
	struct cursor c;

	str_clear(out);
	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		str_add_fmt(out, "%lld %s", (long long)cursor_time(&c), event_kind_name(kind));
		if (kind == EV_ENTER || kind == EV_LEAVE)
			str_add_fmt(out, " %s",
				    trace_region_name(trace,
						      trace_callpath_region(trace,
									    what_id(cursor_what(
										    &c)))));
		str_add(out, "; ");
	}
}

static void assert_events(const struct trace *trace, uint32_t location, const char *expected)
{
	OWNED_STR text = STR_INIT;

	list_events(trace, location, &text);
	assert_string_equal(text.text, expected);
}

static uint64_t found(const struct trace *trace, const char *code)
{
	for (size_t i = 0; i < trace_finding_count(trace); i++)
		if (strcmp(trace_finding(trace, i)->code, code) == 0)
			return trace_finding(trace, i)->count;
	return 0;
}

/* Ends come in the order in which events end; the first event is at 100 us, which is 0. */
TEST(complete_events_nest_by_time)
{
	struct trace *trace = read_text(
		"[{\"name\":\"in\",\"ph\":\"X\",\"ts\":110.25,\"dur\":1e1,\"pid\":7,\"tid\":1},\n"
		"{\"name\":\"empty\",\"ph\":\"X\",\"ts\":130,\"pid\":7,\"tid\":1,\"dur\":0},"
		"{\"name\":\"out\",\"ph\":\"X\",\"ts\":\"100\",\"dur\":50.5,\"pid\":7,\"tid\":1},"
		"{\"name\":\"same\",\"ph\":\"X\",\"ts\":100,\"dur\":5,\"pid\":7,\"tid\":1},"
		"{\"name\":\"next\",\"ph\":\"X\",\"ts\":150.5,\"dur\":1,\"pid\":7,\"tid\":1},{}]");

	assert_int_equal(trace_location_count(trace), 1);
	assert_events(trace, 0,
		      "0 enter out; 0 enter same; 5000 leave same; 10250 enter in; 20250 leave in; "
		      "30000 enter empty; 30000 leave empty; 50500 leave out; 50500 enter next; "
		      "51500 leave next; ");
	assert_int_equal(trace_finding_sum(trace, FINDING_ODDITY), 0);
	assert_int_equal(trace_finding_sum(trace, FINDING_DAMAGE), 0);
	trace_free(trace);
}

/* B and E by their own order; processes by number, threads too; ids may be texts. */
TEST(begins_and_ends)
{
	struct trace *trace = read_text(
		"{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":2,\"args\":{\"name\":\"io\"}},"
		"{\"ph\":\"B\",\"name\":\"a\",\"ts\":1,\"pid\":9,\"tid\":2},"
		"{\"ph\":\"B\",\"name\":\"b\",\"ts\":2,\"pid\":9,\"tid\":2},"
		"{\"ph\":\"E\",\"ts\":3,\"pid\":9,\"tid\":2},"
		"{\"ph\":\"E\",\"ts\":4,\"pid\":9,\"tid\":2},"
		"{\"ph\":\"E\",\"ts\":5,\"pid\":9,\"tid\":2},"
		"{\"ph\":\"X\",\"name\":\"c\",\"ts\":2,\"dur\":1,\"pid\":\"8\",\"tid\":\"main\"},"
		"{\"ph\":\"B\",\"name\":\"d\",\"ts\":6,\"pid\":9,\"tid\":1}"
		"]}");

	assert_int_equal(trace_location_count(trace), 3);
	assert_int_equal(trace_location(trace, 0)->rank, 0);
	assert_int_equal(trace_location(trace, 1)->rank, 1);
	assert_int_equal(trace_location(trace, 1)->thread, 0);
	assert_int_equal(trace_location(trace, 2)->thread, 1);
	assert_string_equal(trace_string(trace, trace_location(trace, 2)->name), "io");
	assert_events(trace, 0, "1000 enter c; 2000 leave c; ");
	assert_events(trace, 2, "0 enter a; 1000 enter b; 2000 leave b; 3000 leave a; ");
	assert_true(trace_location(trace, 1)->cut_off);
	assert_int_equal(found(trace, "no-begin"), 1);
	trace_free(trace);
}

/* main ends at 50, late would at 60. */
TEST(what_overlaps_is_ended_and_said)
{
	struct trace *trace = read_text(
		"[{\"ph\":\"X\",\"name\":\"main\",\"ts\":0,\"dur\":50,\"pid\":0,\"tid\":0},"
		"{\"ph\":\"X\",\"name\":\"late\",\"ts\":40,\"dur\":20,\"pid\":0,\"tid\":0},"
		"{\"ph\":\"X\",\"name\":\"back\",\"ts\":10,\"dur\":-3,\"pid\":0,\"tid\":0},"
		"{\"ph\":\"X\",\"name\":\"none\",\"dur\":3,\"pid\":0,\"tid\":0},"
		"{\"ph\":\"b\",\"name\":\"async\",\"ts\":3,\"id\":4,\"pid\":0,\"tid\":0}");

	assert_events(trace, 0,
		      "0 enter main; 10000 enter back; 10000 leave back; 40000 enter late; "
		      "50000 leave late; 50000 leave main; ");
	assert_int_equal(found(trace, "overlapping"), 1);
	assert_int_equal(found(trace, "negative-duration"), 1);
	assert_int_equal(found(trace, "without-time"), 1);
	assert_int_equal(found(trace, "phases"), 1);
	trace_free(trace);
}

/* Two arrows of one id, one after the other; one inside of a process; one that has no end. */
TEST(arrows_between_processes_are_messages)
{
	struct trace *trace = read_text(
		"[{\"ph\":\"X\",\"name\":\"p\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":0},"
		"{\"ph\":\"X\",\"name\":\"q\",\"ts\":0,\"dur\":100,\"pid\":2,\"tid\":0},"
		"{\"ph\":\"s\",\"name\":\"m\",\"id\":\"0x5\",\"ts\":10,\"pid\":1,\"tid\":0,\"args\":{\"bytes\":64}},"
		"{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"m\",\"id\":5,\"ts\":12.5,\"pid\":2,\"tid\":0},"
		"{\"ph\":\"s\",\"name\":\"m\",\"id\":5,\"ts\":20,\"pid\":2,\"tid\":0},"
		"{\"ph\":\"t\",\"name\":\"m\",\"id\":5,\"ts\":30,\"pid\":1,\"tid\":0},"
		"{\"ph\":\"f\",\"name\":\"m\",\"id\":5,\"ts\":40,\"pid\":2,\"tid\":0},"
		"{\"ph\":\"s\",\"name\":\"n\",\"id\":5,\"ts\":50,\"pid\":1,\"tid\":0},"
		"{\"ph\":\"f\",\"name\":\"n\",\"id\":5,\"ts\":60,\"pid\":1,\"tid\":0},"
		"{\"ph\":\"s\",\"name\":\"o\",\"id\":5,\"ts\":70,\"pid\":1,\"tid\":0},");
	static const struct {
		int64_t sent, received;
		int32_t source;
		uint64_t bytes;
	} expected[] = { { 10000, 12500, 0, 64 },
			 { 20000, 30000, 1, UINT64_MAX },
			 { 30000, 40000, 0, UINT64_MAX } };

	assert_int_equal(trace_message_count(trace), 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct message *m = trace_message(trace, i);
		size_t k = 0;
		while (k < 2 && trace_event_time(trace, BASE_MEASURED, m->send) != expected[k].sent)
			k++;
		assert_int_equal(trace_event_time(trace, BASE_MEASURED, m->send), expected[k].sent);
		assert_int_equal(trace_event_time(trace, BASE_MEASURED, m->recv),
				 expected[k].received);
		assert_int_equal(message_source(trace, m), expected[k].source);
		if (expected[k].bytes == UINT64_MAX)
			assert_true(m->flags & MSG_NO_BYTES);
		else
			assert_int_equal(message_bytes(m), expected[k].bytes);
	}
	assert_int_equal(found(trace, "local-flows"), 1);
	assert_int_equal(found(trace, "lone-flows"), 1);
	trace_free(trace);
}

TEST(counters)
{
	struct trace *trace = read_text(
		"[{\"ph\":\"C\",\"name\":\"heap\",\"ts\":1,\"pid\":1,\"args\":{\"used\":1.5,\"free\":\"x\"}},"
		"{\"ph\":\"C\",\"name\":\"heap\",\"ts\":2,\"pid\":1,\"args\":{\"used\":2}},"
		"{\"ph\":\"C\",\"name\":\"load\",\"ts\":3,\"pid\":1,\"args\":{\"value\":4}}]");
	const double values[] = { 1.5, 2, 4 };

	assert_int_equal(trace_location(trace, 0)->type, LOCATION_METRICS);
	assert_int_equal(trace_metric_count(trace), 2);
	assert_string_equal(trace_string(trace, trace_metric(trace, 0)->name), "heap used");
	assert_string_equal(trace_string(trace, trace_metric(trace, 1)->name), "load");
	assert_int_equal(trace_detail_count(trace), 3);
	for (uint32_t i = 0; i < 3; i++) {
		double value;
		memcpy(&value, &trace_detail_values(trace, trace_detail(trace, i))[1],
		       sizeof value);
		assert_true(value == values[i]);
	}
	assert_int_equal(found(trace, "arguments"), 1);
	trace_free(trace);
}

TEST(texts_are_decoded)
{
	struct trace *trace = read_text(
		"\xef\xbb\xbf [ {\"ph\":\"X\",\"ts\":0,\"pid\":0,\"tid\":0,\"dur\":1,"
		"\"name\":\"a\\u00e9\\ud83d\\ude00\\\"\\n\\ud83d\\u0000z\",\"args\":{\"k\":[[{}],{\"a\":[]}]}}");

	assert_string_equal(trace_region_name(trace, 0),
			    "a\xc3\xa9\xf0\x9f\x98\x80\"\n\xef\xbf\xbd\xef\xbf\xbdz");
	trace_free(trace);
}

/* What came before damage is kept, and where it is is said. */
TEST(damage_has_its_place)
{
	static const char text[] =
		"[{\"ph\":\"X\",\"name\":\"a\",\"ts\":0,\"dur\":1,\"pid\":0,\"tid\":0}, {\"ph\":\"X\",?";
	struct err err = ERR_INIT;
	struct trace *trace = read_text(text);
	OWNED_STR place = STR_INIT;

	assert_events(trace, 0, "0 enter a; 1000 leave a; ");
	assert_int_equal(trace_finding_sum(trace, FINDING_DAMAGE), 1);
	str_add_fmt(&place, "byte %zu: ", strlen(text) - 1);
	assert_non_null(strstr(trace_finding(trace, 0)->text, place.text));
	trace_free(trace);

	assert_null(read_with("[\n  ?]", &err));
	assert_non_null(strstr(err.text, "test.json: byte 4: "));
	err = (struct err)ERR_INIT;
	assert_null(read_with("{\"a\": 1}", &err));
	assert_non_null(strstr(err.text, "no events"));
}

/* As tview itself writes a trace without events. */
TEST(no_events)
{
	struct trace *trace = read_text("{\"traceEvents\":[\n\n]}\n");

	assert_int_equal(trace_location_count(trace), 0);
	assert_int_equal(trace_finding_count(trace), 0);
	trace_free(trace);
}

/* What is open where the damage begins may have ended after it; a list without its bracket is whole. */
TEST(damage_hides_the_end)
{
	OWNED_TRACE *cut = read_text(
		"[{\"ph\":\"B\",\"pid\":1,\"tid\":0,\"ts\":5,\"name\":\"step\"},{\"ph\":");
	OWNED_TRACE *whole =
		read_text("[{\"ph\":\"B\",\"pid\":1,\"tid\":0,\"ts\":5,\"name\":\"step\"}");

	assert_true(trace_location(cut, 0)->cut_off && trace_location(cut, 0)->end_lost);
	assert_true(trace_location(whole, 0)->cut_off && !trace_location(whole, 0)->end_lost);
}

TEST(times_are_exact)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = { { "0", 0 },
		     { "1", 1000 },
		     { "-1.5", -1500 },
		     { "1234567890123456.789", INT64_C(1234567890123456789) },
		     { "0.0005", 1 },
		     { "0.0004999999999999999999", 0 },
		     { "2.5e-3", 3 },
		     { "1E3", 1000000 },
		     { "1.0e+2", 100000 },
		     { "0e999", 0 },
		     { "1e-999", 0 },
		     { "0.00000000000000000000000000000000000000000000000000001e54", 10000 },
		     { "9223372036854775.807", INT64_MAX } };
	static const char *const bad[] = { "",     "x",   "1x",  "1e", "-", "9223372036854775.808",
					   "1e30", "nan", "0x10" };
	int64_t ns;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(chrome_nanoseconds(good[i].text, &ns));
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(chrome_nanoseconds(bad[i], &ns));
}

TEST(recognised_by_content)
{
	assert_true(chrome_recognise("{\"traceEvents\"", 14));
	assert_true(chrome_recognise(" \n[ {", 5));
	assert_true(chrome_recognise("[", 1));
	assert_false(chrome_recognise("[section]", 9));
	assert_false(chrome_recognise("-3 -901 0.0", 11));
	assert_false(chrome_recognise("", 0));
}
