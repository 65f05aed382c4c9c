/* Not compiled for recording: main calls first() 3 times and second() twice; both call shared(), which calls
 * MPI_Barrier once; second() also calls MPI_Comm_rank. */
#include <mpi.h>

static volatile int sum;

__attribute__((noinline)) static void shared(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	sum = sum + 1;
}

__attribute__((noinline)) static void first(void)
{
	shared();
	sum = sum + 1;
}

__attribute__((noinline)) static void second(void)
{
	int rank;

	shared();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	sum = sum + rank;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 3; i++)
		first();
	for (int i = 0; i < 2; i++)
		second();
	MPI_Finalize();
	return 0;
}
