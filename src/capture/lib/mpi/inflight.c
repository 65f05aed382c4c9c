#include "capture/lib/mpi/inflight.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct node {
	struct tv_request request;
	uint32_t thread; /* that started it */
	uint32_t next;   /* in the queue of its handle, or in the list of free nodes */
};

struct slot {
	uint64_t key; /* handle + 1; 0 = empty */
	uint32_t head, tail;
};

/* Open addressing with linear probing; a slot that is emptied pulls its successors back, so there
 * are no tombstones. */
static struct {
	pthread_mutex_t lock;
	struct slot *slot;
	uint32_t mask, used; /* slots - 1, slots in use */
	struct node *node;
	uint32_t nodes, free;
	uint32_t next_id;
	struct {
		MPI_Message message;
		const struct tv_comm *comm;
	} * probed;
	uint32_t probes, probes_max;
} requests = { .lock = PTHREAD_MUTEX_INITIALIZER, .free = NONE, .next_id = 1 };

static uint64_t key_of(MPI_Request handle)
{
	return TV_KEY(handle) + 1;
}

static uint32_t home_of(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & requests.mask;
}

static struct slot *find(MPI_Request handle)
{
	const uint64_t key = key_of(handle);

	if (!requests.slot)
		return NULL;
	for (uint32_t i = home_of(key);; i = (i + 1) & requests.mask) {
		if (requests.slot[i].key == key)
			return &requests.slot[i];
		if (!requests.slot[i].key)
			return NULL;
	}
}

static bool grow_slots(void)
{
	struct slot *old = requests.slot;
	const uint32_t old_count = old ? requests.mask + 1 : 0, count = old ? old_count * 2 : 1024;
	struct slot *fresh = calloc(count, sizeof *fresh);

	if (!fresh)
		return false;
	requests.slot = fresh;
	requests.mask = count - 1;
	for (uint32_t i = 0; i < old_count; i++) {
		uint32_t at = home_of(old[i].key);
		if (!old[i].key)
			continue;
		while (fresh[at].key)
			at = (at + 1) & requests.mask;
		fresh[at] = old[i];
	}
	free(old);
	return true;
}

static struct slot *find_or_add(MPI_Request handle)
{
	struct slot *slot = find(handle);
	uint32_t i;

	if (slot)
		return slot;
	if ((!requests.slot || requests.used * 2 > requests.mask) && !grow_slots())
		return NULL;
	for (i = home_of(key_of(handle)); requests.slot[i].key; i = (i + 1) & requests.mask)
		;
	requests.used++;
	requests.slot[i] = (struct slot){ key_of(handle), NONE, NONE };
	return &requests.slot[i];
}

static void remove_slot(struct slot *slot)
{
	uint32_t hole = (uint32_t)(slot - requests.slot);

	requests.used--;
	for (uint32_t i = (hole + 1) & requests.mask; requests.slot[i].key;
	     i = (i + 1) & requests.mask) {
		const uint32_t home = home_of(requests.slot[i].key);
		/* May it move to the hole, or is its home after it? */
		if (((i - home) & requests.mask) < ((i - hole) & requests.mask))
			continue;
		requests.slot[hole] = requests.slot[i];
		hole = i;
	}
	requests.slot[hole].key = 0;
}

static uint32_t new_node(void)
{
	uint32_t i = requests.free;

	if (i != NONE) {
		requests.free = requests.node[i].next;
		return i;
	}
	if ((requests.nodes & (requests.nodes - 1)) == 0 &&
	    (requests.nodes >= 256 || requests.nodes == 0)) {
		const uint32_t count = requests.nodes ? requests.nodes * 2 : 256;
		struct node *larger = realloc(requests.node, count * sizeof *larger);
		if (!larger)
			return NONE;
		requests.node = larger;
	}
	return requests.nodes++;
}

/* The request that a thread means by a handle: the oldest of its own, for a handle may stand for
 * requests of several threads (MPI gives one out again before the thread that completed it came to
 * tell us); else the oldest of all. */
static uint32_t meant(const struct slot *slot, const struct tv_thread *t)
{
	uint32_t i = slot->head;

	while (i != NONE && requests.node[i].thread != t->number)
		i = requests.node[i].next;
	return i != NONE ? i : slot->head;
}

/* Takes a request out of its handle's queue. */
static void take(struct slot *slot, uint32_t wanted)
{
	uint32_t before = NONE;

	for (uint32_t i = slot->head; i != wanted; i = requests.node[i].next)
		before = i;
	if (before == NONE)
		slot->head = requests.node[wanted].next;
	else
		requests.node[before].next = requests.node[wanted].next;
	if (slot->tail == wanted)
		slot->tail = before;
	requests.node[wanted].next = requests.free;
	requests.free = wanted;
	if (slot->head == NONE)
		remove_slot(slot);
}

/* What the statement that starts it has to do with it. A call that starts several with different
 * partners has none. */
static void note_start(struct tv_thread *t, struct tv_request *request, uint32_t call)
{
	struct tv_with *with = &t->with;
	const int32_t peer = request->peer >= 0 ? request->peer : -1;

	if (request->kind == TV_REQUEST_FILE)
		return;
	if (request->kind != TV_REQUEST_MESSAGE) {
		with->peer = request->kind == TV_REQUEST_COLLECTIVE ? request->root : request->peer;
		with->comm = request->comm->id;
		with->sent += request->bytes;
		with->received += request->received;
		return;
	}
	with->peer = with->flags == 0 || with->peer == peer ? peer : -1;
	with->flags |= request->recv ? (uint32_t)TV_STAT_RECEIVED : (uint32_t)TV_STAT_SENT;
	with->comm = request->comm->id;
	with->sent += request->recv ? 0 : request->bytes;
	request->row = request->recv && call != TV_CALL_SEVERAL
			       ? tv_call_row(t, call, peer, request->comm->id, TV_STAT_RECEIVED)
			       : NULL;
	request->row_thread = t->number;
}

/* What a call that completes it has to do with it. */
static void note_end(struct tv_thread *t, const struct tv_request *request, int32_t peer)
{
	struct tv_with *with = &t->with;

	with->peer = with->peer == TV_PEER_NONE || with->peer == peer ? peer : -1;
	with->comm = request->comm->id;
}

static void write_start(struct tv_thread *t, struct tv_request *request, uint32_t call,
			uint64_t time)
{
	uint32_t flags = request->mode;

	note_start(t, request, call);
	request->id = requests.next_id++;
	if (requests.next_id == 0)
		requests.next_id = 1;
	request->posted = time;
	if (request->kind == TV_REQUEST_FILE)
		return;
	if (request->kind == TV_REQUEST_COLLECTIVE) {
		tv_write(t, time, TV_COLL_REQUEST, 0, request->call, request->id);
		return;
	}
	if (request->kind == TV_REQUEST_ACCESS) {
		tv_write_rma(t, time, (enum tv_rma_what)request->mode, request->call, request->id,
			     request->window, request->peer, request->bytes, request->received);
		return;
	}
	if (request->recv) {
		flags |= request->peer == TV_PEER_ANYBODY ? (uint32_t)TV_ANY_SOURCE : 0;
		flags |= request->tag == MPI_ANY_TAG ? (uint32_t)TV_ANY_TAG : 0;
	}
	tv_write_message(t, time, request->recv ? TV_RECV_REQUEST : TV_SEND, flags, request->id,
			 request->peer, request->tag, request->bytes, request->comm->id);
}

void tv_request_add(struct tv_thread *t, MPI_Request handle, struct tv_request request,
		    uint64_t time)
{
	struct slot *slot;
	uint32_t i;

	if (handle == MPI_REQUEST_NULL || request.peer == TV_PEER_NOBODY)
		return;
	tv_lock(&requests.lock);
	if (!request.persistent) {
		request.active = 1;
		write_start(t, &request, request.call, time);
	}
	slot = find_or_add(handle);
	i = slot ? new_node() : NONE;
	if (i != NONE) {
		requests.node[i] = (struct node){ request, t->number, NONE };
		if (slot->head == NONE)
			slot->head = i;
		else
			requests.node[slot->tail].next = i;
		slot->tail = i;
	} else if (slot && slot->head == NONE) {
		remove_slot(slot);
	}
	tv_unlock(&requests.lock);
}

void tv_request_start(struct tv_thread *t, MPI_Request handle, uint32_t call, uint64_t time)
{
	struct slot *slot;

	tv_lock(&requests.lock);
	slot = find(handle);
	if (slot) {
		struct tv_request *request = &requests.node[meant(slot, t)].request;
		request->active = 1;
		request->cancel = 0;
		if (request->recv)
			tv_tell_post(request->comm, request->peer, request->tag, time);
		else if (request->kind == TV_REQUEST_MESSAGE)
			tv_tell_send(t, request->comm, request->peer, request->tag);
		write_start(t, request, call, time);
	}
	tv_unlock(&requests.lock);
}

void tv_request_started(struct tv_thread *t, MPI_Request handle)
{
	const struct tv_with *with = &t->with;
	struct slot *slot;

	tv_lock(&requests.lock);
	slot = find(handle);
	if (slot) {
		struct tv_request *request = &requests.node[meant(slot, t)].request;
		if (request->active && request->recv)
			request->row =
				tv_call_row(t, CALL_Startall, with->peer, with->comm, with->flags);
	}
	tv_unlock(&requests.lock);
}

static void write_receive(struct tv_thread *t, const struct tv_request *request,
			  const MPI_Status *status, uint64_t time)
{
	const uint64_t bytes = tv_status_bytes(status);
	struct tv_statistic *row = request->row;

	note_end(t, request, status->MPI_SOURCE);
	tv_write_message(t, time, TV_RECV, 0, request->id, status->MPI_SOURCE, status->MPI_TAG,
			 bytes, request->comm->id);
	tv_learn_sender(t, request->comm, status->MPI_SOURCE, status->MPI_TAG);
	if (request->peer < 0)
		tv_tell_post(request->comm, status->MPI_SOURCE, status->MPI_TAG, request->posted);
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
	tv_learn_receiver(t, request->comm, request->peer, request->tag);
}

static void write_collective(struct tv_thread *t, const struct tv_request *request, uint64_t time)
{
	struct tv_collective *record = tv_room(t, sizeof *record);
	const uint32_t root = request->root >= 0 ? (uint32_t)request->root : TV_NO_ROOT;

	note_end(t, request, request->root);
	if (!record)
		return;
	*record = (struct tv_collective){ { time, TV_COLL_COMPLETE, 0, request->call, request->id },
					  tv_size_make(request->bytes, root),
					  tv_size_make(request->received, request->comm->id) };
	tv_commit(t, sizeof *record);
}

void tv_write_io(struct tv_thread *t, uint32_t call, const MPI_Status *status, uint64_t time)
{
	struct tv_io *record = tv_room(t, sizeof *record);

	if (!record)
		return;
	*record = (struct tv_io){ { time, TV_FILE_IO, 0, (uint16_t)call, 0 },
				  tv_status_bytes(status),
				  0 };
	tv_commit(t, sizeof *record);
}

static void write_cancelled(struct tv_thread *t, const struct tv_request *request, uint64_t time)
{
	tv_write(t, time, TV_REQUEST_CANCELLED, 0, 0, request->id);
	if (TV_UNLIKELY(tv.statistics))
		tv_carry_withdraw(request->comm, request->recv, request->peer, request->tag,
				  request->posted);
}

static void write_completion(struct tv_thread *t, const struct tv_request *request,
			     const MPI_Status *status, uint64_t time)
{
	int cancelled = 0;

	if (request->kind == TV_REQUEST_FILE) {
		tv_write_io(t, request->call, status, time);
		return;
	}
	if (request->kind == TV_REQUEST_COLLECTIVE) {
		write_collective(t, request, time);
		return;
	}
	if (request->kind == TV_REQUEST_ACCESS) {
		note_end(t, request, request->peer);
		tv_write(t, time, TV_RMA_COMPLETE, 0, 0, request->id);
		return;
	}
	if (request->cancel)
		cancelled = tv_status_cancelled(status);
	if (cancelled)
		write_cancelled(t, request, time);
	else if (!request->recv)
		write_sent(t, request, time);
	else
		write_receive(t, request, status, time);
}

void tv_request_complete(struct tv_thread *t, MPI_Request handle, const MPI_Status *status,
			 uint64_t time)
{
	struct slot *slot;

	if (handle == MPI_REQUEST_NULL)
		return;
	tv_lock(&requests.lock);
	slot = find(handle);
	if (slot) {
		const uint32_t i = meant(slot, t);
		struct tv_request *request = &requests.node[i].request;
		if (request->active)
			write_completion(t, request, status, time);
		request->active = 0;
		if (!request->persistent)
			take(slot, i);
	}
	tv_unlock(&requests.lock);
}

/* Of accesses and files a trace has no tests. */
void tv_request_tested(struct tv_thread *t, MPI_Request handle, uint64_t time)
{
	const struct slot *slot;

	if (handle == MPI_REQUEST_NULL)
		return;
	tv_lock(&requests.lock);
	slot = find(handle);
	if (slot) {
		const struct tv_request *request = &requests.node[meant(slot, t)].request;
		const bool known = request->kind == TV_REQUEST_MESSAGE ||
				   request->kind == TV_REQUEST_COLLECTIVE;
		if (request->active && known)
			tv_write(t, time, TV_REQUEST_TEST, 0, 0, request->id);
	}
	tv_unlock(&requests.lock);
}

void tv_request_cancel(const struct tv_thread *t, MPI_Request handle)
{
	const struct slot *slot;

	tv_lock(&requests.lock);
	slot = find(handle);
	if (slot)
		requests.node[meant(slot, t)].request.cancel = 1;
	tv_unlock(&requests.lock);
}

void tv_request_free(struct tv_thread *t, MPI_Request handle, uint64_t time)
{
	struct slot *slot;

	tv_lock(&requests.lock);
	slot = find(handle);
	if (slot) {
		const uint32_t i = meant(slot, t);
		const struct tv_request *request = &requests.node[i].request;
		if (request->active)
			tv_write(t, time, TV_REQUEST_FREED, 0, 0, request->id);
		if (request->active && request->kind == TV_REQUEST_MESSAGE &&
		    TV_UNLIKELY(tv.statistics))
			tv_carry_forgo(request->comm, request->recv, request->peer, request->tag);
		take(slot, i);
	}
	tv_unlock(&requests.lock);
}

/* Matched probes are rare and short-lived: a plain list. */
void tv_message_add(struct tv_thread *t, MPI_Message message, MPI_Comm comm)
{
	const struct tv_comm *known = tv_comm(t, comm);

	if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
		return;
	tv_lock(&requests.lock);
	if (requests.probes == requests.probes_max) {
		const uint32_t more = requests.probes_max ? requests.probes_max * 2 : 16;
		void *larger = realloc(requests.probed, more * sizeof *requests.probed);
		if (larger) {
			requests.probed = larger;
			requests.probes_max = more;
		}
	}
	if (requests.probes < requests.probes_max) {
		requests.probed[requests.probes].message = message;
		requests.probed[requests.probes++].comm = known;
	}
	tv_unlock(&requests.lock);
}

const struct tv_comm *tv_message_take(struct tv_thread *t, MPI_Message message)
{
	const struct tv_comm *comm = NULL;

	tv_lock(&requests.lock);
	for (uint32_t i = 0; i < requests.probes; i++) {
		if (requests.probed[i].message != message)
			continue;
		comm = requests.probed[i].comm;
		requests.probed[i] = requests.probed[--requests.probes];
		break;
	}
	tv_unlock(&requests.lock);
	return comm ? comm : tv_comm_find(t, MPI_COMM_NULL);
}
