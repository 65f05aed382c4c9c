/* abi_standard: the types and constants of the ABI that MPI 5.0 defines (chapter 20, version 1.0).
 * tests/capture/standard_test compares it with the numbers of the standard.
 *
 * Handles are pointers, those of built-in objects small numbers. What is in a status is the
 * library's own, so it is asked for by functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_ABI      tv_abi_standard
#define TV_ABI_NAME "standard ABI"

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count, MPI_Offset;

typedef struct {
	int MPI_SOURCE, MPI_TAG, MPI_ERROR;
	int internal[5];
} MPI_Status;

#define MPI_COMM_WORLD      ((MPI_Comm)0x101)
#define MPI_COMM_SELF       ((MPI_Comm)0x102)
#define MPI_COMM_NULL       ((MPI_Comm)0x100)
#define MPI_REQUEST_NULL    ((MPI_Request)0x180)
#define MPI_MESSAGE_NULL    ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_DATATYPE_NULL   ((MPI_Datatype)0x200)
#define MPI_CHAR            ((MPI_Datatype)0x243)
#define MPI_BYTE            ((MPI_Datatype)0x247)
#define MPI_INT             ((MPI_Datatype)0x209)
#define MPI_UINT64_T        ((MPI_Datatype)0x259)
#define MPI_NO_OP           ((MPI_Op)0x3d)
#define MPI_INFO_NULL       ((MPI_Info)0x130)
#define MPI_ERRORS_RETURN   ((MPI_Errhandler)0x143)
#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

enum {
	MPI_SUCCESS = 0,
	MPI_ERR_ARG = 13,
	MPI_ERR_TRUNCATE = 15,
	MPI_ERR_IN_STATUS = 19,
	MPI_ERR_PENDING = 18,
	MPI_PROC_NULL = -3,
	MPI_ANY_SOURCE = -1,
	MPI_ROOT = -4,
	MPI_ANY_TAG = -2,
	MPI_UNDEFINED = -32766,
	MPI_IDENT = 201,
	MPI_THREAD_MULTIPLE = 4096,
	MPI_COMM_TYPE_SHARED = 221,
	MPI_LOCK_SHARED = 302,
	MPI_CART = 211,
	MPI_GRAPH = 212,
	MPI_DIST_GRAPH = 213,
};

#define TV_KEY(handle)    ((uint64_t)(uintptr_t)(handle))
#define TV_KEY_IS_POINTER true

/* TV_KEY() of an operand (operands.def); 0: there is none. */
#define TV_OPERAND(find, mpich, openmpi, standard) ((uint64_t)(standard))

/* The status of MPI_Isendrecv is that of its receive. */
enum { TV_EXCHANGE_SAYS = true };

/* What is found in the library. */
typedef int tv_get_elements(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
typedef int tv_test_cancelled(const MPI_Status *status, int *flag);
enum { TV_SHARED_MAX = 4 };
#define TV_CONSTANTS
struct tv_constants {
	tv_get_elements *get_elements;
	tv_test_cancelled *test_cancelled;
	MPI_Request shared[TV_SHARED_MAX]; /* tv_request_learn() */
};

extern struct tv_constants tv_constants;

/* Which handles a library gives to everybody whose request is complete at once is its own affair,
 * so they are learnt: such a handle is given out while it is still in the table of requests. */
enum { TV_SHARED_KNOWN = false };

static inline bool tv_request_is_shared(MPI_Request handle)
{
	for (int i = 0; i < TV_SHARED_MAX; i++) {
		const MPI_Request known =
			__atomic_load_n(&tv_constants.shared[i], __ATOMIC_RELAXED);
		if (!known || known == handle)
			return known != NULL;
	}
	return false;
}

static inline void tv_request_learn(MPI_Request handle)
{
	for (int i = 0; i < TV_SHARED_MAX; i++) {
		MPI_Request none = NULL;
		if (__atomic_compare_exchange_n(&tv_constants.shared[i], &none, handle, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    none == handle)
			return;
	}
}

static inline MPI_Comm tv_handle_of(uint64_t key)
{
	return (MPI_Comm)(uintptr_t)key;
}

static inline uint64_t tv_status_bytes(const MPI_Status *status)
{
	MPI_Count bytes = 0;

	if (!tv_constants.get_elements ||
	    tv_constants.get_elements(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
		return 0;
	return (uint64_t)bytes;
}

static inline int tv_status_cancelled(const MPI_Status *status)
{
	int flag = 0;

	if (tv_constants.test_cancelled)
		tv_constants.test_cancelled(status, &flag);
	return flag;
}

/* Handles of types of a fixed size have the binary logarithm of it in bits 3 to 5; that of the
 * others (int, long) is the platform's. */
static inline uint64_t tv_builtin_size(MPI_Datatype type)
{
	const uint64_t handle = TV_KEY(type);

	return (handle & ~UINT64_C(0xbf)) == 0x240 ? UINT64_C(1) << (handle >> 3 & 7) : 0;
}

static inline void tv_find_constants(void *(*find)(const char *name))
{
	*(void **)(void *)&tv_constants.get_elements = find("PMPI_Get_elements_c");
	*(void **)(void *)&tv_constants.test_cancelled = find("PMPI_Test_cancelled");
}
