#include "views/query/colouring.h"

#include "model/sums/profile.h"
#include "model/trace/halo.h"

/* Where a region comes among those chosen so far; n if it does not. */
static unsigned place_of(const struct colouring *c, const struct profile *profile, uint32_t region)
{
	unsigned at = c->n;

	while (at > 0 &&
	       profile->rows[c->function[at - 1]].exclusive < profile->rows[region].exclusive)
		at--;
	return at;
}

static void insert(struct colouring *c, unsigned at, uint32_t region)
{
	if (at == COLOURED_FUNCTIONS)
		return;
	if (c->n < COLOURED_FUNCTIONS)
		c->n++;
	for (unsigned i = c->n - 1; i > at; i--)
		c->function[i] = c->function[i - 1];
	c->function[at] = region;
}

bool colouring_choose(struct colouring *c, const struct trace *trace, enum time_base base,
		      const struct progress *progress, struct err *err)
{
	struct profile profile;

	if (c->chosen)
		return true;
	if (!profile_make(&profile, trace, base, PROFILE_REGION, NULL, 0, INT64_MIN, INT64_MAX,
			  progress, err))
		return false;
	profile_share(&profile, trace_exchange(trace));
	c->n = 0;
	for (uint32_t r = 0; r < profile.n; r++) {
		const enum region_class cls = trace_region(trace, r)->cls;

		if (profile.rows[r].exclusive > 0 && cls != CLASS_OVERHEAD &&
		    cls != CLASS_START_END)
			insert(c, place_of(c, &profile, r), r);
	}
	profile_fini(&profile);
	c->chosen = true;
	return true;
}
