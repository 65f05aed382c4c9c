#include "capture/lib/hold_posted.h"

#include "capture/lib/hold.h"
#include "capture/lib/others.h"
#include "capture/lib/ranks_seen.h"

enum { POSTED = 64 };

static struct {
	struct tv_hold_posted list[POSTED];
	unsigned n, more; /* more: those that had no place */
} posted;

void tv_hold_posted(const struct tv_comm *comm, int peer, int tag, uint32_t request)
{
	/* Several threads would need a lock, and nothing is controlled then. */
	if (tv.line->state == RANK_THREADS)
		return;
	if (posted.n < POSTED)
		posted.list[posted.n++] = (struct tv_hold_posted){ comm, request, peer, tag };
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

const struct tv_hold_posted *tv_hold_posted_next(const struct tv_hold_posted *p)
{
	p = p ? p + 1 : posted.list;
	return p < posted.list + posted.n ? p : NULL;
}

const struct tv_hold_posted *tv_hold_posted_as(uint32_t request)
{
	for (unsigned i = 0; i < posted.n; i++)
		if (posted.list[i].request == request)
			return &posted.list[i];
	return NULL;
}

bool tv_hold_is_overlapped(const struct tv_comm *comm, int tag)
{
	for (unsigned i = 0; i < posted.n; i++)
		if (posted.list[i].comm == comm && posted.list[i].peer < 0 &&
		    tv_hold_tags_meet(posted.list[i].tag, tag))
			return true;
	return posted.more > 0;
}

static bool is_taken(const struct tv_hold_fit *fit, unsigned nth)
{
	for (const struct tv_hold_taken *t = fit->taken; t < fit->taken + fit->n; t++)
		if (t->comm == fit->comm && t->peer == fit->peer && t->nth == nth)
			return true;
	return false;
}

uint64_t tv_hold_message(struct tv_hold_fit *fit, struct carry_entry *e)
{
	const int from = tv_carry_number(fit->comm, fit->peer);
	int me;
	bool used[POSTED] = { false };

	for (unsigned nth = 0; tv_others(&me) && from >= 0; nth++) {
		const uint64_t time =
			tv_seen_under_way(false, from, me, fit->comm->key, CARRY_ANY_TAG, nth, e);
		unsigned i = 0;
		fit->nth = nth;
		if (time == 0 || time == CARRY_UNKNOWN)
			return time;
		while (i < posted.n && (used[i] || posted.list[i].comm != fit->comm ||
					posted.list[i].peer != fit->peer ||
					!tv_hold_tags_meet(posted.list[i].tag, e->tag)))
			i++;
		if (i < posted.n)
			used[i] = true;
		if (i < posted.n ? &posted.list[i] == fit->of
				 : !fit->of && tv_hold_tags_meet(fit->tag, e->tag) &&
					   !is_taken(fit, nth))
			return time;
	}
	return 0;
}
