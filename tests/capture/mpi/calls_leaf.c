/* calls_leaf N: calls leaf() N times between two barriers. */
#include <mpi.h>
#include <stdlib.h>

void leaf(void);

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD);
	for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--)
		leaf();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
