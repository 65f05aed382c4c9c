/* abi_openmpi: the types and constants of Open MPI's ABI (since 1.7; 5 keeps it).
 * tests/capture/every_test compares it with Open MPI's own mpi.h.
 *
 * A handle is the address of an object of the library, and a program that is linked in the usual
 * way has a copy of the object (a copy relocation): the address that counts is what the program's
 * scope gives, so it is found at run time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TV_ABI      tv_abi_openmpi
#define TV_ABI_NAME "Open MPI"

typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_errhandler_t *MPI_Errhandler;
typedef struct ompi_file_t *MPI_File;
typedef struct ompi_group_t *MPI_Group;
typedef struct ompi_info_t *MPI_Info;
typedef struct ompi_message_t *MPI_Message;
typedef struct ompi_op_t *MPI_Op;
typedef struct ompi_request_t *MPI_Request;
typedef struct ompi_instance_t *MPI_Session;
typedef struct ompi_win_t *MPI_Win;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Count, MPI_Offset;

typedef struct {
	int MPI_SOURCE, MPI_TAG, MPI_ERROR;
	int cancelled;
	size_t bytes;
} MPI_Status;

/* TV_CONSTANT(MPI's name, type, the library's name) */
#define TV_CONSTANTS(TV_CONSTANT)                                        \
	TV_CONSTANT(COMM_WORLD, MPI_Comm, ompi_mpi_comm_world)           \
	TV_CONSTANT(COMM_SELF, MPI_Comm, ompi_mpi_comm_self)             \
	TV_CONSTANT(COMM_NULL, MPI_Comm, ompi_mpi_comm_null)             \
	TV_CONSTANT(REQUEST_NULL, MPI_Request, ompi_request_null)        \
	TV_CONSTANT(REQUEST_EMPTY, MPI_Request, ompi_request_empty)      \
	TV_CONSTANT(MESSAGE_NULL, MPI_Message, ompi_message_null)        \
	TV_CONSTANT(MESSAGE_NO_PROC, MPI_Message, ompi_message_no_proc)  \
	TV_CONSTANT(DATATYPE_NULL, MPI_Datatype, ompi_mpi_datatype_null) \
	TV_CONSTANT(CHAR, MPI_Datatype, ompi_mpi_char)                   \
	TV_CONSTANT(BYTE, MPI_Datatype, ompi_mpi_byte)                   \
	TV_CONSTANT(INT, MPI_Datatype, ompi_mpi_int)                     \
	TV_CONSTANT(UINT64_T, MPI_Datatype, ompi_mpi_uint64_t)           \
	TV_CONSTANT(NO_OP, MPI_Op, ompi_mpi_op_no_op)                    \
	TV_CONSTANT(INFO_NULL, MPI_Info, ompi_mpi_info_null)             \
	TV_CONSTANT(ERRORS_RETURN, MPI_Errhandler, ompi_mpi_errors_return)

struct tv_constants {
#define TV_CONSTANT(name, type, symbol) type name;
	TV_CONSTANTS(TV_CONSTANT)
#undef TV_CONSTANT
};

extern struct tv_constants tv_constants;

#define MPI_COMM_WORLD      (tv_constants.COMM_WORLD)
#define MPI_COMM_SELF       (tv_constants.COMM_SELF)
#define MPI_COMM_NULL       (tv_constants.COMM_NULL)
#define MPI_REQUEST_NULL    (tv_constants.REQUEST_NULL)
#define MPI_MESSAGE_NULL    (tv_constants.MESSAGE_NULL)
#define MPI_MESSAGE_NO_PROC (tv_constants.MESSAGE_NO_PROC)
#define MPI_DATATYPE_NULL   (tv_constants.DATATYPE_NULL)
#define MPI_CHAR            (tv_constants.CHAR)
#define MPI_BYTE            (tv_constants.BYTE)
#define MPI_INT             (tv_constants.INT)
#define MPI_UINT64_T        (tv_constants.UINT64_T)
#define MPI_NO_OP           (tv_constants.NO_OP)
#define MPI_INFO_NULL       (tv_constants.INFO_NULL)
#define MPI_ERRORS_RETURN   (tv_constants.ERRORS_RETURN)
#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

enum {
	MPI_SUCCESS = 0,
	MPI_ERR_ARG = 13,
	MPI_ERR_TRUNCATE = 15,
	MPI_ERR_IN_STATUS = 18,
	MPI_ERR_PENDING = 19,
	MPI_PROC_NULL = -2,
	MPI_ANY_SOURCE = -1,
	MPI_ROOT = -4,
	MPI_ANY_TAG = -1,
	MPI_UNDEFINED = -32766,
	MPI_IDENT = 0,
	MPI_THREAD_MULTIPLE = 3,
	MPI_COMM_TYPE_SHARED = 0,
	MPI_LOCK_SHARED = 2,
	MPI_CART = 1,
	MPI_GRAPH = 2,
	MPI_DIST_GRAPH = 3,
};

#define TV_KEY(handle)    ((uint64_t)(uintptr_t)(handle))
#define TV_KEY_IS_POINTER true

/* TV_KEY() of an operand (operands.def); 0: there is none. */
#define TV_OPERAND(find, mpich, openmpi, standard) ((uint64_t)(uintptr_t)find(#openmpi))

/* The status of MPI_Isendrecv is that of its receive. */
enum { TV_EXCHANGE_SAYS = true };

/* The library gives this one to everybody whose request is complete at once. */
static inline bool tv_request_is_shared(MPI_Request handle)
{
	return handle == tv_constants.REQUEST_EMPTY;
}

/* All of them. */
enum { TV_SHARED_KNOWN = true };
static inline void tv_request_learn(MPI_Request handle)
{
	(void)handle;
}

static inline MPI_Comm tv_handle_of(uint64_t key)
{
	return (MPI_Comm)(uintptr_t)key;
}

static inline uint64_t tv_status_bytes(const MPI_Status *status)
{
	return status->bytes;
}

static inline int tv_status_cancelled(const MPI_Status *status)
{
	return status->cancelled;
}

static inline uint64_t tv_builtin_size(MPI_Datatype type)
{
	(void)type;
	return 0;
}

static inline void tv_find_constants(void *(*find)(const char *name))
{
#define TV_CONSTANT(name, type, symbol) tv_constants.name = (type)find(#symbol);
	TV_CONSTANTS(TV_CONSTANT)
#undef TV_CONSTANT
}
