/* Collectives, MPI_Init and MPI_Finalize: the class of a group decides how it is evaluated and
 * which wait states it has. */
#include "patterns/kinds/sync.h"

struct sync_kind {
	bool (*evaluate)(struct sync_group *group);
	enum cube_metric waiting, completion;
};

static const struct sync_kind of_class[LOGICAL_CLASSES] = {
	[LOGICAL_BARRIER] = { barrier_evaluate, CUBE_MPI_BARRIER_WAIT,
			      CUBE_MPI_BARRIER_COMPLETION },
	[LOGICAL_N_TO_N] = { nxn_evaluate, CUBE_MPI_WAIT_NXN, CUBE_MPI_NXN_COMPLETION },
	[LOGICAL_ONE_TO_N] = { one_to_n_evaluate, CUBE_MPI_LATEBROADCAST, CUBE_NONE },
	[LOGICAL_N_TO_ONE] = { n_to_one_evaluate, CUBE_MPI_EARLYREDUCE, CUBE_NONE },
	[LOGICAL_NEIGHBOURS] = { neighbours_evaluate, CUBE_MPI_WAIT_NXN, CUBE_NONE },
	[LOGICAL_PREFIX] = { prefix_evaluate, CUBE_MPI_EARLYSCAN, CUBE_NONE },
};

/* Teams and the like have nothing to evaluate. */
static struct sync_kind kind_of(const struct sync_group *group)
{
	struct sync_kind kind = of_class[group->cls];

	if (group->cls == LOGICAL_WORLD)
		return group->init ? (struct sync_kind){ init_finalize_evaluate, CUBE_NONE,
							 CUBE_MPI_INIT_COMPLETION }
				   : (struct sync_kind){ init_finalize_evaluate,
							 CUBE_MPI_FINALIZE_WAIT, CUBE_NONE };
	if (group->loose && group->meets != CUBE_NONE)
		return (struct sync_kind){ loose_evaluate, group->meets, CUBE_NONE };
	if (group->split)
		kind = (struct sync_kind){ inter_evaluate, kind.waiting, CUBE_NONE };
	else if (group->loose)
		kind = (struct sync_kind){ loose_evaluate, CUBE_MPI_WAIT_NXN, CUBE_NONE };
	return kind;
}

bool sync_evaluate(struct sync_group *group)
{
	const struct sync_kind kind = kind_of(group);

	return kind.evaluate && kind.evaluate(group);
}

static void on_notice(struct analysis *analysis, void *local, const struct notice *notice)
{
	const struct sync_kind kind = kind_of(notice->group);

	(void)local;
	if (notice->subject == SUBJECT_GATHERED)
		notice->group->evaluated = sync_evaluate(notice->group);
	else if (notice->group->evaluated || sync_evaluate(notice->group))
		sync_publish(analysis, notice->group, kind.waiting, kind.completion);
}

const struct pattern collectives_pattern = {
	.name = "collectives",
	.subjects = 1u << SUBJECT_GATHERED | 1u << SUBJECT_GROUP,
	.on_notice = on_notice,
};
