/* Orders of messages and collectives by their earlier ends, made by several processes: each looks
 * up the ends of some rows, and gets those of a stretch of time, about as many as the others. */
#include <string.h>

#include "base/exchange.h"
#include "base/order.h"
#include "base/runs.h"
#include "base/timesort.h"
#include "model/cache/cache_shared.h"

/* A row with its ends. */
struct ended_row {
	int64_t first, last;
	uint64_t row;
};

struct ended_rows {
	VEC(struct ended_row) list;
};

/* A node of which another process has the first row. */
struct part_node {
	uint64_t node;
	int64_t last;
};

enum { FAN = 1 << ORDER_FAN_BITS, SAMPLES = 256 };

ORDERING(by_first, struct ended_row, first, row)

/* ---- which there are ---- */

uint32_t shared_orders_list(const struct shared *s, struct shared_order list[SHARED_ORDERS])
{
	uint32_t n = 0;

	for (int base = 0; base < BASE_COUNT; base++)
		for (int kind = 0; kind < 2 && s->trace->columns[base].made; kind++) {
			const uint64_t rows = s->all[kind ? COUNT_COLLECTIVE : COUNT_UNMATCHED];
			if (rows)
				list[n++] = (struct shared_order){ (enum time_base)base, kind == 1,
								   (uint32_t)rows };
		}
	return n;
}

void shared_orders_add(struct shared_sections *to, const struct shared_order *o,
		       const struct made_order *made)
{
	const uint32_t index = 2 * (uint32_t)o->base + o->collectives;
	struct shared_rows rows = { .name = "order",
				    .index = index,
				    .row = sizeof(uint32_t),
				    .data = made ? made->rows : NULL,
				    .stretches = made ? &made->at_rows : NULL,
				    .rows = o->rows };

	shared_sections_add(to, &rows);
	rows.name = "order-chunks";
	rows.row = sizeof(int64_t);
	rows.data = made ? made->chunks : NULL;
	rows.stretches = made ? &made->at_chunks : NULL;
	rows.rows = o->rows / ORDER_CHUNK + 1;
	shared_sections_add(to, &rows);
	rows.name = "order-tree";
	for (int level = 0; level < order_levels(o->rows); level++) {
		rows.index = index * ORDER_LEVELS + (uint32_t)level;
		rows.data = made ? made->nodes[level] : NULL;
		rows.stretches = made ? &made->at_nodes[level] : NULL;
		rows.rows = order_nodes(o->rows, level);
		shared_sections_add(to, &rows);
	}
}

void shared_orders_announce(struct shared *s)
{
	static uint32_t row;
	static int64_t time;
	struct shared_order list[SHARED_ORDERS];
	const uint32_t n = shared_orders_list(s, list);

	for (int base = 0; base < BASE_COUNT; base++) {
		order_fini(&s->trace->message_order[base]);
		order_fini(&s->trace->collective_order[base]);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct order *order = list[i].collectives
					      ? &s->trace->collective_order[list[i].base]
					      : &s->trace->message_order[list[i].base];
		*order = (struct order){ .rows = &row, .first = &time, .borrowed = true };
		for (int level = 0; level < order_levels(list[i].rows); level++)
			order->last[level] = &time;
		shared_orders_add(&s->sections, &list[i], NULL);
	}
}

/* ---- making one ---- */

/* The ends of this process' part of the rows. */
static void look_up(struct ended_rows *rows, const struct exchange *x, const struct trace *whole,
		    const struct shared_order *o)
{
	const uint64_t own = x->process, n = o->rows;

	for (uint64_t row = n * own / x->processes; row < n * (own + 1) / x->processes; row++) {
		struct ended_row *ended = vec_add(&rows->list);
		ended->row = row;
		order_span(whole, o->base, o->collectives, (uint32_t)row, &ended->first,
			   &ended->last);
	}
}

/* The first row of each process but the first one, by samples of the rows of all. */
static void split(struct ended_rows *at, const struct ended_rows *rows, struct exchange *x)
{
	struct ended_rows samples = { VEC_INIT };

	for (size_t i = 0; i < rows->list.n; i += rows->list.n / SAMPLES + 1)
		vec_push(&samples.list, rows->list.data[i]);
	exchange_rows(x, &samples.list);
	vec_sort(&samples.list, by_first);
	for (uint32_t p = 1; p < x->processes; p++)
		vec_push(&at->list, samples.list.data[samples.list.n * p / x->processes]);
	vec_fini(&samples.list);
}

/* Replaces the rows by those of this process' stretch of time, which are in their order as rows. */
static void deal(struct ended_rows *rows, struct exchange *x)
{
	OWNED uint32_t *to = xmalloc((rows->list.n + 1) * sizeof *to);
	struct ended_rows at = { VEC_INIT };

	split(&at, rows, x);
	for (size_t i = 0; i < rows->list.n; i++) {
		size_t low = 0, high = at.list.n;
		BISECT(low, high, p, by_first(&at.list.data[p], &rows->list.data[i]) <= 0);
		to[i] = (uint32_t)low;
	}
	exchange_deal_rows(x, &rows->list, to);
	vec_fini(&at.list);
}

/* Places of the rows by their earlier ends, of equals in their order; the caller's. */
static uint32_t *sort(const struct ended_rows *rows)
{
	const uint32_t n = (uint32_t)rows->list.n;
	OWNED int64_t *first = xmalloc((n + 1u) * sizeof *first);
	OWNED struct timed *timed = NULL;
	uint32_t *order = xmalloc((n + 1u) * sizeof *order);

	for (uint32_t i = 0; i < n; i++)
		first[i] = rows->list.data[i].first;
	if (n == 0 || runs_sort(order, first, n, 1))
		return order;
	timed = xmalloc(2 * (size_t)n * sizeof *timed);
	for (uint32_t i = 0; i < n; i++)
		timed[i] = (struct timed){ first[i], i, 0 };
	timed_sort(timed, timed + n, n);
	for (uint32_t i = 0; i < n; i++)
		order[i] = timed[i].a;
	return order;
}

/* The nodes over n values of the level below, of which the first one is the at-th of all. A node is
 * made by the process that has its first value, with what the next ones have of it. Gives how many
 * nodes this one has, from (at + FAN - 1) / FAN on. */
static size_t nodes_above(struct exchange *x, uint64_t at, const int64_t *below, size_t n,
			  int64_t *nodes)
{
	const uint64_t first = (at + FAN - 1) / FAN, end = (at + n + FAN - 1) / FAN;
	OWNED_VEC(struct part_node) parts = VEC_INIT;
	const struct part_node *part;

	for (size_t i = 0; i < n; i++) {
		const uint64_t node = (at + i) / FAN;
		if (node >= first)
			nodes[node - first] = (at + i) % FAN == 0 || below[i] > nodes[node - first]
						      ? below[i]
						      : nodes[node - first];
		else if (!parts.n)
			vec_push(&parts, ((struct part_node){ node, below[i] }));
		else if (below[i] > parts.data->last)
			parts.data->last = below[i];
	}
	exchange_rows(x, &parts);
	vec_each (part, &parts)
		if (part->node >= first && part->node < end &&
		    part->last > nodes[part->node - first])
			nodes[part->node - first] = part->last;
	return (size_t)(end - first);
}

static void make_tree(struct made_order *made, struct exchange *x, int levels, uint64_t at,
		      const int64_t *last, size_t n)
{
	for (int level = 0; level < levels; level++) {
		made->nodes[level] = xmalloc((n / FAN + 2) * sizeof *made->nodes[level]);
		n = nodes_above(x, at, level ? made->nodes[level - 1] : last, n,
				made->nodes[level]);
		at = (at + FAN - 1) / FAN;
		stretches_add(&made->at_nodes[level], 0, at, n);
	}
}

static void make_chunks(struct made_order *made, uint64_t at, const struct ended_rows *rows,
			const uint32_t *order)
{
	const size_t n = rows->list.n;
	size_t chunks = 0;

	made->chunks = xmalloc((n / ORDER_CHUNK + 2) * sizeof *made->chunks);
	for (size_t i = -at % ORDER_CHUNK; i < n; i += ORDER_CHUNK)
		made->chunks[chunks++] = rows->list.data[order[i]].first;
	stretches_add(&made->at_chunks, 0, (at + ORDER_CHUNK - 1) / ORDER_CHUNK, chunks);
}

void made_order_make(struct made_order *made, struct exchange *x, const struct trace *whole,
		     const struct shared_order *o)
{
	struct ended_rows rows = { VEC_INIT };
	OWNED uint32_t *order = NULL;
	OWNED int64_t *last = NULL;
	uint64_t at;

	*made = (struct made_order){ .rows = NULL };
	look_up(&rows, x, whole, o);
	deal(&rows, x);
	order = sort(&rows);
	at = exchange_before(x, rows.list.n);
	made->rows = xmalloc((rows.list.n + 1) * sizeof *made->rows);
	last = xmalloc((rows.list.n + 1) * sizeof *last);
	for (size_t i = 0; i < rows.list.n; i++) {
		made->rows[i] = (uint32_t)rows.list.data[order[i]].row;
		last[i] = rows.list.data[order[i]].last;
	}
	stretches_add(&made->at_rows, 0, at, rows.list.n);
	make_chunks(made, at, &rows, order);
	make_tree(made, x, order_levels(o->rows), at, last, rows.list.n);
	vec_fini(&rows.list);
}

void made_order_fini(struct made_order *made)
{
	free_all(made->rows, made->chunks);
	vec_fini(&made->at_rows.list);
	vec_fini(&made->at_chunks.list);
	for (int level = 0; level < ORDER_LEVELS; level++) {
		free(made->nodes[level]);
		vec_fini(&made->at_nodes[level].list);
	}
}
