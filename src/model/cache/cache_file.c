/* Reading cache files. Nothing in one is believed before its checksum and its place were
 * compared. */
#define _GNU_SOURCE /* O_NOATIME */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/cache/cache_state.h"
#include "model/trace/store.h"

/* The last byte tells headers of other versions of the program apart. */
static void make_magic(char magic[16])
{
	memcpy(magic, "tview cache 1\n", 15);
	magic[15] = (char)(sizeof(struct cache_header) / 8);
}

enum {
	MAGIC_WORDS = 12,
	MOST_SECTIONS = 10000,
	LEAST_BITS = 16,
	MOST_BITS = 40,
	SMALL_SECTION = 1 << 20
};

/* ---- header and directory ---- */

void cache_header_finish(struct cache_header *h)
{
	make_magic(h->magic);
	h->sum = guard_sum(h, offsetof(struct cache_header, sum));
}

static size_t chunks_of(const struct cache_header *h)
{
	const uint64_t chunk = (uint64_t)1 << h->chunk_bits;

	return (size_t)((h->data_size + chunk - 1) >> h->chunk_bits);
}

static size_t tables_bytes(const struct cache_header *h)
{
	return h->sections * sizeof(struct section) + chunks_of(h) * sizeof(uint64_t);
}

static bool header_holds(const struct cache_header *h, uint64_t size)
{
	const uint64_t page = (uint64_t)getpagesize();

	char magic[16];

	make_magic(magic);
	if (memcmp(h->magic, magic, sizeof magic) != 0 ||
	    h->sum != guard_sum(h, offsetof(struct cache_header, sum)))
		return false;
	if (h->data_offset > size || h->data_size != size - h->data_offset ||
	    h->data_offset % page || h->chunk_bits < LEAST_BITS || h->chunk_bits > MOST_BITS ||
	    h->sections > MOST_SECTIONS)
		return false;
	return sizeof *h + tables_bytes(h) <= h->data_offset &&
	       h->data_offset < sizeof *h + tables_bytes(h) + 2 * page;
}

static enum cache_found read_header(int fd, const struct cache_key *key,
				    struct cache_header *header, struct stat *st)
{
	char magic[16];
	ssize_t n;

	/* Root's may be believed: it could write the trace, too. */
	if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode) ||
	    (st->st_uid != geteuid() && st->st_uid != 0) || st->st_mode & (S_IWGRP | S_IWOTH))
		return CACHE_NONE;
	memset(header, 0, sizeof *header);
	n = pread(fd, header, sizeof *header, 0);
	make_magic(magic);
	if (n >= (ssize_t)sizeof magic && memcmp(header->magic, magic, sizeof magic) != 0 &&
	    memcmp(header->magic, magic, MAGIC_WORDS) == 0) {
		memset(header, 0, sizeof *header); /* another version's */
		return CACHE_STALE;
	}
	if (n != sizeof *header || !header_holds(header, (uint64_t)st->st_size))
		return CACHE_DAMAGED;
	if (memcmp(&header->key, key, sizeof *key) == 0)
		return CACHE_GOOD;
	return CACHE_STALE;
}

bool cache_is_foreign(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_uid != geteuid());
}

/* Does not count as use of the file (touch()). */
static int open_unnoticed(const char *path)
{
	const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	const int fd = open(path, how | O_NOATIME);

	return fd < 0 && errno == EPERM ? open(path, how) : fd;
}

enum cache_found cache_open_header(const char *path, const struct cache_key *key, int *fd,
				   struct cache_header *header, struct stat *st)
{
	const int file = open_unnoticed(path);
	const enum cache_found found = file < 0 ? CACHE_NONE : read_header(file, key, header, st);

	if (fd && found == CACHE_GOOD)
		*fd = file;
	else if (file >= 0)
		close(file);
	return found;
}

/* Sections fill the data one after the other. */
static bool directory_holds(const struct cache_header *h, const struct section *sections)
{
	uint64_t at = 0;

	for (const struct section *s = sections; s < sections + h->sections; s++) {
		at = (at + SECTION_ALIGN - 1) / SECTION_ALIGN * SECTION_ALIGN;
		if (s->offset != at || s->element == 0 || at > h->data_size ||
		    s->n > (h->data_size - at) / s->element)
			return false;
		at += s->n * s->element;
	}
	return at == h->data_size;
}

/* All that is between header and data. NULL: damaged. */
static char *read_tables(int fd, const struct cache_header *h)
{
	const size_t n = (size_t)h->data_offset - sizeof *h;
	char *tables = xmalloc(n);
	size_t done = 0;

	while (done < n) {
		const ssize_t got = pread(fd, tables + done, n - done, (off_t)(sizeof *h + done));
		if (got <= 0 && errno != EINTR)
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	if (done == n && guard_sum(tables, n) == h->tables_sum &&
	    directory_holds(h, (const struct section *)(const void *)tables))
		return tables;
	free(tables);
	return NULL;
}

/* ---- the trace ---- */

static const char changed[] = "was changed while it was read, and is removed: try again";

/* In a signal handler. */
static _Noreturn void end_with_sentence(const struct cache_state *state)
{
	const char *const words[] = { "tview: ", state->file, " ", changed, "\n" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (write(STDERR_FILENO, words[i], strlen(words[i])) < 0)
			break;
	_exit(STATUS_IO);
}

/* In a signal handler. */
static void on_damage(void *context)
{
	const struct cache_state *state = context;

	unlink(state->file);
	if (!state->tell_damaged)
		end_with_sentence(state);
	state->tell_damaged(state->tell_context);
}

/* If damage cannot be reported later everything is checked now; else only the small parts, so that
 * a damaged definition is found before anything is shown. */
static bool check_data(struct guard *guard, const struct cache_header *h,
		       const struct section *sections, bool everything)
{
	if (everything)
		return guard_check(guard, 0, (size_t)h->data_size);
	for (const struct section *s = sections; s < sections + h->sections; s++)
		if (s->n * s->element <= SMALL_SECTION &&
		    !guard_check(guard, (size_t)s->offset, (size_t)(s->n * s->element)))
			return false;
	return true;
}

static bool read_trace(struct trace *trace, struct cache_state *state, const struct cache_header *h)
{
	struct section *sections = (struct section *)(void *)state->tables;
	struct cache_io io = { .pass = CACHE_READ, .fd = -1, .size = h->data_size };

	io.data = (char *)(uintptr_t)guard_data(state->guard);
	io.sections.data = sections;
	io.sections.n = h->sections;
	cache_pass(&io, trace);
	return !io.bad;
}

static struct trace *map_trace(int fd, const struct cache_header *h,
			       const struct load_options *options, struct cache_state *state)
{
	struct guard_file file = { .fd = fd,
				   .offset = h->data_offset,
				   .size = (size_t)h->data_size,
				   .chunk_bits = h->chunk_bits,
				   .damaged = on_damage,
				   .context = state };
	const struct section *sections = NULL;
	struct trace *trace;

	state->tell_damaged = options->cache_damaged;
	state->tell_context = options->cache_context;
	state->tables = read_tables(fd, h);
	if (state->tables) {
		sections = (const struct section *)(const void *)state->tables;
		file.sums = (const uint64_t *)(const void *)(sections + h->sections);
		state->guard = guard_open(&file);
	}
	if (!state->guard) {
		close(fd);
		return NULL;
	}
	trace = xcalloc(1, sizeof *trace);
	pthread_mutex_init(&trace->kept_lock, NULL);
	trace->path = xstrdup(state->source);
	trace->jobs = options->jobs;
	if (check_data(state->guard, h, sections, !options->cache_damaged) &&
	    read_trace(trace, state, h))
		return trace;
	trace_free(trace);
	return NULL;
}

/* Notes the time of use, by which the oldest files are removed, but not as one of change: others
 * may have the file open. A file that cannot be touched is used nevertheless. */
static void touch(int fd)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };

	if (futimens(fd, times) != 0)
		errno = 0;
}

static struct trace *load_from(const char *file, const struct load_options *options,
			       struct cache_state *state, bool *damaged)
{
	struct cache_header header;
	struct stat st;
	struct trace *trace;
	int fd;
	enum cache_found found = cache_open_header(file, &state->key, &fd, &header, &st);

	if (found == CACHE_GOOD) {
		touch(fd);
		state->file = xstrdup(file);
		trace = map_trace(fd, &header, options, state);
		if (trace)
			return trace;
		guard_close(state->guard);
		free_all(state->tables, state->file);
		state->guard = NULL;
		state->tables = state->file = NULL;
		found = CACHE_DAMAGED;
	}
	if (found == CACHE_DAMAGED && !cache_is_foreign(file)) {
		*damaged = true;
		unlink(file);
	}
	return NULL;
}

struct trace *cache_load(const char *path, const struct load_options *options, bool *damaged)
{
	struct cache_state *state = cache_prepare(path, options);
	struct trace *trace = NULL;

	*damaged = false;
	for (int place = 0; state && place < 2 && !trace; place++) {
		OWNED_STR file = STR_INIT;
		if (cache_path(state->source, place, &file))
			trace = load_from(file.text, options, state, damaged);
	}
	if (trace)
		cache_remember(trace, state, false);
	else
		cache_state_free(state);
	return trace;
}

/* ---- what a trace remembers ---- */

struct cache_state *cache_prepare(const char *path, const struct load_options *options)
{
	struct cache_state *state;
	OWNED_STR source = STR_INIT;
	struct cache_key key;

	if (options->no_cache || options->part.n_ranks || options->part.timed ||
	    !cache_source(path, &source) ||
	    !cache_key_make(source.text, options->as, options->strict, &key))
		return NULL;
	state = xcalloc(1, sizeof *state);
	state->source = str_take(&source);
	state->as = options->as ? xstrdup(options->as) : NULL;
	state->strict = options->strict;
	state->key = key;
	return state;
}

bool cache_state_for(struct cache_state *state, const char *program)
{
	state->prepared = true;
	return cache_program_of(program, &state->key.program);
}

void cache_state_free(struct cache_state *state)
{
	if (!state)
		return;
	guard_close(state->guard);
	free_all(state->tables, state->file, state->source, state->as, state);
}

static bool is_unchanged(const struct cache_state *state, struct err *err)
{
	if (!state->guard || guard_is_unchanged(state->guard))
		return true;
	unlink(state->file);
	return err_set(err, STATUS_IO, "%s %s", state->file, changed);
}

void cache_remember(struct trace *trace, struct cache_state *state, bool damaged)
{
	trace->cache = state;
	trace->free_cache = cache_state_free;
	trace->cache_is_unchanged = is_unchanged;
	if (state)
		state->damaged = damaged;
}

bool trace_is_cached(const struct trace *trace)
{
	return trace->cache && trace->cache->guard;
}

const char *cache_notice(const struct trace *trace)
{
	OWNED_STR beside = STR_INIT;

	if (trace->cache && trace->cache->damaged)
		return CACHE_DAMAGE_NOTICE;
	return cache_wanted(trace) && cache_path(trace->cache->source, 0, &beside) &&
			       cache_is_foreign(beside.text)
		       ? "the cache file beside the trace is another user's, and not used: yours "
			 "goes to the cache folder"
		       : NULL;
}
