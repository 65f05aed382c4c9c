/* The table of one ABI. */
#include "capture/lib/mpi/operand_numbers.h"
#include "capture/lib/mpi/pmpi.h"

struct tv_functions tv_mpi, tv_tool;
#ifdef TV_CONSTANTS
struct tv_constants tv_constants;
#endif

static void *const wrappers[CALL_setup] = {
#define TV_CALL(name, ...) (void *)tv_wrap_##name,
#include "capture/lib/calls.def"
};

static void bind(void *(*pmpi)(const char *name), void *(*next)(const char *name))
{
	/* ISO C knows no conversion of an object pointer to a function pointer; POSIX promises that
	 * it works. */
#define FIND(name)                                            \
	*(void **)(void *)&tv_mpi.name = pmpi("PMPI_" #name); \
	*(void **)(void *)&tv_tool.name = next("MPI_" #name);

#define TV_CALL(name, ...) FIND(name)
#include "capture/lib/calls.def"
	TV_USES(FIND)
	tv_find_constants(pmpi);
	tv_operands_find(pmpi);
}

const struct tv_abi TV_ABI = { TV_ABI_NAME, wrappers, bind };
