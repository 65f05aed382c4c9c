/* rankfile_look: a copy of a rank's file while its process goes on, which never waits for it and
 * notices nothing. What was the same before and after copying is whole; rows have a counter for it
 * (statistic.h). Rows are copied before the stack of open statements: an activation that ends
 * between is in neither until the next look, and never in both. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/run/rankfile.h"
#include "capture/run/run_list.h"

/* The records that a process may still take back are the last ones. */
enum { TRIES = 10000, TAIL = 256 };

static void copy_row(struct tv_statistic *to, const struct tv_statistic *from)
{
	for (int i = 0; i < TRIES; i++) {
		const uint32_t before = __atomic_load_n(&from->seq, __ATOMIC_ACQUIRE);
		memcpy(to, from, sizeof *to);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(before & 1) && __atomic_load_n(&from->seq, __ATOMIC_RELAXED) == before)
			return;
	}
	to->seq = 1; /* the reader counts it as torn */
}

/* What is open; where it changes all the time, nothing. */
static void copy_open(struct tv_statistics *to, const struct tv_statistics *from)
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
			return;
	}
	to->open = 0;
}

static void copy_rows(struct tv_chunk *to, const struct tv_chunk *from, uint64_t used)
{
	memcpy(to, from, TV_STATISTIC_SIZE);
	to->used = used;
	for (uint64_t at = TV_STATISTIC_SIZE; at + TV_STATISTIC_SIZE <= used;
	     at += TV_STATISTIC_SIZE)
		copy_row((void *)((char *)to + at), (const void *)((const char *)from + at));
	if (from->serial == 0)
		copy_open((void *)to, (const void *)from);
}

static void copy_events(struct tv_chunk *to, const struct tv_chunk *from)
{
	for (int i = 0; i < TRIES; i++) {
		const uint64_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);
		const uint64_t tail = used < TAIL ? used : TAIL;
		if (used > TV_CHUNK_SIZE)
			return;
		memcpy(to, from, used);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		to->used = used;
		if (__atomic_load_n(&from->used, __ATOMIC_ACQUIRE) >= used &&
		    memcmp((char *)to + used - tail, (const char *)from + used - tail, tail) == 0)
			return;
	}
}

static void copy_chunk(struct tv_chunk *to, const struct tv_chunk *from)
{
	const uint64_t used = __atomic_load_n(&from->used, __ATOMIC_ACQUIRE);

	if (used < sizeof *from || used > TV_CHUNK_SIZE)
		return;
	if (from->statistics)
		copy_rows(to, from, used);
	else
		copy_events(to, from);
}

static void *copy_file(const char *live, size_t size)
{
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (copy == MAP_FAILED)
		return NULL;
	memcpy(copy, live, TV_HEADER_SIZE);
	for (size_t at = TV_HEADER_SIZE; at + TV_CHUNK_SIZE <= size; at += TV_CHUNK_SIZE)
		copy_chunk((void *)(copy + at), (const void *)(live + at));
	return copy;
}

/* Of a process of another machine no moment is known on its clock; one that has ended changes no
 * more. */
static uint64_t moment(const struct tv_file *head, struct reading now)
{
	if (!rank_is_here(head) || !rank_lives(head))
		return UINT64_MAX;
	return head->clock == TV_CLOCK_TSC ? now.tick : now.nano;
}

struct rankfile *rankfile_look(const char *path, struct reading now, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *live, *copy;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_errno(err, STATUS_IO, "%s: cannot be read", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (st.st_size < TV_HEADER_SIZE) {
		err_set(err, STATUS_IO, "%s: its process has just begun", path);
		close(fd);
		return NULL;
	}
	live = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	copy = live == MAP_FAILED ? NULL : copy_file(live, (size_t)st.st_size);
	if (live != MAP_FAILED)
		munmap(live, (size_t)st.st_size);
	if (!copy) {
		err_errno(err, STATUS_IO, "%s: cannot be mapped", path);
		return NULL;
	}
	return rankfile_of(path, copy, (size_t)st.st_size, moment(copy, now), err);
}
