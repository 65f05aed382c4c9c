/* operands: numbers for what a collective is called with beside its root: the type of its elements
 * and, of a reduction, the operation, as records and readers have them. */
#pragma once

#include <stdint.h>

/* Types before operations. */
enum tv_operand {
	TV_OPERAND_NONE, /* not known, or not the same for all ranks */
#define TV_TYPE(name, mpich, openmpi, standard)      TV_TYPE_##name,
#define TV_OPERATION(name, mpich, openmpi, standard) TV_OPERATION_##name,
#include "capture/lib/operands.def"
	TV_OPERANDS,
	TV_OPERAND_OWN = 255, /* made by the program */
};

_Static_assert(TV_OPERANDS <= TV_OPERAND_OWN, "they fit eight bits");

/* Above them, of MPI_Alltoallv and MPI_Alltoallw: every other rank sends this one something. */
#define TV_OPERANDS_FROM_ALL (UINT32_C(1) << 16)

/* Both, in 24 bits. */
static inline uint32_t tv_operands_make(uint32_t type, uint32_t operation)
{
	return type | operation << 8;
}

static inline uint32_t tv_operands_type(uint32_t operands)
{
	return operands & 0xff;
}

static inline uint32_t tv_operands_operation(uint32_t operands)
{
	return operands >> 8 & 0xff;
}
