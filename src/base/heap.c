#include "base/heap.h"

#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define HUGE_PAGE ((size_t)2 << 20)

void heap_keep(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

/* Address space that is limited is for those who touch it. */
static bool is_limited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

void heap_expect(size_t bytes)
{
	char *block = bytes < 2 * HUGE_PAGE || is_limited() ? NULL : malloc(bytes);

	if (!block)
		return;
	const size_t skip = -(uintptr_t)block % HUGE_PAGE;
	madvise(block + skip, (bytes - skip) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	free(block); /* it stays the top of the heap */
}

void heap_release(void)
{
	malloc_trim(0);
}
