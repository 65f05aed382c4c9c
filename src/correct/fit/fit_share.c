#include "correct/fit/fit_share.h"

#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/tree_sum.h"

/* ---- who has what ---- */

/* How many whole subtrees the clocks of a process are. */
static size_t count_parts(const struct fit_share *share, uint32_t process)
{
	const uint64_t end = share->first[process + 1];
	size_t n = 0;

	for (uint64_t at = share->first[process]; at < end; n++)
		at += (uint64_t)1 << tree_sum_whole(at, end);
	return n;
}

static void plan_parts(struct fit_share *share)
{
	const uint32_t processes = share->job->processes;

	share->parts_of = xcalloc(processes + 1u, sizeof *share->parts_of);
	share->values_of = xcalloc(processes + 1u, sizeof *share->values_of);
	share->theirs_of = xcalloc(processes + 1u, sizeof *share->theirs_of);
	for (uint32_t p = 0; p < processes; p++)
		share->parts_of[p + 1] =
			share->parts_of[p] + count_parts(share, p) * sizeof *share->parts;
	share->parts = xmalloc(share->parts_of[processes] + 1);
}

void share_init(struct fit_share *share, struct exchange *x, uint32_t clocks)
{
	const uint32_t processes = exchange_processes(x);
	uint32_t solve = clocks / SHARE_LEAST;

	*share = (struct fit_share){ .job = x };
	solve = solve < 1 ? 1 : solve > processes ? processes : solve;
	share->x = solve > 1 ? x : NULL;
	share->first = xcalloc(processes + 1u, sizeof *share->first);
	for (uint32_t p = 1; p <= processes; p++)
		share->first[p] = p < solve ? (uint32_t)((uint64_t)clocks * p / solve) /
						      SHARE_ABREAST * SHARE_ABREAST
					    : clocks;
	share->own = share->first[exchange_process(x) + 1] - share_begin(share);
	if (x)
		plan_parts(share);
}

void share_fini(struct fit_share *share)
{
	free_all(share->first, share->guest, share->guests_of, share->lent, share->lent_to,
		 share->values, share->parts, share->values_of, share->theirs_of, share->parts_of);
	*share = (struct fit_share){ 0 };
}

uint32_t share_process(const struct fit_share *share, uint32_t clock)
{
	uint32_t low = 0, high = exchange_processes(share->job) - 1;

	BISECT(low, high, middle, share->first[middle + 1] <= clock);
	return low;
}

uint32_t share_slot(const struct fit_share *share, uint32_t clock)
{
	uint32_t low = 0, high = share->guests;

	if (clock - share_begin(share) < share->own)
		return clock - share_begin(share);
	BISECT(low, high, middle, share->guest[middle] < clock);
	return share->own + low;
}

void share_set_guests(struct fit_share *share, uint32_t *take_guests, uint32_t n)
{
	const uint32_t processes = exchange_processes(share->job);
	struct exchange_parts asked;

	free_all(share->guest, share->guests_of, share->lent, share->lent_to);
	share->guest = take_guests;
	share->guests = n;
	share->guests_of = xcalloc(processes + 1u, sizeof *share->guests_of);
	share->lent = NULL;
	share->lent_to = NULL;
	if (!share->job)
		return;
	for (uint32_t i = 0; i < n; i++)
		share->guests_of[share_process(share, take_guests[i]) + 1]++;
	for (uint32_t p = 0; p < processes; p++)
		share->guests_of[p + 1] += share->guests_of[p];
	exchange_swap(share->job, share->guest, sizeof *share->guest, share->guests_of, &asked);
	share->lent = (uint32_t *)(void *)asked.data;
	share->lent_to = asked.first;
	for (uint32_t p = 0; p <= processes; p++)
		share->lent_to[p] /= sizeof *share->lent;
	for (size_t i = 0; i < share->lent_to[processes]; i++)
		share->lent[i] -= share_begin(share);
}

/* ---- rounds ---- */

/* Trades the values of guests, of sums, or both. */
static void trade(struct fit_share *share, double *v, uint32_t width, bool sums)
{
	const uint32_t processes = share->x->processes;
	const size_t row = width * sizeof *v;
	struct exchange_parts mine, theirs, all = { (char *)share->parts, share->parts_of };

	if (v) {
		theirs.data = (char *)(v + (size_t)share->own * width);
		theirs.first = share->theirs_of;
		const size_t lent = share->lent_to[processes];
		if (lent * row > share->room) {
			share->room = lent * row;
			share->values = xrealloc(share->values, share->room);
		}
		for (size_t i = 0; i < lent; i++)
			memcpy(share->values + i * width, v + (size_t)share->lent[i] * width, row);
		for (uint32_t p = 0; p <= processes; p++) {
			share->values_of[p] = share->lent_to[p] * row;
			share->theirs_of[p] = share->guests_of[p] * row;
		}
		mine = (struct exchange_parts){ (char *)share->values, share->values_of };
	}
	share->x->trade(share->x, v ? &mine : NULL, v ? &theirs : NULL, sums ? &all : NULL);
}

/* Sums of the own clocks, of a whole subtree each. */
static void sum_parts(struct fit_share *share, const double *of)
{
	const uint32_t process = share->x->process;
	const uint64_t end = share->first[process + 1];
	double *part = share->parts + share->parts_of[process] / sizeof *share->parts;

	for (uint64_t at = share->first[process]; at < end;) {
		const uint64_t n = (uint64_t)1 << tree_sum_whole(at, end);
		struct tree_sum sum = TREE_SUM_INIT;
		for (uint64_t i = 0; i < n; i++)
			tree_sum_add(&sum, *of++);
		*part++ = tree_sum(&sum);
		at += n;
	}
}

static double add_parts(const struct fit_share *share)
{
	struct tree_sum all = TREE_SUM_INIT;
	const double *part = share->parts;

	for (uint32_t p = 0; p < share->x->processes; p++)
		for (uint64_t at = share->first[p], end = share->first[p + 1]; at < end;) {
			const unsigned level = tree_sum_whole(at, end);
			tree_sum_add_whole(&all, *part++, level);
			at += (uint64_t)1 << level;
		}
	return tree_sum(&all);
}

double share_sum(struct fit_share *share, const double *of, double *v, uint32_t width)
{
	struct tree_sum all = TREE_SUM_INIT;

	if (share->x) {
		sum_parts(share, of);
		trade(share, v, width, true);
		return add_parts(share);
	}
	for (uint32_t c = 0; c < share->own; c++)
		tree_sum_add(&all, of[c]);
	return tree_sum(&all);
}

void share_refresh(struct fit_share *share, double *v, uint32_t width)
{
	if (share->x)
		trade(share, v, width, false);
}
