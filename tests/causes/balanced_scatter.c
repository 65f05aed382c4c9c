/* Work that varies by 5 % by chance, on all ranks alike. */
#include "case.h"

static void smooth(double ms)
{
	nap(ms);
}

int main(void)
{
	BEGIN();
	for (int step = 0; step < STEPS; step++) {
		const unsigned chance =
			((unsigned)(step * ranks + rank) * 2654435761u >> 16) % 1000u;
		smooth(3 + 0.15 * chance / 1000);
		REDUCE();
	}
	MPI_Finalize();
	return 0;
}
