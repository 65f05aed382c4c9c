/* Ten barriers, and nothing else. Each rank prints the seconds that it was in main and outside of MPI, by its own
 * clock. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double seconds(void) __attribute__((no_instrument_function));

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	double outside = -seconds();

	outside += seconds();
	MPI_Init(&argc, &argv);
	outside -= seconds();
	for (int i = 0; i < 10; i++) {
		outside += seconds();
		MPI_Barrier(MPI_COMM_WORLD);
		outside -= seconds();
	}
	outside += seconds();
	MPI_Finalize();
	printf("outside %.9f\n", outside);
	return 0;
}
