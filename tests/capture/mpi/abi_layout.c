/* abi_layout: what src/capture/lib/mpi/abi_*.h say of an ABI against the mpi.h of that MPI. This file is compiled with mpi.h
 * and prints; with -DOURS and the header of ours it prints the same, or one of them is wrong. Handles that are addresses are
 * printed as the names of their objects by the linker, so only their sizes are. */
#ifdef OURS
#include TV_HEADER
#else
#include <mpi.h>
#define internal MPI_internal
#define cancelled _cancelled
#define bytes     _ucount
#endif
#include <stddef.h>
#include <stdio.h>

#define VALUE(name)      printf(#name " %lld\n", (long long)(name));
#define SIZE(type)       printf(#type " %zu\n", sizeof(type));
#define FIELD(field)     printf(#field " %zu\n", offsetof(MPI_Status, field));
#define ADDRESS(pointer) printf(#pointer " %lld\n", (long long)(ptrdiff_t)(pointer));

int main(void)
{
	SIZE(MPI_Comm) SIZE(MPI_Datatype) SIZE(MPI_Errhandler) SIZE(MPI_Group) SIZE(MPI_Info)
	SIZE(MPI_Message) SIZE(MPI_Op) SIZE(MPI_Request) SIZE(MPI_Win) SIZE(MPI_File)
	SIZE(MPI_Aint) SIZE(MPI_Count) SIZE(MPI_Offset) SIZE(MPI_Status)
	FIELD(MPI_SOURCE) FIELD(MPI_TAG) FIELD(MPI_ERROR)
#ifdef MPICH
	FIELD(count_lo) FIELD(count_hi_and_cancelled)
#elif defined STANDARD
	FIELD(internal)
#else
	FIELD(cancelled) FIELD(bytes)
#endif
#if defined MPICH || defined STANDARD
	VALUE(MPI_COMM_WORLD) VALUE(MPI_COMM_SELF) VALUE(MPI_COMM_NULL) VALUE(MPI_REQUEST_NULL)
	VALUE(MPI_MESSAGE_NULL) VALUE(MPI_MESSAGE_NO_PROC) VALUE(MPI_DATATYPE_NULL) VALUE(MPI_CHAR)
	VALUE(MPI_BYTE) VALUE(MPI_INT) VALUE(MPI_UINT64_T) VALUE(MPI_INFO_NULL)
	VALUE(MPI_ERRORS_RETURN) VALUE(MPI_NO_OP)
#endif
	ADDRESS(MPI_IN_PLACE) ADDRESS(MPI_STATUS_IGNORE) ADDRESS(MPI_STATUSES_IGNORE)
	VALUE(MPI_SUCCESS) VALUE(MPI_ERR_ARG) VALUE(MPI_ERR_TRUNCATE)
	VALUE(MPI_ERR_IN_STATUS) VALUE(MPI_ERR_PENDING) VALUE(MPI_PROC_NULL) VALUE(MPI_ANY_SOURCE)
	VALUE(MPI_ROOT) VALUE(MPI_ANY_TAG) VALUE(MPI_UNDEFINED) VALUE(MPI_THREAD_MULTIPLE)
	VALUE(MPI_COMM_TYPE_SHARED) VALUE(MPI_CART) VALUE(MPI_GRAPH) VALUE(MPI_DIST_GRAPH)
	VALUE(MPI_LOCK_SHARED)
	return 0;
}
