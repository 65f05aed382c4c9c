/* In which call paths, and in which function, ranks differ enough to be judged. */
#include <math.h>
#include <stdlib.h>

#include "base/exchange.h"
#include "base/fixed.h"
#include "base/mem.h"
#include "model/trace/crowd.h"
#include "model/trace/halo.h"
#include "views/facts/diagnosis.h"

/* Of the time of a rank between MPI_Init and MPI_Finalize: an overload to speak of. Where ranks
 * share cores, some are always a little slower. */
#define WORTH         0.005
#define WORTH_CROWDED 0.02
/* The longest time in a function, of the shortest. */
#define DIFFERS       1.05

struct choosing {
	struct diagnosis *d;
	const struct trace *trace;
	const struct cube *cube;
	const bool *chosen; /* [location], NULL all */
	double *by_place;   /* [location] */
	double *by_path;    /* [callpath] */
};

/* The function with most time, where ranks differ in it: time by location, of cells here. */
struct function_time {
	const struct trace *trace;
	uint32_t region;
	fixed *of;
};

static void add_time(void *context, const struct cube_cell *cell)
{
	const struct function_time *t = context;

	if (cell->path && trace_callpath_region(t->trace, cell->path) == t->region)
		t->of[cell->location] += fixed_of(cell->value);
}

static uint32_t find_function(struct choosing *m)
{
	const uint32_t regions = trace_region_count(m->trace);
	OWNED double *time = xcalloc((size_t)regions + 1, sizeof *time);
	OWNED bool *user = xcalloc((size_t)regions + 1, sizeof *user);

	cube_by_path(m->cube, CUBE_TIME, m->chosen, m->by_path);
	for (uint32_t p = 1; p < trace_callpath_count(m->trace); p++)
		time[trace_callpath_region(m->trace, p)] += m->by_path[p];
	for (uint32_t r = 0; r < regions; r++)
		user[r] = trace_region(m->trace, r)->cls == CLASS_USER;
	return largest_of(time, regions, user).id;
}

static bool differs(const struct choosing *m, uint32_t region)
{
	const uint32_t n = trace_location_count(m->trace);
	struct function_time t = { m->trace, region, xcalloc((size_t)n + 1, sizeof *t.of) };
	double least = INFINITY, most = 0;

	cube_visit(m->cube, CUBE_TIME, add_time, &t);
	exchange_sum(trace_exchange(m->trace), t.of, n);
	for (uint32_t l = 0; l < n; l++)
		if (location_runs_code(trace_location(m->trace, l))) {
			least = fmin(least, fixed_value(t.of[l]));
			most = fmax(most, fixed_value(t.of[l]));
		}
	free(t.of);
	return most > DIFFERS * least;
}

static void add_function(struct choosing *m)
{
	const uint32_t region = find_function(m);

	if (region != UINT32_MAX && differs(m, region))
		m->d->imbalance[m->d->n_imbalance++] =
			(struct imbalance){ .path = UINT32_MAX, .region = region };
}

/* Ticks of a location from which on an overload is spoken of. */
static double worth(const struct choosing *m)
{
	const struct crowd crowd = trace_crowd(m->trace);
	uint32_t computing = 0;

	for (uint32_t l = 0; l < trace_location_count(m->trace); l++)
		computing += location_runs_code(trace_location(m->trace, l));
	return (crowd.ranks || crowd.threads ? WORTH_CROWDED : WORTH) * m->d->names.core /
	       fmax(computing, 1);
}

/* The call paths with the largest overload in which one location has enough to speak of. */
static void find_paths(struct choosing *m, double least)
{
	struct largest largest[IMBALANCES];

	cube_by_path(m->cube, CUBE_IMBALANCE_ABOVE, m->chosen, m->by_path);
	several_of(largest, IMBALANCES, m->by_path, trace_callpath_count(m->trace));
	for (unsigned i = 0; i < IMBALANCES - 1 && largest[i].id != UINT32_MAX; i++) {
		cube_by_location(m->cube, CUBE_IMBALANCE_ABOVE, largest[i].id, false, m->by_place);
		if (largest_of(m->by_place, trace_location_count(m->trace), m->chosen).value >=
		    least)
			m->d->imbalance[m->d->n_imbalance++] =
				(struct imbalance){ .path = largest[i].id, .region = UINT32_MAX };
	}
}

/* Without waits for a core one may have too little, or less than the next one; the function stays
 * last. */
static void put_in_order(struct diagnosis *d, double least)
{
	for (uint32_t i = 0; i < d->n_imbalance && d->imbalance[i].path != UINT32_MAX; i++) {
		struct imbalance of = d->imbalance[i];
		uint32_t place = i;
		if (of.core >= 0 && of.more < least && of.kind != IMBALANCE_NAMED)
			of.kind = IMBALANCE_CORE;
		for (; place > 0 && d->imbalance[place - 1].above < of.above; place--)
			d->imbalance[place] = d->imbalance[place - 1];
		d->imbalance[place] = of;
	}
}

bool diagnosis_imbalance(struct diagnosis *d, const struct query *query,
			 const struct causes *causes, const struct cube *cube, const bool *chosen)
{
	const struct trace *trace = query->trace;
	struct choosing m = { .d = d, .trace = trace, .cube = cube, .chosen = chosen };
	const double least = worth(&m);

	m.by_place = xcalloc((size_t)trace_location_count(trace) + 1, sizeof *m.by_place);
	m.by_path = xcalloc((size_t)trace_callpath_count(trace) + 1, sizeof *m.by_path);
	find_paths(&m, least);
	add_function(&m);
	free_all(m.by_place, m.by_path);
	if (!imbalance_judge(causes, cube, query->t0, query->t1, chosen, &d->names, query->progress,
			     d->imbalance, d->n_imbalance))
		return false;
	put_in_order(d, least);
	return true;
}
