#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/lib/controls.h"
#include "capture/lib/recorder_chunks.h"
#include "capture/lib/ring.h"

/* Mapped chunks of which one is not given to threads: statistics go on when others have no room any
 * more. */
enum { ROWS_SHARE = 8, PAGE = 4096 };

#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

uint64_t tv_number_set(const char *variable, uint64_t otherwise)
{
	const char *value = getenv(variable);

	return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

bool tv_flag_set(const char *variable, bool otherwise)
{
	const char *value = getenv(variable);

	return value && *value ? *value != '0' : otherwise;
}

void tv_choose_sizes(void)
{
	const uint64_t least = (uint64_t)TV_LEAST_CHUNKS * TV_CHUNK_SIZE;
	struct rlimit process;

	tv.limit = tv_number_set("TVIEW_BUFFER", UINT64_C(64) << 20);
	tv.limit = tv.limit < least ? least : tv.limit;
	tv.most = tv_number_set("TVIEW_MAX", UINT64_C(4) << 30);
	tv.end = UINT64_C(1) << 48;
	if (getrlimit(RLIMIT_FSIZE, &process) == 0 && process.rlim_cur < tv.end)
		tv.end = process.rlim_cur;
}

/* The first 8 bytes after the header of one that is spare. */
static struct tv_chunk **next_of(struct tv_chunk *chunk)
{
	return (struct tv_chunk **)(void *)(chunk + 1);
}

static void spare_add(struct tv_chunk *chunk)
{
	*next_of(chunk) = tv.spare;
	tv.spare = chunk;
	tv.spares++;
}

static struct tv_chunk *spare_take(void)
{
	struct tv_chunk *chunk = tv.spare;

	tv.spare = *next_of(chunk);
	tv.spares--;
	return chunk;
}

/* The next place in the file. */
static bool place_take(uint32_t *number, off_t *at)
{
	*number = __atomic_fetch_add(&tv.file->chunks, 1, __ATOMIC_RELAXED);
	*at = TV_HEADER_SIZE + (off_t)*number * TV_CHUNK_SIZE;
	return (uint64_t)*at + TV_CHUNK_SIZE <= tv.end;
}

/* Each page is made dirty now, not by the first record in it. */
static void populate(char *at)
{
	const int saved = errno;

	if (madvise(at, TV_CHUNK_SIZE, MADV_POPULATE_WRITE) == 0)
		return;
	for (size_t i = 0; i < TV_CHUNK_SIZE; i += PAGE)
		*(volatile char *)(at + i) = 0;
	errno = saved;
}

/* A limit to the size of files that the program has set meanwhile stops the recording: its signal
 * is for the program's own files. */
struct limited {
	sigset_t before;
	bool pending;
};

static void limited_begin(struct limited *l)
{
	sigset_t set;

	sigpending(&set);
	l->pending = sigismember(&set, SIGXFSZ) == 1;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &set, &l->before);
}

static void limited_end(const struct limited *l)
{
	const struct timespec now = { 0, 0 };
	const int saved = errno;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	if (!l->pending)
		while (sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &l->before, NULL);
	errno = saved;
}

static bool reserve(off_t at)
{
	struct limited limited;
	int rc;

	limited_begin(&limited);
	rc = posix_fallocate(tv.fd, at, TV_CHUNK_SIZE);
	limited_end(&limited);
	return rc == 0;
}

/* ftruncate alone would succeed on a full disk, and the first store would then end the program by
 * SIGBUS: so the space is reserved, and the result checked. */
static bool map_one(void)
{
	struct tv_chunk *chunk;
	uint32_t number;
	off_t at;

	if (((uint64_t)tv.mapped + 1) * TV_CHUNK_SIZE > tv.limit || !place_take(&number, &at) ||
	    !reserve(at))
		return false;
	chunk = mmap(NULL, TV_CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, tv.fd, at);
	if (chunk == MAP_FAILED)
		return false;
	populate((char *)chunk);
	chunk->home = number;
	tv.mapped++;
	spare_add(chunk);
	return true;
}

bool tv_chunks_map(uint32_t more)
{
	while (more > 0 && map_one())
		more--;
	return more == 0;
}

/* Whether there is a chunk for that. The last spare one is left for the end. */
static bool has_chunk(enum tv_chunk_use use)
{
	const uint32_t most = (uint32_t)(tv.limit / TV_CHUNK_SIZE);

	if (use == TV_CHUNK_LAST)
		return tv.spares > 0;
	if (use == TV_CHUNK_SPARE)
		return tv.spares > 1;
	if (use == TV_CHUNK_EVENTS && tv.mapped - tv.spares + 1 >= most - most / ROWS_SHARE)
		return false;
	return tv.spares > 1 || map_one();
}

struct tv_chunk *tv_chunk_locked(enum tv_chunk_use use)
{
	return tv.file && !tv.dead && has_chunk(use) ? spare_take() : NULL;
}

void tv_chunk_spare(struct tv_chunk *chunk)
{
	__atomic_store_n(&chunk->used, 0, __ATOMIC_RELEASE);
	spare_add(chunk);
}

/* Touched, so that the program does not pay for page faults in the middle of its work. */
struct tv_chunk *tv_chunk_new(struct tv_thread *t, enum tv_chunk_use use)
{
	const bool statistics = use == TV_CHUNK_STATISTICS;
	struct tv_chunk *chunk = NULL;

	tv_take(&tv.lock);
	chunk = tv_chunk_locked(use);
	if (chunk) {
		chunk->thread = t->number;
		chunk->serial = statistics ? t->rows.serial++ : t->serial++;
		chunk->awaited = 0;
		chunk->holds = statistics ? TV_HOLDS_ROWS : TV_HOLDS_EVENTS;
		if (statistics) {
			struct tv_statistics *rows = (void *)chunk;
			rows->at = TV_HEADER_SIZE + (uint64_t)chunk->home * TV_CHUNK_SIZE;
			rows->open = rows->latest = 0;
		}
		__atomic_store_n(&chunk->used,
				 statistics ? (uint64_t)TV_STATISTIC_SIZE : sizeof *chunk,
				 __ATOMIC_RELEASE);
		tv_stamp();
	}
	tv_give(&tv.lock);
	return chunk;
}

/* pwrite() that no other tool wraps, and in which no thread is cancelled. */
static bool write_at(const char *from, size_t bytes, off_t at)
{
	while (bytes > 0) {
		const long n = syscall(SYS_pwrite64, tv.fd, from, bytes, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

/* ---- what a thread writes ---- */

bool tv_wording_init(struct tv_wording *w)
{
	void *known = mmap(NULL, TV_WORD_KNOWN * sizeof *w->known, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (known == MAP_FAILED)
		return false;
	w->known = known;
	tv_words_forget(w, true);
	return true;
}

void tv_wording_fini(struct tv_wording *w)
{
	if (w->known)
		munmap(w->known, TV_WORD_KNOWN * sizeof *w->known);
	w->known = NULL;
}

/* ---- copies ---- */

/* Only what is written takes room on the disk: short threads leave most of their place empty. */
static bool place_for_copy(const struct tv_chunk *copy, size_t bytes, uint32_t *number, off_t *at)
{
	bool again = false;

	if (tv.file->ring && copy->holds == TV_HOLDS_EVENTS) {
		tv_take(&tv.lock);
		again = tv_ring_take(number);
		tv_give(&tv.lock);
	}
	*at = TV_HEADER_SIZE + (off_t)*number * TV_CHUNK_SIZE;
	return again || (__atomic_add_fetch(&tv.written, bytes, __ATOMIC_RELAXED) <= tv.most &&
			 place_take(number, at));
}

/* Whole pages, so that the kernel need not read or clear any. */
static bool write_copy(const struct tv_chunk *copy)
{
	const size_t bytes = (copy->used + PAGE - 1) & ~(size_t)(PAGE - 1);
	struct limited limited;
	uint32_t number = 0;
	off_t at;
	bool ok;

	if (!place_for_copy(copy, bytes, &number, &at))
		return false;
	limited_begin(&limited);
	ok = write_at((const char *)copy, bytes, at);
	limited_end(&limited);
	if (ok && tv.file->ring && copy->holds == TV_HOLDS_EVENTS) {
		tv_take(&tv.lock);
		tv_ring_add(copy, number);
		tv_give(&tv.lock);
	}
	return ok;
}

static bool flush(struct tv_thread *t)
{
	struct tv_chunk *chunk = t->chunk;

	if (!write_copy(chunk))
		return false;
	/* In this order: at no moment is a record missing, or there twice (record.h). */
	__atomic_store_n(&chunk->used, sizeof *chunk, __ATOMIC_RELEASE);
	__atomic_store_n(&chunk->awaited, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&chunk->serial, chunk->serial + 1, __ATOMIC_RELEASE);
	t->serial++;
	tv_take(&tv.lock);
	tv_stamp();
	tv_give(&tv.lock);
	return true;
}

/* ---- when room gets scarce ---- */

enum {
	MPI_SHARE = 4,   /* of the room, one part is left to calls of MPI */
	DISK_STRIDE = 16 /* chunks after which the disk is asked for its free space */
};

#define DISK_SCARCE (UINT64_C(64) << 20)

static uint64_t disk_free(void)
{
	struct statvfs disk;

	return fstatvfs(tv.fd, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
}

void tv_choose_scarce(void)
{
	const uint64_t share = disk_free() / MPI_SHARE;

	tv.scarce = share < DISK_SCARCE ? share : DISK_SCARCE;
}

bool tv_chunks_scarce(void)
{
	const uint64_t written = __atomic_load_n(&tv.written, __ATOMIC_RELAXED);
	const uint64_t chunks = __atomic_load_n(&tv.file->chunks, __ATOMIC_RELAXED);

	if (written + TV_CHUNK_SIZE > tv.most - tv.most / MPI_SHARE ||
	    (chunks + 1) * TV_CHUNK_SIZE > tv.end - tv.end / MPI_SHARE)
		return true;
	return (tv.scarce < DISK_SCARCE || written / TV_CHUNK_SIZE % DISK_STRIDE == 0) &&
	       disk_free() < tv.scarce;
}

/* The records of a gap are whole, or their times would not be known as estimates. */
void tv_visits_follow(struct tv_thread *t)
{
	const bool left_out = tv.low || tv.off & 1u << TVIEW_FUNCTIONS;

	if (t->mode == TV_GIVEN)
		return;
	t->has_paused |= left_out;
	__atomic_store_n(&t->visits, t->keep && !left_out, __ATOMIC_RELAXED);
}

static void functions_stop(struct tv_thread *own)
{
	tv_take(&tv.lock);
	tv.low = true;
	for (struct tv_thread *t = tv.threads; t; t = t->next)
		tv_visits_follow(t);
	tv_give(&tv.lock);
	tv_visits_follow(own);
}

bool tv_chunk_next(struct tv_thread *t)
{
	struct tv_chunk *chunk;
	const bool written = flush(t);

	if (!tv.low && (!written || (!tv.file->ring && tv_chunks_scarce())))
		functions_stop(t);
	/* What is full stays where it is. */
	if (!written) {
		chunk = tv_chunk_new(t, TV_CHUNK_SPARE);
		if (!chunk)
			return false;
		t->chunk = chunk;
	}
	tv_words_forget(&t->wording, true);
	return true;
}

void tv_chunk_give(struct tv_chunk *chunk)
{
	if (!chunk || !write_copy(chunk))
		return;
	tv_take(&tv.lock);
	tv_chunk_spare(chunk);
	tv_give(&tv.lock);
}

/* ---- definitions ---- */

enum { DEFINED_CHUNKS = 64 };

/* Like tv_room(), but also if no events are kept. */
static void *definition_room(struct tv_thread *t, size_t size)
{
	const size_t bytes = sizeof(uint64_t) + size;

	tv_writing_begin(t);
	if (t->chunk->used + bytes > TV_CHUNK_SIZE - TV_TAIL) {
		uint64_t *at;
		/* A program may define things over and over: this is the bound where memory must
		 * not grow. */
		if (!t->keep && (t->full || t->serial >= DEFINED_CHUNKS)) {
			__atomic_fetch_or(&tv.file->state, TV_FULL, __ATOMIC_RELAXED);
			tv_writing_end(t);
			return NULL;
		}
		at = tv_room_more(t, bytes);
		return at ? at + 1 : NULL;
	}
	return (char *)t->chunk + t->chunk->used + sizeof(uint64_t);
}

static struct tv_chunk *defined_room(struct tv_thread *t, size_t bytes)
{
	struct tv_chunk *chunk = t->defined;

	if (chunk && chunk->used + bytes <= TV_CHUNK_SIZE)
		return chunk;
	if (bytes > TV_CHUNK_SIZE - sizeof *chunk)
		return NULL;
	/* A full one stays where it is. */
	tv_take(&tv.lock);
	chunk = tv_chunk_locked(TV_CHUNK_EVENTS);
	tv_give(&tv.lock);
	if (!chunk)
		return NULL;
	chunk->thread = t->number;
	chunk->serial = t->defined_serial++;
	chunk->awaited = 0;
	chunk->holds = TV_HOLDS_DEFINITIONS;
	__atomic_store_n(&chunk->used, sizeof *chunk, __ATOMIC_RELEASE);
	return t->defined = chunk;
}

/* Where a definition of that size is written; in a ring in chunks of their own. */
static struct tv_define *room_to_define(struct tv_thread *t, enum tv_definition what, size_t size)
{
	struct tv_chunk *chunk;

	if (!tv.file || !tv.file->ring || tv_is_of_run(what))
		return t->chunk ? definition_room(t, size) : NULL;
	tv_writing_begin(t);
	chunk = t->live ? defined_room(t, sizeof(uint64_t) + size) : NULL;
	if (!chunk)
		tv_writing_end(t);
	return chunk ? (void *)((char *)chunk + chunk->used + sizeof(uint64_t)) : NULL;
}

static void definition_commit(struct tv_thread *t, enum tv_definition what, size_t size)
{
	struct tv_chunk *chunk = t->defined;

	if (!tv.file->ring || tv_is_of_run(what)) {
		tv_commit(t, size);
		return;
	}
	*(uint64_t *)(void *)((char *)chunk + chunk->used) = tv_word(TV_WORD_WHOLE, 0);
	__atomic_store_n(&chunk->used, chunk->used + sizeof(uint64_t) + size, __ATOMIC_RELEASE);
	tv_writing_end(t);
}

bool tv_define(struct tv_thread *t, enum tv_definition what, uint32_t id, const void *first,
	       size_t first_length, const void *second, size_t second_length)
{
	const size_t length = first_length + second_length;
	const size_t size = (sizeof(struct tv_define) + length + 15) & ~(size_t)15;
	struct tv_define *record = room_to_define(t, what, size);
	char *payload;

	if (!record)
		return false;
	record->head = (struct tv_head){ tv_now(), TV_DEFINE, 0, (uint16_t)what, id };
	record->size = (uint32_t)size;
	record->length = (uint32_t)length;
	record->reserved = 0;
	payload = (char *)(record + 1);
	if (first_length)
		memcpy(payload, first, first_length);
	if (second_length)
		memcpy(payload + first_length, second, second_length);
	definition_commit(t, what, size);
	return true;
}
