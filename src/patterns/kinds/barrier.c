/* Wait at Barrier, Barrier Completion: everybody waits for the last. */
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

static void hear(struct analysis *analysis, void *local, void *whole, const struct notice *notice)
{
	(void)local;
	(void)whole;
	if (notice->group->cls == LOGICAL_BARRIER && !notice->group->split &&
	    barrier_evaluate(notice->group))
		sync_publish(analysis, notice->group, CUBE_MPI_BARRIER_WAIT,
			     CUBE_MPI_BARRIER_COMPLETION);
}

const struct pattern barrier_pattern = {
	.name = "barrier",
	.hears = 1u << SUBJECT_GROUP,
	.hear = hear,
};
