/* rankfile_look: a copy of a rank's file while its process goes on, which never waits for it and
 * notices nothing (chunk_copy.h). Rows are copied before the stack of open statements: an
 * activation that ends between is in neither until the next look, and never in both. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/run/chunk_copy.h"
#include "capture/run/rank_fold.h"
#include "capture/run/run_list.h"

/* Chunks by which the file may grow during a look. What changed throughout one, or overtook it, is
 * there at the next. */
enum { GROWTH = 256, LOOKS = 4, PAUSE_NS = 1000000 };

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
			missed += chunk_copy((void *)(copy + at), from, size - at);
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

/* Chunks of events that are missing between others: written over while the rest was copied. */
static uint64_t count_overtaken(const struct rankfile *file)
{
	const struct tv_chunk *last = NULL;
	uint64_t gaps = 0;

	for (size_t i = 0; i < file->chunks.n; i++) {
		const struct tv_chunk *chunk = file->chunks.data[i];
		const bool follows = last && last->thread == chunk->thread;
		const struct tv_ledger *ledger =
			follows ? NULL : rankfile_ledger(file, chunk->thread);
		uint32_t next;
		if (chunk->holds != TV_HOLDS_EVENTS)
			continue;
		if (follows)
			next = last->serial + 1;
		else
			next = ledger ? ledger->covers : 0;
		gaps += chunk->serial != next;
		last = chunk;
	}
	return gaps;
}

static struct rankfile *look(const char *path, const char *live, int fd, size_t most,
			     struct reading now, const struct rank_fold *fold, struct err *err)
{
	const struct tv_file *head = (const void *)live;
	/* Asked before: then nothing changes any more. */
	const bool ended = rank_is_here(head) && !rank_lives(head);
	struct rankfile *file;
	uint64_t missed;
	size_t size;
	char *copy = copy_file(live, fd, most, fold, &size, &missed);

	if (!copy) {
		err_errno(err, STATUS_IO, "%s: cannot be mapped", path);
		return NULL;
	}
	file = rankfile_of(path, copy, size, moment((const void *)copy, now), err);
	if (!file)
		return NULL;
	file->ended = ended;
	file->missed = ended ? 0 : missed + count_overtaken(file);
	file->folded = fold && rank_fold_places(fold) > 0;
	return file;
}

struct rankfile *rankfile_look(const char *path, struct reading now, struct rank_fold *fold,
			       uint64_t room, struct err *err)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	size_t size, most;
	const int fd = rankfile_descriptor(path, "its process has just begun", &size, err);
	struct rankfile *file = NULL;
	char *live;

	if (fd < 0)
		return NULL;
	most = place_of((uint32_t)(size / TV_CHUNK_SIZE) + GROWTH);
	live = map(most, PROT_READ, MAP_SHARED, fd);
	if (!live)
		err_errno(err, STATUS_IO, "%s: cannot be mapped", path);
	for (int i = 0; live && i < LOOKS && (i == 0 || (file && file->missed)); i++) {
		if (i)
			nanosleep(&pause, NULL);
		rankfile_close(file);
		if (fold)
			rank_fold_take(fold, live, size,
				       &(struct look_bounds){ room, moment((void *)live, now) });
		file = look(path, live, fd, most, now, fold, err);
	}
	close(fd);
	if (live)
		munmap(live, most);
	return file;
}
