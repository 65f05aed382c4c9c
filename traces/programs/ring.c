/* ring: a token goes round, and every rank works a little before it passes it on.
 *
 * To see: one long chain of messages; at any moment one rank works and all others wait in MPI_Recv (Late Sender, handed
 * on from rank to rank). Zoomed in, the arrows make a staircase.
 *
 *	mpiexec -n 4 ring [rounds=8] [bytes=1024] [work=20000] */
#include "tally.h"

enum { TAG = 7 };

static volatile double sink;

static void work(long amount)
{
	double x = 1;

	for (long i = 0; i < amount; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

static void pass(char *token, int bytes, int to)
{
	MPI_Send(token, bytes, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
	tally_sent(to, TAG, bytes);
}

static void take(char *token, int bytes, int from)
{
	MPI_Recv(token, bytes, MPI_CHAR, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	tally_received(from, TAG, bytes);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 8;
	const int bytes = argc > 2 ? atoi(argv[2]) : 1024;
	const long amount = argc > 3 ? atol(argv[3]) : 20000;
	int rank, size;
	char *token;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	token = calloc((size_t)bytes + 1, 1);
	for (int round = 0; round < rounds && size > 1; round++) {
		if (rank == 0) {
			work(amount);
			pass(token, bytes, 1);
			take(token, bytes, size - 1);
		} else {
			take(token, bytes, rank - 1);
			work(amount);
			pass(token, bytes, (rank + 1) % size);
		}
	}
	free(token);
	tally_end("ring", rank);
	MPI_Finalize();
	return 0;
}
