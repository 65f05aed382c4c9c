/* Nonblocking and persistent collectives and messages are in the clock condition: their begin is
 * the request or the start, of partitions the last that is ready, their end the completion. Alone,
 * they show a clock that is wrong, and correct it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "correct/correct.h"
#include "harness/notation.h"
#include "harness/owners.h"
#include "harness/random.h"
#include "harness/test.h"

enum { RANKS = 4, ROUNDS = 60, WRONG = 30000000 /* ns: rank 2's clock is ahead */ };

struct nonblocking_case {
	const char *name;
	enum logical_class cls;
	const char *bytes; /* of a member; with a root: of the others */
	const char *of_root;
	bool rooted, grid;
	bool both_ways; /* it bounds clocks from both sides */
};

static const struct nonblocking_case cases[] = {
	{ "MPI_Iallreduce", LOGICAL_N_TO_N, "8B", NULL, false, false, true },
	{ "MPI_Ibarrier", LOGICAL_BARRIER, "0B", NULL, false, false, true },
	{ "MPI_Ialltoall", LOGICAL_N_TO_N, "32B", NULL, false, false, true },
	{ "MPI_Iallgatherv", LOGICAL_N_TO_N, "8B/32B", NULL, false, false, true },
	{ "MPI_Ireduce_scatter", LOGICAL_N_TO_N, "8B", NULL, false, false, true },
	{ "MPI_Ibcast", LOGICAL_ONE_TO_N, "0B/8B", "8B/0B", true, false, false },
	{ "MPI_Ireduce", LOGICAL_N_TO_ONE, "8B/0B", "8B/8B", true, false, false },
	{ "MPI_Iscan", LOGICAL_PREFIX, "8B", NULL, false, false, false },
	{ "MPI_Ineighbor_allgather", LOGICAL_NEIGHBOURS, "8B/16B", NULL, false, true, true },
	{ "MPI_Ineighbor_alltoall", LOGICAL_NEIGHBOURS, "16B", NULL, false, true, true },
	{ "MPI_Allreduce_init", LOGICAL_N_TO_N, "8B", NULL, false, false, true },
};

/* A round of two requests that are open at once. All ask for the first one, then for the second;
 * they complete when all have asked, some 20 us later, on odd ranks in the other order. */
static void write_round(struct notation *n, const struct nonblocking_case *c, int round,
			struct rng *rng)
{
	int ask[2][RANKS], last[2] = { 0, 0 };

	for (int r = 0; r < RANKS; r++)
		for (int i = 0; i < 2; i++) {
			ask[i][r] = round * 1000000 + 200000 * i + (int)rng_below(rng, 100000);
			last[i] = ask[i][r] > last[i] ? ask[i][r] : last[i];
		}
	for (int r = 0; r < RANKS; r++) {
		for (int i = 0; i < 2; i++)
			notation_write(n, "rank %d: %s@%d-%d ask %d", r, c->name, ask[i][r],
				       ask[i][r] + 1000, i + 1);
		for (int k = 0; k < 2; k++) {
			const int i = r % 2 ? 1 - k : k, root = (round + i) % RANKS;
			const int end = last[1] + 20000 + 100000 * k + (int)rng_below(rng, 10000);
			const char *bytes = c->rooted && r == root ? c->of_root : c->bytes;
			char rooted[32] = "";
			if (c->rooted)
				snprintf(rooted, sizeof rooted, "root %d", root);
			notation_write(n, "rank %d: MPI_Wait@%d-%d got %d %s %s %s", r, end - 1000,
				       end, i + 1, c->name, rooted, bytes);
		}
	}
}

static struct trace *write_case(const struct nonblocking_case *c)
{
	struct rng rng = { 17 };
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks %d; mpi collective\n", RANKS);
	if (c->grid)
		notation_write(&n, "grid %d\n", RANKS);
	notation_write(&n, "clock 2 %d\n", WRONG);
	for (int round = 0; round < ROUNDS; round++)
		write_round(&n, c, round, &rng);
	return notation_finish(&n);
}

TEST(a_wrong_clock_is_found_and_corrected)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct nonblocking_case *c = &cases[i];
		const struct correct_options options = CORRECT_DEFAULTS;
		OWNED_TRACE *trace = write_case(c);
		struct err err = ERR_INIT;
		FREED_BY(corrections_free)
		struct corrections *corrections = correct_run(trace, &options, NULL, &err);
		const struct check *measured = &corrections->check[BASE_MEASURED];
		const enum time_base best = trace_default_base(trace);
		if (best == BASE_MEASURED || corrections->check[best].all.violating)
			print_message("# %s: %s\n", c->name, time_base_name(best));
		assert_int_equal(corrections->counts.nonblocking, 0);
		assert_true(measured->by_class[c->cls].messages > 0);
		assert_true(measured->by_class[c->cls].reversed > 0);
		assert_int_equal(measured->all.messages, measured->by_class[c->cls].messages);
		assert_true(best != BASE_MEASURED);
		assert_int_equal(corrections->check[best].all.violating, 0);
		if (!c->both_ways)
			continue;
		/* By the fit, to within the 20 us and more of a completion. */
		const struct fit_report *fit = &corrections->fit;
		assert_true(fit->done);
		for (uint32_t k = 1; k < fit->n_clocks; k++) {
			const bool wrong =
				trace_location(trace, fit->clocks[k].location)->rank == 2;
			assert_int_equal(fit->clocks[k].state, CLOCK_TWO_SIDED);
			assert_true(fabs(fit->clocks[k].offset + (wrong ? WRONG : 0)) < 150e3);
		}
	}
}

/* Around a ring, each round: both receives are started, a send 100 us later, by the last of two
 * partitions 200 us later if `parts`; all wait until 10 us after the later neighbour's message. */
static struct trace *write_persistent(bool parts)
{
	struct rng rng = { 23 };
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks %d; mpi p2p; clock 2 %d\n", RANKS, WRONG);
	for (int round = 0; round < ROUNDS; round++) {
		int begin[RANKS], sent[RANKS];
		for (int r = 0; r < RANKS; r++) {
			begin[r] = round * 1000000 + (int)rng_below(&rng, 200000);
			sent[r] = begin[r] + (parts ? 200000 : 100000);
		}
		for (int r = 0; r < RANKS; r++) {
			const int left = (r + RANKS - 1) % RANKS, right = (r + 1) % RANKS;
			const int late = sent[left] > sent[right] ? sent[left] : sent[right];
			const int done = (late > sent[r] ? late : sent[r]) + 10000 +
					 (int)rng_below(&rng, 5000);
			notation_write(&n,
				       "rank %d: MPI_Startall@%d-%d post <-%d tag 1 req 1, "
				       "post <-%d tag 2 req 2",
				       r, begin[r], begin[r] + 1000, left, right);
			if (parts)
				notation_write(&n, "rank %d: MPI_Pready@%d-%d", r,
					       begin[r] + 100000, begin[r] + 101000);
			notation_write(&n, "rank %d: %s@%d-%d ->%d tag 1 req 3, ->%d tag 2 req 4",
				       r, parts ? "MPI_Pready" : "MPI_Startall", sent[r],
				       sent[r] + 1000, right, left);
			notation_write(&n,
				       "rank %d: MPI_Waitall@%d-%d sent 3 sent 4 "
				       "<-%d tag 1 req 1 <-%d tag 2 req 2",
				       r, done - 1000, done, left, right);
		}
	}
	return notation_finish(&n);
}

TEST(persistent_messages_are_corrected)
{
	for (int parts = 0; parts < 2; parts++) {
		const struct correct_options options = CORRECT_DEFAULTS;
		OWNED_TRACE *trace = write_persistent(parts);
		struct err err = ERR_INIT;
		FREED_BY(corrections_free)
		struct corrections *corrections = correct_run(trace, &options, NULL, &err);
		const struct fit_report *fit = &corrections->fit;
		const struct check *measured = &corrections->check[BASE_MEASURED];
		/* Two messages a rank and round; those that rank 2 sends arrive too early. */
		assert_int_equal(measured->all.messages, 2 * RANKS * ROUNDS);
		assert_int_equal(measured->all.reversed, 2 * ROUNDS);
		assert_true(fit->done);
		assert_int_equal(corrections->check[BASE_FITTED].all.reversed, 0);
		for (uint32_t k = 1; k < fit->n_clocks; k++) {
			const bool wrong =
				trace_location(trace, fit->clocks[k].location)->rank == 2;
			assert_int_equal(fit->clocks[k].state, CLOCK_TWO_SIDED);
			assert_true(fabs(fit->clocks[k].offset + (wrong ? WRONG : 0)) < 50e3);
		}
	}
}

/* Messages one way only, rank 0 to 1 to 2, are as good as the fastest of them: a clock is not put
 * into the middle of what the 400 ms of MPI_Init leave open. No offsets are recorded. */
TEST(one_way_beside_init)
{
	const struct correct_options options = CORRECT_DEFAULTS;
	struct notation n;
	struct err err = ERR_INIT;

	notation_begin(&n, 1000000000);
	notation_write(&n, "ranks 3; mpi p2p; clock 1 %d\n", WRONG);
	for (int r = 0; r < 3; r++)
		notation_write(&n, "rank %d: start@%d-%d MPI_Init@%d-%d", r, r * 1000,
			       r * 1000 + 500, 10000000 + r * 3000000, 410000000 + r * 100000);
	for (int round = 0; round < ROUNDS; round++) {
		const int t = 420000000 + round * 1000000;
		for (int r = 0; r < 2; r++)
			notation_write(&n, "rank %d: MPI_Start@%d-%d ->%d", r, t + 400000 * r,
				       t + 400000 * r + 500, r + 1);
		for (int r = 1; r < 3; r++) {
			const int sent = t + 400000 * (r - 1);
			notation_write(&n, "rank %d: MPI_Wait@%d-%d <-%d", r, sent + 2000,
				       sent + 20000 + 1000 * (round * 7 % 40), r - 1);
		}
	}
	OWNED_TRACE *trace = notation_finish(&n);
	FREED_BY(corrections_free)
	struct corrections *corrections = correct_run(trace, &options, NULL, &err);
	const struct fit_report *fit = &corrections->fit;
	assert_int_equal(corrections->check[BASE_MEASURED].all.reversed, ROUNDS);
	assert_true(fit->done);
	assert_int_equal(corrections->check[BASE_FITTED].all.reversed, 0);
	for (uint32_t k = 1; k < fit->n_clocks; k++) {
		const bool wrong = trace_location(trace, fit->clocks[k].location)->rank == 1;
		/* A message takes 20 us and more. */
		assert_true(fabs(fit->clocks[k].offset + (wrong ? WRONG : 0)) < 100e3);
	}
}

/* The logical clock alone does it, too. */
TEST(the_logical_clock_alone)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct correct_options options = { .presync = PRESYNC_OFFSETS,
							 .lmin = LMIN_DEFAULTS,
							 .overhead = OVERHEAD_DEFAULTS,
							 .want = BASE_COUNT };
		OWNED_TRACE *trace = write_case(&cases[i]);
		struct err err = ERR_INIT;
		FREED_BY(corrections_free)
		struct corrections *corrections = correct_run(trace, &options, NULL, &err);
		assert_true(corrections->checked[BASE_CLC]);
		assert_true(corrections->check[BASE_MEASURED].all.reversed > 0);
		assert_int_equal(corrections->check[BASE_CLC].all.violating, 0);
		/* 1 collective in 2 requests a round, all whole. */
		assert_int_equal(trace_collective_count(trace), 2 * ROUNDS);
		for (uint32_t k = 0; k < trace_collective_count(trace); k++) {
			const struct collective *c = trace_collective(trace, k);
			int64_t begin = INT64_MIN, end = INT64_MAX;
			for (uint32_t m = c->first; m < c->first + c->members; m++) {
				const struct member *member = trace_member(trace, m);
				const int64_t b = trace_event_time(trace, BASE_CLC, member->begin);
				const int64_t e = trace_event_time(trace, BASE_CLC, member->end);
				begin = b > begin ? b : begin;
				end = e < end ? e : end;
			}
			if (cases[i].cls == LOGICAL_N_TO_N || cases[i].cls == LOGICAL_BARRIER)
				assert_true(end >= begin);
		}
	}
}
