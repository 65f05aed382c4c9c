/* Early Reduce: the root waits for the latest of those that have something for it. */
#include "patterns/kinds/sync.h"

bool n_to_one_evaluate(struct sync_group *group)
{
	if (group->root == UINT32_MAX || group->parties[group->root].received == 0)
		return false;
	group->blame = sync_latest(group, true);
	if (group->blame == UINT32_MAX ||
	    group->parties[group->root].begin >= group->parties[group->blame].begin)
		return false;
	group->parties[group->root].sync = true;
	group->parties[group->blame].sync = true;
	sync_fill_all(group, sync_first_end(group));
	return true;
}

static void hear(struct analysis *analysis, void *local, void *whole, const struct notice *notice)
{
	(void)local;
	(void)whole;
	if (notice->group->cls == LOGICAL_N_TO_ONE && n_to_one_evaluate(notice->group))
		sync_publish(analysis, notice->group, CUBE_MPI_EARLYREDUCE, CUBE_NONE);
}

const struct pattern n_to_one_pattern = {
	.name = "n_to_one",
	.hears = 1u << SUBJECT_GROUP,
	.hear = hear,
};
