#include "capture/lib/far_state.h"

#include <stdlib.h>

#include "capture/lib/proc_stat.h"
#include "capture/lib/recorder.h"
#include "capture/lib/virtual.h"

enum {
	GUARD = 1,       /* microseconds that a processor may delay what a line says */
	STAYS = 300,     /* microseconds: who waits for so long waits */
	LONG = 100000,   /* microseconds: a call that does not wait is not in MPI for so long */
	ALIVE = 1000000, /* microseconds between looks whether a rank is alive */
	TRIES = 8,
};

bool far_state_init(struct far_state *s, const struct carry_map *map)
{
	const size_t n = (size_t)map->size;

	*s = (struct far_state){ .map = map };
	s->seen = calloc(n, sizeof *s->seen);
	s->read = calloc(n * n, sizeof *s->read);
	return s->seen && s->read;
}

void far_state_fini(struct far_state *s)
{
	free(s->seen);
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

/* ---- lines ---- */

/* A copy of a line; it is compared with the one before. */
static void look_at(struct far_state *s, int number, struct rank_line *copy, uint64_t now)
{
	const struct rank_line *line = carry_line_of(s->map, number);
	struct far_seen *seen = &s->seen[number];

	if (!rank_line_read(line, copy)) {
		memset(copy, 0, sizeof *copy);
		copy->state = __atomic_load_n(&line->state, __ATOMIC_RELAXED) == RANK_DONE
				      ? RANK_DONE
				      : RANK_CALLS;
	}
	if (copy->seq != seen->seq || copy->state != seen->state || copy->moved != seen->moved ||
	    !seen->since)
		*seen = (struct far_seen){ copy->seq, now, now, copy->moved, copy->state, false };
	if (now - seen->asked > ALIVE * tv.microsecond) {
		seen->asked = now;
		seen->dead = copy->pid > 0 && tv_proc_is_dead(copy->pid);
	}
	if (seen->dead)
		copy->state = RANK_DONE;
	/* Process numbers mean nothing elsewhere. */
	copy->space = 0;
}

/* Whether a rank that waited did something since its line was copied. */
static bool has_moved(const struct far_state *s, const struct far_line *copy)
{
	const struct rank_line *line = carry_line_of(s->map, copy->number);

	return copy->line.state >= RANK_RECEIVE && copy->line.state < RANK_DONE &&
	       (__atomic_load_n(&line->seq, __ATOMIC_ACQUIRE) != copy->line.seq ||
		__atomic_load_n(&line->state, __ATOMIC_RELAXED) != copy->line.state);
}

static bool is_settled(struct far_state *s, int number, int64_t until)
{
	const int64_t slack = (GUARD + TV_VIRTUAL_UNTOLD) * (int64_t)tv.microsecond;
	const uint64_t now = tv_now();
	struct rank_line line;
	uint64_t same;

	look_at(s, number, &line, now);
	same = now - s->seen[number].since;
	switch (line.state) {
	case RANK_ABSENT:
	case RANK_THREADS:
	case RANK_DONE: return true;
	case RANK_RUNS:
	case RANK_POLLS:
		return line.moved >= until || (int64_t)now - line.intrusion - slack >= until;
	case RANK_PAUSES: return line.moved >= until;
	case RANK_CALLS: return line.moved >= until || same > LONG * tv.microsecond;
	default: return line.moved >= until || same > STAYS * tv.microsecond;
	}
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

bool far_state_is_settled(struct far_state *s, const struct far_ask *ask)
{
	int64_t until = ask->until, first;

	if (ask->from != FAR_ALL || until == FAR_NOW)
		return true;
	first = first_for(s, ask);
	until = first < until ? first : until;
	if (until == FAR_FIRST)
		return true;
	for (int number = 0; number < s->map->size; number++)
		if (s->map->here[number] && !is_settled(s, number, until))
			return false;
	return true;
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
	bool same = true;

	s->lines.bytes = s->rings.bytes = s->entries.bytes = s->reads.bytes = 0;
	if (ask->from == FAR_CLOCK)
		return true;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int number = 0; ask->from == FAR_ALL && number < s->map->size; number++) {
		struct far_line *line = s->map->here[number] ? put(&s->lines, sizeof *line) : NULL;
		if (!line)
			continue;
		line->number = number;
		look_at(s, number, &line->line, now);
		line->meets = line->line.state == RANK_MEETS;
		line->same = now - s->seen[number].since;
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
		same &= !has_moved(s, line);
	}
	return same;
}

struct far_answer *far_state_answer(struct far_state *s, const struct far_ask *ask, uint64_t asked)
{
	struct far_part *const parts[] = { &s->lines, &s->rings, &s->entries, &s->reads };
	struct far_answer a = { .magic = FAR_MAGIC, .nth = ask->nth, .asked = asked };
	struct far_answer *head;

	for (int i = 0; i < TRIES && !a.same; i++) {
		a.seen = tv_now();
		a.same = put_all(s, ask, a.seen);
	}
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
