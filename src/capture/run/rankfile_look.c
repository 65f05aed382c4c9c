/* rankfile_look: a copy of a rank's file while its process goes on, which never waits for it and
 * notices nothing. What was the same before and after copying is whole; rows have a counter for it
 * (statistic.h). Rows are copied before the stack of open statements: an activation that ends
 * between is in neither until the next look, and never in both. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/run/rank_fold.h"
#include "capture/run/run_list.h"

/* The records that a process may still take back are the last ones. */
enum { TRIES = 10000, TAIL = 256 };

/* Chunks by which the file may grow during a look. */
enum { GROWTH = 256 };

/* The functions copy_...() return how many parts they did not get: what changes all the time while
 * it is copied. */

/* A row, or another structure that begins with such a counter; in the copy it is odd where there is
 * none, which readers take for torn. */
static uint64_t copy_counted(void *to, const void *from, size_t size)
{
	const uint32_t *seq = from;
	const uint32_t torn = 1;

	for (int i = 0; i < TRIES; i++) {
		const uint32_t before = __atomic_load_n(seq, __ATOMIC_ACQUIRE);
		memcpy(to, from, size);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && __atomic_load_n(seq, __ATOMIC_RELAXED) == before)
			return 0;
	}
	memcpy(to, &torn, sizeof torn);
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

uint64_t rankfile_copy_events(struct tv_chunk *to, const struct tv_chunk *from)
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

/* Its `used` is 0 while it is changed, and its serial is another one afterwards: then its thread's
 * other one counts. */
static uint64_t copy_ledger(struct tv_chunk *to, const struct tv_chunk *from, uint64_t used)
{
	to->used = 0;
	return used != sizeof(struct tv_ledger) ||
	       !rankfile_copy_ledger((struct tv_ledger *)(void *)to, from);
}

bool rankfile_copy_ledger(struct tv_ledger *to, const struct tv_chunk *from)
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

static uint64_t copy_chunk(struct tv_chunk *to, const struct tv_chunk *from, size_t room)
{
	const uint64_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);

	if (used < sizeof *from || used > TV_CHUNK_SIZE || used > room)
		return 0;
	if (from->holds == TV_HOLDS_ROWS)
		return copy_rows(to, from, used);
	return from->holds == TV_HOLDS_LEDGER ? copy_ledger(to, from, used)
					      : rankfile_copy_events(to, from);
}

static size_t place_of(uint32_t number)
{
	return TV_HEADER_SIZE + (size_t)number * TV_CHUNK_SIZE;
}

/* Whether what was written out is older than what was seen in memory before: else that has it, and
 * this one may not be whole yet. */
static bool is_older(const char *copy, size_t size, const struct tv_chunk *from)
{
	const size_t home = place_of(from->home);
	const struct tv_chunk *seen = (const void *)(copy + home);

	return home + TV_CHUNK_SIZE > size || seen->used < sizeof *seen ||
	       seen->thread != from->thread || seen->holds != from->holds ||
	       seen->serial > from->serial;
}

/* Copies one of three passes: chunks in memory; those that were written out; ledgers. */
static uint64_t copy_pass(char *copy, const char *live, size_t size, size_t most, int pass,
			  const struct rank_fold *fold)
{
	uint64_t missed = 0;

	for (uint32_t i = 0; place_of(i) + sizeof(struct tv_chunk) <= size; i++) {
		const size_t at = place_of(i);
		const struct tv_chunk *from = (const void *)(live + at);
		const int in = from->holds == TV_HOLDS_LEDGER ? 2 : from->home != i;
		if (in == pass && !(fold && rank_fold_leaves_out(fold, from)) &&
		    (pass != 1 || is_older(copy, most, from)))
			missed += copy_chunk((void *)(copy + at), from, size - at);
	}
	return missed;
}

/* What chunks in memory lose after the first pass is in the file, which may have grown, up to
 * `most`; what is overwritten during the second is in the ledgers. */
static uint64_t copy_chunks(char *copy, const char *live, int fd, size_t most,
			    const struct rank_fold *fold)
{
	struct stat st = { .st_size = 0 };
	uint64_t missed = 0;
	size_t size = most;

	for (int pass = 0; pass < 3; pass++) {
		if (fstat(fd, &st) == 0)
			size = (size_t)st.st_size < most ? (size_t)st.st_size : most;
		missed += copy_pass(copy, live, size, most, pass, fold);
	}
	return missed;
}

/* The time on another machine's clock is not known; a process that has ended does not change any
 * more. */
static uint64_t moment(const struct tv_file *head, struct reading now)
{
	if (!rank_is_here(head) || !rank_lives(head))
		return UINT64_MAX;
	return head->clock == TV_CLOCK_TSC ? now.tick : now.nano;
}

static void *map(size_t size, int protection, int flags, int fd)
{
	void *at = mmap(NULL, size, protection, flags, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* What of the file counts, in a mapping of *size bytes; NULL: there is no memory. */
static char *copy_file(const char *live, int fd, size_t most, const struct rank_fold *fold,
		       size_t *size, uint64_t *missed)
{
	const uint32_t first = (uint32_t)((most - TV_HEADER_SIZE) / TV_CHUNK_SIZE);
	const uint32_t places = fold ? rank_fold_places(fold) : 0;
	struct tv_file *head;
	char *copy;

	*size = place_of(first + places);
	copy = map(*size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	head = (void *)copy;
	if (!copy)
		return NULL;
	memcpy(copy, live, TV_HEADER_SIZE);
	*missed = copy_chunks(copy, live, fd, most, fold);
	head->chunks = ((const struct tv_file *)(const void *)live)->chunks;
	if (places) {
		rank_fold_write(fold, copy, first);
		head->chunks = first + places;
	}
	return copy;
}

struct rankfile *rankfile_look(const char *path, struct reading now, struct rank_fold *fold,
			       uint64_t room, struct err *err)
{
	size_t size, most;
	const int fd = rankfile_descriptor(path, "its process has just begun", &size, err);
	struct rankfile *file;
	uint64_t missed = 0;
	char *live, *copy = NULL;

	if (fd < 0)
		return NULL;
	most = place_of((uint32_t)(size / TV_CHUNK_SIZE) + GROWTH);
	live = map(most, PROT_READ, MAP_SHARED, fd);
	if (live && fold)
		rank_fold_take(fold, live, size, room);
	if (live)
		copy = copy_file(live, fd, most, fold, &size, &missed);
	if (!copy)
		err_errno(err, STATUS_IO, "%s: cannot be mapped", path);
	close(fd);
	if (live)
		munmap(live, most);
	if (!copy)
		return NULL;
	file = rankfile_of(path, copy, size, moment((const void *)copy, now), err);
	if (file) {
		file->missed = missed;
		file->folded = fold && rank_fold_places(fold) > 0;
	}
	return file;
}
