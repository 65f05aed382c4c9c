/* An error handler leaves MPI_Send, to a rank that is not there, by longjmp(); three barriers follow. */
#include <mpi.h>
#include <setjmp.h>
static jmp_buf before;
static void leave(MPI_Comm *comm, int *error, ...)
{
	(void)comm;
	longjmp(before, *error);
}
int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	int n = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(leave, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	if (setjmp(before) == 0)
		MPI_Send(&n, 1, MPI_INT, 99, 1, MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
