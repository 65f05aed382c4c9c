/* OpenMP in all its constructs, counted: five regions of three threads and one of two. In the first
 * one the threads work 1, 21 and 41 ms before they meet at its end; printed is how many ms by its
 * own clock each one is ahead of the last. Argument: more to do, "task" or "nested". */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static int sums[3];
static double ends[3];

static void all(int round)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < 6; i++)
#pragma omp atomic
			sums[0] += i;
#pragma omp barrier
#pragma omp critical
		sums[1]++;
#pragma omp critical(named)
		sums[2]++;
#pragma omp single
		sums[0]++;
#pragma omp taskwait
		if (round == 0) {
			sleep_ms(1 + 20 * omp_get_thread_num());
			ends[omp_get_thread_num()] = omp_get_wtime();
		}
	}
}

static void tasks(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	for (int i = 0; i < 12; i++)
#pragma omp task firstprivate(i)
		sleep_ms(i % 2);
}

static void nested(void)
{
	omp_set_max_active_levels(2);
	for (int i = 0; i < 4; i++)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
		sleep_ms(1);
}

int main(int argc, char **argv)
{
	omp_lock_t lock;
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	for (int i = 0; i < 5; i++)
		all(i);
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
	if (argc > 1 && strcmp(argv[1], "task") == 0)
		tasks();
	if (argc > 1 && strcmp(argv[1], "nested") == 0)
		nested();
	for (int i = 0; i < 3; i++)
		printf("%.3f\n", (ends[2] - ends[i]) * 1000);
	MPI_Finalize();
	return sums[0] != 5 * 15 + 5 || sums[1] != 15 || sums[2] != 15;
}
