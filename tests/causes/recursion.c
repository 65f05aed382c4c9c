/* solve() calls itself: 6 levels deep on rank 2, 2 on the others. */
#include "case.h"

static void solve(int depth)
{
	nap(1);
	if (depth > 1)
		solve(depth - 1);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		solve(rank == 2 ? 6 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
