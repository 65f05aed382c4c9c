/* Topologies that the program defined by hand (tview.h): one rank defines the grid, each rank gives
 * its own place. The order is unknown, so all ranks are searched for grids before any rank is
 * placed on one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/run/merge_job.h"

/* Each grid costs coordinates of all ranks; a program has only a few. */
enum { GRIDS_MOST = 64 };

struct given_grid {
	const struct tv_def_grid *def;
	const char *name;
	int32_t *coords; /* [world][dims], -1 unknown */
};

struct given_grids {
	struct job *job;
	VEC(struct given_grid) all;
	int32_t world;
};

static const int32_t *values_of(const struct tv_def_grid *def)
{
	return (const void *)(def + 1);
}

/* A call is left out; the first one's sentence is for people. */
static __attribute__((format(printf, 4, 5))) void wrong(struct given_grids *grids,
							const struct rank *rank,
							const struct rank_grid *call,
							const char *why, ...)
{
	struct merge_summary *summary = grids->job->summary;
	OWNED_STR text = STR_INIT;
	char reason[128];
	va_list list;

	va_start(list, why);
	vsnprintf(reason, sizeof reason, why, list);
	va_end(list);
	str_add(&text, call->place ? "tview_coords(" : "tview_topology(");
	if (!grids->job->options->anonymous)
		str_add_clean(&text, call->name, strnlen(call->name, 60));
	str_add_fmt(&text, ") of rank %d: %s", rank->number, reason);
	if (summary->wrong_grids++ == 0)
		snprintf(summary->first_wrong_grid, sizeof summary->first_wrong_grid, "%s",
			 text.text);
	builder_finding(grids->job->builder, FINDING_DAMAGE,
			call->place ? "wrong-coords" : "wrong-topology", 0, text.text);
}

/* NULL: not defined by any rank. There are GRIDS_MOST at most. */
static const struct given_grid *find_grid(const struct given_grids *grids, const char *name)
{
	const struct given_grid *grid;

	vec_each (grid, &grids->all) {
		if (!strcmp(grid->name, name))
			return grid;
	}
	return NULL;
}

static bool says_the_same(const struct tv_def_grid *a, const struct tv_def_grid *b)
{
	return a->dims == b->dims &&
	       !memcmp(values_of(a), values_of(b), (size_t)a->values * sizeof(int32_t));
}

static void take_grid(struct given_grids *grids, const struct rank *rank,
		      const struct rank_grid *call)
{
	const struct tv_def_grid *def = call->def;
	const struct given_grid *known;
	size_t n;

	if (!def->values) {
		wrong(grids, rank, call, "%d dimensions, or no sizes (1 to %d are possible)",
		      def->dims, TV_GRID_DIMS);
		return;
	}
	for (int32_t d = 0; d < def->dims; d++)
		if (values_of(def)[d] < 1) {
			wrong(grids, rank, call, "dimension %d has the size %d", d,
			      values_of(def)[d]);
			return;
		}
	known = find_grid(grids, call->name);
	if (known) {
		if (!says_the_same(known->def, def))
			wrong(grids, rank, call, "another grid has this name");
		return;
	}
	if (grids->all.n == GRIDS_MOST) {
		wrong(grids, rank, call, "more than %d grids", GRIDS_MOST);
		return;
	}
	n = (size_t)grids->world * (size_t)def->dims;
	vec_push(&grids->all, ((struct given_grid){ def, call->name, xmalloc((n + 1) * 4) }));
	memset(vec_last(&grids->all)->coords, 0xff, n * 4);
}

static void take_place(struct given_grids *grids, const struct rank *rank,
		       const struct rank_grid *call)
{
	const int32_t *at = values_of(call->def);
	const struct given_grid *grid = find_grid(grids, call->name);
	int32_t *coords;

	if (!grid) {
		wrong(grids, rank, call, "no rank called tview_topology with that name");
		return;
	}
	if (!call->def->values || call->def->dims != grid->def->dims) {
		wrong(grids, rank, call, "%d coordinates for a grid of %d dimensions",
		      call->def->values ? call->def->dims : 0, grid->def->dims);
		return;
	}
	for (int32_t d = 0; d < grid->def->dims; d++)
		if (at[d] < 0 || at[d] >= values_of(grid->def)[d]) {
			wrong(grids, rank, call, "%d is outside dimension %d, which has %d", at[d],
			      d, values_of(grid->def)[d]);
			return;
		}
	if (rank->number >= grids->world)
		return;
	coords = grid->coords + (size_t)rank->number * (size_t)grid->def->dims;
	if (coords[0] >= 0 && memcmp(coords, at, (size_t)grid->def->dims * 4) != 0)
		wrong(grids, rank, call, "the rank has other coordinates already");
	else
		memcpy(coords, at, (size_t)grid->def->dims * 4);
}

static void add_topology(struct job *job, const struct given_grid *grid, uint32_t nth,
			 int32_t world)
{
	const uint32_t dims = (uint32_t)grid->def->dims;
	const int32_t *values = values_of(grid->def);
	const bool named = *grid->name && !job->options->anonymous;
	uint8_t periodic[TV_GRID_DIMS] = { 0 };
	OWNED_STR name = STR_INIT;

	for (uint32_t d = 0; d < dims; d++)
		periodic[d] = values[dims + d] != 0;
	if (named)
		str_add(&name, grid->name);
	else
		str_add_fmt(&name, "grid %u", nth);
	builder_topology(job->builder,
			 &(struct topology){
				 .name = builder_string(job->builder, name.text, name.n),
				 .comm = 0,
				 .dims = dims,
				 .size = values,
				 .periodic = periodic,
				 .coords = grid->coords },
			 (uint32_t)world);
}

void job_grids(struct job *job)
{
	struct given_grids grids = { .job = job,
				     .world = job->summary->world > 0 ? job->summary->world : 0 };
	const struct rank_grid *call;
	const struct rank *rank;

	vec_each (rank, &job->ranks)
		vec_each (call, &rank->grids)
			if (!call->place)
				take_grid(&grids, rank, call);
	vec_each (rank, &job->ranks)
		vec_each (call, &rank->grids)
			if (call->place)
				take_place(&grids, rank, call);
	for (size_t i = 0; i < grids.all.n; i++) {
		add_topology(job, &grids.all.data[i], (uint32_t)i + 1, grids.world);
		free(grids.all.data[i].coords);
	}
	vec_fini(&grids.all);
}
