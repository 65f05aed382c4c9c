#include "patterns/severity/region_metric.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/trace/region_meaning.h"

enum cube_metric region_metric(const struct trace *trace, uint32_t region)
{
	static const enum cube_metric metrics[FAMILY_COUNT] = {
#define X(...)
#define OF_FAMILY(id, name, parent, family, title, text) [FAMILY_##family] = CUBE_##id,
#include "patterns/severity/cube_metric.def"
#undef X
		[FAMILY_DEVICE_WAIT] = CUBE_EXECUTION,
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

bool region_is_of_ends(const struct trace *trace, uint32_t region)
{
	const enum call_kind call = region_call(trace, region);

	return call == CALL_INIT || call == CALL_FINALIZE ||
	       trace_region(trace, region)->cls == CLASS_OVERHEAD;
}

bool region_is_parallel(const struct trace *trace, uint32_t region)
{
	const struct region *r = trace_region(trace, region);

	return (r->paradigm == PARADIGM_OPENMP && r->role == REGION_ROLE_PARALLEL) ||
	       strncmp(trace_region_name(trace, region), "!$omp parallel", 14) == 0;
}

uint8_t *region_metric_by_path(const struct trace *trace)
{
	const uint32_t n = trace_callpath_count(trace), regions = trace_region_count(trace);
	uint8_t *of_region = xmalloc(regions + 1), *of_path = xmalloc(n + 1);

	for (uint32_t r = 0; r < regions; r++)
		of_region[r] = (uint8_t)region_metric(trace, r);
	of_path[0] = CUBE_COMP;
	for (uint32_t p = 1; p < n; p++)
		of_path[p] = of_region[trace_callpath_region(trace, p)];
	free(of_region);
	return of_path;
}
