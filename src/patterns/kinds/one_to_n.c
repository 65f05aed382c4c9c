/* Late Broadcast: the ranks that a root sends to wait for it. */
#include "patterns/kinds/sync.h"

bool one_to_n_evaluate(struct sync_group *group)
{
	const struct sync_party *root;
	int64_t first_end;
	bool any = false;

	if (group->root == UINT32_MAX || group->parties[group->root].sent == 0)
		return false;
	root = &group->parties[group->root];
	group->blame = group->root;
	for (uint32_t i = 0; i < group->n; i++) {
		struct sync_party *party = &group->parties[i];
		party->sync = party->received && party->begin < root->begin;
		any = any || party->sync;
	}
	first_end = sync_first_end(group); /* without the root's */
	group->parties[group->root].sync = any;
	sync_fill_all(group, first_end);
	return any;
}
