/* Making shadings: one pass over the blocks of each location. */
#include "model/sums/shade.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"

void sweep_to(struct sweep *w, uint32_t nth)
{
	const struct shading *s = w->s;
	const uint32_t id = w->list->data[nth];

	w->nth = nth;
	w->block = store_block(s->trace, id);
	w->times = store_times(s->trace, s->base, id);
	w->wide = store_wide(s->trace, s->base, w->times);
	w->slot = 0;
	w->time = w->times->base;
	w->traced = !(w->block->flags & BLOCK_NOT_TRACED);
	w->state = w->traced && nth > 0 ? shade_open(s, w->block) : s->outside;
}

void sweep_switch(struct sweep *w)
{
	const struct shading *s = w->s;
	uint8_t state = shade_open(s, w->block);

	for (uint32_t slot = 0; slot < w->slot; slot++) {
		const uint32_t what = w->block->what[slot];
		if (what_kind(what) == EV_ENTER)
			state = s->enter.data[what_id(what)];
		else if (what_kind(what) == EV_LEAVE)
			state = shade_leave(s, w->block)[what_id(what)];
	}
	w->traced = what_kind(w->block->what[w->slot]) == EV_TRACING_ON;
	w->state = w->traced ? state : s->outside;
}

/* The sums of a superblock do not fit 32 bits: those of its blocks move to the wide table. */
static bool widen(struct shading *s, const struct sweep *w, uint32_t super, struct err *err)
{
	const size_t row_size = SUPER_BLOCKS * s->slots * sizeof(uint64_t);
	struct shading *whole = s->whole ? s->whole : s;
	bool ok;

	pthread_mutex_lock(&whole->growing);
	ok = slab_extend(&whole->wide, row_size, err);
	s->wide_row[super] = (uint32_t)(whole->wide.size / row_size);
	pthread_mutex_unlock(&whole->growing);
	if (!ok)
		return false;
	for (uint32_t i = w->nth / SUPER_BLOCKS * SUPER_BLOCKS; i < w->nth; i++)
		for (unsigned k = 0; k < s->slots; k++)
			shade_wide(s, super, i)[k] = shade_sums(s, w->list->data[i])[k];
	return true;
}

static bool store_sums(struct shading *s, const struct sweep *w, struct err *err)
{
	const uint32_t super = s->super_of[w->block->location] + w->nth / SUPER_BLOCKS;
	uint64_t *above = shade_super(s, super), all = 0;
	uint32_t *sums = shade_sums(s, w->list->data[w->nth]);

	if (w->nth % SUPER_BLOCKS == 0)
		memcpy(above, w->sums, s->slots * sizeof *above);
	for (unsigned i = 0; i < s->slots; i++) {
		sums[i] = (uint32_t)(w->sums[i] - above[i]);
		all |= w->sums[i] - above[i];
	}
	if (all > UINT32_MAX && !s->wide_row[super] && !widen(s, w, super, err))
		return false;
	if (s->wide_row[super])
		for (unsigned i = 0; i < s->slots; i++)
			shade_wide(s, super, w->nth)[i] = w->sums[i] - above[i];
	return true;
}

bool shade_block(struct shading *s, struct sweep *w, uint32_t nth, struct err *err)
{
	const int64_t left = w->time;
	const uint8_t state = w->state;

	w->s = s;
	sweep_to(w, nth);
	if (nth > 0)
		w->sums[state] += (uint64_t)w->time - (uint64_t)left;
	else
		w->state = w->traced ? shade_open(s, w->block) : s->outside;
	if (!store_sums(s, w, err))
		return false;
	sweep_pass(w, INT64_MAX);
	return true;
}

struct shading *shade_begin(const struct trace *trace, enum time_base base, unsigned slots,
			    uint8_t outside, struct err *err)
{
	struct shading *s = xcalloc(1, sizeof *s);
	const size_t blocks = store_block_count(trace), slack = 4u << 20;
	size_t supers = 0;

	pthread_mutex_init(&s->growing, NULL);
	s->trace = trace;
	s->base = base;
	s->slots = slots;
	s->outside = outside;
	s->super_of = xmalloc((trace->locations.n + 1) * sizeof *s->super_of);
	for (size_t l = 0; l < trace->locations.n; l++) {
		s->super_of[l] = (uint32_t)supers;
		supers += (trace->lists.data[l].n + SUPER_BLOCKS - 1) / SUPER_BLOCKS;
	}
	s->super_of[trace->locations.n] = (uint32_t)supers;
	s->wide_row = xcalloc(supers, sizeof *s->wide_row);
	slab_init(&s->sums, blocks * slots * sizeof(uint32_t) + slack);
	slab_init(&s->supers, supers * slots * sizeof(uint64_t) + slack);
	slab_init(&s->wide, supers * SUPER_BLOCKS * slots * sizeof(uint64_t) + slack);
	slab_join(&s->sums, trace->pool);
	slab_join(&s->supers, trace->pool);
	slab_join(&s->wide, trace->pool);
	slab_expect(&s->sums, blocks * slots * sizeof(uint32_t));
	slab_expect(&s->supers, supers * slots * sizeof(uint64_t));
	/* Parts have copies of them. */
	if (!slab_reserve(&s->wide, err) ||
	    !slab_extend(&s->sums, blocks * slots * sizeof(uint32_t), err) ||
	    !slab_extend(&s->supers, supers * slots * sizeof(uint64_t), err)) {
		shading_free(s);
		return NULL;
	}
	return s;
}

void shade_part(struct shading *part, struct shading *whole)
{
	*part = *whole;
	part->whole = whole;
	memset(&part->enter, 0, sizeof part->enter);
	memset(&part->leave, 0, sizeof part->leave);
	memset(&part->leave_stream, 0, sizeof part->leave_stream);
	memset(&part->none, 0, sizeof part->none);
}

void shade_part_fini(struct shading *part)
{
	vec_fini(&part->enter);
	vec_fini(&part->leave);
	vec_fini(&part->leave_stream);
	vec_fini(&part->none);
}

void shade_path(struct shading *s, uint8_t slot, uint32_t parent, uint8_t parent_slot)
{
	assert(slot < s->slots && parent_slot < s->slots);
	vec_push(&s->enter, slot);
	vec_push(&s->leave, parent_slot);
	vec_push(&s->leave_stream, parent ? parent_slot : s->outside);
	vec_push(&s->none, s->outside);
}

/* A shading under construction: each worker's part of it. */
struct making {
	struct shading *whole;
	struct shading parts[JOBS_MOST]; /* call paths are the whole's */
	const struct progress *progress;
	struct err err[JOBS_MOST];
	_Atomic bool stop;
};

static void shade_location(void *context, unsigned worker, size_t location)
{
	struct making *m = context;
	const struct trace *trace = m->whole->trace;
	struct sweep w = { .list = &trace->lists.data[location] };
	bool ok = !atomic_load(&m->stop);

	if (worker == 0 && ok)
		ok = progress_step(m->progress, "shading", location, trace->locations.n);
	for (uint32_t nth = 0; nth < w.list->n && ok; nth++) {
		store_prefetch(trace, m->whole->base, w.list, nth + 2);
		ok = shade_block(&m->parts[worker], &w, nth, &m->err[worker]);
	}
	if (!ok)
		atomic_store(&m->stop, true);
}

static bool shade_all(struct shading *s, const struct progress *progress, struct err *err)
{
	const unsigned jobs = jobs_count(s->trace->jobs);
	OWNED struct making *m = xcalloc(1, sizeof *m);
	bool ok;

	m->whole = s;
	m->progress = progress;
	for (unsigned i = 0; i < jobs; i++) {
		m->parts[i] = *s;
		m->parts[i].whole = s;
	}
	jobs_run(jobs, s->trace->locations.n, shade_location, m);
	ok = !atomic_load(&m->stop);
	for (unsigned i = 0; i < jobs && !ok; i++)
		if (m->err[i].status)
			err_set(err, m->err[i].status, "%s", m->err[i].text);
	return ok;
}

struct shading *shading_new(const struct trace *trace, enum time_base base, const uint8_t *slot_of,
			    unsigned slots, uint8_t outside_slot, const struct progress *progress,
			    struct err *err)
{
	struct shading *s;

	assert(slots <= SHADING_SLOTS && outside_slot < slots && trace->columns[base].made);
	s = shade_begin(trace, base, slots, outside_slot, err);
	if (!s)
		return NULL;
	for (size_t p = 0; p < trace->paths.n; p++) {
		const uint32_t parent = trace->paths.data[p].parent;
		shade_path(s, slot_of[p], parent, slot_of[parent]);
	}
	if (!shade_all(s, progress, err)) {
		shading_free(s);
		return NULL;
	}
	return s;
}

void shading_free(struct shading *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->growing);
	slab_fini(&s->sums);
	slab_fini(&s->supers);
	slab_fini(&s->wide);
	free_all(s->wide_row, s->super_of);
	vec_fini(&s->enter);
	vec_fini(&s->leave);
	vec_fini(&s->leave_stream);
	vec_fini(&s->none);
	free(s);
}
