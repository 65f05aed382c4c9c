/* Reading PICL: what the format says, and what writers make of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/built.h"
#include "harness/load_trace.h"
#include "harness/picl_aid.h"
#include "harness/test.h"

static uint64_t events_of(const char *text)
{
	OWNED_TRACE *trace = aid_load(text);

	return trace_event_count(trace);
}

/* Nothing of the file is odd. */
static struct trace *clean(const char *text)
{
	struct err err = ERR_INIT;
	struct trace *trace = aid_read(text, strlen(text), true, &err);

	if (!trace)
		fail_msg("%s", err.text);
	return trace;
}

/* The file loads, one finding of the code is counted at the line, and --strict refuses it. */
static struct trace *odd(const char *text, const char *code, uint64_t line)
{
	struct trace *trace = aid_load(text);
	struct err err = ERR_INIT;
	bool is_there = false;

	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (strcmp(f->code, code) != 0)
			continue;
		is_there = true;
		assert_int_equal(f->lines[0], line);
	}
	if (!is_there)
		fail_msg("no finding '%s'", code);
	assert_null(aid_read(text, strlen(text), true, &err));
	assert_int_equal(err.status, STATUS_NO);
	return trace;
}

static void odd_only(const char *text, const char *code, uint64_t line)
{
	trace_free(odd(text, code, line));
}

/* ---- layout ---- */

TEST(clean_file_passes_strictly)
{
	static const char text[] = "-3 -901 -0.50 0 0 0\n-2 -904 -0.40 0 0 3 2 1 1 1\n"
				   "-3 7 0.10 0 0 0\n-4 7 0.20 0 0 0\n-4 -901 0.30 0 0 0\n"
				   "-101 -1 0.30 0 0 1 \"%d%lf\" 7 0.10\n";
	OWNED_TRACE *trace = clean(text);

	assert_int_equal(trace_event_count(trace), 6);
	assert_int_equal(trace_finding_sum(trace, FINDING_ODDITY), 0);
}

TEST(white_space_is_free)
{
	assert_int_equal(events_of("\n\n  -3\t7   0.10 0  0 0  \r\n\r\n-4 7 0.20 0 0 0\r\n"), 2);
	assert_int_equal(events_of("-3 7 0.10 0 0 0\n-4 7 0.20 0 0 0"), 2);
}

TEST(lines_may_be_continued)
{
	OWNED_TRACE *trace = odd("-3 7 0.10 0 0 0\n-101 -1 0.20 0 0 2 \"%d%lf\" 7 0.1 \\\n"
				 "8 0.2\n-4 7 0.30 0 0 0\n",
				 "continued-line", 2);

	assert_int_equal(trace_event_count(trace), 3);
}

TEST(data_may_go_on_in_the_next_line)
{
	/* What looks like a record is none if it swallows exactly what is missing. */
	static const char *const texts[] = {
		"-3 7 0.10 0 0 3 2 1\n2 3\n-4 7 0.20 0 0 0\n",
		"-3 7 0.10 0 0 7 2 1\n2 3 4 5 6 0\n-4 7 0.20 0 0 0\n"
	};

	for (int i = 0; i < 2; i++) {
		OWNED_TRACE *trace = odd(texts[i], "split-record", 1);
		assert_int_equal(trace_event_count(trace), 2);
	}
}

TEST(a_bad_line_costs_only_itself)
{
	static const char text[] = "-3 7 0.10 0 0 0\nthis is no record\n-3 8 0.20 0 0 5 2 1 2\n"
				   "-4 7 0.30 0 0 0\n-3 9 0.40 0 0 -4\n";
	OWNED_TRACE *trace = aid_load(text);

	assert_int_equal(trace_event_count(trace), 2);
	assert_int_equal(found(trace, "malformed-record"), 2);
	assert_int_equal(found(trace, "short-record"), 1);
	assert_int_equal(trace_finding_sum(trace, FINDING_DAMAGE), 3);
}

TEST(surplus_words_are_ignored)
{
	odd_only("-3 7 0.10 0 0 0 4096\n-4 7 0.20 0 0 0\n", "surplus-tokens", 1);
	odd_only("-3 7 0.10 0 0 1 2 5 6\n-4 7 0.20 0 0 0\n", "surplus-tokens", 1);
}

TEST(comments_are_odd)
{
	odd_only("# hello\n-3 7 0.10 0 0 0\n-4 7 0.20 0 0 0\n", "comment", 1);
}

/* ---- times ---- */

TEST(times_are_exact)
{
	OWNED_TRACE *trace = aid_load("-3 7 -0.715036 0 0 0\n-4 7 123456789.000001 0 0 0\n");
	struct cursor c;

	assert_int_equal(trace_scale(trace)->per_second, 1000000000);
	assert_int_equal(trace_scale(trace)->digits, 6);
	assert_true(cursor_first(&c, trace, BASE_MEASURED, 0));
	assert_int_equal(cursor_time(&c), -715036000);
	assert_true(cursor_next(&c));
	assert_int_equal(cursor_time(&c), 123456789000001000);
}

TEST(twelve_digits_make_the_tick)
{
	OWNED_TRACE *trace = aid_load("-3 7 0.000000000001 0 0 0\n-4 7 1.5 0 0 0\n");
	/* Seconds since 1970 leave no room for twelve digits in 64 bits. */
	OWNED_TRACE *late =
		aid_load("-3 7 1700000000.000000000001 0 0 0\n-4 7 1700000001.0 0 0 0\n");
	struct cursor c;

	assert_int_equal(trace_scale(trace)->per_second, 1000000000000);
	assert_int_equal(trace_scale(trace)->digits, 12);
	assert_true(cursor_first(&c, trace, BASE_MEASURED, 0));
	assert_int_equal(cursor_time(&c), 1);
	assert_int_equal(found(trace, "time-digits"), 1);
	assert_int_equal(trace_scale(late)->per_second, 1000000000);
	assert_int_equal(found(late, "time-too-fine"), 1);
}

TEST(a_finer_digit_that_comes_late_is_heeded)
{
	OWNED_STR text = STR_INIT;
	OWNED_TRACE *trace;

	for (int i = 0; i < 4000; i++)
		str_add_fmt(&text, "-3 7 %d.10 0 0 0\n-4 7 %d.20 0 0 0\n", i, i);
	str_add(&text, "-2 9 5000.00000000007 0 0 0\n");
	trace = aid_load(text.text);
	assert_int_equal(trace_scale(trace)->per_second, 100000000000);
	assert_int_equal(trace_event_time(trace, BASE_MEASURED, 0), 10000000000);
}

TEST(other_forms_of_times)
{
	static const char text[] =
		"-3 7 1.234567891e-05 0 0 0\n-3 8 1 0 0 0\n-4 8 +2.50 0 0 0\n-4 7 1e1 0 0 0\n";
	OWNED_TRACE *trace = aid_load(text);
	OWNED char *again = aid_write(trace);

	assert_int_equal(trace_event_time(trace, BASE_MEASURED, 0), 12345679);
	assert_int_equal(trace_scale(trace)->per_second, 1000000000000);
	assert_int_equal(found(trace, "time-digits"), 3);
	assert_string_equal(again, text);
	assert_int_equal(events_of("-3 7 nan 0 0 0\n-3 7 inf 0 0 0\n-2 7 1 0 0 0\n"), 1);
}

/* ---- places ---- */

TEST(the_host_is_a_place_of_its_own)
{
	OWNED_TRACE *trace = aid_load("-3 7 0.10 0 0 0\n-3 7 0.10 32767 0 0\n");
	OWNED_TRACE *old =
		odd("-3 7 0.10 0 0 0\n-4 7 0.20 0 0 0\n-2 7 0.10 -32768 0 0\n", "host-number", 3);

	assert_int_equal(trace_location_count(trace), 2);
	assert_int_equal(trace_location(trace, 1)->rank, RANK_HOST);
	assert_string_equal(trace_string(trace, trace_location(trace, 1)->name), "host");
	assert_int_equal(trace_comm(trace, 0)->size, 1);
	assert_int_equal(trace_location(old, 1)->rank, RANK_HOST);
}

TEST(processor_numbers_may_have_gaps)
{
	OWNED_TRACE *trace = aid_load("-2 7 0.10 2147483647 0 0\n-2 7 0.10 5 0 0\n");

	assert_int_equal(trace_location_count(trace), 2);
	assert_int_equal(trace_location(trace, 0)->rank, 2147483647);
}

TEST(processes_are_merged_only_with_no_process)
{
	OWNED_TRACE *apart = aid_load("-2 7 0.10 0 11 0\n-2 7 0.20 0 12 0\n");
	OWNED_TRACE *one = odd("-2 7 0.10 0 11 0\n-2 7 0.20 0 -1 0\n", "process-merged", 2);

	assert_int_equal(trace_location_count(apart), 2);
	assert_int_equal(trace_location_count(one), 1);
}

/* ---- events ---- */

TEST(marks_of_events_with_duration)
{
	OWNED_TRACE *trace = aid_load("-2 -21 0.10 0 0 3 2 8 1 1\n-2 -51 0.20 1 0 4 2 1 8 1 0\n");
	const struct message *m = trace_message(trace, 0);
	OWNED char *events = aid_events(trace);

	assert_int_equal(trace_message_count(trace), 1);
	assert_int_equal(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_GUESSED), 0);
	assert_int_equal(message_bytes(m), 8);
	assert_string_equal(events, "0.10 mark \n0.10 send \n0.20 mark \n0.20 recv \n");
}

TEST(receives_without_source_are_guessed)
{
	OWNED_TRACE *trace = aid_load("-3 -21 0.10 0 0 3 2 8 1 1\n-4 -21 0.20 0 0 0\n"
				      "-3 -51 0.10 1 0 1 2 1\n-4 -51 0.20 1 0 2 2 8 1\n");

	assert_int_equal(trace_message_count(trace), 1);
	assert_true(trace_message(trace, 0)->flags & MSG_GUESSED);
	assert_int_equal(message_source(trace, trace_message(trace, 0)), 0);
}

TEST(sizes_that_differ_are_told)
{
	OWNED_TRACE *trace = aid_load("-3 -21 0.10 0 0 3 2 8 1 1\n-4 -21 0.20 0 0 0\n"
				      "-3 -51 0.10 1 0 1 2 1\n-4 -51 0.20 1 0 3 2 4 1 0\n");

	assert_int_equal(found(trace, "bytes-differ"), 1);
}

/* In PICL the request's id is the message's type: not unique, first in, first out. */
TEST(requests_may_share_an_id)
{
	OWNED_TRACE *trace = aid_load(
		"-3 -27 0.10 0 0 3 2 10 4 1\n-4 -27 0.11 0 0 1 2 4\n"
		"-3 -27 0.12 0 0 3 2 20 4 1\n-4 -27 0.13 0 0 1 2 4\n"
		"-3 -30 0.20 0 0 1 2 4\n-4 -30 0.21 0 0 0\n-3 -31 0.22 0 0 1 2 4\n-4 -31 0.23 0 0 0\n"
		"-3 -57 0.10 1 0 1 2 4\n-4 -57 0.11 1 0 1 2 4\n"
		"-3 -57 0.12 1 0 1 2 4\n-4 -57 0.13 1 0 1 2 4\n"
		"-3 -61 0.20 1 0 1 2 4\n-4 -61 0.21 1 0 3 2 10 4 0\n"
		"-3 -60 0.22 1 0 1 2 4\n-4 -60 0.23 1 0 3 2 20 4 0\n");

	assert_int_equal(trace_message_count(trace), 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct message *m = trace_message(trace, i);
		assert_int_equal(m->flags & (MSG_NO_SEND | MSG_NO_RECV | MSG_RECV_PENDING), 0);
		assert_int_equal(message_bytes(m), 10 * (i + 1));
		assert_int_equal(!!(m->flags & MSG_RECV_BLOCKED), i == 0);
		assert_int_equal(!!(m->flags & MSG_SEND_BLOCKED), i == 1);
	}
}

TEST(a_send_to_all_is_several_messages)
{
	OWNED_TRACE *trace = aid_load("-3 -21 0.10 0 0 3 2 8 1 -1\n-4 -21 0.20 0 0 0\n"
				      "-3 -51 0.10 1 0 1 2 1\n-4 -51 0.20 1 0 3 2 8 1 0\n"
				      "-3 -51 0.10 2 0 1 2 1\n-4 -51 0.30 2 0 3 2 8 1 0\n");
	uint32_t matched = 0;

	for (uint32_t i = 0; i < trace_message_count(trace); i++) {
		const struct message *m = trace_message(trace, i);
		matched += !(m->flags & (MSG_NO_SEND | MSG_NO_RECV));
	}
	assert_int_equal(matched, 2);
}

TEST(collectives_by_subset)
{
	/* As coNCePTuaL writes them: subset ids from 0, event type of MPI_Comm_split. */
	OWNED_TRACE *trace = aid_load("-202 -812 0.00 -1 -1 3 2 5 0 1\n"
				      "-3 -790 0.10 0 0 3 2 64 1 5\n-4 -790 0.20 0 0 1 2 -1\n"
				      "-3 -790 0.10 1 1 3 2 64 1 5\n-4 -790 0.20 1 1 1 2 64\n"
				      "-3 -402 0.30 0 0 0\n-4 -402 0.40 0 0 0\n"
				      "-3 -402 0.30 1 1 0\n-4 -402 0.40 1 1 0\n"
				      "-3 -402 0.30 2 2 0\n-4 -402 0.40 2 2 0\n");
	const struct collective *c;

	assert_int_equal(trace_collective_count(trace), 2);
	c = trace_collective(trace, 0);
	assert_int_equal(c->members, 2);
	assert_int_equal(c->root, 1);
	assert_int_equal(trace_comm(trace, c->comm)->size, 2);
	assert_int_equal(trace_member(trace, c->first)->sent, 64);
	assert_true(trace_member(trace, c->first)->received == UINT64_MAX);
	assert_int_equal(trace_member(trace, c->first + 1)->received, 64);
	assert_int_equal(trace_collective(trace, 1)->members, 3);
	assert_int_equal(found(trace, "subset-id"), 1);
}

TEST(several_traced_spans)
{
	OWNED_TRACE *trace = aid_load("-3 -901 0.10 0 0 0\n-4 -901 0.20 0 0 0\n"
				      "-3 -901 0.50 0 0 0\n-3 7 0.60 0 0 0\n-4 7 0.70 0 0 0\n"
				      "-4 -901 0.80 0 0 0\n-7 -1 0.80 0 0 3 \"%c\" bye\n");

	assert_int_equal(trace_location(trace, 0)->begin, 100000000);
	assert_int_equal(trace_location(trace, 0)->end, 800000000);
	assert_int_equal(found(trace, "after-the-end"), 0);
	odd_only("-3 -901 0.10 0 0 0\n-4 -901 0.20 0 0 0\n-3 7 0.60 0 0 0\n-4 7 0.70 0 0 0\n",
		 "after-the-end", 3);
}

TEST(full_buffers_are_told)
{
	OWNED_TRACE *trace = aid_load("-3 7 0.10 0 0 0\n-2 -913 0.20 0 0 0\n"
				      "-4 8 0.10 1 0 0\n-2 -914 0.20 1 0 0\n");

	assert_int_equal(found(trace, "buffer-full"), 1);
	assert_int_equal(found(trace, "overwritten"), 1);
	assert_true(trace_location(trace, 0)->cut_off);
}

/* Rank 0 comes to its end, 1 is killed in a receive, 2 in its own code, 3 turns tracing off; 4 is
 * no program of MPI. */
TEST(ranks_that_did_not_end_are_told)
{
	static const struct {
		bool cut_off, unfinished;
	} expected[] = {
		{ false, false }, { true, true }, { false, true }, { false, false }, { true, false }
	};
	OWNED_TRACE *trace = aid_load(
		"-5 -11 0.00 -1 -1 8 \"%c\" MPI_Init\n-5 -12 0.00 -1 -1 12 \"%c\" MPI_Finalize\n"
		"-3 -11 0.10 0 9 0\n-4 -11 0.20 0 9 0\n-3 -12 0.30 0 9 0\n-4 -12 0.40 0 9 0\n"
		"-3 -11 0.10 1 9 0\n-4 -11 0.20 1 9 0\n-3 -51 0.30 1 9 0\n"
		"-3 -11 0.10 2 9 0\n-4 -11 0.20 2 9 0\n-3 7 0.30 2 9 0\n-4 7 0.30 2 9 0\n"
		"-3 -901 0.10 3 9 0\n-3 -11 0.10 3 9 0\n-4 -11 0.20 3 9 0\n-4 -901 0.20 3 9 0\n"
		"-3 7 0.10 4 9 0\n");
	unsigned told = 0;

	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(trace_location(trace, i)->cut_off, expected[i].cut_off);
		assert_int_equal(trace_location(trace, i)->unfinished, expected[i].unfinished);
	}
	for (size_t i = 0; i < trace_finding_count(trace); i++) {
		const struct finding *f = trace_finding(trace, i);
		if (strcmp(f->code, "cut-off") == 0)
			assert_non_null(strstr(f->text, " of rank 1, rank 4"));
		else if (strcmp(f->code, "not-finalised") == 0)
			assert_non_null(strstr(f->text, ": rank 1, rank 2"));
		else
			continue;
		assert_int_equal(f->kind, FINDING_INFO);
		assert_int_equal(f->count, 2);
		told++;
	}
	assert_int_equal(told, 2);
}

TEST(statistics_by_themselves_are_a_trace)
{
	assert_int_equal(events_of("-101 -1 0.10 0 0 1 \"%d%lf\" -21 0.000098\n"), 1);
}

TEST(files_need_not_be_sorted_over_processes)
{
	OWNED_TRACE *trace = aid_load("-3 7 0.50 1 0 0\n-4 7 0.60 1 0 0\n-3 7 0.10 0 0 0\n"
				      "-4 7 0.10 0 0 0\n");

	assert_int_equal(trace_finding_sum(trace, FINDING_ODDITY), 0);
	assert_int_equal(trace_location_count(trace), 2);
}

/* ---- names ---- */

static const char *first_region(const struct trace *trace, uint32_t location)
{
	struct cursor c;

	assert_true(cursor_first(&c, trace, BASE_MEASURED, location));
	return trace_region_name(trace,
				 trace_callpath_region(trace, trace_event_path(trace, c.id)));
}

/* The first regions of the file's locations. */
static void names(const char *text, const char *const *expected)
{
	OWNED_TRACE *trace = aid_load(text);

	for (uint32_t l = 0; l < trace_location_count(trace); l++)
		assert_string_equal(first_region(trace, l), expected[l]);
}
#define NAMES(text, ...) names(text, (const char *const[]){ __VA_ARGS__ })

TEST(names_are_labels_commands_functions)
{
	NAMES("-5 7 0.00 -1 -1 5 \"%c\" solve\n-5 8 0.00 -1 -1 3 0 pre\n"
	      "-3 7 0.10 0 0 0\n-3 -52 0.10 1 0 0\n-3 -783 0.10 2 0 0\n-3 9 0.1 3 0 0\n"
	      "-3 8 0.10 4 0 0\n-3 -201 0.1 5 0 0\n",
	      "solve", "recv0", "MPI_Alltoall", "event 9", "pre", "file open");
}

TEST(labels_have_scopes_and_may_come_late)
{
	NAMES("-3 7 0.10 0 0 0\n-3 7 0.10 1 0 0\n"
	      "-5 7 0.00 -1 -1 3 \"%c\" all\n-5 7 0.00 1 -1 3 \"%c\" one\n",
	      "all", "one");
	/* A second definition holds from where it is. */
	NAMES("-5 7 0.00 -1 -1 1 \"%c\" a\n-3 7 0.10 0 0 0\n-4 7 0.20 0 0 0\n"
	      "-5 7 0.20 -1 -1 1 \"%c\" b\n-3 7 0.30 1 0 0\n",
	      "a", "b");
}

TEST(text_packed_spaced_and_in_words)
{
	static const char spaced[] =
		"-5 7 0.0 -1 -1 5 \"%c\" h e l l o\n-3 7 0.1 0 0 0\n-4 7 0.2 0 0 0\n";

	odd_only(spaced, "spaced-text", 1);
	NAMES(spaced, "hello");
	NAMES("-5 7 0.0 -1 -1 2 \"%s\" hello world\n-3 7 0.1 0 0 0\n", "hello world");
	/* Leading and trailing blanks of packed text are text. */
	NAMES("-5 7 0.0 -1 -1 4 \"%c\"  ab \n-3 7 0.1 0 0 0\n", " ab ");
	odd_only("-5 7 0.0 -1 -1 9 \"%c\" hello\n-3 7 0.1 0 0 0\n-4 7 0.2 0 0 0\n", "short-text",
		 1);
	odd_only("-5 7 0.0 -1 -1 3 \"%c\" hello\n-3 7 0.1 0 0 0\n-4 7 0.2 0 0 0\n",
		 "surplus-tokens", 1);
}

/* ---- descriptors ---- */

TEST(fields_are_passes_over_the_control_string)
{
	trace_free(clean("-3 7 0.1 0 0 1 \"%d%d%d\" 1 2 3\n"
			 "-4 7 0.2 0 0 2 \"%d %lf\" 1 2.5 3 4\n"));
	odd_only("-3 7 0.1 0 0 3 \"%d %s %s\" 1 a b\n-4 7 0.2 0 0 0\n", "values-counted", 1);
	odd_only("-3 7 0.1 0 0 1 2 1.5\n-4 7 0.2 0 0 0\n", "float-for-integer", 1);
	odd_only("-3 7 0.1 0 0 1 2 99999999999999999999\n-4 7 0.2 0 0 0\n", "number-range", 1);
	odd_only("-3 7 0.1 0 0 1 \"%n\" 1\n-4 7 0.2 0 0 0\n", "unknown-descriptor", 1);
	odd_only("-3 7 0.1 0 0 1 77 1 2\n-4 7 0.2 0 0 0\n", "undefined-alias", 1);
	odd_only("-3 7 0.1 0 0 1 \"%d\\\"\" 1\"\n-4 7 0.2 0 0 0\n", "escaped-quote", 1);
}

TEST(aliases_have_scopes)
{
	static const char text[] = "-6 -1 -1.0 -1 -1 1 \"%d%s\" 7 \"%d%lf\"\n"
				   "-6 5 -1.0 -1 -1 1 \"%d%s\" 7 \"%d%d%d\"\n"
				   "-6 5 -1.0 3 -1 1 \"%d %[^\n]\" 7 \"%d %d\"\n"
				   "-6 -1 -1.0 -1 -1 1 \"%d%s\" 2 \"%d%d\"\n"
				   "0 4 0.1 0 0 1 7 1 2.5\n0 5 0.2 0 0 1 7 1 2 3\n"
				   "0 5 0.3 3 0 1 7 1 2\n0 4 0.4 0 0 1 2 8 9\n";
	OWNED_TRACE *trace;
	char plain[sizeof text];

	/* The third line has a real line feed in its set: take it out. */
	memcpy(plain, text, sizeof text);
	*(strchr(strstr(plain, "%[^"), '\n')) = '|';
	trace = clean(plain);
	assert_int_equal(trace_event_count(trace), 4);
}

TEST(what_is_tolerated_is_counted)
{
	static const char *const codes[] = {
		"comment",           "spaced-text",        "subset-id",       "surplus-tokens",
		"float-for-integer", "time-digits",        "continued-line",  "split-record",
		"values-counted",    "unknown-descriptor", "undefined-alias", "host-number",
		"process-merged"
	};
	OWNED_TRACE *trace = load_trace("traces/tolerated.trc");

	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (found(trace, codes[i]) != 1)
			fail_msg("%s: %d", codes[i], (int)found(trace, codes[i]));
	assert_int_equal(trace_finding_sum(trace, FINDING_DAMAGE), 0);
	assert_string_equal(first_region(trace, 0), "hello");
}

/* ---- files that are no PICL ---- */

static void refused(const char *text, size_t n, const char *part)
{
	struct err err = ERR_INIT;
	struct trace *trace = aid_read(text, n, false, &err);

	assert_null(trace);
	assert_int_equal(err.status, STATUS_IO);
	if (!strstr(err.text, part))
		fail_msg("'%s' does not say '%s'", err.text, part);
}

TEST(refusals_say_why)
{
	static const char old[] = "1 0 26 0 10000 0\n2 0 115 0\n4 0 420 0 1 3 8\n";
	static const char verbose[] = "trace_start clock 0 26 node 0 10000\n";

	refused("", 0, "empty");
	refused("hello world\n", 12, "not a PICL trace");
	refused("\x7f\x45\x4c\x46\0\0\0\1\n\0\0", 11, "not a PICL trace");
	refused(old, strlen(old), "PICL 1.x");
	refused(verbose, strlen(verbose), "PICL 1.x");
	/* Whole numbers of seconds under user-defined record types: no PICL 1.x. */
	trace_free(
		aid_load("1 7 1 0 0 0\n2 7 2 0 0 1 2 5\n24 7 3 0 0 0\n11 7 4 0 0 2 \"%d\" 1 2\n"));
}

TEST(pipes_are_read)
{
	static const char text[] = "-3 7 0.10 0 0 0\n-4 7 0.20 0 0 0\n";
	struct err err = ERR_INIT;
	OWNED_TRACE *trace;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	trace = picl_read("stdin", ends[0], NULL, NULL, &err);
	close(ends[0]);
	assert_non_null(trace);
	assert_int_equal(trace_event_count(trace), 2);
}
