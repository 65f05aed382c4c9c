// Ways out of procedures and loops that only C++ has: exceptions through several of both, destructors, range loops.
#include <mpi.h>
#include <stdexcept>
#include <vector>

#include "counts.h"

static int rank;

struct Object {
	int *n;
	explicit Object(int *to) : n(to)
	{
		PROCEDURE(Object);
		DONE(Object);
	}
};

enum { THROWS_LOOP = __LINE__ + 8 };

static int throws(int depth)
{
	int sum = 0;

	PROCEDURE(throws);
	CALL; Object object(&sum);
	LOOP; for (int i = 0; i < 3; i++) { STEP;
		if (depth == 0 && i == 1) {
			DONE(throws);
			throw std::runtime_error("out of it");
		}
		if (depth > 0) {
			counts.loop_open[THROWS_LOOP]++;
			CALL; sum += throws(depth - 1);
			counts.loop_open[THROWS_LOOP]--;
		}
	}
	DONE(throws);
	return sum;
}

static int catches(int n)
{
	int caught = 0;

	PROCEDURE(catches);
	const std::vector<int> depths = { 0, 2, 1 };
	LOOP; for (int depth : depths) { STEP;
		try {
			CALL; caught += throws(depth + n);
		} catch (const std::runtime_error &) {
			counts.open[COUNTS_throws] = 0;
			counts.loop_open[THROWS_LOOP] = 0;
			caught++;
		}
	}
	DONE(catches);
	return caught;
}

int main(int argc, char **argv)
{
	PROCEDURE(main);
	WITH(-1); MPI_Init(&argc, &argv);
	WITH(-1); MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CALL; catches(0);
	CALL; catches(1);
	WITH(-1); MPI_Finalize();
	counts_write("throws.cpp", rank);
	return 0;
}
