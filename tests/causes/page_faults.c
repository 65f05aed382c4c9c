/* Rank 1 fills memory that is new in each step, the others memory that they have. */
#include "case.h"

#include <sys/mman.h>

#define BYTES ((size_t)8 << 20)

static char *kept;

static void fill(char *memory)
{
	for (size_t i = 0; i < BYTES; i += 4096)
		memory[i] = (char)rank;
}

static void smooth(void)
{
	nap(1);
}

int main(void)
{
	BEGIN();
	kept = malloc(BYTES);
	fill(kept);
	for (int step = 0; step < STEPS; step++) {
		char *memory = rank == 1 ? mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
						MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
					 : kept;
		smooth();
		fill(memory);
		REDUCE();
		if (rank == 1)
			munmap(memory, BYTES);
	}
	free(kept);
	MPI_Finalize();
	return 0;
}
