/* Waiting for some of the members only, by the obvious extension of the rule for all:
 * neighbourhood collectives, and collectives between two groups. */
#include "patterns/kinds/sync.h"

bool neighbours_evaluate(struct sync_group *group)
{
	bool any = false;

	group->blame = UINT32_MAX;
	for (uint32_t i = 0; i < group->n; i++) {
		struct sync_party *party = &group->parties[i];
		uint32_t latest = i, n;
		const uint32_t *list = neighbours_of(group->neighbourhood, i, &n);
		for (uint32_t k = 0; k < n; k++)
			if (group->parties[list[k]].begin > group->parties[latest].begin)
				latest = list[k];
		party->sync = party->received && latest != i;
		if (party->sync)
			sync_fill(group, party, latest, party->end);
		any = any || party->sync;
	}
	return any;
}

/* The latest of the parties from .. to - 1. */
static uint32_t latest_of(const struct sync_group *group, uint32_t from, uint32_t to, bool senders)
{
	uint32_t latest = UINT32_MAX;

	for (uint32_t i = from; i < to; i++)
		if ((!senders || group->parties[i].sent) &&
		    (latest == UINT32_MAX ||
		     group->parties[i].begin > group->parties[latest].begin))
			latest = i;
	return latest;
}

bool inter_evaluate(struct sync_group *group)
{
	const bool bytes = group->cls != LOGICAL_BARRIER;
	const uint32_t first = latest_of(group, 0, group->split, bytes);
	const uint32_t second = latest_of(group, group->split, group->n, bytes);
	bool any = false;

	group->blame = UINT32_MAX;
	for (uint32_t i = 0; i < group->n; i++) {
		struct sync_party *party = &group->parties[i];
		const uint32_t blame = i < group->split ? second : first;
		party->sync = blame != UINT32_MAX && (!bytes || party->received) &&
			      party->begin < group->parties[blame].begin &&
			      (!group->loose || party->end >= group->parties[blame].begin);
		if (!party->sync)
			continue;
		sync_fill(group, party, blame, party->end);
		any = true;
		if (sync_is_rooted(group))
			group->blame = blame;
	}
	if (group->blame != UINT32_MAX) {
		group->parties[group->blame].sync = true;
		sync_fill(group, &group->parties[group->blame], group->blame, INT64_MAX);
	}
	return any;
}
