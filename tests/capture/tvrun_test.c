/* What tvrun does beside tracing a run that goes well: crashes, full buffers, nodes and clocks,
 * preloads, statuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/traced.h"
#include "harness/test.h"
#include "model/trace/message.h"
#include "model/trace/program.h"
#include "patterns/analysis/rollcall.h"

static bool said(const struct traced *t, const char *text)
{
	return strstr(t->said.text, text) != NULL;
}

static bool has_message(const struct traced *t, int source, int destination, int tag)
{
	for (uint32_t i = 0; i < trace_message_count(t->trace); i++) {
		const struct message *m = trace_message(t->trace, i);
		if (message_source(t->trace, m) == source &&
		    message_destination(t->trace, m) == destination && m->tag == tag &&
		    !(m->flags & (MSG_NO_SEND | MSG_NO_RECV)))
			return true;
	}
	return false;
}

/* Rank 1 ends in the middle: all that both had written is there, what was open stays open, and the
 * trace says so. */
static void crash(const char *how, const char *why)
{
	OWNED_TRACED *t = traced_run(2, "--yield --no-insitu", "tests/capture/programs/crash", how);

	assert_int_not_equal(t->status, 0);
	assert_int_not_equal(t->status, 124);
	assert_int_not_equal(t->status, 125);
	assert_non_null(t->trace);
	for (int tag = 40; tag < 43; tag++)
		assert_true(has_message(t, 1, 0, tag));
	assert_true(has_message(t, 0, 1, 50));
	traced_has(t, "incomplete", why);
	assert_true(said(t, "ended without MPI_Finalize; "));
	/* Rank 1 crashed inside main > work > end; rank 0 inside MPI_Recv. */
	for (int32_t rank = 0; rank < 2; rank++) {
		const struct location *l =
			trace_location(t->trace, trace_location_of_rank(t->trace, rank));
		assert_true(l->cut_off);
		assert_true(l->unfinished);
	}
	assert_int_equal(traced_count(t, EV_ENTER, "end"), 1);
	assert_int_equal(traced_count(t, EV_LEAVE, "end"), 0);
	assert_int_equal(traced_count(t, EV_LEAVE, "main"), 0);
}

TEST(test_segmentation_fault)
{
	crash("segv", "rank 1: ended without MPI_Finalize");
}

TEST(test_kill)
{
	crash("kill", "rank 1: ended without MPI_Finalize");
}

TEST(test_abort)
{
	crash("abort", "rank 1: ended without MPI_Finalize");
	crash("mpi_abort", "rank 1: MPI_Abort");
}

static uint64_t finding(const struct traced *t, const char *code)
{
	for (size_t i = 0; i < trace_finding_count(t->trace); i++)
		if (!strcmp(trace_finding(t->trace, i)->code, code))
			return trace_finding(t->trace, i)->count;
	return 0;
}

/* Functions stopped, nothing else: no rank crashed, and none is in a call for ever. */
static void functions_stopped_only(const struct traced *t)
{
	struct rollcall roll;

	traced_has(t, "incomplete", "rank 1: functions not recorded since ");
	traced_has(t, "incomplete", " s: buffer nearly full");
	assert_null(strstr(trace_property_value(t->trace, "incomplete"), "rank 0"));
	assert_null(strstr(trace_property_value(t->trace, "incomplete"), "MPI_Finalize"));
	assert_null(strstr(trace_property_value(t->trace, "incomplete"), "recording stopped"));
	assert_true(said(t,
			 "warning: buffer nearly full on 1 rank: functions were not recorded after "
			 "that, calls of MPI were; raise --max-size ("));
	for (uint32_t l = 0; l < trace_location_count(t->trace); l++) {
		assert_false(trace_location(t->trace, l)->cut_off);
		assert_false(trace_location(t->trace, l)->unfinished);
		assert_false(trace_location(t->trace, l)->stopped);
	}
	assert_false(rollcall_make(&roll, t->trace, BASE_MEASURED, NULL));
	rollcall_fini(&roll);
	assert_int_equal(finding(t, "cut-off"), 0);
	assert_int_equal(finding(t, "not-finalised"), 0);
	assert_int_equal(finding(t, "stray-leave"), 0);
	assert_int_equal(finding(t, "unclosed-enter"), 0);
	assert_int_equal(traced_count(t, EV_ENTER, "MPI_Finalize"), 2);
	assert_int_equal(traced_count(t, EV_LEAVE, "MPI_Finalize"), 2);
	/* Offsets at the start and at the end, which rank 0 measures. */
	assert_int_equal(trace_offset_count(t->trace), 3);
}

/* Visits of a procedure in the statistics. */
static uint64_t recorded(const struct traced *t, const char *procedure)
{
	uint64_t count = 0;

	for (size_t i = 0; i < trace_statement_record_count(t->trace); i++) {
		const struct statement_record *r = trace_statement_record(t->trace, i);
		const struct statement *s = trace_statement(t->trace, r->statement);
		if (s->kind == STATEMENT_PROCEDURE &&
		    !strcmp(trace_string(t->trace, s->name), procedure))
			count += r->count;
	}
	return count;
}

/* 160,000 calls of a function are 2.44 MiB of records; functions have 1.5 of 2 MiB of disk, 98,304
 * calls, and a chunk of 256 KiB stays in memory. Statistics, which count all calls, and the end have room all the same. */
TEST(test_buffer_full)
{
	OWNED_TRACED *t = traced_well(2, "--yield --no-insitu --buffer-size 2M --max-size 2M",
				      "programs/pi", "40000 4");

	functions_stopped_only(t);
	assert_in_range(traced_count(t, EV_ENTER, "get_coords"), 95000, 98304 + 16384);
	assert_int_equal(recorded(t, "get_coords"), 160000);
}

/* Little memory loses nothing: what is recorded goes to the disk. */
TEST(test_least_buffer)
{
	OWNED_TRACED *t =
		traced_well(2, "--yield --no-insitu --buffer-size 2M", "programs/pi", "40000 4");

	assert_null(trace_property_value(t->trace, "incomplete"));
	assert_int_equal(traced_count(t, EV_ENTER, "get_coords"), 160000);
	assert_int_equal(recorded(t, "get_coords"), 160000);
	assert_true(traced_count(t, EV_ENTER, "tview_buffer") >= 8);
}

TEST(test_buffers_grow)
{
	OWNED_TRACED *t = traced_well(2, "--yield --no-insitu", "programs/pi", "200000 2");

	/* 400,000 calls, 6.1 MiB: more than memory holds; writing it out is told as overhead. */
	assert_int_equal(traced_count(t, EV_ENTER, "get_coords"), 400000);
	assert_int_equal(traced_count(t, EV_LEAVE, "get_coords"), 400000);
	assert_true(traced_count(t, EV_ENTER, "tview_buffer") >= 24);
	assert_int_equal(trace_finding_sum(t->trace, FINDING_ODDITY), 0);
	assert_int_equal(trace_region(t->trace, traced_region(t, "tview_buffer"))->cls,
			 CLASS_OVERHEAD);
}

static const struct offset *offset_of(const struct traced *t, int32_t rank, size_t nth)
{
	const uint32_t location = trace_location_of_rank(t->trace, rank);

	for (size_t i = 0; i < trace_offset_count(t->trace); i++)
		if (trace_offset(t->trace, i)->location == location && nth-- == 0)
			return trace_offset(t->trace, i);
	return NULL;
}

/* One node, one clock: offsets are 0, and what was measured stands beside them. */
TEST(test_shared_clock)
{
	OWNED_TRACED *t = traced_well(2, "--yield --clock-domain node", "programs/ring", "2 10 10");

	for (size_t nth = 0; nth < 2; nth++) {
		assert_non_null(offset_of(t, 1, nth));
		assert_int_equal(offset_of(t, 1, nth)->offset, 0);
		assert_true(offset_of(t, 1, nth)->rtt > 0);
	}
	assert_true(offset_of(t, 1, 0)->time < offset_of(t, 1, 1)->time);
	assert_non_null(trace_property_value(t->trace, "offset-measured"));
}

/* Two nodes by name: the measured offsets are used. They are of one clock really, so 0 lies in each
 * interval. */
TEST(test_nodes)
{
	OWNED_TRACED *t = traced_command(
		2, "--yield",
		"mpiexec.mpich -n 1 -env TVIEW_NODE left $BUILD/programs/ring 2 10 10 "
		": -n 1 -env TVIEW_NODE right $BUILD/programs/ring 2 10 10");
	bool any = false;

	assert_int_equal(t->status, 0);
	assert_non_null(t->trace);
	assert_string_equal(
		trace_string(t->trace,
			     trace_location(t->trace, trace_location_of_rank(t->trace, 0))->node),
		"left");
	assert_string_equal(
		trace_string(t->trace,
			     trace_location(t->trace, trace_location_of_rank(t->trace, 1))->node),
		"right");
	for (size_t nth = 0; nth < 2; nth++) {
		const struct offset *o = offset_of(t, 1, nth);
		assert_non_null(o);
		assert_true(llabs(o->offset) <= o->rtt / 2 + 1000);
		any |= o->offset != 0;
	}
	assert_true(any);
	assert_null(trace_property_value(t->trace, "offset-measured"));
}

/* Messages that are received more than `by` ns before they are sent. */
static unsigned reversed(struct trace *trace, enum time_base base, int64_t by)
{
	struct err err = ERR_INIT;
	unsigned n = 0;

	assert_true(trace_base_make(trace, base, NULL, &err));
	for (uint32_t i = 0; i < trace_message_count(trace); i++) {
		const struct message *m = trace_message(trace, i);
		n += trace_event_time(trace, base, m->send) -
			     trace_event_time(trace, base, m->recv) >
		     by;
	}
	return n;
}

/* The clock of rank 1 is 5 ms behind: each measured offset is right to half its round trip, and
 * puts the messages in order as far as it can. */
TEST(test_skewed_clocks)
{
	OWNED_TRACED *t = traced_well(2, "--yield --clock monotonic --clock-domain rank",
				      "tests/capture/programs/skewed", "");
	int64_t doubt = 0;

	traced_compare_messages(t);
	for (size_t nth = 0; nth < 2; nth++) {
		const struct offset *o = offset_of(t, 1, nth);
		assert_non_null(o);
		assert_true(llabs(o->offset - 5000000) <= o->rtt / 2 + 1000);
		doubt = o->rtt > doubt ? o->rtt : doubt;
	}
	assert_null(trace_property_value(t->trace, "offset-measured"));
	/* Of the 50 from rank 0 to 1 few take as long as 5 ms, however busy the machine is. */
	assert_true(reversed(t->trace, BASE_MEASURED, 0) >= 5);
	assert_int_equal(reversed(t->trace, BASE_LINEAR, doubt / 2 + 1000), 0);
}

TEST(test_clock_gettime)
{
	OWNED_TRACED *t = traced_well(2, "--yield --clock monotonic", "programs/ring", "2 10 10");

	assert_string_equal(trace_property_value(t->trace, "clock"), "monotonic");
	traced_compare_messages(t);
}

TEST(test_says_of_itself)
{
	OWNED_TRACED *t = traced_well(2, "--yield", "programs/ring", "2 10 10");
	unsigned long cost[16], gap[3];
	const char *text;

	traced_has(t, "command", "ring 2 10 10");
	traced_has(t, "options", "--yield");
	traced_has(t, "mpi", "MPICH");
	assert_non_null(trace_property_value(t->trace, "directory"));
	assert_non_null(trace_property_value(t->trace, "date"));
	assert_non_null(trace_property_value(t->trace, "compiler"));
	/* 16 neighbour sums, each of them more than a nanosecond and less than ten microseconds. */
	text = trace_property_value(t->trace, "cost-pairs-ps");
	assert_non_null(text);
	for (int i = 0; i < 16; i++) {
		char *end;
		cost[i] = strtoul(text, &end, 10);
		assert_ptr_not_equal(end, text);
		assert_in_range(cost[i], 1000, 10000000);
		text = end;
	}
	/* Copies of 64 bytes to 2 MiB: none is faster than 1 TB/s, the largest takes longer than 10
	 * us and less than 1 s. */
	text = trace_property_value(t->trace, "cost-copy-ps");
	assert_non_null(text);
	for (unsigned long bytes = 64; bytes <= 2 << 20; bytes *= 2) {
		char *end;
		assert_int_equal(strtoul(text, &end, 10), bytes);
		assert_int_equal(*end, ':');
		cost[0] = strtoul(end + 1, &end, 10);
		assert_true(cost[0] >= bytes);
		text = end;
	}
	assert_int_equal(*text, '\0');
	assert_in_range(cost[0], 10000000, 1000000000000);
	text = trace_property_value(t->trace, "cost-work-ps");
	assert_non_null(text);
	assert_int_equal(sscanf(text, "%lu %lu %lu", &gap[0], &gap[1], &gap[2]), 3);
	assert_true(gap[1] <= gap[0] && gap[0] <= gap[2] && gap[2] < 10000000);
	text = trace_property_value(t->trace, "cost-blank-ps");
	assert_non_null(text);
	assert_int_equal(sscanf(text, "%lu %lu %lu", &gap[0], &gap[1], &gap[2]), 3);
	assert_true(gap[1] <= gap[0] && gap[0] <= gap[2] && gap[2] < 1000000);
	text = trace_property_value(t->trace, "cost-gap-ps");
	assert_non_null(text);
	assert_int_equal(sscanf(text, "%lu %lu %lu", &gap[0], &gap[1], &gap[2]), 3);
	assert_true(gap[1] <= gap[0] && gap[0] <= gap[2] && gap[2] < 1000000);
}

/* With 5 us more a record 2,000 records take 10 ms more; the table of costs says so. */
TEST(test_probe_delay)
{
	OWNED_TRACED *t = traced_well(2, "--yield --no-insitu --probe-delay 5000",
				      "programs/guard/pi", "500 2");
	struct cursor c;
	int64_t first = 0, last = 0;

	assert_int_equal(traced_count(t, EV_ENTER, "get_coords"), 1000);
	for (bool ok =
		     cursor_first(&c, t->trace, BASE_MEASURED, trace_location_of_rank(t->trace, 1));
	     ok; ok = cursor_next(&c)) {
		const uint32_t path = trace_event_path(t->trace, c.id);
		if (!path ||
		    strcmp(trace_region_name(t->trace, trace_callpath_region(t->trace, path)),
			   "throw_darts") != 0)
			continue;
		first = first ? first : cursor_time(&c);
		last = cursor_time(&c);
	}
	assert_true(last - first >= 2000 * 5000);
	assert_true(strtoul(trace_property_value(t->trace, "cost-pairs-ps"), NULL, 10) >= 5000000);
}

TEST(test_anonymous)
{
	OWNED_TRACED *t = traced_well(2, "--yield --anonymous", "programs/farm", "4 10");
	char path[128], host[65] = "", here[512];
	OWNED_STR text = STR_INIT;

	traced_compare_messages(t);
	gethostname(host, sizeof host - 1);
	assert_non_null(getcwd(here, sizeof here));
	snprintf(path, sizeof path, "%s/run.trc", t->folder);
	file_read(path, &text);
	assert_null(strstr(text.text, here));
	assert_null(strstr(text.text, "farm"));
	assert_null(strstr(text.text, "master"));
	assert_null(strstr(text.text, "hand out"));
	if (strlen(host) > 3)
		assert_null(strstr(text.text, host));
}

TEST(test_no_functions)
{
	OWNED_TRACED *t = traced_well(2, "--yield --no-functions", "programs/pi", "100 1");

	assert_int_equal(traced_region(t, "get_coords"), UINT32_MAX);
	traced_compare_messages(t);
}

/* A preload that is there stays, in the environment and in mpiexec's own arguments. */
TEST(test_preloads_stay)
{
	OWNED_TRACED *t =
		traced_command(2, "",
			       "mpiexec.mpich -n 1 -env LD_PRELOAD $BUILD/lib/tview/libtvyield.so "
			       "printenv LD_PRELOAD");

	assert_true(said(t, "libtvcapture.so:"));
	assert_true(said(t, ":" TEST_BUILD "/lib/tview/libtvyield.so"));
	assert_true(said(t, "no trace written: no rank recorded anything."));
	assert_int_equal(t->status, 0);
	assert_null(t->trace);
}

TEST(test_statuses)
{
	static const struct {
		const char *options, *command, *says;
		int status;
	} cases[] = {
		{ "", "sh -c 'exit 7'", "no trace written: no rank recorded anything.", 7 },
		{ "", "true", "No MPI process seen.", 0 },
		{ "", "sh -c 'exit 125'", "No MPI process seen.", 125 },
		{ "--merge /no/such/folder", "", "/no/such/folder: cannot be read", 125 },
		{ "--merge .", "", "no rank recorded anything", 125 },
		{ "--merge .", "true", "--merge runs no command", 125 },
		{ "", "./no-such-program", "cannot be run", 127 },
		{ "", "./Makefile", "cannot be run", 126 },
		{ "--no-such-option", "true", "unknown option --no-such-option", 125 },
		{ "--clock sundial", "true", "must be one of auto|tsc|monotonic", 125 },
		{ "--buffer-size 5", "true", "2M or more", 125 },
		{ "--probe-delay soon", "true", "is not a time", 125 },
		{ "--probe-delay 2s", "true", "a time from 0 to 1s", 125 },
		{ "--no-insitu=1", "true", "takes no value", 125 },
		{ "--buffer-dir /no/such/folder", "true", "cannot make a folder", 125 },
		{ "", "", "no command given", 125 },
		{ "", "sh -c 'kill -TERM $PPID; sleep 5'",
		  "no trace written: no rank recorded anything.", 128 + 15 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OWNED_TRACED *t = traced_command(2, cases[i].options, cases[i].command);
		if (t->status != cases[i].status || !said(t, cases[i].says))
			fail_msg("tvrun %s %s: %d, %s", cases[i].options, cases[i].command,
				 t->status, t->said.text);
		assert_null(t->trace);
	}
}
