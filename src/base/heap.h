/* heap: how malloc takes memory from the system and gives it back. A page that is touched first
 * costs as much as the work on what is in it; analyses allocate as much as they keep, over and
 * over. So all threads share one heap, what is freed stays for what comes next, and large needs are
 * met with huge pages. Where something of this is refused, memory is as it was before. */
#pragma once

#include <stddef.h>

enum { HUGE_PAGE = 2 << 20 };

/* Once, before threads are made. */
void heap_keep(void);

/* So many bytes will be needed soon, beside what is there: address space alone, not memory. */
void heap_expect(size_t bytes);

/* Gives back what is free. */
void heap_release(void);

/* Bytes of address space that the process may have (ulimit -v); SIZE_MAX: no limit. */
size_t heap_space(void);
