/* named_alike: a region of the user has the name of the function of MPI that is called in it, before and after the function is
 * known; rank 1 comes 50 ms late. */
#include <mpi.h>
#include <tview.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, x = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 2; i++) {
		tview_begin("MPI_Bcast");
		if (rank == 1)
			usleep(50000);
		MPI_Bcast(&x, 1, MPI_INT, 1, MPI_COMM_WORLD);
		tview_end("MPI_Bcast");
	}
	MPI_Finalize();
	return 0;
}
