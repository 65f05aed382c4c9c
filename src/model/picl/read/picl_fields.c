#include "model/picl/read/picl_fields.h"

#include <string.h>

/* Rank in the model's terms; *exact is cleared where the file's number would be lost. */
static int32_t rank_of(int64_t value, bool *exact)
{
	if (value == PROCESSOR_HOST)
		return RANK_HOST;
	if (value >= 0 && value <= INT32_MAX)
		return (int32_t)value;
	if (value == PROCESSOR_HOST_OLD) {
		*exact = false;
		return RANK_HOST;
	}
	if (value != -1)
		*exact = false;
	return RANK_UNKNOWN;
}

static void set_tag(const struct picl_reader *r, struct picl_fields *out, int64_t value)
{
	out->end.tag = -1;
	/* OTF2's tags are unsigned. */
	if (value >= 0 && value <= (r->own ? UINT32_MAX : INT32_MAX)) {
		out->end.tag = (int32_t)(uint32_t)value;
		return;
	}
	out->end.flags |= MSG_NO_TAG;
	out->exact = out->exact && value == -1;
}

static void set_bytes(struct picl_fields *out, int64_t value)
{
	if (value >= 0 && value < (int64_t)1 << 48) {
		out->end.bytes = (uint64_t)value;
		return;
	}
	out->end.flags |= MSG_NO_BYTES;
	out->exact = out->exact && value == -1;
}

static int64_t at(const int64_t *v, int32_t n, int32_t i)
{
	return i < n ? v[i] : -1;
}

static void init(struct picl_fields *out)
{
	*out = (struct picl_fields){ .exact = true, .root = RANK_UNKNOWN, .bytes = UINT64_MAX };
	out->end.rank = RANK_UNKNOWN;
	out->end.process = -1;
}

static void set_call(struct picl_reader *r, int64_t value, struct picl_fields *out)
{
	if (value > 0 && (size_t)value < r->calls.n)
		out->call = (uint32_t)value;
	else if (value != -1)
		out->exact = false;
}

/* Communicator and call site, tview's additions, from field `first` on. */
static void take_tail(struct picl_reader *r, const int64_t *v, int32_t n, int32_t first,
		      struct picl_fields *out)
{
	if (n <= first)
		return;
	if (!r->own || n > first + 2 || v[n - 1] == -1) {
		out->exact = false;
		return;
	}
	if (v[first] != -1 && !picl_comm_of(r, v[first], &out->comm))
		out->exact = false;
	if (n > first + 1)
		set_call(r, v[first + 1], out);
	out->end.comm = out->comm;
}

/* bytes, tag, partner, process, and the tail */
static void take_message(struct picl_reader *r, const int64_t *v, int32_t n,
			 struct picl_fields *out)
{
	init(out);
	set_bytes(out, at(v, n, 0));
	set_tag(r, out, at(v, n, 1));
	out->end.rank = rank_of(at(v, n, 2), &out->exact);
	out->end.process = at(v, n, 3) >= 0 ? (int32_t)v[3] : -1;
	take_tail(r, v, n, 4, out);
	out->any = !(out->end.flags & MSG_NO_TAG) || !(out->end.flags & MSG_NO_BYTES) ||
		   out->end.rank != RANK_UNKNOWN;
}

void picl_fields_send(struct picl_reader *r, const int64_t *v, int32_t n, struct picl_fields *out)
{
	take_message(r, v, n, out);
	/* Destination -1 is all ranks; a missing destination is unknown. */
	if (out->any && n > 2 && v[2] == -1)
		out->end.rank = -1;
	/* Both ends share a row of the message table: one may fill in what the other leaves open,
	 * so only a complete end can be reproduced from it. */
	if (out->any && (out->end.flags || out->end.rank == RANK_UNKNOWN))
		out->exact = false;
	/* A call without a message has no data. */
	if (n == 4 || at(v, n, 3) != -1 || (!out->any && n))
		out->exact = false;
}

void picl_fields_asked(struct picl_reader *r, const int64_t *v, int32_t n, struct picl_fields *out)
{
	init(out);
	set_tag(r, out, at(v, n, 0));
	out->end.rank = rank_of(at(v, n, 1), &out->exact);
	out->end.process = at(v, n, 2) >= 0 ? (int32_t)v[2] : -1;
	out->end.flags |= MSG_NO_BYTES;
	take_tail(r, v, n, 3, out);
	out->any = !(out->end.flags & MSG_NO_TAG) || out->end.rank != RANK_UNKNOWN;
	/* A writer gives only the tag that was asked for; tview's adds the source if the request
	 * is never completed. */
	if ((n == 2 && !r->own) || (n == 3 && !(r->own && v[1] != -1)) ||
	    (at(v, n, 1) != -1 && !r->own) || at(v, n, 2) != -1 || (out->end.tag == -1 && n))
		out->exact = false;
}

void picl_fields_received(struct picl_reader *r, const int64_t *v, int32_t n,
			  struct picl_fields *out)
{
	take_message(r, v, n, out);
	if (n && (out->end.flags || out->end.rank == RANK_UNKNOWN || n == 4 || at(v, n, 3) != -1 ||
		  out->call))
		out->exact = false;
}

void picl_fields_begin(struct picl_reader *r, const struct picl_kind *kind, const int64_t *v,
		       int32_t n, struct picl_fields *out)
{
	if (kind->role == ROLE_SEND_BEGIN)
		picl_fields_send(r, v, n, out);
	else
		picl_fields_asked(r, v, n, out);
}

void picl_fields_name(const struct picl_kind *kind, int64_t request, struct picl_fields *out)
{
	out->any = true;
	out->end.has_request = true;
	out->end.request = request;
	out->end.flags |= kind->role == ROLE_SEND_BEGIN ? MSG_SEND_REQUEST : MSG_RECV_REQUEST;
}

void picl_fields_request(struct picl_reader *r, const int64_t *v, int32_t n,
			 struct picl_fields *out)
{
	init(out);
	out->request = at(v, n, 0);
	out->any = n && v[0] != -1;
	if (n > 1 && r->own && v[1] != -1)
		set_call(r, v[1], out);
	else if (n > 1)
		out->exact = false;
	if (n > 2 || (n == 1 && !out->any))
		out->exact = false;
}

void picl_fields_collective(struct picl_reader *r, enum picl_role role, const int64_t *v, int32_t n,
			    struct picl_fields *out)
{
	const int32_t comm_at = role == ROLE_BARRIER ? 0 : role == ROLE_COLLECTIVE ? 1 : 2;
	bool has_comm;

	init(out);
	if (comm_at > 0 && at(v, n, 0) >= 0)
		out->bytes = (uint64_t)v[0];
	else if (comm_at > 0 && at(v, n, 0) != -1)
		out->exact = false;
	if (role == ROLE_BARRIER)
		out->bytes = 0;
	out->root = role == ROLE_ROOTED ? rank_of(at(v, n, 1), &out->exact) : -1;
	/* Collectives without a PICL number are written as rooted ones even if they have no root;
	 * -2 is an unknown root. */
	if (r->own && out->root == RANK_UNKNOWN) {
		const bool unknown = at(v, n, 1) == -2;
		out->exact = out->exact || unknown;
		out->root = unknown ? RANK_UNKNOWN : -1;
	}
	has_comm = n > comm_at && v[comm_at] != -1;
	if (has_comm && !picl_comm_of(r, v[comm_at], &out->comm))
		out->exact = false;
	if (r->own && n == comm_at + 2)
		set_call(r, v[comm_at + 1], out);
	else if (n > comm_at + 1)
		out->exact = false;
	if (n && v[n - 1] == -1)
		out->exact = false;
	/* tview always names the communicator; without one there is only the call's time. */
	out->any = r->own ? has_comm : true;
	if (!r->own && role == ROLE_ROOTED && n < 2)
		out->exact = false;
	if (r->own && !has_comm && n && n != comm_at + 2)
		out->exact = false;
}

void picl_fields_plain(struct picl_reader *r, const struct picl_kind *kind, const int64_t *v,
		       int32_t n, struct picl_fields *out)
{
	init(out);
	if (n == 0)
		return;
	if (r->own && n == 1 && kind->cls != CLASS_OVERHEAD && v[0] > 0)
		set_call(r, v[0], out);
	else
		out->exact = false;
}

int32_t picl_fields_split(enum picl_role role, int32_t n)
{
	switch (role) {
	case ROLE_SEND_BEGIN:
	case ROLE_RECV_BEGIN:
		/* The request comes last, if the entry's own fields are there. */
		return n == 2 && role == ROLE_RECV_BEGIN ? 1 : n > 3 ? n - 1 : n;
	case ROLE_RECV:
	case ROLE_PROBE:
		/* PICL writes 1 + 3, the report has 3 + 4, tview with communicator 4 + 5. */
		switch (n) {
		case 4:
		case 5: return 1;
		case 6:
		case 7: return 3;
		case 9: return 4;
		default: return n;
		}
	case ROLE_RECV_DONE: return n > 1 ? 1 : n;
	case ROLE_COLLECTIVE: return n == 3 ? 2 : n;
	case ROLE_ROOTED: return n == 4 ? 3 : n;
	default: return n;
	}
}
