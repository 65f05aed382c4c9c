/* memory_bound: what --max-mem allows this process, held by the system (RLIMIT_DATA: the heap, the
 * threads' stacks and what is mapped to be written by this process alone; not the files that are
 * mapped). Beyond it allocation fails, and base/mem.h ends the program with a sentence.
 *
 * Sanitizers take more address space than any bound: under them nothing is bounded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the program takes by itself beside what it is given to do: its code's data, the screen, the
 * threads' stacks. */
enum { MEMORY_OWN_MB = 64 };

/* Allows `bytes` and what is the program's own; 0: no bound, as before. May be called again. */
void memory_bound(uint64_t bytes);
/* What is allowed without what is the program's own, 0: no bound. */
uint64_t memory_bound_bytes(void);
/* How many bytes may still be taken, UINT64_MAX without a bound. One read of /proc. */
uint64_t memory_left(void);

/* Whether so little is left of a bound, a quarter, that what cannot go to a file should end with a
 * sentence that says what it is. */
bool memory_is_short(void);

/* For programs that are started: no bound between the two calls, which return and take what was
 * allowed. */
uint64_t memory_bound_lift(void);
void memory_bound_restore(uint64_t allowed);
