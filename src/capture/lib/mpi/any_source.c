#include "capture/lib/mpi/any_source.h"

#include "capture/lib/calling.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/replay_board.h"
#include "capture/lib/virtual.h"

static bool is_there(int source, int tag, MPI_Comm comm)
{
	int there = 0;

	return tv_mpi.Iprobe(source, tag, comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS && there;
}

static int members_of(const struct tv_comm *known)
{
	return known->remote ? known->remote : known->size;
}

int tv_wait_recorded(struct tv_thread *t, const struct tv_comm *known, int source, int tag,
		     MPI_Comm comm, bool asks)
{
	struct tv_board_wait wait;
	enum tv_depart_why why = TV_DEPART_NONE;

	if (source >= members_of(known)) {
		tv_order_depart(t, TV_DEPART_MEMBER);
		return MPI_ANY_SOURCE;
	}
	if (is_there(source, tag, comm))
		return source;
	tv_await(t, source, tag, known->id, TV_ANY_SOURCE);
	tv_calling_message(t, TV_CALLING_RECEIVE, source, tag, known->id, TV_ANY_SOURCE);
	tv_board_wait_begin(&wait);
	while (!why && !is_there(source, tag, comm)) {
		tv_hold_pause(tv_now() - wait.began);
		why = tv_board_wait_look(&wait, tv_comm_world_rank(known, source),
					 asks || is_there(MPI_ANY_SOURCE, tag, comm));
	}
	tv_board_wait_end();
	if (!why)
		return source;
	tv_order_depart(t, why);
	return MPI_ANY_SOURCE;
}

int tv_choose_waiting(struct tv_thread *t, uint32_t call, const struct tv_comm *known, int tag,
		      MPI_Comm comm)
{
	const struct tv_choice *recorded = tv_order_next(t, TV_CHOICE_SOURCE, call, known);
	int source = MPI_ANY_SOURCE;

	if (recorded && recorded->what >= 0)
		source = tv_wait_recorded(t, known, recorded->what, tag, comm, false);
	else if (tv.line)
		source = tv_hold_source(t, known, tag, comm);
	/* A choice that is not certain has opened the call before its hold was over. */
	tv_virtual_held(t);
	return source;
}

int tv_choose_started(struct tv_thread *t, uint32_t call, const struct tv_comm *known, int tag,
		      MPI_Comm comm)
{
	const struct tv_choice *recorded = tv_order_next(t, TV_CHOICE_SOURCE, call, known);

	(void)tag, (void)comm;
	if (!recorded || recorded->what < 0)
		return MPI_ANY_SOURCE;
	if (recorded->what < members_of(known))
		return recorded->what;
	tv_order_depart(t, TV_DEPART_MEMBER);
	return MPI_ANY_SOURCE;
}
