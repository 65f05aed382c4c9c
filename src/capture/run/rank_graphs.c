/* Graphs: from which ranks of a communicator each receives in neighbourhood collectives. They
 * become a topology of the trace (model/trace/sources.h) where all members are known. */
#include "base/mem.h"
#include "base/order.h"
#include "capture/run/merge_job.h"
#include "model/trace/sources.h"

struct graph_row {
	uint32_t comm; /* the builder's */
	int32_t rank, size;
	const int32_t *sources;
	uint32_t n;
};

typedef VEC(struct graph_row) graph_rows;

ORDERING(by_comm, struct graph_row, comm, rank)

static bool is_inside(const struct rank_comm *comm)
{
	for (uint32_t i = 0; i < comm->n_sources; i++)
		if (comm->sources[i] < 0 || comm->sources[i] >= comm->def->size)
			return false;
	return comm->def->rank >= 0 && comm->def->rank < comm->def->size;
}

static void collect(graph_rows *rows, const struct rank *rank)
{
	const struct rank_comm *comm;

	vec_each (comm, &rank->comms)
		if (comm->def && comm->members && comm->sources && is_inside(comm))
			vec_push(rows,
				 ((struct graph_row){ comm->id, comm->def->rank, comm->def->size,
						      comm->sources, comm->n_sources }));
}

static void add_graph(struct job *job, const struct graph_row *rows, uint32_t n)
{
	uint32_t dims = 1;
	OWNED int32_t *size = NULL, *places = NULL;
	OWNED uint8_t *periodic = NULL;

	for (uint32_t r = 0; r < n; r++) {
		if (rows[r].rank != (int32_t)r)
			return;
		dims = rows[r].n > dims ? rows[r].n : dims;
	}
	size = xcalloc(dims, sizeof *size);
	periodic = xcalloc(dims, sizeof *periodic);
	places = xcalloc((size_t)n * dims, sizeof *places);
	for (uint32_t d = 0; d < dims; d++)
		size[d] = (int32_t)n;
	for (uint32_t r = 0; r < n; r++)
		for (uint32_t d = 0; d < dims; d++)
			places[(size_t)r * dims + d] =
				d < rows[r].n ? rows[r].sources[d] : (int32_t)r;
	builder_topology(job->builder,
			 &(struct topology){ .name = builder_string(job->builder, SOURCES_NAME,
								    sizeof SOURCES_NAME - 1),
					     .comm = rows->comm,
					     .dims = dims,
					     .size = size,
					     .periodic = periodic,
					     .coords = places },
			 n);
}

void job_graphs(struct job *job)
{
	graph_rows rows = VEC_INIT;
	const struct rank *rank;

	vec_each (rank, &job->ranks)
		collect(&rows, rank);
	if (rows.n)
		vec_sort(&rows, by_comm);
	for (size_t i = 0, first = 0; i < rows.n; i++)
		if (i + 1 == rows.n || rows.data[i + 1].comm != rows.data[i].comm) {
			if ((int64_t)(i + 1 - first) == rows.data[i].size)
				add_graph(job, rows.data + first, (uint32_t)(i + 1 - first));
			first = i + 1;
		}
	vec_fini(&rows);
}
