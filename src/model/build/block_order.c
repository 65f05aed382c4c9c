/* The order of blocks, and with it the ids of events. Children of a builder take blocks as they
 * need them, so event ids would differ from run to run. A join puts the blocks into the order of
 * the locations, as if one thread had read these one after the other. */
#include <string.h>

#include "base/jobs.h"
#include "model/build/build.h"

/* The rows of a table and, for each, the row that moves there. */
struct permutation {
	char *rows[2];
	size_t size[2];
	const uint32_t *from; /* [n] */
	uint32_t n;
};

/* In place, cycle by cycle: a second copy of all blocks would not fit into memory. */
static void permute(void *context, unsigned worker, size_t table)
{
	const struct permutation *p = context;
	const size_t size = p->size[table];
	char *rows = p->rows[table], *held = xmalloc(size);
	uint8_t *done = xcalloc(p->n, 1);

	(void)worker;
	for (uint32_t start = 0; start < p->n; start++) {
		uint32_t at = start;
		if (done[start] || p->from[start] == start)
			continue;
		memcpy(held, rows + start * size, size);
		for (; p->from[at] != start; at = p->from[at]) {
			memcpy(rows + at * size, rows + p->from[at] * size, size);
			done[at] = 1;
		}
		memcpy(rows + at * size, held, size);
		done[at] = 1;
	}
	free_all(held, done);
}

/* Numbers the blocks of the chosen locations from `next` on and updates the lists and tails. */
static uint32_t number_blocks(struct builder *b, const uint8_t *chosen, uint32_t next, uint32_t *to)
{
	for (uint32_t l = 0; l < b->tails.n; l++) {
		struct block_ids *list = &b->trace->lists.data[l];
		struct tail *tail = &b->tails.data[l];
		for (size_t i = 0; chosen[l] && i < list->n; i++) {
			to[list->data[i]] = next;
			list->data[i] = next++;
		}
		if (!chosen[l] || list->n == 0)
			continue;
		tail->id = list->data[list->n - 1];
		tail->block = store_block(b->trace, tail->id);
		tail->times = store_times(b->trace, BASE_MEASURED, tail->id);
	}
	return next;
}

static uint32_t first_free(const struct builder *b, const uint8_t *chosen)
{
	uint32_t first = 0;

	for (uint32_t l = 0; l < b->tails.n; l++) {
		const struct block_ids *list = &b->trace->lists.data[l];
		if (!chosen[l] && list->n && list->data[list->n - 1] >= first)
			first = list->data[list->n - 1] + 1;
	}
	return first;
}

void build_order_blocks(struct builder *b, const uint8_t *chosen)
{
	struct trace *trace = b->trace;
	struct slab *times = &trace->columns[BASE_MEASURED].times;
	const uint32_t n = store_block_count(trace), first = first_free(b, chosen);
	uint32_t *to = xmalloc(n * sizeof *to), *from = xmalloc(n * sizeof *from);
	const struct permutation p = { { trace->blocks.data, times->data },
				       { sizeof(struct block), sizeof(struct times) },
				       from,
				       n };
	enum { ALONE = 1024 /* blocks that are moved sooner than a thread has begun */ };
	uint32_t used, next;

	for (uint32_t i = 0; i < n; i++)
		to[i] = i < first ? i : UINT32_MAX;
	next = used = number_blocks(b, chosen, first, to);
	for (uint32_t i = 0; i < n; i++) {
		to[i] = to[i] == UINT32_MAX ? next++ : to[i];
		from[to[i]] = i;
	}
	jobs_run(n < ALONE ? 1 : 2, 2, permute, (void *)(uintptr_t)&p);
	slab_cut(&trace->blocks, used * sizeof(struct block));
	slab_cut(times, used * sizeof(struct times));
	build_renumber(b, to, BLOCK_EVENTS);
	free_all(to, from);
}
