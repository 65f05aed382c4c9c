/* One procedure that is called ten million times and does next to nothing, and one that computes: which of them is the
 * hottest must not depend on the measurement. Prints the time and the CPU time of both together. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static volatile uint64_t sum;

static __attribute__((noinline)) void leaf(uint64_t i)
{
	sum += i;
}

static __attribute__((noinline)) void many(long n)
{
	for (long i = 0; i < n; i++)
		leaf((uint64_t)i);
}

static __attribute__((noinline)) double hot(long n)
{
	double s = 1;

	for (long i = 0; i < n; i++)
		s = s * 0.999 + 1.0 / (double)(i + 1);
	return s;
}

static double cpu(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	double wall, used, result;

	MPI_Init(&argc, &argv);
	wall = MPI_Wtime();
	used = cpu();
	many(10000000);
	result = hot(60000000);
	used = cpu() - used;
	printf("wall %.3f cpu %.3f result %.3g\n", MPI_Wtime() - wall, used, result);
	MPI_Finalize();
	return 0;
}
