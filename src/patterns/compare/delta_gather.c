#include "base/exchange.h"
#include "base/order.h"
#include "patterns/compare/delta_state.h"

/* As an entry of a row; what only a repeated trace has is in none. */
static void push_entry(struct delta_gathering *g, struct delta_entry entry)
{
	if ((g->by & DELTA_BY_PATH && entry.path == ALIGN_NONE) ||
	    (g->by & DELTA_BY_PLACE && entry.place == ALIGN_NONE))
		return;
	if (!(g->by & DELTA_BY_PATH))
		entry.path = ALIGN_NONE;
	if (!(g->by & DELTA_BY_PLACE))
		entry.place = ALIGN_NONE;
	vec_push(&g->entries, entry);
}

static void gather(void *context, const struct cube_cell *cell)
{
	struct delta_gathering *g = context;
	const struct delta_part *part = &g->delta->parts[g->part];
	const struct delta_entry entry = {
		fixed_of(cell->value),
		part->path_of[cell->path],
		part->place_of[cell->location],
		g->part,
	};

	if (g->by == DELTA_EACH_CELL)
		vec_push(&g->entries, entry);
	else
		push_entry(g, entry);
}

ORDERING(compare_entries, struct delta_entry, path, place, part)

/* Adds up what is of one row and trace. */
static void join_entries(struct delta_gathering *g)
{
	size_t n = 0;

	if (g->entries.n)
		vec_sort(&g->entries, compare_entries);
	for (size_t i = 0; i < g->entries.n; i++) {
		const struct delta_entry *e = &g->entries.data[i];
		if (n && compare_entries(&g->entries.data[n - 1], e) == 0)
			g->entries.data[n - 1].value += e->value;
		else
			g->entries.data[n++] = *e;
	}
	g->entries.n = n;
}

void delta_gather(struct delta_gathering *g, enum cube_metric metric, unsigned n)
{
	struct exchange *x = trace_exchange(cube_trace(g->delta->parts[ALIGN_NEW].cube));

	g->entries.n = 0;
	for (g->part = 0; g->part < n; g->part++) {
		const struct cube *cube = g->delta->parts[g->part].cube;
		/* Figures that were kept are whole in each process. */
		if (!x || trace_exchange(cube_trace(cube)) || exchange_process(x) == 0)
			cube_visit(cube, metric, gather, g);
	}
	join_entries(g);
	exchange_rows(x, &g->entries);
	if (x)
		join_entries(g);
}

void delta_gather_from(struct delta_gathering *g, const struct delta_gathering *cells)
{
	g->entries.n = 0;
	for (size_t i = 0; i < cells->entries.n; i++)
		push_entry(g, cells->entries.data[i]);
	join_entries(g);
}

/* Seconds per tick for times, else 1. */
static double unit_of(const struct delta_part *part, enum cube_metric metric)
{
	return cube_metric_info(metric)->unit == UNIT_TICKS
		       ? 1 / (double)trace_scale(cube_trace(part->cube))->per_second
		       : 1;
}

double delta_entry_value(const struct delta *d, enum cube_metric metric,
			 const struct delta_entry *e)
{
	return fixed_value(e->value) * unit_of(&d->parts[e->part], metric);
}

size_t delta_gather_row(const struct delta_gathering *g, size_t at, enum cube_metric metric,
			double values[DELTA_PARTS])
{
	const struct delta_entry *entries = g->entries.data;
	const struct delta_entry first = entries[at];

	for (unsigned i = 0; i < g->delta->n; i++)
		values[i] = 0;
	for (; at < g->entries.n && entries[at].path == first.path &&
	       entries[at].place == first.place;
	     at++)
		values[entries[at].part] = delta_entry_value(g->delta, metric, &entries[at]);
	return at;
}

void delta_totals(const struct delta *d, enum cube_metric metric, double values[DELTA_PARTS])
{
	for (unsigned i = 0; i < d->n; i++)
		values[i] =
			cube_total(d->parts[i].cube, metric, NULL) * unit_of(&d->parts[i], metric);
}
