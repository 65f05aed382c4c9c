/* Functions of C++ and C: left() calls inner() 3 times, right() twice, each a tiny() once more; geo::area(int) calls
 * nothing, 4 times. Compiled with -finstrument-functions. */
#include <mpi.h>

static volatile int sum;

extern "C" {
__attribute__((noinline)) static void tiny(void)
{
	sum = sum + 1;
}
__attribute__((noinline)) static void inner(void)
{
	tiny();
	sum = sum + 1;
}
__attribute__((noinline)) void left(void)
{
	for (int i = 0; i < 3; i++)
		inner();
	tiny();
}
__attribute__((noinline)) void right(void)
{
	for (int i = 0; i < 2; i++)
		inner();
	tiny();
}
}

namespace geo
{
__attribute__((noinline)) void area(int x)
{
	sum = sum + x;
}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	left();
	right();
	for (int i = 0; i < 4; i++)
		geo::area(i);
	MPI_Finalize();
	return 0;
}
