#include "capture/lib/hold.h"

#include "capture/lib/far.h"
#include "capture/lib/others.h"
#include "capture/lib/rank_look.h"
#include "capture/lib/ranks_seen.h"

enum {
	LONG = 100000, /* microseconds until a message that is not told counts as lost */
	MOST = 1000,   /* microseconds: the tolerance, unless it is chosen */
	AGAIN = 1000,  /* microseconds between two questions to other nodes, at least */
	POSTED = 64,
};

struct posted {
	const struct tv_comm *comm;
	uint32_t request;
	int peer, tag;
};

static struct {
	int64_t latency;
	int64_t noise, close; /* keys that differ by less count as equal; may be so */
	uint64_t since;       /* the receive began, */
	uint64_t there;       /* its first candidate was seen, 0: none yet */
	uint64_t alone;       /* MPI has a message, but there is no candidate: since then */
	bool unsure;          /* as counted */
	bool told, waited;    /* waited: for another rank, though it had a candidate */
	bool collected;       /* for which ones (others.h), */
	uint32_t collections; /* so often */
	int from;             /* number of the rank whose message MPI has */
	bool asks, quiet;     /* other nodes are asked; are not to be */
	bool polls;           /* the question of a loop of tests goes on */
	/* The candidates that are first and second: numbers, -1 none. */
	int first, second;
} hold;

static struct {
	struct posted list[POSTED];
	unsigned n, more; /* more: those that had no place */
} posted;

static struct tv_order *counts(void)
{
	return &tv.file->order;
}

static bool uncontrolled(enum tv_uncontrolled why)
{
	counts()->uncontrolled[why]++;
	return false;
}

void tv_hold_started(void)
{
	uncontrolled(TV_UNCONTROLLED_STARTED);
}

void tv_hold_denied(void)
{
	counts()->wildcards--;
}

void tv_hold_among(void)
{
	counts()->among++;
}

void tv_hold_cannot(enum tv_uncontrolled why)
{
	counts()->wildcards++;
	uncontrolled(why);
}

/* ---- receives before this one ---- */

void tv_hold_posted(const struct tv_comm *comm, int peer, int tag, uint32_t request)
{
	/* Several threads would need a lock, and nothing is controlled then. */
	if (tv.line->state == RANK_THREADS)
		return;
	if (posted.n < POSTED)
		posted.list[posted.n++] = (struct posted){ comm, request, peer, tag };
	else
		posted.more++;
}

void tv_hold_completed(uint32_t request)
{
	if (tv.line->state == RANK_THREADS)
		return;
	for (unsigned i = 0; i < posted.n; i++) {
		if (posted.list[i].request != request)
			continue;
		posted.n--;
		for (; i < posted.n; i++)
			posted.list[i] = posted.list[i + 1];
		return;
	}
	if (posted.more)
		posted.more--;
}

static bool tags_meet(int a, int b)
{
	return a < 0 || b < 0 || a == b;
}

/* Which message an earlier one from any source takes is not known. */
static bool is_overlapped(const struct tv_comm *comm, int tag)
{
	for (unsigned i = 0; i < posted.n; i++)
		if (posted.list[i].comm == comm && posted.list[i].peer < 0 &&
		    tags_meet(posted.list[i].tag, tag))
			return true;
	return posted.more > 0;
}

/* The oldest message of a rank that a receive can have, `of` one that was posted. */
static uint64_t message_for(const struct posted *of, const struct tv_comm *comm, int peer, int tag,
			    struct carry_entry *e)
{
	const int from = tv_carry_number(comm, peer);
	int me;
	bool used[POSTED] = { false };

	for (unsigned nth = 0; tv_others(&me) && from >= 0; nth++) {
		const uint64_t time =
			tv_seen_under_way(false, from, me, comm->key, CARRY_ANY_TAG, nth, e);
		unsigned i = 0;
		if (time == 0 || time == CARRY_UNKNOWN)
			return time;
		while (i < posted.n &&
		       (used[i] || posted.list[i].comm != comm || posted.list[i].peer != peer ||
			!tags_meet(posted.list[i].tag, e->tag)))
			i++;
		if (i < posted.n)
			used[i] = true;
		if (i < posted.n ? &posted.list[i] == of : !of && tags_meet(tag, e->tag))
			return time;
	}
	return 0;
}

static uint64_t first_of(const struct tv_comm *comm, int peer, int tag, struct carry_entry *e)
{
	return message_for(NULL, comm, peer, tag, e);
}

/* ---- the receive ---- */

static void choose_noise(void)
{
	const int64_t most = MOST * (int64_t)tv.microsecond;

	tv_virtual_latency(&hold.latency, &hold.close);
	if (hold.close > most)
		hold.close = most;
	hold.noise = tv.order_tolerance != UINT64_MAX ? (int64_t)tv.order_tolerance : hold.close;
}

static int senders(const struct tv_comm *comm)
{
	return comm->remote ? comm->remote : comm->size;
}

/* All that can send have numbers. */
static bool are_known(const struct tv_comm *comm)
{
	for (int peer = 0; !comm->near && peer < senders(comm); peer++)
		if (tv_carry_number(comm, peer) < 0)
			return false;
	return true;
}

/* Why receives on the communicator cannot be controlled; TV_UNCONTROLLEDS: they can. */
static enum tv_uncontrolled obstacle(const struct tv_comm *comm, int tag)
{
	int me;
	const int n = tv_others(&me);

	if (n == 0 || n != tv.file->world || !comm->key || !are_known(comm))
		return TV_UNCONTROLLED_ELSEWHERE;
	if (tv_far_is_lost())
		return TV_UNCONTROLLED_SILENT;
	if (is_overlapped(comm, tag))
		return TV_UNCONTROLLED_POSTED;
	for (int q = 0; q < n; q++) {
		const uint8_t state = tv_seen_line(q)->state;
		if (state == RANK_THREADS)
			return TV_UNCONTROLLED_THREADS;
		if (state == RANK_ABSENT)
			return TV_UNCONTROLLED_ELSEWHERE;
	}
	return TV_UNCONTROLLEDS;
}

bool tv_hold_begin(struct tv_thread *t, const struct tv_comm *comm, int tag)
{
	enum tv_uncontrolled why;

	counts()->wildcards++;
	if (senders(comm) == 1)
		return false;
	if (!tv_line_tells(t))
		return uncontrolled(tv.line && tv.line->state == RANK_THREADS
					    ? TV_UNCONTROLLED_THREADS
					    : TV_UNCONTROLLED_OFF);
	why = obstacle(comm, tag);
	if (why != TV_UNCONTROLLEDS)
		return uncontrolled(why);
	choose_noise();
	hold.since = tv_now();
	hold.there = hold.alone = 0;
	hold.told = hold.waited = hold.asks = hold.quiet = hold.unsure = hold.collected = false;
	hold.collections = 0;
	return true;
}

/* The candidate that arrives first: its source, -1: there is none, -2: that cannot be told. */
static int choose(const struct tv_comm *comm, int tag, int64_t *key, int64_t *next)
{
	struct carry_entry e;
	int best = -1;

	*key = *next = ORDER_NEVER;
	hold.first = hold.second = -1;
	for (int peer = 0; peer < senders(comm); peer++) {
		const uint64_t time = first_of(comm, peer, tag, &e);
		const int64_t at = rank_look_arrival(&e, hold.latency);
		if (time == CARRY_UNKNOWN)
			return -2;
		if (!time)
			continue;
		if (at < *key) {
			*next = *key;
			*key = at;
			best = peer;
			hold.second = hold.first;
			hold.first = tv_carry_number(comm, peer);
		} else if (at < *next) {
			*next = at;
			hold.second = tv_carry_number(comm, peer);
		}
	}
	return best;
}

/* Whether the clocks of nodes differ by more than what makes it certain. */
static bool is_unsure(int64_t key, int64_t next)
{
	const int64_t error = tv_far_is_used() ? tv_far_error() : 0;

	if (!error || ((hold.second < 0 || tv_far_is_one(hold.first, hold.second) ||
			next - key >= hold.noise + error) &&
		       tv_others_certain(key - hold.close + error)))
		return false;
	counts()->unsure += !hold.unsure;
	hold.unsure = true;
	return true;
}

static struct far_receive receive_of(const struct tv_comm *comm, int tag, int64_t key)
{
	struct far_receive r = {
		.comm = comm->key, .tag = tag, .until = FAR_FIRST, .since = hold.since
	};

	if (key != ORDER_NEVER)
		/* The answer may move the clocks by as much as they are not certain. */
		r.until = key - hold.latency - hold.noise + 2 * tv_far_error();
	return r;
}

/* Asks the other nodes whose ranks may send earlier; `key`: of the candidate, ORDER_NEVER: there is
 * none, but MPI has a message, and its node has its time. */
static void ask(const struct tv_comm *comm, int tag, int64_t key)
{
	struct far_receive r;

	tv_far_connect();
	if (key == ORDER_NEVER)
		tv_far_want(hold.from);
	else if (!tv_others_far(key - hold.noise))
		return;
	r = receive_of(comm, tag, key);
	hold.asks = tv_far_ask(&r, counts());
}

/* Not all have answered. */
static bool is_asking(const struct tv_comm *comm, int tag)
{
	struct far_receive r;
	int64_t key, next;

	if (!hold.asks || tv_far_has_answered() || tv_far_is_lost())
		return hold.asks = false;
	if (choose(comm, tag, &key, &next) >= 0) {
		r = receive_of(comm, tag, key);
		tv_far_narrow(&r, counts());
	}
	return true;
}

/* Whether no rank can send earlier; else which of them can is noted, so that nothing else has to be
 * looked at before these cannot any more. */
static bool is_safe(int64_t key)
{
	const bool safe = tv_others_safe(key);

	hold.collected = !safe && tv_others_collect(key);
	hold.collections += hold.collected;
	return safe;
}

/* The candidate, if it is certain enough: with lines that were read before rings. */
static enum tv_hold look_at_all(const struct tv_comm *comm, int tag, int *source, int64_t *key,
				int64_t *next)
{
	*source = choose(comm, tag, key, next);
	if (*source < 0 || (hold.collected && tv_others_behind(*key - hold.noise)))
		return TV_HOLD_WAIT;
	tv_others_look(comm, hold.latency);
	*source = choose(comm, tag, key, next);
	if (*source >= 0 && is_safe(*key - hold.noise))
		return TV_HOLD_TAKE;
	if (*source >= 0 && hold.collected && tv_far_is_used() && !hold.quiet)
		ask(comm, tag, *key);
	return TV_HOLD_WAIT;
}

/* `next`: the key of the one after. */
static enum tv_hold look(struct tv_thread *t, const struct tv_comm *comm, int tag, int *source,
			 int64_t *key, int64_t *next)
{
	enum tv_hold answer;

	if (is_asking(comm, tag))
		return *source = -1, TV_HOLD_WAIT;
	if (tv_far_is_lost()) {
		uncontrolled(TV_UNCONTROLLED_SILENT);
		return TV_HOLD_FREE;
	}
	answer = look_at_all(comm, tag, source, key, next);
	if (*source == -2) {
		uncontrolled(TV_UNCONTROLLED_MANY);
		return TV_HOLD_FREE;
	}
	if (*source == -1 && hold.alone && hold.from >= 0 && tv_far_is_used() && !hold.quiet)
		ask(comm, tag, ORDER_NEVER);
	if (answer == TV_HOLD_WAIT)
		return TV_HOLD_WAIT;
	if (!tv_others_certain(*key - hold.close))
		tv_virtual_depart(t);
	else if (is_unsure(*key, *next))
		tv_virtual_depart(t);
	return TV_HOLD_TAKE;
}

enum tv_hold tv_hold_look_once(struct tv_thread *t, const struct tv_comm *comm, int tag,
			       int *source, int64_t *key)
{
	enum tv_hold answer;
	int64_t next;

	hold.quiet = true;
	hold.polls = false;
	answer = look(t, comm, tag, source, key, &next);
	if (answer != TV_HOLD_WAIT || !tv_far_is_used())
		return answer;
	tv_far_connect();
	tv_far_begin();
	for (int peer = 0; peer < senders(comm); peer++)
		tv_far_want(tv_carry_number(comm, peer));
	tv_far_ask(&(struct far_receive){ .comm = comm->key, .tag = tag, .until = FAR_NOW },
		   counts());
	tv_far_await();
	return look(t, comm, tag, source, key, &next);
}

enum tv_hold tv_hold_look_polled(struct tv_thread *t, const struct tv_comm *comm, int tag,
				 int there, int *source)
{
	enum tv_hold answer;
	int64_t key, next;

	/* A loop of tests is not one of questions: one goes on from test to test. */
	if (!hold.polls)
		tv_far_begin();
	hold.asks = hold.polls && !tv_far_has_answered();
	hold.alone = 1;
	hold.from = tv_carry_number(comm, there);
	answer = look(t, comm, tag, source, &key, &next);
	hold.polls = answer == TV_HOLD_WAIT;
	if (hold.asks)
		*source = 0;
	return answer;
}

/* Whether MPI's choice is certainly that of virtual time. */
static bool is_first(const struct tv_comm *comm, int tag, int source)
{
	struct carry_entry e;
	int64_t key, next;
	uint64_t time;

	if (!tv.line || tv_far_is_used() || obstacle(comm, tag) != TV_UNCONTROLLEDS)
		return false;
	choose_noise();
	tv_others_look(comm, hold.latency);
	if (choose(comm, tag, &key, &next) < 0)
		return false;
	time = first_of(comm, source, tag, &e);
	if (!time || time == CARRY_UNKNOWN)
		return false;
	if (rank_look_arrival(&e, hold.latency) - key > hold.noise) {
		counts()->departed++;
		return false;
	}
	return tv_others_certain(key - hold.close);
}

void tv_hold_compare(struct tv_thread *t, const struct tv_comm *comm, int tag, int source)
{
	if (senders(comm) > 1 && !is_first(comm, tag, source))
		tv_virtual_depart(t);
}

/* The others must not take a message that is for another receive for what ends the wait. If that
 * cannot be said, nothing is: then they wait for a while for what this rank may send. */
static void tell(const struct tv_thread *t, const struct tv_comm *comm, int tag)
{
	int taken[RANK_TAKEN];
	unsigned n = 0;

	for (unsigned i = 0; i < posted.n; i++) {
		const struct posted *p = &posted.list[i];
		if (p->comm != comm || !tags_meet(p->tag, tag))
			continue;
		if (n == RANK_TAKEN || (p->tag >= 0 && p->tag != tag))
			return;
		taken[n++] = p->peer;
	}
	tv_line_holds(t, comm, tag, taken, n);
}

enum tv_hold tv_hold_look(struct tv_thread *t, const struct tv_comm *comm, int tag, int *source)
{
	int64_t key, next;
	enum tv_hold answer;

	if (!hold.told) {
		tell(t, comm, tag);
		tv_far_begin();
	}
	hold.told = true;
	hold.polls = false;
	answer = look(t, comm, tag, source, &key, &next);
	if (answer == TV_HOLD_FREE || (*source < 0 && !hold.asks))
		return answer;
	if (!hold.there)
		hold.there = tv_now();
	if (answer == TV_HOLD_WAIT)
		hold.waited = true;
	else if (next != ORDER_NEVER && next - key < hold.noise)
		counts()->close++;
	return answer;
}

bool tv_hold_lost(const struct tv_comm *comm, int there)
{
	const uint64_t now = tv_now();

	hold.from = there < 0 || !comm ? -1 : tv_carry_number(comm, there);
	if (there < 0)
		hold.alone = 0;
	else if (!hold.alone || hold.asks)
		hold.alone = now;
	else if (now - hold.alone > LONG * tv.microsecond)
		return !uncontrolled(TV_UNCONTROLLED_UNTOLD);
	return false;
}

void tv_hold_end(void)
{
	if (!hold.waited)
		return;
	counts()->held++;
	counts()->collected += hold.collections;
	counts()->held_ticks += tv_now() - hold.there;
}

/* ---- several receives that were posted ---- */

static const struct posted *posted_as(uint32_t request)
{
	for (unsigned i = 0; i < posted.n; i++)
		if (posted.list[i].request == request)
			return &posted.list[i];
	return NULL;
}

/* An earlier receive, which is none of these, may take a message that would fit one of them: the
 * line cannot say that. */
static bool are_preceded(const uint32_t *requests, int n)
{
	for (int i = 0; i < n; i++) {
		const struct posted *of = posted_as(requests[i]);
		for (const struct posted *p = posted.list; p < of; p++) {
			int k = 0;
			while (k < n && requests[k] != p->request)
				k++;
			if (k == n && p->comm == of->comm && p->peer == of->peer &&
			    tags_meet(p->tag, of->tag))
				return true;
		}
	}
	return false;
}

bool tv_hold_several(struct tv_thread *t, const uint32_t *requests, int n)
{
	const struct posted *first = n ? posted_as(requests[0]) : NULL;

	/* Other nodes are not asked for several. */
	if (!first || !tv_line_tells(t) || tv_far_is_used())
		return false;
	for (int i = 0; i < n; i++) {
		const struct posted *p = posted_as(requests[i]);
		if (!p || p->peer < 0 || p->comm != first->comm)
			return false;
	}
	/* None from any source may be pending, with whatever tag. */
	if (obstacle(first->comm, -1) != TV_UNCONTROLLEDS || are_preceded(requests, n))
		return false;
	choose_noise();
	hold.there = hold.alone = 0;
	hold.waited = hold.collected = false;
	hold.collections = 0;
	return true;
}

/* When each of them arrives. False: that cannot be told. */
static bool keys_of(const uint32_t *requests, int n, int64_t *keys, int64_t *least)
{
	*least = ORDER_NEVER;
	for (int i = 0; i < n; i++) {
		const struct posted *p = posted_as(requests[i]);
		struct carry_entry e;
		const uint64_t time = message_for(p, p->comm, p->peer, p->tag, &e);
		if (time == CARRY_UNKNOWN)
			return false;
		keys[i] = time ? rank_look_arrival(&e, hold.latency) : ORDER_NEVER;
		*least = keys[i] < *least ? keys[i] : *least;
	}
	return true;
}

enum tv_hold tv_hold_several_look(struct tv_thread *t, const uint32_t *requests, int n, bool waits,
				  bool *done)
{
	/* What is complete when the call begins is so all together. */
	const int64_t began = waits ? 0 : tv_virtual_entered(t);
	int64_t keys[TV_HOLD_SEVERAL], least, until;

	if (!keys_of(requests, n, keys, &least))
		return TV_HOLD_FREE;
	if (least == ORDER_NEVER)
		return TV_HOLD_WAIT;
	if (!hold.there)
		hold.there = tv_now();
	if (hold.collected && tv_others_behind(order_later(least, began) - hold.noise))
		return TV_HOLD_WAIT;
	/* Lines, then rings. */
	tv_others_look(posted_as(requests[0])->comm, hold.latency);
	if (!keys_of(requests, n, keys, &least))
		return TV_HOLD_FREE;
	until = order_later(least, began);
	if (!is_safe(until - hold.noise)) {
		hold.waited = true;
		return TV_HOLD_WAIT;
	}
	if (!tv_others_certain(until - hold.close))
		tv_virtual_depart(t);
	for (int i = 0; i < n; i++)
		done[i] = keys[i] <= until;
	return TV_HOLD_TAKE;
}

bool tv_hold_has_candidate(void)
{
	return hold.there != 0;
}
