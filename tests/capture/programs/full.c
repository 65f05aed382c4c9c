/* full: more records than there is room for.
 *
 *	full ROUNDS VISITS	each of the ranks, two or more: in each round VISITS visits of step(), and a
 *				message to each neighbour on a ring
 *	full ROUNDS VISITS killed	the same, and they are killed in the end */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static long sum;

__attribute__((noinline)) static void step(long i)
{
	sum += i;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	const long rounds = argc > 2 ? atol(argv[1]) : 0, visits = argc > 2 ? atol(argv[2]) : 0;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (long i = 0; i < rounds; i++) {
		long got;
		for (long k = 0; k < visits; k++)
			step(k);
		MPI_Sendrecv(&i, 1, MPI_LONG, (rank + 1) % size, 7, &got, 1, MPI_LONG,
			     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (got != i)
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	if (argc > 3)
		raise(SIGKILL);
	MPI_Finalize();
	return 0;
}
