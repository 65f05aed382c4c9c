/* The k-th smallest of numbers that are anywhere is that of all of them sorted. */
#include "base/select.h"

#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "harness/processes.h"
#include "harness/random.h"
#include "harness/test.h"

enum { MOST = 300, PROCESSES = 5 };

struct numbers {
	int64_t all[MOST], sorted[MOST], found[PROCESSES][MOST];
	size_t n, first[PROCESSES + 1];
};

ORDERING_OF_NUMBERS(ascending, int64_t)

static void select_each(struct exchange *x, void *context)
{
	struct numbers *numbers = context;
	const uint32_t p = exchange_process(x);
	const size_t from = x ? numbers->first[p] : 0;
	const size_t end = x ? numbers->first[p + 1] : numbers->n;

	for (size_t k = 0; k < numbers->n; k += 7)
		numbers->found[p][k] = select_nth(x, numbers->all + from, end - from, k);
}

static void assert_selected(struct numbers *numbers, uint32_t processes)
{
	memcpy(numbers->sorted, numbers->all, sizeof numbers->sorted);
	SORT(numbers->sorted, numbers->n, ascending);
	processes_run(processes, select_each, numbers);
	for (uint32_t p = 0; p < processes; p++)
		for (size_t k = 0; k < numbers->n; k += 7)
			assert_int_equal(numbers->found[p][k], numbers->sorted[k]);
}

/* Some processes have none. */
static void deal(struct numbers *numbers, uint64_t *seed)
{
	for (uint32_t p = 1; p < PROCESSES; p++)
		numbers->first[p] = draw(seed, (uint32_t)numbers->n + 1);
	numbers->first[PROCESSES] = numbers->n;
	for (uint32_t p = 1; p <= PROCESSES; p++)
		if (numbers->first[p] < numbers->first[p - 1])
			numbers->first[p] = numbers->first[p - 1];
}

TEST(it_is_that_of_the_sorted_ones)
{
	uint64_t seed = 1;

	for (int round = 0; round < 8; round++) {
		struct numbers numbers = { .n = 1 + draw(&seed, MOST) };
		const bool few = round % 2; /* equal ones */
		for (size_t i = 0; i < numbers.n; i++)
			numbers.all[i] =
				few ? (int64_t)draw(&seed, 4) - 2
				    : (int64_t)(next_random(&seed) << 33 ^ next_random(&seed));
		deal(&numbers, &seed);
		assert_selected(&numbers, 1);
		assert_selected(&numbers, PROCESSES);
	}
}

TEST(the_ends_of_the_range)
{
	struct numbers numbers = { .all = { INT64_MAX, INT64_MIN, 0, -1, 1, INT64_MIN, INT64_MAX },
				   .n = 7,
				   .first = { 0, 2, 2, 5, 7, 7 } };

	assert_selected(&numbers, 1);
	assert_int_equal(select_nth(NULL, numbers.all, 7, 0), INT64_MIN);
	assert_int_equal(select_nth(NULL, numbers.all, 7, 2), -1);
	assert_int_equal(select_nth(NULL, numbers.all, 7, 6), INT64_MAX);
	assert_selected(&numbers, PROCESSES);
}
