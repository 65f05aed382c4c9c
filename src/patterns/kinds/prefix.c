/* Early Scan: a rank waits for the latest of the ranks up to itself, so each party may wait for
 * another one. */
#include "patterns/kinds/sync.h"

bool prefix_evaluate(struct sync_group *group)
{
	uint32_t latest = UINT32_MAX;
	bool any = false;

	group->blame = UINT32_MAX;
	for (uint32_t i = 0; i < group->n; i++) {
		struct sync_party *party = &group->parties[i];
		if (party->sent &&
		    (latest == UINT32_MAX || party->begin > group->parties[latest].begin))
			latest = i;
		if (latest == UINT32_MAX || (!party->sent && !party->received))
			continue;
		party->sync = party->begin < group->parties[latest].begin;
		if (party->sync)
			sync_fill(group, party, latest, party->end);
		any = any || party->sync;
	}
	return any;
}
