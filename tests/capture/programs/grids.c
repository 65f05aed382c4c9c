/* grids: topologies by hand (tview.h). With "right": a torus of 2 x 3 x 1, a row in which two ranks share a place and a
 * third one is on none, and one without a name. With "wrong": every way to get it wrong, and one that is right, all by
 * rank 1 (whoever a number behind it says). */
#include <string.h>
#include <tview.h>

#include "tally.h"

static int rank;

static void right(void)
{
	const int torus[] = { 2, 3, 1 }, rings[] = { 0, 1, 0 }, row[] = { 5 };
	const int eight[] = { 1, 1, 1, 1, 1, 1, 1, 4 }, at[] = { 0, 0, 0, 0, 0, 0, 0, 3 - rank };
	char name[] = "torus";

	if (rank == 0)
		tview_topology(name, 3, torus, rings);
	tview_coords(name, 3, (const int[]){ rank % 2, rank / 2 + 1, 0 });
	memset(name, 'x', sizeof name - 1); /* copied, as tview.h promises */
	if (rank == 2)
		tview_topology("row", 1, row, NULL);
	if (rank < 3)
		tview_coords("row", 1, (const int[]){ rank ? 4 : 1 });
	tview_topology(NULL, 8, eight, NULL); /* all say it, and the same */
	tview_coords(NULL, 8, at);
}

static void wrong(void)
{
	if (rank != 1)
		return;
	tview_topology("none", 0, (const int[]){ 1 }, NULL);
	tview_topology("many", 9, (const int[]){ 1, 1, 1, 1, 1, 1, 1, 1, 1 }, NULL);
	tview_topology("least", -2147483647 - 1, (const int[]){ 1 }, NULL);
	tview_topology("no sizes", 2, NULL, NULL);
	tview_topology("empty", 2, (const int[]){ 3, 0 }, NULL);
	tview_topology("square", 2, (const int[]){ 2, 2 }, NULL);
	tview_topology("square", 2, (const int[]){ 2, 3 }, NULL);
	tview_coords("nobody's", 1, (const int[]){ 0 });
	tview_coords("square", 3, (const int[]){ 0, 0, 0 });
	tview_coords("square", 2, NULL);
	tview_coords("square", 2, (const int[]){ 0, 2 });
	tview_coords("square", 2, (const int[]){ -1, 0 });
	tview_coords("square", 2, (const int[]){ 1, 0 });
	tview_coords("square", 2, (const int[]){ 1, 0 }); /* the same again is no mistake */
	tview_coords("square", 2, (const int[]){ 1, 1 });
}

int main(int argc, char **argv)
{
	/* Before MPI_Init: the launcher says who we are, or the command line. */
	rank = argc > 2 ? atoi(argv[2]) : atoi(getenv("PMI_RANK") ? getenv("PMI_RANK") : "0");
	if (argc > 1 && !strcmp(argv[1], "wrong"))
		wrong();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 2 || strcmp(argv[1], "wrong") != 0)
		right();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
