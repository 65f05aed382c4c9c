/* Early Reduce: the root waits for the latest rank that sends to it. */
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
