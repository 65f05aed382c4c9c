/* Controls what is recorded of it: on two ranks, compiled with -finstrument-functions, each rank has
 *
 *	work		7	(3 more while functions are off; entered when on, left while off: outer)
 *	outer		1
 *	MPI_Barrier	3	(2 more while calls are off)
 *	MPI_Sendrecv	0	(1 while calls are off: its message is in the trace)
 *	part		2	(1 more while regions are off, 1 while others are chosen, 1 with level 4)
 *	chosen		1	(with numbers 7 and -3 at its begin, 8 and 0 at its end)
 *	load		counter: 1.5, 2.25
 *	pair[0], [1]	counters: 10, 20
 *
 * and the text "step 1 of 2"; MPI_Init and MPI_Finalize, though calls are off at the end. With "plain" it does the same without MPI. It prints what
 * tview_get_info() says, once at the start and once in the midst of it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <tview.h>

#define QUIET __attribute__((no_instrument_function))

static volatile double sum;

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 1000; i++)
		sum += i;
}

__attribute__((noinline)) static void outer(void)
{
	work();
	tview_level(TVIEW_FUNCTIONS, 0);
	work();
}

QUIET static void part(void)
{
	tview_begin("part");
	work();
	tview_end("part");
}

QUIET static void info(void)
{
	struct tview_info i;

	tview_get_info(&i);
	printf("%d %d%d%d %d %s\n", i.recording, i.level[TVIEW_CALLS], i.level[TVIEW_REGIONS],
	       i.level[TVIEW_FUNCTIONS], i.stopped, i.room ? "room" : "none");
}

QUIET static void exchange(int mpi)
{
	int rank, mine = 1, others;

	if (!mpi)
		return;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tview_level(TVIEW_CALLS, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Sendrecv(&mine, 4, MPI_BYTE, 1 - rank, 1, &others, 4, MPI_BYTE, 1 - rank, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	tview_level(TVIEW_CALLS, 1);
	MPI_Barrier(MPI_COMM_WORLD);
}

QUIET int main(int argc, char **argv)
{
	const char *names[] = { "chosen", "no other" };
	const int mpi = argc < 2 || strcmp(argv[1], "plain") != 0;

	if (mpi)
		MPI_Init(&argc, &argv);
	info();
	work();  /* 1 */
	outer(); /* 2; 1 of 3 is not recorded */
	work();  /* 2 of 3 */
	if (mpi)
		MPI_Barrier(MPI_COMM_WORLD);
	tview_level(TVIEW_FUNCTIONS, 1);
	part(); /* 3 */
	tview_level(TVIEW_REGIONS, 0);
	part(); /* 4 */
	info();
	tview_level(TVIEW_REGIONS, 1);
	tview_regions(2, names);
	part(); /* 5 */
	tview_begin_at("chosen", 7, -3);
	tview_end_at("chosen", 8, 0);
	tview_regions(-1, NULL);
	exchange(mpi);
	tview_data("load", 1, (double[]){ 1.5 });
	tview_data("pair", 2, (double[]){ 10, 20 });
	tview_message("step 1 of 2");
	tview_data("load", 1, (double[]){ 2.25 });
	tview_flush();
	if (mpi)
		MPI_Pcontrol(4);
	else
		tview_level(TVIEW_REGIONS, 0), tview_level(TVIEW_FUNCTIONS, 0);
	part(); /* 3 of 3 */
	if (mpi) {
		MPI_Pcontrol(1);
		MPI_Pcontrol(2);
		MPI_Barrier(MPI_COMM_WORLD);
	} else {
		tview_level(TVIEW_REGIONS, 1), tview_level(TVIEW_FUNCTIONS, 1);
	}
	part();                      /* 6 */
	work();                      /* 7 */
	tview_level(TVIEW_CALLS, 0); /* starting and ending are recorded always */
	if (mpi)
		MPI_Finalize();
	return 0;
}
