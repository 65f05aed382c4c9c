/* In each step another rank, in no order, takes 6 ms in smooth() instead of 2. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		const unsigned who = (unsigned)(step + 7) * 2654435761u >> 13;
		smooth(who % (unsigned)ranks == (unsigned)rank ? 6 : 2);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
