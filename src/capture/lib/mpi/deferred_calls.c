#include "capture/lib/far.h"
#include "capture/lib/mpi/deferred_list.h"
#include "capture/lib/mpi/hold_requests.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/virtual.h"

enum { PASSED = 64 }; /* tests of other requests after which one is deferred no longer */

/* Completed by MPI_Waitall before it waited for the rest. */
static struct {
	struct {
		int at, error;
		MPI_Status status;
	} list[TV_DEFERRED_MOST];
	int n;
} early;

int tv_deferred_statuses(int rc, int count, MPI_Status statuses[])
{
	bool failed = false;

	for (int i = 0; i < early.n; i++)
		failed |= early.list[i].error != MPI_SUCCESS;
	for (int i = 0; failed && rc == MPI_SUCCESS && i < count; i++)
		statuses[i].MPI_ERROR = MPI_SUCCESS;
	for (int i = 0; i < early.n; i++) {
		MPI_Status *status = &statuses[early.list[i].at];
		*status = early.list[i].status;
		if (failed || rc == MPI_ERR_IN_STATUS)
			status->MPI_ERROR = early.list[i].error;
	}
	early.n = 0;
	return failed && rc == MPI_SUCCESS ? MPI_ERR_IN_STATUS : rc;
}

/* ---- calls that wait ---- */

/* Before a call waits for `head` (NULL: for none of them). */
static void post_others(struct tv_thread *t, const struct tv_deferred *head)
{
	for (struct tv_deferred *d = tv_deferreds.list; d < tv_deferreds.list + tv_deferreds.n; d++)
		if (d != head && !d->posted && !(head && tv_deferred_covers(head, d)))
			tv_deferred_post_in_order(t, d);
}

/* Held until it is certain. False: MPI chooses. */
static bool post_held(struct tv_thread *t, struct tv_deferred *d)
{
	const int source = tv_hold_source(t, d->what.known, d->what.tag, d->what.comm);

	tv_virtual_held(t);
	tv_deferred_post(d, source);
	return source >= 0;
}

/* Its message is there: so that the others see what the rank waits for, it is taken before the next
 * one is held. */
static void complete_early(struct tv_thread *t, struct tv_deferred *d, MPI_Request requests[])
{
	const MPI_Request own = d->own;
	MPI_Status status;
	const int rc = tv_mpi.Wait(&d->own, &status);

	tv_request_complete(t, own, NULL, &status, tv_outcome_of(rc), tv_returned(t));
	early.list[early.n].at = d->at;
	early.list[early.n].error = rc;
	early.list[early.n++].status = status;
	requests[d->at] = d->persistent ? d->given : MPI_REQUEST_NULL;
	tv_deferred_drop(d);
}

static struct tv_deferred *posted_at(int at)
{
	struct tv_deferred *d = tv_deferreds.list;

	while (d->at != at || !d->posted)
		d++;
	return d;
}

static void await_all(struct tv_thread *t, bool others, MPI_Request requests[])
{
	bool certain = true;

	for (struct tv_deferred *head; certain && (head = tv_deferred_first_open());) {
		post_others(t, head);
		if (head->posted)
			continue;
		certain = post_held(t, head);
		if (certain && tv_deferred_first_open())
			complete_early(t, head, requests);
	}
	/* It may wait for what has yet to come. */
	if (others || !certain)
		tv_deferred_post_all(t);
}

/* The one that the call completes, NULL: MPI chooses. */
static const struct tv_deferred *await_first(struct tv_thread *t, bool others)
{
	struct tv_deferred *head = tv_deferred_first_open();

	for (int i = 0; !others && i < tv_deferreds.n; i++) {
		if (tv_deferreds.list[i].at < 0 || !tv_deferreds.list[i].posted)
			continue;
		if (!tv_deferreds.list[i].uncertain)
			return &tv_deferreds.list[i];
		others = true;
	}
	post_others(t, head);
	if (!others && !head->posted && post_held(t, head))
		return head;
	tv_deferred_post_all(t);
	return NULL;
}

/* Which of them goes first is more than one question (hold_requests.h). Other nodes can be asked
 * one alone. */
static bool are_several(const struct tv_deferred *head, bool others)
{
	bool several = others;

	for (const struct tv_deferred *d = head; (d = tv_deferred_next(d));)
		several |= !tv_deferred_covers(head, d);
	return (several || tv_deferred_next(NULL) != head) && !tv_far_is_used();
}

/* MPI_Waitall, and MPI_Wait: each as its message comes. */
static void await_each(struct tv_thread *t, MPI_Request requests[])
{
	while (tv_deferred_first_open()) {
		const struct tv_answer one =
			tv_hold_requests(t, TV_CHOICE_INDEX, false, 0, requests);
		if (one.how == TV_ANSWER_MPI) {
			tv_deferred_post_all(t);
			return;
		}
		if (tv_deferred_first_open())
			complete_early(t, posted_at(one.which->what), requests);
	}
}

static struct tv_answer await_several(struct tv_thread *t, enum tv_choice_kind kind, bool others,
				      int count, MPI_Request requests[])
{
	struct tv_answer answer = { .how = TV_ANSWER_MPI };

	tv_deferred_own(requests);
	if (kind == TV_CHOICE_INDEX || kind == TV_CHOICE_SET) {
		answer = tv_hold_requests(t, kind, false, count, requests);
		others = answer.how == TV_ANSWER_MPI;
	} else {
		await_each(t, requests);
	}
	if (others)
		tv_deferred_post_all(t);
	return answer;
}

/* MPI chooses for one of the call's that is posted. */
static bool is_uncertain(void)
{
	for (int i = 0; i < tv_deferreds.n; i++)
		if (tv_deferreds.list[i].at >= 0 && tv_deferreds.list[i].uncertain)
			return true;
	return false;
}

struct tv_answer tv_deferred_await(struct tv_thread *t, enum tv_choice_kind kind, int count,
				   MPI_Request requests[])
{
	static struct tv_choice one;
	const bool others = tv_deferred_find(count, requests);
	const bool chooses = kind == TV_CHOICE_INDEX || kind == TV_CHOICE_SET;
	const struct tv_deferred *head = tv_deferred_first_open(), *taken = NULL;
	struct tv_answer answer = { .how = TV_ANSWER_MPI };

	early.n = 0;
	if (tv_deferreds.waiting) {
		tv_virtual_enter(t);
		if (!head && (others || is_uncertain()))
			tv_deferred_post_all(t);
		else if (!head)
			; /* the messages are there */
		else if (are_several(head, chooses && others))
			answer = await_several(t, kind, others, count, requests);
		else if (chooses)
			taken = await_first(t, others);
		else
			await_all(t, others, requests);
		tv_virtual_held(t);
	}
	tv_deferred_own(requests);
	if (!taken)
		return answer;
	one.what = taken->at;
	return (struct tv_answer){ TV_ANSWER_THEM, 1, &one };
}

/* ---- calls that ask ---- */

/* The call asks for it, or for one that must go after it. */
static bool is_asked(const struct tv_deferred *d)
{
	for (const struct tv_deferred *e = d; e < tv_deferreds.list + tv_deferreds.n; e++)
		if (!e->posted && e->at >= 0 &&
		    tv_deferred_meets(&d->what, e->what.known, e->what.tag))
			return true;
	return false;
}

/* One that it must go after is not posted. */
static bool is_behind(const struct tv_deferred *d)
{
	for (const struct tv_deferred *e = tv_deferreds.list; e < d; e++)
		if (!e->posted && tv_deferred_meets(&e->what, d->what.known, d->what.tag))
			return true;
	return false;
}

/* If its message is there, and that is certain. */
static void post_if_there(struct tv_thread *t, struct tv_deferred *d)
{
	const struct tv_deferral *w = &d->what;
	int source = MPI_ANY_SOURCE, flag = 0;
	MPI_Status status;

	if (tv_mpi.Iprobe(MPI_ANY_SOURCE, w->tag, w->comm, &flag, &status) != MPI_SUCCESS)
		tv_deferred_post(d, source);
	if (d->posted || !flag)
		return;
	source = tv_hold_source_probed(t, w->known, w->tag, w->comm, &flag, &status);
	if (flag)
		tv_deferred_post(d, source);
}

/* One that the call does not ask for goes on to wait only while a loop of tests cannot wait for
 * what would follow it. */
static void pass(struct tv_thread *t, struct tv_deferred *d, const struct tv_deferred *head)
{
	if (is_asked(d))
		d->passed = 0;
	else if (!(head && !head->posted && tv_deferred_covers(head, d)) && ++d->passed > PASSED)
		tv_deferred_post_in_order(t, d);
}

static bool is_complete(MPI_Request request)
{
	int flag = 0;

	return tv_mpi.Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

/* Those of the call that are complete, in their order there. All have certain senders. */
static struct tv_answer complete_ones(enum tv_choice_kind kind, int count,
				      const MPI_Request requests[])
{
	static struct tv_choice them[TV_DEFERRED_MOST];
	struct tv_answer answer = { TV_ANSWER_THEM, 0, them };

	for (int i = 0; i < count && (kind == TV_CHOICE_SET || !answer.n); i++)
		if (requests[i] != MPI_REQUEST_NULL && is_complete(requests[i]))
			them[answer.n++].what = i;
	if (!answer.n)
		answer.how = TV_ANSWER_NO;
	return answer;
}

/* Each that is asked for, if its message is there. */
static void post_asked(struct tv_thread *t)
{
	for (struct tv_deferred *d = NULL; (d = tv_deferred_next(d));)
		if (is_asked(d) && !is_behind(d))
			post_if_there(t, d);
}

struct tv_answer tv_deferred_ask(struct tv_thread *t, enum tv_choice_kind kind, int count,
				 MPI_Request requests[])
{
	const bool chooses = kind == TV_CHOICE_INDEX || kind == TV_CHOICE_SET;
	const bool others = tv_deferred_find(count, requests);
	const struct tv_deferred *head = tv_deferred_first_open();
	struct tv_answer answer = { .how = TV_ANSWER_MPI };
	bool certain = !others;

	early.n = 0;
	for (struct tv_deferred *d = NULL; (d = tv_deferred_next(d));)
		pass(t, d, head);
	tv_deferred_own(requests);
	if (head && chooses && are_several(head, others))
		answer = tv_hold_requests(t, kind, true, count, requests);
	if (answer.how != TV_ANSWER_MPI)
		return answer;
	post_asked(t);
	tv_deferred_own(requests);
	for (int i = 0; i < tv_deferreds.n; i++)
		certain &= tv_deferreds.list[i].at < 0 || !tv_deferreds.list[i].uncertain;
	return head && certain && chooses ? complete_ones(kind, count, requests) : answer;
}
