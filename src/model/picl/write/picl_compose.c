/* Turns events into records: groups of events that are one record, entries and exits of calls. */
#include <assert.h>

#include "model/meaning/picl_types.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/record_type.h"

/* ---- groups of events that are one record ---- */

struct picl_peek picl_peek(const struct cursor *cursor)
{
	struct picl_peek peek = { .cursor = *cursor };

	peek.there = cursor_next(&peek.cursor);
	if (peek.there) {
		peek.what = cursor_what(&peek.cursor);
		peek.same_time = cursor_time(&peek.cursor) == cursor_time(cursor);
	}
	return peek;
}

/* The kinds of events that are part of the entry, and of the exit, of a region; EV_ENTER: none. */
static const struct {
	uint8_t entry, exit; /* enum event_kind */
} parts[] = {
	[ROLE_SEND] = { EV_SEND, EV_ENTER },
	[ROLE_SEND_BEGIN] = { EV_SEND, EV_ENTER },
	[ROLE_SEND_DONE] = { EV_ENTER, EV_SEND_COMPLETE },
	[ROLE_SEND_TEST] = { EV_REQUEST_TEST, EV_ENTER },
	[ROLE_SEND_CANCEL] = { EV_REQUEST_CANCELLED, EV_ENTER },
	[ROLE_RECV] = { EV_ENTER, EV_RECV },
	[ROLE_RECV_BEGIN] = { EV_RECV_REQUEST, EV_ENTER },
	[ROLE_RECV_DONE] = { EV_ENTER, EV_RECV },
	[ROLE_RECV_TEST] = { EV_REQUEST_TEST, EV_ENTER },
	[ROLE_RECV_CANCEL] = { EV_REQUEST_CANCELLED, EV_ENTER },
	[ROLE_BARRIER] = { EV_COLLECTIVE_BEGIN, EV_COLLECTIVE_END },
	[ROLE_COLLECTIVE] = { EV_COLLECTIVE_BEGIN, EV_COLLECTIVE_END },
	[ROLE_ROOTED] = { EV_COLLECTIVE_BEGIN, EV_COLLECTIVE_END },
	[ROLE_IO] = { EV_IO, EV_IO },
	[ROLE_TRACING] = { EV_ENTER, EV_ENTER },
};
static_assert(EV_ENTER == 0, "roles that are not in the table have no parts");

bool picl_belongs_to_entry(enum picl_role role, enum event_kind kind)
{
	return kind != EV_ENTER && parts[role].entry == kind;
}

bool picl_belongs_to_exit(enum picl_role role, enum event_kind kind)
{
	return kind != EV_ENTER && parts[role].exit == kind;
}

static bool is_io_of(const struct picl_writer *w, uint32_t what, int32_t rectype)
{
	return what_kind(what) != EV_IO ||
	       trace_record(w->trace, what_id(what))->rectype == rectype;
}

static bool has_attributes(const struct picl_writer *w, uint32_t event)
{
	uint32_t n = 0;

	if (w->attributes)
		trace_event_attributes(w->trace, event, &n);
	return n > 0;
}

/* True if the exit of a member's call can end what its entry began: end and exit are adjacent. */
static bool ends_at_exit(const struct picl_writer *w, const struct cursor *begin,
			 const struct member *m, uint32_t path)
{
	enum { FAR = 256 };
	struct cursor c = *begin;
	struct picl_peek leave;

	for (int i = 0; i < FAR && cursor_next(&c) && cursor_what(&c) != what_make(EV_LEAVE, path);
	     i++) {
		if (c.id != m->end)
			continue;
		leave = picl_peek(&c);
		return leave.there && leave.same_time && leave.what == what_make(EV_LEAVE, path) &&
		       !has_attributes(w, c.id);
	}
	return false;
}

/* True where the reader will make the same collective of the entry of such a region. */
static bool fits_collective(const struct picl_writer *w, const struct picl_out_site *site,
			    uint32_t region, uint32_t what)
{
	const struct collective *c = picl_out_collective_of(w, what_id(what));
	const struct member *m;

	if (!c)
		return false;
	m = trace_member(w->trace, what_id(what));
	if (c->region != region || c->flags & COLL_REQUEST ||
	    (m->end == EVENT_NONE && m->received && m->received != UINT64_MAX))
		return false;
	switch ((enum picl_role)site->role) {
	case ROLE_BARRIER:
		return c->root == -1 && m->sent == 0 &&
		       (m->received == 0 || m->received == UINT64_MAX);
	case ROLE_COLLECTIVE: return c->root == -1;
	default: return true;
	}
}

/* True if the record of a call of such a site says all of the event, so that the reader makes the
 * same of it. Records of a source without a header are taken as they were. */
static bool fits(const struct picl_writer *w, const struct picl_out_site *site, uint32_t region,
		 uint32_t what)
{
	const enum event_kind kind = what_kind(what);
	const struct message *m;
	const struct picl_type *own, *wanted;

	if (!w->own)
		return true;
	switch (kind) {
	case EV_COLLECTIVE_BEGIN: return fits_collective(w, site, region, what);
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
		m = picl_out_message(w, what);
		own = picl_type_find(site->type);
		wanted = picl_type_find(picl_mark_type(m, kind));
		return own && m && own->role == wanted->role && own->mode == wanted->mode &&
		       own->blocked == wanted->blocked;
	default: return true;
	}
}

/* Numbers a request that begins here. */
static uint32_t number_request(struct picl_writer *w, struct picl_out_place *place, uint32_t what)
{
	const bool is_send = what_kind(what) == EV_SEND;
	const struct message *m = picl_out_message(w, what);
	uint32_t number;

	if (!m || (is_send && !(m->flags & MSG_SEND_REQUEST)))
		return 0;
	number = w->hands_over ? message_request(what_id(what), is_send) : ++place->requests;
	if (is_send)
		w->send_request[what_id(what)] = number;
	else
		w->recv_request[what_id(what)] = number;
	return number;
}

static uint32_t take(uint32_t *slot)
{
	const uint32_t request = *slot;

	*slot = 0;
	return request;
}

/* The number of the request that is tested or cancelled: of the end that is on this location, and
 * still open. */
static uint32_t *request_at(struct picl_writer *w, const struct message *m, uint32_t id,
			    uint32_t location)
{
	const bool receives =
		!(m->flags & MSG_NO_RECV) && trace_event_location(w->trace, m->recv) == location;

	return receives && w->recv_request[id] ? &w->recv_request[id] : &w->send_request[id];
}

/* The request that an event completes, cancels or tests. One that is over is forgotten: a message
 * to oneself has two. */
static int64_t request_of(struct picl_writer *w, uint32_t what, uint32_t location)
{
	const struct message *m = picl_out_message(w, what);
	const uint32_t id = what_id(what);

	if (!m)
		return 0;
	switch (what_kind(what)) {
	case EV_SEND_COMPLETE: return take(&w->send_request[id]);
	case EV_RECV: return take(&w->recv_request[id]);
	case EV_REQUEST_CANCELLED: return take(request_at(w, m, id, location));
	default: return *request_at(w, m, id, location);
	}
}

static void open_visit(struct picl_out_place *place, uint32_t depth, uint32_t request)
{
	while (place->visits.n && vec_last(&place->visits)->depth >= depth)
		place->visits.n--;
	vec_push(&place->visits, ((struct picl_out_visit){ depth, request }));
}

/* The request that the visit at this depth began, 0 none. */
static uint32_t close_visit(struct picl_out_place *place, uint32_t depth)
{
	while (place->visits.n && vec_last(&place->visits)->depth > depth)
		place->visits.n--;
	if (!place->visits.n || vec_last(&place->visits)->depth < depth)
		return 0;
	return vec_pop(&place->visits).request;
}

/* The event inside a region that its exit will bear, if region and exit are neighbours; else 0. */
static uint32_t completion_ahead(const struct picl_writer *w, struct picl_out_place *place,
				 const struct picl_peek *next, uint32_t path)
{
	const uint32_t site = trace_callpath(w->trace, path)->site;
	struct picl_peek leave;

	if (!next->there ||
	    !picl_belongs_to_exit((enum picl_role)w->sites[site].role, what_kind(next->what)) ||
	    !fits(w, &w->sites[site], trace_site(w->trace, site)->region, next->what) ||
	    has_attributes(w, place->cursor.id) || has_attributes(w, next->cursor.id))
		return 0;
	leave = picl_peek(&next->cursor);
	if (!leave.there || !leave.same_time || leave.what != what_make(EV_LEAVE, path))
		return 0;
	place->announced = next->cursor.id;
	return next->what;
}

/* True where the event after an entry is one with it. */
static bool is_joined(const struct picl_writer *w, const struct picl_out_place *place,
		      const struct picl_peek *next, uint32_t path)
{
	const uint32_t id = trace_callpath(w->trace, path)->site;
	const struct picl_out_site *site = &w->sites[id];
	struct picl_peek leave;

	if (!next->there || !next->same_time ||
	    !picl_belongs_to_entry((enum picl_role)site->role, what_kind(next->what)) ||
	    !is_io_of(w, next->what, REC_ENTRY) ||
	    !fits(w, site, trace_site(w->trace, id)->region, next->what) ||
	    has_attributes(w, place->cursor.id) || has_attributes(w, next->cursor.id))
		return false;
	if (w->own && what_kind(next->what) == EV_COLLECTIVE_BEGIN)
		return ends_at_exit(w, &next->cursor, trace_member(w->trace, what_id(next->what)),
				    path);
	if (!w->own || (site->role != ROLE_SEND_BEGIN && site->role != ROLE_RECV_BEGIN))
		return true;
	/* The exit names the request, and follows at once. */
	leave = picl_peek(&next->cursor);
	return leave.there && leave.what == what_make(EV_LEAVE, path);
}

/* The event that an entry bears: one with it, which the cursor goes to, or one that its exit will
 * bear; 0 none. */
static uint32_t event_of_entry(const struct picl_writer *w, struct picl_out_place *place,
			       uint32_t path, bool *joined)
{
	const uint8_t role = w->sites[trace_callpath(w->trace, path)->site].role;
	struct picl_peek next;

	*joined = false;
	if (parts[role].entry == EV_ENTER && parts[role].exit == EV_ENTER)
		return 0;
	next = picl_peek(&place->cursor);
	*joined = is_joined(w, place, &next, path);
	if (!*joined)
		return completion_ahead(w, place, &next, path);
	place->cursor = next.cursor;
	return next.what;
}

/* What an entry or mark says of the event that it begins. */
void picl_entry_values(struct picl_writer *w, struct picl_out_place *place,
		       const struct picl_out_site *site, uint32_t what,
		       struct picl_out_values *values, uint32_t *request)
{
	const enum picl_role role = (enum picl_role)site->role;
	const struct message *m;

	*request = 0;
	switch (what_kind(what)) {
	case EV_SEND:
		picl_out_sent(w, values, trace_message(w->trace, what_id(what)), site->call);
		if (role == ROLE_SEND_BEGIN)
			*request = number_request(w, place, what);
		break;
	case EV_RECV_REQUEST:
		m = picl_out_message(w, what);
		picl_out_asked(w, values, m, site->call);
		*request = number_request(w, place, what);
		break;
	case EV_RECV:
		if (role == ROLE_RECV)
			picl_out_asked(w, values, picl_out_message(w, what), site->call);
		else
			picl_out_request(values, request_of(w, what, place->cursor.location),
					 site->call);
		break;
	case EV_SEND_COMPLETE:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED:
		picl_out_request(values, request_of(w, what, place->cursor.location), site->call);
		break;
	default: break;
	}
}

/* A call without message: fields that are unknown could be taken for a broadcast or for a wildcard,
 * so that its entry has none, and a record before it says where the call is. */
static bool is_silent(const struct picl_out_site *site)
{
	const enum picl_role role = (enum picl_role)site->role;

	/* The data of overhead is PICL's own. */
	return (role == ROLE_PLAIN && site->cls == CLASS_OVERHEAD) || role == ROLE_SEND ||
	       role == ROLE_SEND_BEGIN || role == ROLE_RECV || role == ROLE_RECV_BEGIN ||
	       role == ROLE_PROBE;
}

void picl_compose_call_site(struct picl_writer *w, const struct picl_out_place *place,
			    const struct picl_out_site *site, int64_t time, uint32_t last)
{
	struct picl_out_values values = { .n = 0 };

	if (!site->call || picl_out_extra(w, last))
		return;
	picl_out_head(w, place, REC_CALL_SITE, site->type, time, last);
	picl_out_add(&values, site->call);
	picl_out_payload(w, EVENT_NONE, &values);
}

bool picl_is_alone(const struct picl_out_site *site, bool entries)
{
	const enum picl_role role = (enum picl_role)site->role;

	if (!entries)
		return role != ROLE_SEND_BEGIN && role != ROLE_RECV_BEGIN;
	return parts[role].entry == EV_ENTER && parts[role].exit == EV_ENTER &&
	       !(site->call && is_silent(site));
}

void picl_bare_values(struct picl_writer *w, const struct picl_out_site *site,
		      struct picl_out_values *values)
{
	int before;

	if (!site->call || is_silent(site))
		return;
	switch ((enum picl_role)site->role) {
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED:
		picl_out_collective(w, values, (enum picl_role)site->role, 0, site->call);
		return;
	case ROLE_PLAIN: before = 0; break;
	case ROLE_IO:
	case ROLE_TRACING: return;
	default: before = 1; break;
	}
	while (before--)
		picl_out_add(values, -1);
	picl_out_add(values, site->call);
}

/* Counts the regions of MPI or I/O that are open, as the reader will. */
static void count_nested(struct picl_out_place *place, const struct picl_out_site *site,
			 bool enters)
{
	if (!picl_is_nested(site))
		return;
	if (enters)
		place->nested++;
	else if (place->nested)
		place->nested--;
}

void picl_compose_kept(struct picl_writer *w, uint32_t what)
{
	str_add(&w->text, trace_string(w->trace, trace_record(w->trace, what_id(what))->text));
	str_add_char(&w->text, '\n');
}

static void compose_enter(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const uint32_t path = what_id(cursor_what(c));
	const struct callpath *callpath = trace_callpath(w->trace, path);
	const struct picl_out_site *site = &w->sites[callpath->site];
	const enum picl_role role = (enum picl_role)site->role;
	const int64_t time = cursor_time(c);
	struct picl_out_values values = { .n = 0 };
	bool joined;
	const uint32_t what = event_of_entry(w, place, path, &joined), last = c->id;
	uint32_t request = 0;

	count_nested(place, site, true);
	if (!what && is_silent(site))
		picl_compose_call_site(w, place, site, time, last);
	picl_out_head(w, place, REC_ENTRY, site->type, time, last);
	if (joined && what_kind(what) == EV_IO) {
		picl_compose_kept(w, what);
		return;
	}
	if (what_kind(what) == EV_COLLECTIVE_BEGIN) {
		picl_out_collective(w, &values, role, what, site->call);
		place->collective = what_id(what);
	} else if (what) {
		picl_entry_values(w, place, site, what, &values, &request);
	}
	if (values.n == 0)
		picl_bare_values(w, site, &values);
	if (role == ROLE_SEND_BEGIN || role == ROLE_RECV_BEGIN)
		open_visit(place, callpath->depth, request);
	picl_out_payload(w, last, &values);
}

/* The site that a leave leaves, whether it was entered in the trace or not. */
static const struct picl_out_site *site_left(const struct picl_writer *w, uint32_t leave)
{
	if (what_kind(leave) == EV_LEAVE)
		return &w->sites[trace_callpath(w->trace, what_id(leave))->site];
	return what_kind(leave) == EV_STRAY_LEAVE ? &w->sites[what_id(leave)] : NULL;
}

/* A leave, and with it the event before it that its record bears (`what`, else 0). */
static void compose_leave(struct picl_writer *w, struct picl_out_place *place, uint32_t what)
{
	struct cursor *c = &place->cursor;
	const uint32_t leave = cursor_what(c);
	const struct picl_out_site *site = site_left(w, leave);
	struct picl_out_values values = { .n = 0 };
	const struct message *m;
	uint32_t request;

	count_nested(place, site, false);
	picl_out_head(w, place, REC_EXIT, site->type, cursor_time(c), c->id);
	switch (what_kind(what)) {
	case EV_RECV:
		m = picl_out_message(w, what);
		if (m)
			picl_out_received(w, &values, m);
		break;
	case EV_COLLECTIVE_END:
		if (what_id(what) != ID_NONE && site->role != ROLE_BARRIER)
			picl_out_add(&values,
				     picl_out_bytes(
					     trace_member(w->trace, what_id(what))->received));
		break;
	case EV_IO: picl_compose_kept(w, what); return;
	default: break;
	}
	if (what_kind(leave) == EV_LEAVE &&
	    (site->role == ROLE_SEND_BEGIN || site->role == ROLE_RECV_BEGIN)) {
		request = close_visit(place, trace_callpath(w->trace, what_id(leave))->depth);
		if (request)
			picl_out_add(&values, request);
	}
	picl_out_payload(w, c->id, &values);
}

/* Writes the exit whose first half is the event at the cursor; false if it is not one. */
static bool compose_exit(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const uint32_t what = cursor_what(c);
	const struct picl_peek next = picl_peek(c);
	const struct picl_out_site *site;

	if (!next.there || !next.same_time || has_attributes(w, c->id))
		return false;
	site = site_left(w, next.what);
	if (!site || !picl_belongs_to_exit((enum picl_role)site->role, what_kind(what)) ||
	    !is_io_of(w, what, REC_EXIT))
		return false;
	/* What the entry began or named the exit ends. */
	if (w->own && what_kind(what) != EV_IO &&
	    (what_kind(what) == EV_COLLECTIVE_END
		     ? what_id(what) == ID_NONE || place->collective != what_id(what)
		     : place->announced != c->id))
		return false;
	if (what_kind(what) == EV_COLLECTIVE_END)
		place->collective = UINT32_MAX;
	*c = next.cursor;
	compose_leave(w, place, what);
	return true;
}

void picl_compose_made(struct picl_writer *w, struct picl_out_place *place, uint32_t path,
		       int64_t time, bool enters)
{
	const struct picl_out_site *site = &w->sites[trace_callpath(w->trace, path)->site];
	struct picl_out_values values = { .n = 0 };

	count_nested(place, site, enters);
	if (enters && is_silent(site))
		picl_compose_call_site(w, place, site, time, EVENT_NONE);
	picl_out_head(w, place, enters ? REC_ENTRY : REC_EXIT, site->type, time, EVENT_NONE);
	if (enters)
		picl_bare_values(w, site, &values);
	picl_out_payload(w, EVENT_NONE, &values);
}

void picl_compose(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;

	switch (what_kind(cursor_what(c))) {
	case EV_ENTER: compose_enter(w, place); break;
	case EV_LEAVE:
	case EV_STRAY_LEAVE: compose_leave(w, place, 0); break;
	case EV_SEND_COMPLETE:
	case EV_RECV:
	case EV_COLLECTIVE_END:
	case EV_IO:
		if (!compose_exit(w, place))
			picl_compose_alone(w, place);
		break;
	default: picl_compose_alone(w, place); break;
	}
	if (has_attributes(w, c->id))
		picl_compose_attributes(w, place);
	place->more = cursor_next(c) && picl_in_window(w, c);
}
