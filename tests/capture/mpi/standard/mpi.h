/* mpi.h of MPI 5.0's ABI, as far as the tests' programs need it. */
#pragma once

#include "capture/lib/mpi/abi_standard.h"

#define MPI_SUM    ((MPI_Op)0x21)
#define MPI_DOUBLE ((MPI_Datatype)0x214)

typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);

#define TV_CALL(...)
#include "capture/lib/mpi/functions.h"
#undef TV_CALL

int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);
