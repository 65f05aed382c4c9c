/* open_calls: the collective operations in which locations were when a trace ended, with all their
 * members: for the roll-call (rollcall.h). Where several processes share the trace, members may be
 * in all of them; then each process has all that are open.
 *
 *	struct open_calls calls;
 *	open_calls_make(&calls, trace, inside);
 *	vec_each (call, &calls.list) ...
 *	open_calls_fini(&calls); */
#pragma once

#include "base/vec.h"
#include "model/trace/message.h"

struct open_member {
	uint32_t location;        /* UINT32_MAX: its begin is missing */
	uint32_t position;        /* of the call among its location's on the communicator, from 1 */
	uint32_t type, operation; /* strings of the trace, UINT32_MAX unknown */
	bool waits;               /* its location is inside, and began none later */
	uint64_t sent, received;  /* bytes, UINT64_MAX unknown */
};

struct open_call {
	uint32_t comm, region, flags;
	int32_t root;
	uint32_t first, n; /* members, by location */
};

struct open_calls {
	VEC(struct open_call) list;
	VEC(struct open_member) members;
};

/* Those that a location waits in, of the locations that are `inside` [locations] of a collective
 * call. O(members of all collectives). All processes call it. */
void open_calls_make(struct open_calls *calls, const struct trace *trace, const bool *inside);
void open_calls_fini(struct open_calls *calls);
