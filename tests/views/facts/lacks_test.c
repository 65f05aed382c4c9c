/* What a trace lacks, as its properties say it (doc/format.md). */
#include "views/facts/lacks.h"

#include <string.h>

#include "harness/notation.h"
#include "harness/sample.h"
#include "harness/test.h"
#include "views/report/check.h"

/* A run of two ranks and these properties. */
static struct trace *run_with(const char *properties)
{
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n, "%s", properties);
	notation_write(&n, "\nranks 2\nrank 0: main@0 { MPI_Send@10-20 ->1 tag 1 8B } @100\n"
			   "rank 1: main@0 { MPI_Recv@10-30 <-0 tag 1 8B } @100");
	return notation_finish(&n);
}

TEST(a_trace_that_says_nothing_lacks_nothing)
{
	OWNED_TRACE *t = run_with("property command './app'");
	struct phrases p = { .trace = t };

	assert_false(lacks_any(t));
	assert_int_equal(lacks_hidden(t), 0);
	for (unsigned kind = 0; kind < LACK_KINDS; kind++)
		assert_string_equal(lacks_sentence(&p, (enum lack_kind)kind), "");
	phrases_fini(&p);
}

TEST(kinds_counts_and_what_are_read)
{
	OWNED_TRACE *t =
		run_with("property lacks 'calls 12 2 MPI_Send_c'; property lacks 'ranks 3 0'\n"
			 "property lacks 'tool 1 4 /a b/libtool.so'; property lacks 'smell 7'");
	static const struct lack expected[] = {
		{ LACK_CALLS, 12, 2, "MPI_Send_c" },
		{ LACK_RANKS, 3, 0, "" },
		{ LACK_TOOL, 1, 4, "/a b/libtool.so" },
		{ LACK_OTHER, 0, 0, "smell 7" },
	};
	struct lack lack;
	size_t at = 0;

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		assert_true(lacks_next(t, &at, &lack));
		assert_int_equal(lack.kind, expected[i].kind);
		assert_int_equal(lack.count, expected[i].count);
		assert_int_equal(lack.ranks, expected[i].ranks);
		assert_string_equal(lack.what, expected[i].what);
	}
	assert_false(lacks_next(t, &at, &lack));
}

static const struct {
	const char *properties, *sentence;
	enum lack_kind kind;
} sentences[] = {
	{ "property lacks 'counters 2 2 hardware cycles'; property lacks 'counters 1 1 forbidden LLC-loads'",
	  "cycles was not counted on 2 ranks: the processor does not offer it (virtual machines often have no hardware "
	  "counters). LLC-loads was not counted on 1 rank: the kernel does not allow it (perf_event_paranoid, or a "
	  "container).",
	  LACK_COUNTERS },
	{ "property lacks 'counters 1 1 odd x'",
	  "x was not counted on 1 rank: the kernel refused it.", LACK_COUNTERS },
	{ "property lacks 'counters 4 4 shared'",
	  "The counters took turns on 4 ranks: there were more than the processor counts at once, so counts are "
	  "scaled up.",
	  LACK_COUNTERS },
	{ "property lacks 'order 3 1 nodes'; property lacks 'order 1 1 threads'",
	  "Not in the order of virtual time: 3 receives from any source of 1 rank: ranks of other jobs, or of nodes that are "
	  "not asked, could send to them; 1 receive from any source of 1 rank: threads of a rank called MPI at once.",
	  LACK_ORDER },
	{ "property lacks 'order 2 2 silent'; property lacks 'order 1 1 clocks'",
	  "Not in the order of virtual time: 2 receives from any source of 2 ranks: another node of the job did not answer; "
	  "1 receive from any source of 1 rank: maybe, as the clocks of nodes may differ by more than senders do.",
	  LACK_ORDER },
	{ "property lacks 'replay 1 1 rank 0, choice 2, in MPI_Recv (farm.c:61): rank 1 was recorded, which ended without "
	  "sending that'; property lacks 'replay 1 1 rank 3 made only 1 of 2 recorded choices'",
	  "This run did not follow the order that it was to replay: rank 0, choice 2, in MPI_Recv (farm.c:61): rank 1 was "
	  "recorded, which ended without sending that; rank 3 made only 1 of 2 recorded choices.",
	  LACK_REPLAY },
	{ "property lacks 'ranks 2 0'", "2 ranks have no records.", LACK_RANKS },
	{ "property lacks 'threads 1 1'", "1 thread has no records.", LACK_THREADS },
	{ "property lacks 'stopped 2500000 2 buffer full'",
	  "Recording stopped early on 2 ranks (buffer full); 2.50 ms of rank time is missing.",
	  LACK_STOPPED },
	{ "property lacks 'stopped 2500000 1 buffer full'; property lacks 'stopped 0 1 buffer full, killed later'",
	  "Recording stopped early on 2 ranks (buffer full); at least 2.50 ms of rank time is missing.",
	  LACK_STOPPED },
	{ "property lacks 'stopped 0 1 buffer full'",
	  "Recording stopped early on 1 rank (buffer full).", LACK_STOPPED },
	{ "property lacks 'functions 2500000 2 buffer nearly full'",
	  "Functions were not recorded in the last 2.50 ms of rank time on 2 ranks (buffer "
	  "nearly full); calls of MPI were.",
	  LACK_FUNCTIONS },
	{ "property lacks 'functions 0 1 buffer nearly full'",
	  "Functions were not recorded to the end on 1 rank (buffer nearly full); calls of MPI "
	  "were.",
	  LACK_FUNCTIONS },
	{ "property lacks 'mpi 1 0'", "1 process with an MPI of unknown kind was not recorded.",
	  LACK_MPI },
	{ "property lacks 'calls 1 1 MPI_Send_c'",
	  "1 call of MPI_Send_c was not recorded: its partners and waits are unknown, its "
	  "time counts as the caller's.",
	  LACK_CALLS },
	{ "property lacks 'timed 1200 2 MPI_Put'; property lacks 'timed 30 2 MPI_Win_fence'",
	  "1,200 calls of MPI_Put and 30 of MPI_Win_fence were only timed: their partners and "
	  "waits are unknown.",
	  LACK_TIMED },
	{ "property lacks 'timed 9 2 MPI_Put'; property lacks 'timed 8 2 MPI_Get'\n"
	  "property lacks 'timed 7 2 MPI_Probe'; property lacks 'timed 6 2 MPI_Rput'\n"
	  "property lacks 'timed 5 2 MPI_Rget'",
	  "9 calls of MPI_Put, 8 of MPI_Get, 7 of MPI_Probe and 11 of 2 other functions were only "
	  "timed: their partners and waits are unknown.",
	  LACK_TIMED },
	{ "property lacks 'outside 10 2 sent'; property lacks 'outside 1 1 received'\n"
	  "property lacks 'outside 4 2 collectives'",
	  "Processes of other jobs (MPI_Comm_spawn, MPI_Comm_connect ...) are not in this trace: "
	  "10 messages to them and 1 message from them were left out, 4 calls of collectives with "
	  "them are incomplete.",
	  LACK_OUTSIDE },
	{ "property lacks 'dropped 3 0 limit'",
	  "Visits of very short functions have no events after the first ones (tvrun --limit); "
	  "their counts are complete.",
	  LACK_DROPPED },
	{ "property lacks 'dropped 0 2 buffer full'",
	  "Statistics of some statements are missing on 2 ranks.", LACK_DROPPED },
	{ "property lacks 'dropped 12 2 signal handlers'; property lacks 'dropped 0 1 buffer full'",
	  "12 visits in signal handlers were not recorded: the handler interrupted the recorder. "
	  "Statistics of some statements are missing on 1 rank.",
	  LACK_DROPPED },
	{ "property lacks 'tool 1 2 libtool.so'",
	  "Another tool (libtool.so) is between the program and MPI: its time counts as MPI's, "
	  "and calls that it adds are not recorded.",
	  LACK_TOOL },
	{ "property lacks 'python 4 4'",
	  "Lines and functions of Python were not recorded on 4 ranks: tvrun does not know this "
	  "interpreter.",
	  LACK_PYTHON },
	{ "property lacks 'damaged 0 1'",
	  "The buffer of 1 rank was cut off or damaged when the trace was made: what was recorded "
	  "in the rest is lost.",
	  LACK_DAMAGED },
	{ "property lacks 'order 3 2 nodes'; property lacks 'order 1 1 requests'",
	  "Not in the order of virtual time: 3 receives from any source of 2 ranks: ranks of other "
	  "jobs, or of nodes that are not asked, could send to them; 1 choice among requests of 1 "
	  "rank: MPI_Waitany, MPI_Waitsome, MPI_Testany and MPI_Testsome took what was complete "
	  "first.",
	  LACK_ORDER },
	{ "property lacks 'openmp 2 2'",
	  "2 ranks used OpenMP, of which statistics have no parallel regions and no constructs "
	  "(tvrun without --statistics has them).",
	  LACK_OPENMP },
	{ "property lacks 'symbols 12 0 liba.so'; property lacks 'symbols 1 0 libb.so'",
	  "Functions without symbols are shown as addresses: liba.so (12 functions), libb.so (1 "
	  "function).",
	  LACK_SYMBOLS },
	{ "property lacks 'smell 7'", "The trace also lacks: smell 7.", LACK_OTHER },
};

TEST(each_kind_is_a_sentence)
{
	for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
		OWNED_TRACE *t = run_with(sentences[i].properties);
		struct phrases p = { .trace = t };

		assert_true(lacks_any(t));
		assert_string_equal(lacks_sentence(&p, sentences[i].kind), sentences[i].sentence);
		phrases_fini(&p);
	}
}

TEST(what_could_be_different)
{
	static const struct {
		const char *properties;
		unsigned hidden;
	} cases[] = {
		{ "property lacks 'calls 1 1 MPI_Send_c'",
		  LACK_HIDES_WAITS | LACK_HIDES_MESSAGES | LACK_HIDES_MPI },
		{ "property lacks 'calls 1 1 MPI_Bcast_c'", LACK_HIDES_WAITS | LACK_HIDES_MPI },
		{ "property lacks 'timed 1 1 MPI_Isendrecv'",
		  LACK_HIDES_WAITS | LACK_HIDES_MESSAGES },
		{ "property lacks 'timed 1 1 MPI_Put'", LACK_HIDES_WAITS },
		{ "property lacks 'timed 1 1 MPI_Probe'", LACK_HIDES_WAITS },
		{ "property lacks 'ranks 1 0'", LACK_HIDES_WAITS | LACK_HIDES_MESSAGES },
		{ "property lacks 'stopped 5 1 buffer full'",
		  LACK_HIDES_WAITS | LACK_HIDES_MESSAGES },
		{ "property lacks 'smell 7'", LACK_HIDES_WAITS | LACK_HIDES_MESSAGES },
		{ "property lacks 'symbols 2 0 a.so'", 0 },
		{ "property lacks 'tool 1 1 a.so'; property lacks 'dropped 3 0 limit'", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		OWNED_TRACE *t = run_with(cases[i].properties);

		assert_int_equal(lacks_hidden(t), cases[i].hidden);
	}
}

static bool overview_says(struct trace *t, const char *words)
{
	const struct query query = sample_query(t);
	OWNED char *text = sample_export("overview", &query, EXPORT_TEXT, 0);

	return strstr(text, words) != NULL;
}

TEST(a_trace_is_complete_only_if_nothing_is_missing)
{
	OWNED_TRACE *whole = run_with("property command './app'");
	OWNED_TRACE *partly = run_with("property lacks 'calls 3 1 MPI_Send_c'");

	assert_true(overview_says(whole, "Trace complete"));
	assert_false(overview_says(partly, "Trace complete"));
	assert_true(overview_says(partly, "not everything was recorded"));
	assert_true(overview_says(partly, "3 calls of MPI_Send_c were not recorded"));
	assert_true(overview_says(partly, "1 message, 8 B; not all were recorded."));
}

/* What check says of a run with a property. */
static char *checked(const char *property)
{
	OWNED_TRACE *t = run_with(property);
	const struct query query = sample_query(t);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(check_report(&query, out));
	fclose(out);
	return text;
}

TEST(check_does_not_call_it_undamaged)
{
	OWNED char *text = checked("property lacks 'timed 3 1 MPI_Put'");

	assert_null(strstr(text, "No damage"));
	assert_non_null(
		strstr(text, "Not everything was recorded:\n  3 calls of MPI_Put were only timed"));
}

TEST(check_says_which_ranks_did_not_come_to_their_end)
{
	OWNED char *text = checked("property incomplete 'rank 1: exit without MPI_Finalize'");

	assert_null(strstr(text, "No damage"));
	assert_non_null(strstr(text, "Incomplete: rank 1: exit without MPI_Finalize.\n"));
}
