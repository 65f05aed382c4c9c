/* region_meaning: the meaning of a region of a trace (model/meaning/meaning.h). Call it once for
 * each region: it looks a name up. */
#pragma once

#include "model/meaning/meaning.h"
#include "model/trace/trace.h"

static inline struct meaning region_meaning(const struct trace *trace, uint32_t id)
{
	const struct region *region = trace_region(trace, id);

	return meaning_of_region(trace_region_name(trace, id), (enum region_class)region->cls,
				 region->role, region->paradigm);
}
