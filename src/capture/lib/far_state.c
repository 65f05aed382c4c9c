#include "capture/lib/far_state.h"

#include <stdlib.h>

#include "capture/lib/recorder.h"

enum {
	STAYS = 300, /* microseconds: who waits for so long waits */
	TRIES = 8,
};

bool far_state_init(struct far_state *s, const struct carry_map *map)
{
	const size_t n = (size_t)map->size;

	*s = (struct far_state){ .map = map };
	s->space = rank_look_space();
	s->look = calloc(n, sizeof *s->look);
	s->read = calloc(n * n, sizeof *s->read);
	return s->look && s->read;
}

void far_state_fini(struct far_state *s)
{
	free(s->look);
	free(s->read);
	free(s->lines.data);
	free(s->rings.data);
	free(s->entries.data);
	free(s->reads.data);
	free(s->whole.data);
}

static uint64_t *read_of(const struct far_state *s, int from, int to)
{
	return &s->read[(size_t)from * (size_t)s->map->size + (size_t)to];
}

void far_state_learn(struct far_state *s, const struct far_ask *ask, const struct far_have *haves)
{
	for (uint64_t i = 0; i < ask->haves; i++)
		if (haves[i].from >= 0 && haves[i].from < s->map->size)
			*read_of(s, haves[i].from, ask->me) = haves[i].read;
}

/* The first entry of a ring that may be under way to a rank elsewhere, and is not overwritten. */
static uint64_t oldest(const struct far_state *s, int from, int to, uint64_t written)
{
	const uint64_t read = *read_of(s, from, to);

	if (read <= written && written - read < CARRY_ENTRIES)
		return read;
	return written < CARRY_ENTRIES ? written : written - (CARRY_ENTRIES - 1);
}

/* The first message of the node for the receive in question. */
static int64_t first_for(const struct far_state *s, const struct far_ask *ask)
{
	int64_t first = FAR_FIRST;
	struct carry_entry e;

	for (int from = 0; from < s->map->size; from++) {
		const struct carry_ring *ring;
		uint64_t written;
		if (!s->map->here[from] || !carry_has_talked(s->map, CARRY_SENDS, from, ask->me))
			continue;
		ring = carry_ring_at(s->map, CARRY_SENDS, from, ask->me);
		written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
		for (uint64_t i = oldest(s, from, ask->me, written); i < written; i++) {
			e = ring->entry[i % CARRY_ENTRIES];
			if (e.comm == ask->comm && (ask->tag < 0 || e.tag == ask->tag)) {
				const int64_t at = (int64_t)e.time - e.intrusion;
				first = at < first ? at : first;
				break;
			}
		}
	}
	return first;
}

/* ---- lines ---- */

static void look_at(struct far_state *s, int number, uint64_t now)
{
	rank_look_at(&s->look[number], carry_line_of(s->map, number), now, 0, s->space);
}

/* Whether one that waited did something since its line was copied. */
static bool one_moved(const struct far_state *s)
{
	for (int number = 0; number < s->map->size; number++) {
		const struct rank_line *line = carry_line_of(s->map, number);
		const struct rank_look *seen = &s->look[number];
		if (s->map->here[number] && rank_look_is_in(seen) &&
		    (__atomic_load_n(&line->seq, __ATOMIC_ACQUIRE) != seen->line.seq ||
		     __atomic_load_n(&line->state, __ATOMIC_RELAXED) != seen->line.state))
			return true;
	}
	return false;
}

/* What is seen for a question. */
struct question {
	const struct far_state *s;
	const struct far_ask *ask;
	const struct far_told *told;
};

/* Of messages from elsewhere there are those that the reader was told of, in its copy of the ring,
 * and the asker's. */
static uint64_t under_way(const void *of, bool posts, int from, int to, uint32_t comm, int tag,
			  unsigned nth, struct carry_entry *e)
{
	const struct question *q = of;
	const struct carry_map *map = q->s->map;
	const enum carry_direction direction = posts ? CARRY_POSTS : CARRY_SENDS;
	const bool talked = carry_has_talked(map, direction, from, to);
	const struct carry_ring *ring = carry_ring_at(map, direction, from, to);
	const uint64_t time = talked ? carry_under_way(ring, comm, tag, nth, e) : 0;
	const uint64_t there = talked ? __atomic_load_n(&ring->written, __ATOMIC_RELAXED) : 0;

	if (time || posts || map->here[from])
		return time;
	for (unsigned k = nth; k-- > 0 && talked;)
		nth -= carry_under_way(ring, comm, tag, k, e) != 0;
	for (uint32_t i = 0; i < q->ask->told; i++) {
		const struct far_told *t = &q->told[i];
		if (t->from != from || t->to != to || t->comm != comm || t->index < there ||
		    (tag != CARRY_ANY_TAG && t->tag != tag) || nth-- > 0)
			continue;
		*e = (struct carry_entry){ .time = (uint64_t)t->at, .comm = comm, .tag = t->tag };
		return e->time;
	}
	return 0;
}

static bool meeting(const void *of, int number, uint64_t ticket, struct carry_meeting *m)
{
	const struct question *q = of;

	(void)number;
	return carry_meeting_of(q->s->map, ticket, m);
}

/* As the lines were copied at `now`: none can send before, or some wait, which they do for ranks of
 * other nodes: of those the asker knows more. */
static bool are_settled(struct far_state *s, const struct far_ask *ask, const struct far_told *told,
			int64_t until, uint64_t now)
{
	const struct question q = { s, ask, told };
	const struct rank_sight sight = { .of = &q,
					  .n = s->map->size,
					  .look = s->look,
					  .under_way = under_way,
					  .meeting = meeting };

	for (int number = 0; number < s->map->size; number++) {
		const struct rank_look *l = &s->look[number];
		struct order_rank r;
		int64_t bound;
		if (!s->map->here[number] || l->line.moved >= until)
			continue;
		r = rank_look_rate(&sight, number, now);
		bound = rank_look_bound(&r);
		/* It may be the asker that seems earlier there, and waits for this one here. */
		if (bound < until && l->tied && l->line.held &&
		    (uint64_t)until - (uint64_t)bound <= (uint64_t)ask->margin)
			continue;
		if (bound < until || (bound == ORDER_NEVER && rank_look_is_in(l) &&
				      now - l->since <= STAYS * tv.microsecond))
			return false;
	}
	return true;
}

/* From when on the asker does not care. */
static int64_t until_of(const struct far_state *s, const struct far_ask *ask)
{
	const int64_t first = ask->until == FAR_NOW ? FAR_NOW : first_for(s, ask);

	if (ask->from != FAR_ALL || (first == FAR_FIRST && ask->until == FAR_FIRST))
		return FAR_NOW;
	return first < ask->until ? first : ask->until;
}

bool far_state_is_settled(struct far_state *s, const struct far_ask *ask,
			  const struct far_told *told)
{
	const int64_t until = until_of(s, ask);
	const uint64_t now = tv_now();

	if (until == FAR_NOW)
		return true;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int number = 0; number < s->map->size; number++)
		if (s->map->here[number])
			look_at(s, number, now);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return are_settled(s, ask, told, until, now) && !one_moved(s);
}

/* ---- answers ---- */

/* Room for so many bytes more. */
static void *put(struct far_part *part, size_t bytes)
{
	const size_t at = part->bytes;

	if (at + bytes > part->room) {
		const size_t room = (at + bytes) * 2;
		char *larger = realloc(part->data, room);
		if (!larger) {
			part->failed = true;
			return NULL;
		}
		part->data = larger;
		part->room = room;
	}
	part->bytes += bytes;
	return part->data + at;
}

static void put_entry(struct far_state *s, uint64_t index, const struct carry_entry *e)
{
	struct far_entry *entry = put(&s->entries, sizeof *entry);

	if (entry)
		*entry = (struct far_entry){ index, *e };
}

/* What of a ring may be under way: of a reader of this node it is known. */
static void put_ring(struct far_state *s, enum carry_direction direction, int from, int to)
{
	const struct carry_ring *ring = carry_ring_at(s->map, direction, from, to);
	const uint32_t first = (uint32_t)(s->entries.bytes / sizeof(struct far_entry));
	const bool near = s->map->here[to];
	const uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
	uint64_t at = near ? __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE)
			   : oldest(s, from, to, written);
	uint32_t flags = direction == CARRY_POSTS ? FAR_POSTS : 0;
	struct far_ring *part;

	if (near && at == written)
		return;
	/* The oldest may be overwritten. */
	if (at > written || written - at >= CARRY_ENTRIES) {
		flags |= FAR_UNKNOWN;
		at = written;
	}
	for (uint64_t i = at; i < written; i++) {
		const struct carry_entry *e = &ring->entry[i % CARRY_ENTRIES];
		if (!near || (!__atomic_load_n(&e->taken, __ATOMIC_RELAXED) &&
			      __atomic_load_n(&e->time, __ATOMIC_RELAXED) != CARRY_WITHDRAWN))
			put_entry(s, i, e);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&ring->written, __ATOMIC_RELAXED) >= at + CARRY_ENTRIES && near)
		flags |= FAR_UNKNOWN;
	part = put(&s->rings, sizeof *part);
	if (part)
		*part = (struct far_ring){
			.from = (int16_t)from,
			.to = (int16_t)to,
			.flags = flags,
			.first = first,
			.n = (uint32_t)(s->entries.bytes / sizeof(struct far_entry)) - first,
			.written = written,
			.sum = __atomic_load_n(&ring->sum, __ATOMIC_RELAXED)
		};
}

static void put_rings(struct far_state *s, const struct far_ask *ask,
		      enum carry_direction direction)
{
	const struct carry_map *map = s->map;

	for (int from = 0; from < map->size; from++) {
		if (!map->here[from] || (ask->from != FAR_ALL && ask->from != from))
			continue;
		for (int to = carry_next_talk(map, direction, from, 0); to < map->size;
		     to = carry_next_talk(map, direction, from, to + 1))
			if (ask->from == FAR_ALL || ask->me == to)
				put_ring(s, direction, from, to);
	}
}

static void put_reads(struct far_state *s)
{
	const struct carry_map *map = s->map;

	for (int from = 0; from < map->size; from++) {
		if (map->here[from])
			continue;
		for (int to = carry_next_talk(map, CARRY_SENDS, from, 0); to < map->size;
		     to = carry_next_talk(map, CARRY_SENDS, from, to + 1)) {
			struct far_read *r = put(&s->reads, sizeof *r);
			if (r)
				*r = far_read_of(carry_ring_at(map, CARRY_SENDS, from, to), from,
						 to);
		}
	}
}

/* All of one moment: lines, then rings, then whether lines are still the same. */
static bool put_all(struct far_state *s, const struct far_ask *ask, uint64_t now)
{
	s->lines.bytes = s->rings.bytes = s->entries.bytes = s->reads.bytes = 0;
	if (ask->from == FAR_CLOCK)
		return true;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int number = 0; ask->from == FAR_ALL && number < s->map->size; number++) {
		struct far_line *line = s->map->here[number] ? put(&s->lines, sizeof *line) : NULL;
		if (!line)
			continue;
		line->number = number;
		look_at(s, number, now);
		line->line = s->look[number].line;
		line->line.space = 0; /* process numbers mean nothing elsewhere */
		line->meets = line->line.state == RANK_MEETS;
		line->same = now - s->look[number].since;
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	put_rings(s, ask, CARRY_SENDS);
	if (ask->from != FAR_ALL)
		return true;
	put_rings(s, ask, CARRY_POSTS);
	put_reads(s);
	for (size_t i = 0; i < s->lines.bytes / sizeof(struct far_line); i++) {
		struct far_line *line = (struct far_line *)(void *)s->lines.data + i;
		if (line->meets)
			line->meets = carry_meeting_of(s->map, line->line.ticket, &line->meeting);
	}
	return !one_moved(s);
}

struct far_answer *far_state_answer(struct far_state *s, const struct far_ask *ask,
				    const struct far_told *told, uint64_t asked, bool *settled)
{
	const int64_t until = until_of(s, ask);
	struct far_part *const parts[] = { &s->lines, &s->rings, &s->entries, &s->reads };
	struct far_answer a = { .magic = FAR_MAGIC, .nth = ask->nth, .asked = asked };
	struct far_answer *head;

	for (int i = 0; i < TRIES && !a.same; i++) {
		a.seen = tv_now();
		a.same = put_all(s, ask, a.seen);
	}
	*settled = until == FAR_NOW || (a.same && are_settled(s, ask, told, until, a.seen));
	a.microsecond = tv.microsecond;
	a.lines = (uint32_t)(s->lines.bytes / sizeof(struct far_line));
	a.rings = (uint32_t)(s->rings.bytes / sizeof(struct far_ring));
	a.entries = (uint32_t)(s->entries.bytes / sizeof(struct far_entry));
	a.reads = (uint32_t)(s->reads.bytes / sizeof(struct far_read));
	a.bytes = sizeof a;
	s->whole.bytes = 0;
	s->whole.failed = false;
	put(&s->whole, sizeof a);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		void *to = parts[i]->bytes ? put(&s->whole, parts[i]->bytes) : NULL;
		if (to)
			memcpy(to, parts[i]->data, parts[i]->bytes);
		a.bytes += parts[i]->bytes;
		s->whole.failed |= parts[i]->failed;
	}
	if (s->whole.failed)
		return NULL;
	head = (struct far_answer *)(void *)s->whole.data;
	a.left = tv_now();
	*head = a;
	return head;
}
