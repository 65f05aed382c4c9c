#include "capture/lib/mpi/deferred.h"

#include "capture/lib/hold.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/virtual.h"

enum {
	MOST = 64,   /* receives at a time */
	PASSED = 64, /* tests of other requests after which one is deferred no longer */
};

struct deferred {
	struct tv_deferral what;
	MPI_Request given, own; /* the program's; MPI's, once it is there */
	bool posted;
	int64_t started, error; /* virtual time of its start, and the bound of that */
	bool uncertain;         /* MPI chooses its sender */
	int at;                 /* which request of the call under way it is, -1: none */
	int passed;             /* latest tests, which were not for it */
};

/* In the order of their starts. */
static struct {
	struct deferred list[MOST];
	int n, waiting; /* waiting: not posted */
} deferred;

/* Completed by MPI_Waitall before it waited for the rest. */
static struct {
	struct {
		int at, error;
		MPI_Status status;
	} list[MOST];
	int n;
} early;

/* ---- the placeholder ---- */

static int query(void *none, MPI_Status *status)
{
	(void)none, (void)status;
	return MPI_SUCCESS;
}

static int freed(void *none)
{
	(void)none;
	return MPI_SUCCESS;
}

static int cancel(void *none, int complete)
{
	(void)none, (void)complete;
	return MPI_SUCCESS;
}

/* ---- which can take the other's message ---- */

static bool meets(const struct tv_deferral *a, const struct tv_comm *known, int tag)
{
	return a->known == known && (a->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG || a->tag == tag);
}

/* All that `later` could take `first` could. */
static bool covers(const struct deferred *first, const struct deferred *later)
{
	return first < later && first->what.known == later->what.known &&
	       (first->what.tag == MPI_ANY_TAG || first->what.tag == later->what.tag);
}

/* ---- posting ---- */

/* As the receive was started, virtually; its sender learns of it now. */
static void tell(const struct deferred *d, int source, struct virtual_entry e)
{
	if (source >= 0)
		tv_carry_post(d->what.known, source, d->what.tag, e);
	else
		tv_carry_post_any(e);
}

static void post(struct deferred *d, int source)
{
	const struct tv_deferral *w = &d->what;
	const int64_t now = (int64_t)tv_now();
	const struct virtual_entry e = { .time = now,
					 .intrusion = now - d->started,
					 .error = d->error };
	struct tv_request *r;
	int rc;

	tell(d, source, e);
	rc = w->large ? tv_mpi.Irecv_c(w->buf, w->count, w->type, source, w->tag, w->comm, &d->own)
		      : tv_mpi.Irecv(w->buf, (int)w->count, w->type, source, w->tag, w->comm,
				     &d->own);
	d->posted = true;
	d->uncertain = source < 0;
	deferred.waiting--;
	if (rc != MPI_SUCCESS)
		d->own = MPI_REQUEST_NULL;
	r = rc == MPI_SUCCESS ? tv_request_move(d->given, d->own) : NULL;
	if (!r)
		return;
	r->peer = tv_peer(source);
	r->posted = (uint64_t)e.time;
	tv_hold_posted(r->comm, r->peer, r->tag, r->id);
}

/* From its sender, if that is certain now. */
static void post_now(struct tv_thread *t, struct deferred *d)
{
	int source = MPI_ANY_SOURCE;

	if (!t)
		tv_hold_cannot(TV_UNCONTROLLED_OFF);
	else if (tv_hold_source_now(t, d->what.known, d->what.tag, d->what.comm, &source) ==
		 TV_HOLD_WAIT)
		tv_hold_started();
	post(d, source);
}

static void post_in_order(struct tv_thread *t, struct deferred *d);

/* Those before it that could take its message. */
static void post_before(struct tv_thread *t, struct deferred *d)
{
	for (struct deferred *e = deferred.list; e < d; e++)
		if (!e->posted && meets(&e->what, d->what.known, d->what.tag))
			post_in_order(t, e);
}

static void post_in_order(struct tv_thread *t, struct deferred *d)
{
	post_before(t, d);
	post_now(t, d);
}

static void post_all(struct tv_thread *t)
{
	for (struct deferred *d = deferred.list; d < deferred.list + deferred.n; d++)
		if (!d->posted)
			post_now(t, d);
}

/* ---- calls that begin ---- */

#define ONE(name)  [CALL_##name] = true,
#define BOTH(name) ONE(name) ONE(name##_c) /* also for large counts */

/* Those that do not wait for another rank, and receive nothing; or look for themselves. */
/* clang-format off */
static const bool lets[CALL_COUNT] = {
	BOTH(Isend) BOTH(Ibsend) BOTH(Issend) BOTH(Irsend) BOTH(Irecv) BOTH(Imrecv)
	ONE(Wait) ONE(Waitany) ONE(Waitall) ONE(Waitsome) ONE(Test) ONE(Testany) ONE(Testall)
	ONE(Testsome) ONE(Cancel) ONE(Request_free) ONE(Request_get_status)
	ONE(Request_get_status_all) ONE(Request_get_status_any) ONE(Request_get_status_some)
	ONE(Comm_rank) ONE(Comm_size) ONE(Comm_group) ONE(Comm_compare) ONE(Comm_get_name)
	ONE(Comm_remote_group) ONE(Comm_remote_size) ONE(Comm_test_inter)
	ONE(Group_compare) ONE(Group_difference) ONE(Group_excl) ONE(Group_free) ONE(Group_incl)
	ONE(Group_intersection) ONE(Group_range_excl) ONE(Group_range_incl) ONE(Group_rank)
	ONE(Group_size) ONE(Group_translate_ranks) ONE(Group_union)
	ONE(Cart_coords) ONE(Cart_get) ONE(Cart_rank) ONE(Cart_shift) ONE(Cartdim_get)
	ONE(Dims_create) ONE(Topo_test) ONE(Type_commit) ONE(Type_contiguous)
	ONE(Type_create_resized) ONE(Type_create_struct) ONE(Type_create_subarray)
	ONE(Type_get_extent) ONE(Type_size) ONE(Type_vector) ONE(Pack) ONE(Pack_size) ONE(Unpack)
};
/* clang-format on */

static void begins(struct tv_thread *t, uint32_t call)
{
	if (!deferred.waiting || (t && t->nested != TV_CALL_PAUSED && lets[call]))
		return;
	post_all(t);
	if (!t)
		return;
	tv_virtual_enter(t);
	tv_virtual_held(t);
}

static void changed(void)
{
	tv.deferred = deferred.n ? begins : NULL;
	tv.answers = tv.replays || deferred.n;
}

/* ---- starts ---- */

static bool is_preceded(const struct tv_comm *known, int tag)
{
	for (int i = 0; i < deferred.n; i++)
		if (!deferred.list[i].posted && meets(&deferred.list[i].what, known, tag))
			return true;
	return false;
}

void tv_deferred_precede(struct tv_thread *t, const struct tv_comm *known, int tag)
{
	for (struct deferred *d = deferred.list; d < deferred.list + deferred.n; d++)
		if (!d->posted && meets(&d->what, known, tag))
			post_in_order(t, d);
}

int tv_deferred_source(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm,
		       bool *later)
{
	const bool room = deferred.n < MOST && !tv.multi && !tv.replays;
	int source = MPI_ANY_SOURCE;

	*later = room && is_preceded(known, tag);
	if (*later)
		return source;
	tv_deferred_precede(t, known, tag);
	if (tv_hold_source_now(t, known, tag, comm, &source) != TV_HOLD_WAIT)
		return source;
	*later = room;
	if (room)
		tv_hold_denied(); /* it begins again */
	else
		tv_hold_started();
	return MPI_ANY_SOURCE;
}

int tv_deferred_add(struct tv_thread *t, struct tv_deferral what, MPI_Request *request)
{
	const struct virtual_entry e = tv_virtual_enter(t);
	const int rc = tv_mpi.Grequest_start(query, freed, cancel, NULL, request);

	if (rc != MPI_SUCCESS)
		return rc;
	deferred.list[deferred.n++] = (struct deferred){ .what = what,
							 .given = *request,
							 .started = e.time - e.intrusion,
							 .error = e.error,
							 .at = -1 };
	deferred.waiting++;
	changed();
	return MPI_SUCCESS;
}

void tv_deferred_added(MPI_Request request)
{
	/* MPI does not have it. */
	tv_hold_completed(tv_request_receives(request, NULL));
}

/* ---- requests of a call ---- */

static struct deferred *given_as(MPI_Request request)
{
	for (int i = 0; i < deferred.n; i++)
		if (deferred.list[i].given == request)
			return &deferred.list[i];
	return NULL;
}

/* Finds those of the call. Returns whether it has other active requests. */
static bool find(int count, const MPI_Request requests[])
{
	bool others = false;

	for (int i = 0; i < deferred.n; i++)
		deferred.list[i].at = -1;
	early.n = 0;
	for (int i = 0; i < count; i++) {
		struct deferred *d = requests[i] != MPI_REQUEST_NULL ? given_as(requests[i]) : NULL;
		others |= requests[i] != MPI_REQUEST_NULL && !d;
		if (d)
			d->at = i;
	}
	return others;
}

static void give(MPI_Request requests[])
{
	for (int i = 0; i < deferred.n; i++) {
		const struct deferred *d = &deferred.list[i];
		if (d->at >= 0 && d->posted)
			requests[d->at] = d->own;
	}
}

void tv_deferred_give(int count, MPI_Request requests[])
{
	find(count, requests);
	give(requests);
}

static void drop(struct deferred *d)
{
	tv_mpi.Grequest_complete(d->given);
	tv_mpi.Request_free(&d->given);
	deferred.n--;
	for (; d < deferred.list + deferred.n; d++)
		*d = d[1];
	changed();
}

void tv_deferred_back(int count, MPI_Request requests[])
{
	(void)count;
	for (int i = deferred.n - 1; i >= 0; i--) {
		struct deferred *d = &deferred.list[i];
		if (d->at < 0 || !d->posted)
			continue;
		if (requests[d->at] == MPI_REQUEST_NULL) {
			drop(d);
			continue;
		}
		requests[d->at] = d->given;
		d->at = -1;
	}
}

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

void tv_deferred_go(struct tv_thread *t, MPI_Request request, bool cancelled)
{
	struct deferred *d = given_as(request);

	if (!d || d->posted)
		return;
	post_before(t, d);
	if (cancelled)
		post(d, MPI_ANY_SOURCE);
	else
		post_now(t, d);
}

/* ---- calls that wait ---- */

/* The first of the call's that is not posted. */
static struct deferred *first_open(void)
{
	for (int i = 0; i < deferred.n; i++)
		if (!deferred.list[i].posted && deferred.list[i].at >= 0)
			return &deferred.list[i];
	return NULL;
}

/* Before a call waits for `head` (NULL: for none of them). */
static void post_others(struct tv_thread *t, const struct deferred *head)
{
	for (struct deferred *d = deferred.list; d < deferred.list + deferred.n; d++)
		if (d != head && !d->posted && !(head && covers(head, d)))
			post_in_order(t, d);
}

/* Held until it is certain. False: MPI chooses. */
static bool post_held(struct tv_thread *t, struct deferred *d)
{
	const int source = tv_hold_source(t, d->what.known, d->what.tag, d->what.comm);

	tv_virtual_held(t);
	post(d, source);
	return source >= 0;
}

/* Its message is there: so that the others see what the rank waits for, it is taken before the next
 * one is held. */
static void complete_early(struct tv_thread *t, struct deferred *d, MPI_Request requests[])
{
	const MPI_Request own = d->own;
	MPI_Status status;
	const int rc = tv_mpi.Wait(&d->own, &status);

	tv_request_complete(t, own, NULL, &status, tv_outcome_of(rc), tv_returned(t));
	early.list[early.n].at = d->at;
	early.list[early.n].error = rc;
	early.list[early.n++].status = status;
	requests[d->at] = MPI_REQUEST_NULL;
	drop(d);
}

static void await_all(struct tv_thread *t, bool others, MPI_Request requests[])
{
	bool certain = true;

	for (struct deferred *head; certain && (head = first_open());) {
		post_others(t, head);
		if (head->posted)
			continue;
		certain = post_held(t, head);
		if (certain && first_open())
			complete_early(t, head, requests);
	}
	/* It may wait for what has yet to come. */
	if (others || !certain)
		post_all(t);
}

/* The one that the call completes, NULL: MPI chooses. */
static const struct deferred *await_first(struct tv_thread *t, bool others)
{
	struct deferred *head = first_open();

	for (int i = 0; !others && i < deferred.n; i++) {
		if (deferred.list[i].at < 0 || !deferred.list[i].posted)
			continue;
		if (!deferred.list[i].uncertain)
			return &deferred.list[i];
		others = true;
	}
	post_others(t, head);
	if (!others && !head->posted && post_held(t, head))
		return head;
	post_all(t);
	return NULL;
}

/* MPI chooses for one of the call's that is posted. */
static bool is_uncertain(void)
{
	for (int i = 0; i < deferred.n; i++)
		if (deferred.list[i].at >= 0 && deferred.list[i].uncertain)
			return true;
	return false;
}

struct tv_answer tv_deferred_await(struct tv_thread *t, enum tv_choice_kind kind, int count,
				   MPI_Request requests[])
{
	static struct tv_choice one;
	const bool others = find(count, requests);
	const struct deferred *taken = NULL;

	if (deferred.waiting) {
		tv_virtual_enter(t);
		if (!first_open() && (others || is_uncertain()))
			post_all(t);
		else if (!first_open())
			; /* the messages are there */
		else if (kind == TV_CHOICE_INDEX || kind == TV_CHOICE_SET)
			taken = await_first(t, others);
		else
			await_all(t, others, requests);
		tv_virtual_held(t);
	}
	give(requests);
	if (!taken)
		return (struct tv_answer){ .how = TV_ANSWER_MPI };
	one.what = taken->at;
	return (struct tv_answer){ TV_ANSWER_THEM, 1, &one };
}

/* ---- calls that ask ---- */

/* The call asks for it, or for one that must go after it. */
static bool is_asked(const struct deferred *d)
{
	for (const struct deferred *e = d; e < deferred.list + deferred.n; e++)
		if (!e->posted && e->at >= 0 && meets(&d->what, e->what.known, e->what.tag))
			return true;
	return false;
}

/* One that it must go after is not posted. */
static bool is_behind(const struct deferred *d)
{
	for (const struct deferred *e = deferred.list; e < d; e++)
		if (!e->posted && meets(&e->what, d->what.known, d->what.tag))
			return true;
	return false;
}

/* If its message is there, and that is certain. */
static void post_if_there(struct tv_thread *t, struct deferred *d)
{
	const struct tv_deferral *w = &d->what;
	int source = MPI_ANY_SOURCE, flag = 0;
	MPI_Status status;

	if (tv_mpi.Iprobe(MPI_ANY_SOURCE, w->tag, w->comm, &flag, &status) != MPI_SUCCESS)
		post(d, source);
	if (d->posted || !flag)
		return;
	source = tv_hold_source_probed(t, w->known, w->tag, w->comm, &flag, &status);
	if (flag)
		post(d, source);
}

/* One that the call does not ask for goes on to wait only while a loop of tests cannot wait for
 * what would follow it. */
static void pass(struct tv_thread *t, struct deferred *d, const struct deferred *head)
{
	if (!(head && !head->posted && covers(head, d)) && ++d->passed > PASSED)
		post_in_order(t, d);
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
	static struct tv_choice them[MOST];
	struct tv_answer answer = { TV_ANSWER_THEM, 0, them };

	for (int i = 0; i < count && (kind == TV_CHOICE_SET || !answer.n); i++)
		if (requests[i] != MPI_REQUEST_NULL && is_complete(requests[i]))
			them[answer.n++].what = i;
	if (!answer.n)
		answer.how = TV_ANSWER_NO;
	return answer;
}

struct tv_answer tv_deferred_ask(struct tv_thread *t, enum tv_choice_kind kind, int count,
				 MPI_Request requests[])
{
	const bool waiting = deferred.waiting > 0;
	bool certain = !find(count, requests);
	const struct deferred *head = first_open();

	for (struct deferred *d = deferred.list; waiting && d < deferred.list + deferred.n; d++) {
		if (d->posted)
			continue;
		if (!is_asked(d)) {
			pass(t, d, head);
			continue;
		}
		d->passed = 0;
		if (!is_behind(d))
			post_if_there(t, d);
	}
	give(requests);
	for (int i = 0; i < deferred.n; i++)
		certain &= deferred.list[i].at < 0 || !deferred.list[i].uncertain;
	return head && certain && (kind == TV_CHOICE_INDEX || kind == TV_CHOICE_SET)
		       ? complete_ones(kind, count, requests)
		       : (struct tv_answer){ .how = TV_ANSWER_MPI };
}
