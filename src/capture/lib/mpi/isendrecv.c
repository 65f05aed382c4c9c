#include "capture/lib/mpi/isendrecv.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/mpi/inflight.h"
#include "capture/lib/virtual.h"

enum { MOST = 65536 }; /* bytes of a small one */

/* Sends that MPI has not completed at once. */
static struct {
	struct sending {
		MPI_Request request;
		void *copy;
	} * list;
	int n, cap;
} sendings;

static bool is_dense(MPI_Datatype type)
{
	MPI_Aint low, extent, true_low, true_extent;

	return tv_mpi.Type_get_extent(type, &low, &extent) == MPI_SUCCESS &&
	       tv_mpi.Type_get_true_extent(type, &true_low, &true_extent) == MPI_SUCCESS &&
	       low == 0 && true_low == 0 && extent == true_extent && extent > 0 &&
	       (uint64_t)extent == tv_type_size(type);
}

void *tv_exchange_copy(const void *buf, MPI_Count count, MPI_Datatype type)
{
	const uint64_t bytes = is_dense(type) ? tv_bytes(count, type) : 0;
	void *copy = bytes ? malloc(bytes) : NULL;

	if (copy)
		memcpy(copy, buf, bytes);
	return copy;
}

bool tv_isendrecv_is_small(MPI_Count count, MPI_Datatype type)
{
	const uint64_t bytes = tv_bytes(count, type);

	return bytes <= MOST && !tv_virtual_waits(bytes, 0) && is_dense(type);
}

/* Frees the copies of those that are complete. */
static void look(void)
{
	int n = 0;

	for (int i = 0; i < sendings.n; i++) {
		int flag = 0;
		tv_mpi.Test(&sendings.list[i].request, &flag, MPI_STATUS_IGNORE);
		if (flag)
			free(sendings.list[i].copy);
		else
			sendings.list[n++] = sendings.list[i];
	}
	sendings.n = n;
}

static bool has_room(void)
{
	const int more = sendings.cap ? sendings.cap * 2 : 16;
	void *larger;

	if (sendings.n < sendings.cap)
		return true;
	larger = realloc(sendings.list, (size_t)more * sizeof *sendings.list);
	if (!larger)
		return false;
	sendings.list = larger;
	sendings.cap = more;
	return true;
}

int tv_isendrecv_send(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
		      MPI_Comm comm, bool large)
{
	struct sending one = { MPI_REQUEST_NULL, tv_exchange_copy(buf, count, type) };
	int rc;

	look();
	/* No memory: it does not wait for its receiver. */
	if (!has_room() || (!one.copy && tv_bytes(count, type))) {
		free(one.copy);
		return large ? tv_mpi.Send_c(buf, count, type, dest, tag, comm)
			     : tv_mpi.Send(buf, (int)count, type, dest, tag, comm);
	}
	rc = large ? tv_mpi.Isend_c(one.copy, count, type, dest, tag, comm, &one.request)
		   : tv_mpi.Isend(one.copy, (int)count, type, dest, tag, comm, &one.request);
	if (rc != MPI_SUCCESS) {
		free(one.copy);
		return rc;
	}
	sendings.list[sendings.n++] = one;
	look();
	return MPI_SUCCESS;
}
