/* All ranks do the same, in functions that call others. */
#include "case.h"

static void inner(void)
{
	nap(0.7);
}

static void outer(void)
{
	inner();
	inner();
	inner();
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		outer();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
