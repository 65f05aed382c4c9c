/* Leaves all open regions of a program that goes on after recording stops. */
#include "model/build/build.h"

typedef VEC(uint32_t) open_sites;

/* The sites that are open after an event; those inside a region that is left end with it. */
static void follow(const struct builder *b, open_sites *open, uint32_t what)
{
	const struct site *sites = b->home->sites.data;

	if (what_kind(what) == EV_ENTER)
		vec_push(open, what_id(what));
	if (what_kind(what) != EV_LEAVE)
		return;
	for (size_t i = open->n; i-- > 0;) {
		if (sites[open->data[i]].region != sites[what_id(what)].region)
			continue;
		open->n = i;
		return;
	}
}

void builder_leave_all(struct builder *b, uint32_t location, int64_t time)
{
	const struct block_ids *list = &b->home->lists.data[location];
	const struct tail *tail = &b->tails.data[location];
	open_sites open = VEC_INIT;

	for (size_t i = 0; i < list->n; i++) {
		const struct block *block = store_block(b->home, list->data[i]);
		for (uint32_t slot = 0; slot < block->n; slot++)
			follow(b, &open, block->what[slot]);
	}
	if (list->n && tail->last > time)
		time = tail->last;
	while (open.n)
		builder_leave(b, location, time, vec_pop(&open));
	vec_fini(&open);
}
