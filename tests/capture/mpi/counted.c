/* A program whose functions count by themselves: each touches so many pages that were never touched
 * before, sleeps so often, or computes for so long. It prints what it did: "faults FUNCTION N",
 * "switches FUNCTION N", "cpu FUNCTION SECONDS", one line a rank and function. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function)) static

enum { PAGES = 64, SPREAD = 4 };

PLAIN volatile char *fresh(int pages)
{
	char *at = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(at, (size_t)pages * 4096, MADV_NOHUGEPAGE);
	return at;
}

PLAIN double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void touch(volatile char *at, int pages)
{
	for (int i = 0; i < pages; i++)
		at[i * 4096] = 1;
}

/* SPREAD visits of touch(), and pages of its own between them. */
__attribute__((noinline)) static void outer(volatile char *at, volatile char *own)
{
	for (int i = 0; i < SPREAD; i++) {
		own[i * 4096] = 1;
		touch(at + (size_t)i * 10 * 4096, 10);
	}
}

/* Each level touches one page. */
__attribute__((noinline)) static void recurse(volatile char *at, int depth)
{
	*at = 1;
	if (depth > 1)
		recurse(at + 4096, depth - 1);
}

__attribute__((noinline)) static double burn(double seconds)
{
	const double from = cpu_time();
	double now = from;

	while (now - from < seconds)
		now = cpu_time();
	return now - from;
}

__attribute__((noinline)) static void nap(int times)
{
	for (int i = 0; i < times; i++)
		usleep(1000);
}

__attribute__((noinline)) static void in_thread(volatile char *at)
{
	for (int i = 0; i < 7; i++)
		at[i * 4096] = 1;
}

PLAIN void *thread(void *context)
{
	in_thread(context);
	return NULL;
}

int main(int argc, char **argv)
{
	volatile char *pages[4];
	pthread_t other;
	double took;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 4; i++)
		pages[i] = fresh(PAGES);
	touch(pages[0], PAGES);
	outer(pages[1], pages[2]);
	recurse(pages[3], 12);
	MPI_Barrier(MPI_COMM_WORLD);
	pthread_create(&other, NULL, thread, (void *)(pages[3] + (size_t)20 * 4096));
	pthread_join(other, NULL);
	nap(5);
	took = burn(0.2);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	printf("faults touch %d\nfaults outer %d\nfaults recurse 12\nfaults in_thread 7\n"
	       "switches nap 5\ncpu burn %.6f\n",
	       PAGES + SPREAD * 10, SPREAD, took);
	return 0;
}
