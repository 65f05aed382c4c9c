/* only_asks: calls that ask, and a barrier: all of what it does is recorded. */
#include <mpi.h>

int main(int argc, char **argv)
{
	int flag, major, minor, length;
	char name[MPI_MAX_PROCESSOR_NAME];
	double from;

	MPI_Initialized(&flag);
	MPI_Init(&argc, &argv);
	from = MPI_Wtime();
	for (int i = 0; i < 1000; i++)
		from += MPI_Wtime() + MPI_Wtick();
	MPI_Get_version(&major, &minor);
	MPI_Get_processor_name(name, &length);
	MPI_Finalized(&flag);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return from > 0 ? 0 : 1;
}
