/* double: a stand-in for a library of MPI 5.0's ABI, for tests where none can be installed: some forty functions that
 * translate handles, constants and statuses to those of MPICH, which is opened in a scope of its own ($MPICH). Compiled with
 * MPICH's mpi.h; of the standard it knows numbers only, not this project's headers.
 *
 * As in MPICH's own library for that ABI a handle that is not built in is MPICH's number, so all sends that are complete at
 * once have one handle. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
struct status {
	int source, tag, error, own[5];
};

static void *mpich(const char *name)
{
	static void *library;
	void *found;

	if (!library)
		library = dlopen(getenv("MPICH") ? getenv("MPICH") : "libmpich.so.12",
				 RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
	found = library ? dlsym(library, name) : NULL;
	if (!found) {
		fprintf(stderr, "double: no %s: %s\n", name, dlerror());
		exit(99);
	}
	return found;
}

/* MPICH's function of that name, looked up once. */
#define REAL(name)                                                       \
	({                                                               \
		static __typeof__(&MPI_##name) found;                    \
		if (!found)                                              \
			*(void **)(void *)&found = mpich("PMPI_" #name); \
		found;                                                   \
	})

struct number {
	unsigned standard, own;
};

static unsigned own_of(handle h, const struct number *known)
{
	for (; known->standard; known++)
		if ((uintptr_t)h == known->standard)
			return known->own;
	return (unsigned)(uintptr_t)h;
}

static handle handle_of(unsigned own, const struct number *known)
{
	for (; known->standard; known++)
		if (own == known->own)
			return (handle)(uintptr_t)known->standard;
	return (handle)(uintptr_t)own;
}

static const struct number comms[] = {
	{ 0x100, MPI_COMM_NULL }, { 0x101, MPI_COMM_WORLD }, { 0x102, MPI_COMM_SELF }, { 0 }
};
static const struct number requests[] = { { 0x180, MPI_REQUEST_NULL }, { 0 } };
static const struct number types[] = { { 0x209, MPI_INT },      { 0x214, MPI_DOUBLE },
				       { 0x243, MPI_CHAR },     { 0x247, MPI_BYTE },
				       { 0x259, MPI_UINT64_T }, { 0 } };
static const struct number ops[] = { { 0x21, MPI_SUM }, { 0 } };
static const struct number groups[] = { { 0x108, MPI_GROUP_NULL }, { 0 } };

static int peer_of(int rank)
{
	return rank == -1 ? MPI_ANY_SOURCE : rank == -3 ? MPI_PROC_NULL : rank;
}

static int tag_of(int tag)
{
	return tag == -2 ? MPI_ANY_TAG : tag;
}

/* MPICH's status is in the ints that the standard leaves to the library: count, then its upper half and the mark of a cancelled
 * request. */
static void put_status(struct status *to, const MPI_Status *from)
{
	if (!to)
		return;
	to->source = from->MPI_SOURCE == MPI_PROC_NULL    ? -3
		     : from->MPI_SOURCE == MPI_ANY_SOURCE ? -1
							  : from->MPI_SOURCE;
	to->tag = from->MPI_TAG == MPI_ANY_TAG ? -2 : from->MPI_TAG;
	to->error = from->MPI_ERROR;
	memcpy(to->own, from, 2 * sizeof(int));
}

static MPI_Status own_status(const struct status *from)
{
	MPI_Status own;

	memset(&own, 0, sizeof own);
	memcpy(&own, from->own, 2 * sizeof(int));
	return own;
}

/* PMPI_X, and MPI_X as a weak name of it; mpi.h has declared those with its own types. */
#define EXPORT(name, parameters)                                              \
	int standard_##name parameters __asm__("PMPI_" #name);                \
	__asm__(".weak MPI_" #name "\n.set MPI_" #name ", PMPI_" #name "\n"); \
	int standard_##name parameters

#define COMM(h) ((MPI_Comm)own_of(h, comms))
#define TYPE(h) ((MPI_Datatype)own_of(h, types))
#define OP(h)   ((MPI_Op)own_of(h, ops))

EXPORT(Abi_get_version, (int *major, int *minor))
{
	*major = 1;
	*minor = 0;
	return 0;
}

EXPORT(Get_library_version, (char *text, int *length))
{
	*length = sprintf(text, "double of the standard ABI");
	return 0;
}

EXPORT(Init, (int *argc, char ***argv))
{
	return REAL(Init)(argc, argv);
}

EXPORT(Finalize, (void))
{
	return REAL(Finalize)();
}

EXPORT(Get_processor_name, (char *name, int *length))
{
	return REAL(Get_processor_name)(name, length);
}

EXPORT(Comm_rank, (handle comm, int *rank))
{
	return REAL(Comm_rank)(COMM(comm), rank);
}

EXPORT(Comm_size, (handle comm, int *size))
{
	return REAL(Comm_size)(COMM(comm), size);
}

EXPORT(Comm_dup, (handle comm, handle *made))
{
	MPI_Comm own;
	const int rc = REAL(Comm_dup)(COMM(comm), &own);

	*made = handle_of((unsigned)own, comms);
	return rc;
}

EXPORT(Comm_split_type, (handle comm, int type, int key, handle info, handle *made))
{
	MPI_Comm own;
	const int rc = REAL(Comm_split_type)(COMM(comm), type == 221 ? MPI_COMM_TYPE_SHARED : type,
					     key, MPI_INFO_NULL, &own);

	(void)info;
	*made = handle_of((unsigned)own, comms);
	return rc;
}

EXPORT(Comm_free, (handle * comm))
{
	MPI_Comm own = COMM(*comm);
	const int rc = REAL(Comm_free)(&own);

	*comm = handle_of((unsigned)own, comms);
	return rc;
}

EXPORT(Comm_test_inter, (handle comm, int *flag))
{
	return REAL(Comm_test_inter)(COMM(comm), flag);
}

EXPORT(Comm_set_errhandler, (handle comm, handle handler))
{
	return REAL(Comm_set_errhandler)(COMM(comm), (uintptr_t)handler == 0x143
							     ? MPI_ERRORS_RETURN
							     : MPI_ERRORS_ARE_FATAL);
}

EXPORT(Topo_test, (handle comm, int *kind))
{
	int own;
	const int rc = REAL(Topo_test)(COMM(comm), &own);

	*kind = own == MPI_CART         ? 211
		: own == MPI_GRAPH      ? 212
		: own == MPI_DIST_GRAPH ? 213
					: -32766;
	return rc;
}

EXPORT(Comm_group, (handle comm, handle *group))
{
	MPI_Group own;
	const int rc = REAL(Comm_group)(COMM(comm), &own);

	*group = handle_of((unsigned)own, groups);
	return rc;
}

EXPORT(Group_size, (handle group, int *size))
{
	return REAL(Group_size)((MPI_Group)own_of(group, groups), size);
}

EXPORT(Group_translate_ranks, (handle from, int n, const int *ranks, handle to, int *out))
{
	return REAL(Group_translate_ranks)((MPI_Group)own_of(from, groups), n, ranks,
					   (MPI_Group)own_of(to, groups), out);
}

EXPORT(Group_free, (handle * group))
{
	MPI_Group own = (MPI_Group)own_of(*group, groups);
	const int rc = REAL(Group_free)(&own);

	*group = handle_of((unsigned)own, groups);
	return rc;
}

EXPORT(Type_size_x, (handle type, int64_t *size))
{
	MPI_Count own;
	const int rc = REAL(Type_size_x)(TYPE(type), &own);

	*size = own;
	return rc;
}

EXPORT(Get_elements_c, (const struct status *status, handle type, int64_t *count))
{
	const MPI_Status own = own_status(status);
	MPI_Count n;
	const int rc = REAL(Get_elements_x)(&own, TYPE(type), &n);

	*count = n;
	return rc;
}

EXPORT(Test_cancelled, (const struct status *status, int *flag))
{
	const MPI_Status own = own_status(status);

	return REAL(Test_cancelled)(&own, flag);
}

EXPORT(Op_create, (MPI_User_function * function, int commutes, handle *op))
{
	MPI_Op own;
	const int rc = REAL(Op_create)(function, commutes, &own);

	*op = handle_of((unsigned)own, ops);
	return rc;
}

EXPORT(Op_free, (handle * op))
{
	MPI_Op own = OP(*op);
	const int rc = REAL(Op_free)(&own);

	*op = (handle)0x20;
	return rc;
}

/* ---- point to point ---- */

EXPORT(Send, (const void *buffer, int n, handle type, int to, int tag, handle comm))
{
	return REAL(Send)(buffer, n, TYPE(type), peer_of(to), tag, COMM(comm));
}

EXPORT(Recv,
       (void *buffer, int n, handle type, int from, int tag, handle comm, struct status *status))
{
	MPI_Status own;
	const int rc =
		REAL(Recv)(buffer, n, TYPE(type), peer_of(from), tag_of(tag), COMM(comm), &own);

	put_status(status, &own);
	return rc;
}

EXPORT(Sendrecv, (const void *buffer, int n, handle type, int to, int tag, void *got, int room,
		  handle got_type, int from, int got_tag, handle comm, struct status *status))
{
	MPI_Status own;
	const int rc =
		REAL(Sendrecv)(buffer, n, TYPE(type), peer_of(to), tag, got, room, TYPE(got_type),
			       peer_of(from), tag_of(got_tag), COMM(comm), &own);

	put_status(status, &own);
	return rc;
}

EXPORT(Isend,
       (const void *buffer, int n, handle type, int to, int tag, handle comm, handle *request))
{
	MPI_Request own;
	const int rc = REAL(Isend)(buffer, n, TYPE(type), peer_of(to), tag, COMM(comm), &own);

	*request = handle_of((unsigned)own, requests);
	return rc;
}

EXPORT(Irecv, (void *buffer, int n, handle type, int from, int tag, handle comm, handle *request))
{
	MPI_Request own;
	const int rc =
		REAL(Irecv)(buffer, n, TYPE(type), peer_of(from), tag_of(tag), COMM(comm), &own);

	*request = handle_of((unsigned)own, requests);
	return rc;
}

EXPORT(Wait, (handle * request, struct status *status))
{
	MPI_Request own = (MPI_Request)own_of(*request, requests);
	MPI_Status got;
	const int rc = REAL(Wait)(&own, &got);

	*request = handle_of((unsigned)own, requests);
	put_status(status, &got);
	return rc;
}

EXPORT(Waitall, (int n, handle *request, struct status *statuses))
{
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i++)
		rc = standard_Wait(&request[i], statuses ? &statuses[i] : NULL);
	return rc;
}

EXPORT(Cancel, (handle * request))
{
	MPI_Request own = (MPI_Request)own_of(*request, requests);

	return REAL(Cancel)(&own);
}

static const struct number messages[] = { { 0x128, MPI_MESSAGE_NULL },
					  { 0x129, MPI_MESSAGE_NO_PROC },
					  { 0 } };

EXPORT(Iprobe, (int from, int tag, handle comm, int *flag, struct status *status))
{
	MPI_Status own;
	const int rc = REAL(Iprobe)(peer_of(from), tag_of(tag), COMM(comm), flag, &own);

	put_status(*flag ? status : NULL, &own);
	return rc;
}

EXPORT(Mprobe, (int from, int tag, handle comm, handle *message, struct status *status))
{
	MPI_Message own;
	MPI_Status got;
	const int rc = REAL(Mprobe)(peer_of(from), tag_of(tag), COMM(comm), &own, &got);

	*message = handle_of((unsigned)own, messages);
	put_status(status, &got);
	return rc;
}

EXPORT(Mrecv, (void *buffer, int n, handle type, handle *message, struct status *status))
{
	MPI_Message own = (MPI_Message)own_of(*message, messages);
	MPI_Status got;
	const int rc = REAL(Mrecv)(buffer, n, TYPE(type), &own, &got);

	*message = handle_of((unsigned)own, messages);
	put_status(status, &got);
	return rc;
}

/* ---- collectives ---- */

EXPORT(Barrier, (handle comm))
{
	return REAL(Barrier)(COMM(comm));
}

EXPORT(Bcast, (void *buffer, int n, handle type, int root, handle comm))
{
	return REAL(Bcast)(buffer, n, TYPE(type), root, COMM(comm));
}

EXPORT(Allreduce, (const void *buffer, void *got, int n, handle type, handle op, handle comm))
{
	return REAL(Allreduce)(buffer == (void *)1 ? MPI_IN_PLACE : buffer, got, n, TYPE(type),
			       OP(op), COMM(comm));
}

EXPORT(Allgather,
       (const void *buffer, int n, handle type, void *got, int m, handle got_type, handle comm))
{
	return REAL(Allgather)(buffer, n, TYPE(type), got, m, TYPE(got_type), COMM(comm));
}
