/* Spends known CPU time in known functions: 60, 30 and 10 % of it in heavy(), middle(), light(), with barriers between.
 * Prints "cpu FUNCTION SECONDS" for each, measured by the thread's own clock, and "interrupted N": system calls that
 * ended with EINTR while it slept or read.
 *
 *	sampled SECONDS [plain|thread|blocked|profiled|forked]
 *
 * thread: a second thread, born after MPI_Init, does the same; blocked: all signals are blocked before MPI_Init; profiled:
 * the program has a SIGPROF timer of its own, and prints "ticks N"; forked: a child computes, too, and ends. */
#define _GNU_SOURCE
#include <mpi.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static volatile long ticks;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Asks for the time rarely, so that nearly all of it is spent here. */
#define SPIN(name, factor)                                                    \
	static __attribute__((noinline)) double name(double seconds)          \
	{                                                                     \
		const double from = cpu();                                    \
		double now = from;                                            \
		while (now - from < seconds) {                                \
			for (int i = 0; i < 200000; i++)                      \
				sink = sink * (factor) + i;                        \
			now = cpu();                                          \
		}                                                             \
		return now - from;                                            \
	}
SPIN(heavy, 0.5)
SPIN(middle, 0.25)
SPIN(light, 0.125)

static void work(double seconds, double spent[3], int slices)
{
	for (int i = 0; i < slices; i++) {
		spent[0] += heavy(seconds * 0.6 / slices);
		spent[1] += middle(seconds * 0.3 / slices);
		spent[2] += light(seconds * 0.1 / slices);
		if (slices > 1)
			MPI_Barrier(MPI_COMM_WORLD);
	}
}

static double seconds, others[3];

static void *second(void *unused)
{
	(void)unused;
	work(seconds, others, 1);
	return NULL;
}

static void on_tick(int number)
{
	(void)number;
	ticks++;
}

/* Sleeps in three ways, of which a handler's end may not restart two. */
static int sleep_all(void)
{
	const struct timespec moment = { 0, 20000000 };
	struct pollfd none = { .fd = -1 };
	int interrupted = 0, ends[2];
	char byte;

	interrupted += nanosleep(&moment, NULL) != 0 && errno == EINTR;
	interrupted += poll(&none, 1, 20) < 0 && errno == EINTR;
	if (pipe(ends) == 0 && write(ends[1], "x", 1) == 1)
		interrupted += read(ends[0], &byte, 1) < 0 && errno == EINTR;
	return interrupted;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "plain";
	static const struct itimerval every = { { 0, 5000 }, { 0, 5000 } };
	double spent[3] = { 0 };
	pthread_t thread;
	sigset_t all;
	int rank, interrupted;

	seconds = argc > 1 ? atof(argv[1]) : 1;
	sigfillset(&all);
	if (!strcmp(kind, "blocked"))
		sigprocmask(SIG_BLOCK, &all, NULL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	interrupted = sleep_all();
	if (!strcmp(kind, "profiled")) {
		signal(SIGPROF, on_tick);
		setitimer(ITIMER_PROF, &every, NULL);
	}
	if (!strcmp(kind, "forked") && fork() == 0) {
		work(seconds, others, 1);
		_exit(others[0] > 0 ? 0 : 1);
	}
	if (!strcmp(kind, "thread"))
		pthread_create(&thread, NULL, second, NULL);
	work(seconds, spent, 20);
	if (!strcmp(kind, "thread"))
		pthread_join(thread, NULL);
	if (!strcmp(kind, "forked") && (wait(&interrupted) < 0 || interrupted))
		interrupted = 1000;
	printf("cpu heavy %.4f\ncpu middle %.4f\ncpu light %.4f\ninterrupted %d\nticks %ld\n",
	       spent[0] + others[0], spent[1] + others[1], spent[2] + others[2], interrupted, ticks);
	MPI_Finalize();
	return 0;
}
