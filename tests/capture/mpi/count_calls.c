/* count_calls: counts each process's calls of MPI, and the messages that it sends, for a comparison with a trace.
 * Writes lines "rank name calls", and "rank messages number bytes", to a file of its own in COUNT_DIR when the
 * process ends. Wrappers: count_calls.awk. It exports PMPI_X, too: Fortran's entry points may call it. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct counter {
	const char *name;
	atomic_long calls;
	struct counter *next; /* a list; set at the first call */
};
struct prepared {
	uintptr_t request;
	long long bytes; /* of each start; -1: no message */
};

static _Thread_local int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counter *counters;
static struct prepared *persistent;
static size_t persistent_count;
static atomic_llong messages, bytes_sent;

static void write_counts(void)
{
	const char *dir = getenv("COUNT_DIR");
	const char *rank = getenv("PMI_RANK");
	if (!rank)
		rank = getenv("OMPI_COMM_WORLD_RANK");
	if (!dir || !rank || !counters)
		return;
	char path[4096];
	snprintf(path, sizeof path, "%s/count.%s.%d", dir, rank, (int)getpid());
	FILE *f = fopen(path, "w");
	if (!f)
		return;
	pthread_mutex_lock(&lock);
	for (const struct counter *c = counters; c; c = c->next)
		fprintf(f, "%s %s %ld\n", rank, c->name, atomic_load(&c->calls));
	pthread_mutex_unlock(&lock);
	fprintf(f, "%s messages %lld %lld\n", rank, atomic_load(&messages),
		atomic_load(&bytes_sent));
	fclose(f);
}

static void begin(struct counter *c)
{
	depth = 1;
	if (atomic_fetch_add(&c->calls, 1) == 0) {
		pthread_mutex_lock(&lock);
		if (!counters)
			atexit(write_counts);
		c->next = counters;
		counters = c;
		pthread_mutex_unlock(&lock);
	}
	/* A process may end in MPI_Abort, or without its handlers behind MPI_Finalize. */
	if (!strcmp(c->name, "MPI_Finalize") || !strcmp(c->name, "MPI_Abort"))
		write_counts();
}

static long long size_of(long long count, MPI_Datatype type)
{
	if (count == 0 || type == MPI_DATATYPE_NULL)
		return 0;
	int size = 0;
	MPI_Type_size(type, &size); /* depth is 1: not counted */
	return count * size;
}

static void sent(int outcome, long long count, MPI_Datatype type, int dest)
{
	if (outcome != MPI_SUCCESS || dest == MPI_PROC_NULL)
		return;
	atomic_fetch_add(&messages, 1);
	atomic_fetch_add(&bytes_sent, size_of(count, type));
}

static void prepared(int outcome, MPI_Request request, long long count, MPI_Datatype type, int dest)
{
	if (outcome != MPI_SUCCESS)
		return;
	const uintptr_t key = (uintptr_t)request;
	const long long bytes = dest == MPI_PROC_NULL ? -1 : size_of(count, type);
	pthread_mutex_lock(&lock);
	size_t i = 0;
	while (i < persistent_count && persistent[i].request != key)
		i++;
	if (i == persistent_count)
		persistent = realloc(persistent, ++persistent_count * sizeof *persistent);
	persistent[i] = (struct prepared){ key, bytes };
	pthread_mutex_unlock(&lock);
}

static void started(int outcome, MPI_Request request)
{
	if (outcome != MPI_SUCCESS)
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < persistent_count; i++)
		if (persistent[i].request == (uintptr_t)request && persistent[i].bytes >= 0) {
			atomic_fetch_add(&messages, 1);
			atomic_fetch_add(&bytes_sent, persistent[i].bytes);
		}
	pthread_mutex_unlock(&lock);
}

#include WRAPPERS
