/* What an operation is to the clock condition, by the name of its region. */
#include <string.h>

#include "correct/clocks/logical_state.h"
#include "model/meaning/mpi_name.h"

/* OTF2's numbers: OTF2_RegionRole, OTF2_Paradigm. */
enum {
	ROLE_BARRIER = 15,
	ROLE_IMPLICIT_BARRIER = 16,
	ROLE_ONE_TO_ALL = 23,
	ROLE_ALL_TO_ONE = 24,
	ROLE_ALL_TO_ALL = 25,
	PARADIGM_OPENMP = 3,
	PARADIGM_MPI = 4,
};

static const struct {
	const char *name;
	uint8_t operation;
} names[] = {
	{ "barrier", LOGICAL_BARRIER },
	{ "bcast", LOGICAL_ONE_TO_N },
	{ "scatter", LOGICAL_ONE_TO_N },
	{ "scatterv", LOGICAL_ONE_TO_N },
	{ "reduce", LOGICAL_N_TO_ONE },
	{ "gather", LOGICAL_N_TO_ONE },
	{ "gatherv", LOGICAL_N_TO_ONE },
	{ "allgather", LOGICAL_N_TO_N },
	{ "allgatherv", LOGICAL_N_TO_N },
	{ "allreduce", LOGICAL_N_TO_N },
	{ "alltoall", LOGICAL_N_TO_N },
	{ "reduce_scatter", LOGICAL_N_TO_N },
	{ "reduce_scatter_block", LOGICAL_N_TO_N },
	{ "scan", LOGICAL_PREFIX },
	{ "exscan", LOGICAL_PREFIX },
	{ "alltoallv", OPERATION_VECTOR },
	{ "alltoallw", OPERATION_VECTOR },
	{ "init", OPERATION_INIT },
	{ "init_thread", OPERATION_INIT },
	{ "finalize", OPERATION_FINALIZE },
};

static enum operation by_role(const struct region *region)
{
	if (region->paradigm == PARADIGM_OPENMP)
		return region->role == ROLE_BARRIER || region->role == ROLE_IMPLICIT_BARRIER
			       ? OPERATION_OMP_BARRIER
			       : OPERATION_OTHER;
	switch (region->role) {
	case ROLE_BARRIER: return (enum operation)LOGICAL_BARRIER;
	case ROLE_ONE_TO_ALL: return (enum operation)LOGICAL_ONE_TO_N;
	case ROLE_ALL_TO_ONE: return (enum operation)LOGICAL_N_TO_ONE;
	case ROLE_ALL_TO_ALL: return (enum operation)LOGICAL_N_TO_N;
	default: return OPERATION_OTHER;
	}
}

/* "!$omp implicit barrier @file.c:12", where no role says so. */
static bool is_omp_barrier(const char *name)
{
	return strncmp(name, "!$omp", 5) == 0 && strstr(name, "barrier");
}

static enum operation operation_of_name(const char *bare)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(bare, names[i].name) == 0)
			return (enum operation)names[i].operation;
	return OPERATION_OTHER;
}

enum operation operation_of(const struct trace *trace, uint32_t region)
{
	const char *name = trace_region_name(trace, region);
	char bare[MPI_NAME_SIZE];

	if (mpi_name(name, bare))
		return operation_of_name(bare);
	return is_omp_barrier(name) ? OPERATION_OMP_BARRIER : by_role(trace_region(trace, region));
}

static enum logical_class class_of_operation(enum operation operation)
{
	return operation < (enum operation)LOGICAL_CLASSES ? (enum logical_class)operation
							   : LOGICAL_CLASSES;
}

enum logical_class logical_class_of(const struct trace *trace, uint32_t region)
{
	return class_of_operation(operation_of(trace, region));
}

enum logical_class logical_class_of_name(const char *bare)
{
	return class_of_operation(operation_of_name(bare));
}
