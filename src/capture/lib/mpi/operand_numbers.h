/* operand_numbers: the number (operands.h) of a type or an operation of reductions by its handle.
 * What is not predefined was made by the program. */
#pragma once

#include "capture/lib/mpi/functions.h"
#include "capture/lib/operands.h"

/* A hash table, filled once; key 0: free. */
enum { TV_OPERAND_BITS = 8, TV_OPERAND_CELLS = 1 << TV_OPERAND_BITS };
struct tv_operand_cell {
	uint64_t key;
	uint64_t number;
};

extern struct tv_operand_cell tv_operand_cells[TV_OPERAND_CELLS];

_Static_assert(TV_OPERANDS < TV_OPERAND_CELLS / 2, "there is always a free cell near by");

/* Before the first call. */
void tv_operands_find(void *(*find)(const char *name));

static inline struct tv_operand_cell *tv_operand_cell(uint64_t key)
{
	uint32_t i = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TV_OPERAND_BITS));

	while (tv_operand_cells[i].key && tv_operand_cells[i].key != key)
		i = (i + 1) % TV_OPERAND_CELLS;
	return &tv_operand_cells[i];
}

static inline uint32_t tv_operand_number(uint64_t key)
{
	const struct tv_operand_cell *cell = tv_operand_cell(key);

	return cell->key ? (uint32_t)cell->number : (uint32_t)TV_OPERAND_OWN;
}

/* Of a collective that moves elements; nothing is known of the type where there are none. */
static inline uint32_t tv_operands_moved(MPI_Count count, MPI_Datatype type)
{
	return count > 0 ? tv_operands_make(tv_operand_number(TV_KEY(type)), TV_OPERAND_NONE) : 0;
}

static inline uint32_t tv_operands_reduced(MPI_Datatype type, MPI_Op operation)
{
	return tv_operands_make(tv_operand_number(TV_KEY(type)),
				tv_operand_number(TV_KEY(operation)));
}
