/* All ranks call several functions. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

static void project(void)
{
	nap(1);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < 3; i++)
			smooth(0.7);
		project();
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
