#define _GNU_SOURCE
#include "capture/lib/carry.h"

#include "capture/lib/carry_places.h"
#include "capture/lib/carry_ring.h"
#include "capture/lib/locks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRIES = 1000 };
#define CLAIMED 1u

/* What this rank keeps for another rank of the node. */
struct partner {
	bool writes[CARRY_DIRECTIONS], reads[CARRY_DIRECTIONS]; /* the ring has its page */
	struct carry_reader reader[CARRY_DIRECTIONS];
};

static struct {
	pthread_mutex_t lock;
	int fd;
	int16_t *number_of; /* [world] -1: it has none */
	bool *here;         /* [map.size] */
	struct carry_map map;
	struct partner *partners; /* [map.size] */
	char path[TV_CARRY_PATH];
} node = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

const struct carry_map *tv_carry_map(void)
{
	return &node.map;
}

/* The page of a ring, reserved when it is first used: touching one that a full disk has no room for
 * would end the program. */
static struct carry_ring *ring_of(enum carry_direction direction, int from, int to, bool *reserved)
{
	struct carry_ring *ring = carry_ring_at(&node.map, direction, from, to);

	if (TV_UNLIKELY(!*reserved))
		*reserved = posix_fallocate(node.fd, (off_t)((const char *)ring - node.map.at),
					    CARRY_PAGE) == 0;
	return *reserved ? ring : NULL;
}

bool tv_carry_reaches(int world)
{
	const int number = node.map.at && world >= 0 ? node.number_of[world] : -1;

	return number >= 0 && node.here[number];
}

/* The partner's number, -1 where it has none, or there is none of that rank: MPI has not looked
 * yet. */
static int number_of(const struct tv_comm *comm, int peer)
{
	int world = peer;

	if (!node.map.at || !comm->key || peer < 0 ||
	    peer >= (comm->remote ? comm->remote : comm->size))
		return -1;
	if (comm->members)
		world = comm->members[comm->remote ? comm->size + peer : peer];
	return world >= 0 ? node.number_of[world] : -1;
}

/* The same of one on this node. */
static int number_here(const struct tv_comm *comm, int peer)
{
	const int number = number_of(comm, peer);

	return number >= 0 && node.here[number] ? number : -1;
}

bool tv_carry_reaches_peer(const struct tv_comm *comm, int peer)
{
	return peer < 0 ? comm->near : number_here(comm, peer) >= 0;
}

/* A bound that is too large to be kept is none. */
static uint32_t error_put(int64_t error)
{
	if (error == TV_VIRTUAL_UNKNOWN)
		return CARRY_ERROR_UNKNOWN;
	return error < CARRY_ERROR_UNKNOWN ? (uint32_t)error : CARRY_ERROR_NO_BOUND;
}

static int64_t error_got(uint32_t error)
{
	return error < CARRY_ERROR_UNKNOWN     ? (int64_t)error
	       : error == CARRY_ERROR_NO_BOUND ? VIRTUAL_NO_BOUND
					       : TV_VIRTUAL_UNKNOWN;
}

static void put_to(enum carry_direction direction, uint32_t key, int to, int tag,
		   struct virtual_entry e)
{
	struct carry_ring *ring;

	if (to < 0)
		return;
	tv_lock(&node.lock);
	ring = ring_of(direction, node.map.me, to, &node.partners[to].writes[direction]);
	if (ring)
		carry_put_entry(ring, (struct carry_entry){ .time = (uint64_t)e.time,
							    .comm = key,
							    .tag = tag < 0 ? CARRY_ANY_TAG : tag,
							    .intrusion = e.intrusion,
							    .error = error_put(e.error) });
	if (ring)
		carry_note_talk(&node.map, direction, node.map.me, to);
	tv_unlock(&node.lock);
}

/* ---- messages ---- */

/* Raises a value that only grows. */
static void raise_to(struct carry_most *most, uint64_t value)
{
	uint64_t before = __atomic_load_n(&most->value, __ATOMIC_RELAXED);

	while (value > before && !__atomic_compare_exchange_n(&most->value, &before, value, true,
							      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void tv_carry_send(const struct tv_comm *comm, int peer, int tag, struct virtual_entry e)
{
	put_to(CARRY_SENDS, comm->key, number_of(comm, peer), tag, e);
}

void tv_carry_post(const struct tv_comm *comm, int peer, int tag, struct virtual_entry e)
{
	put_to(CARRY_POSTS, comm->key, number_here(comm, peer), tag, e);
}

void tv_carry_post_any(struct virtual_entry e)
{
	struct carry_posted *mine;

	if (!node.map.at)
		return;
	mine = carry_any_of(&node.map, node.map.me);
	__atomic_store_n(&mine->intrusion, (uint64_t)e.intrusion, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->error, (uint64_t)e.error, __ATOMIC_RELAXED);
	raise_to(&mine->time, (uint64_t)e.time);
}

struct virtual_entry tv_carry_posted(uint64_t time)
{
	struct virtual_entry e = { .time = (int64_t)time, .error = TV_VIRTUAL_UNKNOWN };
	const struct carry_posted *mine;

	if (!node.map.at)
		return e;
	mine = carry_any_of(&node.map, node.map.me);
	if (__atomic_load_n(&mine->time.value, __ATOMIC_RELAXED) != time)
		return e;
	e.intrusion = (int64_t)mine->intrusion;
	e.error = (int64_t)mine->error;
	return e;
}

/* The entry that a reader has found. */
static struct virtual_entry found(const struct carry_reader *r, uint64_t time)
{
	return (struct virtual_entry){ .time = (int64_t)time,
				       .intrusion = time ? r->found.intrusion : 0,
				       .error = time ? error_got(r->found.error) : 0 };
}

void tv_carry_withdraw(const struct tv_comm *comm, bool receive, int peer, int tag, uint64_t time)
{
	const enum carry_direction direction = receive ? CARRY_POSTS : CARRY_SENDS;
	const int to = receive ? number_here(comm, peer) : number_of(comm, peer);

	if (to < 0)
		return;
	tv_lock(&node.lock);
	if (node.partners[to].writes[direction])
		carry_withdraw(carry_ring_at(&node.map, direction, node.map.me, to), comm->key,
			       tag < 0 ? CARRY_ANY_TAG : tag, time);
	tv_unlock(&node.lock);
}

void tv_carry_forgo(const struct tv_comm *comm, bool receive, int peer, int tag)
{
	const enum carry_direction direction = receive ? CARRY_SENDS : CARRY_POSTS;
	const int from = receive ? number_of(comm, peer) : number_here(comm, peer);
	struct carry_ring *ring;

	if (from < 0)
		return;
	tv_lock(&node.lock);
	ring = ring_of(direction, from, node.map.me, &node.partners[from].reads[direction]);
	if (ring)
		carry_take_later(&node.partners[from].reader[direction], ring, comm->key, tag);
	tv_unlock(&node.lock);
}

struct virtual_entry tv_carry_sender(const struct tv_comm *comm, int peer, int tag)
{
	const int from = number_of(comm, peer);
	struct carry_ring *ring;
	struct partner *partner;
	struct virtual_entry e = { 0 };

	if (from < 0)
		return e;
	partner = &node.partners[from];
	tv_lock(&node.lock);
	ring = ring_of(CARRY_SENDS, from, node.map.me, &partner->reads[CARRY_SENDS]);
	if (ring) {
		e = found(&partner->reader[CARRY_SENDS],
			  carry_take(&partner->reader[CARRY_SENDS], ring, comm->key, tag));
		carry_in_step(&partner->reader[CARRY_SENDS], ring);
	}
	tv_unlock(&node.lock);
	return e;
}

struct virtual_entry tv_carry_probed(const struct tv_comm *comm, int peer, int tag)
{
	const int from = number_of(comm, peer);
	struct carry_entry e = { 0 };
	const struct carry_ring *ring;

	if (from < 0)
		return (struct virtual_entry){ 0 };
	tv_lock(&node.lock);
	ring = ring_of(CARRY_SENDS, from, node.map.me, &node.partners[from].reads[CARRY_SENDS]);
	if (ring)
		e = carry_peek(&node.partners[from].reader[CARRY_SENDS], ring, comm->key, tag);
	tv_unlock(&node.lock);
	return (struct virtual_entry){ (int64_t)e.time, e.intrusion, 0, error_got(e.error) };
}

struct virtual_entry tv_carry_posted_any(const struct tv_comm *comm, int peer)
{
	const int from = number_here(comm, peer);
	struct virtual_entry e = { 0 };
	const struct carry_posted *theirs;

	if (from < 0)
		return e;
	theirs = carry_any_of(&node.map, from);
	e.time = (int64_t)__atomic_load_n(&theirs->time.value, __ATOMIC_ACQUIRE);
	e.intrusion = (int64_t)__atomic_load_n(&theirs->intrusion, __ATOMIC_RELAXED);
	e.error = (int64_t)__atomic_load_n(&theirs->error, __ATOMIC_RELAXED);
	return e;
}

/* `since`: 0 where there is no receive from any source. */
static struct virtual_entry take_post(uint32_t key, int from, int tag, uint64_t since)
{
	struct carry_ring *ring;
	struct partner *partner;
	struct virtual_entry e = { 0 };

	partner = &node.partners[from];
	tv_lock(&node.lock);
	ring = ring_of(CARRY_POSTS, from, node.map.me, &partner->reads[CARRY_POSTS]);
	if (ring) {
		const uint64_t time =
			carry_take_later(&partner->reader[CARRY_POSTS], ring, key, tag);
		if (time && time != CARRY_UNKNOWN)
			e = found(&partner->reader[CARRY_POSTS], time);
		else if (!time && since &&
			 __atomic_load_n(&carry_any_of(&node.map, from)->time.value,
					 __ATOMIC_ACQUIRE) <= since)
			e.time = TV_CARRY_LATER;
	}
	tv_unlock(&node.lock);
	return e;
}

struct virtual_entry tv_carry_receiver(const struct tv_comm *comm, int peer, int tag,
				       uint64_t since)
{
	const int from = number_here(comm, peer);

	if (from < 0)
		return (struct virtual_entry){ 0 };
	return take_post(comm->key, from, tag, since);
}

/* ---- collectives, windows ---- */

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint32_t window_key(const struct tv_comm *comm, uint32_t nth)
{
	return (uint32_t)mix((uint64_t)comm->key << 32 | ~nth);
}

void tv_carry_signal(const struct tv_comm *comm, uint32_t nth, int world, enum tv_carry_epoch what,
		     struct virtual_entry e)
{
	if (tv_carry_reaches(world) && comm->key)
		put_to(CARRY_POSTS, window_key(comm, nth), node.number_of[world], (int)what, e);
}

struct virtual_entry tv_carry_signalled(const struct tv_comm *comm, uint32_t nth, int world,
					enum tv_carry_epoch what)
{
	if (!tv_carry_reaches(world) || !comm->key)
		return (struct virtual_entry){ 0 };
	return take_post(window_key(comm, nth), node.number_of[world], (int)what, 0);
}

/* The first rank to arrive gives the slot to the ticket, whatever used the slot before. */
static bool claim(struct carry_slot *slot, uint64_t ticket)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
		if (key == ticket)
			return true;
		if (key == CLAIMED ||
		    !__atomic_compare_exchange_n(&slot->key, &key, CLAIMED, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&slot->latest.value, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->moved.value, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->error.value, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->root, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->here, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->key, ticket, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

uint64_t tv_carry_enter(const struct tv_comm *comm, uint64_t turn, int root, struct virtual_entry e)
{
	struct carry_slot *slot;
	uint64_t ticket;

	if (!node.map.at || !comm->key || !comm->near || comm->remote)
		return 0;
	ticket = mix(mix((uint64_t)comm->key << 32) + turn) | 2;
	if (tv.virtual_time)
		carry_place_put(carry_places_of(&node.map, node.map.me),
				(struct carry_place){ ticket, e.time, e.intrusion, e.error });
	slot = carry_slot_of(&node.map, ticket);
	if (!claim(slot, ticket))
		return 0;
	raise_to(&slot->moved, (uint64_t)(e.time - e.intrusion));
	raise_to(&slot->error, (uint64_t)e.error);
	raise_to(&slot->latest, (uint64_t)e.time);
	if (root == comm->rank) {
		__atomic_store_n(&slot->root_intrusion, (uint64_t)e.intrusion, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->root_error, (uint64_t)e.error, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->root, (uint64_t)e.time, __ATOMIC_RELEASE);
	}
	if (node.map.me < 64)
		__atomic_fetch_or(&slot->here, UINT64_C(1) << node.map.me, __ATOMIC_RELEASE);
	return ticket;
}

struct virtual_entry tv_carry_member(const struct tv_comm *comm, uint64_t ticket, int rank)
{
	const int number = ticket ? number_here(comm, rank) : -1;
	struct carry_place p;

	if (number < 0)
		return (struct virtual_entry){ 0 };
	p = carry_place_get(carry_places_of(&node.map, number), ticket);
	return (struct virtual_entry){ p.time, p.intrusion, 0, p.error };
}

struct virtual_entry tv_carry_latest(const struct tv_comm *comm, uint64_t ticket,
				     enum virtual_rule rule, int root, struct virtual_entry own)
{
	const struct virtual_entry unknown = { 0 };
	struct virtual_entry latest, of_root;
	const struct carry_slot *slot;

	if (!ticket)
		return unknown;
	slot = carry_slot_of(&node.map, ticket);
	latest.time = (int64_t)__atomic_load_n(&slot->latest.value, __ATOMIC_ACQUIRE);
	latest.intrusion =
		latest.time - (int64_t)__atomic_load_n(&slot->moved.value, __ATOMIC_RELAXED);
	latest.error = (int64_t)__atomic_load_n(&slot->error.value, __ATOMIC_RELAXED);
	latest.lag = of_root.lag = 0;
	of_root.time = (int64_t)__atomic_load_n(&slot->root, __ATOMIC_ACQUIRE);
	of_root.intrusion = (int64_t)__atomic_load_n(&slot->root_intrusion, __ATOMIC_RELAXED);
	of_root.error = (int64_t)__atomic_load_n(&slot->root_error, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != ticket)
		return unknown;
	switch (rule) {
	case VIRTUAL_FROM_ROOT: return root == comm->rank ? own : of_root;
	case VIRTUAL_TO_ROOT: return root == comm->rank ? latest : own;
	case VIRTUAL_ALL: return latest;
	default: return unknown;
	}
}

/* ---- for hold.c ---- */

int tv_carry_number(const struct tv_comm *comm, int peer)
{
	return number_of(comm, peer);
}

int tv_carry_number_here(const struct tv_comm *comm, int peer)
{
	return number_here(comm, peer);
}

int tv_carry_ranks(int *me)
{
	*me = node.map.me;
	return node.map.at ? node.map.size : 0;
}

struct carry_ring *tv_carry_copy(int from)
{
	struct carry_ring *ring =
		ring_of(CARRY_SENDS, from, node.map.me, &node.partners[from].reads[CARRY_SENDS]);

	if (ring)
		carry_note_talk(&node.map, CARRY_SENDS, from, node.map.me);
	return ring;
}

/* ---- the node's mapping ---- */

bool tv_carry_wanted(void)
{
	const char *wanted = getenv("TVIEW_CARRY");

	return getenv("TVIEW_DIR") && !(wanted && *wanted == '0');
}

bool tv_carry_meet(int me, int size, const int *ranks, const bool *here, int world)
{
	node.map.me = me;
	node.map.size = size;
	node.number_of = malloc((size_t)world * sizeof *node.number_of);
	node.here = malloc((size_t)size * sizeof *node.here);
	node.map.here = node.here;
	node.partners = calloc((size_t)size, sizeof *node.partners);
	if (size > TV_CARRY_RANKS || !node.number_of || !node.here || !node.partners)
		return false;
	for (int i = 0; i < world; i++)
		node.number_of[i] = -1;
	for (int i = 0; i < size; i++) {
		node.number_of[ranks[i]] = (int16_t)i;
		node.here[i] = here[i];
	}
	return true;
}

/* Pages for all pairs are mapped, and made when a pair first talks. */
static bool map_it(bool make)
{
	const size_t bytes = carry_map_bytes(node.map.size);

	node.fd = open(node.path, O_RDWR | O_CLOEXEC | (make ? O_CREAT | O_EXCL : 0), 0600);
	if (node.fd < 0)
		return false;
	if (make && (ftruncate(node.fd, (off_t)bytes) != 0 ||
		     posix_fallocate(node.fd, 0,
				     (off_t)(CARRY_FIRST_PAGES + node.map.size) * CARRY_PAGE) != 0))
		return false;
	node.map.at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, node.fd, 0);
	if (node.map.at == MAP_FAILED)
		node.map.at = NULL;
	return node.map.at != NULL;
}

const char *tv_carry_make(void)
{
	const int n = snprintf(node.path, sizeof node.path, "%s/%ld.tvcarry", getenv("TVIEW_DIR"),
			       (long)getpid());

	return n > 0 && n < (int)sizeof node.path && map_it(true) ? node.path : "";
}

void tv_carry_join(const char *path)
{
	snprintf(node.path, sizeof node.path, "%s", path);
	if (*path && node.partners)
		map_it(false);
}

void tv_carry_hide(void)
{
	/* Ranks that have mapped it keep it; without the name, a crash leaves no file. */
	unlink(node.path);
}
