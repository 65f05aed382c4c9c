#include "patterns/severity/region_metric.h"

#include <string.h>

#include "model/trace/region_meaning.h"

enum cube_metric region_metric(const struct trace *trace, uint32_t region)
{
	static const enum cube_metric metrics[FAMILY_COUNT] = {
		[FAMILY_COMPUTATION] = CUBE_COMP,
		[FAMILY_IDLE] = CUBE_EXECUTION,
		[FAMILY_OVERHEAD] = CUBE_OVERHEAD,
		[FAMILY_DEVICE_WAIT] = CUBE_EXECUTION,
		[FAMILY_MPI] = CUBE_MPI,
		[FAMILY_START_END] = CUBE_MPI_INIT_EXIT,
		[FAMILY_COMMUNICATOR] = CUBE_MPI_MGMT_COMM,
		[FAMILY_WINDOW] = CUBE_MPI_MGMT_WIN,
		[FAMILY_FILE] = CUBE_MPI_MGMT_FILE,
		[FAMILY_BARRIER] = CUBE_MPI_SYNC_COLLECTIVE,
		[FAMILY_RMA_ACTIVE] = CUBE_MPI_RMA_SYNC_ACTIVE,
		[FAMILY_RMA_PASSIVE] = CUBE_MPI_RMA_SYNC_PASSIVE,
		[FAMILY_RMA] = CUBE_MPI_RMA_COMMUNICATION,
		[FAMILY_POINT_TO_POINT] = CUBE_MPI_POINT2POINT,
		[FAMILY_COLLECTIVE] = CUBE_MPI_COLLECTIVE,
		[FAMILY_FILE_INDIVIDUAL] = CUBE_MPI_IO_INDIVIDUAL,
		[FAMILY_FILE_COLLECTIVE] = CUBE_MPI_IO_COLLECTIVE,
		[FAMILY_OMP] = CUBE_OMP_TIME,
		[FAMILY_OMP_MANAGEMENT] = CUBE_OMP_MANAGEMENT,
		[FAMILY_OMP_BARRIER] = CUBE_OMP_EBARRIER,
		[FAMILY_OMP_IMPLICIT_BARRIER] = CUBE_OMP_IBARRIER,
		[FAMILY_OMP_CRITICAL] = CUBE_OMP_CRITICAL,
		[FAMILY_OMP_LOCK] = CUBE_OMP_LOCK_API,
		[FAMILY_OMP_ORDERED] = CUBE_OMP_ORDERED,
		[FAMILY_OMP_TASK_WAIT] = CUBE_OMP_TASKWAIT,
		[FAMILY_OMP_FLUSH] = CUBE_OMP_FLUSH,
		[FAMILY_PTHREAD] = CUBE_PTHREAD_TIME,
		[FAMILY_PTHREAD_MANAGEMENT] = CUBE_PTHREAD_MANAGEMENT,
		[FAMILY_PTHREAD_MUTEX] = CUBE_PTHREAD_LOCK_API,
		[FAMILY_PTHREAD_CONDITION] = CUBE_PTHREAD_CONDITIONAL,
	};

	return metrics[region_meaning(trace, region).family];
}

enum call_kind region_call(const struct trace *trace, uint32_t region)
{
	return region_meaning(trace, region).call;
}

enum cube_metric region_counter(const struct trace *trace, uint32_t region)
{
	const struct meaning m = region_meaning(trace, region);
	const bool writes = m.operation == OPERATION_WRITE;

	switch (m.family) {
	case FAMILY_RMA_ACTIVE: return CUBE_SYNCS_RMA_ACTIVE;
	case FAMILY_RMA_PASSIVE: return CUBE_SYNCS_RMA_PASSIVE;
	case FAMILY_RMA:
		return m.operation == OPERATION_PUT      ? CUBE_COMMS_RMA_PUTS
		       : m.operation == OPERATION_GET    ? CUBE_COMMS_RMA_GETS
		       : m.operation == OPERATION_ATOMIC ? CUBE_COMMS_RMA_ATOMICS
							 : CUBE_NONE;
	case FAMILY_FILE_INDIVIDUAL:
		if (m.operation == OPERATION_PLAIN)
			return CUBE_NONE;
		return writes ? CUBE_MPI_FILE_IWOPS : CUBE_MPI_FILE_IROPS;
	case FAMILY_FILE_COLLECTIVE: return writes ? CUBE_MPI_FILE_CWOPS : CUBE_MPI_FILE_CROPS;
	default: return CUBE_NONE;
	}
}

bool region_is_parallel(const struct trace *trace, uint32_t region)
{
	const struct region *r = trace_region(trace, region);

	return (r->paradigm == PARADIGM_OPENMP && r->role == REGION_ROLE_PARALLEL) ||
	       strncmp(trace_region_name(trace, region), "!$omp parallel", 14) == 0;
}
