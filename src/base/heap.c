#include "base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

void heap_keep(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1); /* never */
}

size_t heap_space(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY
		       ? SIZE_MAX
		       : (size_t)limit.rlim_cur;
}

void heap_expect(size_t bytes)
{
	/* Address space that is limited is for those who touch it. */
	char *block = bytes < 2u * HUGE_PAGE || heap_space() != SIZE_MAX ? NULL : malloc(bytes);

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
