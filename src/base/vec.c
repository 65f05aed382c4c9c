#include "base/vec.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

void *vec_grow(void *data, size_t *cap, size_t need, size_t element_size)
{
	size_t want = *cap + *cap / 2 + 8;

	if (want < need)
		want = need;
	if (want > SIZE_MAX / element_size)
		mem_exhausted(want);
	*cap = want;
	return xrealloc(data, want * element_size);
}

void *vec_zero(void *element, size_t size)
{
	return memset(element, 0, size);
}
