/* Nonblocking collectives are in the clock condition: their begin is the request, their end the
 * completion. Alone, they show a clock that is wrong, and correct it. */
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
