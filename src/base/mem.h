/* mem: allocation that does not fail, and regions: large arrays that grow in place.
 *
 * x*alloc end the program with a sentence when memory runs out, by SIGABRT, whose handler restores
 * the terminal where a screen is open. A region reserves address space once and touches it as it
 * grows: no copy, no second peak, stable addresses, huge pages. It is what the columns of the store
 * are made of; the same interface will carry columns that live in a mapped cache file.
 *
 *	struct region r;
 *	if (!region_init(&r, 64ull << 30, &err)) return false;
 *	struct block *b = region_extend(&r, sizeof *b, &err);	// NULL: limit reached
 *	region_fini(&r);
 */
#ifndef TVIEW_BASE_MEM_H
#define TVIEW_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);

/* Ends the program: "out of memory". Called by x*alloc. Does not return. */
_Noreturn void mem_exhausted(size_t wanted);

struct region {
	char *data;      /* start; stable for the region's life */
	size_t size;     /* bytes in use */
	size_t touched;  /* bytes made accessible so far */
	size_t reserved; /* bytes of address space */
};

/* Reserves up to `reserve` bytes of address space (less where limits such as ulimit -v forbid
 * it). */
bool region_init(struct region *region, size_t reserve, struct err *err);

/* Unmaps; the region may be init-ed again. Safe on a zeroed struct. */
void region_fini(struct region *region);

/* Appends `bytes` zeroed bytes and returns their address, or NULL with err when the reservation
 * is used up or the memory cannot be had. Alignment: whatever the sum of the sizes extended so
 * far gives. */
void *region_extend(struct region *region, size_t bytes, struct err *err);

/* Gives the unused tail back to the system; the content stays. */
void region_trim(struct region *region);

#endif
