/* Messages and collectives. Ranks are written as places in the communicator, as OTF2 needs them. */
#include <string.h>

#include "model/otf2/otf2_names.h"
#include "model/otf2/write/otf2_writer.h"

static const struct message *message_of(const struct otf2_writer *w, uint32_t what)
{
	return what_id(what) == ID_NONE ? NULL : trace_message(w->trace, what_id(what));
}

/* ---- requests ---- */

/* Where threads complete requests for each other, these are numbered by an event of theirs, which
 * is the same however many processes have the trace: of a send and a collective the one that begins
 * it, of a receive the one that ends it. */
static uint64_t event_request(const struct otf2_writer *w, uint32_t event, bool receives)
{
	const uint32_t location = trace_event_location(w->trace, event);

	return 2 * (w->locations[location].before + trace_event_ordinal(w->trace, event)) +
	       (receives ? 2 : 1);
}

static uint64_t row_request(const struct otf2_writer *w, uint32_t row, bool sends)
{
	const struct message *m = trace_message(w->trace, row);

	sends = sends && !(m->flags & MSG_NO_SEND);
	return event_request(w, sends ? m->send : m->recv, !sends);
}

/* A new number for a request that has only one end. */
static uint64_t unknown_request(struct otf2_writer *w)
{
	w->unknown++;
	return w->hands_over ? UINT64_MAX - w->unknown : UINT32_MAX + w->unknown;
}

/* Begins a request; the message's later events find its number. */
static uint64_t begin_request(struct otf2_writer *w, uint32_t *requests, uint32_t what)
{
	if (what_id(what) == ID_NONE)
		return unknown_request(w);
	if (w->hands_over)
		return row_request(w, what_id(what), requests == w->send_request);
	return requests[what_id(what)] = (uint32_t)++w->requests;
}

/* True if an event ends the message's send, on a location that may not have begun it. */
static bool ends_send(const struct otf2_writer *w, const struct cut *c)
{
	const struct message *m = trace_message(w->trace, what_id(c->what));
	const uint32_t location = trace_event_location(w->trace, c->cursor.id);

	switch (what_kind(c->what)) {
	case EV_SEND_COMPLETE: return true;
	case EV_RECV: return false;
	default:
		return !(m->flags & MSG_RECV_REQUEST) ||
		       message_destination(w->trace, m) != trace_location(w->trace, location)->rank;
	}
}

/* Of a test or cancellation: the request of the message's end on its location. A message from a
 * rank to itself has both: the receive's is taken first, as in the reader. */
static uint32_t asked_request(const struct otf2_writer *w, const struct cut *c)
{
	const uint32_t id = what_id(c->what);
	const struct message *m = trace_message(w->trace, id);

	if (!(m->flags & MSG_NO_RECV) && w->recv_request[id] &&
	    trace_event_location(w->trace, m->recv) == c->cursor.location)
		return w->recv_request[id];
	return w->send_request[id];
}

/* The request of a later event. */
static uint64_t request_of(struct otf2_writer *w, const struct cut *c)
{
	const uint32_t what = c->what, id = what_id(what);
	uint32_t request = 0;

	if (w->hands_over && id != ID_NONE)
		return row_request(w, id, ends_send(w, c));
	if (id != ID_NONE)
		switch (what_kind(what)) {
		case EV_SEND_COMPLETE: request = w->send_request[id]; break;
		case EV_RECV: request = w->recv_request[id]; break;
		default: request = asked_request(w, c);
		}
	return request ? request : unknown_request(w);
}

/* ---- messages ---- */

static unsigned unknown_bits(const struct message *m)
{
	return (m->flags & MSG_NO_BYTES ? OTF2_MESSAGE_NO_BYTES : 0u) |
	       (m->flags & MSG_NO_TAG ? OTF2_MESSAGE_NO_TAG : 0u);
}

static void add_bits(struct otf2_writer *w, unsigned bits)
{
	if (bits)
		otf2_add_own(w, OTF2_OWN_MESSAGE, bits);
}

/* The place of the partner; one outside of the communicator is named by its rank. */
static uint32_t partner(struct otf2_writer *w, const struct message *m, int32_t rank)
{
	const uint32_t place = otf2_out_place(w, m->comm, rank);

	if (place == OTF2_UNDEFINED_UINT32 && rank != RANK_UNKNOWN)
		otf2_add_own(w, OTF2_OWN_PEER, (uint64_t)(int64_t)rank);
	return place;
}

/* Once for a region: the name is looked up. */
static unsigned mode_of_region(struct otf2_writer *w, uint32_t region)
{
	uint8_t *known = &w->modes[region];

	if (!*known)
		*known = (uint8_t)(1 + otf2_send_mode(trace_region_name(w->trace, region)));
	return *known - 1u;
}

/* The mode of a send, where the region around does not tell it. */
static unsigned mode_bits(struct otf2_writer *w, const struct cut *c, const struct message *m)
{
	const unsigned mode = (unsigned)(m->flags & MSG_MODE_MASK) >> MSG_MODE_SHIFT;
	const uint32_t path = cursor_path(&c->cursor);
	const unsigned around =
		path == 0 ? 0 : mode_of_region(w, trace_callpath_region(w->trace, path));

	return mode == around ? 0 : mode << OTF2_MESSAGE_MODE_SHIFT | OTF2_MESSAGE_MODE;
}

static void send(struct otf2_writer *w, const struct cut *c)
{
	const struct message *m = trace_message(w->trace, what_id(c->what));
	const bool to_all = m->flags & MSG_BROADCAST;
	const uint32_t to =
		to_all ? OTF2_UNDEFINED_UINT32 : partner(w, m, message_destination(w->trace, m));
	const uint32_t comm = w->comms[m->comm].ref, tag = (uint32_t)m->tag;

	add_bits(w, unknown_bits(m) | (to_all ? OTF2_MESSAGE_TO_ALL : 0u) | mode_bits(w, c, m));
	if (m->flags & MSG_SEND_REQUEST)
		OTF2_EVENT(MpiIsend, w->time, to, comm, tag, message_bytes(m),
			   begin_request(w, w->send_request, c->what));
	else
		OTF2_EVENT(MpiSend, w->time, to, comm, tag, message_bytes(m));
}

/* The sender of a message, if it is certain. */
static int32_t known_source(const struct otf2_writer *w, const struct message *m)
{
	return m->flags & MSG_GUESSED ? RANK_UNKNOWN : message_source(w->trace, m);
}

static void receive(struct otf2_writer *w, const struct cut *c)
{
	const struct message *m = trace_message(w->trace, what_id(c->what));
	const uint32_t from = partner(w, m, known_source(w, m));
	const uint32_t comm = w->comms[m->comm].ref, tag = (uint32_t)m->tag;

	add_bits(w, unknown_bits(m) | (m->flags & MSG_RECV_BLOCKED ? OTF2_MESSAGE_BLOCKED : 0u));
	if (m->flags & MSG_RECV_REQUEST)
		OTF2_EVENT(MpiIrecv, w->time, from, comm, tag, message_bytes(m), request_of(w, c));
	else
		OTF2_EVENT(MpiRecv, w->time, from, comm, tag, message_bytes(m));
}

/* A posted receive. What it asked for is in its completion; without one, beside it. */
static void post(struct otf2_writer *w, const struct cut *c)
{
	const struct message *m = message_of(w, c->what);

	if (!m)
		add_bits(w, OTF2_MESSAGE_NO_REQUEST);
	else if (m->flags & (MSG_RECV_PENDING | MSG_CANCELLED)) {
		const int32_t source = known_source(w, m);
		if (source != RANK_UNKNOWN)
			otf2_add_own(w, OTF2_OWN_PEER, (uint64_t)(int64_t)source);
		if (!(m->flags & MSG_NO_TAG))
			otf2_add_own(w, OTF2_OWN_TAG, (uint64_t)(int64_t)m->tag);
		if (!(m->flags & MSG_NO_COMM))
			otf2_add_own(w, OTF2_OWN_COMM, w->comms[m->comm].ref);
	}
	OTF2_EVENT(MpiIrecvRequest, w->time, begin_request(w, w->recv_request, c->what));
}

void otf2_out_message(struct otf2_writer *w, const struct cut *c)
{
	const struct message *m = message_of(w, c->what);

	switch (what_kind(c->what)) {
	case EV_SEND: send(w, c); break;
	case EV_RECV: receive(w, c); break;
	case EV_RECV_REQUEST: post(w, c); break;
	case EV_SEND_COMPLETE:
		add_bits(w, m && m->flags & MSG_SEND_BLOCKED ? OTF2_MESSAGE_BLOCKED : 0u);
		OTF2_EVENT(MpiIsendComplete, w->time, request_of(w, c));
		break;
	case EV_REQUEST_TEST: OTF2_EVENT(MpiRequestTest, w->time, request_of(w, c)); break;
	default: OTF2_EVENT(MpiRequestCancelled, w->time, request_of(w, c)); break;
	}
}

/* ---- collectives ---- */

/* "MPI_Bcast", "mpi_ibcast_", PICL's "sync0". A function without an operation of its own
 * (such as MPI_Comm_split) counts as creating a handle. */
OTF2_CollectiveOp otf2_operation_of(const char *name)
{
	char base[MPI_NAME_SIZE];
	struct meaning m;

	if (meaning_of_picl(name, &m) && m.collective == COLLECTIVE_BARRIER)
		return OTF2_COLLECTIVE_OP_BARRIER;
	if (!mpi_base_name(name, base) || !meaning_of_mpi(name, &m))
		return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
	for (unsigned op = 0; op < OTF2_COLLECTIVE_NAMES; op++)
		if (otf2_collective_name(op) && strcmp(otf2_collective_name(op), base) == 0)
			return (OTF2_CollectiveOp)op;
	if (strcmp(base, "MPI_Win_allocate") == 0)
		return OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE;
	if (m.collective == COLLECTIVE_INIT || m.collective == COLLECTIVE_FINALIZE ||
	    m.operation == OPERATION_FENCE)
		return OTF2_COLLECTIVE_OP_BARRIER;
	return m.collective == COLLECTIVE_RELEASES ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE
						   : OTF2_COLLECTIVE_OP_CREATE_HANDLE;
}

/* Once for a region: the name is looked up. */
static OTF2_CollectiveOp operation_of_region(struct otf2_writer *w, uint32_t region)
{
	uint8_t *known = &w->operations[region];

	if (!*known)
		*known = (uint8_t)(1 + otf2_operation_of(trace_region_name(w->trace, region)));
	return (OTF2_CollectiveOp)(*known - 1);
}

/* As a member names it: between two groups its rank in the other one. */
static uint32_t root_of(struct otf2_writer *w, const struct collective *c, int32_t member)
{
	const bool inter = trace_comm(w->trace, c->comm)->kind == COMM_INTER;
	const uint32_t place =
		c->root < 0 ? OTF2_UNDEFINED_UINT32 : otf2_out_place(w, c->comm, c->root);

	if (place == OTF2_UNDEFINED_UINT32)
		return OTF2_COLLECTIVE_ROOT_NONE;
	if (inter && c->root == member)
		return OTF2_COLLECTIVE_ROOT_SELF;
	return inter && otf2_out_beside(w, c->comm, c->root, member)
		       ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
		       : place;
}

/* A root that its place in the communicator does not tell. */
static void add_odd_root(struct otf2_writer *w, const struct collective *c)
{
	if (c->root == RANK_UNKNOWN)
		add_bits(w, OTF2_MESSAGE_NO_ROOT);
	else if (c->root >= 0 && otf2_out_place(w, c->comm, c->root) == OTF2_UNDEFINED_UINT32)
		otf2_add_own(w, OTF2_OWN_ROOT, (uint64_t)(int64_t)c->root);
}

static void begin_collective(struct otf2_writer *w, uint32_t id,
			     const struct collective *collective, const struct member *member)
{
	if (collective->flags & COLL_REQUEST && w->hands_over) {
		OTF2_EVENT(NonBlockingCollectiveRequest, w->time,
			   event_request(w, member->begin, false));
		return;
	}
	if (collective->flags & COLL_REQUEST) {
		*keymap_add(&w->collective_request, KEY_OF(id)) = (uint32_t)++w->requests;
		OTF2_EVENT(NonBlockingCollectiveRequest, w->time, w->requests);
		return;
	}
	if (member->end == EVENT_NONE) { /* nothing later will say what it was */
		otf2_add_own(w, OTF2_OWN_REGION, collective->region);
		otf2_add_own(w, OTF2_OWN_COMM, w->comms[collective->comm].ref);
		if (collective->root != -1)
			otf2_add_own(w, OTF2_OWN_ROOT, (uint64_t)(int64_t)collective->root);
		if (member->sent != UINT64_MAX)
			otf2_add_own(w, OTF2_OWN_SENT, member->sent);
	}
	OTF2_EVENT(MpiCollectiveBegin, w->time);
}

static uint64_t collective_request_of(struct otf2_writer *w, uint32_t member)
{
	if (w->hands_over)
		return event_request(w, trace_member(w->trace, member)->begin, false);
	const uint32_t *request = keymap_find(&w->collective_request, KEY_OF(member));

	return request ? *request : unknown_request(w);
}

static void end_collective(struct otf2_writer *w, const struct cut *c,
			   const struct collective *collective, const struct member *member)
{
	const OTF2_CollectiveOp op = operation_of_region(w, collective->region);
	const uint32_t location = trace_event_location(w->trace, c->event);
	const uint32_t comm = w->comms[collective->comm].ref;
	const uint32_t root = root_of(w, collective, trace_location(w->trace, location)->rank);
	const uint32_t path = cursor_path(&c->cursor);

	add_odd_root(w, collective);
	/* Readers take the innermost region for the operation. */
	if (path == 0 || trace_callpath_region(w->trace, path) != collective->region)
		otf2_add_own(w, OTF2_OWN_REGION, collective->region);
	if (collective->flags & COLL_REQUEST)
		OTF2_EVENT(NonBlockingCollectiveComplete, w->time, op, comm, root, member->sent,
			   member->received, collective_request_of(w, what_id(c->what)));
	else
		OTF2_EVENT(MpiCollectiveEnd, w->time, op, comm, root, member->sent,
			   member->received);
}

void otf2_out_collective(struct otf2_writer *w, const struct cut *c)
{
	const uint32_t id = what_id(c->what);
	const struct collective *collective;
	const struct member *member;

	if (id == ID_NONE) { /* an end without its beginning: the operation is not known */
		if (trace_region_count(w->trace))
			otf2_add_own(w, OTF2_OWN_REGION, 0);
		OTF2_EVENT(MpiCollectiveEnd, w->time, OTF2_COLLECTIVE_OP_BARRIER, w->comms[0].ref,
			   OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
		return;
	}
	member = trace_member(w->trace, id);
	collective = trace_collective(w->trace, trace_member_collective(w->trace, id));
	if (what_kind(c->what) == EV_COLLECTIVE_BEGIN)
		begin_collective(w, id, collective, member);
	else
		end_collective(w, c, collective, member);
}
