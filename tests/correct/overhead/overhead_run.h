/* overhead_run: one run of a made-up program (overhead_aid.h), measured or not: its ranks take their
 * steps in turns, as far as those that they wait for let them, and note their events. */
#pragma once

#include "correct/overhead/overhead_aid.h"

/* What a note's region is: a function of the program, or ... */
enum {
	R_SEND = AID_FUNCTIONS,
	R_RECV,
	R_IRECV,
	R_WAITALL,
	R_SENDRECV,
	R_BARRIER,
	R_ALLREDUCE,
	R_BCAST,
	R_REDUCE,
	R_SCAN,
	R_FLUSH,
	R_UNRECORDED,
	REGIONS
};

/* An event as the trace will have it. */
struct note {
	int64_t time;
	enum event_kind kind;
	uint32_t region; /* of the enumeration, or 0 */
	int peer;
	int64_t request;
	uint64_t bytes;
};

typedef VEC(struct note) notes;

/* One run of the program, measured or not. */
struct overhead_run {
	const struct aid_program *p;
	bool measured;
	struct overhead_runner *runners; /* [ranks] */
	int64_t wait;
};
