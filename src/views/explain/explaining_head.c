/* The first sentence on a wait state: which rank waited how long in which call, and for what. */
#include <string.h>

#include "correct/clocks/logical.h"
#include "model/trace/halo.h"
#include "views/explain/explaining.h"

/* In all processes that share the trace. */
static uint32_t member_count(const struct trace *trace, uint32_t collective)
{
	return trace_exchange(trace) && collective >= trace_first_turn(trace)
		       ? trace_turn(trace, collective)->members
		       : trace_collective(trace, collective)->members;
}

/* Of which members of a collective one came last: " of 3", " of the neighbours"; "" of two, of the
 * other group, and where an event is of no collective. */
static const char *among_text(struct phrases *p, uint32_t event)
{
	const uint32_t what = event == EVENT_NONE ? 0 : trace_event_what(p->trace, event);
	const struct collective *c;
	uint32_t id, members;

	if (event == EVENT_NONE ||
	    (what_kind(what) != EV_COLLECTIVE_BEGIN && what_kind(what) != EV_COLLECTIVE_END))
		return "";
	id = trace_member_collective(p->trace, what_id(what));
	c = trace_collective(p->trace, id);
	members = member_count(p->trace, id);
	if (logical_class_of(p->trace, c->region) == LOGICAL_NEIGHBOURS)
		return " of the neighbours";
	if (trace_comm(p->trace, c->comm)->kind == COMM_INTER || members <= 2)
		return "";
	return phrase(p, " of %u", members);
}

/* The collective that a call completes, which has another name: " for MPI_Iallreduce"; "" else. */
static const char *completes_text(struct phrases *p, const struct wait *w)
{
	const uint32_t what = trace_event_what(p->trace, w->event);
	uint32_t region;

	/* Without a call: calls were not recorded then. */
	if (!w->path || !(w->flags & WAIT_COLLECTIVE) || what_kind(what) != EV_COLLECTIVE_END)
		return "";
	region = trace_collective(p->trace, trace_member_collective(p->trace, what_id(what)))
			 ->region;
	return region == trace_callpath_region(p->trace, w->path)
		       ? ""
		       : phrase(p, " for %s", phrase_region(p, region));
}

/* What the one that was waited for did, if it was a rank: " sent late". */
static const char *fault_of(const struct wait *w)
{
	switch (w->metric) {
	case CUBE_MPI_LATESENDER:
	case CUBE_MPI_PROBE_WAIT:
	case CUBE_MPI_POLLING: return " sent late";
	case CUBE_MPI_LATERECEIVER: return " received late";
	case CUBE_MPI_BARRIER_WAIT:
	case CUBE_MPI_WAIT_NXN:
	case CUBE_MPI_FINALIZE_WAIT:
	case CUBE_MPI_COMM_WAIT:
	case CUBE_MPI_FILE_WAIT:
	case CUBE_MPI_IO_WAIT:
	case CUBE_MPI_RMA_WAIT_AT_CREATE:
	case CUBE_MPI_RMA_WAIT_AT_FREE:
	case CUBE_MPI_RMA_WAIT_AT_FENCE:
	case CUBE_OMP_EBARRIER_WAIT:
	case CUBE_OMP_IBARRIER_WAIT: return " came last";
	case CUBE_MPI_EARLYREDUCE: return " contributed last";
	case CUBE_MPI_EARLYSCAN: return ", a lower rank, came late";
	case CUBE_MPI_LATEBROADCAST: return ", the root, came late";
	case CUBE_MPI_RMA_SYNC_LATE_POST:
	case CUBE_MPI_RMA_COMM_LATE_POST: return ", the target, posted late";
	case CUBE_MPI_RMA_EARLY_WAIT: return " was the last to complete its access";
	case CUBE_MPI_RMA_LATE_COMPLETE:
		return " completed its access long after its last operation";
	case CUBE_MPI_RMA_SYNC_LOCK_COMPETITION:
	case CUBE_MPI_RMA_COMM_LOCK_COMPETITION: return " held the lock of the window";
	case CUBE_MPI_RMA_SYNC_WAIT_FOR_PROGRESS:
	case CUBE_MPI_RMA_COMM_WAIT_FOR_PROGRESS: return " was not in MPI";
	case CUBE_OMP_LOCK_CONTENTION_CRITICAL: return " was in the critical section";
	case CUBE_OMP_LOCK_CONTENTION_API: return " held the lock";
	case CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK:
	case CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL: return " held the mutex";
	case CUBE_DEVICE_WAIT: return " was still at work";
	default: return " had not arrived";
	}
}

/* "rank 3 sent late", "rank 2 came last of 3". */
static const char *cause_text(struct phrases *p, const struct wait *w, uint32_t delayer)
{
	static const char last[] = " came last";
	const char *fault = fault_of(w);

	if (w->metric == CUBE_MPI_RMA_EARLY_FENCE)
		return "other ranks were still accessing its window";
	if (w->metric == CUBE_DEVICE_WAIT && delayer == UINT32_MAX)
		return "the trace does not say for which work";
	return phrase(p, "%s%s%s", explain_who(p, delayer), fault,
		      strcmp(fault, last) == 0 ? among_text(p, w->event) : "");
}

/* What time is if it is not waiting for a rank. NULL: it is waiting. */
static const char *no_fault(const struct wait *w)
{
	switch (w->metric) {
	case CUBE_MPI_INIT_COMPLETION:
	case CUBE_MPI_BARRIER_COMPLETION:
	case CUBE_MPI_NXN_COMPLETION:
		return "no rank was late: this is the time the operation took to complete";
	case CUBE_OMP_FORK:
		return "no thread was late: this is the time from the fork to the thread's start";
	default: return NULL;
	}
}

const char *explain_head(struct phrases *p, const struct wait_bounds *bounds, uint32_t location,
			 const struct wait *w, uint32_t delayer)
{
	const char *none = no_fault(w), *text;
	OWNED_STR length = STR_INIT;

	wait_length_text(bounds, location, w, 3, trace_scale(p->trace), &length);
	text = phrase(p, "%s %s %s in %s%s: %s.%s%s", explain_who(p, location),
		      none ? "spent" : "waited", length.text, phrase_path(p, w->path),
		      completes_text(p, w), none ? none : cause_text(p, w, delayer),
		      w->flags & WAIT_WRONG_ORDER
			      ? " Another order of receives would have avoided this wait."
			      : "",
		      w->flags & WAIT_EXTENDED ? " (By extension of the formula: nonblocking or "
						 "neighbourhood collective, persistent request.)"
					       : "");
	return text;
}
