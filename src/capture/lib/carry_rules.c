/* Which ranks the end of a collective depends on. */
#include "capture/lib/carry.h"

/* The cases of a collective and of its form for large counts. */
#define BOTH(name) CALL_##name : case CALL_##name##_c

bool tv_carry_all(uint32_t call)
{
	switch (call) {
	case BOTH(Allgather):
	case BOTH(Allgatherv):
	case BOTH(Alltoall):
	case BOTH(Alltoallv):
	case BOTH(Alltoallw):
	case BOTH(Allreduce):
	case BOTH(Reduce_scatter):
	case BOTH(Reduce_scatter_block): return true;
	default: return false;
	}
}

enum virtual_rule tv_carry_rule(uint32_t call)
{
	switch (call) {
	case BOTH(Bcast):
	case BOTH(Scatter):
	case BOTH(Scatterv): return VIRTUAL_FROM_ROOT;
	case BOTH(Reduce):
	case BOTH(Gather):
	case BOTH(Gatherv): return VIRTUAL_TO_ROOT;
	case BOTH(Scan):
	case BOTH(Exscan): return VIRTUAL_BELOW;
	case BOTH(Neighbor_allgather):
	case BOTH(Neighbor_allgatherv):
	case BOTH(Neighbor_alltoall):
	case BOTH(Neighbor_alltoallv):
	case BOTH(Neighbor_alltoallw): return VIRTUAL_NEIGHBOURS;
	default: return VIRTUAL_ALL;
	}
}
