/* imbalance: is what a rank computes more than an even share more than chance gives? In a single
 * run, by how much the iterations scatter.
 *
 * What a location does in a call path beyond the mean of all is a series over the iterations. Its
 * sum is imbalance if it is farther from 0 than its own scatter lets expect (base/chance.h): an
 * excess that another rank has each time, or one rank in one iteration, is not. What is outside of
 * iterations has no scatter; where ranks share cores it does not count. A call path in
 * which a cause is named is imbalance, too: doc/patterns.md, "Imbalance above noise". All of it is
 * without the time for which a rank waited for a core (model/trace/core_wait.h). */
#pragma once

#include "patterns/causes/naming.h"

enum { IMBALANCES = 8 };

enum imbalance_kind {
	IMBALANCE_STEADY, /* above noise: in the iterations */
	IMBALANCE_ONCE,   /* outside of iterations; how far chance goes there is not known */
	IMBALANCE_NAMED,  /* a cause of waiting */
	IMBALANCE_NOISE,  /* within noise */
	IMBALANCE_EVENED, /* the rank computes as much less elsewhere, and no rank waits for it */
	IMBALANCE_CORE,   /* too little to speak of but for waits for a core */
	IMBALANCE_KINDS
};

struct imbalance {
	uint32_t path;       /* canonical; UINT32_MAX: all call paths of `region` */
	uint32_t region;     /* UINT32_MAX: of a call path */
	uint32_t location;   /* that has most */
	uint32_t kind;       /* enum imbalance_kind */
	uint32_t farthest;   /* the location that is farthest from the mean, by `deviation` */
	uint32_t iterations; /* of which `noise` is; 0: most of it is outside of them */
	double mean;         /* ticks of an even share, of a region, */
	double deviation;    /* and beyond it, or below 0 */
	double above;        /* ticks beyond the mean, of all locations that are */
	double more;         /* of these, of `location` */
	double noise;        /* ticks that `more` may be by chance; 0: not known */
	double core;         /* ticks that `location` waited for a core there; -1: not recorded */
};

static inline bool imbalance_is_above(const struct imbalance *of)
{
	return of->kind < IMBALANCE_NOISE;
}

/* "steady", "once" ...: in exports. */
const char *imbalance_kind_name(enum imbalance_kind kind);

/* Fills in n (at most IMBALANCES) call paths, of which `path` and `region` are there; the last one
 * may be a region, all others have different call paths. Of call paths, only locations that are
 * chosen ([locations], NULL: all) have an excess. `cube` and `names` are those of [t0, t1). False:
 * stopped. Where several processes share the trace, all call it. */
bool imbalance_judge(const struct causes *causes, const struct cube *cube, int64_t t0, int64_t t1,
		     const bool *chosen, const struct cause_names *names,
		     const struct progress *progress, struct imbalance *of, unsigned n);
