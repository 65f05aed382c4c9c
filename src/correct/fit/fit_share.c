#include "correct/fit/fit_share.h"

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

void share_plan_fini(struct share_plan *plan)
{
	free_all(plan->wanted, plan->lent, plan->wanted_of, plan->lent_to);
	*plan = (struct share_plan){ 0 };
}

void share_fini(struct fit_share *share)
{
	share_plan_fini(&share->rows);
	vec_fini(&share->values);
	free_all(share->first, share->guest, share->parts, share->values_of, share->theirs_of,
		 share->parts_of);
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

void share_plan_make(struct share_plan *plan, const struct fit_share *share, uint32_t width,
		     uint32_t *take_wanted, size_t n)
{
	const uint32_t processes = share->job->processes;
	OWNED uint32_t *asked = xmalloc((n + 1) * sizeof *asked);
	struct exchange_parts lent;

	share_plan_fini(plan);
	plan->wanted = take_wanted;
	plan->wanted_of = xcalloc(processes + 1u, sizeof *plan->wanted_of);
	for (size_t i = 0; i < n; i++) {
		const uint32_t clock = share_clock(share, take_wanted[i] / width);
		const uint32_t process = share_process(share, clock);
		plan->wanted_of[process + 1]++;
		asked[i] = (clock - share->first[process]) * width + take_wanted[i] % width;
	}
	for (uint32_t p = 0; p < processes; p++)
		plan->wanted_of[p + 1] += plan->wanted_of[p];
	exchange_swap(share->job, asked, sizeof *asked, plan->wanted_of, &lent);
	plan->lent = (uint32_t *)(void *)lent.data;
	plan->lent_to = lent.first;
	for (uint32_t p = 0; p <= processes; p++)
		plan->lent_to[p] /= sizeof *plan->lent;
}

void share_set_guests(struct fit_share *share, uint32_t *take_guests, uint32_t n)
{
	uint32_t *slots;

	free(share->guest);
	share->guest = take_guests;
	share->guests = n;
	if (!share->job)
		return;
	slots = xmalloc((n + 1u) * sizeof *slots);
	for (uint32_t i = 0; i < n; i++)
		slots[i] = share->own + i;
	share_plan_make(&share->rows, share, 1, slots, n);
}

/* ---- rounds ---- */

static void copy_row(double *to, const double *from, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		to[i] = from[i];
}

/* Trades the values of guests, of sums, or both. A place of the plan has `width` values. */
static void trade(struct fit_share *share, const struct share_plan *plan, double *v, uint32_t width,
		  bool sums)
{
	const uint32_t processes = share->x->processes;
	const size_t lent = v ? plan->lent_to[processes] : 0;
	const size_t wanted = v ? plan->wanted_of[processes] : 0, row = width * sizeof *v;
	struct exchange_parts mine, theirs, all = { (char *)share->parts, share->parts_of };
	double *values, *got;

	share->values.n = 0;
	vec_reserve(&share->values, (lent + wanted) * width + 1);
	values = share->values.data;
	got = values + lent * width;
	for (size_t i = 0; i < lent; i++)
		copy_row(values + i * width, v + (size_t)plan->lent[i] * width, width);
	for (uint32_t p = 0; v && p <= processes; p++) {
		share->values_of[p] = plan->lent_to[p] * row;
		share->theirs_of[p] = plan->wanted_of[p] * row;
	}
	mine = (struct exchange_parts){ (char *)values, share->values_of };
	theirs = (struct exchange_parts){ (char *)got, share->theirs_of };
	share->x->trade(share->x, v ? &mine : NULL, v ? &theirs : NULL, sums ? &all : NULL);
	for (size_t i = 0; i < wanted; i++)
		copy_row(v + (size_t)plan->wanted[i] * width, got + i * width, width);
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

double share_sum(struct fit_share *share, const double *of, const struct share_plan *plan,
		 double *v)
{
	struct tree_sum all = TREE_SUM_INIT;

	if (share->x) {
		sum_parts(share, of);
		trade(share, plan, v, 1, true);
		return add_parts(share);
	}
	for (uint32_t c = 0; c < share->own; c++)
		tree_sum_add(&all, of[c]);
	return tree_sum(&all);
}

void share_refresh(struct fit_share *share, double *v, uint32_t width)
{
	if (share->x)
		trade(share, &share->rows, v, width, false);
}
