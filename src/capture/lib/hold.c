#include "capture/lib/hold.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/lib/carry.h"
#include "capture/lib/carry_ring.h"
#include "capture/lib/own_line.h"
#include "capture/lib/proc_stat.h"
#include "capture/lib/virtual_order.h"

enum {
	GUARD = 1,       /* microseconds that a processor may delay what a line says */
	LONG = 100000,   /* microseconds: a call that does not wait is not in MPI for so long */
	MOST = 1000,     /* microseconds: the tolerance, unless it is chosen */
	ALIVE = 1000000, /* microseconds between looks whether a rank is alive */
	POSTED = 64,
};

/* What is known of another rank. */
struct look {
	struct rank_line line;
	uint64_t since, asked; /* it has been the same since; whether its process lives */
	uint8_t state;         /* of it then */
	bool stays, dead;
	unsigned open; /* RANK_ALL: bits of `wanted` for which no message is under way */
};

struct posted {
	const struct tv_comm *comm;
	uint32_t request;
	int peer, tag;
};

static struct {
	int n, me;
	struct look *look;        /* [n] */
	struct order_rank *ranks; /* [n] */
	uint64_t members[RANK_MEMBERS / 64];
	uint32_t space;
	int64_t latency, noise;
	uint64_t since;    /* the receive began, */
	uint64_t there;    /* its first candidate was seen, 0: none yet */
	uint64_t alone;    /* MPI has a message, but there is no candidate: since then */
	bool told, waited; /* waited: for another rank, though it had a candidate */
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

/* The oldest message of a rank that the receive can have. */
static uint64_t first_of(const struct tv_comm *comm, int peer, int tag, struct carry_entry *e)
{
	const struct carry_ring *ring = tv_carry_ring(false, tv_carry_number(comm, peer), hold.me);
	bool used[POSTED] = { false };

	for (unsigned nth = 0; ring; nth++) {
		const uint64_t time = carry_under_way(ring, comm->key, CARRY_ANY_TAG, nth, e);
		unsigned i = 0;
		if (time == 0 || time == CARRY_UNKNOWN)
			return time;
		while (i < posted.n &&
		       (used[i] || posted.list[i].comm != comm || posted.list[i].peer != peer ||
			!tags_meet(posted.list[i].tag, e->tag)))
			i++;
		if (i < posted.n)
			used[i] = true;
		else if (tags_meet(tag, e->tag))
			return time;
	}
	return 0;
}

/* ---- the others ---- */

static bool in_node(void)
{
	struct stat space;

	if (hold.look)
		return hold.n > 0;
	hold.n = tv_carry_ranks(&hold.me);
	hold.look = calloc((size_t)hold.n + 1, sizeof *hold.look);
	hold.ranks = calloc((size_t)hold.n + 1, sizeof *hold.ranks);
	if (!hold.look || !hold.ranks)
		hold.n = 0;
	if (stat("/proc/self/ns/pid", &space) == 0)
		hold.space = (uint32_t)space.st_ino;
	return hold.n > 0;
}

static bool is_dead(const struct rank_line *line)
{
	return line->space == hold.space && line->pid > 0 && tv_proc_is_dead(line->pid);
}

static void look_at(struct look *l, const struct rank_line *line, uint64_t now)
{
	const uint64_t seq = l->line.seq;

	if (!rank_line_read(line, &l->line))
		l->line.state = __atomic_load_n(&line->state, __ATOMIC_RELAXED) == RANK_DONE
					? RANK_DONE
					: RANK_CALLS;
	if (l->line.seq != seq || l->line.state != l->state || !l->since) {
		l->since = l->asked = now;
		l->state = l->line.state;
		l->dead = false;
	}
	l->stays = now - l->since > LONG * tv.microsecond;
	if (now - l->asked > ALIVE * tv.microsecond) {
		l->asked = now;
		l->dead = is_dead(&l->line);
	}
	if (l->dead)
		l->line.state = RANK_DONE;
}

static int64_t arrival(const struct carry_entry *e)
{
	return (int64_t)e->time - e->intrusion + hold.latency;
}

/* When the nth of a rank's messages under way from another arrives, or its receives, which wait for
 * messages of that one; ORDER_NEVER: there is none. */
static int64_t under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth)
{
	const struct carry_ring *ring = tv_carry_ring(posts, from, to);
	struct carry_entry e;
	const uint64_t time = ring ? carry_under_way(ring, comm, tag, nth, &e) : 0;

	/* What cannot be told may be early. */
	return !time ? ORDER_NEVER : time == CARRY_UNKNOWN ? 0 : arrival(&e);
}

static bool is_here(const struct tv_carry_meeting *meeting, const struct rank_line *line, int q)
{
	const struct rank_line *other = &hold.look[q].line;

	if (q < 64)
		return meeting->here >> q & 1;
	return other->state == RANK_MEETS && other->ticket == line->ticket;
}

/* In a collective: whether it can go on, or waits for all that are not there, or for the root. */
static void meets(const struct rank_line *line, struct order_rank *r)
{
	struct tv_carry_meeting meeting;
	bool all = true;

	if (!tv_carry_meeting(line->ticket, &meeting)) {
		r->state = ORDER_RUNS;
		return;
	}
	if (line->rule == VIRTUAL_FROM_ROOT) {
		if (meeting.root)
			r->ready = meeting.root;
		return;
	}
	for (int q = 0; q < hold.n && all; q++)
		all = !rank_is_member(line, (unsigned)q) || is_here(&meeting, line, q);
	r->state = all ? ORDER_FIRST : ORDER_EVERY;
	if (all)
		r->ready = meeting.moved;
}

static void several(struct look *l, int u, struct order_rank *r)
{
	const struct rank_line *line = &l->line;
	int64_t first = ORDER_NEVER, last = 0;

	l->open = 0;
	for (unsigned i = 0; i < line->n; i++) {
		const struct rank_wanted *w = &line->wanted[i];
		unsigned before = 0;
		int64_t at;
		for (unsigned k = 0; k < i; k++)
			before += line->wanted[k].send == w->send &&
				  line->wanted[k].peer == w->peer && line->wanted[k].tag == w->tag;
		at = under_way(w->send, w->peer, u, line->comm, w->tag, before);
		l->open |= at == ORDER_NEVER ? 1u << i : 0;
		first = at < first ? at : first;
		last = at != ORDER_NEVER && at > last ? at : last;
	}
	if (line->state == RANK_FIRST) {
		r->ready = first;
		return;
	}
	r->state = l->open ? ORDER_EVERY : ORDER_FIRST;
	r->bound = order_later(r->bound, last);
	r->ready = l->open ? ORDER_NEVER : r->bound;
}

/* Of a rank in a call that may wait. */
static void waiting(struct look *l, int u, struct order_rank *r)
{
	const struct rank_line *line = &l->line;

	switch (line->state) {
	case RANK_RECEIVE:
		r->ready = under_way(false, line->peer, u, line->comm, line->tag, 0);
		break;
	case RANK_SENDS: r->ready = under_way(true, line->peer, u, line->comm, line->tag, 0); break;
	case RANK_ANY:
		for (int q = 0; q < hold.n; q++)
			if (rank_is_member(line, (unsigned)q)) {
				const int64_t at = under_way(false, q, u, line->comm, line->tag, 0);
				r->ready = at < r->ready ? at : r->ready;
			}
		break;
	case RANK_MEETS: meets(line, r); break;
	case RANK_ALL:
	case RANK_FIRST: several(l, u, r); break;
	default: break;
	}
}

/* The virtual time of a rank outside of MPI, if its clock went on since `now`. */
static int64_t runs_at(const struct rank_line *line, uint64_t now)
{
	const int64_t slack = (GUARD + TV_VIRTUAL_UNTOLD) * (int64_t)tv.microsecond;
	const int64_t at = (int64_t)now - line->intrusion - slack;

	return at > line->moved ? at : line->moved;
}

static struct order_rank rank_of(struct look *l, int u, uint64_t now)
{
	struct order_rank r = { .state = ORDER_FIRST,
				.bound = l->line.moved,
				.ready = ORDER_NEVER,
				.sends = hold.members[u / 64] >> u % 64 & 1 };

	switch (l->line.state) {
	case RANK_DONE: r.state = ORDER_DONE; break;
	case RANK_RUNS:
		r.state = ORDER_RUNS;
		r.bound = runs_at(&l->line, now);
		break;
	case RANK_POLLS: r.ready = runs_at(&l->line, now); break;
	case RANK_CALLS:
		if (!l->stays)
			r.state = ORDER_RUNS;
		break;
	default:
		waiting(l, u, &r);
		/* What it waits for is not what is under way. */
		if (l->stays && !l->line.held) {
			r.ready = ORDER_NEVER;
			if (r.state == ORDER_RUNS)
				r.state = ORDER_FIRST;
		}
		break;
	}
	return r;
}

/* ---- the sweep ---- */

static bool waits(const void *of, size_t waiting_one, size_t other)
{
	const struct look *l = &hold.look[waiting_one];
	const struct rank_line *line = &l->line;
	struct tv_carry_meeting meeting;

	(void)of;
	switch (line->state) {
	case RANK_RECEIVE:
	case RANK_SENDS: return (size_t)line->peer == other;
	case RANK_ANY: return rank_is_member(line, (unsigned)other);
	case RANK_MEETS:
		if (line->rule == VIRTUAL_FROM_ROOT)
			return (size_t)line->peer == other;
		return rank_is_member(line, (unsigned)other) &&
		       !(tv_carry_meeting(line->ticket, &meeting) &&
			 is_here(&meeting, line, (int)other));
	case RANK_ALL:
	case RANK_FIRST:
		for (unsigned i = 0; i < line->n; i++)
			if ((size_t)line->wanted[i].peer == other &&
			    (line->state == RANK_FIRST || l->open >> i & 1))
				return true;
		return false;
	default: return true;
	}
}

static int64_t latency(const void *of, size_t from, size_t to)
{
	(void)of;
	(void)from;
	(void)to;
	return hold.latency;
}

/* False: a rank that waited did something meanwhile, so that rings and lines are of different
 * moments. */
static bool look_at_all(uint64_t now)
{
	for (int q = 0; q < hold.n; q++)
		look_at(&hold.look[q], tv_carry_line(q), now);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int q = 0; q < hold.n; q++)
		hold.ranks[q] = rank_of(&hold.look[q], q, now);
	for (int q = 0; q < hold.n; q++) {
		const struct rank_line *line = tv_carry_line(q);
		if (hold.look[q].line.state >= RANK_RECEIVE &&
		    hold.look[q].line.state < RANK_DONE &&
		    (__atomic_load_n(&line->seq, __ATOMIC_ACQUIRE) != hold.look[q].line.seq ||
		     __atomic_load_n(&line->state, __ATOMIC_RELAXED) != hold.look[q].line.state))
			return false;
	}
	return true;
}

/* ---- the receive ---- */

static void choose_noise(void)
{
	const int64_t most = MOST * (int64_t)tv.microsecond;

	tv_virtual_latency(&hold.latency, &hold.noise);
	if (tv.order_tolerance != UINT64_MAX)
		hold.noise = (int64_t)tv.order_tolerance;
	else if (hold.noise > most)
		hold.noise = most;
}

bool tv_hold_begin(struct tv_thread *t, const struct tv_comm *comm, int tag)
{
	counts()->wildcards++;
	/* There is one sender. */
	if ((comm->remote ? comm->remote : comm->size) == 1)
		return false;
	if (!tv_line_tells(t))
		return uncontrolled(tv.line && tv.line->state == RANK_THREADS
					    ? TV_UNCONTROLLED_THREADS
					    : TV_UNCONTROLLED_OFF);
	if (!in_node() || hold.n != tv.file->world || !comm->near || !comm->key)
		return uncontrolled(TV_UNCONTROLLED_ELSEWHERE);
	if (is_overlapped(comm, tag))
		return uncontrolled(TV_UNCONTROLLED_POSTED);
	for (int q = 0; q < hold.n; q++) {
		const uint8_t state = tv_carry_line(q)->state;
		if (state == RANK_THREADS)
			return uncontrolled(TV_UNCONTROLLED_THREADS);
		if (state == RANK_ABSENT)
			return uncontrolled(TV_UNCONTROLLED_ELSEWHERE);
	}
	tv_line_members(comm, hold.members);
	choose_noise();
	hold.since = tv_now();
	hold.there = hold.alone = 0;
	hold.told = hold.waited = false;
	return true;
}

/* The candidate that arrives first: its source, -1: there is none, -2: that cannot be told. */
static int choose(const struct tv_comm *comm, int tag, int64_t *key, int64_t *next)
{
	const int n = comm->remote ? comm->remote : comm->size;
	struct carry_entry e;
	int best = -1;

	*key = *next = ORDER_NEVER;
	for (int peer = 0; peer < n; peer++) {
		const uint64_t time = first_of(comm, peer, tag, &e);
		if (time == CARRY_UNKNOWN)
			return -2;
		if (!time)
			continue;
		if (arrival(&e) < *key) {
			*next = *key;
			*key = arrival(&e);
			best = peer;
		} else if (arrival(&e) < *next) {
			*next = arrival(&e);
		}
	}
	return best;
}

/* Lines first, then rings, with a clock that was read before. `next`: the key of the one after. */
static enum tv_hold look(const struct tv_comm *comm, int tag, int *source, int64_t *key,
			 int64_t *next)
{
	const struct order_view view = { .waits = waits,
					 .latency = latency,
					 .least_latency = hold.latency };
	const uint64_t now = tv_now();
	bool same;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	same = look_at_all(now);
	*source = choose(comm, tag, key, next);
	if (*source == -2) {
		uncontrolled(TV_UNCONTROLLED_MANY);
		return TV_HOLD_FREE;
	}
	if (*source < 0)
		return TV_HOLD_WAIT;
	return same && order_safe(&view, hold.ranks, (size_t)hold.n, (size_t)hold.me,
				  *key - hold.noise)
				       .safe
		       ? TV_HOLD_TAKE
		       : TV_HOLD_WAIT;
}

enum tv_hold tv_hold_look_once(const struct tv_comm *comm, int tag, int *source, int64_t *key)
{
	int64_t next;

	return look(comm, tag, source, key, &next);
}

void tv_hold_compare(const struct tv_comm *comm, int tag, int source)
{
	struct carry_entry e;
	int64_t key, next;

	if (!in_node() || hold.n != tv.file->world || !comm->near || !comm->key)
		return;
	choose_noise();
	if (choose(comm, tag, &key, &next) < 0)
		return;
	const uint64_t time = first_of(comm, source, tag, &e);
	if (time && time != CARRY_UNKNOWN && arrival(&e) - key > hold.noise)
		counts()->departed++;
}

enum tv_hold tv_hold_look(struct tv_thread *t, const struct tv_comm *comm, int tag, int *source)
{
	int64_t key, next;
	enum tv_hold answer;

	if (!hold.told)
		tv_line_receives(t, comm, TV_PEER_ANYBODY, tag, true);
	hold.told = true;
	answer = look(comm, tag, source, &key, &next);
	if (answer == TV_HOLD_FREE || *source < 0)
		return answer;
	if (!hold.there)
		hold.there = tv_now();
	if (answer == TV_HOLD_WAIT)
		hold.waited = true;
	else if (next != ORDER_NEVER && next - key < hold.noise)
		counts()->close++;
	return answer;
}

bool tv_hold_lost(bool is_there)
{
	const uint64_t now = tv_now();

	if (!is_there)
		hold.alone = 0;
	else if (!hold.alone)
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
	counts()->held_ticks += tv_now() - hold.there;
}
