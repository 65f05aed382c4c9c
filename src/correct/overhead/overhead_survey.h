/* overhead_survey: one walk over all events and collectives that tells what a record costs at its
 * place (overhead_classes.h), how long messages take (overhead_latency.h), and how the trace was
 * recorded. */
#pragma once

#include "correct/overhead/overhead_classes.h"
#include "correct/overhead/overhead_latency.h"
#include "correct/overhead/overhead_timed.h"

struct location_survey {
	uint64_t segments, skipped; /* with functions in them, or without probes */
	uint64_t records;           /* of functions, outside of calls */
	double work;                /* ticks of the segments */
	bool own;                   /* samples of its own were enough for some class */
};

struct overhead_survey {
	struct overhead_classes classes;
	struct overhead_latency latency;
	bool shared; /* ends of messages and collectives are one record with the enter or leave
			of their call: they have its time, and cost nothing by themselves */
	double interrupted; /* share of interruptions that may not have come without probes */
	struct location_survey *locations; /* [locations] */
};

/* False where progress dropped it. Times of `base`. */
bool survey_make(struct overhead_survey *survey, const struct logical *logical,
		 const struct overhead_paths *paths, const struct overhead_cost *cost,
		 const struct overhead_timed *timed, enum time_base base,
		 const struct progress *progress);
void survey_fini(struct overhead_survey *survey);
