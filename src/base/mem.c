#include "base/mem.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/memory_bound.h"

/* What could not be had: SIZE_MAX before. Only the first thread says so. */
static _Atomic(size_t) missing = SIZE_MAX;

static void say(void)
{
	const uint64_t bound = memory_bound_bytes();
	const size_t wanted = atomic_load(&missing);

	if (wanted == SIZE_MAX)
		return;
	if (bound)
		fprintf(stderr,
			"tview: the %llu MB that --max-mem (or ulimit -d) allows are reached (%zu "
			"more bytes were wanted): --ranks and --time load less, and MEMORY in "
			"tview(1) says what a trace needs\n",
			(unsigned long long)(bound >> 20), wanted);
	else
		fprintf(stderr, "tview: out of memory (%zu more bytes were wanted)\n", wanted);
}

/* What is registered first is called last: by then the screen has given the terminal back. */
__attribute__((constructor)) static void say_at_the_end(void)
{
	(void)at_quick_exit(say);
}

_Noreturn void mem_exhausted(size_t wanted)
{
	static _Thread_local bool ends;
	size_t none = SIZE_MAX;

	if (ends) { /* what is called at the end needs memory, too */
		say();
		_exit(STATUS_IO);
	}
	ends = atomic_compare_exchange_strong(&missing, &none, wanted - (wanted == SIZE_MAX));
	if (!ends)
		for (;;)
			pause(); /* another thread ends the program */
	quick_exit(STATUS_IO);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		mem_exhausted(size);
	return p;
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		mem_exhausted(size);
	return p;
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		mem_exhausted(size);
	return p;
}

char *xstrndup(const char *text, size_t length)
{
	char *copy = xmalloc(length + 1);

	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

void mem_free_all(void *const *pointers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(pointers[i]);
}
