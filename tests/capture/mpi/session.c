/* A session alone: two ranks never call MPI_Init; 2 reductions, to the second of which rank 1 comes 50 ms late. */
#include <mpi.h>
#include <time.h>
int main(void)
{
	int rank, one = 1, sum = 0;
	MPI_Session session;
	MPI_Group world;
	MPI_Comm comm;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
	MPI_Group_rank(world, &rank);
	MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
	for (int i = 0; i < 2; i++) {
		if (i && rank == 1)
			nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
	}
	MPI_Comm_free(&comm);
	MPI_Group_free(&world);
	MPI_Session_finalize(&session);
	return sum != 2;
}
