/* pmpi: MPI as one ABI has it: its functions as they were found in the process, and the wrappers
 * that stand before them.
 *
 * Everything in this folder is compiled once for each ABI (abi_NAME.h, which the Makefile
 * includes before all else), without any mpi.h, and linked into one object of which only the
 * table TV_ABI is visible. The rest of the library knows handles as numbers (TV_KEY) and nothing
 * of MPI's types. */
#pragma once

#include "capture/lib/abi.h"
#include "capture/lib/recorder.h"

typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);

#include "capture/lib/mpi/functions.h"

/* ---- parameters and arguments of a list of types; the last one is called `last` ---- */

#define TV_PARAMS1(type)       type last
#define TV_PARAMS2(type, ...)  type a2, TV_PARAMS1(__VA_ARGS__)
#define TV_PARAMS3(type, ...)  type a3, TV_PARAMS2(__VA_ARGS__)
#define TV_PARAMS4(type, ...)  type a4, TV_PARAMS3(__VA_ARGS__)
#define TV_PARAMS5(type, ...)  type a5, TV_PARAMS4(__VA_ARGS__)
#define TV_PARAMS6(type, ...)  type a6, TV_PARAMS5(__VA_ARGS__)
#define TV_PARAMS7(type, ...)  type a7, TV_PARAMS6(__VA_ARGS__)
#define TV_PARAMS8(type, ...)  type a8, TV_PARAMS7(__VA_ARGS__)
#define TV_PARAMS9(type, ...)  type a9, TV_PARAMS8(__VA_ARGS__)
#define TV_PARAMS10(type, ...) type a10, TV_PARAMS9(__VA_ARGS__)
#define TV_PARAMS11(type, ...) type a11, TV_PARAMS10(__VA_ARGS__)
#define TV_PARAMS12(type, ...) type a12, TV_PARAMS11(__VA_ARGS__)
#define TV_PARAMS13(type, ...) type a13, TV_PARAMS12(__VA_ARGS__)

#define TV_ARGS1  last
#define TV_ARGS2  a2, TV_ARGS1
#define TV_ARGS3  a3, TV_ARGS2
#define TV_ARGS4  a4, TV_ARGS3
#define TV_ARGS5  a5, TV_ARGS4
#define TV_ARGS6  a6, TV_ARGS5
#define TV_ARGS7  a7, TV_ARGS6
#define TV_ARGS8  a8, TV_ARGS7
#define TV_ARGS9  a9, TV_ARGS8
#define TV_ARGS10 a10, TV_ARGS9
#define TV_ARGS11 a11, TV_ARGS10
#define TV_ARGS12 a12, TV_ARGS11
#define TV_ARGS13 a13, TV_ARGS12

#define TV_NTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, ...) n

#define TV_COUNT(...)  TV_NTH(__VA_ARGS__, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define TV_PASTE(a, b) a##b
#define TV_JOIN(a, b)  TV_PASTE(a, b)

#define TV_PARAMS(...)    (TV_JOIN(TV_PARAMS, TV_COUNT(__VA_ARGS__))(__VA_ARGS__))
#define TV_ARGUMENTS(...) (TV_JOIN(TV_ARGS, TV_COUNT(__VA_ARGS__)))

typedef int tv_range[3]; /* first, last and stride of ranks */

#define TV_DECLARE_OWN(...)
#define TV_DECLARE_PLAIN(name, ...)        int MPI_##name TV_PARAMS(__VA_ARGS__);
#define TV_DECLARE_MADE(name, ...)         TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_MET(name, ...)          TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_SPAWNED(name, ...)      TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_CART(name, ...)         TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_COLL(name, ...)         TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_RMA(name, ...)          TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_STARTED(name, ...)      TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_STARTED_ALL(name, ...)  TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_TRANSFER(name, ...)     TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_TRANSFER_ALL(name, ...) TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_FILE_ALL(name, ...)     TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_SPLIT_BEGIN(name, ...)  TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_DECLARE_SPLIT_END(name, ...)    TV_DECLARE_PLAIN(name, __VA_ARGS__)
#define TV_CALL(name, kind, ...)           TV_DECLARE_##kind(name, __VA_ARGS__)
#include "capture/lib/calls.def"

/* Those that the library calls and has no wrapper for: TV_USED(name) */
#define TV_USES(TV_USED)             \
	TV_USED(Type_size_x)         \
	TV_USED(Error_class)         \
	TV_USED(Get_processor_name)  \
	TV_USED(Get_library_version) \
	TV_USED(Comm_set_errhandler) \
	TV_USED(Grequest_start)      \
	TV_USED(Grequest_complete)

struct tv_functions {
#define TV_CALL(name, ...) __typeof__(&MPI_##name) name;
#include "capture/lib/calls.def"
#define TV_USED(name) __typeof__(&MPI_##name) name;
	TV_USES(TV_USED)
#undef TV_USED
};

extern struct tv_functions tv_mpi;  /* MPI's own: PMPI_ */
extern struct tv_functions tv_tool; /* what the program's calls go on to: another tool's MPI_, else
				       as tv_mpi */

/* What a wrapper goes on to: as it was entered, MPI_X to MPI_X, PMPI_X to PMPI_X. */
#define TV_NEXT(name) \
	(TV_LIKELY(!tv_entry.chained) || tv_entered_pmpi() ? tv_mpi.name : tv_tool.name)

/* The wrappers are not MPI's functions themselves: entry.c has those names, and jumps. */
#define TV_CALL(name, ...) extern __typeof__(MPI_##name) tv_wrap_##name;
#include "capture/lib/calls.def"

/* A rank or a wildcard, the same in all ABIs. */
static inline int tv_peer(int rank)
{
	return rank == MPI_ANY_SOURCE  ? TV_PEER_ANYBODY
	       : rank == MPI_PROC_NULL ? TV_PEER_NOBODY
				       : rank;
}
