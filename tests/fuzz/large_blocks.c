/* malloc() and the like of fuzz targets, which keep large blocks to use them again.
 *
 * The sanitizer maps and unmaps each block of more than 128 KiB, and the system clears all its
 * pages: most of the time of a small input, as libotf2 takes 256 KiB for each file of an archive.
 * A block is zeros when it is taken, as it was when it was mapped (otf2_guard.h needs it).
 * What comes after the bytes that were asked for is poisoned here, too, and so is a block that
 * nobody has. The blocks are the sanitizer's, so what they point to counts as in use. */
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LEAST = 128 << 10, BLOCKS = 64, SPARSE = 512 << 10, TAIL = 64, PAGE = 4096 };

/* The sanitizer's own, which those below stand before. */
void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t count, size_t size);
void *__interceptor_realloc(void *old, size_t size);
void __interceptor_free(void *p);

struct large_block {
	char *data;
	size_t size;  /* with the tail */
	size_t bytes; /* that were asked for */
	bool taken;
};

static struct large_block blocks[BLOCKS];
static size_t n_blocks;
static uintptr_t lowest = UINTPTR_MAX, highest; /* of all blocks: most that is freed is none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Sizes in steps of a quarter of a MiB. */
static size_t with_tail(size_t size)
{
	const size_t step = 256 << 10;

	return (size + step - 1) / step * step + TAIL;
}

static struct large_block *find(size_t size)
{
	for (size_t i = 0; i < n_blocks; i++)
		if (!blocks[i].taken && blocks[i].size == size)
			return &blocks[i];
	return NULL;
}

/* Of the largest ones few pages are touched: they become zeros when they are. */
static void *clear(char *data, size_t bytes)
{
	char *from = (char *)(((uintptr_t)data + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	char *to = (char *)((uintptr_t)(data + bytes) & ~(uintptr_t)(PAGE - 1));

	if (bytes < SPARSE || madvise(from, (size_t)(to - from), MADV_DONTNEED) != 0)
		return memset(data, 0, bytes);
	memset(data, 0, (size_t)(from - data));
	memset(to, 0, (size_t)(data + bytes - to));
	return data;
}

/* NULL: none is left, or it is none of the large ones. */
static void *take(size_t bytes)
{
	const size_t size = with_tail(bytes);
	struct large_block *block;

	if (bytes < LEAST || bytes > 4u << 20)
		return NULL;
	pthread_mutex_lock(&lock);
	block = find(size);
	if (!block && n_blocks < BLOCKS) {
		char *data = __interceptor_malloc(size);
		if (data) {
			block = &blocks[n_blocks++];
			*block = (struct large_block){ .data = data, .size = size };
			lowest = (uintptr_t)data < lowest ? (uintptr_t)data : lowest;
			highest = (uintptr_t)data > highest ? (uintptr_t)data : highest;
		}
	}
	if (block) {
		block->taken = true;
		block->bytes = bytes;
		ASAN_UNPOISON_MEMORY_REGION(block->data, bytes);
		ASAN_POISON_MEMORY_REGION(block->data + bytes, size - bytes);
	}
	pthread_mutex_unlock(&lock);
	return block ? clear(block->data, bytes) : NULL;
}

static struct large_block *find_data(const void *p)
{
	for (size_t i = 0; i < n_blocks; i++)
		if (blocks[i].data == p)
			return &blocks[i];
	return NULL;
}

static bool give(void *p)
{
	struct large_block *block;

	if ((uintptr_t)p < lowest || (uintptr_t)p > highest)
		return false;
	pthread_mutex_lock(&lock);
	block = find_data(p);
	if (block && !block->taken)
		abort(); /* freed twice */
	if (block) {
		block->taken = false;
		ASAN_POISON_MEMORY_REGION(block->data, block->size);
	}
	pthread_mutex_unlock(&lock);
	return block != NULL;
}

void *malloc(size_t size)
{
	void *p = take(size);

	return p ? p : __interceptor_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	void *p = count && size <= SIZE_MAX / count ? take(count * size) : NULL;

	return p ? p : __interceptor_calloc(count, size);
}

void free(void *p)
{
	if (!p || !give(p))
		__interceptor_free(p);
}

void *realloc(void *old, size_t size)
{
	struct large_block *block;
	void *p;

	pthread_mutex_lock(&lock);
	block = old ? find_data(old) : NULL;
	pthread_mutex_unlock(&lock);
	if (!block)
		return __interceptor_realloc(old, size);
	p = malloc(size);
	if (p) {
		memcpy(p, old, size < block->bytes ? size : block->bytes);
		free(old);
	}
	return p;
}
