/* carry_places: what one rank says of its latest collectives, found again by the number that all
 * members of one have for it (a ticket), for those that depend on some of the ranks only. Space is
 * constant: a later collective takes the place of an earlier one, which is then unknown.
 *
 * libc alone, no state: so it can be tested without MPI. One thread writes at a time. */
#pragma once

#include <stdint.h>

enum { CARRY_PLACES = 256 }; /* in a page of carry_ring.h */

struct carry_place {
	uint64_t ticket; /* 0: free, or being written */
	int64_t time, intrusion, error;
};

struct carry_places {
	struct carry_place place[CARRY_PLACES];
};

static inline void carry_place_put(struct carry_places *places, struct carry_place p)
{
	struct carry_place *at = &places->place[p.ticket % CARRY_PLACES];

	__atomic_store_n(&at->ticket, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	__atomic_store_n(&at->time, p.time, __ATOMIC_RELAXED);
	__atomic_store_n(&at->intrusion, p.intrusion, __ATOMIC_RELAXED);
	__atomic_store_n(&at->error, p.error, __ATOMIC_RELAXED);
	__atomic_store_n(&at->ticket, p.ticket, __ATOMIC_RELEASE);
}

/* Time 0: not there yet, or no more. */
static inline struct carry_place carry_place_get(const struct carry_places *places, uint64_t ticket)
{
	const struct carry_place *at = &places->place[ticket % CARRY_PLACES];
	struct carry_place p = { .ticket = __atomic_load_n(&at->ticket, __ATOMIC_ACQUIRE) };

	p.time = __atomic_load_n(&at->time, __ATOMIC_RELAXED);
	p.intrusion = __atomic_load_n(&at->intrusion, __ATOMIC_RELAXED);
	p.error = __atomic_load_n(&at->error, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (p.ticket != ticket || __atomic_load_n(&at->ticket, __ATOMIC_RELAXED) != ticket)
		return (struct carry_place){ 0 };
	return p;
}
