/* Results of whole runs that come without an analysis where they are kept with the trace. */
#include <stdlib.h>

#include "base/mem.h"
#include "patterns/causes/critical_keep.h"
#include "patterns/iterations/iterations_keep.h"
#include "patterns/severity/cube_keep.h"
#include "patterns/topology/topology.h"
#include "views/query/analyses_state.h"

/* ---- cubes ---- */

static void to_front(struct analyses *a, int i)
{
	const struct kept_cube front = a->cubes[i];

	for (; i > 0; i--)
		a->cubes[i] = a->cubes[i - 1];
	a->cubes[0] = front;
}

/* Wavefronts depend on the topology. */
static bool is_kept_window(const struct analyses *a, int64_t t0, int64_t t1)
{
	return t0 == INT64_MIN && t1 == INT64_MAX && !a->topology;
}

bool analyses_cube_is_kept(const struct analyses *a, enum time_base base, int64_t t0, int64_t t1)
{
	return is_kept_window(a, t0, t1) && cube_is_kept(a->trace, base);
}

const struct cube *analyses_cube(struct analyses *a, enum time_base base, int64_t t0, int64_t t1,
				 const struct progress *progress, struct err *err)
{
	struct kept_cube made = { NULL, base, t0, t1 };
	const bool keeps = is_kept_window(a, t0, t1);
	struct analysis *analysis;

	for (int i = 0; i < CUBES; i++)
		if (a->cubes[i].cube && a->cubes[i].base == base && a->cubes[i].t0 == t0 &&
		    a->cubes[i].t1 == t1) {
			to_front(a, i);
			return a->cubes[0].cube;
		}
	if (keeps)
		made.cube = cube_kept(a->trace, base);
	analysis = made.cube ? NULL : analyses_get(a, base, progress, err);
	if (analysis)
		made.cube = analysis_cube(analysis, t0, t1, CUBE_ALL, progress, err);
	if (!made.cube)
		return NULL;
	if (keeps && analysis)
		cube_keep(made.cube, base);
	cube_free(a->cubes[CUBES - 1].cube);
	a->cubes[CUBES - 1] = made;
	to_front(a, CUBES - 1);
	return made.cube;
}

const struct grids *analyses_grids(struct analyses *a, enum time_base base, struct err *err)
{
	const struct analysis *analysis;

	pthread_mutex_lock(&a->lock);
	analysis = a->of[base].analysis;
	pthread_mutex_unlock(&a->lock);
	if (analysis)
		return analysis_grids(analysis);
	if (!a->grids) {
		a->grids = xcalloc(1, sizeof *a->grids);
		if (!grids_make(a->grids, a->trace, a->topology, err)) {
			free(a->grids);
			a->grids = NULL;
		}
	}
	return a->grids;
}

/* ---- iterations ---- */

const struct iterations *analyses_iterations_kept(struct analyses *a, enum time_base base,
						  int level)
{
	struct one *one = &a->of[base];
	size_t n, main;

	if (a->iterated_by)
		return NULL;
	if (!one->iterations)
		one->iterations = iterations_kept(a->trace, base);
	if (!one->iterations)
		return NULL;
	iterations_levels(one->iterations, &n, &main);
	return level < 0 || (size_t)level >= n || (size_t)level == main ? one->iterations : NULL;
}

const struct iterations *analyses_iterations(struct analyses *a, enum time_base base, int level,
					     const struct progress *progress, struct err *err)
{
	const struct iterations *found = analyses_iterations_kept(a, base, level);
	struct analysis *analysis;
	const struct causes *causes;

	if (found)
		return found;
	analysis = analyses_get(a, base, progress, err);
	causes = analysis ? causes_of(analysis, progress, err) : NULL;
	found = causes ? causes_iterations(causes, progress) : NULL;
	if (found && !a->iterated_by && !a->of[base].iterations)
		iterations_keep(found);
	return found;
}

/* ---- the critical path ---- */

const struct path_stretch *analyses_critical_path(struct analyses *a, enum time_base base,
						  bool kept, size_t *n)
{
	struct one *one = &a->of[base];
	const struct causes *causes;

	if (!one->path)
		one->path = critical_path_kept(a->trace, base, &one->stretches);
	*n = one->path ? one->stretches : 0;
	if (one->path || kept)
		return one->path;
	causes = analyses_causes(a, base);
	return causes ? causes_critical_path(causes, n) : NULL;
}

/* ---- sizes ---- */

void analyses_sizes_kept(struct analyses *a, enum time_base base)
{
	const struct graph_options options = {
		.base = base, .t0 = INT64_MIN, .t1 = INT64_MAX, .jobs = 1, .kept = true
	};
	struct one *one = &a->of[base];

	if (!graph_is_kept(a->trace, base))
		return;
	one->graph = graph_new(a->trace, &options, NULL, NULL);
	one->tried = one->sized = one->graph != NULL;
	if (one->graph)
		graph_sizes(one->graph, &one->sizes);
}
