/* run_probed: how much more probes that only change rows cost where they are than when they were
 * measured: of those that ranks timed while the program ran (capture/lib/probes.c). */
#pragma once

#include "capture/lib/statistic.h"
#include "capture/run/merge_job.h"

enum probed_kind { PROBED_PROCEDURE, PROBED_LOOP, PROBED_KINDS };

struct run_probed {
	/* Ticks that they took, and would have taken by the ranks' measurements. */
	double number[PROBED_KINDS], time[PROBED_KINDS], measured[PROBED_KINDS];
};

void run_probed_add(struct run_probed *probed, const struct rank *rank,
		    const struct tv_statistic *row);
/* The property probes-timed (doc/format.md), if enough of them were. */
void run_probed_say(const struct run_probed *probed, struct builder *builder);
