#include "harness/sample_trace.h"

#include "harness/notation.h"

struct trace *sample_trace(int ranks, int steps)
{
	enum { US = 1000, MS = 1000 * US };
	struct notation n;

	notation_begin(&n, 1000000000);
	notation_write(&n, "region MPI_Allreduce class collective; ranks %d", ranks);
	for (int r = 0; r < ranks; r++) {
		const int late = r * 10 * US;
		notation_write(&n, "rank %d: main@%d", r, late);
		for (int s = 0; s < steps; s++)
			notation_write(&n,
				       "rank %d: compute@%d-+600000\n"
				       "  MPI_Send@+0-+50000 ->%d tag 7 1024B\n"
				       "  MPI_Recv@+0-+150000 <-%d tag 7 1024B\n"
				       "  MPI_Allreduce@+0-+200000 all 8B",
				       r, late + s * MS, (r + 1) % ranks, (r + ranks - 1) % ranks);
		notation_write(&n, "rank %d: leave main @%d", r, late + steps * MS);
	}
	return notation_finish(&n);
}
