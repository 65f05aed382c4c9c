/* filter_alone: a filter (filter.h) that is asked of visits one by one, where there is no trace.
 * Its fields are region, rank, thread and dur.
 *
 *	struct filter_alone *f = filter_alone_new("region =~ /step/ && dur > 2s", scale, &err);
 *	const uint32_t region = filter_alone_region(f, "step");		once for each name
 *	if (filter_alone_matches(f, &(struct filter_alone_visit){ ... }))
 *
 * Ownership: the caller's text is copied. A name that a pattern takes too long on does not
 * match. */
#pragma once

#include "base/err.h"
#include "base/units.h"

struct filter_alone;

struct filter_alone_visit {
	uint32_t region; /* of filter_alone_region() */
	int32_t rank;
	uint32_t thread;
	int64_t dur; /* ticks of the scale */
};

/* NULL with err: not an expression, empty, or one with other fields. */
struct filter_alone *filter_alone_new(const char *text, const struct timescale *scale,
				      struct err *err);
void filter_alone_free(struct filter_alone *f);

/* No visit that is shorter matches, whatever its region; INT64_MIN: that does not decide. */
int64_t filter_alone_least(const struct filter_alone *f);
uint32_t filter_alone_region(struct filter_alone *f, const char *name);
bool filter_alone_matches(const struct filter_alone *f, const struct filter_alone_visit *visit);
