/* fit_share: the clocks of a fit that several processes make together. Each has a range of them,
 * its own, and the edges that touch these. Of the clocks at the other ends of these, its guests,
 * it has what is computed with. Slots number both: own clocks in order, then guests in order.
 *
 *	share_init(&share, x, clocks);
 *	share_set_guests(&share, guests, n);
 *	share_refresh(&share, v, knots);	v[slots * knots]: the guests' values are new
 *	total = share_sum(&share, of, NULL, NULL);
 *
 * Sums are added along a tree over all clocks, so that they do not depend on the processes. */
#pragma once

#include "base/exchange.h"
#include "base/vec.h"

/* What a process gets of guests, and gives of its own clocks: places in a vector. */
struct share_plan {
	uint32_t *wanted, *lent;     /* of one process after the other */
	size_t *wanted_of, *lent_to; /* [processes + 1] where they begin */
};

struct fit_share {
	struct exchange *job;   /* all processes; NULL: one alone */
	struct exchange *x;     /* the same while they solve; NULL: the first one has all clocks */
	uint32_t *first;        /* [processes + 1] clocks of each */
	uint32_t own, guests;   /* clocks of this process; of others that it computes with */
	uint32_t *guest;        /* [guests] clocks */
	struct share_plan rows; /* slots: all guests */
	/* Of a trade: what is lent and what comes, sums of parts of the tree; where they begin. */
	VEC(double) values;
	double *parts;
	size_t *values_of, *theirs_of, *parts_of; /* [processes + 1] bytes */
};

/* Fewer clocks are not worth the exchanges: some processes then have none. Shares begin at
 * multiples of SHARE_ABREAST: so many clocks are solved at once, and rounded otherwise than one
 * alone. */
enum { SHARE_LEAST = 16, SHARE_ABREAST = 8 };

void share_init(struct fit_share *share, struct exchange *x, uint32_t clocks);
void share_fini(struct fit_share *share);
/* Other clocks, ascending; takes the array. All processes of the job call it. */
void share_set_guests(struct fit_share *share, uint32_t *take_guests, uint32_t n);

/* This process' first clock. */
static inline uint32_t share_begin(const struct fit_share *share)
{
	return share->first[exchange_process(share->job)];
}

/* 1: the first own clock is the reference; 0: another process has it. */
static inline uint32_t share_reference(const struct fit_share *share)
{
	return share->own > 0 && share_begin(share) == 0;
}

static inline uint32_t share_slots(const struct fit_share *share)
{
	return share->own + share->guests;
}

static inline uint32_t share_clock(const struct fit_share *share, uint32_t slot)
{
	return slot < share->own ? share_begin(share) + slot : share->guest[slot - share->own];
}

/* Of an own clock or a guest. */
uint32_t share_slot(const struct fit_share *share, uint32_t clock);
uint32_t share_process(const struct fit_share *share, uint32_t clock);

/* Plans for a part of the values of vectors v[slots * width]: those at the given places,
 * ascending, all of guests. Takes the array. All processes that solve call it. */
void share_plan_make(struct share_plan *plan, const struct fit_share *share, uint32_t width,
		     uint32_t *take_wanted, size_t n);
void share_plan_fini(struct share_plan *plan);

/* The sum over all clocks of of[own]. v not NULL: its values at the places of the plan become those
 * of the guests' processes. One exchange. */
double share_sum(struct fit_share *share, const double *of, const struct share_plan *plan,
		 double *v);
/* All values of guests, of a vector v[slots * width]. */
void share_refresh(struct fit_share *share, double *v, uint32_t width);
