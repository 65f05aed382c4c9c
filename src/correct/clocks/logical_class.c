/* The classes of operations in the clock condition. */
#include "correct/clocks/logical_state.h"
#include "model/trace/region_meaning.h"

enum operation operation_of(const struct trace *trace, uint32_t region)
{
	switch (region_meaning(trace, region).collective) {
	case COLLECTIVE_BARRIER: return (enum operation)LOGICAL_BARRIER;
	case COLLECTIVE_ONE_TO_ALL: return (enum operation)LOGICAL_ONE_TO_N;
	case COLLECTIVE_ALL_TO_ONE: return (enum operation)LOGICAL_N_TO_ONE;
	case COLLECTIVE_ALL_TO_ALL: return (enum operation)LOGICAL_N_TO_N;
	case COLLECTIVE_PREFIX: return (enum operation)LOGICAL_PREFIX;
	case COLLECTIVE_NEIGHBOURS: return (enum operation)LOGICAL_NEIGHBOURS;
	case COLLECTIVE_VECTOR: return OPERATION_VECTOR;
	case COLLECTIVE_INIT: return OPERATION_INIT;
	case COLLECTIVE_FINALIZE: return OPERATION_FINALIZE;
	case COLLECTIVE_OMP_BARRIER: return OPERATION_OMP_BARRIER;
	case COLLECTIVE_NONE:
	case COLLECTIVE_CREATES:
	case COLLECTIVE_RELEASES:
	case COLLECTIVE_FILE: break;
	}
	return OPERATION_OTHER;
}

enum operation operation_here(const struct trace *trace, const struct collective *c,
			      enum operation operation)
{
	return operation == OPERATION_VECTOR && collective_is_from_all(trace, c)
		       ? (enum operation)LOGICAL_N_TO_N
		       : operation;
}

static enum logical_class class_of(enum operation operation)
{
	return operation < (enum operation)LOGICAL_CLASSES ? (enum logical_class)operation
							   : LOGICAL_CLASSES;
}

enum logical_class logical_class_here(const struct trace *trace, const struct collective *c)
{
	return class_of(operation_here(trace, c, operation_of(trace, c->region)));
}

enum logical_class logical_class_from_all(const struct trace *trace, uint32_t region)
{
	const enum operation operation = operation_of(trace, region);

	return operation == OPERATION_VECTOR ? LOGICAL_N_TO_N : class_of(operation);
}

enum logical_class logical_class_of(const struct trace *trace, uint32_t region)
{
	return class_of(operation_of(trace, region));
}
