#include "model/build/ghosts.h"

#include "base/exchange.h"
#include "base/mem.h"

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
	for (int base = 0; base < BASE_COUNT && block; base++)
		if (trace->columns[base].made &&
		    !slab_extend(&trace->columns[base].times, sizeof(struct times), g->err))
			return NULL;
	if (!block)
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

/* ---- after the trace was built ---- */

static bool add_all(struct trace *trace, struct halo_list *list, const uint32_t *locations,
		    size_t n, struct err *err)
{
	struct ghosts g;
	bool ok = true;

	ghosts_init(&g, trace, err);
	for (size_t i = 0; i < n && ok; i++) {
		list->taken[i] = ghost_add(&g, locations[i], EV_COLLECTIVE_BEGIN, ID_NONE);
		ok = list->taken[i] != EVENT_NONE;
	}
	ghosts_fini(&g);
	return ok;
}

bool ghosts_share(struct trace *trace, enum halo_kind kind, const struct halo_call *calls,
		  const uint32_t *to, size_t n, struct err *err)
{
	struct exchange *x = trace->exchange;
	struct halo_list *list = &trace->halo->lists[kind];
	const uint32_t first = store_block_count(trace);
	OWNED uint32_t *locations = xmalloc((n + 1) * sizeof *locations);
	OWNED size_t *place = xmalloc((n + 1) * sizeof *place);
	struct exchange_parts parts;
	bool ok;

	if (list->given)
		return true;
	halo_list_give(list, x->processes, to, n, place);
	for (size_t i = 0; i < n; i++) {
		list->given[place[i]] = calls[i];
		locations[i] = store_event_block(trace, calls[i].event)->location;
	}
	exchange_deal(x, locations, n, sizeof *locations, to, &parts);
	halo_list_take(list, x->processes, parts.first, sizeof *locations);
	ok = add_all(trace, list, (const uint32_t *)(const void *)parts.data,
		     list->taken_first[x->processes], err);
	exchange_parts_fini(&parts);
	for (int base = 0; base < BASE_COUNT && ok; base++)
		if (trace->columns[base].made)
			halo_times_of(trace, (enum time_base)base, kind, first);
	return ok;
}
