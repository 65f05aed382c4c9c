/* time_heap: locations by a time of theirs, the earliest on top (of equal times the lowest
 * location). Each location is in it once at most; push, pop and remove take O(log n). */
#pragma once

#include <stdint.h>

struct time_entry {
	int64_t time;
	uint32_t location;
};

struct time_heap {
	struct time_entry *entries; /* [locations] */
	uint32_t *at;               /* [locations] index in entries */
	uint32_t n;
};

/* Room for locations 0 .. n - 1. */
void time_heap_init(struct time_heap *heap, uint32_t n);
void time_heap_fini(struct time_heap *heap);
void time_heap_push(struct time_heap *heap, uint32_t location, int64_t time);
void time_heap_remove(struct time_heap *heap, uint32_t location); /* which is in it */
/* Its time becomes an earlier one. */
void time_heap_advance(struct time_heap *heap, uint32_t location, int64_t time);
uint32_t time_heap_pop(struct time_heap *heap); /* not of an empty one */
