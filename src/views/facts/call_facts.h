/* call_facts: a call is one visit of a region: when, for how long, and what was sent and received
 * in it. Calls that began before the first event of their location have no event, and are left
 * out. */
#pragma once

#include "base/vec.h"
#include "model/trace/visit_ends.h"
#include "views/query/view.h"

struct call {
	uint32_t enter, leave; /* events; leave: EVENT_NONE if it is open when the trace ends */
	uint32_t location, path;
	int64_t begin, end; /* ticks; that of the run where it is open */
	int64_t exclusive;  /* of these, outside the calls inside it */
};

struct call_traffic {
	uint64_t bytes;  /* of messages that it begins or completes; UINT64_MAX: not known */
	int32_t partner; /* rank, of messages with one other rank; else RANK_UNKNOWN */
	uint32_t comm;   /* the last one in it, UINT32_MAX without */
};

/* What all calls of a query share. Borrows the trace. */
struct call_source {
	const struct trace *trace;
	enum time_base base;
	int64_t run_end; /* in that base */
	struct visit_ends *ends;
};

void call_source_init(struct call_source *source, const struct query *query);
void call_source_fini(struct call_source *source);

/* The calls of a location that are open just before t0, which may be after its last event: appends
 * their enters, the outermost first, EVENT_NONE where there is none, and returns the call path of
 * the innermost. O(depth log events). */
struct call_enters {
	VEC(uint32_t) list;
};
uint32_t calls_open_before(const struct call_source *source, uint32_t location, int64_t t0,
			   struct call_enters *enters);

/* The call that an enter begins, all but its exclusive time. */
struct call call_of(const struct call_source *source, uint32_t enter);
/* That time: O(events inside that are in no call inside, log events each call inside). */
int64_t call_exclusive(const struct call_source *source, const struct call *call);
/* Of a call of MPI or file I/O; others say nothing, at once. */
struct call_traffic call_traffic(const struct call_source *source, const struct call *call);
