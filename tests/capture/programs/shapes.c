/* shapes: programs whose every call is counted by themselves, of the shapes that leaving out, or
 * reckoning, parts of a run could falsify. With the compiler's hooks, the guards of tview.h, or
 * tvcc's probes.
 *
 *	mpiexec -n N shapes SHAPE [turns]
 *
 * phases	two long phases on balanced ranks: 20 x phase, barrier, 100 x phase, barrier
 * three	three segments a rank
 * leaf		100,000 calls of a leaf, 500 between two barriers
 * recursion	of various depth between barriers
 * loops	loops in loops that end early, and calls that depend on data
 * regions	marked by the program, within its functions and around them
 * burst	200 short segments and then a long one behind the same call */
#include <string.h>

#include <tview.h>

#include "tally.h"

static volatile double sink;
static long leaves, phases, falls, rounds, steps, parts;

static __attribute__((noinline)) double leaf(double x)
{
	TVIEW_FUNCTION(leaf);

	leaves++;
	return x * 0.5 + 1;
}

static __attribute__((noinline)) void phase(long n)
{
	TVIEW_FUNCTION(phase);
	double x = 1;

	phases++;
	for (long i = 0; i < n; i++)
		x = leaf(x);
	sink = x;
}

static __attribute__((noinline)) long fall(long depth)
{
	TVIEW_FUNCTION(fall);

	falls++;
	return depth > 1 ? fall(depth - 1) + fall(depth - 2) : 1;
}

static __attribute__((noinline)) void round_of(long n)
{
	TVIEW_FUNCTION(round_of);

	rounds++;
	for (long i = 0; i < n; i++) {
		for (long k = 0;; k++) {
			steps++;
			if (k == i % 7)
				break;
			if ((i + k) % 5 == 4)
				continue;
			sink = leaf((double)k);
		}
		if (i == 90)
			return;
	}
}

static void marked(long n)
{
	phase(n);
	tview_begin("part");
	phase(n);
	if (phases % 3 == 0)
		tview_mark("third");
	phase(n);
	tview_end("part");
	phase(n);
	parts++;
}

static void meet(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", -1, 0, 0);
}

static void run(const char *shape, long turns, int rank)
{
	if (strcmp(shape, "phases") == 0) {
		for (long i = 0; i < 20; i++)
			phase(1000);
		meet();
		for (long i = 0; i < 100; i++)
			phase(1000);
		meet();
	} else if (strcmp(shape, "three") == 0) {
		for (long i = 0; i < 3; i++) {
			phase(2000 + 100 * rank);
			meet();
		}
	}
	for (long i = 0; i < turns; i++) {
		if (strcmp(shape, "leaf") == 0)
			phase(500);
		else if (strcmp(shape, "recursion") == 0)
			fall(3 + (i * 7 + rank) % 9);
		else if (strcmp(shape, "loops") == 0)
			round_of(20 + (i * 13 + rank) % 100);
		else if (strcmp(shape, "regions") == 0)
			marked(50);
		else if (strcmp(shape, "burst") == 0)
			phase(i == turns - 1 ? 400000 : 20);
		else
			return;
		meet();
	}
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "leaf";
	const long turns = argc > 2 ? atol(argv[2]) : 200;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tally_begin(rank);
	run(shape, turns, rank);
	tally_did("leaf", leaves);
	tally_did("phase", phases);
	tally_did("fall", falls);
	tally_did("round_of", rounds);
	tally_did("steps", steps);
	tally_did("part", parts);
	tally_end("shapes", rank);
	MPI_Finalize();
	return 0;
}
