/* counter_read: the arithmetic of reading a counter (counters.h): through the page that the kernel
 * maps for it, and of one that had its turn for a part of the time. No state. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* A count that only grows. */
struct tv_count {
	uint64_t sum; /* scaled */
	/* As read last; of the times where something was counted last. */
	uint64_t value, enabled, running;
};

/* Adds what was counted since the last reading, scaled up to all of that time. Where the counter
 * did not have its turn, the next reading is for that time, too. */
static inline void tv_count_add(struct tv_count *count, uint64_t value, uint64_t enabled,
				uint64_t running)
{
	const uint64_t grown = value - count->value, wanted = enabled - count->enabled,
		       counted = running - count->running;

	if (enabled == running && count->enabled == count->running) {
		count->sum += grown;
	} else if (counted) {
		count->sum += (uint64_t)((unsigned __int128)grown * wanted / counted);
	} else {
		return;
	}
	*count = (struct tv_count){ count->sum, value, enabled, running };
}

/* The same of a counter that was never without its turn. */
static inline void tv_count_more(struct tv_count *count, uint64_t value)
{
	count->sum += value - count->value;
	count->value = value;
}

/* The value of a counter that the processor has at this moment and that was never without its turn;
 * false: ask the kernel. `pmc` reads the processor's counter of that number; as in
 * linux/perf_event.h. */
static inline bool tv_page_read(const struct perf_event_mmap_page *page,
				uint64_t (*pmc)(uint32_t number), uint64_t *value)
{
	uint32_t before;

	do {
		const uint32_t width = page->pmc_width;
		uint32_t index;
		uint64_t sign;
		before = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
		if (!index || !page->cap_user_rdpmc || width < 1 || width > 64 ||
		    __atomic_load_n(&page->time_enabled, __ATOMIC_RELAXED) !=
			    __atomic_load_n(&page->time_running, __ATOMIC_RELAXED))
			return false;
		/* Of so many bits, with a sign. */
		sign = UINT64_C(1) << (width - 1);
		*value = ((pmc(index - 1) & (sign | (sign - 1))) ^ sign) - sign +
			 (uint64_t)__atomic_load_n(&page->offset, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != before);
	return true;
}
