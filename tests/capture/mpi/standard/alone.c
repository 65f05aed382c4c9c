/* alone: a library of MPI 5.0's ABI for one process, which sends to itself only: for processors that no MPI is installed for.
 * Of the standard it knows numbers only. A message is copied when it is sent; a request is complete when it is waited for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
struct status {
	int source, tag, error;
	int bytes, cancelled, own[3];
};
struct message {
	struct message *next;
	int tag;
	size_t size;
	char bytes[];
};
struct request {
	void *buffer; /* of a receive; NULL: of a send */
	int tag, nobody, cancelled;
};
static struct message *sent;

static size_t size_of(handle type)
{
	switch ((uintptr_t)type) {
	case 0x209: return sizeof(int);
	case 0x214: return sizeof(double);
	case 0x259: return 8;
	default: return 1;
	}
}

/* PMPI_X, and MPI_X as a weak name of it. */
#define EXPORT(name, parameters)                                               \
	int PMPI_##name parameters;                                            \
	int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name))); \
	int PMPI_##name parameters
/* Of those that have nothing to do. */
#define NOTHING(name)                                                     \
	int PMPI_##name(void);                                            \
	int MPI_##name(void) __attribute__((weak, alias("PMPI_" #name))); \
	int PMPI_##name(void)                                             \
	{                                                                 \
		return 0;                                                 \
	}
/* Of those that say one number through their second parameter. */
#define SAYS(name, number)                  \
	EXPORT(name, (handle of, int *out)) \
	{                                   \
		(void)of;                   \
		*out = number;              \
		return 0;                   \
	}

NOTHING(Init)
NOTHING(Finalize)
NOTHING(Barrier)
NOTHING(Bcast)
NOTHING(Op_free)
NOTHING(Group_free)
NOTHING(Comm_set_errhandler)
SAYS(Comm_rank, 0)
SAYS(Comm_size, 1)
SAYS(Comm_test_inter, 0)
SAYS(Topo_test, -32766)
SAYS(Group_size, 1)

EXPORT(Abi_get_version, (int *major, int *minor))
{
	*major = 1;
	*minor = 0;
	return 0;
}

static int text(char *to, int *length)
{
	strcpy(to, "alone");
	*length = 5;
	return 0;
}

EXPORT(Get_library_version, (char *to, int *length))
{
	return text(to, length);
}

EXPORT(Get_processor_name, (char *to, int *length))
{
	return text(to, length);
}

EXPORT(Comm_dup, (handle comm, handle *made))
{
	static uintptr_t next = 0x10000;

	(void)comm;
	*made = (handle)(next += 0x100);
	return 0;
}

EXPORT(Comm_free, (handle * comm))
{
	*comm = (handle)0x100;
	return 0;
}

EXPORT(Comm_group, (handle comm, handle *group))
{
	(void)comm;
	*group = (handle)0x10000;
	return 0;
}

EXPORT(Group_translate_ranks, (handle from, int n, const int *ranks, handle to, int *out))
{
	(void)from;
	(void)to;
	memcpy(out, ranks, (size_t)n * sizeof *out);
	return 0;
}

EXPORT(Type_size_x, (handle type, int64_t *size))
{
	*size = (int64_t)size_of(type);
	return 0;
}

EXPORT(Get_elements_c, (const struct status *status, handle type, int64_t *count))
{
	*count = (int64_t)((size_t)status->bytes / size_of(type));
	return 0;
}

EXPORT(Test_cancelled, (const struct status *status, int *flag))
{
	*flag = status->cancelled;
	return 0;
}

EXPORT(Op_create, (void *function, int commutes, handle *op))
{
	(void)function;
	(void)commutes;
	*op = (handle)0x10000;
	return 0;
}

EXPORT(Send, (const void *buffer, int n, handle type, int to, int tag, handle comm))
{
	const size_t size = (size_t)n * size_of(type);
	struct message *m, **end = &sent;

	(void)comm;
	if (to != 0)
		return 0;
	m = calloc(1, sizeof *m + size);
	m->tag = tag;
	m->size = size;
	memcpy(m->bytes, buffer, size);
	while (*end)
		end = &(*end)->next;
	*end = m;
	return 0;
}

/* Takes the message of that tag, which is there. */
static int receive(void *buffer, int from, int tag, struct status *status)
{
	struct message **at = &sent, *m;
	struct status said = { .source = from, .tag = tag };

	while (from == 0 && *at && (*at)->tag != tag)
		at = &(*at)->next;
	m = from == 0 ? *at : NULL;
	if (m) {
		memcpy(buffer, m->bytes, m->size);
		said.bytes = (int)m->size;
		*at = m->next;
		free(m);
	}
	if (status)
		*status = said;
	return from == 0 && !m;
}

EXPORT(Recv,
       (void *buffer, int n, handle type, int from, int tag, handle comm, struct status *status))
{
	(void)n;
	(void)type;
	(void)comm;
	return receive(buffer, from, tag, status);
}

EXPORT(Sendrecv, (const void *buffer, int n, handle type, int to, int tag, void *got, int room,
		  handle got_type, int from, int got_tag, handle comm, struct status *status))
{
	(void)room;
	(void)got_type;
	return PMPI_Send(buffer, n, type, to, tag, comm) || receive(got, from, got_tag, status);
}

static int start(void *buffer, int peer, int tag, handle *request)
{
	struct request *r = calloc(1, sizeof *r);

	r->buffer = buffer;
	r->tag = tag;
	r->nobody = peer != 0;
	*request = r;
	return 0;
}

EXPORT(Isend,
       (const void *buffer, int n, handle type, int to, int tag, handle comm, handle *request))
{
	return PMPI_Send(buffer, n, type, to, tag, comm) || start(NULL, to, tag, request);
}

EXPORT(Irecv, (void *buffer, int n, handle type, int from, int tag, handle comm, handle *request))
{
	(void)n;
	(void)type;
	(void)comm;
	return start(buffer, from, tag, request);
}

EXPORT(Wait, (handle * request, struct status *status))
{
	struct request *r = *request;
	int rc = 0;

	if (r->cancelled && status)
		*status = (struct status){ .cancelled = 1 };
	else if (!r->cancelled && r->buffer)
		rc = receive(r->buffer, r->nobody ? -3 : 0, r->tag, status);
	free(r);
	*request = (handle)0x180;
	return rc;
}

EXPORT(Waitall, (int n, handle *requests, struct status *statuses))
{
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i++)
		rc = PMPI_Wait(&requests[i], statuses ? &statuses[i] : NULL);
	return rc;
}

EXPORT(Cancel, (handle * request))
{
	((struct request *)*request)->cancelled = 1;
	return 0;
}

EXPORT(Allreduce, (const void *buffer, void *got, int n, handle type, handle op, handle comm))
{
	(void)op;
	(void)comm;
	if (buffer != (void *)1)
		memcpy(got, buffer, (size_t)n * size_of(type));
	return 0;
}
