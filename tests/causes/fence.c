/* One-sided communication; rank 1 is slow before the fence. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	int memory[4] = { 0 };
	MPI_Win window;
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
		       &window);
	MPI_Win_fence(0, window);
	for (int step = 0; step < STEPS; step++) {
		smooth(rank == 1 ? 5 : 2);
		MPI_Put(&step, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
		MPI_Win_fence(0, window);
	}
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
