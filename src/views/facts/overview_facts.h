/* overview_facts: the numbers of the overview: one pass over the events of the chosen
 * locations, one over the messages and one over the collectives of the window.
 * What waits, and why, is the diagnosis (diagnosis.h). Where several processes share the trace, all
 * make them, and have them of all. */
#pragma once

#include "views/facts/device_facts.h"

struct overview_facts {
	uint32_t locations; /* those whose time counts (location_runs_code()); all if that is
			       none */
	uint64_t events;    /* in the window */
	int64_t t0, t1;     /* window, clamped to the run */
	__int128 whole;     /* locations * (t1 - t0) */
	__int128 by_class[CLASS_COUNT];
	__int128 in_no_region; /* time in which the location was traced, but no region was open */

	uint32_t top[3]; /* regions with the most exclusive time, measurement, start and end of MPI
			    left out; UINT32_MAX none */
	int64_t top_exclusive[3];
	int64_t start_and_end;     /* exclusive time in MPI_Init, MPI_Finalize and the like */
	uint64_t top_count;        /* visits of the first */
	uint32_t top_location;     /* location that deviates most from the mean of the first
				      region */
	int64_t top_location_time; /* its exclusive time there */

	uint64_t messages, bytes, largest; /* largest: bytes */
	bool bytes_known;
	uint64_t unmatched, guessed, reversed;
	int64_t worst_reversed;
	uint64_t copies; /* between hosts and devices, and on devices */

	uint64_t collectives, incomplete;
	/* The collective with the longest span, of equals that which began first; UINT32_MAX:
	 * none. */
	uint32_t slowest_region, slowest_members;
	int64_t slowest_time;

	struct device_facts devices;
};

/* Facts of the whole run are kept with the trace. */
void overview_facts_make(struct overview_facts *facts, const struct query *query);

/* Computes and keeps all that the first screen shows, for the trace's cache file. */
void overview_prepare(struct trace *trace);
void overview_prepare_with(struct trace *trace, const struct progress *progress);
