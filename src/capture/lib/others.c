#include "capture/lib/others.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "capture/lib/carry_ring.h"
#include "capture/lib/far.h"
#include "capture/lib/proc_stat.h"
#include "capture/lib/ranks_seen.h"
#include "capture/lib/virtual_order.h"

enum {
	GUARD = 1,       /* microseconds that a processor may delay what a line says */
	LONG = 100000,   /* microseconds: a call that does not wait is not in MPI for so long */
	ALIVE = 1000000, /* microseconds between looks whether a rank is alive */
};

/* What is known of another rank. */
struct look {
	struct rank_line line;
	uint64_t since, asked; /* it has been the same since; whether its process lives */
	uint8_t state;         /* of it then */
	bool stays, dead;
	unsigned open; /* RANK_ALL: bits of `wanted` for which no message is under way */
};

static struct {
	int n, me;
	struct look *look;        /* [n] */
	struct order_rank *ranks; /* [n] */
	uint64_t members[RANK_MEMBERS / 64];
	uint32_t space;
	int64_t latency;
	uint64_t now;
	size_t stopped; /* by which rank the latest sweep was */
	bool same;      /* lines and rings are of one moment */
	bool strict;    /* a rank that stays where it is does not count as one that waits */
	/* Those that could send earlier than the latest receive that was not safe: numbers [n]. */
	int *behind, n_behind;
} others;

int tv_others(int *me)
{
	struct stat space;

	if (!others.look) {
		others.n = tv_carry_ranks(&others.me);
		others.look = calloc((size_t)others.n + 1, sizeof *others.look);
		others.ranks = calloc((size_t)others.n + 1, sizeof *others.ranks);
		others.behind = calloc((size_t)others.n + 1, sizeof *others.behind);
		if (!others.look || !others.ranks || !others.behind)
			others.n = 0;
		if (stat("/proc/self/ns/pid", &space) == 0)
			others.space = (uint32_t)space.st_ino;
	}
	*me = others.me;
	return others.n;
}

static bool is_dead(const struct rank_line *line)
{
	return line->space == others.space && line->pid > 0 && tv_proc_is_dead(line->pid);
}

/* `now`: when the line was as it is; what was told once is not the same for longer by that. */
static void look_at(struct look *l, const struct rank_line *line, uint64_t now, uint64_t same)
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
	l->stays = now - l->since > LONG * tv.microsecond || same > LONG * tv.microsecond;
	if (now - l->asked > ALIVE * tv.microsecond) {
		l->asked = now;
		l->dead = is_dead(&l->line);
	}
	if (l->dead)
		l->line.state = RANK_DONE;
}

/* When the nth of a rank's messages under way from another arrives, or its receives, which wait for
 * messages of that one; ORDER_NEVER: there is none. */
static int64_t under_way(bool posts, int from, int to, uint32_t comm, int tag, unsigned nth)
{
	struct carry_entry e;
	const uint64_t time = tv_seen_under_way(posts, from, to, comm, tag, nth, &e);

	/* What cannot be told may be early. */
	return !time                   ? ORDER_NEVER
	       : time == CARRY_UNKNOWN ? 0
				       : tv_others_arrival(&e, others.latency);
}

static bool is_here(const struct carry_meeting *meeting, const struct rank_line *line, int q)
{
	const struct rank_line *other = &others.look[q].line;

	if (q < 64)
		return meeting->here >> q & 1;
	return other->state == RANK_MEETS && other->ticket == line->ticket;
}

/* In a collective: whether it can go on, or waits for all that are not there, or for the root. */
static void meets(const struct rank_line *line, int u, struct order_rank *r)
{
	struct carry_meeting meeting;
	bool all = true;

	if (!tv_seen_meeting(u, line->ticket, &meeting)) {
		r->state = ORDER_RUNS;
		return;
	}
	if (line->rule == VIRTUAL_FROM_ROOT) {
		if (meeting.root)
			r->ready = meeting.root;
		return;
	}
	for (int q = 0; q < others.n && all; q++)
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
		for (int q = 0; q < others.n; q++)
			if (rank_is_member(line, (unsigned)q)) {
				const int64_t at = under_way(false, q, u, line->comm, line->tag, 0);
				r->ready = at < r->ready ? at : r->ready;
			}
		break;
	case RANK_MEETS: meets(line, u, r); break;
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
				.sends = others.members[u / 64] >> u % 64 & 1 };

	switch (l->line.state) {
	case RANK_DONE: r.state = ORDER_DONE; break;
	case RANK_RUNS:
		r.state = ORDER_RUNS;
		r.bound = runs_at(&l->line, now);
		break;
	case RANK_PAUSES: r.state = ORDER_RUNS; break; /* it ends by itself, however late */
	case RANK_POLLS: r.ready = runs_at(&l->line, now); break;
	case RANK_CALLS:
		if (!l->stays || others.strict)
			r.state = ORDER_RUNS;
		break;
	default:
		waiting(l, u, &r);
		/* What it waits for is not what is under way. */
		if (l->stays && !l->line.held && !others.strict) {
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
	const struct look *l = &others.look[waiting_one];
	const struct rank_line *line = &l->line;
	struct carry_meeting meeting;

	(void)of;
	switch (line->state) {
	case RANK_RECEIVE:
	case RANK_SENDS: return (size_t)line->peer == other;
	case RANK_ANY: return rank_is_member(line, (unsigned)other);
	case RANK_MEETS:
		if (line->rule == VIRTUAL_FROM_ROOT)
			return (size_t)line->peer == other;
		return rank_is_member(line, (unsigned)other) &&
		       !(tv_seen_meeting((int)waiting_one, line->ticket, &meeting) &&
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
	return others.latency;
}

static void rate_all(void)
{
	for (int q = 0; q < others.n; q++)
		others.ranks[q] = rank_of(&others.look[q], q, tv_seen_at(q, others.now));
}

/* Whether one that waited did something meanwhile: then rings and lines are of different moments.
 */
static bool one_moved(void)
{
	for (int q = 0; q < others.n; q++) {
		const struct rank_line *line = tv_seen_line(q), *seen = &others.look[q].line;
		if (seen->state >= RANK_RECEIVE && seen->state < RANK_DONE &&
		    (__atomic_load_n(&line->seq, __ATOMIC_ACQUIRE) != seen->seq ||
		     __atomic_load_n(&line->state, __ATOMIC_RELAXED) != seen->state))
			return true;
	}
	return false;
}

/* Lines first, then rings, with a clock that was read before. */
void tv_others_look(const struct tv_comm *comm, int64_t latency)
{
	tv.file->order.looks++;
	others.latency = latency;
	tv_line_members(comm, others.members);
	others.now = tv_now();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int q = 0; q < others.n; q++)
		look_at(&others.look[q], tv_seen_line(q), tv_seen_at(q, others.now),
			tv_seen_same(q));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	rate_all();
	others.same = !one_moved() && (!tv_far_is_used() || tv_far_is_same());
}

bool tv_others_ask(void)
{
	const struct rank_line *line = &others.look[others.stopped].line;

	return !others.same || !tv_carry_map()->here[others.stopped] || line->state > RANK_PAUSES;
}

bool tv_others_safe(int64_t key)
{
	const struct order_view view = { .waits = waits,
					 .latency = latency,
					 .least_latency = others.latency };

	struct order_answer answer;

	if (!others.same)
		return false;
	answer = order_safe(&view, others.ranks, (size_t)others.n, (size_t)others.me, key);
	others.stopped = answer.by;
	return answer.safe;
}

/* A member of the communicator can send earlier, by itself, or by a message that is under way to
 * it: then no receive with the key is safe, whatever the others do. */
static bool is_behind(const struct order_rank *r, int64_t key)
{
	const int64_t from = r->state == ORDER_RUNS ? r->bound
			     : r->state == ORDER_FIRST && r->ready != ORDER_NEVER
				     ? order_later(r->bound, r->ready)
				     : ORDER_NEVER;

	return r->sends && from != ORDER_NEVER && from + others.latency < key;
}

bool tv_others_collect(int64_t key)
{
	others.n_behind = 0;
	if (!others.same)
		return false;
	for (int q = 0; q < others.n; q++)
		if (q != others.me && tv_carry_map()->here[q] && is_behind(&others.ranks[q], key))
			others.behind[others.n_behind++] = q;
	return true;
}

bool tv_others_behind(int64_t key)
{
	const uint64_t now = tv_now();

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int i = 0; i < others.n_behind; i++) {
		const int q = others.behind[i];
		struct order_rank r;
		look_at(&others.look[q], tv_seen_line(q), now, 0);
		r = rank_of(&others.look[q], q, now);
		if (is_behind(&r, key))
			return true;
	}
	return false;
}

bool tv_others_certain(int64_t key)
{
	bool certain;

	others.strict = true;
	rate_all();
	certain = tv_others_safe(key);
	others.strict = false;
	return certain;
}
