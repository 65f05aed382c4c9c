#include "patterns/region_metric.h"

enum cube_metric region_metric(const struct trace *trace, uint32_t region)
{
	switch ((enum region_class)trace_region(trace, region)->cls) {
	case CLASS_P2P: return CUBE_MPI_POINT2POINT;
	case CLASS_COLLECTIVE: return CUBE_MPI_COLLECTIVE;
	case CLASS_SYNC: return CUBE_MPI_SYNC_COLLECTIVE;
	case CLASS_IO: return CUBE_MPI_IO_INDIVIDUAL;
	case CLASS_MPI_OTHER: return CUBE_MPI;
	case CLASS_OVERHEAD: return CUBE_OVERHEAD;
	case CLASS_USER:
	case CLASS_OUTSIDE:
	case CLASS_COUNT: break;
	}
	return CUBE_COMP;
}

enum call_kind region_call(const struct trace *trace, uint32_t region)
{
	return trace_region(trace, region)->cls == CLASS_P2P ? CALL_RECV : CALL_OTHER;
}
