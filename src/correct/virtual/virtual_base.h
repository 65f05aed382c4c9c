/* virtual_base: the time base `virtual` of traces whose ranks kept virtual time while they ran
 * (tvrun --virtual-time, model/trace/virtual_metric.h): the best synchronised time less the
 * intrusion. At the enter and the leave of a call of MPI that is what the rank itself knew; in
 * between it is shared out: regions of the tool are taken out whole, the rest outside of calls over
 * the records there; inside calls it follows the clock as far as the leave allows. A location
 * without such calls keeps its times. */
#pragma once

#include "base/progress.h"
#include "model/trace/trace.h"

struct virtual_report {
	bool done;
	uint64_t calls;     /* with virtual times */
	uint32_t locations; /* that have some, */
	uint32_t without;   /* and that have events and none */
	int64_t most;       /* ticks: the largest intrusion */
	int64_t at_end;     /* ticks: the run is so much shorter */
	int64_t error;      /* ticks: the largest bound of an error */
};

/* False where progress dropped it, or with err. A trace without virtual times: true, not done. */
bool virtual_base_make(struct virtual_report *report, struct trace *trace, enum time_base from,
		       const struct progress *progress, struct err *err);
