/* MPI calls back. Each rank calls MPI_Allreduce 3 times with an operation that calls work and MPI_Barrier
 * and lasts 50 ms; MPI_Comm_dup 2 times, which copies an attribute: work and MPI_Sendrecv, and MPI_Comm_free 2 times, which deletes it: work, MPI_Comm_dup, MPI_Comm_free,
 * where the first one frees another communicator, too. MPI_Comm_delete_attr deletes it once more. 4 sends fail, and their handler
 * calls work and MPI_Barrier. Two generalized requests are queried and freed: work and MPI_Barrier each. In the end each rank sends
 * the other one message on a new communicator, maybe under the handle of one that was freed. main itself takes
 * 100 ms. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static MPI_Comm left = MPI_COMM_NULL;
static int works;
void work(void) { works++; }
__attribute__((no_instrument_function)) static void last(double seconds)
{
	struct timespec t0, t;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while ((double)(t.tv_sec - t0.tv_sec) + 1e-9 * (double)(t.tv_nsec - t0.tv_nsec) < seconds);
}
static void combine(void *in, void *out, int *n, MPI_Datatype *type)
{
	(void)type;
	work();
	MPI_Barrier(MPI_COMM_SELF);
	last(0.05);
	for (int i = 0; i < *n; i++)
		((int *)out)[i] += ((int *)in)[i];
}
static int copy(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	int v = 1, w;
	(void)c; (void)key; (void)extra;
	work();
	MPI_Sendrecv(&v, 1, MPI_INT, 0, 4, &w, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}
static int delete(MPI_Comm c, int key, void *value, void *extra)
{
	MPI_Comm d;
	(void)c; (void)key; (void)value; (void)extra;
	work();
	MPI_Comm_dup(MPI_COMM_SELF, &d);
	MPI_Comm_free(&d);
	if (left != MPI_COMM_NULL)
		MPI_Comm_free(&left);
	return MPI_SUCCESS;
}
static void handle(MPI_Comm *c, int *code, ...) { (void)c; (void)code; work(); MPI_Barrier(MPI_COMM_SELF); }
static int query(void *x, MPI_Status *s)
{
	(void)x;
	MPI_Status_set_elements(s, MPI_INT, 0);
	MPI_Status_set_cancelled(s, 0);
	s->MPI_SOURCE = s->MPI_TAG = MPI_UNDEFINED;
	work();
	MPI_Barrier(MPI_COMM_SELF);
	return MPI_SUCCESS;
}
static int release(void *x) { (void)x; work(); MPI_Barrier(MPI_COMM_SELF); return MPI_SUCCESS; }
static int cancel(void *x, int complete) { (void)x; (void)complete; return MPI_SUCCESS; }
int main(int argc, char **argv)
{
	MPI_Comm made;
	MPI_Errhandler handler;
	MPI_Request r;
	MPI_Op op;
	int rank, key, v = 1, sum = 0, attribute = 3;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Op_create(combine, 1, &op);
	for (int i = 0; i < 3; i++)
		MPI_Allreduce(&v, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	last(0.1);
	MPI_Comm_create_keyval(copy, delete, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, &attribute);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &left);
	MPI_Barrier(left);
	for (int i = 0; i < 2; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &made);
		MPI_Comm_free(&made);
	}
	MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (int i = 0; i < 4; i++)
		MPI_Send(&v, 1, MPI_INT, 9999, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 2; i++) {
		MPI_Grequest_start(query, release, cancel, NULL, &r);
		MPI_Grequest_complete(r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Comm_dup(MPI_COMM_WORLD, &made);
	MPI_Sendrecv(&v, 1, MPI_INT, 1 - rank, 6, &sum, 1, MPI_INT, 1 - rank, 6, made, MPI_STATUS_IGNORE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	printf("%d works\n", works);
	MPI_Finalize();
	return 0;
}
