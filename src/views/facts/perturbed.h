/* perturbed: what overhead did to a wait, in compensated times: another rank reached what the wait
 * was for earlier or later, by the overhead that was taken out of it, than the waiting rank did. */
#pragma once

#include "views/facts/phrases.h"

/* How much was taken out of a location's times before one of them, ticks. */
struct perturbed_place {
	uint32_t location;
	bool known;
	double taken;
};

/* Before the first event from a time of the base on, in the process that has the location. Not
 * known where the base is not a compensated one. */
struct perturbed_place perturbed_at(const struct trace *trace, enum time_base base,
				    uint32_t location, int64_t time);
/* A wait in compensated times that began and ended at these places: "perturbed from rank 0: ...", a
 * sentence without a capital and a full stop; "" where its length hardly changed. */
const char *perturbed_wait(struct phrases *phrases, const struct perturbed_place *begin,
			   const struct perturbed_place *end, double length);
