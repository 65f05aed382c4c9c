/* mismatch: ranks that wait in collective operations which do not fit together: at the same
 * position of a communicator another call, another root, other sizes, another type of elements or
 * another operation of a reduction. Such calls never end, or end wrong, however long one waits. A
 * rank that has not come yet is only late.
 *
 * Roots are compared of calls that never ended (model/build/gather.c), sizes of operations of which
 * all ranks give or get the same (byte_rule BYTES_PART, BYTES_PARTS), less what MPI_IN_PLACE leaves
 * out. Types and operations are compared where the trace has them (COLLECTIVE_TYPE,
 * COLLECTIVE_OPERATION): all types of a reduction, of which all ranks pass the same arguments (MPI
 * 4.1, section 6.9.1); else those that MPI predefines, since one that the program made may have the
 * same signature, without MPI_PACKED, which fits all (section 3.3.1). */
#pragma once

#include "model/trace/trace.h"
#include "patterns/analysis/open_calls.h"

enum mismatch_kind {
	MISMATCH_CALL,
	MISMATCH_ROOT,
	MISMATCH_BYTES,
	MISMATCH_TYPE,
	MISMATCH_OPERATION
};
enum { MISMATCHES_MOST = 4 };

/* By their index among the open calls. */
struct mismatch {
	enum mismatch_kind kind;
	uint32_t one, other; /* calls; from MISMATCH_BYTES on: members */
	uint32_t call;       /* of `one` */
	uint32_t position;   /* on its communicator, from 1 */
};

/* Among the calls `open` [n], each named once. Returns how many it wrote, MISMATCHES_MOST at
 * most. */
uint32_t mismatches_find(const struct trace *trace, const struct open_calls *calls,
			 const uint32_t *open, uint32_t n, struct mismatch *out);
/* Bytes that the member gives to each rank, or gets from each, by which sizes were compared;
 * UINT64_MAX: not known. */
uint64_t mismatch_part(const struct trace *trace, const struct open_call *call,
		       const struct open_member *member);
/* Its type or operation; NULL: not known. */
const char *mismatch_operand(const struct trace *trace, enum mismatch_kind kind,
			     const struct open_member *member);
