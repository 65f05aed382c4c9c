/* What is added becomes cells in the order of call paths and locations, and totals. */
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/radix.h"
#include "model/trace/halo.h"
#include "patterns/severity/cube_state.h"

/* ---- several processes ---- */

struct cube_parts {
	struct cube_part *data;
	size_t n, cap;
};

/* Takes the cells out of the row of a location. */
static void take_row(struct cube *cube, uint32_t location, struct cube_parts *parts)
{
	struct cube_row *row = &cube->rows[location];

	for (uint32_t i = 0; i < row->size; i++)
		if (row->slots[i].used)
			vec_push(parts,
				 ((struct cube_part){ row->slots[i].value, row->slots[i].path,
						      location, row->slots[i].metric }));
	free(row->slots);
	*row = (struct cube_row){ 0 };
}

/* What was added to a location goes to the process that has it. */
static void send_home(struct cube *cube)
{
	struct exchange *x = trace_exchange(cube->trace);
	OWNED uint32_t *to = NULL;
	const struct cube_part *part;
	struct cube_parts away = VEC_INIT;

	if (!x)
		return;
	for (uint32_t l = 0; l < trace_location_count(cube->trace); l++)
		if (!trace_has_location(cube->trace, l))
			take_row(cube, l, &away);
	to = xmalloc((away.n + 1) * sizeof *to);
	for (size_t i = 0; i < away.n; i++)
		to[i] = trace_process_of(cube->trace, away.data[i].location);
	exchange_deal_rows(x, &away, to);
	vec_each (part, &away)
		cube_add_fixed(cube, part->metric, part->path, part->location, part->value);
	vec_fini(&away);
}

/* ---- the order of the cells ---- */

struct settling {
	struct cube_part *parts, *spare; /* what was added, metric after metric */
	uint64_t *keys;
	size_t first[CUBE_METRICS + 1];
};

static void count_parts(const struct cube *cube, size_t *first)
{
	for (uint32_t l = 0; l < trace_location_count(cube->trace); l++)
		for (uint32_t i = 0; i < cube->rows[l].size; i++)
			first[cube->rows[l].slots[i].metric + 1] += cube->rows[l].slots[i].used;
	for (int m = 0; m < CUBE_METRICS; m++)
		first[m + 1] += first[m];
}

static void take_parts(struct settling *s, const struct cube *cube)
{
	size_t at[CUBE_METRICS];

	memcpy(at, s->first, sizeof at);
	for (uint32_t l = 0; l < trace_location_count(cube->trace); l++)
		for (uint32_t i = 0; i < cube->rows[l].size; i++) {
			const struct cube_slot *slot = &cube->rows[l].slots[i];
			if (slot->used)
				s->parts[at[slot->metric]++] =
					(struct cube_part){ slot->value, slot->path, l,
							    slot->metric };
		}
}

static void sort_by_key(struct settling *s, struct cube_part *parts, size_t n)
{
	radix_sort(s->keys, n, 32);
	for (size_t i = 0; i < n; i++)
		s->spare[i] = parts[(uint32_t)s->keys[i]];
	memcpy(parts, s->spare, n * sizeof *parts);
}

/* By call path, then location: most come in the order of locations. */
static void sort_parts(struct settling *s, struct cube_part *parts, size_t n)
{
	bool ordered = true;

	for (size_t i = 1; i < n && ordered; i++)
		ordered = parts[i - 1].location <= parts[i].location;
	for (size_t i = 0; i < n && !ordered; i++)
		s->keys[i] = (uint64_t)parts[i].location << 32 | i;
	if (!ordered)
		sort_by_key(s, parts, n);
	for (size_t i = 0; i < n; i++)
		s->keys[i] = (uint64_t)parts[i].path << 32 | i;
	sort_by_key(s, parts, n);
}

static int compare_places(const struct cube_cell *cell, const struct cube_part *part)
{
	ORDER_BY(cell->path, part->path);
	return ORDER(cell->location, part->location);
}

/* Puts the cells of a metric that were settled before, and the parts, together. */
static size_t merge(struct cube_cell *to, const struct cube_cell *old, const struct cube_cell *last,
		    const struct cube_part *part, const struct cube_part *end)
{
	struct cube_cell *at = to;

	while (old < last || part < end) {
		const bool has_old = old < last && (part == end || compare_places(old, part) <= 0);
		struct cube_cell cell =
			has_old ? *old++ : (struct cube_cell){ part->path, part->location, 0 };
		fixed sum = has_old ? fixed_of(cell.value) : 0;
		const bool is_new = part < end && compare_places(&cell, part) == 0;
		for (; part < end && compare_places(&cell, part) == 0; part++)
			sum += part->value;
		cell.value = fixed_value(sum);
		if (is_new || cell.value != 0)
			*at++ = cell;
	}
	return (size_t)(at - to);
}

static void make_cells(struct settling *s, struct cube *cube)
{
	const size_t before = cube->cells ? cube->first[CUBE_METRICS] : 0;
	struct cube_cell *cells = xmalloc((before + s->first[CUBE_METRICS] + 1) * sizeof *cells);
	OWNED struct cube_cell *old = cube->cells;
	size_t first = cube->first[0], n = 0;

	for (int m = 0; m < CUBE_METRICS; m++) {
		const size_t next = cube->first[m + 1];
		struct cube_part *parts = s->parts + s->first[m];
		sort_parts(s, parts, s->first[m + 1] - s->first[m]);
		n += merge(cells + n, old ? old + first : NULL, old ? old + next : NULL, parts,
			   s->parts + s->first[m + 1]);
		cube->first[m + 1] = n;
		first = next;
	}
	cube->cells = cells;
}

/* ---- totals ---- */

/* A metric of waiting that may have cells in call paths of other classes, and is not a part of
 * another metric. */
static bool is_movable(enum cube_metric metric)
{
	enum cube_metric up = cube_metric_info(metric)->parent;

	if (metric == CUBE_TIME || !cube_metric_within(metric, CUBE_TIME) ||
	    cube_metric_info(metric)->source != SOURCE_FOUND)
		return false;
	while (up != CUBE_TIME && cube_metric_info(up)->source != SOURCE_FOUND)
		up = cube_metric_info(up)->parent;
	return up == CUBE_TIME;
}

/* Which metrics have cells that move: for most traces none. */
static void find_moved(struct cube *cube)
{
	for (int m = 0; m < CUBE_METRICS; m++) {
		const enum cube_metric parent = cube_metric_info((enum cube_metric)m)->parent;
		cube->moves[m] = false;
		if (!is_movable((enum cube_metric)m))
			continue;
		for (size_t i = cube->first[m]; i < cube->first[m + 1] && !cube->moves[m]; i++)
			cube->moves[m] = cube->path_metric[cube->cells[i].path] != parent;
	}
}

struct total {
	fixed sum;
	int128 cells;
};

static void add(void *context, const struct cube_cell *cell)
{
	struct total *total = context;

	total->cells++;
	total->sum += fixed_of(cell->value);
}

static void add_total(struct total *total, const struct total *part)
{
	total->cells += part->cells;
	total->sum += part->sum;
}

/* Of a metric, those of later ones being there. `classes`: of `time`, by the class of the call
 * path. */
static struct total total_of(const struct cube *cube, enum cube_metric metric,
			     const struct total *classes, const struct total *later)
{
	struct total total = { 0 };
	bool within[CUBE_METRICS];

	switch ((enum rule)cube->rules[metric]) {
	case RULE_CELLS: cube_visit(cube, metric, add, &total); break;
	case RULE_TIME:
		cube_find_within(metric, within);
		for (int m = 0; m < CUBE_METRICS; m++)
			if (within[m])
				add_total(&total, &classes[m]);
		cube_visit_moved(cube, metric, add, &total);
		break;
	case RULE_SUM:
		for (int m = (int)metric + 1; m < CUBE_METRICS; m++)
			if (cube_metric_info((enum cube_metric)m)->parent == metric)
				add_total(&total, &later[m]);
		break;
	}
	return total;
}

/* Of this process' cells, then of those of all: a total is a sum of cells. */
static void make_totals(struct cube *cube)
{
	struct total classes[CUBE_METRICS + 1] = { { 0 } }, totals[CUBE_METRICS];

	for (size_t i = cube->first[CUBE_TIME]; i < cube->first[CUBE_TIME + 1]; i++)
		add(&classes[cube->path_metric[cube->cells[i].path]], &cube->cells[i]);
	for (int m = CUBE_METRICS - 1; m >= 0; m--)
		totals[m] = total_of(cube, (enum cube_metric)m, classes, totals);
	exchange_sum(trace_exchange(cube->trace), &totals->sum,
		     CUBE_METRICS * (sizeof *totals / sizeof totals->sum));
	for (int m = CUBE_METRICS - 1; m >= 0; m--) {
		const enum cube_metric parent = cube_metric_info((enum cube_metric)m)->parent;
		cube->totals[m] = fixed_value(totals[m].sum);
		cube->has[m] = cube->has[m] || totals[m].cells;
		if (cube->has[m] && parent != CUBE_NONE)
			cube->has[parent] = true;
	}
}

void cube_sum(struct cube *cube)
{
	find_moved(cube);
	make_totals(cube);
}

void cube_settle(struct cube *cube)
{
	struct settling s = { .first = { 0 } };

	send_home(cube);
	count_parts(cube, s.first);
	s.parts = xmalloc((s.first[CUBE_METRICS] + 1) * sizeof *s.parts);
	s.spare = xmalloc((s.first[CUBE_METRICS] + 1) * sizeof *s.spare);
	s.keys = xmalloc((s.first[CUBE_METRICS] + 1) * sizeof *s.keys);
	take_parts(&s, cube);
	cube_free_rows(cube);
	make_cells(&s, cube);
	cube_sum(cube);
	free_all(s.parts, s.spare, s.keys);
}

void cube_reopen(struct cube *cube)
{
	cube->rows = xcalloc(trace_location_count(cube->trace) + 1, sizeof *cube->rows);
	memset(cube->has, 0, sizeof cube->has);
}
