/* Numbers ranked by several processes: quantiles, and where one is among them. */
#include "views/facts/ranking.h"

#include <stdlib.h>

#include "base/order.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/test.h"

ORDERING_OF_NUMBERS(by_value, int64_t)

enum { QUARTERS = 4, RANKED = 50, RANKERS = 3 };

/* Numbers that processes rank together, and what each of them finds. */
struct ranked {
	int64_t values[RANKED], asked; /* sorted */
	size_t n;
	struct found_ranks {
		int64_t quantiles[QUARTERS + 1], min, max;
		uint64_t n, below, equal;
	} found[RANKERS];
};

static void rank_them(struct exchange *x, void *context)
{
	struct ranked *r = context;
	const uint32_t me = exchange_process(x);
	struct found_ranks *f = &r->found[me];
	struct ranking ranking = RANKING_INIT;

	for (size_t i = 0; i < r->n; i++)
		if (i * i % exchange_processes(x) == me)
			ranking_add(&ranking, r->values[i]);
	ranking_done(&ranking, x);
	for (unsigned q = 0; q <= QUARTERS; q++)
		f->quantiles[q] = ranking_quantile(&ranking, q, QUARTERS);
	f->below = ranking_below(&ranking, r->asked, &f->equal);
	f->min = ranking.min;
	f->max = ranking.max;
	f->n = ranking.n;
	ranking_fini(&ranking);
}

static void check_ranks(const struct ranked *r, const struct found_ranks *f)
{
	uint64_t below = 0, equal = 0;

	for (size_t i = 0; i < r->n; i++) {
		below += r->values[i] < r->asked;
		equal += r->values[i] == r->asked;
	}
	for (unsigned q = 0; q <= QUARTERS; q++) {
		const double at = (double)(r->n - 1) * q / QUARTERS;
		const size_t k = (size_t)at;
		const double low = (double)r->values[k];
		const double high = (double)r->values[k + 1 < r->n ? k + 1 : k];
		const double between = low + (high - low) * (at - (double)k);

		assert_true(fabs((double)f->quantiles[q] - between) <= 1);
	}
	assert_int_equal(f->n, r->n);
	assert_int_equal(f->below, below);
	assert_int_equal(f->equal, equal);
	assert_int_equal(f->min, r->values[0]);
	assert_int_equal(f->max, r->values[r->n - 1]);
}

TEST(quantiles_are_those_of_sorted_numbers)
{
	for (uint64_t seed = 1; seed < 60; seed++) {
		uint64_t random = seed;
		struct ranked r = { .n = 1 + next_random(&random) % RANKED };

		for (size_t i = 0; i < r.n; i++) {
			r.values[i] = (int64_t)(next_random(&random) % 1000000 << (seed % 30)) -
				      (int64_t)(next_random(&random) % 1000000 << (seed % 31));
			if (seed % 3 == 0)
				r.values[i] %= 4;
		}
		qsort(r.values, r.n, sizeof *r.values, by_value);
		r.asked = r.values[r.n / 2];
		for (uint32_t processes = 1; processes <= RANKERS; processes++) {
			processes_run(processes, rank_them, &r);
			for (uint32_t p = 0; p < processes; p++)
				check_ranks(&r, &r.found[p]);
		}
	}
}
