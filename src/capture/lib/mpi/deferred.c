#include "capture/lib/mpi/deferred_list.h"

#include "capture/lib/hold.h"
#include "capture/lib/mpi/any_source.h"
#include "capture/lib/mpi/forced.h"
#include "capture/lib/mpi/hold_source.h"
#include "capture/lib/mpi/inflight.h"
#include "capture/lib/virtual.h"

struct tv_deferreds tv_deferreds;

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

static int make(MPI_Request *placeholder)
{
	return tv_mpi.Grequest_start(query, freed, cancel, NULL, placeholder);
}

static void end(MPI_Request *placeholder)
{
	tv_mpi.Grequest_complete(*placeholder);
	tv_mpi.Request_free(placeholder);
}

struct tv_deferred *tv_deferred_next(const struct tv_deferred *d)
{
	for (int i = d ? (int)(d - tv_deferreds.list) + 1 : 0; i < tv_deferreds.n; i++)
		if (!tv_deferreds.list[i].posted)
			return &tv_deferreds.list[i];
	return NULL;
}

/* ---- which can take the other's message ---- */

bool tv_deferred_meets(const struct tv_deferral *a, const struct tv_comm *known, int tag)
{
	return a->known == known && (a->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG || a->tag == tag);
}

bool tv_deferred_covers(const struct tv_deferred *first, const struct tv_deferred *later)
{
	return first < later && first->what.known == later->what.known &&
	       (first->what.tag == MPI_ANY_TAG || first->what.tag == later->what.tag);
}

/* ---- posting ---- */

/* As the receive was started, virtually; its sender learns of it now. */
static void tell(const struct tv_deferred *d, int source, struct virtual_entry e)
{
	if (!tv.carries)
		return;
	if (source >= 0)
		tv_carry_post(d->what.known, source, d->what.tag, e);
	else
		tv_carry_post_any(e);
}

void tv_deferred_post(struct tv_deferred *d, int source)
{
	const struct tv_deferral *w = &d->what;
	const int64_t now = (int64_t)tv_now();
	const struct virtual_entry e = { .time = now,
					 .intrusion = now - d->started,
					 .error = d->error };
	struct tv_request *r;
	int rc;

	tell(d, source, e);
	if (d->persistent)
		end(&d->own);
	rc = w->large ? tv_mpi.Irecv_c(w->buf, w->count, w->type, source, w->tag, w->comm, &d->own)
		      : tv_mpi.Irecv(w->buf, (int)w->count, w->type, source, w->tag, w->comm,
				     &d->own);
	d->posted = true;
	d->uncertain = source < 0;
	tv_deferreds.waiting--;
	if (rc != MPI_SUCCESS)
		d->own = MPI_REQUEST_NULL;
	r = rc == MPI_SUCCESS ? tv_request_move(d->given, d->own) : NULL;
	if (!r)
		return;
	r->peer = tv_peer(source);
	r->posted = (uint64_t)e.time;
	if (tv.line)
		tv_hold_posted(r->comm, r->peer, r->tag, r->id);
}

/* From its sender, if that is certain now. */
static void post_now(struct tv_thread *t, struct tv_deferred *d)
{
	int source = MPI_ANY_SOURCE;

	if (!t)
		tv_hold_cannot(TV_UNCONTROLLED_OFF);
	else if (tv_hold_source_now(t, d->what.known, d->what.tag, d->what.comm, &source) ==
		 TV_HOLD_WAIT)
		tv_hold_started();
	tv_deferred_post(d, source);
}

/* Those before it that could take its message. */
static void post_before(struct tv_thread *t, struct tv_deferred *d)
{
	for (struct tv_deferred *e = tv_deferreds.list; e < d; e++)
		if (!e->posted && tv_deferred_meets(&e->what, d->what.known, d->what.tag))
			tv_deferred_post_in_order(t, e);
}

void tv_deferred_post_in_order(struct tv_thread *t, struct tv_deferred *d)
{
	post_before(t, d);
	post_now(t, d);
}

void tv_deferred_post_all(struct tv_thread *t)
{
	for (struct tv_deferred *d = tv_deferreds.list; d < tv_deferreds.list + tv_deferreds.n; d++)
		if (!d->posted)
			post_now(t, d);
}

/* ---- calls that begin ---- */

#define ONE(name)  [CALL_##name] = true,
#define BOTH(name) ONE(name) ONE(name##_c) /* also for large counts */

/* Those that do not wait for another rank, and receive nothing; or look for themselves. */
/* clang-format off */
static const bool lets[CALL_COUNT] = {
	BOTH(Isendrecv) BOTH(Isendrecv_replace)
	BOTH(Isend) BOTH(Ibsend) BOTH(Issend) BOTH(Irsend) BOTH(Irecv) BOTH(Imrecv)
	ONE(Wait) ONE(Waitany) ONE(Waitall) ONE(Waitsome) ONE(Test) ONE(Testany) ONE(Testall)
	ONE(Start) ONE(Startall) BOTH(Recv_init) BOTH(Send_init)
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
	if (!tv_deferreds.waiting || (t && t->nested != TV_CALL_PAUSED && lets[call]))
		return;
	tv_deferred_post_all(t);
	if (!t)
		return;
	tv_virtual_enter(t);
	tv_virtual_held(t);
}

static void changed(void)
{
	tv.deferred = tv_deferreds.n ? begins : NULL;
	tv.answers = tv.replays || tv_deferreds.n;
}

/* ---- starts ---- */

static bool is_preceded(const struct tv_comm *known, int tag)
{
	for (int i = 0; i < tv_deferreds.n; i++)
		if (!tv_deferreds.list[i].posted &&
		    tv_deferred_meets(&tv_deferreds.list[i].what, known, tag))
			return true;
	return false;
}

void tv_deferred_precede(struct tv_thread *t, const struct tv_comm *known, int tag)
{
	for (struct tv_deferred *d = tv_deferreds.list; d < tv_deferreds.list + tv_deferreds.n; d++)
		if (!d->posted && tv_deferred_meets(&d->what, known, tag))
			tv_deferred_post_in_order(t, d);
}

int tv_deferred_source(struct tv_thread *t, const struct tv_comm *known, int tag, MPI_Comm comm,
		       bool *later)
{
	const bool room = tv_deferreds.n < TV_DEFERRED_MOST && !tv.multi && !tv.replays;
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

static struct tv_deferred *add(struct tv_thread *t, struct tv_deferral what, MPI_Request request)
{
	const struct virtual_entry e =
		tv.virtual_time ? tv_virtual_enter(t) : (struct virtual_entry){ 0 };
	struct tv_deferred *d = &tv_deferreds.list[tv_deferreds.n++];

	*d = (struct tv_deferred){ .what = what,
				   .given = request,
				   .started = e.time - e.intrusion,
				   .error = e.error,
				   .at = -1 };
	tv_deferreds.waiting++;
	changed();
	return d;
}

int tv_deferred_add(struct tv_thread *t, struct tv_deferral what, MPI_Request *request)
{
	const int rc = make(request);

	if (rc == MPI_SUCCESS)
		add(t, what, *request);
	return rc;
}

void tv_deferred_added(MPI_Request request)
{
	/* MPI does not have it. */
	tv_hold_completed(tv_request_receives(request));
}

/* The sender of a start, MPI_ANY_SOURCE: MPI is to choose; or it is to be deferred. */
static int source_of_start(struct tv_thread *t, const struct tv_deferral *what, bool *later)
{
	int source = tv_any_source_started(t, t->call, what->known, MPI_ANY_SOURCE, what->tag,
					   what->comm);

	if (source == MPI_ANY_SOURCE && tv.line)
		source = tv_deferred_source(t, what->known, what->tag, what->comm, later);
	return source;
}

bool tv_deferred_start(struct tv_thread *t, struct tv_deferral what, MPI_Request request,
		       uint32_t call)
{
	const bool room = !tv.multi && tv_deferreds.n < TV_DEFERRED_MOST;
	MPI_Request placeholder;
	struct tv_deferred *d;
	bool later = false;
	int source;

	if (!room && tv.line)
		tv_hold_cannot(TV_UNCONTROLLED_STARTED);
	source = room ? source_of_start(t, &what, &later) : MPI_ANY_SOURCE;
	if ((source == MPI_ANY_SOURCE && !later) || make(&placeholder) != MPI_SUCCESS)
		return false;
	d = add(t, what, request);
	d->own = placeholder;
	d->persistent = true;
	tv_request_start(t, request, call, t->now);
	if (tv.line)
		tv_deferred_added(request);
	if (later)
		return true;
	tv_deferred_post(d, source);
	if (tv.replays)
		tv_forced_add(t, (struct tv_forced){ d->own, what.buf, what.count, what.type,
						     what.comm, what.known, source, what.tag,
						     what.large });
	return true;
}

/* ---- requests of a call ---- */

static struct tv_deferred *given_as(MPI_Request request)
{
	for (int i = 0; i < tv_deferreds.n; i++)
		if (tv_deferreds.list[i].given == request)
			return &tv_deferreds.list[i];
	return NULL;
}

struct tv_deferred *tv_deferred_first_open(void)
{
	struct tv_deferred *d = NULL;

	while ((d = tv_deferred_next(d)) && d->at < 0)
		;
	return d;
}

bool tv_deferred_is_asked(void)
{
	return tv_deferred_first_open() != NULL;
}

bool tv_deferred_find(int count, const MPI_Request requests[])
{
	bool others = false;

	for (int i = 0; i < tv_deferreds.n; i++)
		tv_deferreds.list[i].at = -1;
	for (int i = 0; i < count; i++) {
		struct tv_deferred *d =
			requests[i] != MPI_REQUEST_NULL ? given_as(requests[i]) : NULL;
		others |= requests[i] != MPI_REQUEST_NULL && !d;
		if (d)
			d->at = i;
	}
	return others;
}

void tv_deferred_own(MPI_Request requests[])
{
	for (int i = 0; i < tv_deferreds.n; i++) {
		const struct tv_deferred *d = &tv_deferreds.list[i];
		if (d->at >= 0 && (d->posted || d->persistent))
			requests[d->at] = d->own;
	}
}

void tv_deferred_give(int count, MPI_Request requests[])
{
	tv_deferred_find(count, requests);
	tv_deferred_own(requests);
}

void tv_deferred_drop(struct tv_deferred *d)
{
	if (!d->persistent)
		end(&d->given);
	tv_deferreds.n--;
	for (; d < tv_deferreds.list + tv_deferreds.n; d++)
		*d = d[1];
	changed();
}

void tv_deferred_back(int count, MPI_Request requests[])
{
	(void)count;
	for (int i = tv_deferreds.n - 1; i >= 0; i--) {
		struct tv_deferred *d = &tv_deferreds.list[i];
		if (d->at < 0 || !(d->posted || d->persistent))
			continue;
		d->own = requests[d->at];
		if (d->own != MPI_REQUEST_NULL || d->persistent)
			requests[d->at] = d->given;
		d->at = -1;
		if (d->own == MPI_REQUEST_NULL)
			tv_deferred_drop(d);
	}
}

void tv_deferred_go(struct tv_thread *t, MPI_Request request, bool cancelled)
{
	struct tv_deferred *d = given_as(request);

	if (!d || d->posted)
		return;
	post_before(t, d);
	if (cancelled)
		tv_deferred_post(d, MPI_ANY_SOURCE);
	else
		post_now(t, d);
}
