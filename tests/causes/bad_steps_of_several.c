/* In steps 6, 17 and 31 one rank each has a hiccup of 60 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth((step == 5 && rank == 0) || (step == 16 && rank == 2) ||
				       (step == 30 && rank == 3)
			       ? 60
			       : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
