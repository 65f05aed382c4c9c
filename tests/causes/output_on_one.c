/* Rank 0 writes a file in each step. */
#include "case.h"

#include <stdio.h>

static void smooth(double ms)
{
	nap(ms);
}

static void output(FILE *file)
{
	for (int i = 0; i < 100; i++)
		fprintf(file, "%d\n", i);
	fflush(file);
	nap(4);
}

int main(void)
{
	BEGIN();
	FILE *file = tmpfile();
	for (int step = 0; step < STEPS; step++) {
		smooth(2);
		if (rank == 0 && file)
			output(file);
		REDUCE();
	}
	if (file)
		fclose(file);
	MPI_Finalize();
	return 0;
}
