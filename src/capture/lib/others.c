#include "capture/lib/others.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/carry_ring.h"
#include "capture/lib/far.h"
#include "capture/lib/rank_look.h"
#include "capture/lib/ranks_seen.h"

static struct {
	int n, me;
	struct order_rank *ranks; /* [n] */
	uint64_t members[RANK_MEMBERS / 64];
	uint32_t space;
	uint64_t now;
	struct rank_sight sight;
	bool same, near; /* lines and rings are of one moment; those of this node are */
	/* Those that could send earlier than the latest receive that was not safe: numbers [n]. */
	int *behind, n_behind;
} others;

static uint64_t seen_under_way(const void *of, bool posts, int from, int to, uint32_t comm, int tag,
			       unsigned nth, struct carry_entry *e)
{
	(void)of;
	return tv_seen_under_way(posts, from, to, comm, tag, nth, e);
}

static bool seen_meeting(const void *of, int number, uint64_t ticket, struct carry_meeting *meeting)
{
	(void)of;
	return tv_seen_meeting(number, ticket, meeting);
}

int tv_others(int *me)
{
	if (!others.sight.look) {
		const size_t n = (size_t)(others.n = tv_carry_ranks(&others.me)) + 1;
		others.ranks = calloc(n, sizeof *others.ranks);
		others.behind = calloc(n, sizeof *others.behind);
		others.sight = (struct rank_sight){ .n = others.n,
						    .look = calloc(n, sizeof *others.sight.look),
						    .under_way = seen_under_way,
						    .meeting = seen_meeting };
		if (!others.sight.look || !others.ranks || !others.behind)
			others.n = 0;
		others.space = rank_look_space();
	}
	*me = others.me;
	return others.n;
}

/* ---- the sweep ---- */

static bool waits(const void *of, size_t waiting, size_t other)
{
	(void)of;
	return rank_look_waits(&others.sight, (int)waiting, (int)other);
}

static int64_t latency(const void *of, size_t from, size_t to)
{
	(void)of;
	(void)from;
	(void)to;
	return others.sight.latency;
}

static struct order_rank rate(int q, uint64_t now)
{
	struct order_rank r = rank_look_rate(&others.sight, q, now);
	const struct rank_look *l = &others.sight.look[q];

	r.sends = others.members[q / 64] >> q % 64 & 1;
	if (!tv_carry_map()->here[q] && l->tied && l->line.held && r.ready != ORDER_NEVER &&
	    !others.sight.strict)
		r.ready += tv_far_margin();
	return r;
}

static void rate_all(void)
{
	for (int q = 0; q < others.n; q++)
		others.ranks[q] = rate(q, tv_seen_at(q, others.now));
}

static void look_at(int q, uint64_t now)
{
	rank_look_at(&others.sight.look[q], tv_seen_line(q), now, tv_seen_same(q), others.space);
}

/* Whether one that waited did something meanwhile: then rings and lines are of different moments.
 */
static bool one_moved(void)
{
	for (int q = 0; q < others.n; q++) {
		const struct rank_line *line = tv_seen_line(q);
		const struct rank_look *seen = &others.sight.look[q];
		if (rank_look_is_in(seen) &&
		    (__atomic_load_n(&line->seq, __ATOMIC_ACQUIRE) != seen->line.seq ||
		     __atomic_load_n(&line->state, __ATOMIC_RELAXED) != seen->line.state))
			return true;
	}
	return false;
}

/* Lines first, then rings, with a clock that was read before. */
void tv_others_look(const struct tv_comm *comm, int64_t latency)
{
	tv.file->order.looks++;
	others.sight.latency = latency;
	if (comm)
		tv_line_members(comm, others.members);
	else
		memset(others.members, 0xff, sizeof others.members);
	others.now = tv_now();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int q = 0; q < others.n; q++)
		look_at(q, tv_seen_at(q, others.now));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	rate_all();
	others.near = !one_moved();
	others.same = others.near && (!tv_far_is_used() || tv_far_is_same());
}

bool tv_others_safe(int64_t key)
{
	const struct order_view view = { .waits = waits,
					 .latency = latency,
					 .least_latency = others.sight.latency };

	return others.same &&
	       order_safe(&view, others.ranks, (size_t)others.n, (size_t)others.me, key).safe;
}

static bool is_behind(const struct order_rank *r, int64_t key)
{
	const int64_t from = rank_look_bound(r);

	return from != ORDER_NEVER && from + others.sight.latency < key;
}

bool tv_others_collect(int64_t key)
{
	others.n_behind = 0;
	if (!others.near)
		return false;
	for (int q = 0; q < others.n; q++)
		if (q != others.me && others.ranks[q].sends && tv_carry_map()->here[q] &&
		    is_behind(&others.ranks[q], key))
			others.behind[others.n_behind++] = q;
	return true;
}

bool tv_others_behind(int64_t key)
{
	const uint64_t now = tv_now();

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (int i = 0; i < others.n_behind; i++) {
		struct order_rank r;
		look_at(others.behind[i], now);
		r = rate(others.behind[i], now);
		if (is_behind(&r, key))
			return true;
	}
	return false;
}

bool tv_others_far(int64_t key)
{
	if (!others.near || others.n_behind)
		return false;
	for (int q = 0; q < others.n; q++)
		if (!tv_carry_map()->here[q] && is_behind(&others.ranks[q], key))
			tv_far_want(q);
	return true;
}

bool tv_others_certain(int64_t key)
{
	bool certain;

	others.sight.strict = true;
	rate_all();
	certain = tv_others_safe(key);
	others.sight.strict = false;
	return certain;
}
