/* The chunks of a process's file: reserved on the disk, mapped, handed out. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>

#include "capture/lib/recorder.h"

/* Chunks that are reserved each time more are needed. One in so many is not given to events:
 * statistics go on when those have stopped. */
enum { MORE_CHUNKS = 2, ROWS_SHARE = 8 };

/* Reserves and maps room for more chunks after those that are there. ftruncate alone would succeed
 * on a full disk and the first store would then end the program by SIGBUS: reserve, and heed the
 * answer. */
bool tv_file_grow(uint32_t more)
{
	const off_t at = TV_HEADER_SIZE + (off_t)tv.file->chunks * TV_CHUNK_SIZE;
	const size_t bytes = (size_t)more * TV_CHUNK_SIZE;

	if ((uint64_t)at + bytes > TV_HEADER_SIZE + tv.limit ||
	    posix_fallocate(tv.fd, at, (off_t)bytes) != 0)
		return false;
	tv.file->chunks += more;
	return true;
}

struct tv_chunk *tv_chunk_map(uint32_t number)
{
	void *at = mmap(NULL, TV_CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			tv.fd, TV_HEADER_SIZE + (off_t)number * TV_CHUNK_SIZE);

	return at == MAP_FAILED ? NULL : at;
}

/* Whether there is a chunk for that. The last one is left for the end; what is there for statistics
 * alone is that of the limit, not of a disk that is full. */
static bool has_chunk(enum tv_chunk_use use)
{
	const uint32_t most = (uint32_t)(tv.limit / TV_CHUNK_SIZE);

	if (use == TV_CHUNK_LAST)
		return tv.chunks_used < tv.file->chunks;
	if (use == TV_CHUNK_EVENTS && tv.chunks_used + 1 >= most - most / ROWS_SHARE)
		return false;
	return tv.chunks_used + 1 < tv.file->chunks || tv_file_grow(MORE_CHUNKS) || tv_file_grow(1);
}

/* The next free chunk, touched, so that the program does not pay for page faults in the middle of
 * its work. The first few are made when the file is opened, and wait in tv.ready. */
struct tv_chunk *tv_chunk_new(struct tv_thread *t, enum tv_chunk_use use)
{
	const bool statistics = use == TV_CHUNK_STATISTICS;
	struct tv_chunk *chunk = NULL;

	tv_take(&tv.lock);
	if (tv.file && !tv.dead && has_chunk(use)) {
		if (tv.chunks_used < TV_FIRST_CHUNKS)
			chunk = tv.ready[tv.chunks_used];
		if (!chunk)
			chunk = tv_chunk_map(tv.chunks_used);
		if (chunk) {
			tv.chunks_used++;
			chunk->thread = t->number;
			chunk->serial = statistics ? t->rows.serial++ : t->serial++;
			chunk->statistics = statistics;
			if (statistics)
				((struct tv_statistics *)(void *)chunk)->at =
					TV_HEADER_SIZE +
					(uint64_t)(tv.chunks_used - 1) * TV_CHUNK_SIZE;
			__atomic_store_n(&chunk->used,
					 statistics ? (uint64_t)TV_STATISTIC_SIZE : sizeof *chunk,
					 __ATOMIC_RELEASE);
		}
		tv_stamp();
	}
	tv_give(&tv.lock);
	return chunk;
}
