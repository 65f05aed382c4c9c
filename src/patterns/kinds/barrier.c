/* Wait at Barrier, Barrier Completion: all wait for the last. The same in MPI_Init and
 * MPI_Finalize: Initialization Completion, Wait at Finalize. */
#include "patterns/kinds/sync.h"

bool barrier_evaluate(struct sync_group *group)
{
	group->blame = sync_latest(group, false);
	if (group->blame == UINT32_MAX)
		return false;
	for (uint32_t i = 0; i < group->n; i++)
		group->parties[i].sync = true;
	sync_fill_all(group, sync_first_end(group));
	return true;
}

bool init_finalize_evaluate(struct sync_group *group)
{
	if (!barrier_evaluate(group))
		return false;
	/* The program does not control when a process reaches MPI_Init. */
	for (uint32_t i = 0; i < group->n && group->init; i++)
		group->parties[i].w = 0;
	return true;
}
