/* Calls of MPI of which it is known who waited for whom: by the order that messages enforce, or because the other rank is busy for
 * long. The tests look for the comments. Two ranks. */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 5, LARGE = 1 << 20 };

#define WORLD MPI_COMM_WORLD
#define ANY   MPI_ANY_SOURCE, MPI_ANY_TAG

static char buffer[LARGE];
static MPI_Status status;

static void busy(double seconds)
{
	const double end = MPI_Wtime() + seconds;

	while (MPI_Wtime() < end)
		;
}

/* What is asked for second was sent first: its sender was there before the call. */
static void nobody_waits(int rank)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 0) {
			MPI_Send(buffer, 8, MPI_CHAR, 1, 1, WORLD);
			MPI_Send(buffer, 8, MPI_CHAR, 1, 2, WORLD);
		} else {
			MPI_Recv(buffer, 8, MPI_CHAR, 0, 2, WORLD, &status);
			MPI_Recv(buffer, 8, MPI_CHAR, 0, 1, WORLD, &status); // there
			MPI_Send(buffer, 0, MPI_CHAR, 0, 3, WORLD);
		}
		if (rank == 0)
			MPI_Recv(buffer, 0, MPI_CHAR, 1, 3, WORLD, &status);
	}
}

/* The receiver is posted before the sender may go on. */
static void receivers_are_there(int rank)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 1) {
			MPI_Request request;
			MPI_Irecv(buffer, 8, MPI_CHAR, 0, i, WORLD, &request);
			MPI_Send(buffer, 0, MPI_CHAR, 0, 99, WORLD);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(buffer, 0, MPI_CHAR, 1, 99, WORLD, &status);
			MPI_Ssend(buffer, 8, MPI_CHAR, 1, i, WORLD); // expected
		}
	}
}

static void late_sender(int rank)
{
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(WORLD);
		if (rank == 0) {
			busy(0.02);
			MPI_Send(buffer, 8, MPI_CHAR, 1, i, WORLD);
		} else {
			MPI_Recv(buffer, 8, MPI_CHAR, ANY, WORLD, &status); // any
		}
	}
}

static void late_receiver(int rank)
{
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(WORLD);
		if (rank == 1) {
			busy(0.02);
			MPI_Recv(buffer, LARGE, MPI_CHAR, 0, i, WORLD, &status);
		} else {
			MPI_Ssend(buffer, LARGE, MPI_CHAR, 1, i, WORLD); // late
		}
	}
}

static void collectives(int rank)
{
	int value = rank, sum;

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(WORLD);
		if (rank == 1)
			busy(0.02);
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD); // all
		if (rank == 0)
			busy(0.02);
		MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); // root
		if (rank == 1)
			busy(0.02);
		MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, WORLD); // leaves
	}
}

static void start(MPI_Request *request)
{
	MPI_Irecv(buffer, 8, MPI_CHAR, 0, 55, WORLD, request); // void
}

/* The same behind receives that were cancelled, and with a receiver that takes from anybody. */
static void odd_receivers(int rank)
{
	MPI_Request request;

	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 1) {
			start(&request);
			MPI_Cancel(&request);
			MPI_Wait(&request, &status); // cancelled
		}
		MPI_Barrier(WORLD);
		if (rank == 1) {
			busy(0.02);
			MPI_Recv(buffer, 8, MPI_CHAR, 0, 55, WORLD, &status);
		} else {
			MPI_Ssend(buffer, 8, MPI_CHAR, 1, 55, WORLD); // behind
		}
		MPI_Barrier(WORLD);
		if (rank == 1) {
			busy(0.02);
			MPI_Recv(buffer, LARGE, MPI_CHAR, ANY, WORLD, &status);
		} else {
			MPI_Ssend(buffer, LARGE, MPI_CHAR, 1, 55, WORLD); // anybody
		}
	}
}

/* More messages of more tags than are kept are sent ahead of their receivers; then a send waits. */
static void far_ahead(int rank)
{
	enum { MANY = 600, TAGS = 40 };
	static MPI_Request request[MANY];

	for (int i = 0; i < MANY; i++)
		if (rank == 0)
			MPI_Isend(buffer, 8, MPI_CHAR, 1, i % TAGS, WORLD, &request[i]);
	if (rank == 0)
		MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE); // backlog
	for (int i = 0; i < MANY; i++)
		if (rank == 1)
			MPI_Recv(buffer, 8, MPI_CHAR, 0, i % TAGS, WORLD, &status); // backlog
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(WORLD);
		if (rank == 1) {
			busy(0.02);
			MPI_Recv(buffer, 8, MPI_CHAR, 0, 7 * i, WORLD, &status);
		} else {
			MPI_Ssend(buffer, 8, MPI_CHAR, 1, 7 * i, WORLD); // ahead
		}
	}
}

/* Requests that are started once and completed one by one, and together. */
static void requests(int rank)
{
	MPI_Request request[2];

	MPI_Recv_init(buffer, 8, MPI_CHAR, 1 - rank, 5, WORLD, &request[0]);
	MPI_Send_init(buffer + 8, 8, MPI_CHAR, 1 - rank, 5, WORLD, &request[1]);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Startall(2, request);
		if (i % 2)
			MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
		for (int k = 0; i % 2 == 0 && k < 2; k++)
			MPI_Wait(&request[k], MPI_STATUS_IGNORE);
	}
	for (int k = 0; k < 2; k++)
		MPI_Request_free(&request[k]);
}

static void between_groups(int rank)
{
	MPI_Comm alone, both;

	MPI_Comm_split(WORLD, rank, 0, &alone);
	MPI_Intercomm_create(alone, 0, WORLD, 1 - rank, 77, &both);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(WORLD);
		if (rank == 0) {
			busy(0.02);
			MPI_Send(buffer, 8, MPI_CHAR, 0, i, both);
		} else {
			MPI_Recv(buffer, 8, MPI_CHAR, 0, i, both, &status); // between
		}
	}
	MPI_Comm_free(&both);
	MPI_Comm_free(&alone);
}

/* It is for MPI to say that there is no such rank. */
static void nobody_there(void)
{
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	for (int peer = 2; peer < 1 << 28; peer *= 8)
		if (MPI_Send(buffer, 8, MPI_CHAR, peer, 1, WORLD) == MPI_SUCCESS) // nobody
			abort();
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	nobody_waits(rank);
	receivers_are_there(rank);
	late_sender(rank);
	late_receiver(rank);
	collectives(rank);
	odd_receivers(rank);
	far_ahead(rank);
	requests(rank);
	between_groups(rank);
	nobody_there();
	MPI_Finalize();
	return 0;
}
