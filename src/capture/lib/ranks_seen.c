#include "capture/lib/ranks_seen.h"

#include "capture/lib/carry.h"
#include "capture/lib/far.h"

const struct rank_line *tv_seen_line(int number)
{
	const struct carry_map *map = tv_carry_map();

	return map->here[number] ? carry_line_of(map, number) : tv_far_line(number);
}

uint64_t tv_seen_at(int number, uint64_t now)
{
	return tv_carry_map()->here[number] ? now : tv_far_seen(number);
}

uint64_t tv_seen_same(int number)
{
	return tv_carry_map()->here[number] ? 0 : tv_far_same(number);
}

uint64_t tv_seen_under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth,
			   struct carry_entry *e)
{
	const struct carry_map *map = tv_carry_map();
	const enum carry_direction direction = posts ? CARRY_POSTS : CARRY_SENDS;

	/* Messages of other nodes to this rank are copied here. */
	if (map->here[to] && (map->here[from] || (to == map->me && !posts)))
		return carry_has_talked(map, direction, from, to)
			       ? carry_under_way(carry_ring_at(map, direction, from, to), comm, tag,
						 nth, e)
			       : 0;
	return tv_far_under_way(posts, from, to, comm, tag, nth, e);
}

bool tv_seen_meeting(int number, uint64_t ticket, struct carry_meeting *meeting)
{
	const struct carry_map *map = tv_carry_map();

	return map->here[number] ? carry_meeting_of(map, ticket, meeting)
				 : tv_far_meeting(number, ticket, meeting);
}
