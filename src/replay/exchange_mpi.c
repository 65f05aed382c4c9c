/* MPI libraries spin where they wait. Where there are more processes than cores, that takes the
 * time that those need for which they wait: so it is asked, and the processor is given away. */
#include "replay/exchange_mpi.h"

#include <mpi.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

enum {
	POLLS = 200,          /* before the processor is given away */
	PIECE = 1 << 20,      /* values a reduction */
	BYTES_MOST = 1 << 30, /* a broadcast */
	VOTES = 4,            /* values of a vote */
	POSTS = 64,           /* under way, before it is asked which have ended */
};

struct posted {
	MPI_Request request;
	void *data;
};

struct exchange_mpi {
	struct exchange exchange;
	MPI_Comm data, votes;      /* votes may go on while others wait for data */
	MPI_Comm stream;           /* posts and their votes */
	VEC(struct posted) posted; /* under way */
	MPI_Request vote;
	int128 counted[VOTES];
	MPI_Datatype value;
	MPI_Op add;
};

struct requests {
	MPI_Request *data;
	size_t n, cap;
};

static struct exchange_mpi *own(struct exchange *x)
{
	return (struct exchange_mpi *)(void *)x;
}

static void wait_for(MPI_Request *request)
{
	int done = 0;

	for (unsigned polls = 0; !done; polls++) {
		if (polls >= POLLS)
			sched_yield();
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
	}
}

/* NOLINTNEXTLINE(readability-non-const-parameter): MPI's type */
static void add_values(void *from, void *to, int *n, MPI_Datatype *type)
{
	const int128 *a = from;
	int128 *b = to;

	(void)type;
	for (int i = 0; i < *n; i++)
		b[i] += a[i];
}

static void sum(struct exchange *x, int128 *values, size_t n)
{
	const struct exchange_mpi *m = own(x);

	for (size_t at = 0; at < n; at += PIECE) {
		const int piece = n - at < PIECE ? (int)(n - at) : PIECE;
		MPI_Request request;
		MPI_Iallreduce(MPI_IN_PLACE, values + at, piece, m->value, m->add, m->data,
			       &request);
		wait_for(&request);
	}
}

/* Sets where the bytes of each process begin. */
static void gather_sizes(struct exchange *x, size_t bytes, struct exchange_parts *all)
{
	const uint64_t mine = bytes;
	OWNED uint64_t *sizes = xcalloc(x->processes, sizeof *sizes);
	MPI_Request request;

	MPI_Iallgather(&mine, 1, MPI_UINT64_T, sizes, 1, MPI_UINT64_T, own(x)->data, &request);
	wait_for(&request);
	all->first = xcalloc(x->processes + 1u, sizeof *all->first);
	for (uint32_t p = 0; p < x->processes; p++)
		all->first[p + 1] = all->first[p] + sizes[p];
	all->data = xmalloc(all->first[x->processes] + 1);
}

/* Begins to gather what is in its place in *all. */
static void begin_all(struct exchange *x, struct exchange_parts *all, int *counts, int *places,
		      MPI_Request *request)
{
	for (uint32_t p = 0; p < x->processes; p++) {
		counts[p] = (int)(all->first[p + 1] - all->first[p]);
		places[p] = (int)all->first[p];
	}
	MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all->data, counts, places, MPI_BYTE,
			own(x)->data, request);
}

static void gather_at_once(struct exchange *x, struct exchange_parts *all)
{
	OWNED int *counts = xcalloc(x->processes, sizeof *counts);
	OWNED int *places = xcalloc(x->processes, sizeof *places);
	MPI_Request request;

	begin_all(x, all, counts, places, &request);
	wait_for(&request);
}

/* More than MPI's counts can say: one process after the other, in pieces. */
static void gather_in_turn(struct exchange *x, struct exchange_parts *all)
{
	const size_t *first = all->first;

	for (uint32_t p = 0; p < x->processes; p++)
		for (size_t at = first[p]; at < first[p + 1]; at += BYTES_MOST) {
			const size_t left = first[p + 1] - at;
			MPI_Request request;
			MPI_Ibcast(all->data + at, left < BYTES_MOST ? (int)left : BYTES_MOST,
				   MPI_BYTE, (int)p, own(x)->data, &request);
			wait_for(&request);
		}
}

static void gather(struct exchange *x, const void *mine, size_t bytes, struct exchange_parts *all)
{
	gather_sizes(x, bytes, all);
	if (bytes)
		memcpy(all->data + all->first[x->process], mine, bytes);
	if (all->first[x->processes] <= BYTES_MOST)
		gather_at_once(x, all);
	else
		gather_in_turn(x, all);
}

/* ---- swap ---- */

/* Sizes and places of the bytes that the others have for this process. */
static void swap_sizes(struct exchange *x, const struct exchange_parts *mine,
		       struct exchange_parts *theirs)
{
	OWNED uint64_t *send = xcalloc(x->processes, sizeof *send);
	OWNED uint64_t *receive = xcalloc(x->processes, sizeof *receive);
	MPI_Request request;

	for (uint32_t p = 0; p < x->processes; p++)
		send[p] = mine->first[p + 1] - mine->first[p];
	MPI_Ialltoall(send, 1, MPI_UINT64_T, receive, 1, MPI_UINT64_T, own(x)->data, &request);
	wait_for(&request);
	theirs->first = xcalloc(x->processes + 1u, sizeof *theirs->first);
	for (uint32_t p = 0; p < x->processes; p++)
		theirs->first[p + 1] = theirs->first[p] + receive[p];
	theirs->data = xmalloc(theirs->first[x->processes] + 1);
}

/* Begins to send or receive one process' part, in pieces that MPI's counts can say. */
static void begin_part(struct exchange *x, const struct exchange_parts *parts, uint32_t p,
		       bool send, struct requests *requests)
{
	for (size_t at = parts->first[p]; at < parts->first[p + 1]; at += BYTES_MOST) {
		const size_t left = parts->first[p + 1] - at;
		const int bytes = left < BYTES_MOST ? (int)left : BYTES_MOST;
		MPI_Request *request = vec_add(requests);
		if (send)
			MPI_Isend(parts->data + at, bytes, MPI_BYTE, (int)p, 0, own(x)->data,
				  request);
		else
			MPI_Irecv(parts->data + at, bytes, MPI_BYTE, (int)p, 0, own(x)->data,
				  request);
	}
}

static void trade(struct exchange *x, const struct exchange_parts *mine,
		  struct exchange_parts *theirs, struct exchange_parts *all)
{
	OWNED int *counts = all ? xcalloc(x->processes, sizeof *counts) : NULL;
	OWNED int *places = all ? xcalloc(x->processes, sizeof *places) : NULL;
	struct requests requests = VEC_INIT;
	MPI_Request *request;

	for (uint32_t i = 1; mine && i < x->processes; i++)
		begin_part(x, theirs, (x->process + i) % x->processes, false, &requests);
	for (uint32_t i = 1; mine && i < x->processes; i++)
		begin_part(x, mine, (x->process + i) % x->processes, true, &requests);
	if (all)
		begin_all(x, all, counts, places, vec_add(&requests));
	vec_each (request, &requests)
		wait_for(request);
	vec_fini(&requests);
}

static void swap(struct exchange *x, const struct exchange_parts *mine,
		 struct exchange_parts *theirs)
{
	swap_sizes(x, mine, theirs);
	memcpy(theirs->data + theirs->first[x->process], mine->data + mine->first[x->process],
	       mine->first[x->process + 1] - mine->first[x->process]);
	trade(x, mine, theirs, NULL);
}

/* ---- posts and votes ---- */

static void forget_sent(struct exchange_mpi *m)
{
	size_t left = 0;

	for (size_t i = 0; i < m->posted.n; i++) {
		struct posted *p = &m->posted.data[i];
		int done;
		MPI_Test(&p->request, &done, MPI_STATUS_IGNORE);
		if (done)
			free(p->data);
		else
			m->posted.data[left++] = *p;
	}
	m->posted.n = left;
}

static void post(struct exchange *x, uint32_t to, void *data, size_t bytes)
{
	struct exchange_mpi *m = own(x);
	struct posted *p;

	if (m->posted.n % POSTS == POSTS - 1)
		forget_sent(m);
	p = vec_add(&m->posted);
	p->data = data;
	MPI_Isend(data, (int)bytes, MPI_BYTE, (int)to, 0, m->stream, &p->request);
}

static void *arrived(struct exchange *x, size_t *bytes, uint32_t *from)
{
	MPI_Message message;
	MPI_Status status;
	int any, n;
	void *data;

	MPI_Improbe(MPI_ANY_SOURCE, 0, own(x)->stream, &any, &message, &status);
	if (!any)
		return NULL;
	MPI_Get_count(&status, MPI_BYTE, &n);
	*bytes = (size_t)n;
	*from = (uint32_t)status.MPI_SOURCE;
	data = xmalloc(*bytes + 1);
	MPI_Mrecv(data, n, MPI_BYTE, &message, &status);
	return data;
}

static void vote(struct exchange *x, const int128 *values, size_t n)
{
	struct exchange_mpi *m = own(x);

	memcpy(m->counted, values, n * sizeof *values);
	MPI_Iallreduce(MPI_IN_PLACE, m->counted, (int)n, m->value, m->add, m->stream, &m->vote);
}

static bool voted(struct exchange *x, int128 *values, size_t n)
{
	struct exchange_mpi *m = own(x);
	int done;

	MPI_Test(&m->vote, &done, MPI_STATUS_IGNORE);
	if (done)
		memcpy(values, m->counted, n * sizeof *values);
	return done;
}

struct exchange *exchange_mpi_new(void)
{
	struct exchange_mpi *m;
	int processes, process;

	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	MPI_Comm_rank(MPI_COMM_WORLD, &process);
	if (processes == 1)
		return NULL;
	m = xcalloc(1, sizeof *m);
	m->exchange = (struct exchange){ .processes = (uint32_t)processes,
					 .process = (uint32_t)process,
					 .sum = sum,
					 .gather = gather,
					 .swap = swap,
					 .trade = trade,
					 .post = post,
					 .arrived = arrived,
					 .vote = vote,
					 .voted = voted };
	MPI_Comm_dup(MPI_COMM_WORLD, &m->data);
	MPI_Comm_dup(MPI_COMM_WORLD, &m->stream);
	MPI_Comm_dup(MPI_COMM_WORLD, &m->votes);
	MPI_Type_contiguous(sizeof(int128), MPI_BYTE, &m->value);
	MPI_Type_commit(&m->value);
	MPI_Op_create(add_values, 1, &m->add);
	return &m->exchange;
}

void exchange_mpi_free(struct exchange *x)
{
	struct exchange_mpi *m = own(x);

	if (!m)
		return;
	while (m->posted.n)
		forget_sent(m);
	vec_fini(&m->posted);
	MPI_Comm_free(&m->data);
	MPI_Comm_free(&m->stream);
	MPI_Comm_free(&m->votes);
	MPI_Op_free(&m->add);
	MPI_Type_free(&m->value);
	free(m);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool exchange_mpi_agree(struct exchange *x, int status, double seconds, int *worst, uint32_t *first)
{
	/* The largest status; of equal ones that of the lowest process. */
	struct {
		int status, process;
	} mine = { status, (int)exchange_process(x) }, all = mine;
	const double until = now() + seconds;
	MPI_Request request;
	int done = 1;

	if (x)
		MPI_Iallreduce(&mine, &all, 1, MPI_2INT, MPI_MAXLOC, own(x)->votes, &request);
	while (x && !(MPI_Test(&request, &done, MPI_STATUS_IGNORE), done) && now() < until)
		sched_yield();
	*worst = all.status;
	*first = (uint32_t)all.process;
	return done;
}
