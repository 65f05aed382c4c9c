/* Ranks call functions of different names that take as long. */
#include "case.h"

static void even(void)
{
	nap(2);
}

static void odd(void)
{
	nap(2);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		if (rank % 2)
			odd();
		else
			even();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
