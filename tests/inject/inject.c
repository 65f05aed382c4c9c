/* inject OPERATION: runs it, and prints what each rank waited: "RANK SECONDS". inject --list: lines
 * of operation, metric, late rank, waiting ranks, region. */
#include "inject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tview.h>

enum { TURNS = 2, DELAY = 50000000 };

struct inject inject;

static struct {
	const struct inject_row *row;
	double came, left, truth;
} turn;

static const struct inject_row *const tables[] = {
	inject_pairs,  inject_probes,  inject_requests, inject_collectives, inject_neighbours,
	inject_makers, inject_windows, inject_files,    inject_between,     inject_balanced,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void inject_begin(void)
{
	const struct timespec delay = { .tv_nsec = DELAY };

	if (inject.rank == LATE) {
		tview_begin("delay");
		nanosleep(&delay, NULL);
		tview_end("delay");
	}
	turn.came = now();
}

void inject_waits(void)
{
	if (inject.rank != LATE)
		turn.came = now();
}

void inject_comes(void)
{
	if (inject.rank == LATE)
		turn.came = now();
}

void inject_end(void)
{
	if (turn.left == 0)
		turn.left = now();
}

void inject_complete(MPI_Request *request)
{
	inject_waits();
	MPI_Wait(request, MPI_STATUS_IGNORE);
	inject_end();
}

/* Everybody's note of the turn becomes a wait. */
static void account(void)
{
	double notes[2] = { turn.came, turn.left }, all[2 * RANKS];

	MPI_Allgather(notes, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
	const double until = turn.left < all[2 * LATE] ? turn.left : all[2 * LATE];
	if (turn.row->waiters & 1 << inject.rank && until > turn.came)
		turn.truth += until - turn.came;
}

static void run(const struct inject_row *row)
{
	static char region[64];
	double truth[RANKS];

	snprintf(region, sizeof region, "in %s", row->name);
	turn.row = row;
	for (int i = 0; i < TURNS; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		tview_begin(region);
		turn.left = 0;
		row->run();
		inject_end();
		tview_end(region);
		account();
	}
	MPI_Gather(&turn.truth, 1, MPI_DOUBLE, truth, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int r = 0; r < RANKS && inject.rank == 0; r++)
		printf("%d %.9f\n", r, truth[r]);
}

static const struct inject_row *find(const char *name)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct inject_row *row = tables[t]; row->name; row++)
			if (strcmp(row->name, name) == 0)
				return row;
	return NULL;
}

static void list(void)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct inject_row *row = tables[t]; row->name; row++) {
			printf("%s %s %d ", row->name, row->metric, LATE);
			for (int r = 0, n = 0; r < RANKS; r++)
				if (row->waiters & 1 << r)
					printf("%s%d", n++ ? "," : "", r);
			printf(" in %s\n", row->name);
		}
}

/* Ranks do not begin at once: another kind of wait than the row's. */
static void start(const struct inject_row *row)
{
	int one = 1, sum;

	if (strcmp(row->metric, "mpi_barrier_wait") == 0)
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

/* A ring, with edges from the one before, to the next one, and back; and two halves. */
static void make_communicators(void)
{
	const int size = RANKS, around = 1;
	const int beside[2] = { (inject.rank + RANKS - 1) % RANKS, (inject.rank + 1) % RANKS };

	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &inject.ring);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, beside, MPI_UNWEIGHTED, 2, beside,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &inject.graph);
	MPI_Comm_split(MPI_COMM_WORLD, inject.rank % 2, 0, &inject.half);
	MPI_Intercomm_create(inject.half, 0, MPI_COMM_WORLD, 1 - inject.rank % 2, 8, &inject.both);
}

int main(int argc, char **argv)
{
	const struct inject_row *row;
	int size;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list();
		return 0;
	}
	row = argc == 2 ? find(argv[1]) : NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &inject.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != RANKS || !row) {
		fprintf(stderr, "inject: %s\n", row ? "it needs 4 ranks" : "no such operation");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	inject.from = calloc(LARGE, sizeof *inject.from);
	inject.to = calloc(LARGE, sizeof *inject.to);
	start(row);
	make_communicators();
	run(row);
	MPI_Finalize();
	free(inject.from);
	free(inject.to);
	return 0;
}
