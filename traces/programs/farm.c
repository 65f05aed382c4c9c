/* farm: a master hands out tasks of uneven length to whoever is free, and receives from MPI_ANY_SOURCE.
 *
 * To see: wildcard receives, whose sender only the completion tells; workers that are never idle for long although tasks
 * differ by a factor of eight; the master as the point that all wait for at start and end. User regions by tview.h.
 *
 *	mpiexec -n 4 farm [tasks=40] [work=10000] */
#include <tview.h>

#include "tally.h"

enum { TAG_TASK = 1, TAG_RESULT = 2, TAG_STOP = 3 };

static volatile double sink;

static long solve(long task, long work)
{
	double x = 1;

	for (long i = 0; i < work * (1 + task % 8); i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
	return task * task;
}

static void hand_out(long task, int to, int tag)
{
	MPI_Send(&task, 1, MPI_LONG, to, tag, MPI_COMM_WORLD);
	tally_sent(to, tag, (long)sizeof task);
}

static void master(int size, long tasks)
{
	long next = 0, result, sum = 0;
	int busy = 0;
	MPI_Status status;

	tview_begin("hand out");
	for (int worker = 1; worker < size; worker++) {
		hand_out(next, worker, next < tasks ? TAG_TASK : TAG_STOP);
		busy += next < tasks;
		next++;
	}
	tview_end("hand out");
	while (busy > 0) {
		MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
			 &status);
		tally_received(status.MPI_SOURCE, status.MPI_TAG, (long)sizeof result);
		sum += result;
		hand_out(next, status.MPI_SOURCE, next < tasks ? TAG_TASK : TAG_STOP);
		busy -= next >= tasks;
		next++;
	}
	tview_mark("all done");
	printf("sum of squares below %ld is %ld\n", tasks, sum);
}

static void worker(long work)
{
	MPI_Status status;
	long task, result;

	for (;;) {
		MPI_Recv(&task, 1, MPI_LONG, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		tally_received(0, status.MPI_TAG, (long)sizeof task);
		if (status.MPI_TAG == TAG_STOP)
			break;
		tview_begin("task");
		result = solve(task, work);
		tview_end("task");
		MPI_Send(&result, 1, MPI_LONG, 0, TAG_RESULT, MPI_COMM_WORLD);
		tally_sent(0, TAG_RESULT, (long)sizeof result);
	}
}

int main(int argc, char **argv)
{
	const long tasks = argc > 1 ? atol(argv[1]) : 40;
	const long work = argc > 2 ? atol(argv[2]) : 10000;
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	if (rank == 0)
		master(size, tasks);
	else
		worker(work);
	tally_end("farm", rank);
	MPI_Finalize();
	return 0;
}
