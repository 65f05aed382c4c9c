/* virtual_order: which message a receive from any source must take so that it is the one that it
 * takes without the recorder, and when that is certain.
 *
 * Of each possible sender the oldest message that fits is a candidate; its key is the virtual time
 * at which it arrives, and the least key wins. It may be taken when no other rank can still send
 * one with a lower key. What a rank can still send is bounded by its virtual time; a rank that
 * waits is bounded by those for whom it waits, found in one sweep that takes the ranks by their
 * bounds (Dijkstra's algorithm; D. E. Knuth, A Generalization of Dijkstra's Algorithm, 1977).
 * Whoever waits for the receive itself, be it through others, cannot send before the key, and does
 * not hold it up: so a cycle of waiting ranks resolves itself, and of several receives that are
 * held the one with the least key is always free to go.
 *
 * libc alone, no state. O(n^2) for n ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_NEVER INT64_MAX

enum order_state {
	ORDER_RUNS,  /* can send from `bound` on */
	ORDER_FIRST, /* waits for one of several ranks (or for one) */
	ORDER_EVERY, /* waits for all of several ranks */
	ORDER_DONE,  /* never sends again */
};

struct order_rank {
	enum order_state state;
	int64_t bound; /* virtual: now; of one that waits when it began to */
	int64_t ready; /* ORDER_FIRST: the message under way to it arrives, or ORDER_NEVER */
	bool sends;    /* to the receive in question: a member of its communicator */
	/* Of the sweep. */
	int64_t least;
	size_t missing;
	bool popped, live; /* live: `least` grows as time passes */
};

/* `of` is the caller's. */
struct order_view {
	const void *of;
	bool (*waits)(const void *of, size_t waiting, size_t other); /* for another rank */
	int64_t (*latency)(const void *of, size_t from, size_t to);
	int64_t least_latency; /* of all senders to the receive */
};

struct order_answer {
	bool safe;
	int64_t lacks; /* not safe: the bound that stops it must grow so much */
	bool live;     /* it grows with the clock; else only another rank's step changes it */
	size_t by;
};

static inline int64_t order_later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline void order_start(const struct order_view *view, struct order_rank *ranks, size_t n,
			       size_t me, int64_t key)
{
	for (size_t q = 0; q < n; q++) {
		struct order_rank *r = &ranks[q];
		r->popped = false;
		r->live = r->state == ORDER_RUNS && q != me;
		r->missing = 0;
		r->least = ORDER_NEVER;
		if (q == me)
			r->least = key;
		else if (r->state == ORDER_RUNS)
			r->least = r->bound;
		else if (r->state == ORDER_FIRST && r->ready != ORDER_NEVER)
			r->least = order_later(r->bound, r->ready);
		for (size_t other = 0; r->state == ORDER_EVERY && other < n; other++)
			r->missing += other != q && view->waits(view->of, q, other);
	}
}

/* Those that wait for `q`, which can go on from its bound. */
static inline void order_relax(const struct order_view *view, struct order_rank *ranks, size_t n,
			       size_t me, size_t q)
{
	for (size_t u = 0; u < n; u++) {
		struct order_rank *r = &ranks[u];
		int64_t least = order_later(r->bound, ranks[q].least);
		if (r->popped || u == me || u == q ||
		    (r->state != ORDER_FIRST && r->state != ORDER_EVERY) ||
		    !view->waits(view->of, u, q))
			continue;
		if (r->state == ORDER_EVERY && --r->missing)
			continue;
		if (r->state == ORDER_FIRST)
			least = order_later(r->bound,
					    ranks[q].least + view->latency(view->of, q, u));
		if (least < r->least) {
			r->least = least;
			r->live = ranks[q].live;
		}
	}
}

/* Whether rank `me` may take the candidate with this key. */
static inline struct order_answer order_safe(const struct order_view *view,
					     struct order_rank *ranks, size_t n, size_t me,
					     int64_t key)
{
	order_start(view, ranks, n, me, key);
	for (;;) {
		size_t q = n;
		for (size_t i = 0; i < n; i++)
			if (!ranks[i].popped && ranks[i].least != ORDER_NEVER &&
			    (q == n || ranks[i].least < ranks[q].least))
				q = i;
		/* Those that are left wait for ever, or for this receive. */
		if (q == n || ranks[q].least + view->least_latency >= key)
			return (struct order_answer){ .safe = true };
		ranks[q].popped = true;
		if (q != me && ranks[q].sends) {
			const int64_t arrival = ranks[q].least + view->latency(view->of, q, me);
			if (arrival < key)
				return (struct order_answer){ .lacks = key - arrival,
							      .live = ranks[q].live,
							      .by = q };
		}
		order_relax(view, ranks, n, me, q);
	}
}
