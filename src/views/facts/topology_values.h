/* topology_values: what the topology view shows: the severity of one metric at each location, of
 * a call path and all below it, in the query's window.
 *
 *	struct topology_values v;
 *	if (topology_values_make(&v, &query, &err))
 *		use(v.grids, v.of[location]);
 *	topology_values_fini(&v);
 */
#pragma once

#include "patterns/severity/cube_metric.h"
#include "patterns/topology/topology.h"
#include "views/query/view.h"

struct topology_values {
	const struct trace *trace;
	const struct grids *grids; /* of the analysis */
	enum cube_metric metric;
	bool own;          /* no metric was chosen: `metric` is the one with most waiting */
	uint32_t callpath; /* UINT32_MAX: all */
	uint32_t n;        /* locations */
	bool *chosen;      /* [n] the location is not hidden */
	double *of;        /* [n] ticks, counts or bytes */
};

/* Without analyses there are no grids. False with err, or with err untouched if progress stopped
 * it. */
bool topology_values_make(struct topology_values *v, const struct query *query, struct err *err);
void topology_values_fini(struct topology_values *v);

/* The sum over the locations at one place of a grid; false: no chosen location is there. */
bool topology_value_at(const struct topology_values *v, const struct grid *grid,
		       const int32_t *coords, double *value);

/* Smallest, largest and sum over the places of a grid that have a value. */
struct topology_range {
	uint32_t places;
	double min, max, sum;
};
struct topology_range topology_range(const struct topology_values *v, const struct grid *grid);

/* Appends a value for people: "12.3 ms", "412", "1.5 MiB". */
void topology_show(const struct topology_values *v, double value, struct str *out);
/* The same in few columns, in the unit in which `most` reads best, without the unit's name; and
 * that name. */
void topology_show_short(const struct topology_values *v, double value, double most,
			 struct str *out);
const char *topology_short_unit(const struct topology_values *v, double most);
