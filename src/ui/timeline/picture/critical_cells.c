/* The cells of a picture that are on the critical path. */
#include <stdlib.h>

#include "base/mem.h"
#include "patterns/causes/critical_stretch.h"
#include "ui/timeline/picture/timeline_hits.h"
#include "views/query/analyses.h"

const struct path_stretch *timeline_critical_path(const struct query *query, size_t *n)
{
	*n = 0;
	return query->critical_path && query->analyses
		       ? analyses_critical_path(query->analyses, query->base, false, n)
		       : NULL;
}

static void mark(struct timeline_picture *p, int32_t row, int64_t t0, int64_t t1)
{
	const int width = p->options.width;
	int64_t x0 = time_scale_column(&p->scale, t0), x1 = time_scale_column(&p->scale, t1 - 1);

	x0 = x0 < 0 ? 0 : x0;
	x1 = x1 >= width ? width - 1 : x1;
	for (int64_t x = x0; x <= x1; x++)
		p->critical[(size_t)row * (size_t)width + (size_t)x] = true;
}

/* Of several passages between two rows in one column the first is enough. */
static void pass(struct timeline_picture *p, int32_t from, int32_t to, int64_t t)
{
	const struct timeline_passage passage = { from, to, (int)time_scale_column(&p->scale, t) };
	const struct timeline_passage *last =
		p->passages.n ? &p->passages.data[p->passages.n - 1] : NULL;

	if (!p->passages_all || from == to || passage.column < 0 || passage.column >= p->scale.n ||
	    (last && last->column == passage.column && last->from == from && last->to == to))
		return;
	/* One in every other column is a picture, more are a blot. */
	p->passages_all = p->passages.n < (size_t)p->options.width / 2;
	if (p->passages_all)
		vec_push(&p->passages, passage);
	else
		p->passages.n = 0;
}

void timeline_critical_add(struct timeline_picture *p, const struct query *query)
{
	size_t n;
	const struct path_stretch *path = timeline_critical_path(query, &n);
	int32_t *of, before = ROW_HIDDEN;

	p->passages_all = true;
	if (!path)
		return;
	p->critical =
		xcalloc((size_t)p->visible * (size_t)p->options.width + 1, sizeof *p->critical);
	of = timeline_rows_by_location(p, query->trace);
	for (size_t i = critical_stretch_at(path, n, p->scale.t0);
	     i < n && path[i].from < p->scale.t1; i++) {
		const struct path_stretch *s = &path[i];
		const int32_t row = of[s->location];
		if (s->from == s->to)
			continue;
		if (row != ROW_HIDDEN)
			mark(p, row, s->from, s->to);
		if (row != ROW_HIDDEN && before != ROW_HIDDEN && s->from >= p->scale.t0)
			pass(p, before, row, s->from);
		before = row;
	}
	free(of);
}
