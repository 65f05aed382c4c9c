/* one-sided: rank 1 comes 250 ms late to a fence, to a post, to the complete of an epoch, and holds a lock for as long; the
 * rest counts operations and bytes. */
#include <mpi.h>
static void work(double seconds)
{
	const double end = MPI_Wtime() + seconds;
	while (MPI_Wtime() < end)
		;
}
static int rank, other, from[8], to[8];
static MPI_Group partner;
static void fences(void)
{
	int *memory;
	MPI_Win win;
	MPI_Win_allocate(sizeof from, sizeof *from, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_set_name(win, "fenced");
	MPI_Win_fence(0, win);
	MPI_Put(from, 1, MPI_INT, other, 0, 1, MPI_INT, win); /* what makes the connection */
	MPI_Win_fence(0, win);
	MPI_Put(from, 4, MPI_INT, other, 0, 4, MPI_INT, win);
	MPI_Get(to, 2, MPI_INT, other, 4, 2, MPI_INT, win);
	if (rank == 1)
		work(0.25);
	MPI_Win_fence(0, win);
	MPI_Accumulate(from, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Put(from, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
}
/* Rank 1 posts late; then it completes late. The window's ranks are the other way round: that of the other is mine. */
static void epochs(MPI_Win win)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_start(partner, 0, win);
		MPI_Put(from, 8, MPI_INT, rank, 0, 8, MPI_INT, win);
		MPI_Win_complete(win);
		MPI_Win_post(partner, 0, win);
		MPI_Win_wait(win);
	} else {
		work(0.25);
		MPI_Win_post(partner, 0, win);
		MPI_Win_wait(win);
		MPI_Win_start(partner, 0, win);
		MPI_Put(from, 8, MPI_INT, rank, 0, 8, MPI_INT, win);
		work(0.25);
		MPI_Win_complete(win);
	}
}
/* Both want the memory of rank 1, which is 0 in the window: rank 0 when rank 1 has it. */
static void locks(MPI_Win win)
{
	MPI_Request r[2];
	int old, one = 1;
	if (rank == 0)
		MPI_Recv(&old, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Put(from, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	if (rank == 1) {
		MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		work(0.25);
	}
	MPI_Win_unlock(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Rput(from, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &r[0]);
	MPI_Rget(to, 3, MPI_INT, rank, 0, 3, MPI_INT, win, &r[1]);
	for (int done = 0; !done;)
		MPI_Test(&r[1], &done, MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Fetch_and_op(&one, &old, MPI_INT, rank, 0, MPI_SUM, win);
	MPI_Compare_and_swap(&one, &old, to, MPI_INT, rank, 1, win);
	MPI_Get_accumulate(from, 0, MPI_INT, to, 2, MPI_INT, rank, 0, 2, MPI_INT, MPI_NO_OP, win);
	MPI_Win_flush_local(rank, win);
	MPI_Win_unlock_all(win);
}
int main(int argc, char **argv)
{
	int memory[8];
	MPI_Group world;
	MPI_Comm round;
	MPI_Win win;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &other, &partner);
	fences();
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &round);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, round, &win);
	MPI_Comm_free(&round);
	epochs(win);
	locks(win);
	MPI_Win_free(&win);
	MPI_Group_free(&partner);
	MPI_Group_free(&world);
	MPI_Finalize();
	return 0;
}
