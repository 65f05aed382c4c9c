/* Lock Contention: an epoch at a target waits until the one before it has released the lock, if
 * either is exclusive. Epochs are in the order of the times by which they had their locks: the end
 * of the call in which a first operation completed at the target, or else of the unlock.
 * MPI_Win_lock may return without the lock, and MPI_Win_unlock long after others have it.
 * MPI_Win_lock_all names no target: its epoch is one, shared, at each target of its operations.
 * That it may wait for others, to which none goes, is not seen. */

#include "base/order.h"
#include "base/vec.h"
#include "patterns/kinds/rma.h"

struct lock_epoch {
	int32_t target;
	bool exclusive;
	uint32_t first, last; /* records: lock and unlock */
	int64_t held;         /* it had the lock by then */
	int64_t unlock;       /* of the record */
};

/* An operation of an epoch at all targets, or its completion there. */
struct lock_access {
	int32_t target;
	uint32_t record;
	bool complete;
};

struct locks {
	const struct rma_window *window;
	VEC(const struct rma_record *) calls; /* of locks, by location, target, time */
	VEC(struct lock_epoch) epochs;
	/* Of the epoch at all targets: what it does, and records of its flushes of all */
	VEC(struct lock_access) accesses;
	VEC(uint32_t) flushes;
};

static int by_target(const void *a, const void *b)
{
	const struct rma_record *x = *(const struct rma_record *const *)a;
	const struct rma_record *y = *(const struct rma_record *const *)b;

	ORDER_BY(x->location, y->location);
	ORDER_BY(x->remote, y->remote);
	return ORDER(x, y);
}

ORDERING(by_held, struct lock_epoch, target, held, first)
ORDERING(by_access, struct lock_access, target, record)

/* The end of the first call after a record that completed all; INT64_MAX none. */
static int64_t flushed_after(const struct locks *k, uint32_t record)
{
	size_t low = 0, high = k->flushes.n;

	BISECT(low, high, middle, k->flushes.data[middle] < record);
	return low < k->flushes.n ? k->window->records[k->flushes.data[low]].lv : INT64_MAX;
}

/* The epoch at all targets ends, as one at each target that it has accessed. */
static void add_epochs(struct locks *k, uint32_t first, uint32_t last)
{
	const struct rma_record *records = k->window->records;
	const struct lock_access *a = k->accesses.data, *end = a + k->accesses.n;

	vec_sort(&k->accesses, by_access);
	while (a < end) {
		struct lock_epoch epoch = { a->target,         false, first, last, records[last].lv,
					    records[last].time };
		const int64_t flushed = flushed_after(k, a->record);
		epoch.held = flushed < epoch.held ? flushed : epoch.held;
		for (; a < end && a->target == epoch.target; a++)
			if (a->complete && records[a->record].lv < epoch.held)
				epoch.held = records[a->record].lv;
		vec_push(&k->epochs, epoch);
	}
}

/* Epochs of MPI_Win_lock_all. Records are by location. */
static void find_all_epochs(struct locks *k)
{
	const struct rma_record *records = k->window->records, *open = NULL;

	for (uint32_t i = 0; i < k->window->n; i++) {
		const struct rma_record *r = &records[i];
		if (open && open->location != r->location)
			open = NULL;
		if (r->kind == RMA_LOCK && r->remote < 0) {
			open = open ? open : r; /* requested, then acquired */
			k->accesses.n = k->flushes.n = 0;
		} else if (open && r->kind == RMA_UNLOCK && r->remote < 0) {
			add_epochs(k, (uint32_t)(open - records), i);
			open = NULL;
		} else if (open && r->kind == RMA_COMPLETED && r->remote < 0) {
			vec_push(&k->flushes, i);
		} else if (open && (r->kind == RMA_OPERATION || r->kind == RMA_COMPLETED)) {
			vec_push(&k->accesses,
				 ((struct lock_access){ r->remote, i, r->kind == RMA_COMPLETED }));
		}
	}
}

static void find_epochs(struct locks *k)
{
	const struct rma_record *records = k->window->records;
	const struct rma_record *open = NULL;
	int64_t held = INT64_MAX;

	for (uint32_t i = 0; i < k->window->n; i++)
		if (records[i].remote >= 0 &&
		    (records[i].kind == RMA_LOCK || records[i].kind == RMA_UNLOCK ||
		     records[i].kind == RMA_COMPLETED))
			vec_push(&k->calls, &records[i]);
	vec_sort(&k->calls, by_target);
	for (size_t i = 0; i < k->calls.n; i++) {
		const struct rma_record *r = k->calls.data[i];
		if (open && (open->location != r->location || open->remote != r->remote))
			open = NULL;
		if (!open)
			held = INT64_MAX;
		held = r->lv < held ? r->lv : held;
		if (r->kind == RMA_LOCK) {
			open = open ? open : r; /* requested, then acquired */
			held = INT64_MAX;
		} else if (open && r->kind == RMA_UNLOCK) {
			vec_push(&k->epochs,
				 ((struct lock_epoch){ r->remote, open->exclusive,
						       (uint32_t)(open - records),
						       (uint32_t)(r - records), held, r->time }));
			open = NULL;
		}
	}
	find_all_epochs(k);
	vec_sort(&k->epochs, by_held);
}

/* The record of the epoch in whose call contains time t, NULL without. Records are in the order of
 * time. */
static const struct rma_record *blocked(const struct locks *k, const struct lock_epoch *epoch,
					int64_t t)
{
	const struct rma_record *records = k->window->records;
	uint32_t low = epoch->first, high = epoch->last + 1;

	BISECT(low, high, middle, records[middle].en < t);
	if (low == epoch->first)
		return NULL;
	/* Several records of one call: its last is found. */
	return records[low - 1].lv > t && (records[low - 1].remote == epoch->target ||
					   records[low - 1].remote < 0)
		       ? &records[low - 1]
		       : NULL;
}

/* How much of a call had passed, up to its end at most, when the lock was released. */
static int64_t waited(const struct rma_record *call, int64_t released)
{
	return call ? (released < call->lv ? released : call->lv) - call->en : 0;
}

/* The lock is released at some time of the unlock's call: the call that waited for it may have
 * ended before the unlock did. */
static void wait_for(const struct locks *k, const struct lock_epoch *epoch,
		     const struct lock_epoch *before)
{
	const struct rma_record *unlock = &k->window->records[before->last];
	const struct rma_record *first = blocked(k, epoch, unlock->en);
	const struct rma_record *last = blocked(k, epoch, before->unlock);
	const struct rma_record *at =
		waited(first, before->unlock) > waited(last, before->unlock) ? first : last;

	if (!at)
		return;
	rma_found(k->window, at,
		  at->kind == RMA_OPERATION ? CUBE_MPI_RMA_COMM_LOCK_COMPETITION
					    : CUBE_MPI_RMA_SYNC_LOCK_COMPETITION,
		  at->en, before->unlock, unlock, 0);
}

void rma_locks(const struct rma_window *window)
{
	struct locks k = { .window = window };
	const struct lock_epoch *exclusive = NULL, *last = NULL;

	find_epochs(&k);
	for (size_t i = 0; i < k.epochs.n; i++) {
		const struct lock_epoch *e = &k.epochs.data[i];
		if (i == 0 || e[-1].target != e->target)
			exclusive = last = NULL;
		if (e->exclusive && last)
			wait_for(&k, e, last);
		else if (exclusive)
			wait_for(&k, e, exclusive);
		if (e->exclusive)
			exclusive = last = e;
		else if (!last || e->unlock > last->unlock)
			last = e;
	}
	vec_fini(&k.epochs);
	vec_fini(&k.calls);
	vec_fini(&k.accesses);
	vec_fini(&k.flushes);
}
