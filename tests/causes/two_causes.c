/* Two phases: rank 1 is slow by 4 ms in smooth(), rank 3 by 2 ms in project(). */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void project(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 1 ? 5 : 1);
		REDUCE();
		project(rank == 3 ? 3 : 1);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
