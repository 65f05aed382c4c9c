/* All ranks need the same lock of a file for 2 ms in each step, in any order. */
#include "case.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static void smooth(double ms)
{
	nap(ms);
}

static void update(int file)
{
	flock(file, LOCK_EX);
	nap(2);
	flock(file, LOCK_UN);
}

int main(void)
{
	BEGIN();
	const int file = open("/proc/self/exe", O_RDONLY);
	for (int step = 0; step < STEPS; step++) {
		const unsigned chance = (unsigned)(step * ranks + rank) * 2654435761u >> 20;
		smooth(0.5 + chance % 4 * 0.3);
		update(file);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	close(file);
	MPI_Finalize();
	return 0;
}
