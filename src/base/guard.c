#define _GNU_SOURCE /* mremap */
#include "base/guard.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

/* AHEAD: chunks. */
enum { GUARDS = 32, AHEAD = 16, LOOK_NS = 250000000 };

/* Of a chunk: not yet; before it was touched, or because it was. */
enum { CHECKED_NOT, CHECKED_BEFORE, CHECKED_TOUCHED };

struct guard {
	struct guard_file file;
	char *data;
	size_t chunks;
	atomic_uchar *checked; /* [chunks] */
	off_t length;          /* of the file, and when it was last written to, at guard_open() */
	struct timespec written;
};

/* What damage, or bytes that changed after they were checked, may lead to. */
static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
enum { FAULTS = sizeof faults / sizeof *faults };

/* State that the signal handler needs; see the header. */
static struct {
	_Atomic(struct guard *) guards[GUARDS];
	struct sigaction old[FAULTS];
	atomic_int timed; /* the process that called begin_looking(): children have no timer */
} known;

uint64_t guard_sum(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}

void guard_others(sigset_t *signals)
{
	sigfillset(signals);
	for (int i = 0; i < FAULTS; i++)
		sigdelset(signals, faults[i]);
}

/* ---- on first access ---- */

static size_t bytes_of(const struct guard *g, size_t chunk, size_t n)
{
	const size_t start = chunk << g->file.chunk_bits, bytes = n << g->file.chunk_bits;

	return bytes < g->file.size - start ? bytes : g->file.size - start;
}

static bool sound(const struct guard *g, size_t chunk, const char *data)
{
	return guard_sum(data, bytes_of(g, chunk, 1)) == g->file.sums[chunk];
}

/* Checks chunks in a mapping that no other thread knows, and moves that to its place. DAMAGED: at
 * least one is; FULL: the kernel allows no more mappings. */
enum opened { OPENED, DAMAGED, FULL };

static enum opened open_chunks(struct guard *g, size_t chunk, size_t n)
{
	const size_t bytes = bytes_of(g, chunk, n), start = chunk << g->file.chunk_bits;
	char *data = mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, g->file.fd,
			  (off_t)(g->file.offset + start));
	bool fine;

	if (data == MAP_FAILED)
		return FULL;
	/* EINVAL: a kernel that reads what is touched. */
	fine = madvise(data, bytes, MADV_POPULATE_READ) == 0 || errno == EINVAL;
	for (size_t i = 0; i < n && fine; i++)
		fine = sound(g, chunk + i, data + (i << g->file.chunk_bits));
	if (fine && mremap(data, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, g->data + start) !=
			    MAP_FAILED) {
		for (size_t i = 0; i < n; i++)
			atomic_store(&g->checked[chunk + i], CHECKED_TOUCHED);
		return OPENED;
	}
	munmap(data, bytes);
	return fine ? FULL : DAMAGED;
}

/* How many chunks to open from one on: where those before it were touched, those after it will
 * be. */
static size_t ahead(const struct guard *g, size_t chunk)
{
	size_t before = 0, n = 1;

	while (before < AHEAD && before < chunk &&
	       atomic_load(&g->checked[chunk - before - 1]) == CHECKED_TOUCHED)
		before++;
	while (n < before && chunk + n < g->chunks && !atomic_load(&g->checked[chunk + n]))
		n++;
	return n;
}

/* False if the chunk is damaged. */
static bool open_chunk(struct guard *g, size_t chunk)
{
	const size_t n = ahead(g, chunk);
	enum opened opened = open_chunks(g, chunk, n);

	if (opened == DAMAGED && n > 1)
		opened = open_chunks(g, chunk, 1);
	if (opened == FULL)
		opened = open_chunks(g, 0, g->chunks);
	return opened == OPENED;
}

static struct guard *guard_of(const char *address)
{
	for (int i = 0; i < GUARDS; i++) {
		struct guard *g = atomic_load(&known.guards[i]);
		if (g && address >= g->data && address < g->data + g->file.size)
			return g;
	}
	return NULL;
}

static void pass_on(int number, siginfo_t *info, void *machine)
{
	int fault = 0;

	while (faults[fault] != number)
		fault++;
	const struct sigaction *old = &known.old[fault];
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(number, info, machine);
	else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
		old->sa_handler(number);
	else /* the fault recurs on return and meets the default action */
		sigaction(number, old, NULL);
	/* A signal that was sent does not recur by itself. */
	if (!(old->sa_flags & SA_SIGINFO) && old->sa_handler == SIG_DFL && info->si_code <= 0)
		raise(number);
}

/* One that was written to since it was opened. */
static struct guard *changed_guard(void)
{
	for (int i = 0; i < GUARDS; i++) {
		struct guard *g = atomic_load(&known.guards[i]);
		if (g && !guard_is_unchanged(g))
			return g;
	}
	return NULL;
}

static _Noreturn void end_damaged(const struct guard *g)
{
	g->file.damaged(g->file.context);
	/* It has returned, which it must not. */
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void on_fault(int number, siginfo_t *info, void *machine)
{
	const int saved = errno;
	const char *address = info->si_addr;
	const bool touched = info->si_code > 0 && (number == SIGSEGV || number == SIGBUS);
	struct guard *g = touched ? guard_of(address) : NULL, *changed;

	if (g &&
	    (number == SIGBUS || !open_chunk(g, (size_t)(address - g->data) >> g->file.chunk_bits)))
		end_damaged(g);
	if (!g && (changed = changed_guard()))
		end_damaged(changed);
	if (!g)
		pass_on(number, info, machine);
	errno = saved;
}

static void catch (int number, struct sigaction *old)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER },
			 now;

	sigemptyset(&action.sa_mask);
	sigaction(number, NULL, &now);
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault)
		return;
	sigaction(number, &action, old);
}

static void look_around(int number)
{
	const int saved = errno;
	const struct guard *changed = changed_guard();

	(void)number;
	if (changed)
		end_damaged(changed);
	errno = saved;
}

/* Memory runs out for a size that was changed. */
static void look_at_the_end(void)
{
	look_around(0);
}

/* An idle program is never woken. Without a timer only loops over changed bytes go on for ever. */
static void begin_looking(void)
{
	const struct itimerspec each = { { 0, LOOK_NS }, { 0, LOOK_NS } };
	struct sigaction action = { .sa_handler = look_around,
				    .sa_flags = SA_RESTART | SA_ONSTACK };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;

	if (atomic_exchange(&known.timed, getpid()) == getpid())
		return;
	(void)at_quick_exit(look_at_the_end);
	sigemptyset(&action.sa_mask);
	sigaction(SIGRTMIN, &action, NULL);
	if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
		timer_settime(timer, 0, &each, NULL);
}

/* ---- opening ---- */

/* Replaces a guard in the table; NULL is an empty place. False if `old` is not found. */
static bool exchange(struct guard *old, struct guard *new)
{
	for (int i = 0; i < GUARDS; i++) {
		struct guard *there = old;
		if (atomic_compare_exchange_strong(&known.guards[i], &there, new))
			return true;
	}
	return false;
}

struct guard *guard_open(const struct guard_file *file)
{
	struct guard *g = xcalloc(1, sizeof *g);
	struct stat st;

	assert(file->chunk_bits < 48 && (size_t)1 << file->chunk_bits >= (size_t)getpagesize());
	g->file = *file;
	if (fstat(file->fd, &st) == 0) {
		g->length = st.st_size;
		g->written = st.st_mtim;
	}
	g->chunks = (file->size + ((size_t)1 << file->chunk_bits) - 1) >> file->chunk_bits;
	g->data = mmap(NULL, file->size ? file->size : 1, PROT_NONE, MAP_SHARED | MAP_NORESERVE,
		       file->fd, (off_t)file->offset);
	if (g->data == MAP_FAILED || (file->damaged && !exchange(NULL, g))) {
		if (g->data != MAP_FAILED)
			munmap(g->data, file->size ? file->size : 1);
		free(g);
		return NULL;
	}
	g->checked = xcalloc(g->chunks, sizeof *g->checked);
	for (int i = 0; i < FAULTS && file->damaged; i++)
		catch (faults[i], &known.old[i]);
	if (file->damaged)
		begin_looking();
	return g;
}

void guard_close(struct guard *g)
{
	if (!g)
		return;
	exchange(g, NULL);
	munmap(g->data, g->file.size ? g->file.size : 1);
	close(g->file.fd);
	free_all(g->checked, g);
}

const char *guard_data(const struct guard *g)
{
	return g->data;
}

bool guard_is_unchanged(const struct guard *g)
{
	struct stat st;

	return fstat(g->file.fd, &st) == 0 && st.st_size == g->length &&
	       st.st_mtim.tv_sec == g->written.tv_sec && st.st_mtim.tv_nsec == g->written.tv_nsec;
}

bool guard_check(struct guard *g, size_t from, size_t bytes)
{
	const unsigned bits = g->file.chunk_bits;

	assert(from <= g->file.size && bytes <= g->file.size - from);
	if (bytes == 0)
		return true;
	const size_t first = from >> bits, last = (from + bytes - 1) >> bits;
	for (size_t i = first; i <= last; i++) {
		if (atomic_load(&g->checked[i]))
			continue;
		/* The guard is not shared yet, so the chunk may be readable before it is checked;
		 * reading it through the mapping keeps it in memory for later. */
		if (mprotect(g->data + (i << bits), bytes_of(g, i, 1), PROT_READ) != 0 ||
		    !sound(g, i, g->data + (i << bits)))
			return false;
		atomic_store(&g->checked[i], CHECKED_BEFORE);
	}
	return true;
}
