/* Wait at N x N, N x N Completion: operations in which every rank sends to every other. */
#include "patterns/kinds/sync.h"

/* All ranks were in the operation when the last one entered, so that it may have synchronised
 * all. */
static bool is_full_overlap(const struct sync_group *group, uint32_t latest)
{
	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].end <= group->parties[latest].begin)
			return false;
	return true;
}

bool loose_evaluate(struct sync_group *group)
{
	const bool all = group->meets != CUBE_NONE;
	bool any = false;

	group->blame = sync_latest(group, !all);
	if (group->blame == UINT32_MAX)
		return false;
	/* A rank that left early read or wrote on its own; so may the others have done. */
	if (group->meets == CUBE_MPI_IO_WAIT && !is_full_overlap(group, group->blame))
		return false;
	const int64_t last = group->parties[group->blame].begin;
	for (uint32_t i = 0; i < group->n; i++) {
		struct sync_party *party = &group->parties[i];
		party->sync = i == group->blame || ((all || party->received) && party->end >= last);
		any = any || (party->sync && i != group->blame);
		if (party->sync)
			sync_fill(group, party, group->blame, party->end);
	}
	return any;
}

bool nxn_evaluate(struct sync_group *group)
{
	const uint32_t last = sync_latest(group, false);
	bool bytes = false;
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < group->n; i++)
		bytes = bytes || group->parties[i].sent || group->parties[i].received;
	if (!bytes)
		return false;
	if (is_full_overlap(group, last)) {
		group->blame = last;
		for (uint32_t i = 0; i < group->n; i++)
			group->parties[i].sync = true;
		sync_fill_all(group, sync_first_end(group));
		return true;
	}
	group->blame = sync_latest(group, true);
	if (group->blame == UINT32_MAX)
		return false;
	for (uint32_t i = 0; i < group->n; i++) {
		struct sync_party *party = &group->parties[i];
		party->sync = party->received && party->begin < group->parties[group->blame].begin;
		waiting += party->sync;
	}
	group->parties[group->blame].sync = true;
	sync_fill_all(group, sync_first_end(group));
	return waiting > 0;
}
