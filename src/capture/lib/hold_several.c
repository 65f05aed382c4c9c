#include "capture/lib/hold_several.h"

#include "capture/lib/carry.h"
#include "capture/lib/far.h"
#include "capture/lib/hold_posted.h"
#include "capture/lib/hold_wait.h"
#include "capture/lib/others.h"
#include "capture/lib/rank_look.h"
#include "capture/lib/ranks_seen.h"

static struct {
	struct tv_hold_wait wait;
	const struct tv_comm *comm; /* of all; NULL: they are on several, or depend on more than
				       messages to this rank */
	bool looked;
	int64_t until; /* what is complete by then is so together */
	uint64_t late; /* one should be complete, and MPI does not say so: since then, 0 */
} hold;

/* ---- what they are ---- */

static bool is_receive(const struct tv_hold_item *i)
{
	return i->what == TV_HOLD_RECEIVE || i->what == TV_HOLD_ANY;
}

static bool is_controlled(const struct tv_hold_item *i)
{
	const struct tv_hold_posted *p;

	if (i->what == TV_HOLD_ANY)
		return tv_hold_obstacle(i->comm, i->tag) == TV_UNCONTROLLEDS;
	if (i->what != TV_HOLD_RECEIVE)
		return true;
	p = tv_hold_posted_as(i->id);
	return p && p->peer >= 0 && tv_hold_obstacle(p->comm, p->tag) == TV_UNCONTROLLEDS;
}

static const struct tv_comm *common(const struct tv_hold_item *items, int n)
{
	for (int i = 0; i < n; i++)
		if (!is_receive(&items[i]) || items[i].comm != items[0].comm)
			return NULL;
	return items[0].comm;
}

static bool is_asked_for(const struct tv_hold_item *items, int n, uint32_t request)
{
	for (int i = 0; i < n; i++)
		if (items[i].what == TV_HOLD_RECEIVE && items[i].id == request)
			return true;
	return false;
}

static bool precedes(const struct tv_hold_posted *p, const struct tv_hold_item *i)
{
	const struct tv_hold_posted *of = tv_hold_posted_as(i->id);

	if (i->what == TV_HOLD_ANY)
		return p->comm == i->comm && tv_hold_tags_meet(p->tag, i->tag);
	return i->what == TV_HOLD_RECEIVE && p < of && p->comm == of->comm && p->peer == of->peer &&
	       tv_hold_tags_meet(p->tag, of->tag);
}

bool tv_hold_several_are_alone(const struct tv_hold_item *items, int n)
{
	for (const struct tv_hold_posted *p = NULL; (p = tv_hold_posted_next(p));)
		for (int i = 0; !is_asked_for(items, n, p->request) && i < n; i++)
			if (precedes(p, &items[i]))
				return false;
	return true;
}

bool tv_hold_several(struct tv_thread *t, const struct tv_hold_item *items, int n)
{
	/* Other nodes are not asked for several. */
	if (!n || !tv_line_tells(t) || tv_far_is_used())
		return false;
	for (int i = 0; i < n; i++)
		if (!is_controlled(&items[i]))
			return false;
	tv_hold_wait_begin(&hold.wait);
	hold.comm = common(items, n);
	hold.looked = false;
	return true;
}

/* ---- when each is complete ---- */

static int64_t arrival(const struct carry_entry *e)
{
	return rank_look_arrival(e, hold.wait.latency);
}

/* False: that cannot be told. */
static bool receive_key(struct tv_hold_item *i)
{
	struct tv_hold_fit fit = { .of = tv_hold_posted_as(i->id) };
	struct carry_entry e;
	uint64_t time;

	fit.comm = fit.of->comm;
	fit.peer = fit.of->peer;
	fit.tag = fit.of->tag;
	time = tv_hold_message(&fit, &e);
	i->key = time && time != CARRY_UNKNOWN ? arrival(&e) : ORDER_NEVER;
	return time != CARRY_UNKNOWN;
}

static int senders(const struct tv_comm *comm)
{
	return comm->remote ? comm->remote : comm->size;
}

/* `taken`: by the n receives from any source before it. */
static bool any_key(struct tv_hold_item *i, const struct tv_hold_taken *taken, int n)
{
	struct tv_hold_fit fit = { .comm = i->comm, .tag = i->tag, .taken = taken, .n = n };
	struct carry_entry e;

	i->key = ORDER_NEVER;
	i->source = -1;
	for (fit.peer = 0; fit.peer < senders(i->comm); fit.peer++) {
		const uint64_t time = tv_hold_message(&fit, &e);
		if (time == CARRY_UNKNOWN)
			return false;
		if (!time || arrival(&e) >= i->key)
			continue;
		i->key = arrival(&e);
		i->source = fit.peer;
		i->nth = fit.nth;
	}
	return true;
}

/* When the receiver of a send came. */
static int64_t send_key(const struct tv_hold_item *i)
{
	const int to = tv_carry_number_here(i->comm, i->peer);
	struct carry_entry e;
	int me;
	uint64_t time = 0;

	if (tv_others(&me) && to >= 0)
		time = tv_seen_under_way(true, to, me, i->comm->key, i->tag, 0, &e);
	return time && time != CARRY_UNKNOWN ? arrival(&e) : ORDER_NEVER;
}

static bool all_are_here(const struct tv_comm *comm, uint64_t here)
{
	uint64_t members[RANK_MEMBERS / 64];

	tv_line_members(comm, members);
	for (int w = 1; w < RANK_MEMBERS / 64; w++)
		if (members[w])
			return false;
	return comm->near && (members[0] & ~here) == 0;
}

static int64_t together_key(const struct tv_hold_item *i)
{
	struct carry_meeting m;
	int me;

	if (!i->ticket || !tv_others(&me) || !tv_seen_meeting(me, i->ticket, &m))
		return ORDER_NEVER;
	if (i->rule == VIRTUAL_FROM_ROOT && i->root != i->comm->rank)
		return m.root ? m.root + hold.wait.latency : ORDER_NEVER;
	return i->rule == VIRTUAL_ALL && all_are_here(i->comm, m.here) ? m.moved + hold.wait.latency
								       : ORDER_NEVER;
}

/* What only MPI knows. */
static void see(struct tv_thread *t, struct tv_hold_item *i)
{
	const int64_t intrusion = tv_virtual_enter(t).intrusion;

	if (i->seen || !i->there || i->key != ORDER_NEVER)
		return;
	i->seen = true;
	i->key = hold.looked ? (int64_t)tv_now() - intrusion : 0;
}

static void other_key(struct tv_thread *t, struct tv_hold_item *i)
{
	if (i->seen)
		return;
	i->key = i->what == TV_HOLD_SEND       ? send_key(i)
		 : i->what == TV_HOLD_TOGETHER ? together_key(i)
					       : ORDER_NEVER;
	if (i->what == TV_HOLD_AT_ONCE && i->there)
		i->key = 0;
	see(t, i);
}

static bool keys_of(struct tv_thread *t, struct tv_hold_item *items, int n, int64_t *least)
{
	struct tv_hold_taken taken[2 * TV_HOLD_SEVERAL];
	int any = 0;

	*least = ORDER_NEVER;
	for (struct tv_hold_item *i = items; i < items + n; i++) {
		if (i->what == TV_HOLD_RECEIVE ? !receive_key(i)
		    : i->what == TV_HOLD_ANY   ? !any_key(i, taken, any)
					       : (other_key(t, i), false))
			return false;
		if (i->what == TV_HOLD_ANY && i->source >= 0)
			taken[any++] = (struct tv_hold_taken){ i->comm, i->source, i->nth };
		*least = i->wanted && i->key < *least ? i->key : *least;
	}
	return true;
}

/* ---- looks ---- */

enum tv_hold tv_hold_several_look(struct tv_thread *t, struct tv_hold_item *items, int n,
				  bool waits)
{
	/* What is complete when the call begins is so all together. */
	const int64_t began = waits ? 0 : tv_virtual_entered(t);
	int64_t least;

	if (!keys_of(t, items, n, &least))
		return TV_HOLD_FREE;
	if (!hold.looked && !waits)
		hold.late = 0;
	hold.looked = true;
	if (least == ORDER_NEVER)
		return TV_HOLD_WAIT;
	if (!hold.wait.there)
		hold.wait.there = tv_now();
	if (hold.wait.collected && tv_others_behind(order_later(least, began) - hold.wait.noise))
		return TV_HOLD_WAIT;
	/* Lines, then rings. */
	tv_others_look(hold.comm, hold.wait.latency);
	if (!keys_of(t, items, n, &least))
		return TV_HOLD_FREE;
	hold.until = order_later(least, began);
	if (!tv_hold_wait_safe(&hold.wait, hold.until - hold.wait.noise)) {
		hold.wait.waited = true;
		return TV_HOLD_WAIT;
	}
	for (struct tv_hold_item *i = items; i < items + n; i++)
		i->done = i->key <= hold.until;
	return TV_HOLD_TAKE;
}

static bool is_lacking(const struct tv_hold_item *i, bool asks)
{
	return i->wanted && i->done && !i->there && (i->what != TV_HOLD_RECEIVE || asks);
}

/* MPI will say of all that are complete that they are. If that takes too long, what was told was of
 * another one. */
static bool are_there(struct tv_hold_item *items, int n, bool asks)
{
	bool there = true, given_up = false;

	for (int i = 0; i < n; i++)
		there &= !is_lacking(&items[i], asks);
	if (there) {
		hold.late = 0;
		return true;
	}
	if (!hold.late)
		hold.late = tv_now();
	if (tv_now() - hold.late <= TV_HOLD_LONG * tv.microsecond)
		return false;
	for (struct tv_hold_item *i = items; i < items + n; i++) {
		if (!is_lacking(i, asks) || i->what == TV_HOLD_ANY || i->what == TV_HOLD_RECEIVE)
			continue;
		i->what = TV_HOLD_OTHER;
		given_up = true;
	}
	return !given_up;
}

/* When it is complete only MPI knows, and that may have been otherwise without the recorder. */
static bool is_guessed(const struct tv_hold_item *i)
{
	return i->wanted && i->done && i->seen && !(i->local && i->key == 0);
}

static void note_guessed(struct tv_thread *t, const struct tv_hold_item *items, int n)
{
	bool guessed = false, others = false;

	for (const struct tv_hold_item *i = items; i < items + n; i++) {
		guessed |= is_guessed(i);
		others |= i->wanted && !i->done;
	}
	if (!guessed || !others)
		return;
	tv_hold_among();
	tv_virtual_depart(t);
}

enum tv_hold tv_hold_several_take(struct tv_thread *t, struct tv_hold_item *items, int n, bool asks)
{
	bool any = false;

	if (!are_there(items, n, asks))
		return TV_HOLD_WAIT;
	if (!tv_others_certain(hold.until - hold.wait.close))
		tv_virtual_depart(t);
	for (struct tv_hold_item *i = items; i < items + n; i++) {
		i->done &= i->there || (i->what == TV_HOLD_RECEIVE && !asks);
		any |= i->wanted && i->done;
	}
	note_guessed(t, items, n);
	return any ? TV_HOLD_TAKE : TV_HOLD_FREE;
}

bool tv_hold_several_lost(const struct tv_hold_item *items, int n, bool asks)
{
	bool there = false, candidate = false;

	for (const struct tv_hold_item *i = items; i < items + n; i++) {
		there |= i->wanted && i->there;
		candidate |= i->key != ORDER_NEVER;
	}
	there &= !candidate;
	return asks ? there : tv_hold_wait_lost(&hold.wait, there);
}

void tv_hold_several_end(void)
{
	tv_hold_wait_end(&hold.wait);
}
