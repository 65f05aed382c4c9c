/* Ranks that work at the same time, on one core, and say how long they waited for it: rank, nanoseconds. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long long waited(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	long long run = 0, wait = 0;

	if (!file || fscanf(file, "%lld %lld", &run, &wait) != 2)
		wait = -1;
	if (file)
		fclose(file);
	return wait;
}

/* Milliseconds of CPU time. */
static void spin(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 2000000 };
	long long before, after;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	/* The kernel is asked when a millisecond has gone by. */
	nanosleep(&pause, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	before = waited();
	spin(60);
	after = waited();
	MPI_Barrier(MPI_COMM_WORLD);
	printf("%d %lld\n", rank, after - before);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
