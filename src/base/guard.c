#include "base/guard.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

/* PIECE: small, as the handler may run on a small stack (sigaltstack). */
enum { GUARDS = 32, PIECE = 8192 };

struct guard {
	struct guard_file file;
	char *data;
	size_t chunks;
	atomic_uchar *checked; /* [chunks] */
};

/* State that the signal handler needs; see the header. */
static struct {
	_Atomic(struct guard *) guards[GUARDS];
	struct sigaction old_segv, old_bus;
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
	sigdelset(signals, SIGSEGV);
	sigdelset(signals, SIGBUS);
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
	const struct sigaction *old = number == SIGBUS ? &known.old_bus : &known.old_segv;

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

static void on_fault(int number, siginfo_t *info, void *machine)
{
	const int saved = errno;
	const char *address = info->si_addr;
	struct guard *g = info->si_code > 0 ? guard_of(address) : NULL;

	if (!g) {
		pass_on(number, info, machine);
	} else if (number == SIGBUS ||
		   !open_chunk(g, (size_t)(address - g->data) >> g->file.chunk_bits)) {
		if (g->file.damaged)
			g->file.damaged(g->file.context);
		abort();
	}
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

	assert(file->chunk_bits < 48 && (size_t)1 << file->chunk_bits >= (size_t)getpagesize());
	g->file = *file;
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
	if (file->damaged) {
		catch (SIGSEGV, &known.old_segv);
		catch (SIGBUS, &known.old_bus);
	}
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
