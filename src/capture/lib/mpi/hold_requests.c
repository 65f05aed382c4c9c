#include "capture/lib/mpi/hold_requests.h"

#include "capture/lib/hold_posted.h"
#include "capture/lib/hold_several.h"
#include "capture/lib/mpi/deferred_list.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/own_line.h"
#include "capture/lib/virtual.h"

enum { ITEMS = TV_HOLD_SEVERAL + TV_DEFERRED_MOST };

/* The latest call that asked for the request of this number, its first one, said no: such calls are
 * one wait, which ends with the first that is complete. */
static uint32_t denied;

/* All receives that are deferred, then the requests of the call. */
struct several {
	int n, asked;
	struct tv_hold_item item[ITEMS];
};

/* ---- what they are ---- */

static struct tv_hold_item message_item(const struct tv_request *r)
{
	struct tv_hold_item item = { .what = TV_HOLD_OTHER };

	if (r->exchange || (!r->recv && r->partitions))
		return item;
	item.comm = r->comm;
	item.peer = r->peer;
	item.tag = r->tag;
	item.what = r->recv                               ? TV_HOLD_RECEIVE
		    : tv_virtual_waits(r->bytes, r->mode) ? TV_HOLD_SEND
							  : TV_HOLD_AT_ONCE;
	return item;
}

static struct tv_hold_item item_of(MPI_Request request)
{
	const struct tv_request *r = tv_request_look(request, NULL);
	struct tv_hold_item item = { .what = TV_HOLD_OTHER };

	if (!r) {
		if (tv_request_is_shared(request))
			item.what = TV_HOLD_AT_ONCE;
		item.local = true;
		return item;
	}
	if (r->kind == TV_REQUEST_MESSAGE)
		item = message_item(r);
	if (r->kind == TV_REQUEST_COLLECTIVE)
		item = (struct tv_hold_item){ .what = TV_HOLD_TOGETHER,
					      .comm = r->comm,
					      .ticket = r->ticket,
					      .root = r->root,
					      .rule = (enum virtual_rule)r->mode };
	item.id = r->id;
	return item;
}

static bool is_active(MPI_Request request)
{
	const struct tv_request *r;

	if (request == MPI_REQUEST_NULL)
		return false;
	r = tv_request_look(request, NULL);
	return !r || !r->persistent || r->active;
}

/* One of the call's takes all messages that it could take. */
static bool is_covered(const struct tv_deferred *d)
{
	for (const struct tv_deferred *e = NULL; (e = tv_deferred_next(e)) && e < d;)
		if (e->at >= 0 && tv_deferred_covers(e, d))
			return true;
	return false;
}

static void collect_deferred(struct several *s)
{
	for (const struct tv_deferred *d = NULL; (d = tv_deferred_next(d));) {
		const struct tv_request *r = tv_request_look(d->given, NULL);
		s->item[s->n++] = (struct tv_hold_item){ .what = TV_HOLD_ANY,
							 .at = d->at,
							 .wanted = d->at >= 0 || !is_covered(d),
							 .comm = d->what.known,
							 .tag = d->what.tag < 0 ? -1 : d->what.tag,
							 .id = r ? r->id : 0,
							 .source = -1 };
		s->asked += d->at >= 0;
	}
}

static bool is_deferred(int at)
{
	const struct tv_deferred *d = NULL;

	while ((d = tv_deferred_next(d)) && d->at != at)
		;
	return d != NULL;
}

/* False: they are too many. */
static bool collect(struct several *s, int count, const MPI_Request requests[])
{
	s->n = s->asked = 0;
	collect_deferred(s);
	for (int i = 0; i < count; i++) {
		if (!is_active(requests[i]) || is_deferred(i))
			continue;
		if (++s->asked > TV_HOLD_SEVERAL)
			return false;
		s->item[s->n] = item_of(requests[i]);
		s->item[s->n].wanted = true;
		s->item[s->n++].at = i;
	}
	return s->asked > 0;
}

/* The first one of the call. */
static uint32_t id_of(const struct several *s)
{
	int i = 0;

	while (s->item[i].at < 0)
		i++;
	return s->item[i].id;
}

/* ---- whether MPI has them ---- */

static bool is_complete(MPI_Request request)
{
	int flag = 0;

	return tv_mpi.Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

static bool is_message(const struct tv_hold_item *i, const struct tv_deferred *d, int source)
{
	int flag = 0;

	return tv_mpi.Iprobe(source, i->tag < 0 ? MPI_ANY_TAG : i->tag, d->what.comm, &flag,
			     MPI_STATUS_IGNORE) == MPI_SUCCESS &&
	       flag;
}

/* Of all; or, by their sources, of those that are `done`. */
static void look_there(struct several *s, const MPI_Request requests[], bool done)
{
	const struct tv_deferred *d = NULL;

	for (struct tv_hold_item *i = s->item; i < s->item + s->n; i++) {
		if (i->what == TV_HOLD_ANY)
			d = tv_deferred_next(d);
		if (done && !i->done)
			continue;
		i->there = i->what == TV_HOLD_ANY
				   ? is_message(i, d, done ? i->source : MPI_ANY_SOURCE)
				   : is_complete(requests[i->at]);
	}
}

/* ---- for whom it waits ---- */

static void tell(const struct tv_thread *t, const struct several *s)
{
	struct tv_line_wait wait = { .held = true };

	wait.many = !tv_hold_several_are_alone(s->item, s->n);
	for (const struct tv_hold_item *i = s->item; i < s->item + s->n && !wait.many; i++) {
		if (!i->wanted || i->what == TV_HOLD_AT_ONCE)
			continue;
		if (i->what == TV_HOLD_ANY)
			tv_line_add_any(&wait, i->comm, i->tag);
		else if (i->what == TV_HOLD_RECEIVE || i->what == TV_HOLD_SEND)
			tv_line_add(&wait, i->comm, i->peer, i->tag, i->what == TV_HOLD_SEND);
		else
			wait.many = true;
	}
	tv_line_waits(t, &wait, false);
}

/* ---- the answer ---- */

/* With those that are chosen go earlier receives of which one could take the other's message: these
 * are complete, too, or their message has not come. */
static void post(const struct several *s, const bool *chosen)
{
	bool go[TV_DEFERRED_MOST] = { false };
	struct tv_deferred *d = NULL;
	int n = 0;

	while (n < s->n && s->item[n].what == TV_HOLD_ANY)
		n++;
	for (int k = n - 1; k >= 0; k--) {
		go[k] = chosen[k];
		for (int later = k + 1; later < n && s->item[k].done; later++)
			go[k] |= go[later] && s->item[k].comm == s->item[later].comm &&
				 tv_hold_tags_meet(s->item[k].tag, s->item[later].tag);
	}
	for (int k = 0; k < n; k++) {
		/* The next one that waits, as this one does no more. */
		struct tv_deferred *next = tv_deferred_next(d);
		if (!go[k]) {
			d = next;
			continue;
		}
		tv_hold_chosen();
		tv_deferred_post(next, s->item[k].source);
	}
}

static struct tv_answer give(const struct several *s, bool all, MPI_Request requests[])
{
	static struct tv_choice them[ITEMS];
	struct tv_answer answer = { TV_ANSWER_THEM, 0, them };
	bool chosen[ITEMS] = { false };
	int last = -1;

	for (int i = 0; i < s->n; i++)
		chosen[i] = s->item[i].at < 0 && s->item[i].wanted && s->item[i].done;
	/* In the order of the requests. */
	for (;;) {
		int next = -1;
		for (int i = 0; i < s->n; i++)
			if (s->item[i].done && s->item[i].at > last &&
			    (next < 0 || s->item[i].at < s->item[next].at))
				next = i;
		if (next < 0 || (!all && answer.n))
			break;
		chosen[next] = true;
		them[answer.n++].what = last = s->item[next].at;
	}
	post(s, chosen);
	tv_deferred_own(requests);
	if (!answer.n)
		answer.how = TV_ANSWER_NO;
	return answer;
}

/* MPI has what was told, soon. */
static enum tv_hold take(struct tv_thread *t, struct several *s, bool asks,
			 const MPI_Request requests[])
{
	enum { TRIES = 16 };
	enum tv_hold answer = TV_HOLD_WAIT;

	for (int i = 0; i < TRIES && answer == TV_HOLD_WAIT; i++) {
		look_there(s, requests, true);
		answer = tv_hold_several_take(t, s->item, s->n, asks);
	}
	return answer;
}

/* Until the call can go on, or one that is not its own goes to MPI. */
static enum tv_hold hold(struct tv_thread *t, struct several *s, bool asks, bool waits,
			 const MPI_Request requests[])
{
	const uint64_t from = tv_now();
	enum tv_hold answer;

	for (;;) {
		/* Looked for first: it is told before it is sent. */
		look_there(s, requests, false);
		answer = tv_hold_several_look(t, s->item, s->n, waits);
		if (answer == TV_HOLD_TAKE)
			answer = take(t, s, asks, requests);
		if (answer != TV_HOLD_WAIT)
			break;
		if (tv_hold_several_lost(s->item, s->n, asks))
			return TV_HOLD_FREE;
		if (asks)
			return TV_HOLD_WAIT;
		tv_hold_pause(tv_now() - from);
	}
	tv_hold_several_end();
	return answer;
}

/* MPI_Waitany and MPI_Testany take the request with the lowest index of those that are complete: if
 * that one certainly is, no other matters. NULL: it is not. */
static const struct tv_hold_item *settled(const struct several *s, const MPI_Request requests[])
{
	const struct tv_hold_item *first = NULL;

	for (const struct tv_hold_item *i = s->item; i < s->item + s->n; i++)
		if (i->at >= 0 && (!first || i->at < first->at))
			first = i;
	return first && (first->what == TV_HOLD_AT_ONCE || first->local) &&
			       is_complete(requests[first->at])
		       ? first
		       : NULL;
}

static bool begin(struct tv_thread *t, struct several *s, int count, const MPI_Request requests[])
{
	if (tv.multi || !collect(s, count, requests) || !tv_hold_several(t, s->item, s->n))
		return false;
	tv_virtual_enter(t);
	return true;
}

struct tv_answer tv_hold_requests(struct tv_thread *t, enum tv_choice_kind kind, bool asks,
				  int count, MPI_Request requests[])
{
	static struct tv_choice one;
	struct tv_answer answer = { .how = TV_ANSWER_NO };
	const uint32_t before = asks ? denied : 0;
	struct several s;

	denied = 0;
	while (answer.how == TV_ANSWER_NO) {
		const struct tv_hold_item *first;
		enum tv_hold held;
		if (!begin(t, &s, count, requests))
			return (struct tv_answer){ .how = TV_ANSWER_MPI };
		first = kind == TV_CHOICE_INDEX ? settled(&s, requests) : NULL;
		if (first) {
			one.what = first->at;
			return (struct tv_answer){ TV_ANSWER_THEM, 1, &one };
		}
		if (!asks)
			tell(t, &s);
		held = hold(t, &s, asks, before && before == id_of(&s), requests);
		if (held == TV_HOLD_FREE)
			return (struct tv_answer){ .how = TV_ANSWER_MPI };
		if (held == TV_HOLD_WAIT) {
			denied = id_of(&s);
			return answer;
		}
		tv_virtual_held(t);
		answer = give(&s, kind == TV_CHOICE_SET, requests);
	}
	return answer;
}
