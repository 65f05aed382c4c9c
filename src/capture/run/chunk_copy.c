#include "capture/run/chunk_copy.h"

#include <string.h>

#include "capture/lib/ledger.h"
#include "capture/lib/statistic.h"

/* A change takes nanoseconds. A counter that is odd and the same so many times is that of a thread
 * that was killed in the middle, or has lost its core: it is not waited for. One that goes on is
 * tried again more often, as each time may be the one that is whole: of 1.2 million rows of a
 * process that does nothing but change them, 464 needed more than 16 tries, and one more than 64.
 * The records that a process may still take back are the last ones. */
enum { STOPPED = 16, TRIES = 10000, TAIL = 256 };

/* A row, or another structure that begins with such a counter; in the copy it is odd where it may
 * be torn. */
static uint64_t copy_counted(void *to, const void *from, size_t size)
{
	const uint32_t *seq = from;
	uint32_t last = 0;
	int stopped = 0;

	for (int i = 0; i < TRIES && stopped < STOPPED; i++) {
		const uint32_t before = __atomic_load_n(seq, __ATOMIC_ACQUIRE);
		memcpy(to, from, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && __atomic_load_n(seq, __ATOMIC_RELAXED) == before)
			return 0;
		stopped = before & 1 && before == last ? stopped + 1 : 0;
		last = before;
	}
	last |= 1;
	memcpy(to, &last, sizeof last);
	return 1;
}

static uint64_t copy_open(struct tv_statistics *to, const struct tv_statistics *from)
{
	const char *live = (const char *)from + TV_CHUNK_SIZE - TV_OPEN_SIZE;
	char *copy = (char *)to + TV_CHUNK_SIZE - TV_OPEN_SIZE;

	for (int i = 0; i < TRIES; i++) {
		const uint64_t n = __atomic_load_n(&from->open, __ATOMIC_ACQUIRE);
		const size_t bytes = n * sizeof(struct tv_open);
		if (n > TV_OPEN_SIZE / sizeof(struct tv_open))
			break;
		memcpy(copy, live, bytes);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		to->open = n;
		if (__atomic_load_n(&from->open, __ATOMIC_ACQUIRE) == n &&
		    memcmp(copy, live, bytes) == 0)
			return 0;
	}
	to->open = 0;
	return 1;
}

static uint64_t copy_rows(struct tv_chunk *to, const struct tv_chunk *from, uint64_t used)
{
	uint64_t missed = 0;

	memcpy(to, from, TV_STATISTIC_SIZE);
	to->used = used;
	for (uint64_t at = TV_STATISTIC_SIZE; at + TV_STATISTIC_SIZE <= used;
	     at += TV_STATISTIC_SIZE)
		missed += copy_counted((char *)to + at, (const char *)from + at, TV_STATISTIC_SIZE);
	if (from->serial != 0)
		return missed;
	missed += copy_open((void *)to, (const void *)from);
	return missed + copy_counted(&((struct tv_statistics *)(void *)to)->calling,
				     &((const struct tv_statistics *)(const void *)from)->calling,
				     sizeof(struct tv_calling));
}

uint64_t chunk_copy_events(struct tv_chunk *to, const struct tv_chunk *from)
{
	for (int i = 0; i < TRIES; i++) {
		const uint32_t serial = __atomic_load_n(&from->serial, __ATOMIC_ACQUIRE);
		const uint64_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);
		const uint64_t tail = used < TAIL ? used : TAIL;
		if (used > TV_CHUNK_SIZE)
			return 0;
		memcpy(to, from, used);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		to->used = used;
		to->serial = serial;
		/* Not written out and begun again meanwhile. */
		if (__atomic_load_n(&from->used, __ATOMIC_ACQUIRE) >= used &&
		    __atomic_load_n(&from->serial, __ATOMIC_ACQUIRE) == serial &&
		    memcmp((char *)to + used - tail, (const char *)from + used - tail, tail) == 0)
			return 0;
	}
	to->used = 0;
	return 1;
}

bool chunk_copy_ledger(struct tv_ledger *to, const struct tv_chunk *from)
{
	const uint64_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);
	const uint32_t serial = __atomic_load_n(&from->serial, __ATOMIC_ACQUIRE);

	if (used != sizeof *to)
		return false;
	memcpy(to, from, sizeof *to);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&from->used, __ATOMIC_ACQUIRE) == used &&
	    __atomic_load_n(&from->serial, __ATOMIC_ACQUIRE) == serial)
		return true;
	to->chunk.used = 0;
	return false;
}

/* Its `used` is 0 while it is changed, and its serial is another one afterwards: then its thread's
 * other one counts. */
static uint64_t copy_ledger(struct tv_chunk *to, const struct tv_chunk *from, uint64_t used)
{
	to->used = 0;
	return used != sizeof(struct tv_ledger) ||
	       !chunk_copy_ledger((struct tv_ledger *)(void *)to, from);
}

uint64_t chunk_copy(struct tv_chunk *to, const struct tv_chunk *from, size_t room)
{
	const uint64_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);

	if (used < sizeof *from || used > TV_CHUNK_SIZE || used > room)
		return 0;
	if (from->holds == TV_HOLDS_ROWS)
		return copy_rows(to, from, used);
	return from->holds == TV_HOLDS_LEDGER ? copy_ledger(to, from, used)
					      : chunk_copy_events(to, from);
}
