/* triggered: a job that goes on until a trace of it is there (tvrun --trigger, tview_trigger()).
 *
 *	triggered FILE KIND	until FILE is there, in what KIND says:
 * call: rank 1 calls tview_trigger() three times, then all are in await().
 * region: rank 1 is in the region "long wait" inside of await().
 * loops: all are in await(), each look of rank 0 for the file in a region "look" of its own.
 * After that all meet in MPI_Barrier, and rank 1 visits after(). */
#include <mpi.h>
#include <string.h>
#include <tview.h>
#include <unistd.h>

static int looks;

__attribute__((noinline)) static void await(const char *file, const char *kind, int rank)
{
	const int region = strcmp(kind, "region") == 0 && rank == 1;
	const int look = strcmp(kind, "loops") == 0 && rank == 0;

	if (region)
		tview_begin("long wait");
	while (access(file, F_OK) != 0) {
		if (look)
			tview_begin("look");
		usleep(20000);
		if (look)
			tview_end("look");
		looks++;
	}
	if (region)
		tview_end("long wait");
}

__attribute__((noinline)) static void after(void)
{
	looks = 0;
}

int main(int argc, char **argv)
{
	int rank;

	if (argc < 3)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 3 && rank == 1 && strcmp(argv[2], "call") == 0; i++)
		tview_trigger();
	await(argv[1], argv[2], rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		after();
	MPI_Finalize();
	return 0;
}
