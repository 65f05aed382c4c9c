/* Roll-calls of traces made by hand, in which who waits for whom is known; and of random ones,
 * whose cycles are found anew by the closure of the relation "waits for". */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/notation.h"
#include "harness/random.h"
#include "harness/test.h"
#include "model/trace/message.h"
#include "model/trace/program.h"
#include "patterns/analysis/rollcall.h"
#include "views/facts/rollcall_text.h"
#include "views/query/view_common.h"

/* Ranks that have all come out of MPI_Init, inside main. */
static struct notation begin(int ranks)
{
	struct notation n;

	notation_begin(&n, 1000000);
	notation_write(&n,
		       "file 'x.c'; region MPI_Barrier class sync picl 0\n"
		       "region MPI_Init class mpi picl 0; region MPI_Finalize class mpi picl 0");
	for (int i = 0; i < ranks; i++)
		notation_write(&n, "rank %d: main:1@0 MPI_Init:2@1-5", i);
	return n;
}

static void send_open(struct notation *n, int from, int to, int time)
{
	notation_write(n, "rank %d: MPI_Ssend:30@%d ->%d tag 7 4B", from, time, to);
}

static void post(struct notation *n, int who, int from, int time, int request)
{
	notation_write(n, "rank %d: MPI_Irecv:39@%d-+1 post <-%d tag 9 0B req %d @%d", who, time,
		       from, request, time);
}

static void collect(void *context, const struct roll_group *group, bool warning, const char *text)
{
	(void)group;
	(void)warning;
	str_add_fmt(context, "%s\n", text);
}

static char *sentences(const struct rollcall *roll, const struct trace *trace)
{
	struct str s = STR_INIT;

	rollcall_sentences(roll, trace, collect, &s);
	return str_take(&s);
}

/* ---- by hand ---- */

TEST(ring)
{
	struct notation r = begin(4);
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;
	OWNED char *text;

	for (int i = 0; i < 4; i++)
		send_open(&r, i, (i + 1) % 4, 100 + i);
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.n_groups, 1);
	assert_int_equal(roll.groups[0].state, ROLL_SEND);
	assert_int_equal(roll.n_cycle, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(roll.cycle[(i + 1) % 4], (roll.cycle[i] + 1) % 4);
	assert_int_equal(roll.n_blamed, 0);
	assert_int_equal(roll.odd, UINT32_MAX);
	assert_int_equal(roll.rolls[2].peer, 3);
	assert_int_equal(roll.rolls[2].tag, 7);
	assert_int_equal(roll.rolls[2].since, 102);
	text = sentences(&roll, trace);
	assert_string_equal(text,
			    "Deadlock: rank 0 waits for 1, 1 for 2, 2 for 3, 3 for 0.\n"
			    "Ranks 0-3 (4) are in MPI_Ssend (x.c:30), the first since 100 us.\n");
}

/* Each rank receives from the one before. Where rank 2 has sent to rank 0 that message is under way:
 * rank 0 goes on, and so do all. */
TEST(token_under_way)
{
	for (int sent = 0; sent < 2; sent++) {
		struct notation r = begin(3);
		ENDED_BY(rollcall_fini) struct rollcall roll;
		OWNED_TRACE *trace;

		if (sent)
			notation_write(&r, "rank 2: MPI_Send:25@50-60 ->0 tag 9 4B");
		for (int i = 0; i < 3; i++)
			notation_write(&r, "rank %d: MPI_Recv:20@%d post <-%d tag 9 4B req 1", i,
				       100 + i, (i + 2) % 3);
		trace = notation_finish(&r);
		assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
		assert_int_equal(roll.n_cycle, sent ? 0 : 3);
		assert_int_equal(roll.rolls[0].peer, 2);
		assert_int_equal(roll.n_blamed, sent);
		assert_true(!sent || roll.blamed[0] == 0);
	}
}

/* 19 ranks in a barrier, rank 7 computes. */
TEST(odd_one)
{
	struct notation r = begin(20);
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;
	OWNED char *text;

	for (int i = 0; i < 20; i++)
		if (i != 7)
			notation_write(&r, "rank %d: MPI_Barrier:10@%d all", i, 200 + i);
	notation_write(&r, "rank %d: compute:20@50", 7);
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.n_groups, 2);
	assert_int_equal(roll.groups[0].n, 19);
	assert_int_equal(roll.odd, 1);
	assert_int_equal(roll.n_cycle, 0);
	assert_int_equal(roll.n_blamed, 1);
	assert_int_equal(roll.blamed[0], 7);
	assert_int_equal(roll.waiters[0], 19);
	assert_int_equal(roll.rolls[0].pending, 1);
	text = sentences(&roll, trace);
	assert_string_equal(
		text, "19 ranks wait for rank 7, which is in compute() (x.c:20).\n"
		      "Ranks 0-6,8-19 (19) are in MPI_Barrier (x.c:10), the first since 200 us.\n"
		      "Rank 7 is in compute() (x.c:20), the last record at 50 us.\n");
}

/* Rank 0 waits for rank 1, which sends to rank 2, which is in MPI_Finalize: that waits for all. */
TEST(chain_to_finalize)
{
	struct notation r = begin(3);
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;

	post(&r, 0, 1, 20, 5);
	notation_write(&r, "rank %d: MPI_Wait:40@30", 0);
	send_open(&r, 1, 2, 40);
	notation_write(&r, "rank %d: MPI_Finalize:99@50", 2);
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.rolls[0].state, ROLL_WAIT);
	assert_int_equal(roll.rolls[0].peer, 1);
	assert_int_equal(roll.rolls[0].since, 30);
	assert_int_equal(roll.rolls[2].state, ROLL_COLLECTIVE);
	assert_int_equal(roll.rolls[2].pending, 2);
	assert_int_equal(roll.n_cycle, 3); /* MPI_Finalize waits for rank 0, too */
	assert_int_equal(roll.n_blamed, 0);
}

/* Either of two requests would do: nobody in particular is waited for. */
TEST(any_of_several)
{
	struct notation r = begin(2);
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;

	for (int i = 0; i < 2; i++) {
		post(&r, i, 1 - i, 20, 5);
		post(&r, i, 1 - i, 22, 6);
		notation_write(&r, "rank %d: MPI_Waitany:41@30", i);
	}
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.rolls[0].pending, 2);
	assert_int_equal(roll.n_cycle, 0);
}

TEST(nothing_open)
{
	struct notation r = begin(2);
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;

	for (int i = 0; i < 2; i++)
		notation_write(&r, "rank %d: MPI_Finalize:99@50-60 leave main:1 @70", i);
	trace = notation_finish(&r);
	assert_false(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
}

/* Nothing but MPI was recorded: rank 1 came out of a barrier and goes on, rank 2 has come to its end. */
/* Rank 0 waits for rank 1, whose records end in a call because the rest is damaged; rank 2's are
 * missing. Neither has ended, as far as is known, nor is it in a call. */
TEST(lost_records_say_nothing)
{
	struct notation r;
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;
	OWNED char *text;

	notation_begin(&r, 1000000);
	notation_write(&r, "ranks 3\nrank 0: main@0 MPI_Recv@20 post <-1 tag 9 0B req 1 @21\n"
			   "rank 1: main@0 MPI_Ssend@10 ->0 tag 7 4B");
	builder_end_lost(r.b, 1);
	builder_end_lost(r.b, 2);
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.rolls[0].state, ROLL_RECV);
	assert_int_equal(roll.rolls[1].state, ROLL_STOPPED);
	assert_int_equal(roll.rolls[1].since, 10);
	assert_int_equal(roll.rolls[2].state, ROLL_UNKNOWN);
	text = sentences(&roll, trace);
	assert_non_null(strstr(text, "Rank 1 is not recorded since "));
	assert_non_null(strstr(text, "Rank 2 has no records."));
	assert_null(strstr(text, "ended"));
}

TEST(only_lost_records_are_no_hang)
{
	struct notation r;
	struct rollcall roll;
	OWNED_TRACE *trace;

	notation_begin(&r, 1000000);
	notation_write(
		&r, "ranks 2\nrank 0: main@0 { } @100\nrank 1: main@0 MPI_Ssend@10 ->0 tag 7 4B");
	builder_end_lost(r.b, 1);
	trace = notation_finish(&r);
	assert_false(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
}

TEST(outside_of_mpi)
{
	struct notation r;
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;
	OWNED char *text;

	notation_begin(&r, 1000000);
	notation_write(&r, "file 'x.c'; region MPI_Finalize class startend picl 0\n"
			   "rank 0: MPI_Recv:20@100 post <-1 tag 9 0B req 1\n"
			   "rank 1: MPI_Send:10@100-110\n"
			   "rank 2: MPI_Finalize:40@100-120");
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.rolls[1].state, ROLL_OUTSIDE);
	assert_int_equal(roll.rolls[2].state, ROLL_ENDED);
	text = sentences(&roll, trace);
	assert_non_null(strstr(text,
			       "1 rank waits for rank 1, which is outside MPI, in code that is not "
			       "recorded, since 110 us.\n"));
	assert_non_null(
		strstr(text,
		       "Rank 1 is outside MPI, in code that is not recorded, since 110 us.\n"));
	assert_non_null(strstr(text, "Rank 2 has ended: no region is open.\n"));
}

/* ---- collectives that do not fit together ---- */

/* Four ranks have all done a barrier; what they do next is in the notation's words, a line each. */
static struct trace *after_a_barrier(const char *const *next)
{
	struct notation r;

	notation_begin(&r, 1000000);
	notation_write(&r, "file 'x.c'; mpi collective; comm half 0 1 2 3");
	for (int i = 0; i < 4; i++)
		notation_write(&r, "rank %d: MPI_Barrier:10@10-20 all %s", i, next[i]);
	return notation_finish(&r);
}

static char *mismatches_of(const char *const *next, uint32_t *n)
{
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace = after_a_barrier(next);
	char *text, *line;

	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	*n = roll.n_mismatches;
	text = sentences(&roll, trace);
	line = strstr(text, "Mismatch ");
	if (line)
		memmove(text, line, strcspn(line, "\n") + 1);
	text[line ? strcspn(text, "\n") : 0] = '\0';
	return text;
}

TEST(other_operation)
{
	static const char *const next[] = { "MPI_Bcast:11@30 all root 0 4B/4B",
					    "MPI_Bcast:11@31 all root 0 0B/4B",
					    "MPI_Allreduce:12@32 all 16B/16B",
					    "MPI_Bcast:11@33 all root 0 0B/4B" };
	uint32_t n;
	OWNED char *text = mismatches_of(next, &n);

	assert_string_equal(text, "Mismatch in collective call 2 of world: MPI_Bcast on ranks "
				  "0,1,3, but MPI_Allreduce on rank 2.");
	assert_int_equal(n, 1);
}

TEST(other_root)
{
	static const char *const next[] = { "MPI_Bcast:11@30 all root 1 4B/4B",
					    "MPI_Bcast:11@31 all root 1 0B/4B",
					    "MPI_Bcast:11@32 all root 2 0B/4B", "compute:20@33" };
	uint32_t n;
	OWNED char *text = mismatches_of(next, &n);

	assert_string_equal(text,
			    "Mismatch in collective call 2 of world: MPI_Bcast with root 1 on "
			    "ranks 0,1, but with root 2 on rank 2.");
	assert_int_equal(n, 1);
}

TEST(other_size)
{
	static const char *const next[] = { "MPI_Reduce:11@30 all root 0 16B/64B",
					    "MPI_Reduce:11@31 all root 0 16B/0B",
					    "MPI_Reduce:11@32 all root 0 24B/0B",
					    "MPI_Reduce:11@33 all root 0 16B/0B" };
	uint32_t n;
	OWNED char *text = mismatches_of(next, &n);

	assert_string_equal(text, "Mismatch in collective call 2 of world: MPI_Reduce with 16 B on "
				  "ranks 0,1,3, but with 24 B on rank 2.");
	assert_int_equal(n, 1);
}

/* Each rank counts what it gives to all four; that of one is told. */
TEST(other_size_of_what_all_give_to_all)
{
	static const char *const next[] = { "MPI_Allreduce:11@30 all 64B/64B",
					    "MPI_Allreduce:11@31 all 32B/32B", "compute:20@33",
					    "MPI_Allreduce:11@32 all 64B/64B" };
	uint32_t n;
	OWNED char *text = mismatches_of(next, &n);

	assert_string_equal(text, "Mismatch in collective call 2 of world: MPI_Allreduce with 16 B "
				  "on ranks 0,3, but with 8 B on rank 1.");
	assert_int_equal(n, 1);
}

/* Late ranks, sizes that may differ, a root whose part is in place, other calls at other
 * positions: no mismatch. */
TEST(all_fits)
{
	static const char *const fit[][4] = {
		{ "MPI_Bcast:11@30 all root 0 4B/4B", "compute:20@33", "compute:20@33",
		  "MPI_Bcast:11@31 all root 0 0B/4B" },
		{ "MPI_Gatherv:11@30 all root 0 4B/12B", "MPI_Gatherv:11@31 all root 0 8B/0B",
		  "MPI_Gatherv:11@32 all root 0 0B/0B", "compute:20@33" },
		{ "MPI_Gather:11@30 all root 0 0B/12B", "MPI_Gather:11@31 all root 0 4B/0B",
		  "MPI_Gather:11@32 all root 0 4B/0B", "compute:20@33" },
		{ "MPI_Allgather:11@30 all 16B/16B", "MPI_Allgather:11@31 all 12B/12B",
		  "MPI_Allgather:11@32 all 16B/16B", "compute:20@33" },
		{ "MPI_Barrier:11@30-35 all MPI_Bcast:12@40 all root 0 4B/4B",
		  "MPI_Barrier:11@31 all", "MPI_Barrier:11@32-35 all compute:20@37",
		  "MPI_Barrier:11@33-35 all" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fit); i++) {
		uint32_t n;
		OWNED char *text = mismatches_of(fit[i], &n);
		assert_string_equal(text, "");
		assert_int_equal(n, 0);
	}
}

/* ---- without events: counts of messages ---- */

/* A statement of MPI with so many messages of one rank to or from another one, or PARTNER_MANY. */
static void counted(struct notation *n, int rank, uint32_t flag, int partner, uint64_t count)
{
	const struct statement s = { .kind = STATEMENT_COMMUNICATION,
				     .line = builder_statement_count(n->b) + 1,
				     .parent = NO_STATEMENT,
				     .callee = NO_STATEMENT,
				     .region = UINT32_MAX };
	const struct statement_record r = { .statement = builder_statement(n->b, &s),
					    .location = (uint32_t)rank,
					    .from = NO_STATEMENT,
					    .partner = partner,
					    .flags = flag,
					    .count = count };

	builder_statement_record(n->b, &r);
}

/* Three ranks, each of which is in MPI_Recv from the one before, after ten rounds of a token; what
 * rank 2 has sent to rank 0 besides. */
static struct trace *after_ten_rounds(uint64_t sent, int to, bool started)
{
	struct notation r = begin(3);

	notation_write(&r, "property recorded statistics");
	for (int i = 0; i < 3; i++) {
		counted(&r, i, RECORD_SENT, (i + 1) % 3, 10);
		counted(&r, i, RECORD_RECEIVED, (i + 2) % 3, started ? 11 : 10);
		if (started)
			post(&r, i, (i + 2) % 3, 90, 5);
		notation_write(&r,
			       started ? "rank %d: MPI_Wait:40@%d"
				       : "rank %d: MPI_Recv:20@%d post <-%d tag 9 0B req 1",
			       i, 100 + i, (i + 2) % 3);
	}
	if (sent)
		counted(&r, 2, RECORD_SENT, to, sent);
	return notation_finish(&r);
}

TEST(counts_of_messages)
{
	for (int i = 0; i < 8; i++) {
		const bool started = i & 1;
		const uint64_t sent = i >= 2;
		const int to = i < 4 ? 0 : i < 6 ? 1 : PARTNER_MANY;
		const char *said =
			i < 2   ? "Deadlock: rank 0 waits for 2, 2 for 1, 1 for 0.\n"
			: i < 4 ? "A message is under way to rank 0: more were sent than received.\n"
			: i < 6 ? "Deadlock: rank 0 waits for 2, 2 for 1, 1 for 0.\n"
				: "Whether the partner of rank 0 is ready is not known: messages of several partners are counted together.\n";
		OWNED_TRACE *trace = after_ten_rounds(sent, to, started);
		ENDED_BY(rollcall_fini) struct rollcall roll;
		OWNED char *text = NULL;

		assert_true(trace_records_alone(trace));
		assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
		text = sentences(&roll, trace);
		assert_non_null(strstr(text, said));
		assert_int_equal(roll.n_cycle, *said == 'D' ? 3 : 0);
		assert_int_equal(roll.rolls[0].peer, 2);
		assert_int_equal(roll.rolls[0].arriving, *said == 'A');
		assert_int_equal(roll.rolls[0].unsure, *said == 'W');
		assert_int_equal(roll.n_blamed, *said != 'D');
	}
}

/* Two ranks send to each other; rank 1 has or has not started the receive for that. */
TEST(counts_of_receives)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct notation r = begin(2);
		ENDED_BY(rollcall_fini) struct rollcall roll;
		OWNED_TRACE *trace;

		notation_write(&r, "property recorded statistics");
		counted(&r, 0, RECORD_SENT, 1, 4);
		counted(&r, 1, RECORD_RECEIVED, 0, 4 + more);
		send_open(&r, 0, 1, 100);
		send_open(&r, 1, 0, 101);
		trace = notation_finish(&r);
		assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
		assert_int_equal(roll.n_cycle, more ? 0 : 2);
		assert_false(roll.rolls[0].arriving || roll.rolls[0].unsure);
	}
}

/* ---- since when nothing moves ---- */

TEST(nothing_moves)
{
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;
	struct notation r = begin(2);

	/* The latest begin or end of a call of MPI is rank 0's at 100; rank 1 computes. */
	notation_write(&r, "rank 0: MPI_Recv:20@100 <-1 tag 7 4B\n"
			   "rank 1: MPI_Send:30@40-50, compute:20@60-400 compute:20@500");
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(roll.still, 100);
	assert_int_equal(roll.last, 500);
	assert_true(rollcall_cycle_since(&roll) == INT64_MAX);
}

TEST(since_when_a_cycle_stands)
{
	ENDED_BY(rollcall_fini) struct rollcall roll;
	OWNED_TRACE *trace;
	struct notation r = begin(3);

	for (int i = 0; i < 3; i++)
		send_open(&r, i, (i + 1) % 3, 100 + 50 * i);
	trace = notation_finish(&r);
	assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
	assert_int_equal(rollcall_cycle_since(&roll), 200);
	assert_int_equal(roll.still, 200);
}

/* ---- random ---- */

enum { RANKS = 12 };

/* Each rank computes, or sends to another, or waits for requests of several others. */
static struct trace *random_waits(uint64_t seed, bool waits[RANKS][RANKS])
{
	struct notation r = begin(RANKS);

	memset(waits, 0, sizeof(bool) * RANKS * RANKS);
	for (int i = 0; i < RANKS; i++) {
		const uint32_t what = draw(&seed, 5);
		if (what < 2) {
			notation_write(&r, "rank %d: compute:20@100", i);
		} else if (what < 4) {
			const int to = (int)((uint32_t)(i + 1) + draw(&seed, RANKS - 1)) % RANKS;
			send_open(&r, i, to, 100);
			waits[i][to] = true;
		} else {
			for (int k = 0; k < 2; k++) {
				const int from = (int)draw(&seed, RANKS);
				post(&r, i, from, 50 + 2 * k, k);
				waits[i][from] = true;
			}
			notation_write(&r, "rank %d: MPI_Wait:40@100", i);
		}
	}
	return notation_finish(&r);
}

TEST(cycles_are_cycles)
{
	bool waits[RANKS][RANKS], reach[RANKS][RANKS];
	unsigned with = 0, without = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		OWNED_TRACE *trace = random_waits(seed, waits);
		ENDED_BY(rollcall_fini) struct rollcall roll;
		bool cycle = false;
		memcpy(reach, waits, sizeof reach);
		for (int k = 0; k < RANKS; k++)
			for (int i = 0; i < RANKS; i++)
				for (int j = 0; j < RANKS; j++)
					reach[i][j] |= reach[i][k] && reach[k][j];
		for (int i = 0; i < RANKS; i++)
			cycle |= reach[i][i];
		assert_true(rollcall_make(&roll, trace, BASE_MEASURED, NULL));
		assert_int_equal(roll.n_cycle > 0, cycle);
		for (uint32_t i = 0; i < roll.n_cycle; i++)
			assert_true(waits[roll.cycle[i]][roll.cycle[(i + 1) % roll.n_cycle]]);
		for (uint32_t i = 0; i < roll.n_blamed; i++) {
			uint32_t waiters = 0;
			for (int k = 0; k < RANKS; k++) {
				assert_false(waits[roll.blamed[i]][k]);
				waiters += waits[k][roll.blamed[i]];
			}
			assert_true(waiters > 0);
		}
		with += cycle;
		without += !cycle;
	}
	assert_true(with > 20 && without > 20);
}
