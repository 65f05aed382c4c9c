/* Initialization Completion, Wait at Finalize. */
#include "patterns/kinds/sync.h"

bool init_finalize_evaluate(struct sync_group *group)
{
	if (!barrier_evaluate(group))
		return false;
	/* When a process gets to MPI_Init is not the program's doing. */
	for (uint32_t i = 0; i < group->n && group->init; i++)
		group->parties[i].w = 0;
	return true;
}

static void hear(struct analysis *analysis, void *local, void *whole, const struct notice *notice)
{
	struct sync_group *group = notice->group;

	(void)local;
	(void)whole;
	if (group->cls == LOGICAL_WORLD && init_finalize_evaluate(group))
		sync_publish(analysis, group, group->init ? CUBE_NONE : CUBE_MPI_FINALIZE_WAIT,
			     group->init ? CUBE_MPI_INIT_COMPLETION : CUBE_NONE);
}

const struct pattern init_finalize_pattern = {
	.name = "init_finalize",
	.hears = 1u << SUBJECT_GROUP,
	.hear = hear,
};
