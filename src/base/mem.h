/* mem: allocation that does not fail: when memory runs out the program ends with a sentence and
 * STATUS_IO, after what was registered with at_quick_exit() (a screen restores its terminal); and
 * locals that are freed where their scope ends, on every way out of it:
 *
 *	OWNED char *copy = xstrdup(text);		memory
 *	OWNED_STR s = STR_INIT;				base/str.h
 *	OWNED_VEC(uint32_t) ids = VEC_INIT;		base/vec.h
 *	ENDED_BY(keymap_fini) struct keymap map = { 0 };	any value
 *	FREES(cube_free, struct cube)			once, outside of functions, then
 *	FREED_BY(cube_free) struct cube *cube = ...;	any pointer
 *
 * Each must be initialised where it is declared. */
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ENDED_BY(fini) __attribute__((cleanup(fini)))
#define OWNED          ENDED_BY(mem_free_pointer)
#define FREED_BY(drop) ENDED_BY(drop##_of)
#define FREES(drop, type)                                 \
	static inline void drop##_of(type *const *object) \
	{                                                 \
		drop(*object);                            \
	}

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);

/* Ends the program: "out of memory", or that --max-mem is reached (memory_bound.h). Called by
 * x*alloc. Does not return. */
_Noreturn void mem_exhausted(size_t wanted);

/* Frees several pointers; each may be NULL. */
#define free_all(...)                                \
	mem_free_all((void *const[]){ __VA_ARGS__ }, \
		     sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void mem_free_all(void *const *pointers, size_t n);

/* For OWNED: frees the memory that a pointer variable of any type points to. */
static inline void mem_free_pointer(void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof memory);
	free(memory);
}
