/* lists: one list for each key (things that have it), or for each node of a graph (its neighbours),
 * all in one array.
 *
 *	struct lists of;
 *	lists_make(&of, keys, key, n);
 *	for (uint32_t i = of.start[k]; i < of.start[k + 1]; i++)
 *		use(of.list[i]);			the things whose key is k, in their order
 *	lists_fini(&of);
 */
#pragma once

#include <stdint.h>

struct lists {
	uint32_t *start; /* [keys + 1] */
	uint32_t *list;
};

/* Lists of things 0 .. n - 1 by keys[i]; those with keys[i] >= n_keys are in none. O(n + keys). */
void lists_make(struct lists *lists, uint32_t n_keys, const uint32_t *keys, uint32_t n);
/* Lists of the neighbours of each node: edge i joins ends[2 * i] and ends[2 * i + 1]. */
void lists_of_neighbours(struct lists *lists, uint32_t nodes, const uint32_t *ends, uint32_t edges);
void lists_fini(struct lists *lists);

/* The list of a key; *n: how long it is. */
static inline const uint32_t *lists_of(const struct lists *lists, uint32_t key, uint32_t *n)
{
	*n = lists->start[key + 1] - lists->start[key];
	return lists->list + lists->start[key];
}
