/* Calls of MPI inside calls of MPI, in functions without probes. Each rank frees the first one of 12
 * communicators; the attribute of each frees the next. Then it frees one whose attribute calls MPI_Sendrecv
 * and a failing MPI_Send, which an error handler leaves by longjmp, then MPI_Barrier. Then the ranks call MPI_Barrier, and
 * exchange one message. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
enum { DEPTH = 12 };
static MPI_Comm chain[DEPTH];
static jmp_buf back;
static int next(MPI_Comm c, int key, void *value, void *extra)
{
	MPI_Comm *one = value;
	(void)c; (void)key; (void)extra;
	if (one < chain + DEPTH)
		MPI_Comm_free(one);
	return MPI_SUCCESS;
}
static void leave(MPI_Comm *c, int *code, ...) { (void)c; (void)code; longjmp(back, 1); }
static int jump(MPI_Comm c, int key, void *value, void *extra)
{
	int v = 1, w;
	(void)c; (void)key; (void)value; (void)extra;
	MPI_Sendrecv(&v, 1, MPI_INT, 0, 4, &w, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	if (!setjmp(back))
		MPI_Send(&v, 1, MPI_INT, 9999, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_SELF);
	return MPI_SUCCESS;
}
int main(int argc, char **argv)
{
	MPI_Errhandler handler;
	MPI_Comm one;
	int rank, key, v = 1, w = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, next, &key, NULL);
	for (int i = 0; i < DEPTH; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &chain[i]);
		MPI_Comm_set_attr(chain[i], key, &chain[i + 1]);
	}
	MPI_Comm_free(&chain[0]);
	MPI_Comm_dup(MPI_COMM_WORLD, &one);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, jump, &key, NULL);
	MPI_Comm_set_attr(one, key, &one);
	MPI_Comm_create_errhandler(leave, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	MPI_Comm_free(&one);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Sendrecv(&v, 1, MPI_INT, 1 - rank, 6, &w, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("%d\n", w);
	MPI_Finalize();
	return 0;
}
