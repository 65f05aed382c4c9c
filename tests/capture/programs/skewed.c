/* skewed: two ranks whose clocks differ: that of rank 1 is 5 ms behind. (The program's own clock_gettime comes before libc's,
 * so that the capture library reads it too.) A token goes to and fro. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tally.h"

enum { ROUNDS = 50, BEHIND = 5000000 };

__attribute__((no_instrument_function)) int clock_gettime(clockid_t id, struct timespec *ts)
{
	const char *rank = getenv("PMI_RANK");
	const int rc = (int)syscall(SYS_clock_gettime, id, ts);

	if (rc == 0 && rank && *rank == '1' &&
	    (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW)) {
		ts->tv_nsec -= BEHIND;
		if (ts->tv_nsec < 0) {
			ts->tv_nsec += 1000000000;
			ts->tv_sec--;
		}
	}
	return rc;
}

int main(int argc, char **argv)
{
	int rank, token = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	tally_begin(rank);
	for (int i = 0; i < 2 * ROUNDS && rank < 2; i++) {
		if (i % 2 == rank) {
			MPI_Send(&token, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
			tally_sent(1 - rank, i, sizeof token);
		} else {
			MPI_Recv(&token, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
			tally_received(1 - rank, i, sizeof token);
		}
	}
	tally_end("skewed", rank);
	MPI_Finalize();
	return 0;
}
