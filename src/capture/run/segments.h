/* segments: which functions were open where records begin again after a segment in which none were
 * written.
 *
 * A thread's stream is *runs* of records with *gaps* between them. What was entered or left in a
 * gap no record says, so the stack at its end is found out:
 *
 *   1. The first run begins with an empty stack. Wherever the stack is known, every call of MPI
 *      teaches which call path a (call site, stack pointer) means.
 *   2. A run in which such a place occurs is known as a whole, from its first record to its last,
 *      if what it leaves agrees and no call in it has another stack pointer than in this stack it
 *      had elsewhere; and so are the places in it. That spreads, and with gaps in a tenth of the
 *      segments it reaches nearly all runs.
 *   3. Where it comes to an end one run is guessed, and 2. goes on from there: the functions that a
 *      run leaves though it never entered them were open at its beginning. They are looked for in
 *      the stack before the gap, or where else the outermost of them was seen; what is not found
 *      was entered in the gap. The run that leaves most comes first.
 *   4. A run without evidence has what was open before the gap.
 *
 * Regions that the program marks are always recorded: none is opened or closed by a gap but where a
 * leave proves that what is below it was wrong. In made-up programs with gaps in a tenth of the
 * segments 4 in 1,000 calls of MPI get a wrong stack, most programs none. Whatever is wrong, leaves
 * fit: what a run leaves is open at its beginning. What is open on both sides of a gap stays open;
 * the rest is left at its begin and entered at its end. Time O(records) in at most ROUNDS rounds
 * over what is not known yet, memory O(runs + call paths); no recursion.
 *
 *	segments_find(&s, file, thread);
 *	for (each record) {
 *		const int turn = segment_turn(&inside, file, head);
 *		if (turn & SEGMENT_ENDS) ...	leave the gap: gap[i].to is open from here on
 *		use(head);
 *		if (turn & SEGMENT_BEGINS) ...	gap[i]: gap[i].from is open so far
 *	}
 *	segments_fini(&s);
 */
#pragma once

#include "base/keymap.h"
#include "base/vec.h"
#include "capture/run/rankfile.h"

/* In segment_frame.what: a user region's number, no function's address. */
#define SEGMENT_USER (UINT64_C(1) << 63)

/* Likewise: a site (sites.h), from bit 0 what tv_function.what says of it from bit 8 on: module,
 * slot, call statement. */
#define SEGMENT_SITE (UINT64_C(1) << 62)

/* A stack: its innermost frame, and the stack below it. The first one, 0, is the empty stack. */
struct segment_path {
	uint64_t what; /* address of a function, SEGMENT_USER and the string's number, SEGMENT_SITE
			  and the site */
	uint32_t parent, depth;
	uint32_t users; /* the stack of its user regions alone */
};

struct segment_gap {
	uint32_t from, to; /* stacks at its begin and end */
};

struct segments {
	VEC(struct segment_path) paths;
	VEC(struct segment_gap) gaps; /* in order; none for one that the stream's end cut off */
	uint32_t first;               /* what was open before the first record */
	uint32_t known, guessed;      /* runs by 1. and 2., by 3. and 4. */
	struct keymap children;       /* (stack, what) -> stack */
};

void segments_find(struct segments *s, const struct rankfile *file, uint32_t thread);
void segments_fini(struct segments *s);

/* The stack that two have in common. */
uint32_t segments_common(const struct segments *s, uint32_t a, uint32_t b);

enum { SEGMENT_ENDS = 1, SEGMENT_BEGINS = 2 };

/* Records of the library's own work, and definitions: they may be anywhere, in gaps, too. */
bool segment_is_own(const struct rankfile *file, const struct tv_head *head);

/* Whether a gap ends before the record, or begins after it, or both (user regions are always
 * recorded). */
int segment_turn(bool *inside, const struct rankfile *file, const struct tv_head *head);
