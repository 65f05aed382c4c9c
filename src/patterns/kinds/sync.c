#include "patterns/kinds/sync.h"

uint32_t sync_latest(const struct sync_group *group, bool senders)
{
	uint32_t latest = UINT32_MAX;

	for (uint32_t i = 0; i < group->n; i++) {
		if (senders && group->parties[i].sent == 0)
			continue;
		if (latest == UINT32_MAX || group->parties[i].begin > group->parties[latest].begin)
			latest = i;
	}
	return latest;
}

int64_t sync_start(const struct sync_group *group, const struct sync_party *party)
{
	return group->extended && party->en > party->begin ? party->en : party->begin;
}

int64_t sync_first_end(const struct sync_group *group)
{
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].sync && group->parties[i].end < first)
			first = group->parties[i].end;
	return first;
}

static int64_t largest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void sync_fill(const struct sync_group *group, struct sync_party *party, uint32_t blame,
	       int64_t first_end)
{
	const int64_t start = sync_start(group, party);
	const int64_t begin = group->parties[blame].begin;
	const int64_t late = begin < party->end ? begin : party->end;

	party->blame = blame;
	if (!party->waits) {
		party->w = party->k = 0;
		return;
	}
	party->w = largest(0, late - start);
	party->k = largest(0, party->end - largest(start, largest(first_end, late)));
}

void sync_fill_all(struct sync_group *group, int64_t first_end)
{
	for (uint32_t i = 0; i < group->n; i++)
		if (group->parties[i].sync)
			sync_fill(group, &group->parties[i], group->blame, first_end);
}

static void add_wait(struct analysis *analysis, const struct sync_group *group,
		     const struct sync_party *party, enum cube_metric metric, int64_t begin,
		     int64_t length, unsigned flags)
{
	const struct sync_party *blame = &group->parties[party->blame];
	const bool elsewhere = group->far && blame->begin_event == EVENT_NONE;

	if (length <= 0 || metric == CUBE_NONE)
		return;
	if (begin < party->en)
		analysis_nested(analysis, party->location);
	analysis_found(analysis, party->location,
		       &(struct wait){ .event = party->end_event,
				       .partner = elsewhere ? blame->location : blame->begin_event,
				       .path = party->path,
				       .metric = (uint8_t)metric,
				       .flags = (uint8_t)(WAIT_COLLECTIVE | flags |
							  (elsewhere ? WAIT_ELSEWHERE : 0) |
							  (group->extended ? WAIT_EXTENDED : 0)),
				       .begin = begin,
				       .length = length });
}

void sync_publish(struct analysis *analysis, struct sync_group *group, enum cube_metric waiting,
		  enum cube_metric completion)
{
	for (uint32_t i = 0; i < group->n; i++) {
		const struct sync_party *party = &group->parties[i];
		if (!party->sync)
			continue;
		if (group->parties[party->blame].begin > party->end)
			analysis_counters(analysis, party->location)->violations++;
		add_wait(analysis, group, party, waiting, sync_start(group, party), party->w, 0);
		add_wait(analysis, group, party, completion, party->end - party->k, party->k,
			 WAIT_PART);
	}
	if (group->blame != UINT32_MAX || sync_is_single(group))
		analysis_publish(analysis,
				 &(struct notice){ .subject = SUBJECT_SYNC, .group = group });
}
