// Compiled without -g: calls of MPI in three functions, as often as the test says.
#include <mpi.h>

namespace halo {
struct Grid {
	__attribute__((noinline)) void exchange(int times);
};
void Grid::exchange(int times)
{
	for (int i = 0; i < times; i++) {
		int got = 0;
		MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
}
} // namespace halo

extern "C" __attribute__((noinline)) void sum_up(int times)
{
	for (int i = 0; i < times; i++) {
		int got = 0;
		MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	halo::Grid grid;

	MPI_Init(&argc, &argv);
	grid.exchange(7);
	sum_up(11);
	MPI_Finalize();
}
