/* A tiny procedure that is called so often that events of it are worth nothing, beside one that is not tiny. */
#include <mpi.h>
#include <stdlib.h>

#include "counts.h"

static volatile long sink;

static void leaf(long x)
{
	PROCEDURE(leaf);
	sink += x;
	DONE(leaf);
}

static void other(long turns)
{
	PROCEDURE(other);
	LOOP; for (long i = 0; i < turns; i++) { STEP;
		CALL; leaf(i);
	}
	DONE(other);
}

int main(int argc, char **argv)
{
	const long calls = argc > 1 ? atol(argv[1]) : 1000;

	PROCEDURE(main);
	WITH(-1); MPI_Init(&argc, &argv);
	LOOP; for (int i = 0; i < 10; i++) { STEP;
		CALL; other(calls);
	}
	WITH(-1); MPI_Finalize();
	counts_write("often.c", 0);
	return 0;
}
