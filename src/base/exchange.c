#include "base/exchange.h"

#include <string.h>

#include "base/mem.h"

void *exchange_replace(struct exchange *x, void *rows, size_t *n, size_t *cap, size_t size)
{
	struct exchange_parts all;

	x->gather(x, rows, *n * size, &all);
	*n = *cap = all.first[x->processes] / size;
	free_all(rows, all.first);
	return all.data;
}

void exchange_ticks(struct exchange *x, int64_t *values, size_t n)
{
	OWNED int128 *sums = x ? xcalloc(n + 1, sizeof *sums) : NULL;

	for (size_t i = 0; x && i < n; i++)
		sums[i] = values[i];
	exchange_sum(x, sums, n);
	for (size_t i = 0; x && i < n; i++)
		values[i] = sums[i] > INT64_MAX ? INT64_MAX : (int64_t)sums[i];
}

void exchange_sums(struct exchange *x, uint64_t *values, size_t n)
{
	OWNED int128 *sums = x ? xcalloc(n + 1, sizeof *sums) : NULL;

	for (size_t i = 0; x && i < n; i++)
		sums[i] = values[i];
	exchange_sum(x, sums, n);
	for (size_t i = 0; x && i < n; i++)
		values[i] = (uint64_t)sums[i];
}

void exchange_least(struct exchange *x, uint64_t *values, size_t n)
{
	struct exchange_parts all;

	if (!x)
		return;
	x->gather(x, values, n * sizeof *values, &all);
	for (uint32_t p = 0; p < x->processes; p++) {
		const uint64_t *of = (const uint64_t *)(const void *)(all.data + all.first[p]);
		for (size_t i = 0; i < n; i++)
			values[i] = of[i] < values[i] ? of[i] : values[i];
	}
	exchange_parts_fini(&all);
}

int64_t exchange_latest(struct exchange *x, int64_t mine)
{
	/* The order of whole numbers with a sign, turned around. */
	uint64_t value = ~((uint64_t)mine ^ (uint64_t)1 << 63);

	exchange_least(x, &value, 1);
	return (int64_t)(~value ^ (uint64_t)1 << 63);
}

/* Numbers in the order of the values. */
static uint64_t number_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t number)
{
	const uint64_t bits = number >> 63 ? number & ~((uint64_t)1 << 63) : ~number;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

double exchange_most(struct exchange *x, double mine)
{
	uint64_t number = ~number_of(mine);

	exchange_least(x, &number, 1);
	return value_of(~number);
}

double exchange_fewest(struct exchange *x, double mine)
{
	uint64_t number = number_of(mine);

	exchange_least(x, &number, 1);
	return value_of(number);
}

void exchange_from(struct exchange *x, uint32_t process, void *value, size_t bytes)
{
	struct exchange_parts all;

	if (!x)
		return;
	x->gather(x, value, x->process == process ? bytes : 0, &all);
	memcpy(value, all.data, bytes);
	exchange_parts_fini(&all);
}

void exchange_places(uint32_t processes, const uint32_t *to, size_t n, size_t *first, size_t *place)
{
	OWNED size_t *next = xcalloc(processes + 1u, sizeof *next);

	memset(first, 0, (processes + 1u) * sizeof *first);
	for (size_t i = 0; i < n; i++)
		first[to[i] + 1]++;
	for (uint32_t p = 0; p < processes; p++) {
		first[p + 1] += first[p];
		next[p] = first[p];
	}
	for (size_t i = 0; i < n; i++)
		place[i] = next[to[i]]++;
}

void exchange_swap(struct exchange *x, const void *rows, size_t size, const size_t *first,
		   struct exchange_parts *theirs)
{
	OWNED size_t *bytes = xmalloc((x->processes + 1u) * sizeof *bytes);
	const struct exchange_parts mine = { (char *)(uintptr_t)rows, bytes };

	for (uint32_t p = 0; p <= x->processes; p++)
		bytes[p] = first[p] * size;
	x->swap(x, &mine, theirs);
}

void exchange_deal(struct exchange *x, const void *rows, size_t n, size_t size, const uint32_t *to,
		   struct exchange_parts *theirs)
{
	OWNED size_t *first = xmalloc((x->processes + 1u) * sizeof *first);
	OWNED size_t *place = xmalloc((n + 1) * sizeof *place);
	OWNED char *dealt = xmalloc(n * size + 1);

	exchange_places(x->processes, to, n, first, place);
	for (size_t i = 0; i < n; i++)
		memcpy(dealt + place[i] * size, (const char *)rows + i * size, size);
	exchange_swap(x, dealt, size, first, theirs);
}

void *exchange_deal_vector(struct exchange *x, void *rows, size_t *n, size_t *cap, size_t size,
			   const uint32_t *to)
{
	struct exchange_parts theirs;

	exchange_deal(x, rows, *n, size, to, &theirs);
	*n = *cap = theirs.first[x->processes] / size;
	free_all(rows, theirs.first);
	return theirs.data;
}

uint64_t exchange_before(struct exchange *x, uint64_t mine)
{
	OWNED int64_t *counts = xcalloc(exchange_processes(x), sizeof *counts);
	uint64_t before = 0;

	counts[exchange_process(x)] = (int64_t)mine;
	exchange_ticks(x, counts, exchange_processes(x));
	for (uint32_t p = 0; p < exchange_process(x); p++)
		before += (uint64_t)counts[p];
	return before;
}

void *exchange_ask(struct exchange *x, const void *rows, size_t n, size_t size, const uint32_t *to,
		   exchange_answer *answer, void *context, size_t said)
{
	OWNED size_t *first = xmalloc((x->processes + 1u) * sizeof *first);
	OWNED size_t *place = xmalloc((n + 1) * sizeof *place);
	OWNED void *mine = NULL;
	struct exchange_parts asked, answers;
	char *ordered = xmalloc(n * said + 1);

	exchange_places(x->processes, to, n, first, place);
	exchange_deal(x, rows, n, size, to, &asked);
	for (uint32_t p = 0; p <= x->processes; p++)
		asked.first[p] /= size;
	mine = answer(context, asked.data, asked.first[x->processes]);
	exchange_swap(x, mine, said, asked.first, &answers);
	for (size_t i = 0; i < n; i++)
		memcpy(ordered + i * said, answers.data + place[i] * said, said);
	exchange_parts_fini(&asked);
	exchange_parts_fini(&answers);
	return ordered;
}
