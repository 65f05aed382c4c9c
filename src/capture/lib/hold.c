#include "capture/lib/hold.h"

#include "capture/lib/far.h"
#include "capture/lib/hold_posted.h"
#include "capture/lib/hold_wait.h"
#include "capture/lib/others.h"
#include "capture/lib/rank_look.h"
#include "capture/lib/ranks_seen.h"

enum {
	MOST = 1000,  /* microseconds: the tolerance, unless it is chosen */
	AGAIN = 1000, /* microseconds between two questions to other nodes, at least */
};

static struct {
	struct tv_hold_wait wait;
	uint64_t since; /* the receive began */
	bool unsure;    /* as counted */
	bool told;
	int from;         /* number of the rank whose message MPI has */
	bool asks, quiet; /* other nodes are asked; are not to be */
	bool polls;       /* the question of a loop of tests goes on */
	/* The candidates that are first and second: numbers, -1 none. */
	int first, second;
} hold;

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

void tv_hold_chosen(void)
{
	counts()->wildcards++;
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

/* ---- the receive ---- */

void tv_hold_wait_begin(struct tv_hold_wait *wait)
{
	const int64_t most = MOST * (int64_t)tv.microsecond;

	*wait = (struct tv_hold_wait){ 0 };
	tv_virtual_latency(&wait->latency, &wait->close);
	if (wait->close > most)
		wait->close = most;
	wait->noise = tv.order_tolerance != UINT64_MAX ? (int64_t)tv.order_tolerance : wait->close;
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

enum tv_uncontrolled tv_hold_obstacle(const struct tv_comm *comm, int tag)
{
	int me;
	const int n = tv_others(&me);

	if (n == 0 || n != tv.file->world || !comm->key || !are_known(comm))
		return TV_UNCONTROLLED_ELSEWHERE;
	if (tv_far_is_lost())
		return TV_UNCONTROLLED_SILENT;
	if (tv_hold_is_overlapped(comm, tag))
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
	why = tv_hold_obstacle(comm, tag);
	if (why != TV_UNCONTROLLEDS)
		return uncontrolled(why);
	tv_hold_wait_begin(&hold.wait);
	hold.since = tv_now();
	hold.told = hold.asks = hold.quiet = hold.unsure = false;
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
		const uint64_t time = tv_hold_message(&(struct tv_hold_fit){ .comm = comm,
									     .peer = peer,
									     .tag = tag },
						      &e);
		const int64_t at = rank_look_arrival(&e, hold.wait.latency);
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
			next - key >= hold.wait.noise + error) &&
		       tv_others_certain(key - hold.wait.close + error)))
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
		r.until = key - hold.wait.latency - hold.wait.noise + 2 * tv_far_error();
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
	else if (!tv_others_far(key - hold.wait.noise))
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

bool tv_hold_wait_safe(struct tv_hold_wait *wait, int64_t key)
{
	const bool safe = tv_others_safe(key);

	wait->collected = !safe && tv_others_collect(key);
	wait->collections += wait->collected;
	return safe;
}

/* The candidate, if it is certain enough: with lines that were read before rings. */
static enum tv_hold look_at_all(const struct tv_comm *comm, int tag, int *source, int64_t *key,
				int64_t *next)
{
	*source = choose(comm, tag, key, next);
	if (*source < 0 || (hold.wait.collected && tv_others_behind(*key - hold.wait.noise)))
		return TV_HOLD_WAIT;
	tv_others_look(comm, hold.wait.latency);
	*source = choose(comm, tag, key, next);
	if (*source >= 0 && tv_hold_wait_safe(&hold.wait, *key - hold.wait.noise))
		return TV_HOLD_TAKE;
	if (*source >= 0 && hold.wait.collected && tv_far_is_used() && !hold.quiet)
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
	if (*source == -1 && hold.wait.alone && hold.from >= 0 && tv_far_is_used() && !hold.quiet)
		ask(comm, tag, ORDER_NEVER);
	if (answer == TV_HOLD_WAIT)
		return TV_HOLD_WAIT;
	if (!tv_others_certain(*key - hold.wait.close))
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
	hold.wait.alone = 1;
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

	if (!tv.line || tv_far_is_used() || tv_hold_obstacle(comm, tag) != TV_UNCONTROLLEDS)
		return false;
	tv_hold_wait_begin(&hold.wait);
	tv_others_look(comm, hold.wait.latency);
	if (choose(comm, tag, &key, &next) < 0)
		return false;
	time = tv_hold_message(&(struct tv_hold_fit){ .comm = comm, .peer = source, .tag = tag },
			       &e);
	if (!time || time == CARRY_UNKNOWN)
		return false;
	if (rank_look_arrival(&e, hold.wait.latency) - key > hold.wait.noise) {
		counts()->departed++;
		return false;
	}
	return tv_others_certain(key - hold.wait.close);
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

	for (const struct tv_hold_posted *p = NULL; (p = tv_hold_posted_next(p));) {
		if (p->comm != comm || !tv_hold_tags_meet(p->tag, tag))
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
	if (!hold.wait.there)
		hold.wait.there = tv_now();
	if (answer == TV_HOLD_WAIT)
		hold.wait.waited = true;
	else if (next != ORDER_NEVER && next - key < hold.wait.noise)
		counts()->close++;
	return answer;
}

bool tv_hold_wait_lost(struct tv_hold_wait *wait, bool there)
{
	const uint64_t now = tv_now();

	if (!there)
		wait->alone = 0;
	else if (!wait->alone)
		wait->alone = now;
	return there && now - wait->alone > TV_HOLD_LONG * tv.microsecond;
}

bool tv_hold_lost(const struct tv_comm *comm, int there)
{
	hold.from = there < 0 ? -1 : tv_carry_number(comm, there);
	if (hold.asks)
		hold.wait.alone = 0;
	return tv_hold_wait_lost(&hold.wait, there >= 0) && !uncontrolled(TV_UNCONTROLLED_UNTOLD);
}

void tv_hold_wait_end(const struct tv_hold_wait *wait)
{
	if (!wait->waited)
		return;
	counts()->held++;
	counts()->collected += wait->collections;
	counts()->held_ticks += tv_now() - wait->there;
}

void tv_hold_end(void)
{
	tv_hold_wait_end(&hold.wait);
}
