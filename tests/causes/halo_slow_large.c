/* A halo exchange of 256 kB; smooth() takes 5 ms on rank 1, else 2 ms. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 1 ? 5 : 2);
		halo(HALO_MOST);
	}
	MPI_Finalize();
	return 0;
}
