#include "capture/lib/counters.h"
#include "capture/lib/open.h"

struct tv_call_state tv_call_save(const struct tv_thread *t)
{
	return (struct tv_call_state){ t->nested, t->call, t->frame, t->now, t->place, t->with };
}

void tv_call_restore(struct tv_thread *t, const struct tv_call_state *state)
{
	t->nested = state->nested;
	t->call = state->call;
	t->frame = state->frame;
	t->now = state->now;
	t->place = state->place;
	t->with = state->with;
}

/* Blocking collectives: a trace has one at a time on a location, and MPI forbids to communicate in
 * an operation, which is all that they call back. */
#define BOTH(name) [CALL_##name] = true, [CALL_##name##_c] = true, /* also for large counts */

/* clang-format off */
static const bool collective[CALL_COUNT] = {
	[CALL_Barrier] = true,
	BOTH(Bcast) BOTH(Gather) BOTH(Gatherv) BOTH(Scatter) BOTH(Scatterv) BOTH(Allgather)
	BOTH(Allgatherv) BOTH(Alltoall) BOTH(Alltoallv) BOTH(Alltoallw) BOTH(Reduce)
	BOTH(Allreduce) BOTH(Reduce_scatter) BOTH(Reduce_scatter_block) BOTH(Scan) BOTH(Exscan)
	BOTH(Neighbor_allgather) BOTH(Neighbor_allgatherv) BOTH(Neighbor_alltoall)
	BOTH(Neighbor_alltoallv) BOTH(Neighbor_alltoallw)
};
/* clang-format on */

static bool is_in_collective(const struct tv_thread *t)
{
	bool is = collective[t->call];

	for (uint32_t i = 0; i < t->outers; i++)
		is |= collective[t->outer[i].call];
	return is;
}

/* A call has left the one under way if its frame is not below that one's. When it was left is not
 * known. */
static bool is_left(const struct tv_thread *t, const void *frame)
{
	return t->nested && t->frame && !t->busy && !t->writing &&
	       (uintptr_t)frame >= (uintptr_t)t->frame;
}

bool tv_call_allows(struct tv_thread *t, uint32_t call, const void *site, const void *frame)
{
	bool called_back;

	while (is_left(t, frame))
		tv_end_last(t, t->call);
	if (!t->nested)
		return true;
	if (!t->frame || t->busy || t->writing)
		return false;
	tv_busy_set(t);
	called_back = tv_is_called_back(t->call, site);
	tv_busy_end(t);
	if (called_back && t->outers < TV_OUTERS_MAX && !(collective[call] && is_in_collective(t)))
		return true;
	if (called_back && t->nested != TV_CALL_PAUSED)
		tv_count_passed(call);
	return false;
}

void tv_call_spent(struct tv_thread *t, uint64_t took)
{
	struct tv_call_state *outer = t->outers ? &t->outer[t->outers - 1] : NULL;

	/* The outer call's time contains it, unless a procedure is between the two. */
	if (outer && !(t->rows.depth && tv_top(&t->rows)->start >= outer->now))
		outer->with.children += took;
	else if (t->rows.depth)
		tv_top(&t->rows)->children += took;
}

void tv_end_odd(struct tv_thread *t, uint32_t call, uint64_t time)
{
	tv_busy_set(t);
	if (t->nested == TV_CALL_COUNTED) {
		tv_counters_stop(t);
		tv_counters_at(t, time);
	}
	if (t->nested == TV_CALL_INNER || t->nested == TV_CALL_COUNTED) {
		tv_account(t, call, time);
		tv_write(t, time, TV_LEAVE, 0, call, 0);
	}
	tv_counters_go(t);
	if (t->outers)
		tv_call_restore(t, &t->outer[--t->outers]);
	else
		t->nested = 0;
	tv_busy_end(t);
}
