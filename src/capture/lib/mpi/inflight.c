#include "capture/lib/mpi/inflight.h"

#include <stdlib.h>
#include <string.h>

#include "capture/lib/calling.h"
#include "capture/lib/choices.h"
#include "capture/lib/hold.h"
#include "capture/lib/locks.h"
#include "capture/lib/replay_board.h"
#include "capture/lib/request_table.h"

static struct request_table table;

static struct tv_request *request_of(struct request_cell *cell)
{
	_Static_assert(sizeof(struct tv_request) <= sizeof cell->record, "a request is a slot");
	return (struct tv_request *)(void *)cell->record;
}

static bool is_listed(MPI_Request handle)
{
	return handle != MPI_REQUEST_NULL && !tv_request_is_shared(handle);
}

static uint64_t home_of(MPI_Request handle)
{
	return request_home(TV_KEY(handle), TV_KEY_IS_POINTER);
}

static struct request_cell *find(MPI_Request handle)
{
	return is_listed(handle) ? request_find(&table, TV_KEY(handle), home_of(handle)) : NULL;
}

struct request_cell *tv_request_claim(MPI_Request handle)
{
	return TV_UNLIKELY(tv.multi) && is_listed(handle)
		       ? request_claim(&table, TV_KEY(handle), home_of(handle))
		       : NULL;
}

/* After the call: what was claimed before it, or what is there, where no other thread can have
 * changed that. */
static struct request_cell *claimed_or_found(MPI_Request handle, struct request_cell *claimed)
{
	return TV_UNLIKELY(tv.multi) ? claimed : find(handle);
}

void tv_request_awaited(struct tv_thread *t, MPI_Request handle, struct request_cell *claimed)
{
	const struct tv_calling *now = &t->rows.told->calling;
	struct request_cell *cell = claimed_or_found(handle, claimed);
	const struct tv_request *r = cell ? request_of(cell) : NULL;
	const enum tv_calling_kind kind = r && r->recv ? TV_CALLING_RECEIVE : TV_CALLING_SEND;

	if (!r || r->kind != TV_REQUEST_MESSAGE || (r->persistent && !r->active))
		return;
	if (now->kind == TV_CALLING_OTHER)
		tv_calling_message(t, kind, r->peer, r->tag, r->comm->id,
				   r->recv && r->peer < 0 ? TV_ANY_SOURCE : 0);
	else if (now->kind != kind || now->peer != r->peer || now->comm != r->comm->id)
		tv_calling_message(t, TV_CALLING_SEVERAL, TV_PEER_ANYBODY, r->tag, r->comm->id, 0);
}

const struct tv_request *tv_request_look(MPI_Request handle, struct request_cell *claimed)
{
	struct request_cell *cell = claimed_or_found(handle, claimed);

	return cell ? request_of(cell) : NULL;
}

void tv_request_waits(MPI_Request handle, struct request_cell *claimed, struct tv_line_wait *wait)
{
	struct request_cell *cell = claimed_or_found(handle, claimed);
	const struct tv_request *r = cell ? request_of(cell) : NULL;

	if (!r || (r->persistent && !r->active))
		return;
	if (r->kind != TV_REQUEST_MESSAGE || r->exchange)
		wait->many = true;
	else if (r->recv || tv_virtual_waits(r->bytes, r->mode))
		tv_line_add(wait, r->comm, r->peer, r->tag, !r->recv);
}

void tv_request_kept(struct request_cell *claimed)
{
	if (TV_UNLIKELY(claimed != NULL))
		request_keep(claimed);
}

/* A thread takes several at a time. 0 and UINT32_MAX have other meanings. */
uint32_t tv_request_number(struct tv_thread *t)
{
	enum { PORTION = 1024 };

	if (TV_UNLIKELY(t->request == t->request_end)) {
		t->request = __atomic_fetch_add(&tv.requests, PORTION, __ATOMIC_RELAXED);
		t->request_end = t->request + PORTION - 1;
	}
	return ++t->request;
}

/* What the statement that starts a message has to do with it. A call that starts several with
 * different partners has none. */
static inline void note_message(struct tv_thread *t, struct tv_request *request, uint32_t call)
{
	struct tv_with *with = &t->with;
	const int32_t peer = request->peer >= 0 ? request->peer : -1;

	with->peer = with->flags == 0 || with->peer == peer ? peer : -1;
	with->comm = request->comm->id;
	if (!request->recv) {
		with->flags |= (uint32_t)TV_STAT_SENT;
		with->sent += request->bytes;
		return;
	}
	with->flags |= (uint32_t)TV_STAT_RECEIVED;
	request->row = call != TV_CALL_SEVERAL
			       ? tv_call_row(t, call, peer, request->comm->id, TV_STAT_RECEIVED)
			       : NULL;
	request->row_thread = t->number;
	/* Else it has a row for what it sends, too. */
	if (with->flags == TV_STAT_RECEIVED)
		with->row = request->row;
}

/* What a call that completes it has to do with it. */
static void note_end(struct tv_thread *t, const struct tv_request *request, int32_t peer)
{
	struct tv_with *with = &t->with;

	with->peer = with->peer == TV_PEER_NONE || with->peer == peer ? peer : -1;
	with->comm = request->comm->id;
}

/* Which message it takes is a choice; that of a matched one was its probe's. */
static bool is_choice(const struct tv_request *r)
{
	return r->mode & TV_ANY_SOURCE ||
	       (r->peer == TV_PEER_ANYBODY && r->call != CALL_Imrecv && r->call != CALL_Imrecv_c);
}

/* One that is not a message. */
static void write_start_other(struct tv_thread *t, struct tv_request *request, uint64_t time)
{
	struct tv_with *with = &t->with;

	if (!request->comm)
		return;
	with->peer = request->peer >= 0 ? request->peer : -1;
	with->comm = request->comm->id;
	if (request->kind != TV_REQUEST_COMM) {
		with->sent += request->bytes;
		with->received += request->received;
	}
	if (request->kind != TV_REQUEST_ACCESS) {
		tv_write(t, time, TV_COLL_REQUEST, 0, request->call, request->id);
		return;
	}
	if (TV_UNLIKELY(tv.board != NULL))
		tv_board_sends(tv_comm_world_rank(request->comm, request->peer));
	request->posted = TV_UNLIKELY(tv.virtual_time) ? (uint64_t)tv_virtual_entry(t).time : time;
	tv_write_rma(t, time, (enum tv_rma_what)request->mode, request->call, request->id,
		     request->window, request->peer, request->bytes, request->received);
}

static void write_start(struct tv_thread *t, struct tv_request *request, uint32_t call,
			uint64_t time)
{
	uint32_t flags = request->mode;

	request->active = 1;
	request->cancel = 0;
	request->id = tv_request_number(t);
	if (TV_UNLIKELY(request->kind != TV_REQUEST_MESSAGE)) {
		write_start_other(t, request, time);
		return;
	}
	note_message(t, request, call);
	if (TV_UNLIKELY(tv.board != NULL) && !request->recv)
		tv_board_sends(tv_comm_world_rank(request->comm, request->peer));
	request->posted = TV_UNLIKELY(tv.virtual_time) ? (uint64_t)tv_virtual_entry(t).time : time;
	if (request->recv) {
		flags |= request->peer == TV_PEER_ANYBODY ? (uint32_t)TV_ANY_SOURCE : 0;
		flags |= request->tag == MPI_ANY_TAG ? (uint32_t)TV_ANY_TAG : 0;
	}
	tv_write_message(t, time, request->recv ? TV_RECV_REQUEST : TV_SEND, flags, request->id,
			 request->peer, request->tag, request->bytes, request->comm->id);
	if (TV_UNLIKELY(tv.line) && request->recv)
		tv_hold_posted(request->comm, request->peer, request->tag, request->id);
	if (request->recv && is_choice(request) && tv.choices)
		tv_order_posted(t, call == TV_CALL_SEVERAL ? CALL_Startall : call, request->comm,
				request->id);
}

/* Its message is taken, or will not come. */
static void received(const struct tv_request *request)
{
	if (TV_UNLIKELY(tv.line) && request->recv && request->active &&
	    request->kind == TV_REQUEST_MESSAGE)
		tv_hold_completed(request->id);
}

static struct tv_request *list(MPI_Request handle, const struct tv_request *request)
{
	struct request_cell *cell = request_reserve(&table, home_of(handle), tv.multi);

	if (!cell)
		return NULL;
	*request_of(cell) = *request;
	request_publish(cell, TV_KEY(handle));
	return request_of(cell);
}

struct tv_request *tv_request_move(MPI_Request from, MPI_Request to)
{
	struct request_cell *cell = find(from);
	struct tv_request request;

	if (!cell)
		return NULL;
	request = *request_of(cell);
	request_of(cell)->active = 0;
	if (!request.persistent)
		request_remove(cell);
	request.persistent = 0;
	return list(to, &request);
}

/* ---- partitioned sends ---- */

static bool is_partitioned(const struct tv_request *request)
{
	return request->kind == TV_REQUEST_MESSAGE && !request->recv && request->partitions;
}

/* Nothing is sent by MPI_Start. */
static void start_partitions(struct tv_request *request)
{
	request->active = 1;
	__atomic_store_n(&request->ready, 0, __ATOMIC_RELAXED);
}

/* Threads make partitions ready at once, and another one may already be waiting for them all. */
void tv_request_ready(struct tv_thread *t, MPI_Request handle, int partitions)
{
	struct request_cell *cell = find(handle);
	struct tv_request *request;
	uint32_t ready;

	if (!cell && tv.multi && is_listed(handle))
		cell = request_find(&table, TV_KEY(handle) | REQUEST_CLAIMED, home_of(handle));
	if (!cell || !is_partitioned(request_of(cell)) || partitions <= 0)
		return;
	request = request_of(cell);
	ready = __atomic_add_fetch(&request->ready, (uint32_t)partitions, __ATOMIC_ACQ_REL);
	if (ready != request->partitions)
		return;
	tv_tell_send(t, request->comm, request->peer, request->tag);
	write_start(t, request, request->call, t->now);
}

/* ---- starts ---- */

void tv_request_start(struct tv_thread *t, MPI_Request handle, uint32_t call, uint64_t time)
{
	struct request_cell *cell = find(handle);
	struct tv_request *request;

	if (!cell)
		return;
	request = request_of(cell);
	if (is_partitioned(request)) {
		start_partitions(request);
		return;
	}
	if (request->recv)
		tv_tell_post(t, request->comm, request->peer, request->tag);
	else if (request->kind == TV_REQUEST_MESSAGE)
		tv_tell_send(t, request->comm, request->peer, request->tag);
	else if (request->kind == TV_REQUEST_COLLECTIVE && TV_UNLIKELY(tv.virtual_time))
		request->ticket = tv_carry_enter(request->comm,
						 tv_carry_turn(TV_CARRY_PERSISTENT, request->nth,
							       request->starts++),
						 request->root, tv_call_entry(t));
	write_start(t, request, call, time);
}

void tv_request_started(struct tv_thread *t, MPI_Request handle)
{
	const struct tv_with *with = &t->with;
	struct request_cell *cell = find(handle);

	if (cell && request_of(cell)->active && request_of(cell)->recv)
		request_of(cell)->row =
			tv_call_row(t, CALL_Startall, with->peer, with->comm, with->flags);
}

/* What was received, by the status or, where that says nothing, by what was asked for. */
struct received {
	int32_t peer, tag;
	uint32_t flags;
};

static struct received received_by(const struct tv_request *request, const MPI_Status *status)
{
	if (request->exchange && !TV_EXCHANGE_SAYS)
		return (struct received){ request->peer, request->tag, TV_NO_BYTES };
	return (struct received){ status->MPI_SOURCE, status->MPI_TAG, 0 };
}

static void write_receive(struct tv_thread *t, const struct tv_request *request,
			  const MPI_Status *status, enum tv_outcome outcome, uint64_t time)
{
	struct received r = received_by(request, status);
	const uint64_t bytes = r.flags & TV_NO_BYTES ? 0 : tv_status_bytes(status);
	struct tv_statistic *row = request->row;

	if (request->sent)
		tv_write(t, time, TV_SEND_COMPLETE, 0, 0, request->sent);
	if (TV_UNLIKELY(outcome == TV_FAILED)) {
		tv_write(t, time, TV_REQUEST_FREED, 0, 0, request->id);
		return;
	}
	note_end(t, request, r.peer);
	if (TV_UNLIKELY(outcome == TV_TRUNCATED))
		r.flags = TV_NO_BYTES;
	if (TV_UNLIKELY(tv.board != NULL))
		tv_board_took(tv_comm_world_rank(request->comm, r.peer));
	if (r.flags & TV_NO_BYTES && (r.peer < 0 || r.tag == MPI_ANY_TAG)) {
		/* From whom is not known: it is one that was not recorded. */
		tv_write(t, time, TV_REQUEST_FREED, 0, 0, request->id);
		tv_count_passed(request->call);
		return;
	}
	tv_write_message(t, time, TV_RECV, r.flags, request->id, r.peer, r.tag,
			 r.flags & TV_NO_BYTES ? 0 : bytes, request->comm->id);
	/* What a probe has matched was chosen then. */
	if (TV_UNLIKELY(tv.virtual_time) && request->peer < 0 && request->call != CALL_Imrecv &&
	    request->call != CALL_Imrecv_c)
		tv_hold_compare(t, request->comm, request->tag, r.peer);
	if (is_choice(request) && tv.choices)
		tv_order_completed(t, request->id, r.peer, r.tag);
	tv_learn_sender(t, request->comm, r.peer, r.tag, bytes);
	if (request->peer < 0)
		tv_tell_posted(request->comm, r.peer, r.tag, request->posted);
	/* Rows are changed by their own thread alone. */
	if (!row || request->row_thread != t->number)
		return;
	tv_row_begin(row);
	row->communication.received += bytes;
	tv_row_end(row);
}

static void write_sent(struct tv_thread *t, const struct tv_request *request, uint64_t time)
{
	note_end(t, request, request->peer);
	tv_write(t, time, TV_SEND_COMPLETE, 0, 0, request->id);
	tv_learn_receiver(t, request->comm, request->peer, request->tag, request->bytes,
			  request->mode);
}

/* What makes a communicator moves no bytes. */
static void write_collective(struct tv_thread *t, const struct tv_request *request, uint64_t time)
{
	const bool comm = request->kind == TV_REQUEST_COMM;
	const uint32_t root = request->root >= 0                   ? (uint32_t)request->root
			      : request->root == TV_REQUEST_BESIDE ? TV_ROOT_BESIDE
								   : TV_NO_ROOT;

	note_end(t, request, request->root >= 0 ? request->root : -1);
	tv_write_completed(t, time, request->call, request->id, request->comm, root,
			   comm ? 0 : request->bytes, comm ? 0 : request->received,
			   request->from_all);
}

static void write_cancelled(struct tv_thread *t, const struct tv_request *request, uint64_t time)
{
	tv_write(t, time, TV_REQUEST_CANCELLED, 0, 0, request->id);
	if (TV_UNLIKELY(tv.carries))
		tv_carry_withdraw(request->comm, request->recv, request->peer, request->tag,
				  request->posted);
}

/* What all ranks of a communicator do, and each that waits for it does until then. */
static void complete_together(struct tv_thread *t, const struct tv_request *request)
{
	const bool collective = request->kind == TV_REQUEST_COLLECTIVE;
	const bool comm = request->kind == TV_REQUEST_COMM;

	if (collective)
		tv_virtual_together(t, request->comm, request->ticket,
				    (enum virtual_rule)request->mode, request->root,
				    request->bytes + request->received);
	else if (comm)
		tv_virtual_together(t, request->comm, request->ticket, VIRTUAL_ALL, -1, 0);
	else
		tv_virtual_completed(t);
}

/* Of one that is not a message. */
static void complete_other(struct tv_thread *t, const struct tv_request *request,
			   const MPI_Status *status, uint64_t time)
{
	if (TV_UNLIKELY(tv.virtual_time))
		complete_together(t, request);
	if (request->kind == TV_REQUEST_FILE) {
		if (status)
			tv_write_io(t, request->call, status, time);
		if (request->comm)
			write_collective(t, request, time);
		return;
	}
	if (request->kind == TV_REQUEST_COMM) {
		write_collective(t, request, time);
		tv_comm_made(t, tv_origin_nth(request->comm, (uint32_t)request->bytes),
			     *request->made);
		return;
	}
	if (request->kind == TV_REQUEST_COLLECTIVE) {
		write_collective(t, request, time);
		return;
	}
	note_end(t, request, request->peer);
	tv_write(t, time, TV_RMA_COMPLETE, 0, 0, request->id);
}

static void write_completion(struct tv_thread *t, const struct tv_request *request,
			     const MPI_Status *status, enum tv_outcome outcome, uint64_t time)
{
	int cancelled = 0;

	if (TV_UNLIKELY(request->kind != TV_REQUEST_MESSAGE)) {
		complete_other(t, request, status, time);
		return;
	}
	if (request->cancel)
		cancelled = tv_status_cancelled(status);
	if (cancelled)
		write_cancelled(t, request, time);
	else if (!request->recv)
		write_sent(t, request, time);
	else
		write_receive(t, request, status, outcome, time);
}

/* A handle that a send was given and that is given out again before it is completed: the library
 * shares it among those that are complete at once. */
static bool is_found_shared(struct tv_thread *t, MPI_Request handle)
{
	struct request_cell *cell =
		is_listed(handle) ? request_claim(&table, TV_KEY(handle), home_of(handle)) : NULL;
	const struct tv_request *r = cell ? request_of(cell) : NULL;

	if (!r)
		return false;
	if (r->kind != TV_REQUEST_MESSAGE || r->recv || r->persistent) {
		request_keep(cell);
		return false;
	}
	tv_request_learn(handle);
	write_completion(t, r, NULL, TV_DONE, tv_now());
	request_remove(cell);
	return true;
}

void tv_request_message(struct tv_thread *t, MPI_Request handle, const struct tv_start *how,
			const struct tv_comm *comm, uint64_t bytes, int peer, int tag)
{
	const bool shared =
		tv_request_is_shared(handle) ||
		(!TV_SHARED_KNOWN && !how->recv && !how->persistent && is_found_shared(t, handle));
	struct request_cell *cell;
	struct tv_request own, *request;

	if (handle == MPI_REQUEST_NULL || peer == TV_PEER_NOBODY)
		return;
	/* Built in place: a copy would have to wait for the stores that were just made. */
	cell = shared ? NULL : request_reserve(&table, home_of(handle), tv.multi);
	request = cell ? request_of(cell) : &own;
	memset(request, 0, sizeof *request);
	request->comm = comm;
	request->bytes = bytes;
	request->peer = peer;
	request->tag = tag;
	request->call = how->call;
	request->mode = how->mode;
	request->recv = how->recv;
	request->persistent = how->persistent;
	if (!how->persistent)
		write_start(t, request, how->call, t->now);
	if (cell)
		request_publish(cell, TV_KEY(handle));
	else if (shared && request->active && !request->recv)
		write_completion(t, request, NULL, TV_DONE, tv_now());
}

void tv_request_add(struct tv_thread *t, MPI_Request handle, struct tv_request request,
		    uint64_t time)
{
	if (handle == MPI_REQUEST_NULL ||
	    (request.kind == TV_REQUEST_MESSAGE && request.peer == TV_PEER_NOBODY))
		return;
	if (!request.persistent)
		write_start(t, &request, request.call, time);
	if (!tv_request_is_shared(handle))
		list(handle, &request);
	else if (request.active && !request.recv && request.kind != TV_REQUEST_COMM && request.comm)
		write_completion(t, &request, NULL, TV_DONE, tv_now());
}

void tv_request_exchange(struct tv_thread *t, MPI_Request handle, struct tv_request request,
			 int dest, int tag)
{
	if (request.peer == TV_PEER_NOBODY) {
		request.peer = dest;
		request.tag = tag;
		request.recv = request.exchange = 0;
	} else if (dest >= 0) {
		request.sent = tv_request_number(t);
		tv_with_sent(t, dest, request.comm->id, request.bytes);
		if (TV_UNLIKELY(tv.board != NULL))
			tv_board_sends(tv_comm_world_rank(request.comm, dest));
		tv_write_message(t, t->now, TV_SEND, 0, request.sent, dest, tag, request.bytes,
				 request.comm->id);
	}
	tv_request_add(t, handle, request, t->now);
}

void tv_request_complete(struct tv_thread *t, MPI_Request handle, struct request_cell *claimed,
			 const MPI_Status *status, enum tv_outcome outcome, uint64_t time)
{
	struct request_cell *cell = claimed_or_found(handle, claimed);
	struct tv_request *request;

	if (!cell)
		return;
	request = request_of(cell);
	received(request);
	if (request->active)
		write_completion(t, request, status, outcome, time);
	request->active = 0;
	if (request->persistent)
		request_keep(cell);
	else
		request_remove(cell);
}

/* A trace has no tests of accesses and file operations. */
void tv_request_tested(struct tv_thread *t, MPI_Request handle, struct request_cell *claimed,
		       uint64_t time)
{
	struct request_cell *cell = claimed_or_found(handle, claimed);

	if (cell && t->nested != TV_CALL_PAUSED && request_of(cell)->active &&
	    request_of(cell)->kind <= TV_REQUEST_COLLECTIVE)
		tv_write(t, time, TV_REQUEST_TEST, 0, 0, request_of(cell)->id);
	tv_request_kept(claimed);
}

void tv_request_cancel(MPI_Request handle)
{
	struct request_cell *cell = find(handle);

	if (cell)
		request_of(cell)->cancel = 1;
}

void tv_request_free(struct tv_thread *t, MPI_Request handle, uint64_t time)
{
	struct request_cell *cell = find(handle);
	const struct tv_request *request;

	if (!cell)
		return;
	request = request_of(cell);
	if (request->active)
		tv_write(t, time, TV_REQUEST_FREED, 0, 0, request->id);
	if (request->active && request->kind == TV_REQUEST_MESSAGE && TV_UNLIKELY(tv.carries))
		tv_carry_forgo(request->comm, request->recv, request->peer, request->tag);
	received(request);
	request_remove(cell);
}
