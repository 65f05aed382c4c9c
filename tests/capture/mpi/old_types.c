/* On each rank one type by each of the three constructors that MPI-3 removed, which libraries still have and make by
 * their successors, and one by a successor. */
#include <mpi.h>

int old_hindexed(int, int *, MPI_Aint *, MPI_Datatype, MPI_Datatype *) __asm__("MPI_Type_hindexed");
int old_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *) __asm__("MPI_Type_hvector");
int old_struct(int, int *, MPI_Aint *, MPI_Datatype *, MPI_Datatype *) __asm__("MPI_Type_struct");

int main(int argc, char **argv)
{
	MPI_Datatype made[4], of = MPI_INT;
	MPI_Aint at = 8;
	int length = 1;

	MPI_Init(&argc, &argv);
	old_hindexed(1, &length, &at, MPI_INT, &made[0]);
	old_hvector(2, 1, 16, MPI_INT, &made[1]);
	old_struct(1, &length, &at, &of, &made[2]);
	MPI_Type_create_hvector(2, 1, 16, MPI_INT, &made[3]);
	for (int i = 0; i < 4; i++)
		MPI_Type_free(&made[i]);
	MPI_Finalize();
	return 0;
}
