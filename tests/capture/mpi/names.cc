/* Functions of C++ whose names need their classes, and two of one name that differ in what they are given: how often
 * each is called stands beside it. Compiled with -finstrument-functions. */
#include <mpi.h>

static volatile int sum;

namespace
{
struct first {
	__attribute__((noinline)) void run() { sum = sum + 1; } /* 3 */
};
struct second {
	__attribute__((noinline)) void run() const { sum = sum + 2; } /* 5 */
};
template <class T> __attribute__((noinline)) T twice(T x) /* int: 2, double: 1 */
{
	sum = sum + 1;
	return x + x;
}
}

__attribute__((noinline)) void put(int x) { sum = sum + x; } /* 4 */
__attribute__((noinline)) void put(double x) { sum = sum + (int)x; } /* 7 */

int main(int argc, char **argv)
{
	first a;
	const second b = {};

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 3; i++)
		a.run();
	for (int i = 0; i < 5; i++)
		b.run();
	for (int i = 0; i < 2; i++)
		sum = sum + twice(i);
	sum = sum + (int)twice(1.5);
	for (int i = 0; i < 4; i++)
		put(i);
	for (int i = 0; i < 7; i++)
		put(0.5 * i);
	MPI_Finalize();
	return 0;
}
