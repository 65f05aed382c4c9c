/* feed_stack: the functions around a call of MPI, found by unwinding the stack (tvrun --callstack)
 * or from the frames of Python: entered and left with the call, as nothing is known of the time
 * between calls. Functions that hooks or probes recorded are open already: they and what is around
 * them are skipped. */
#pragma once

#include "capture/run/merge_job.h"

/* Of one thread. */
struct stack_feed {
	uint32_t next;         /* TV_STACK before the next call, 0 none */
	VEC(uint32_t) around;  /* sites that hooks and probes have entered */
	VEC(uint32_t) entered; /* sites, with the call under way */
};

void feed_stack_fini(struct stack_feed *feed);
/* A hook or a probe recorded that a function was entered, or left. */
void feed_stack_hook(struct stack_feed *feed, const struct builder *b, uint32_t site, bool enter);
/* Before a call's enter, after its leave. */
void feed_stack_enter(struct stack_feed *feed, struct job *job, struct rank *rank,
		      uint32_t location, int64_t time);
void feed_stack_leave(struct stack_feed *feed, struct job *job, uint32_t location, int64_t time);
