/* Writing cache files: into a draft beside the place, which is renamed when it is whole. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/version.h"
#include "model/cache/cache_state.h"
#include "model/trace/store.h"

enum { LEAST_BITS = 16, MOST_CHUNKS = 16384 };

static uint64_t least_events(void)
{
	const char *text = getenv("TVIEW_CACHE_MIN");
	char *end;
	const unsigned long long n = text ? strtoull(text, &end, 10) : 0;

	return text && end != text && !*end ? n : CACHE_MIN_EVENTS;
}

bool cache_wanted(const struct trace *trace)
{
	return trace->cache && !trace->cache->guard && !trace->partial.is &&
	       trace->events >= least_events();
}

/* ---- the draft ---- */

/* Removes a draft that was left over by a process that was killed: no process has its lock. It is
 * never written to: its name may be a link to something else. False: *why 0 where another process
 * of this user is writing it, else errno. */
static bool remove_left_over(const char *path, int *why)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool own, removed = false;

	*why = fd < 0 ? errno : EPERM;
	if (fd < 0)
		return errno == ENOENT;
	own = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
	if (own && flock(fd, LOCK_EX | LOCK_NB) != 0)
		*why = 0;
	else if (own)
		removed = unlink(path) == 0;
	close(fd);
	return removed;
}

/* A new file, locked by whoever writes it: -1, and *why as above. */
static int open_draft(const char *path, int *why)
{
	struct stat open_file, named;
	int fd;

	for (int tries = 0; tries < 3; tries++) {
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		*why = fd < 0 ? errno : 0;
		if (fd >= 0 || *why != EEXIST || !remove_left_over(path, why))
			break;
	}
	if (fd < 0)
		return -1;
	/* Between open and lock it may have been removed, or renamed, by another process. */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &open_file) == 0 &&
	    lstat(path, &named) == 0 && named.st_ino == open_file.st_ino &&
	    named.st_dev == open_file.st_dev)
		return fd;
	close(fd);
	return -1;
}

/* Disk space is taken beforehand where the file system can: a full disk is known at once, and
 * the file is in one piece. */
static bool reserve(int fd, uint64_t size, const char *path, struct err *err)
{
	return (ftruncate(fd, 0) == 0 &&
		(fallocate(fd, 0, 0, (off_t)size) == 0 || (errno != ENOSPC && errno != EFBIG))) ||
	       err_errno(err, STATUS_IO, "cannot write %s", path);
}

static unsigned bits_for(uint64_t size)
{
	unsigned bits = LEAST_BITS;

	while (size >> bits > MOST_CHUNKS)
		bits++;
	return bits;
}

static bool write_tables(struct cache_io *io, struct cache_header *h)
{
	const size_t sections = io->sections.n * sizeof(struct section);
	const size_t n = (size_t)h->data_offset - sizeof *h;
	OWNED char *tables = xcalloc(1, n);

	memcpy(tables, io->sections.data, sections);
	memcpy(tables + sections, io->sums.data, io->sums.n * sizeof *io->sums.data);
	h->tables_sum = guard_sum(tables, n);
	cache_header_finish(h);
	return pwrite(io->fd, tables, n, sizeof *h) == (ssize_t)n &&
	       pwrite(io->fd, h, sizeof *h, 0) == (ssize_t)sizeof *h;
}

static void name_source(struct cache_header *h, const char *source)
{
	OWNED char *real = realpath(source, NULL);

	snprintf(h->source, sizeof h->source, "%s", real ? real : source);
}

static void make_header(struct cache_header *h, const struct trace *trace,
			const struct cache_io *measured)
{
	const uint64_t align = (uint64_t)getpagesize();

	*h = (struct cache_header){ .key = trace->cache->key,
				    .data_size = measured->size,
				    .chunk_bits = bits_for(measured->size),
				    .sections = (uint32_t)measured->sections.n,
				    .events = trace->events,
				    .prepared = trace->cache->prepared };
	snprintf(h->version, sizeof h->version, "%s", TVIEW_VERSION);
	name_source(h, trace->cache->source);
	h->data_offset = sizeof *h + h->sections * sizeof(struct section) +
			 ((h->data_size >> h->chunk_bits) + 1) * sizeof(uint64_t);
	h->data_offset = (h->data_offset + align - 1) / align * align;
}

bool cache_draft_begin(struct trace *trace, const struct cache_draft *d, struct cache_io *io,
		       struct cache_header *h, struct err *err)
{
	struct cache_io measure = { .pass = CACHE_MEASURE, .fd = -1, .shared = io->shared };

	cache_pass(&measure, trace);
	make_header(h, trace, &measure);
	io_fini(&measure);
	*io = (struct cache_io){ .pass = CACHE_WRITE,
				 .fd = d->fd,
				 .shared = io->shared,
				 .at = h->data_offset,
				 .chunk_bits = h->chunk_bits };
	io->chunk = xmalloc((size_t)1 << h->chunk_bits);
	return (h->prepared || cache_make_room(d->path.text, h->data_offset + h->data_size, err)) &&
	       reserve(d->fd, h->data_offset + h->data_size, d->draft.text, err);
}

bool cache_draft_end(const struct cache_draft *d, struct cache_io *io, struct cache_header *h,
		     struct err *err)
{
	io_finish(io);
	errno = io->error;
	return (!io->bad && write_tables(io, h)) ||
	       err_errno(err, STATUS_IO, "cannot write %s", d->draft.text);
}

static bool write_draft(struct trace *trace, const struct cache_draft *d, struct err *err)
{
	struct cache_io io = { .shared = NULL };
	struct cache_header header;
	bool ok = cache_draft_begin(trace, d, &io, &header, err);

	if (ok) {
		cache_pass(&io, trace);
		ok = cache_draft_end(d, &io, &header, err);
	}
	io_fini(&io);
	return ok && cache_draft_place(trace->cache, d, err);
}

/* ---- the place ---- */

bool cache_draft_is_there(const struct cache_draft *d, const struct cache_state *state)
{
	struct cache_header header;
	struct stat st;

	return cache_open_header(d->path.text, &state->key, NULL, &header, &st) == CACHE_GOOD;
}

/* The source as it is now is the one that was read. */
static bool is_unchanged(const struct cache_state *state)
{
	struct cache_key now;

	return cache_key_make(state->source, state->as, state->strict, &now) &&
	       now.low == state->key.low && now.high == state->key.high;
}

bool cache_draft_place(const struct cache_state *state, const struct cache_draft *d,
		       struct err *err)
{
	if (!is_unchanged(state))
		return err_set(err, STATUS_IO,
			       "%s has changed while it was being read: no cache file was written",
			       state->source);
	if (rename(d->draft.text, d->path.text) != 0)
		return err_errno(err, STATUS_IO, "cannot write %s", d->path.text);
	cache_enter(state->source, d->path.text);
	return true;
}

bool cache_draft_open(const struct cache_state *state, struct cache_draft *d, struct err *err)
{
	int why = 0;

	*d = (struct cache_draft){ STR_INIT, STR_INIT, -1 };
	for (int place = 0; place < 2; place++) {
		OWNED_STR path = STR_INIT;
		if (!cache_path(state->source, place, &path))
			break;
		if (place == 1)
			folders_make(path.text);
		str_fini(&d->path);
		str_clear(&d->draft);
		d->path = path;
		path = (struct str)STR_INIT;
		str_add_fmt(&d->draft, "%s.part", d->path.text);
		why = EPERM;
		if (cache_is_foreign(d->path.text))
			continue;
		d->fd = open_draft(d->draft.text, &why);
		if (d->fd >= 0 || !why)
			return true;
	}
	errno = why;
	return err_errno(err, STATUS_IO, "cannot write %s", d->draft.text);
}

void cache_draft_close(struct cache_draft *d, bool keep)
{
	if (d->fd >= 0) {
		if (!keep)
			unlink(d->draft.text);
		close(d->fd);
	}
	str_fini(&d->path);
	str_fini(&d->draft);
}

bool cache_is_there(const struct cache_state *state)
{
	bool is = false;

	for (int place = 0; place < 2 && !is; place++) {
		struct cache_draft d = { STR_INIT, STR_INIT, -1 };
		is = cache_path(state->source, place, &d.path) && cache_draft_is_there(&d, state);
		cache_draft_close(&d, true);
	}
	return is;
}

bool cache_write(const struct trace *trace, struct err *err)
{
	struct trace *writable = (struct trace *)(uintptr_t)trace;
	struct cache_draft d;
	bool ok = cache_draft_open(trace->cache, &d, err), written = false;

	if (ok && d.fd >= 0 && !cache_draft_is_there(&d, trace->cache))
		ok = written = write_draft(writable, &d, err);
	cache_draft_close(&d, written);
	return ok;
}

/* ---- in the background ---- */

/* The writing process keeps only the pipe of its parent. */
static void detach(int pipe_end)
{
	const int null = open("/dev/null", O_RDWR);

	setsid();
	dup2(pipe_end, 3);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	closefrom(4);
	fcntl(3, F_SETFD, FD_CLOEXEC);
	if (nice(19) < 0)
		errno = 0;
	syscall(SYS_ioprio_set, 1, 0, 3 << 13); /* this process: when the disk is idle */
	for (int number = 1; number < NSIG; number++)
		if (number != SIGKILL && number != SIGSTOP)
			signal(number, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of write() */
	signal(SIGPIPE, SIG_IGN);
	alarm(0);
}

static _Noreturn void write_in_child(const struct trace *trace, int pipe_end,
				     void (*prepare)(struct trace *trace))
{
	struct err err = ERR_INIT;
	sigset_t none;

	/* One more generation, so that no one has to wait for the writer. */
	if (fork() != 0)
		_exit(0);
	detach(pipe_end);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prepare)
		prepare((struct trace *)(uintptr_t)trace);
	if (!cache_write(trace, &err) && write(3, err.text, strlen(err.text)) < 0)
		_exit(1);
	_exit(0);
}

int cache_write_behind(const struct trace *trace, void (*prepare)(struct trace *trace))
{
	int fds[2];
	pid_t child;

	if (!cache_wanted(trace) || pipe(fds) != 0)
		return -1;
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	child = fork();
	if (child == 0)
		write_in_child(trace, fds[1], prepare);
	close(fds[1]);
	if (child < 0) {
		close(fds[0]);
		return -1;
	}
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return fds[0];
}
