/* comms: communicators of all kinds, each with a message or a collective, among 4 ranks. */
#include "tally.h"

static int rank, size;

/* Rank 0 of the communicator sends to rank 1; the account is in world ranks. */
static void message_in(MPI_Comm comm, int tag, int from_world, int to_world)
{
	int me, data = 0;

	MPI_Comm_rank(comm, &me);
	if (me == 0) {
		MPI_Send(&data, 1, MPI_INT, 1, tag, comm);
		tally_sent(to_world, tag, 4);
	} else if (me == 1) {
		MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
		tally_received(from_world, tag, 4);
	}
}

static void duplicates(void)
{
	MPI_Comm a, b, c;

	MPI_Comm_dup(MPI_COMM_WORLD, &a);
	MPI_Comm_dup(MPI_COMM_WORLD, &b);
	MPI_Comm_set_name(b, "the second");
	message_in(b, 11, 0, 1);
	message_in(a, 11, 0, 1); /* the same tag: only the communicator tells them apart */
	MPI_Comm_free(&a);
	MPI_Comm_dup(MPI_COMM_WORLD, &c); /* MPI may give it the handle of a */
	message_in(c, 12, 0, 1);
	MPI_Barrier(c);
	tally_collective("MPI_Barrier", -1, 0, 0);
	MPI_Comm_free(&b);
	MPI_Comm_free(&c);
}

static void reversed(void)
{
	MPI_Comm turned, none;

	MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
	message_in(turned, 13, size - 1, size - 2);
	MPI_Comm_free(&turned);
	MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
}

static void self(void)
{
	int out = 1, in = 0;

	MPI_Sendrecv(&out, 1, MPI_INT, 0, 14, &in, 1, MPI_INT, 0, 14, MPI_COMM_SELF,
		     MPI_STATUS_IGNORE);
	tally_sent(rank, 14, 4);
	tally_received(rank, 14, 4);
	MPI_Barrier(MPI_COMM_SELF);
	tally_collective("MPI_Barrier", -1, 0, 0);
}

static void grid(void)
{
	int dims[2] = { 2, 2 }, periods[2] = { 1, 0 }, keep[2] = { 0, 1 };
	MPI_Comm cart, row;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Cart_sub(cart, keep, &row); /* {0, 1} and {2, 3} */
	message_in(row, 15, rank / 2 * 2, rank / 2 * 2 + 1);
	MPI_Comm_free(&row);
	MPI_Comm_free(&cart);
}

/* Two halves talk over an inter-communicator: rank i of one to rank i of the other, and a broadcast across. */
static void between(void)
{
	const int low = rank < size / 2, partner = low ? rank + size / 2 : rank - size / 2;
	MPI_Comm half, inter, merged;
	int me, data = rank;

	MPI_Comm_split(MPI_COMM_WORLD, low, 0, &half);
	MPI_Comm_rank(half, &me);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? size / 2 : 0, 5, &inter);
	if (low) {
		MPI_Send(&data, 1, MPI_INT, me, 16, inter);
		tally_sent(partner, 16, 4);
	} else {
		MPI_Recv(&data, 1, MPI_INT, me, 16, inter, MPI_STATUS_IGNORE);
		tally_received(partner, 16, 4);
	}
	MPI_Intercomm_merge(inter, !low, &merged);
	message_in(merged, 17, 0, 1);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	tally_begin(rank);
	duplicates();
	reversed();
	self();
	grid();
	between();
	tally_end("comms", rank);
	MPI_Finalize();
	return 0;
}
