#include "capture/lib/far_parts.h"

#include <stdlib.h>

struct far_parts far_parts_of(struct far_answer *a)
{
	struct far_parts parts = { .lines_n = a->lines,
				   .rings_n = a->rings,
				   .entries_n = a->entries,
				   .reads_n = a->reads };

	parts.lines = (void *)(a + 1);
	parts.rings = (void *)(parts.lines + a->lines);
	parts.entries = (void *)(parts.rings + a->rings);
	parts.reads = (void *)(parts.entries + a->entries);
	return parts;
}

/* The ranks that it names have numbers. */
static bool is_line(const struct rank_line *line, int size)
{
	if (line->state > RANK_THREADS || line->n > RANK_WANTED || line->peer >= size ||
	    ((line->state == RANK_RECEIVE || line->state == RANK_SENDS) && line->peer < 0))
		return false;
	if (line->state != RANK_ALL && line->state != RANK_FIRST)
		return true;
	for (int i = 0; i < line->n; i++)
		if (line->wanted[i].peer < 0 || line->wanted[i].peer >= size ||
		    line->wanted[i].comm >= RANK_COMMS)
			return false;
	return true;
}

static bool is_rank(int number, int size)
{
	return number >= 0 && number < size;
}

bool far_parts_are_sound(const struct far_answer *a, const struct far_parts *parts,
			 const int16_t *node_of, int node, int size)
{
	if (a->bytes !=
	    sizeof *a + a->lines * sizeof(struct far_line) + a->rings * sizeof(struct far_ring) +
		    a->entries * sizeof(struct far_entry) + a->reads * sizeof(struct far_read))
		return false;
	if (a->kept && a->bytes != sizeof *a)
		return false;
	for (uint32_t i = 0; i < parts->lines_n; i++) {
		const struct far_line *line = &parts->lines[i];
		if (!is_rank(line->number, size) || node_of[line->number] != node ||
		    !is_line(&line->line, size))
			return false;
	}
	for (uint32_t i = 0; i < parts->rings_n; i++) {
		const struct far_ring *r = &parts->rings[i];
		if (!is_rank(r->from, size) || !is_rank(r->to, size) || r->first > a->entries ||
		    r->n > a->entries - r->first || node_of[r->from] != node)
			return false;
	}
	return true;
}

static int compare_rings(const void *a, const void *b)
{
	const struct far_ring *x = a, *y = b;
	const int posts = (int)(x->flags & FAR_POSTS) - (int)(y->flags & FAR_POSTS);

	return posts ? posts : x->from != y->from ? x->from - y->from : x->to - y->to;
}

static int compare_reads(const void *a, const void *b)
{
	const struct far_read *x = a, *y = b;

	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

void far_parts_sort(struct far_parts *parts)
{
	if (parts->rings_n)
		qsort(parts->rings, parts->rings_n, sizeof *parts->rings, compare_rings);
	if (parts->reads_n)
		qsort(parts->reads, parts->reads_n, sizeof *parts->reads, compare_reads);
}

const struct far_ring *far_parts_ring(const struct far_parts *parts, bool posts, int from, int to)
{
	const struct far_ring key = { .from = (int16_t)from,
				      .to = (int16_t)to,
				      .flags = posts ? FAR_POSTS : 0 };

	return parts->rings_n
		       ? bsearch(&key, parts->rings, parts->rings_n, sizeof key, compare_rings)
		       : NULL;
}

const struct far_read *far_parts_read(const struct far_parts *parts, int from, int to)
{
	const struct far_read key = { .from = (int16_t)from, .to = (int16_t)to };

	return parts->reads_n
		       ? bsearch(&key, parts->reads, parts->reads_n, sizeof key, compare_reads)
		       : NULL;
}
