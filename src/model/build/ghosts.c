#include "model/build/ghosts.h"

void ghosts_init(struct ghosts *g, struct trace *trace, struct err *err)
{
	*g = (struct ghosts){ trace, xmalloc((trace->locations.n + 1) * sizeof *g->block), err };
	memset(g->block, 0xff, (trace->locations.n + 1) * sizeof *g->block);
}

/* A block for a location's ghosts that has room for one; NULL where there are too many events. */
static struct block *ghost_block(struct ghosts *g, uint32_t location)
{
	struct trace *trace = g->trace;
	uint32_t *id = &g->block[location];
	struct block *block;

	if (*id != UINT32_MAX && store_block(trace, *id)->n + GHOST_EVENTS <= BLOCK_EVENTS)
		return store_block(trace, *id);
	*id = store_block_count(trace);
	if (*id >= UINT32_MAX / BLOCK_EVENTS) {
		err_set(g->err, STATUS_IO,
			"%s has more events than the processes can hold (2^32 each): more are "
			"needed",
			trace->path);
		return NULL;
	}
	block = slab_extend(&trace->blocks, sizeof *block, g->err);
	if (!block ||
	    !slab_extend(&trace->columns[BASE_MEASURED].times, sizeof(struct times), g->err))
		return NULL;
	block->location = location;
	return block;
}

uint32_t ghost_add(struct ghosts *g, uint32_t location, enum event_kind kind, uint32_t row)
{
	struct block *block = ghost_block(g, location);

	if (!block)
		return EVENT_NONE;
	block->what[block->n++] = what_make(EV_ENTER, 0);
	block->what[block->n++] = what_make(kind, row);
	block->what[block->n++] = what_make(EV_LEAVE, 0);
	return g->block[location] * BLOCK_EVENTS + block->n - 2u;
}

void ghost_path(const struct ghosts *g, uint32_t ghost, uint32_t path)
{
	*store_what(g->trace, ghost - 1) = what_make(EV_ENTER, path);
	*store_what(g->trace, ghost + 1) = what_make(EV_LEAVE, path);
}

void ghosts_fini(struct ghosts *g)
{
	free(g->block);
}
