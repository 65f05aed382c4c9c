/* abi_mpich: the types and constants of MPICH's ABI, which MVAPICH, Intel MPI, Cray MPICH and
 * ParaStation share. tests/capture/every_test compares it with MPICH's own mpi.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_ABI      tv_abi_mpich
#define TV_ABI_NAME "MPICH"

typedef int MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_Group, MPI_Info, MPI_Message, MPI_Op,
	MPI_Request, MPI_Session, MPI_Win;
typedef struct ADIOI_FileD *MPI_File;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Count, MPI_Offset;

typedef struct {
	int count_lo, count_hi_and_cancelled;
	int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;

#define MPI_COMM_WORLD      ((MPI_Comm)0x44000000)
#define MPI_COMM_SELF       ((MPI_Comm)0x44000001)
#define MPI_COMM_NULL       ((MPI_Comm)0x04000000)
#define MPI_REQUEST_NULL    ((MPI_Request)0x2c000000)
#define MPI_MESSAGE_NULL    ((MPI_Message)0x2c000000)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x6c000000)
#define MPI_DATATYPE_NULL   ((MPI_Datatype)0x0c000000)
#define MPI_CHAR            ((MPI_Datatype)0x4c000101)
#define MPI_BYTE            ((MPI_Datatype)0x4c00010d)
#define MPI_INT             ((MPI_Datatype)0x4c000405)
#define MPI_UINT64_T        ((MPI_Datatype)0x4c00083e)
#define MPI_NO_OP           ((MPI_Op)0x5800000e)
#define MPI_INFO_NULL       ((MPI_Info)0x1c000000)
#define MPI_ERRORS_RETURN   ((MPI_Errhandler)0x54000001)
#define MPI_IN_PLACE        ((void *)-1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)1)

enum {
	MPI_SUCCESS = 0,
	MPI_ERR_ARG = 12,
	MPI_ERR_TRUNCATE = 14,
	MPI_ERR_IN_STATUS = 17,
	MPI_ERR_PENDING = 18,
	MPI_PROC_NULL = -1,
	MPI_ANY_SOURCE = -2,
	MPI_ROOT = -3,
	MPI_ANY_TAG = -1,
	MPI_UNDEFINED = -32766,
	MPI_IDENT = 0,
	MPI_THREAD_MULTIPLE = 3,
	MPI_COMM_TYPE_SHARED = 1,
	MPI_LOCK_SHARED = 235,
	MPI_GRAPH = 1,
	MPI_CART = 2,
	MPI_DIST_GRAPH = 3,
};

/* A handle as a number; a negative one must not be widened by its sign. */
#define TV_KEY(handle)    ((uint64_t)(uint32_t)(handle))
#define TV_KEY_IS_POINTER false

/* TV_KEY() of an operand (operands.def); 0: there is none. */
#define TV_OPERAND(find, mpich, openmpi, standard) ((uint64_t)(mpich))

/* MPICH 4.0 does not write the status of MPI_Isendrecv. */
enum { TV_EXCHANGE_SAYS = false };

/* Built-in requests are complete as they are given out, the same to everybody: 0x6c00000K, K the
 * kind of request. */
static inline bool tv_request_is_shared(MPI_Request handle)
{
	return ((uint32_t)handle & 0xff000000u) == 0x6c000000u;
}

/* All of them. */
enum { TV_SHARED_KNOWN = true };
static inline void tv_request_learn(MPI_Request handle)
{
	(void)handle;
}

static inline MPI_Comm tv_handle_of(uint64_t key)
{
	return (MPI_Comm)(uint32_t)key;
}

/* Bytes that a status says were received; 0 where that is unknown. */
static inline uint64_t tv_status_bytes(const MPI_Status *status)
{
	return (uint64_t)(uint32_t)status->count_lo |
	       (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
}

static inline int tv_status_cancelled(const MPI_Status *status)
{
	return status->count_hi_and_cancelled & 1;
}

/* Bytes of an element of a built-in type, whose handle carries them: 0x4c00SSNN. 0: ask MPI. */
static inline uint64_t tv_builtin_size(MPI_Datatype type)
{
	return ((uint32_t)type & 0xffff0000u) == 0x4c000000u ? (uint32_t)type >> 8 & 0xff : 0;
}

/* MPICH's handles are numbers that nothing has to be looked up for. */
static inline void tv_find_constants(void *(*find)(const char *name))
{
	(void)find;
}
