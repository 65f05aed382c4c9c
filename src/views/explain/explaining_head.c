/* The first sentence on a wait state: who waited how long in what call, and for what. */
#include "views/explain/explaining.h"

#include "views/facts/place_words.h"

/* The members of a collective operation; 0 where an event is of none. */
static uint32_t members_of(const struct trace *trace, uint32_t event)
{
	const uint32_t what = event == EVENT_NONE ? 0 : trace_event_what(trace, event);

	if (event == EVENT_NONE ||
	    (what_kind(what) != EV_COLLECTIVE_BEGIN && what_kind(what) != EV_COLLECTIVE_END))
		return 0;
	return trace_collective(trace, trace_member_collective(trace, what_id(what)))->members;
}

static void add_last(struct str *out, const struct trace *trace, const struct wait *w)
{
	const uint32_t n = members_of(trace, w->event);

	str_add(out, " came last");
	if (n > 2)
		str_add_fmt(out, " of %u", n);
}

/* What the one that was waited for did: "rank 3 sent late". */
static void add_fault(struct str *out, const struct trace *trace, const struct wait *w,
		      uint32_t delayer)
{
	if (w->metric == CUBE_MPI_RMA_EARLY_FENCE) {
		str_add(out, "operations on its memory were still coming in");
		return;
	}
	explain_who(out, trace, delayer, false);
	switch (w->metric) {
	case CUBE_MPI_LATESENDER: str_add(out, " sent late"); break;
	case CUBE_MPI_LATERECEIVER: str_add(out, " received late"); break;
	case CUBE_MPI_BARRIER_WAIT:
	case CUBE_MPI_WAIT_NXN:
	case CUBE_MPI_FINALIZE_WAIT:
	case CUBE_MPI_RMA_WAIT_AT_CREATE:
	case CUBE_MPI_RMA_WAIT_AT_FREE:
	case CUBE_MPI_RMA_WAIT_AT_FENCE:
	case CUBE_OMP_EBARRIER_WAIT:
	case CUBE_OMP_IBARRIER_WAIT: add_last(out, trace, w); break;
	case CUBE_MPI_EARLYREDUCE: str_add(out, " gave its part last"); break;
	case CUBE_MPI_EARLYSCAN: str_add(out, ", before it in the order, came late"); break;
	case CUBE_MPI_LATEBROADCAST: str_add(out, ", the root, came late"); break;
	case CUBE_MPI_RMA_SYNC_LATE_POST:
	case CUBE_MPI_RMA_COMM_LATE_POST: str_add(out, ", the target, posted late"); break;
	case CUBE_MPI_RMA_EARLY_WAIT: str_add(out, " was the last to complete its access"); break;
	case CUBE_MPI_RMA_LATE_COMPLETE:
		str_add(out, " completed its access late, behind its last operation");
		break;
	case CUBE_MPI_RMA_SYNC_LOCK_COMPETITION:
	case CUBE_MPI_RMA_COMM_LOCK_COMPETITION:
		str_add(out, " held the lock of the window");
		break;
	case CUBE_MPI_RMA_SYNC_WAIT_FOR_PROGRESS:
	case CUBE_MPI_RMA_COMM_WAIT_FOR_PROGRESS: str_add(out, " was not in MPI"); break;
	case CUBE_OMP_LOCK_CONTENTION_CRITICAL: str_add(out, " was in the critical section"); break;
	case CUBE_OMP_LOCK_CONTENTION_API: str_add(out, " held the lock"); break;
	case CUBE_PTHREAD_LOCK_CONTENTION_MUTEX_LOCK:
	case CUBE_PTHREAD_LOCK_CONTENTION_CONDITIONAL: str_add(out, " held the mutex"); break;
	default: str_add(out, " was not there yet"); break;
	}
}

/* Time that is no waiting for anybody: what it is instead. NULL: it is waiting. */
static const char *no_fault(const struct wait *w)
{
	switch (w->metric) {
	case CUBE_MPI_INIT_COMPLETION:
	case CUBE_MPI_BARRIER_COMPLETION:
	case CUBE_MPI_NXN_COMPLETION:
		return "all were there, and the first had left: completing took so long, and nobody "
		       "was late";
	case CUBE_OMP_FORK:
		return "the team was forked, and the thread began so much later: nobody was late";
	default: return NULL;
	}
}

static void add_remarks(struct str *out, const struct wait *w)
{
	if (w->flags & WAIT_WRONG_ORDER)
		str_add_fmt(out,
			    " The message came in the wrong order (%s): another order of receives "
			    "would have avoided it.",
			    w->flags & WAIT_SAME_SOURCE ? "from the same source"
							: "from different sources");
	if (w->flags & WAIT_EXTENDED)
		str_add(out, " (By extension of the formula: non-blocking or neighbourhood "
			     "collective, persistent request.)");
}

void explain_head(struct str *out, const struct query *query, const struct wait_bounds *bounds,
		  uint32_t location, const struct wait *w, uint32_t delayer)
{
	const char *none = no_fault(w);

	explain_who(out, query->trace, location, false);
	str_add(out, none ? " spent " : " waited ");
	wait_length_text(bounds, location, w, 3, trace_scale(query->trace), out);
	str_add(out, " in ");
	words_path(query->trace, w->path, out);
	str_add(out, ": ");
	if (none)
		str_add(out, none);
	else
		add_fault(out, query->trace, w, delayer);
	str_add_char(out, '.');
	add_remarks(out, w);
}

bool explain_held(struct str *out, const struct query *query, const struct wait *w)
{
	const struct trace *trace = query->trace;

	if (w->partner == EVENT_NONE)
		return false;
	explain_who(out, trace, trace_event_location(trace, w->partner), true);
	str_add(out, " was in ");
	words_path(trace, trace_event_path(trace, w->partner), out);
	str_add(out, " then");
	return true;
}
