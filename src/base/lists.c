#include "base/lists.h"

#include "base/mem.h"

void lists_make(struct lists *lists, uint32_t n_keys, const uint32_t *keys, uint32_t n)
{
	uint32_t *at = xcalloc((size_t)n_keys + 2, sizeof *at);

	lists->list = xmalloc(((size_t)n + 1) * sizeof *lists->list);
	/* The starts of the lists are kept one entry further until the lists are filled. */
	for (uint32_t i = 0; i < n; i++)
		if (keys[i] < n_keys)
			at[keys[i] + 2]++;
	for (uint32_t k = 1; k < n_keys + 2; k++)
		at[k] += at[k - 1];
	for (uint32_t i = 0; i < n; i++)
		if (keys[i] < n_keys)
			lists->list[at[keys[i] + 1]++] = i;
	lists->start = at;
}

void lists_of_neighbours(struct lists *lists, uint32_t nodes, const uint32_t *ends, uint32_t edges)
{
	lists_make(lists, nodes, ends, 2 * edges);
	for (uint32_t i = 0; i < lists->start[nodes]; i++)
		lists->list[i] = ends[lists->list[i] ^ 1];
}

void lists_fini(struct lists *lists)
{
	free_all(lists->start, lists->list);
	*lists = (struct lists){ 0 };
}
