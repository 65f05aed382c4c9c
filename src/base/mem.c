#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_bound.h"

_Noreturn void mem_exhausted(size_t wanted)
{
	const uint64_t bound = memory_bound_bytes();

	if (bound)
		fprintf(stderr,
			"tview: the %llu MB that --max-mem (or ulimit -d) allows are reached: "
			"--ranks and --time load less, and MEMORY in tview(1) says what a trace "
			"needs\n",
			(unsigned long long)(bound >> 20));
	else
		fprintf(stderr, "tview: out of memory (%zu more bytes were wanted)\n", wanted);
	abort(); /* the handler of SIGABRT restores the terminal */
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
