/* overhead_aid_run: one run of a made-up program (overhead_aid.h), measured or not. Its ranks take
 * their steps as soon as those that they wait for let them, and note their events. */
#pragma once

#include "base/vec.h"
#include "correct/overhead/overhead_aid.h"
#include "model/trace/trace.h"

/* Regions: the functions of the program, and these. */
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
struct aid_note {
	int64_t time;
	enum event_kind kind;
	uint32_t region; /* a function or R_...; 0 where there is none */
	int peer;
	int64_t request;
	uint64_t bytes;
};

typedef VEC(struct aid_note) aid_notes;

/* One run. */
struct aid_pass {
	const struct aid_program *p;
	bool measured;
	struct runner *runners; /* [ranks] */
	int64_t wait;           /* of all ranks in calls */
};

/* Runs the program to its end. */
void aid_pass_begin(struct aid_pass *r, const struct aid_program *p, bool measured);
void aid_pass_end(struct aid_pass *r);
/* What a rank noted, until the end. */
const aid_notes *aid_pass_notes(const struct aid_pass *r, uint32_t rank);
