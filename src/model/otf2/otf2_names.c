#include "model/otf2/otf2_names.h"

#include <ctype.h>
#include <string.h>

#include <otf2/otf2.h>

/* Checks that the model's numbers are libotf2's. */
#define SAME(ours, theirs)               _Static_assert((int)(ours) == (int)(theirs), #theirs);
#define ROLE(role, number, word)         SAME(REGION_ROLE_##role, OTF2_REGION_ROLE_##word)
#define PARADIGM(paradigm, number, word) SAME(PARADIGM_##paradigm, OTF2_PARADIGM_##word)
#include "model/meaning/recorded.def"

uint8_t otf2_send_mode(const char *name)
{
	char mpi[MPI_NAME_SIZE];
	const char *word = mpi + 4;

	if (!mpi_standard_name(name, mpi))
		return 0;
	if (word[0] == 'I')
		word++;
	if (strncmp(word + 1, "send", 4) != 0)
		return 0;
	switch (tolower((unsigned char)word[0])) {
	case 'b': return 1;
	case 's': return 2;
	case 'r': return 3;
	default: return 0;
	}
}

const char *otf2_collective_name(unsigned operation)
{
	static const char *const names[] = {
		[OTF2_COLLECTIVE_OP_BARRIER] = "MPI_Barrier",
		[OTF2_COLLECTIVE_OP_BCAST] = "MPI_Bcast",
		[OTF2_COLLECTIVE_OP_GATHER] = "MPI_Gather",
		[OTF2_COLLECTIVE_OP_GATHERV] = "MPI_Gatherv",
		[OTF2_COLLECTIVE_OP_SCATTER] = "MPI_Scatter",
		[OTF2_COLLECTIVE_OP_SCATTERV] = "MPI_Scatterv",
		[OTF2_COLLECTIVE_OP_ALLGATHER] = "MPI_Allgather",
		[OTF2_COLLECTIVE_OP_ALLGATHERV] = "MPI_Allgatherv",
		[OTF2_COLLECTIVE_OP_ALLTOALL] = "MPI_Alltoall",
		[OTF2_COLLECTIVE_OP_ALLTOALLV] = "MPI_Alltoallv",
		[OTF2_COLLECTIVE_OP_ALLTOALLW] = "MPI_Alltoallw",
		[OTF2_COLLECTIVE_OP_ALLREDUCE] = "MPI_Allreduce",
		[OTF2_COLLECTIVE_OP_REDUCE] = "MPI_Reduce",
		[OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = "MPI_Reduce_scatter",
		[OTF2_COLLECTIVE_OP_SCAN] = "MPI_Scan",
		[OTF2_COLLECTIVE_OP_EXSCAN] = "MPI_Exscan",
		[OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
	};

	return operation < sizeof names / sizeof *names ? names[operation] : NULL;
}

/* OTF2's number of each mode: the sort (0 accumulated, 1 absolute, 2 relative) and, in the upper
 * half of the byte, the timing (0 start, 1 point, 2 last, 3 next). */
const OTF2_MetricMode otf2_metric_modes[] = {
	[METRIC_ACCUMULATED_START] = OTF2_METRIC_ACCUMULATED_START,
	[METRIC_ACCUMULATED_POINT] = OTF2_METRIC_ACCUMULATED_POINT,
	[METRIC_ACCUMULATED_LAST] = OTF2_METRIC_ACCUMULATED_LAST,
	[METRIC_ACCUMULATED_NEXT] = OTF2_METRIC_ACCUMULATED_NEXT,
	[METRIC_ABSOLUTE_POINT] = OTF2_METRIC_ABSOLUTE_POINT,
	[METRIC_ABSOLUTE_LAST] = OTF2_METRIC_ABSOLUTE_LAST,
	[METRIC_ABSOLUTE_NEXT] = OTF2_METRIC_ABSOLUTE_NEXT,
	[METRIC_RELATIVE_POINT] = OTF2_METRIC_RELATIVE_POINT,
	[METRIC_RELATIVE_LAST] = OTF2_METRIC_RELATIVE_LAST,
	[METRIC_RELATIVE_NEXT] = OTF2_METRIC_RELATIVE_NEXT,
};
