/* outer() calls inner() 6 times on rank 1, twice on the others. */
#include "case.h"

static void inner(void)
{
	nap(1);
}

static void outer(int n)
{
	for (int i = 0; i < n; i++)
		inner();
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		outer(rank == 1 ? 6 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
