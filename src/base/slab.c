#define _GNU_SOURCE
#include "base/slab.h"

#include <string.h>
#include <sys/mman.h>

#include "base/slab_pool.h"

/* Under the address sanitizer a read beyond what a slab holds is found, where it would be zeros:
 * the next bytes are poisoned (all would cost more than the rest), the reserve cannot be read. */
#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#include <sanitizer/asan_interface.h>
enum { RESERVED = PROT_NONE };
#else
#define ASAN_POISON_MEMORY_REGION(data, n)   ((void)(data), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(data, n) ((void)(data), (void)(n))
enum { RESERVED = PROT_READ };
#endif

static size_t share_of_limit(void)
{
	enum { SHARES = 24 }; /* a trace has some 15 slabs */
	const size_t space = heap_space();

	return space == SIZE_MAX ? space : space / SHARES / HUGE_PAGE * HUGE_PAGE + HUGE_PAGE;
}

/* Where an empty slab is: no byte of it is used, but it can be added to, copied from and sorted. */
static const uint64_t nothing;

void slab_init(struct slab *slab, size_t reserve)
{
	memset(slab, 0, sizeof *slab);
	if (reserve < HUGE_PAGE)
		reserve = HUGE_PAGE;
	/* If address space is limited (ulimit -v), every slab gets a share, so that the first ones
	 * leave room for the others and for malloc. */
	slab->reserved = reserve > share_of_limit() ? share_of_limit() : reserve;
	slab->data = (char *)(uintptr_t)&nothing;
}

/* The bytes after the last one in use that are poisoned. */
static size_t after_end(const struct slab *slab)
{
	const size_t most = 4096, left = slab->touched - slab->size;

	return !slab->touched ? 0 : left < most ? left : most;
}

static void cover_end(const struct slab *slab)
{
	ASAN_POISON_MEMORY_REGION(slab->data + slab->size, after_end(slab));
}

static void uncover_end(const struct slab *slab)
{
	ASAN_UNPOISON_MEMORY_REGION(slab->data + slab->size, after_end(slab));
}

static bool is_mapped(const struct slab *slab)
{
	return slab->data != (const char *)&nothing;
}

/* What is reserved cannot be written yet, so that it does not count as memory (memory_bound.h).
 * Where address space is short, less is requested. */
bool slab_reserve(struct slab *slab, struct err *err)
{
	for (size_t want = slab->reserved; want >= HUGE_PAGE; want /= 2) {
		void *p = mmap(NULL, want, RESERVED, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			       -1, 0);
		if (p == MAP_FAILED)
			continue;
		slab->data = p;
		slab->reserved = want;
		return true;
	}
	return err_errno(err, STATUS_IO,
			 "cannot reserve %zu bytes of address space (is ulimit -v set?)",
			 slab->reserved);
}

struct slab slab_borrow(void *data, size_t bytes)
{
	return (struct slab){ .data = data, .size = bytes };
}

void slab_fini(struct slab *slab)
{
	uncover_end(slab);
	if (slab->reserved && is_mapped(slab))
		munmap(slab->data, slab->reserved);
	if (slab->pool)
		slab_pool_give(slab, slab->touched - slab->in_file);
	memset(slab, 0, sizeof *slab);
}

void slab_expect(struct slab *slab, size_t bytes)
{
	if (bytes >= HUGE_PAGE && slab->reserved >= 2u * HUGE_PAGE &&
	    (is_mapped(slab) || slab_reserve(slab, NULL)))
		madvise(slab->data, HUGE_PAGE, MADV_HUGEPAGE);
}

bool slab_open(struct slab *slab, size_t end)
{
	return mprotect(slab->data + slab->touched, end - slab->touched, PROT_READ | PROT_WRITE) ==
	       0;
}

/* The first huge page's worth stays on small pages, so that small traces stay small, unless more is
 * expected. Beyond it, every step asks for huge pages: first touching a byte there takes a seventh
 * of the time. */
static bool make_room(struct slab *slab, size_t upto, struct err *err)
{
	const size_t step = slab->pool ? slab_pool_step(slab->pool) : 16u * HUGE_PAGE;
	size_t end = (upto + step - 1) / step * step;
	enum slab_place place;

	if (end > slab->reserved)
		end = slab->reserved;
	if (slab->touched < HUGE_PAGE && upto <= HUGE_PAGE)
		end = HUGE_PAGE;
	if (!slab->pool && !slab_open(slab, end))
		return err_errno(err, STATUS_IO, "no memory for %zu MB more",
				 (end - slab->touched) >> 20);
	place = slab->pool ? slab_pool_take(slab, end, err) : SLAB_IN_MEMORY;
	if (place == SLAB_NOWHERE)
		return false;
	if (place == SLAB_IN_MEMORY && end > HUGE_PAGE) {
		const size_t from = slab->touched ? slab->touched : HUGE_PAGE;
		madvise(slab->data + from, end - from, MADV_HUGEPAGE);
	}
	slab->touched = end;
	return true;
}

void *slab_extend(struct slab *slab, size_t bytes, struct err *err)
{
	char *p;

	if (slab->reserved && !is_mapped(slab) && bytes <= slab->reserved &&
	    !slab_reserve(slab, err))
		return NULL;
	if (slab->size > slab->reserved || bytes > slab->reserved - slab->size) {
		err_set(err, STATUS_IO,
			"the trace needs more than the %zu MB of address space that could be "
			"reserved; load a part of it with --ranks or --time",
			slab->reserved >> 20);
		return NULL;
	}
	if (slab->size + bytes > slab->touched && !make_room(slab, slab->size + bytes, err))
		return NULL;
	p = slab->data + slab->size;
	uncover_end(slab);
	slab->size += bytes;
	cover_end(slab);
	return p;
}

void slab_cut(struct slab *slab, size_t size)
{
	uncover_end(slab);
	memset(slab->data + size, 0, slab->size - size);
	slab->size = size;
	cover_end(slab);
}

void slab_trim(struct slab *slab)
{
	const size_t keep = (slab->size + 4095) & ~(size_t)4095;

	const size_t tail = slab->touched > keep ? slab->touched - keep : 0;

	if (!slab->reserved || !tail)
		return;
	madvise(slab->data + keep, tail, MADV_DONTNEED);
	if (slab->in_file || mprotect(slab->data + keep, tail, RESERVED) != 0)
		return;
	uncover_end(slab);
	slab->touched = keep;
	cover_end(slab);
	if (slab->pool)
		slab_pool_give(slab, tail);
}
