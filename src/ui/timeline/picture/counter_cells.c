/* The cells of rows of counters, and the scales that they share. */
#include "ui/timeline/picture/timeline_picture.h"

static bool same_scale(const struct timeline_counter *a, const struct timeline_counter *b)
{
	return a->metric == b->metric && a->of_group == b->of_group;
}

static void scale_of(const struct timeline_picture *p, struct timeline_counter *c)
{
	bool any = false;

	for (size_t k = 0; k < p->counters.n; k++)
		for (int x = 0; same_scale(&p->counters.data[k], c) && x < p->options.width; x++) {
			const struct timeline_value *v =
				&p->values.data[p->counters.data[k].first + (size_t)x];

			if (!v->known)
				continue;
			c->low = !any || v->value < c->low ? v->value : c->low;
			c->high = !any || v->value > c->high ? v->value : c->high;
			any = true;
		}
	/* A bar that begins at nothing can be compared; a narrow band far from it could not be
	 * seen. */
	if (c->low > 0 && c->low < c->high * 3 / 4)
		c->low = 0;
	if (c->low >= c->high && c->high > 0)
		c->low = 0;
}

static void add_counter(struct timeline_picture *p, struct timeline_counts *counts, uint32_t nth)
{
	const struct timeline_row *row = timeline_shown(p, nth);
	struct timeline_counter counter = {
		.nth = nth, .metric = row->metric, .of_group = row->of_group, .first = p->values.n
	};

	for (int x = 0; x < p->options.width; x++)
		vec_push(&p->values, ((struct timeline_value){ 0, false }));
	counter.summed = timeline_counts_get(counts, row, p->values.data + counter.first);
	vec_push(&p->counters, counter);
}

void timeline_counters_add(struct timeline_picture *p, const struct query *query,
			   struct timeline_shades *shades, const struct time_cells *columns)
{
	struct timeline_counts *own = NULL, *counts = p->options.counts;

	if (!p->rows->counters)
		return;
	if (!counts)
		counts = own = timeline_counts_new(INT64_MAX);
	timeline_counts_begin(counts, p->rows, p->options.rows_generation, query, shades, columns);
	for (uint32_t i = 0; i < p->visible; i++)
		if (timeline_shown(p, i)->kind == ROW_COUNTER)
			add_counter(p, counts, i);
	timeline_counts_free(own);
	for (size_t i = 0; i < p->counters.n; i++) {
		size_t k = 0;

		while (!same_scale(&p->counters.data[k], &p->counters.data[i]))
			k++;
		if (k == i)
			scale_of(p, &p->counters.data[i]);
		p->counters.data[i].low = p->counters.data[k].low;
		p->counters.data[i].high = p->counters.data[k].high;
	}
}

const struct timeline_counter *timeline_counter_of(const struct timeline_picture *p, uint32_t nth)
{
	for (size_t i = 0; i < p->counters.n; i++)
		if (p->counters.data[i].nth == nth)
			return &p->counters.data[i];
	return NULL;
}
