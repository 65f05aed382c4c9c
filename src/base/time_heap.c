#include "base/time_heap.h"

#include <stdbool.h>

#include "base/mem.h"

void time_heap_init(struct time_heap *heap, uint32_t n)
{
	heap->entries = xmalloc(((size_t)n + 1) * sizeof *heap->entries);
	heap->at = xmalloc(((size_t)n + 1) * sizeof *heap->at);
	heap->n = 0;
}

void time_heap_fini(struct time_heap *heap)
{
	free_all(heap->entries, heap->at);
}

static bool is_before(const struct time_entry *a, const struct time_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->location < b->location;
}

static void heap_set(struct time_heap *heap, uint32_t i, struct time_entry entry)
{
	heap->entries[i] = entry;
	heap->at[entry.location] = i;
}

static void heap_up(struct time_heap *heap, uint32_t i, struct time_entry entry)
{
	while (i && is_before(&entry, &heap->entries[(i - 1) / 2])) {
		heap_set(heap, i, heap->entries[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	heap_set(heap, i, entry);
}

static void heap_down(struct time_heap *heap, uint32_t i, struct time_entry entry)
{
	for (uint32_t child; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n &&
		    is_before(&heap->entries[child + 1], &heap->entries[child]))
			child++;
		if (!is_before(&heap->entries[child], &entry))
			break;
		heap_set(heap, i, heap->entries[child]);
	}
	heap_set(heap, i, entry);
}

void time_heap_push(struct time_heap *heap, uint32_t location, int64_t time)
{
	heap_up(heap, heap->n++, (struct time_entry){ time, location });
}

void time_heap_remove(struct time_heap *heap, uint32_t location)
{
	const uint32_t i = heap->at[location];
	const struct time_entry last = heap->entries[--heap->n];

	if (i == heap->n)
		return;
	if (i && is_before(&last, &heap->entries[(i - 1) / 2]))
		heap_up(heap, i, last);
	else
		heap_down(heap, i, last);
}

void time_heap_advance(struct time_heap *heap, uint32_t location, int64_t time)
{
	heap_up(heap, heap->at[location], (struct time_entry){ time, location });
}

uint32_t time_heap_pop(struct time_heap *heap)
{
	const uint32_t location = heap->entries[0].location;

	time_heap_remove(heap, location);
	return location;
}
