#define _GNU_SOURCE
#include "capture/lib/far_nodes.h"

#include "capture/lib/carry.h"

const struct rank_line *tv_far_line(int number)
{
	return &tv_far_nodes()->line[number].line;
}

uint64_t tv_far_same(int number)
{
	return tv_far_nodes()->line[number].same;
}

bool tv_far_meeting(int number, uint64_t ticket, struct carry_meeting *meeting)
{
	const struct far_line *line = &tv_far_nodes()->line[number];

	*meeting = line->meeting;
	return line->meets && line->line.ticket == ticket;
}

uint64_t tv_far_seen(int number)
{
	return tv_far_nodes()->node[tv_far_nodes()->node_of[number]].seen;
}

bool tv_far_is_same(void)
{
	bool same = !tv_far_nodes()->lost;

	for (int i = 0; i < tv_far_nodes()->n; i++)
		same &= tv_far_nodes()->node[i].same;
	return same;
}

static uint64_t found(const struct carry_entry *e, int64_t offset, struct carry_entry *out)
{
	*out = *e;
	out->time -= (uint64_t)offset;
	return out->time;
}

/* What the reader has taken: it is on this node, or on the node that said so. */
static struct far_read read_by(int from, int to)
{
	const struct carry_map *map = tv_carry_map();
	const struct far_read *r;

	if (map->here[to])
		return carry_has_talked(map, CARRY_SENDS, from, to)
			       ? far_read_of(carry_ring_at(map, CARRY_SENDS, from, to), from, to)
			       : (struct far_read){ 0 };
	r = far_parts_read(&tv_far_nodes()->node[tv_far_nodes()->node_of[to]].parts, from, to);
	return r ? *r : (struct far_read){ 0 };
}

/* Of a ring that a rank of this node writes. */
static uint64_t under_way_from_here(int from, int to, uint32_t comm, int tag, unsigned nth,
				    struct carry_entry *out)
{
	const struct carry_map *map = tv_carry_map();
	const struct far_read r = read_by(from, to);
	const struct carry_ring *ring;
	uint64_t written;

	if (!carry_has_talked(map, CARRY_SENDS, from, to))
		return 0;
	ring = carry_ring_at(map, CARRY_SENDS, from, to);
	written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	if (r.unknown || written >= r.read + CARRY_ENTRIES)
		return CARRY_UNKNOWN;
	for (uint64_t i = r.read; i < written; i++) {
		const struct carry_entry *e = &ring->entry[i % CARRY_ENTRIES];
		if (far_is_done(&r, i) || e->comm != comm ||
		    (tag != CARRY_ANY_TAG && e->tag != tag) ||
		    __atomic_load_n(&e->time, __ATOMIC_RELAXED) == CARRY_WITHDRAWN || nth-- > 0)
			continue;
		return found(e, 0, out);
	}
	return 0;
}

static uint64_t under_way_from_there(bool posts, int from, int to, uint32_t comm, int tag,
				     unsigned nth, struct carry_entry *out)
{
	const struct far_node *node = &tv_far_nodes()->node[tv_far_nodes()->node_of[from]];
	const struct far_ring *ring = far_parts_ring(&node->parts, posts, from, to);
	struct far_read r = { 0 };

	if (!ring)
		return 0;
	/* Else the answer has only what was not taken. */
	if (tv_far_nodes()->node_of[to] != tv_far_nodes()->node_of[from])
		r = read_by(from, to);
	if (r.unknown || ring->flags & FAR_UNKNOWN ||
	    (tv_far_nodes()->node_of[to] != tv_far_nodes()->node_of[from] && ring->n &&
	     r.read < node->parts.entries[ring->first].index))
		return CARRY_UNKNOWN;
	for (uint32_t i = 0; i < ring->n; i++) {
		const struct far_entry *e = &node->parts.entries[ring->first + i];
		if (far_is_done(&r, e->index) || e->entry.comm != comm ||
		    (tag != CARRY_ANY_TAG && e->entry.tag != tag) ||
		    e->entry.time == CARRY_WITHDRAWN || nth-- > 0)
			continue;
		return found(&e->entry, far_clock_ahead(&node->clock), out);
	}
	return 0;
}

uint64_t tv_far_under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth,
			  struct carry_entry *e)
{
	const struct carry_map *map = tv_carry_map();

	/* Receives for ranks of other nodes are not told. */
	if (posts &&
	    (map->here[from] || tv_far_nodes()->node_of[from] != tv_far_nodes()->node_of[to]))
		return 0;
	return map->here[from] ? under_way_from_here(from, to, comm, tag, nth, e)
			       : under_way_from_there(posts, from, to, comm, tag, nth, e);
}

/* ---- what they are told ---- */

enum { TOLD_OF_RING = 16 /* the latest */ };

static bool tell(struct far_told *told, uint32_t *n, uint64_t index, const struct carry_entry *e,
		 int64_t ahead)
{
	if (*n == FAR_TOLD)
		return false;
	told[(*n)++] = (struct far_told){ .comm = e->comm,
					  .tag = e->tag,
					  .index = index,
					  .at = (int64_t)e->time - e->intrusion + ahead };
	return true;
}

static void tell_from_here(int from, int to, int64_t ahead, struct far_told *told, uint32_t *n)
{
	const struct carry_map *map = tv_carry_map();
	const struct far_read r = read_by(from, to);
	const struct carry_ring *ring = carry_ring_at(map, CARRY_SENDS, from, to);
	uint64_t written, i;

	if (!carry_has_talked(map, CARRY_SENDS, from, to) || r.unknown)
		return;
	written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	i = written > r.read + TOLD_OF_RING ? written - TOLD_OF_RING : r.read;
	for (; i < written; i++) {
		const struct carry_entry *e = &ring->entry[i % CARRY_ENTRIES];
		if (!far_is_done(&r, i) &&
		    __atomic_load_n(&e->time, __ATOMIC_RELAXED) != CARRY_WITHDRAWN &&
		    !tell(told, n, i, e, ahead))
			return;
	}
}

static void tell_from_there(int from, int to, int64_t ahead, struct far_told *told, uint32_t *n)
{
	const struct far_nodes *far = tv_far_nodes();
	const struct far_node *node = &far->node[far->node_of[from]];
	const struct far_ring *ring = far_parts_ring(&node->parts, false, from, to);
	const struct far_read r = read_by(from, to);

	if (!ring || r.unknown || ring->flags & FAR_UNKNOWN)
		return;
	ahead -= far_clock_ahead(&node->clock);
	for (uint32_t i = ring->n > TOLD_OF_RING ? ring->n - TOLD_OF_RING : 0; i < ring->n; i++) {
		const struct far_entry *e = &node->parts.entries[ring->first + i];
		if (!far_is_done(&r, e->index) && e->entry.time != CARRY_WITHDRAWN &&
		    !tell(told, n, e->index, &e->entry, ahead))
			return;
	}
}

uint32_t tv_far_tell(int node, struct far_told *told)
{
	const struct far_nodes *far = tv_far_nodes();
	const struct carry_map *map = tv_carry_map();
	const int64_t ahead = far_clock_ahead(&far->node[node].clock);
	uint32_t n = 0;

	for (int to = 0; to < map->size; to++)
		for (int from = 0; from < map->size && far->node_of[to] == node; from++) {
			uint32_t first = n;
			if (map->here[from])
				tell_from_here(from, to, ahead, told, &n);
			else if (far->node_of[from] != node)
				tell_from_there(from, to, ahead, told, &n);
			for (; first < n; first++) {
				told[first].from = (int16_t)from;
				told[first].to = (int16_t)to;
			}
		}
	return n;
}
