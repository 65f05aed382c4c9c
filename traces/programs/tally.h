/* tally: a program's own account of what it sent, received and did, for comparison with what a trace says.
 *
 * Each rank writes one line an event to the file $TALLY.<rank>, if the variable is set:
 *
 *	sent PEER TAG BYTES, received PEER TAG BYTES		ranks in MPI_COMM_WORLD
 *	collective FUNCTION ROOT SENT RECEIVED			root in MPI_COMM_WORLD, -1 none; this rank's bytes
 *	did WHAT COUNT
 *
 * and tally_end() prints one line for all ranks. The functions are not instrumented: they are not what is to be seen. */
#ifndef TALLY_H
#define TALLY_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TALLY static inline __attribute__((no_instrument_function, unused))

static struct {
	FILE *file;
	long sent, received, sent_bytes, received_bytes, collectives;
} tally;

TALLY void tally_begin(int rank)
{
	const char *name = getenv("TALLY");
	char path[4096];

	if (!name)
		return;
	snprintf(path, sizeof path, "%s.%d", name, rank);
	tally.file = fopen(path, "w");
}

TALLY void tally_sent(int peer, int tag, long bytes)
{
	tally.sent++;
	tally.sent_bytes += bytes;
	if (tally.file)
		fprintf(tally.file, "sent %d %d %ld\n", peer, tag, bytes);
}

TALLY void tally_received(int peer, int tag, long bytes)
{
	tally.received++;
	tally.received_bytes += bytes;
	if (tally.file)
		fprintf(tally.file, "received %d %d %ld\n", peer, tag, bytes);
}

TALLY void tally_collective(const char *function, int root, long sent, long received)
{
	tally.collectives++;
	if (tally.file)
		fprintf(tally.file, "collective %s %d %ld %ld\n", function, root, sent, received);
}

TALLY void tally_did(const char *what, long count)
{
	if (tally.file)
		fprintf(tally.file, "did %s %ld\n", what, count);
}

/* The program's own time from one barrier to the next, on rank 0, for comparison with traces that had overhead taken out. */
TALLY double tally_start(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", -1, 0, 0);
	return MPI_Wtime();
}

/* The tally's own reduction to rank 0. How many ranks there are the launcher says (MPICH's): asking MPI would be a call
 * more to account for. */
TALLY void tally_reduced(int rank, size_t bytes)
{
	const char *ranks = getenv("PMI_SIZE");
	const size_t n = ranks ? (size_t)atoi(ranks) : 1;

	if (tally.file)
		fprintf(tally.file, "collective MPI_Reduce 0 %zu %zu\n", bytes,
			rank ? 0 : n * bytes);
}

TALLY void tally_stop(double started, int rank)
{
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", -1, 0, 0);
	const double seconds = MPI_Wtime() - started;
	if (rank == 0)
		printf("between barriers: %.9f s\n", seconds);
}

/* Closes the account; rank 0 prints the sum over all ranks, which this reduction is no part of. */
TALLY void tally_end(const char *program, int rank)
{
	long own[5] = { tally.sent, tally.sent_bytes, tally.received, tally.received_bytes,
			tally.collectives };
	long all[5];

	tally_reduced(rank, sizeof own);
	if (tally.file)
		fclose(tally.file);
	PMPI_Reduce(own, all, 5, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s: %ld messages sent (%ld bytes), %ld received (%ld bytes), %ld collective calls\n",
		       program, all[0], all[1], all[2], all[3], all[4]);
}

#endif
