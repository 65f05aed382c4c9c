#include "capture/lib/mpi/operand_numbers.h"

struct tv_operand_cell tv_operand_cells[TV_OPERAND_CELLS];

static void add(uint64_t key, uint32_t number)
{
	struct tv_operand_cell *cell = tv_operand_cell(key);

	/* The first name of several counts. */
	if (key && !cell->key)
		*cell = (struct tv_operand_cell){ key, number };
}

void tv_operands_find(void *(*find)(const char *name))
{
	(void)find;
#define TV_TYPE(name, mpich, openmpi, standard) \
	add(TV_OPERAND(find, mpich, openmpi, standard), TV_TYPE_##name);
#define TV_OPERATION(name, mpich, openmpi, standard) \
	add(TV_OPERAND(find, mpich, openmpi, standard), TV_OPERATION_##name);
#include "capture/lib/operands.def"
}
