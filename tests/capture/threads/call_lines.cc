/* Calls that compilers move: inlined into other functions, into each other, and in the insides of OpenMP's constructs,
 * of which they make functions. Each call gives its line, and what it calls counts it by that: printed at the end is
 * the name of what was called, the line it was called from, and how often. */
#include <mpi.h>
#include <omp.h>

#include <alloca.h>
#include <cstdio>
#include <cstring>

enum { LINES = 200 };
static volatile int sink;

#define NAMES(X) X(busy) X(leaf) X(twice) X(fib) X(twin) X(orphaned) X(on_stack) X(regions) X(tasks) X(nested) X(locks) X(sweep)
#define COUNTER(name) static long name##_from[LINES];
NAMES(COUNTER)
#define COUNTED(name)       \
	_Pragma("omp atomic") \
	name##_from[line]++

#define FAR  __attribute__((noinline)) static
#define NEAR static inline __attribute__((always_inline))

FAR void busy(int line)
{
	COUNTED(busy);
}

NEAR void leaf(int line)
{
	COUNTED(leaf);
	busy(__LINE__);
}

NEAR void twice(int line)
{
	COUNTED(twice);
	leaf(__LINE__);
	for (int i = 0; i < 2; i++)
		leaf(__LINE__);
}

static int fib(int n, int line)
{
	COUNTED(fib);
	if (n < 2)
		return n;
	return fib(n - 1, __LINE__) +
	       fib(n - 2, __LINE__);
}

/* Two functions of one name. */
FAR int twin(int line)
{
	COUNTED(twin);
	return line;
}

FAR int twin(int line, double)
{
	COUNTED(twin);
	return line;
}

/* The stack grows before the inlined functions run. */
FAR void on_stack(int n, int line)
{
	char *text = static_cast<char *>(alloca(n));

	COUNTED(on_stack);
	memset(text, n, n);
	sink = text[n - 1];
	twice(__LINE__);
	leaf(__LINE__);
	sink = twin(__LINE__) + twin(__LINE__, 1.0) + twin(__LINE__, 2.0);
}

FAR void regions(int line)
{
	COUNTED(regions);
#pragma omp parallel num_threads(2)
	{
		busy(__LINE__);
	}
	busy(__LINE__);
#pragma omp parallel for num_threads(3)
	for (int i = 0; i < 12; i++)
		twice(__LINE__);
}

struct Grid {
	template <class T> __attribute__((noinline)) void sweep(T n, int line)
	{
		COUNTED(sweep);
#pragma omp parallel num_threads(2)
		{
#pragma omp for schedule(dynamic)
			for (int i = 0; i < static_cast<int>(n); i++)
				busy(__LINE__);
#pragma omp critical
			busy(__LINE__);
#pragma omp single
			busy(__LINE__);
#pragma omp master
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
};

FAR void orphaned(int line)
{
	COUNTED(orphaned);
#pragma omp critical
	busy(__LINE__);
	busy(__LINE__);
}

FAR void tasks(int line)
{
	COUNTED(tasks);
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 5; i++)
#pragma omp task
		busy(__LINE__);
}

FAR void nested(int line)
{
	COUNTED(nested);
#pragma omp parallel num_threads(2)
	{
		busy(__LINE__);
#pragma omp parallel num_threads(2)
		busy(__LINE__);
	}
}

FAR void locks(int line)
{
	static omp_lock_t lock;

	COUNTED(locks);
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		{
			omp_set_lock(&lock);
			busy(__LINE__);
			omp_unset_lock(&lock);
			busy(__LINE__);
		}
#pragma omp barrier
		leaf(__LINE__);
	}
}

int main(int argc, char **argv)
{
	Grid grid;
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	omp_set_max_active_levels(2);
	for (int i = 0; i < 3; i++)
		regions(__LINE__);
	grid.sweep<int>(7, __LINE__);
	grid.sweep<double>(4.0, __LINE__);
#pragma omp parallel num_threads(2)
	orphaned(__LINE__);
	orphaned(__LINE__);
	tasks(__LINE__);
	nested(__LINE__);
	locks(__LINE__);
	for (int i = 0; i < 5; i++)
		on_stack(100 + 16 * i, __LINE__);
	sink = fib(8, __LINE__);
	MPI_Finalize();
#define PRINT(name)                           \
	for (int i = 0; i < LINES; i++)       \
		if (name##_from[i])           \
			printf("%s %d %ld\n", #name, i, name##_from[i]);
	NAMES(PRINT)
}
