/* mem: allocation that does not fail: it ends the program with a sentence when memory runs out, by
 * SIGABRT, whose handler restores the terminal where a screen is open. */
#pragma once

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);

/* Ends the program: "out of memory". Called by x*alloc. Does not return. */
_Noreturn void mem_exhausted(size_t wanted);

/* Frees several pointers; each may be NULL. */
#define free_all(...)                                \
	mem_free_all((void *const[]){ __VA_ARGS__ }, \
		     sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_all(void *const *pointers, size_t n);
