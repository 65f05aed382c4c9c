#include "views/query/run_figures.h"

#include "views/query/analyses.h"

const struct cube *query_severities(const struct query *query, const bool *chosen,
				    struct efficiency *efficiency, struct err *err)
{
	struct analysis *analysis =
		analyses_get(query->analyses, query->base, query->progress, err);
	const struct causes *causes = analysis ? causes_of(analysis, query->progress, err) : NULL;
	const struct cube *cube = causes ? analyses_cube(query->analyses, query->base, query->t0,
							 query->t1, query->progress, err)
					 : NULL;

	if (!cube || !causes_ideal(causes, query->t0, query->t1, query->progress, err))
		return NULL;
	efficiency_of(causes, cube, chosen, query->t0, query->t1, efficiency);
	return cube;
}
