#include "views/facts/severities.h"

#include <stdlib.h>

#include "views/query/analyses.h"
#include "views/query/view_common.h"

enum { CELLS_A_STEP = 4096 };

void severities_fini(struct severities *s)
{
	cube_free(s->own);
	*s = (struct severities){ 0 };
}

/* The cells that query and filter choose; NULL: stopped. */
static struct cube *choose(const struct cube *cube, const struct query *query)
{
	OWNED bool *chosen = query_chosen(query);
	struct cube *some = cube_new(query->trace);
	bool stopped = false;

	for (int m = 0; m < CUBE_METRICS && !stopped; m++) {
		size_t n;
		const struct cube_cell *cells = cube_cells(cube, (enum cube_metric)m, &n);
		for (size_t i = 0; i < n && !stopped; i++) {
			const struct cube_cell *c = &cells[i];
			if (chosen[c->location] &&
			    filter_callpath(query->filter, c->location, c->path))
				cube_add(some, (enum cube_metric)m, c->path, c->location, c->value);
			stopped = i % CELLS_A_STEP == 0 && query_stopped(query);
		}
	}
	if (stopped) {
		cube_free(some);
		return NULL;
	}
	cube_settle(some);
	return some;
}

const struct cube *severities_get(struct severities *s, const struct query *query,
				  enum time_base base, uint64_t chosen, bool *changed,
				  struct err *err)
{
	const struct cube *cube;

	*changed = !s->made || s->base != base || s->t0 != query->t0 || s->t1 != query->t1 ||
		   s->chosen != chosen;
	if (!*changed && s->own)
		return s->own;
	cube = analyses_cube(query->analyses, base, query->t0, query->t1, query->progress, err);
	if (!cube || !*changed)
		return cube;
	cube_free(s->own);
	*s = (struct severities){ NULL, false, base, query->t0, query->t1, chosen };
	if (query->locations || query->filter) {
		s->own = choose(cube, query);
		cube = s->own;
	}
	s->made = cube != NULL;
	return cube;
}
