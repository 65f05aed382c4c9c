#include "patterns/causes/core_parts.h"

#include <math.h>

void core_parts_init(struct core_parts *parts)
{
	*parts = (struct core_parts){ .begun = 0 };
}

void core_parts_fini(struct core_parts *parts)
{
	vec_fini(&parts->of);
	vec_fini(&parts->stretches);
}

void core_parts_add(struct core_parts *parts, uint32_t group, size_t cell, int64_t ticks)
{
	/* Only the last part of a group may go on. */
	for (size_t i = parts->of.n; i > parts->begun && i + GROUPS >= parts->of.n; i--) {
		struct core_part *part = &parts->of.data[i - 1];
		if (part->group == group && (group == GROUPS || part->cell == cell)) {
			part->ticks += ticks;
			return;
		}
	}
	vec_push(&parts->of, ((struct core_part){ group, cell, ticks }));
}

void core_parts_end(struct core_parts *parts, int64_t wait)
{
	if (wait < 0)
		parts->of.n = parts->begun;
	else if (parts->of.n > parts->begun)
		vec_push(&parts->stretches,
			 ((struct core_stretch){ parts->begun, parts->of.n, wait }));
	parts->begun = parts->of.n;
}

/* Ticks of each group in a stretch; [GROUPS + 1]. */
static void times_of(const struct core_parts *parts, const struct core_stretch *stretch,
		     double *ticks)
{
	for (unsigned g = 0; g <= GROUPS; g++)
		ticks[g] = 0;
	for (size_t i = stretch->first; i < stretch->end; i++)
		ticks[parts->of.data[i].group] += (double)parts->of.data[i].ticks;
}

/* The part of each group's time that is waiting. */
static void shares_of(const double *ticks, const double *shortest, double wait, double *share)
{
	double above = 0, below = 0;

	for (unsigned g = 0; g <= GROUPS; g++)
		if (ticks[g] > 0) {
			above += ticks[g] - shortest[g];
			below += shortest[g];
		}
	const double of_above = above > 0 ? fmin(wait / above, 1) : 0;
	const double of_below = below > 0 ? fmin(fmax(wait - above, 0) / below, 1) : 0;
	for (unsigned g = 0; g <= GROUPS; g++)
		share[g] =
			ticks[g] > 0
				? (of_above * (ticks[g] - shortest[g]) + of_below * shortest[g]) /
					  ticks[g]
				: 0;
}

void core_parts_take(const struct core_parts *parts, int64_t *time, int64_t *core)
{
	double ticks[GROUPS + 1], shortest[GROUPS + 1], share[GROUPS + 1];
	const struct core_stretch *stretch;

	for (unsigned g = 0; g <= GROUPS; g++)
		shortest[g] = INFINITY;
	vec_each (stretch, &parts->stretches) {
		times_of(parts, stretch, ticks);
		for (unsigned g = 0; g <= GROUPS; g++)
			if (ticks[g] > 0)
				shortest[g] = fmin(shortest[g], ticks[g]);
	}
	vec_each (stretch, &parts->stretches) {
		times_of(parts, stretch, ticks);
		shares_of(ticks, shortest, (double)stretch->wait, share);
		for (size_t i = stretch->first; i < stretch->end; i++) {
			const struct core_part *of = &parts->of.data[i];
			const int64_t wait = llround(share[of->group] * (double)of->ticks);
			if (of->group == GROUPS)
				continue;
			time[of->cell] -= wait;
			core[of->cell] += wait;
		}
	}
}
