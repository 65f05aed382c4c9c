/* What ranks did in each iteration: of planned runs, whose numbers follow from the plan; and sums
 * that must hold for any run. */
#include "views/facts/iteration_sums.h"

#include <math.h>

#include "base/mem.h"
#include "harness/load_trace.h"
#include "harness/owners.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/sample.h"
#include "model/formats/load.h"
#include "model/trace/message.h"
#include "patterns/causes/planned_run.h"
#include "views/query/analyses.h"

enum { RANKS = 4, STEPS = 20, MS = 1000000, LATENCY = 10000, CALL = 2000 };

FREES(iteration_sums_free, struct iteration_sums)
FREES(analyses_free, struct analyses)

/* Each step: rank 1 works 6 ms, the others 2; all meet; then rank 0 sends 100 bytes to rank 3,
 * which receives them when they are there: it takes 10 us longer than the sender. */
static struct trace *slow_rank(void)
{
	struct planned_run run;

	planned_run_init(&run, RANKS);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work(&run, r, "smooth", r == 1 ? 6 * MS : 2 * MS);
		planned_run_meet(&run);
		planned_run_send(&run, 0, 3, 100, 0);
		planned_run_receive(&run, 3, 0, 100);
	}
	return planned_run_end(&run);
}

static struct query measured(struct trace *trace)
{
	struct query query = sample_query(trace);

	query.base = BASE_MEASURED;
	return query;
}

static struct iteration_sums *sums_of(struct query *query, int level)
{
	struct err err = ERR_INIT;
	struct iteration_sums *s = iteration_sums_new(query, level, &err);

	assert_non_null(s);
	return s;
}

TEST(one_slow_rank)
{
	/* What a rank waits in a step for rank 1: less by what it sent or received before. */
	static const int64_t before[RANKS] = { CALL, 0, 0, LATENCY + CALL };
	OWNED_TRACE *trace = slow_rank();
	struct query query = measured(trace);
	FREED_BY(analyses_free)
	struct analyses *analyses = analyses_new(trace, &(struct analysis_options){ 0 });
	query.analyses = analyses;
	FREED_BY(iteration_sums_free)
	struct iteration_sums *s = sums_of(&query, LEVEL_MAIN);

	assert_int_equal(s->n, STEPS);
	for (uint32_t k = 0; k < STEPS; k++) {
		double waited = 0;
		for (uint32_t r = 0; r < RANKS; r++) {
			const struct iteration_sum *sum = &s->of[r][k];
			const int64_t late = k ? before[r] : 0;
			const uint64_t expected = r == 1 ? 0 : (uint64_t)(4 * MS - late);
			/* The last one ends where its last call begins. */
			const bool sends = r == 0;
			assert_int_equal(sum->waiting, expected);
			assert_int_equal(sum->messages, sends);
			assert_int_equal(sum->bytes, sends ? 100 : 0);
			waited += (double)sum->waiting;
			if (k + 1 < STEPS)
				assert_int_equal(sum->end, s->of[r][k + 1].begin);
			if (k > 0 && k + 1 < STEPS)
				assert_int_equal(iteration_work(sum),
						 (r == 1 ? 6 * MS : 2 * MS) + LATENCY + before[r]);
		}
		for (uint32_t r = 0; r < RANKS; r++)
			assert_true(fabs(s->of[r][k].caused - (r == 1 ? waited : 0)) < 2);
	}
}

/* Waiting that is caused before the first iteration, or after the last, is in none; else nothing is
 * lost, and each message counts once. */
TEST(sums_of_recorded_runs)
{
	static const char *const paths[] = { "traces/otf2/comd-4/traces.otf2",
					     "traces/otf2/mg.S-4/traces.otf2",
					     "traces/otf2/sweep3d-4/traces.otf2",
					     "traces/stencil.trc" };

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		OWNED_TRACE *trace = load_trace(paths[i]);
		struct query query = measured(trace);
		struct err err = ERR_INIT;
		FREED_BY(analyses_free)
		struct analyses *analyses = analyses_new(trace, &(struct analysis_options){ 0 });
		query.analyses = analyses;
		const struct cube *cube =
			analyses_cube(analyses, query.base, INT64_MIN, INT64_MAX, NULL, &err);
		assert_non_null(cube);
		FREED_BY(iteration_sums_free)
		struct iteration_sums *s = sums_of(&query, 0);
		OWNED double *delay = xcalloc(s->locations, sizeof *delay);
		double caused = 0, all = 0;
		uint64_t messages = 0;

		assert_true(s->n > 0);
		cube_by_location(cube, CUBE_DELAY, 0, true, delay);
		for (uint32_t l = 0; l < s->locations; l++) {
			double own = 0;
			for (uint32_t k = 0; s->of[l] && k < s->n; k++) {
				const struct iteration_sum *sum = &s->of[l][k];
				assert_true(sum->begin <= sum->end && sum->caused >= 0);
				assert_true(iteration_work(sum) >= 0);
				own += sum->caused;
				messages += sum->messages;
			}
			assert_true(own <= delay[l] + 1);
			caused += own;
			all += delay[l];
		}
		assert_true(caused > 0 && caused <= all + 1);
		assert_true(messages <= trace_message_count(trace));
	}
}

/* Any work of any rank, and messages to any: all waiting of the loop is charged in it, where the
 * ranks meet at its begin. */
TEST(all_that_is_waited_is_caused)
{
	uint64_t seed = 7;

	for (int i = 0; i < 20; i++) {
		struct planned_run run;
		double caused = 0, waited = 0;
		planned_run_init(&run, RANKS);
		planned_run_barrier(&run);
		for (int step = 0; step < STEPS; step++) {
			const int32_t from = (int32_t)draw(&seed, RANKS);
			const int32_t to = (from + 1 + (int32_t)draw(&seed, RANKS - 1)) % RANKS;
			for (int32_t r = 0; r < RANKS; r++)
				planned_run_work(&run, r, "smooth", 1 + (int64_t)draw(&seed, MS));
			planned_run_send(&run, from, to, 8, 0);
			planned_run_receive(&run, to, from, 8);
			planned_run_meet(&run);
			for (int32_t r = 0; r < RANKS; r++)
				planned_run_work(&run, r, "finish", MS);
		}
		OWNED_TRACE *trace = planned_run_end(&run);
		struct query query = measured(trace);
		FREED_BY(analyses_free)
		struct analyses *analyses = analyses_new(trace, &(struct analysis_options){ 0 });
		query.analyses = analyses;
		FREED_BY(iteration_sums_free)
		struct iteration_sums *s = sums_of(&query, LEVEL_MAIN);

		assert_int_equal(s->n, STEPS);
		for (uint32_t r = 0; r < RANKS; r++)
			for (uint32_t k = 0; k < STEPS; k++) {
				waited += (double)s->of[r][k].waiting;
				caused += s->of[r][k].caused;
			}
		/* But what latency alone explains. */
		assert_true(caused <= waited + 1);
		assert_true(waited - caused <= 2.0 * STEPS * (LATENCY + CALL));
	}
}

/* ---- several processes ---- */

enum { MOST = 4, ITERATIONS_MOST = 64 };

struct shared_sums {
	const char *path;
	uint32_t n[MOST];
	bool own[MOST][RANKS];
	struct iteration_sum of[MOST][RANKS][ITERATIONS_MOST];
};

static void sum_share(struct exchange *x, void *context)
{
	struct shared_sums *shared = context;
	const uint32_t process = exchange_process(x);
	const struct load_options options = { .jobs = 1, .no_cache = true, .exchange = x };
	struct err err = ERR_INIT;
	struct trace *trace = trace_load(shared->path, &options, NULL, &err);
	struct query query = measured(trace);
	struct iteration_sums *s;

	query.analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 1 });
	s = iteration_sums_new(&query, LEVEL_MAIN, &err);
	shared->n[process] = s ? s->n : 0;
	for (uint32_t l = 0; s && l < RANKS && s->n <= ITERATIONS_MOST; l++) {
		shared->own[process][l] = s->of[l] != NULL;
		for (uint32_t k = 0; s->of[l] && k < s->n; k++)
			shared->of[process][l][k] = s->of[l][k];
	}
	iteration_sums_free(s);
	analyses_free(query.analyses);
	trace_free(trace);
}

static bool is_same(const struct iteration_sum *a, const struct iteration_sum *b)
{
	return a->begin == b->begin && a->end == b->end && a->waiting == b->waiting &&
	       !(a->caused < b->caused || a->caused > b->caused) && a->bytes == b->bytes &&
	       a->messages == b->messages;
}

TEST(shares_say_what_one_process_says)
{
	static const char *const paths[] = { "traces/otf2/mg.S-4/traces.otf2",
					     "traces/otf2/sweep3d-4/traces.otf2" };

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		OWNED struct shared_sums *one = xcalloc(1, sizeof *one);
		one->path = paths[i];
		processes_run(1, sum_share, one);
		assert_true(one->n[0] > 0 && one->n[0] <= ITERATIONS_MOST);
		for (uint32_t n = 2; n <= MOST; n++) {
			OWNED struct shared_sums *many = xcalloc(1, sizeof *many);
			unsigned ranks = 0;
			many->path = paths[i];
			processes_run(n, sum_share, many);
			for (uint32_t p = 0; p < n; p++) {
				assert_int_equal(many->n[p], one->n[0]);
				for (uint32_t l = 0; l < RANKS; l++) {
					ranks += many->own[p][l];
					for (uint32_t k = 0; many->own[p][l] && k < one->n[0]; k++)
						assert_true(is_same(&many->of[p][l][k],
								    &one->of[0][l][k]));
				}
			}
			assert_int_equal(ranks, RANKS);
		}
	}
}

/* Rank 1 works 6 ms a step and has no core for 3 of them; rank 0 waits 4 ms for it, and has no core for
 * 1 ms meanwhile: but for the end of the call, and the tick before it, that is waiting already. */
TEST(waits_for_a_core)
{
	struct planned_run run;
	planned_run_init(&run, RANKS);
	planned_run_record_cores(&run);
	planned_run_meet_at(&run, 3);
	for (int step = 0; step < STEPS; step++) {
		for (int32_t r = 0; r < RANKS; r++)
			planned_run_work_without(&run, r, "smooth", r == 1 ? 6 * MS : 2 * MS,
						 r == 1 ? 3 * MS : 0);
		planned_run_meet_without(&run, 0, MS);
		planned_run_meet(&run);
	}
	OWNED_TRACE *trace = planned_run_end(&run);
	struct query query = measured(trace);
	FREED_BY(analyses_free)
	struct analyses *analyses = analyses_new(trace, &(struct analysis_options){ .jobs = 3 });
	query.analyses = analyses;
	FREED_BY(iteration_sums_free)
	struct iteration_sums *s = sums_of(&query, LEVEL_MAIN);

	assert_int_equal(s->n, STEPS);
	for (uint32_t k = 0; k + 1 < STEPS; k++) {
		assert_int_equal(s->of[0][k].core, LATENCY - 1);
		assert_int_equal(s->of[1][k].core, 3 * MS);
		assert_int_equal(iteration_work_done(&s->of[1][k]), 3 * MS + LATENCY);
		assert_int_equal(s->of[2][k].core, 0);
	}
}
