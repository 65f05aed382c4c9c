#define _GNU_SOURCE
#include "capture/lib/ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/lib/ledger.h"
#include "capture/lib/recorder_chunks.h"

/* A chunk that was written out. */
struct written {
	uint64_t end; /* ticks: its records are older */
	uint32_t place, thread, serial;
};

/* The ledger of a thread of which chunks were overwritten. */
struct account {
	uint32_t thread;
	struct tv_ledger *now, *other;
};

static struct {
	struct written *written; /* a ring of `most`, the oldest at `first` */
	uint32_t most, first, n;
	struct account *accounts; /* as many */
	uint32_t threads;
	struct tv_chunk *old;             /* the one that is to be overwritten, */
	struct tv_words_slot_read *slots; /* and its slots */
} ring;

static void *memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void tv_ring_start(void)
{
	const uint64_t span = tv_number_set("TVIEW_LAST_NS", 0);

	if (!span || tv.statistics)
		return;
	ring.most = (uint32_t)(tv.most / TV_CHUNK_SIZE) + 1;
	ring.written = memory(ring.most * sizeof *ring.written);
	ring.accounts = memory(ring.most * sizeof *ring.accounts);
	ring.old = memory(TV_CHUNK_SIZE);
	ring.slots = memory(TV_WORD_SLOTS * sizeof *ring.slots);
	if (ring.written && ring.accounts && ring.old && ring.slots)
		tv.file->ring = tv_ticks_of(span, 2000000);
}

/* pread() that no other tool wraps. */
static bool read_at(char *to, size_t bytes, off_t at)
{
	while (bytes > 0) {
		const long n = syscall(SYS_pread64, tv.fd, to, bytes, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool read_old(const struct written *w)
{
	const off_t at = TV_HEADER_SIZE + (off_t)w->place * TV_CHUNK_SIZE;
	struct tv_chunk *old = ring.old;

	return read_at((char *)old, sizeof *old, at) && old->thread == w->thread &&
	       old->serial == w->serial && old->used >= sizeof *old && old->used <= TV_CHUNK_SIZE &&
	       read_at((char *)old, old->used, at);
}

static struct account *account_of(uint32_t thread)
{
	for (uint32_t i = 0; i < ring.threads; i++)
		if (ring.accounts[i].thread == thread)
			return &ring.accounts[i];
	return NULL;
}

static void account_give(struct account *a)
{
	if (a->now)
		tv_chunk_spare((struct tv_chunk *)(void *)a->now);
	if (a->other)
		tv_chunk_spare((struct tv_chunk *)(void *)a->other);
	*a = ring.accounts[--ring.threads];
}

static struct tv_ledger *ledger_new(uint32_t thread)
{
	struct tv_ledger *l = (void *)tv_chunk_locked(TV_CHUNK_EVENTS);

	if (!l)
		return NULL;
	memset(&l->until, 0, sizeof *l - offsetof(struct tv_ledger, until));
	l->chunk.thread = thread;
	l->chunk.serial = 0;
	l->chunk.holds = TV_HOLDS_LEDGER;
	return l;
}

/* NULL: there is no room for one, and readers find that chunks are missing. */
static struct account *account_new(uint32_t thread)
{
	struct account *a = &ring.accounts[ring.threads];

	if (ring.threads >= ring.most)
		return NULL;
	*a = (struct account){ thread, ledger_new(thread), ledger_new(thread) };
	ring.threads++;
	if (a->now && a->other)
		return a;
	account_give(a);
	return NULL;
}

/* In the ledger that does not count, which then does: its serial is larger. */
static void take_records(struct account *a)
{
	struct tv_ledger *l = a->other;
	struct tv_words_reader words = { .slots = ring.slots };
	const struct tv_head *head;

	__atomic_store_n(&l->chunk.used, 0, __ATOMIC_SEQ_CST);
	memcpy(&l->until, &a->now->until, sizeof *l - offsetof(struct tv_ledger, until));
	tv_words_begin(&words, ring.old);
	while ((head = tv_words_next(&words, ring.old->used)))
		tv_ledger_take(l, head);
	l->lost += words.at < ring.old->used || ring.old->serial != l->covers;
	l->covers = ring.old->serial + 1;
	l->chunk.serial = a->now->chunk.serial + 1;
	__atomic_store_n(&l->chunk.used, sizeof *l, __ATOMIC_RELEASE);
	a->other = a->now;
	a->now = l;
}

/* The oldest is about to be overwritten. */
static void forget(const struct written *w)
{
	struct account *a = account_of(w->thread);

	if (!read_old(w))
		return;
	if (!a)
		a = account_new(w->thread);
	if (!a)
		return;
	take_records(a);
	/* Nothing of that thread follows. */
	if (a->now->ended)
		account_give(a);
}

bool tv_ring_take(uint32_t *place)
{
	const struct written oldest = ring.written[ring.first];

	if (!ring.n || (oldest.end + tv.file->ring > tv_now() && ring.n + 1 < ring.most &&
			!tv_chunks_scarce()))
		return false;
	ring.first = (ring.first + 1) % ring.most;
	ring.n--;
	forget(&oldest);
	*place = oldest.place;
	return true;
}

void tv_ring_add(const struct tv_chunk *chunk, uint32_t place)
{
	ring.written[(ring.first + ring.n) % ring.most] =
		(struct written){ tv_now(), place, chunk->thread, chunk->serial };
	ring.n++;
}
