/* Enters and leaves at one time, whose order was lost when the file was sorted by time only.
 *
 * Used for locations that do not nest evenly. Every group of equal times is put into an order that
 * nests: first the leaves of regions already open, innermost first, then the enters; a visit
 * without duration is closed as soon as it is innermost. A group that already nests is not touched,
 * nor is one that nests in neither order. */
#include <stdlib.h>

#include "model/build/build.h"

enum { GROUP = 64 /* enters and leaves of one time that are looked at together */ };

struct group {
	uint32_t event[GROUP];
	uint32_t what[GROUP];
	uint32_t ordered[GROUP];
	uint32_t from[GROUP]; /* [place] event whose record is there now */
	bool used[GROUP];
	uint32_t n;
};

struct repair {
	struct trace *trace;
	struct keymap *moved;
	VEC(uint32_t) stack; /* regions */
	uint32_t *open;      /* [region] levels of it on the stack */
};

static uint32_t region_of(const struct repair *r, uint32_t what)
{
	return r->trace->sites.data[what_id(what)].region;
}

/* Counts the events of an order that do not nest on the open stack, that is, leaves that do not
 * close the innermost region. Restores the stack. */
static uint32_t misfits(struct repair *r, const uint32_t *what, uint32_t n)
{
	uint32_t taken[GROUP], depth = (uint32_t)r->stack.n, wrong = 0;
	uint32_t *stack;

	vec_reserve(&r->stack, n);
	stack = r->stack.data;
	for (uint32_t i = 0; i < n; i++)
		taken[i] = i < depth ? stack[depth - 1 - i] : 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t region = region_of(r, what[i]);
		if (what_kind(what[i]) == EV_ENTER)
			stack[depth++] = region;
		else if (depth > 0 && stack[depth - 1] == region)
			depth--;
		else
			wrong++;
	}
	for (uint32_t i = 0; i < n && i < r->stack.n; i++)
		stack[r->stack.n - 1 - i] = taken[i];
	return wrong;
}

static bool take(const struct repair *r, struct group *g, enum event_kind kind, uint32_t region,
		 uint32_t *out)
{
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->used[i] || what_kind(g->what[i]) != kind ||
		    region_of(r, g->what[i]) != region)
			continue;
		g->used[i] = true;
		g->from[*out] = g->event[i];
		g->ordered[(*out)++] = g->what[i];
		return true;
	}
	return false;
}

static void reorder(const struct repair *r, struct group *g)
{
	uint32_t entered[GROUP], depth = 0, out = 0;
	size_t open = r->stack.n;

	for (uint32_t i = 0; i < g->n; i++)
		g->used[i] = false;
	while (open > 0 && take(r, g, EV_LEAVE, r->stack.data[open - 1], &out))
		open--;
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->used[i] || what_kind(g->what[i]) != EV_ENTER)
			continue;
		entered[depth++] = region_of(r, g->what[i]);
		take(r, g, EV_ENTER, entered[depth - 1], &out);
		while (depth > 0 && take(r, g, EV_LEAVE, entered[depth - 1], &out))
			depth--;
	}
	for (uint32_t i = 0; i < g->n; i++)
		if (!g->used[i])
			take(r, g, EV_LEAVE, region_of(r, g->what[i]), &out);
}

static uint32_t pop(struct repair *r)
{
	const uint32_t region = vec_pop(&r->stack);

	r->open[region]--;
	return region;
}

/* Applies events to the stack, by the rules of the nesting. */
static void play(struct repair *r, const uint32_t *what, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t region = region_of(r, what[i]);
		if (what_kind(what[i]) == EV_ENTER) {
			vec_push(&r->stack, region);
			r->open[region]++;
		} else if (r->open[region] > 0) {
			while (pop(r) != region)
				;
		}
	}
}

static bool repair_group(struct repair *r, struct group *g)
{
	bool changed = false;
	uint32_t wrong;

	if (g->n == 0)
		return false;
	wrong = misfits(r, g->what, g->n);
	if (wrong > 0 && g->n > 1) {
		reorder(r, g);
		changed = misfits(r, g->ordered, g->n) < wrong;
	}
	if (changed) {
		for (uint32_t i = 0; i < g->n; i++) {
			store_block(r->trace, g->event[i] / BLOCK_EVENTS)
				->what[g->event[i] % BLOCK_EVENTS] = g->ordered[i];
			if (g->from[i] != g->event[i])
				*keymap_add(r->moved, KEY_OF(g->from[i])) = g->event[i];
		}
		play(r, g->ordered, g->n);
	} else {
		play(r, g->what, g->n);
	}
	g->n = 0;
	return changed;
}

uint64_t build_repair(struct trace *trace, uint32_t location, const uint32_t *start, size_t n,
		      uint32_t *open, struct keymap *moved)
{
	struct repair r = { .trace = trace, .moved = moved, .open = open };
	OWNED struct group *g = xmalloc(sizeof *g);
	uint64_t changed = 0;
	int64_t time = 0;
	struct cursor c;

	g->n = 0;
	for (size_t i = 0; i < n; i++) {
		vec_push(&r.stack, start[i]);
		open[start[i]]++;
	}
	for (bool ok = cursor_first(&c, trace, BASE_MEASURED, location); ok; ok = cursor_next(&c)) {
		const enum event_kind kind = what_kind(cursor_what(&c));
		if (kind != EV_ENTER && kind != EV_LEAVE)
			continue;
		if (g->n == GROUP || cursor_time(&c) != time)
			changed += repair_group(&r, g);
		time = cursor_time(&c);
		g->event[g->n] = c.id;
		g->what[g->n++] = cursor_what(&c);
	}
	changed += repair_group(&r, g);
	while (r.stack.n > 0)
		pop(&r);
	vec_fini(&r.stack);
	return changed;
}
