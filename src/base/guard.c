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

/* PIECE: small, as the handler may run on a small stack (sigaltstack). */
enum { GUARDS = 32, PIECE = 8192, LOOK_NS = 250000000 };

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
	atomic_int timed; /* the process of which a timer calls look_around(): children have none */
} known;

static size_t chunk_bytes(const struct guard *g, size_t chunk)
{
	const size_t start = chunk << g->file.chunk_bits, all = (size_t)1 << g->file.chunk_bits;

	return g->file.size - start < all ? g->file.size - start : all;
}

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

/* Reads the chunk from the file, not through the mapping: other threads must not see it before it
 * is checked. */
static bool chunk_sound(const struct guard *g, size_t chunk)
{
	const size_t n = chunk_bytes(g, chunk);
	const uint64_t start = g->file.offset + (chunk << g->file.chunk_bits);
	char piece[PIECE];
	XXH3_state_t state;

	XXH3_64bits_reset(&state);
	for (size_t done = 0; done < n;) {
		const size_t want = n - done < PIECE ? n - done : PIECE;
		const ssize_t got = pread(g->file.fd, piece, want, (off_t)(start + done));
		if (got <= 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		XXH3_64bits_update(&state, piece, (size_t)got);
		done += (size_t)got;
	}
	return XXH3_64bits_digest(&state) == g->file.sums[chunk];
}

static bool allow(const struct guard *g, size_t chunk, size_t n)
{
	size_t bytes = n << g->file.chunk_bits;
	const size_t start = chunk << g->file.chunk_bits;

	if (bytes > g->file.size - start)
		bytes = g->file.size - start;
	return mprotect(g->data + start, bytes, PROT_READ) == 0;
}

/* False if the chunk is damaged. */
static bool open_chunk(struct guard *g, size_t chunk)
{
	if (!atomic_load(&g->checked[chunk]) && !chunk_sound(g, chunk))
		return false;
	atomic_store(&g->checked[chunk], 1);
	if (allow(g, chunk, 1))
		return true;
	/* The kernel allows no more pieces with different access: check and open all chunks. */
	for (size_t i = 0; i < g->chunks; i++)
		if (!atomic_load(&g->checked[i]) && !chunk_sound(g, i))
			return false;
	return allow(g, 0, g->chunks);
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

/* An idle program is never woken. Without a timer only loops over changed bytes go on for ever. */
static void begin_timer(void)
{
	const struct itimerspec each = { { 0, LOOK_NS }, { 0, LOOK_NS } };
	struct sigaction action = { .sa_handler = look_around,
				    .sa_flags = SA_RESTART | SA_ONSTACK };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;

	if (atomic_exchange(&known.timed, getpid()) == getpid())
		return;
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
		begin_timer();
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
		if (!allow(g, i, 1) ||
		    guard_sum(g->data + (i << bits), chunk_bytes(g, i)) != g->file.sums[i])
			return false;
		atomic_store(&g->checked[i], 1);
	}
	return true;
}
