/* mismatch: ranks that wait in collective operations which do not fit together: at the same
 * position of a communicator another operation, another root or other sizes. Such calls never end,
 * or end wrong, however long one waits. A rank that has not come yet is only late.
 *
 * Roots are compared of calls that never ended (model/build/gather.c), sizes of operations of which
 * all ranks give or get the same (byte_rule BYTES_PART, BYTES_PARTS), less what MPI_IN_PLACE leaves
 * out. Types and operators are not recorded. */
#pragma once

#include "model/trace/trace.h"

enum mismatch_kind { MISMATCH_CALL, MISMATCH_ROOT, MISMATCH_BYTES };
enum { MISMATCHES_MOST = 4 };

struct mismatch {
	enum mismatch_kind kind;
	uint32_t one, other; /* rows of collectives; MISMATCH_BYTES: of members */
	uint32_t collective; /* row of `one` */
	uint32_t position;   /* on its communicator, from 1 */
};

/* Among the collectives `open` [n], each named once. Returns how many it wrote, MISMATCHES_MOST at
 * most. O(members of all collectives) for each of them that could be one. */
uint32_t mismatches_find(const struct trace *trace, const uint32_t *open, uint32_t n,
			 struct mismatch *out);
/* What the member gives or gets, by which sizes were compared. */
uint64_t mismatch_bytes(const struct trace *trace, uint32_t collective, uint32_t member);
