/* One of three threads switches kinds of events, between barriers: of six phases, in which each
 * thread has 100 visits of work, regions "part" and calls of MPI_Sendrecv, one is without calls, one
 * without functions and one without regions. All messages are recorded. */
#include <mpi.h>
#include <pthread.h>
#include <tview.h>

enum { THREADS = 3, PHASES = 6, TIMES = 100 };

#define QUIET __attribute__((no_instrument_function))

static pthread_barrier_t barrier;
static _Thread_local volatile double sum;

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 100; i++)
		sum += i;
}

QUIET static void change(int phase)
{
	switch (phase) {
	case 1: tview_level(TVIEW_CALLS, 0); break;
	case 2: tview_level(TVIEW_CALLS, 1); break;
	case 3: tview_level(TVIEW_FUNCTIONS, 0); break;
	case 4: tview_level(TVIEW_FUNCTIONS, 1); break;
	case 5: tview_level(TVIEW_REGIONS, 0); break;
	default: break;
	}
}

QUIET static void *run(void *number)
{
	const int me = *(int *)number;
	int mine = 0, same;

	for (int phase = 0; phase < PHASES; phase++) {
		pthread_barrier_wait(&barrier);
		if (me == 0)
			change(phase);
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < TIMES; i++) {
			work();
			tview_begin("part");
			MPI_Sendrecv(&mine, 4, MPI_BYTE, 0, me, &same, 4, MPI_BYTE, 0, me,
				     MPI_COMM_SELF, MPI_STATUS_IGNORE);
			tview_end("part");
		}
	}
	return NULL;
}

QUIET int main(int argc, char **argv)
{
	int provided, number[THREADS];
	pthread_t thread[THREADS];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		number[i] = i;
	for (int i = 1; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, &number[i]);
	run(&number[0]);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	MPI_Finalize();
	return 0;
}
