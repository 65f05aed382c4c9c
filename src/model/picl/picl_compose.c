#include <string.h>

#include "model/picl/picl_writer.h"

/* The values of a record's data. */
struct values {
	int64_t v[16];
	int n;
	int least; /* so many are written, even where the last ones are unknown */
};

static void add(struct values *values, int64_t value)
{
	values->v[values->n++] = value;
}

static int64_t known(int32_t rank)
{
	return rank == RANK_UNKNOWN ? -1 : rank;
}

static const struct message *message_of(const struct picl_writer *w, uint32_t what)
{
	return what_id(what) == ID_NONE ? NULL : trace_message(w->trace, what_id(what));
}

/* ---- fields: the order of picl_fields.h ---- */

static void add_sent(struct picl_writer *w, struct values *values, const struct message *m,
		     uint32_t call)
{
	add(values, m->flags & MSG_NO_BYTES ? -1 : (int64_t)message_bytes(m));
	add(values, m->flags & MSG_NO_TAG ? -1 : m->tag);
	add(values, m->flags & MSG_BROADCAST ? -1 : known(message_destination(w->trace, m)));
	values->least = m->flags & MSG_BROADCAST ? 3 : 0;
	add(values, -1);
	add(values, w->comm_ids[m->comm]);
	add(values, call ? (int64_t)call : -1);
}

static void add_asked(struct picl_writer *w, struct values *values, const struct message *m,
		      uint32_t call)
{
	add(values, !m || m->flags & MSG_NO_TAG ? -1 : m->tag);
	add(values, -1);
	add(values, -1);
	add(values, m ? w->comm_ids[m->comm] : -1);
	add(values, call ? (int64_t)call : -1);
}

static void add_received(struct picl_writer *w, struct values *values, const struct message *m)
{
	add(values, m->flags & MSG_NO_BYTES ? -1 : (int64_t)message_bytes(m));
	add(values, m->flags & MSG_NO_TAG ? -1 : m->tag);
	add(values, m->flags & MSG_GUESSED ? -1 : known(message_source(w->trace, m)));
	add(values, -1);
	add(values, w->comm_ids[m->comm]);
}

static void add_request(struct values *values, int64_t request, uint32_t call)
{
	add(values, request);
	add(values, call ? (int64_t)call : -1);
}

static int64_t bytes_or_unknown(uint64_t bytes)
{
	return bytes > INT64_MAX ? -1 : (int64_t)bytes;
}

/* `what` is the begin, or 0 where the region holds no collective. */
static void add_collective(struct picl_writer *w, struct values *values, enum picl_role role,
			   uint32_t what, uint32_t call)
{
	const struct collective *c = NULL;
	const struct member *m = NULL;
	uint32_t id;

	if (what_kind(what) == EV_COLLECTIVE_BEGIN && what_id(what) != ID_NONE) {
		id = trace_member_collective(w->trace, what_id(what));
		c = trace_collective(w->trace, id);
		m = trace_member(w->trace, what_id(what));
	}
	if (role != ROLE_BARRIER)
		add(values, m ? bytes_or_unknown(m->sent) : -1);
	if (role == ROLE_ROOTED)
		add(values, c ? known(c->root) : -1);
	/* The world has a number of its own here: a communicator tells that there is a collective. */
	add(values, c ? (w->own && c->comm == 0 ? -2 : w->comm_ids[c->comm]) : -1);
	add(values, call ? (int64_t)call : -1);
}

/* ---- text ---- */

void picl_compose_head(struct picl_writer *w, int32_t rectype, int32_t evtype, int64_t time,
		       int32_t processor, int32_t process)
{
	str_add_int(&w->text, rectype);
	str_add_char(&w->text, ' ');
	str_add_int(&w->text, evtype);
	str_add_char(&w->text, ' ');
	units_seconds(&w->text, time, trace_scale(w->trace), w->digits);
	str_add_char(&w->text, ' ');
	str_add_int(&w->text, processor);
	str_add_char(&w->text, ' ');
	str_add_int(&w->text, process);
	str_add_char(&w->text, ' ');
}

/* The head of an event's record, with the time as the file had it where that was kept. */
static void head(struct picl_writer *w, const struct picl_out_place *place, int32_t rectype,
		 int32_t evtype, int64_t time, uint32_t last)
{
	const char *text = NULL;

	if (w->options->base == BASE_MEASURED)
		text = trace_event_time_text(w->trace, last);
	if (!text) {
		picl_compose_head(w, rectype, evtype, time, place->processor, place->process);
		return;
	}
	str_add_int(&w->text, rectype);
	str_add_char(&w->text, ' ');
	str_add_int(&w->text, evtype);
	str_add_char(&w->text, ' ');
	str_add(&w->text, text);
	str_add_char(&w->text, ' ');
	str_add_int(&w->text, place->processor);
	str_add_char(&w->text, ' ');
	str_add_int(&w->text, place->process);
	str_add_char(&w->text, ' ');
}

static void add_values(struct picl_writer *w, struct values *values)
{
	while (values->n > values->least && values->v[values->n - 1] == -1)
		values->n--;
	str_add_int(&w->text, values->n);
	if (values->n)
		str_add(&w->text, " 2");
	for (int i = 0; i < values->n; i++) {
		str_add_char(&w->text, ' ');
		str_add_int(&w->text, values->v[i]);
	}
}

/* The data: as it was read, where that was kept, else these values. */
static void payload(struct picl_writer *w, uint32_t last, struct values *values)
{
	const char *extra = trace_event_extra(w->trace, last);

	if (extra)
		str_add(&w->text, extra);
	else
		add_values(w, values);
	str_add_char(&w->text, '\n');
}

/* ---- groups of events that are one record ---- */

/* The event behind the cursor's, and whether it bears the same time. */
struct peek {
	struct cursor cursor;
	bool there;
	bool same_time;
	uint32_t what;
};

static struct peek peek_behind(const struct cursor *cursor)
{
	struct peek peek = { .cursor = *cursor };

	peek.there = cursor_next(&peek.cursor);
	if (peek.there) {
		peek.what = cursor_what(&peek.cursor);
		peek.same_time = cursor_time(&peek.cursor) == cursor_time(cursor);
	}
	return peek;
}

/* The kind of event that is part of the entry of such a region. */
static bool belongs_to_entry(enum picl_role role, enum event_kind kind)
{
	switch (role) {
	case ROLE_SEND:
	case ROLE_SEND_BEGIN: return kind == EV_SEND;
	case ROLE_RECV_BEGIN: return kind == EV_RECV_REQUEST;
	case ROLE_SEND_TEST:
	case ROLE_RECV_TEST: return kind == EV_REQUEST_TEST;
	case ROLE_SEND_CANCEL:
	case ROLE_RECV_CANCEL: return kind == EV_REQUEST_CANCELLED;
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED: return kind == EV_COLLECTIVE_BEGIN;
	case ROLE_IO: return kind == EV_IO;
	default: return false;
	}
}

static bool belongs_to_exit(enum picl_role role, enum event_kind kind)
{
	switch (role) {
	case ROLE_RECV:
	case ROLE_RECV_DONE: return kind == EV_RECV;
	case ROLE_SEND_DONE: return kind == EV_SEND_COMPLETE;
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED: return kind == EV_COLLECTIVE_END;
	case ROLE_IO: return kind == EV_IO;
	default: return false;
	}
}

static bool is_io_of(const struct picl_writer *w, uint32_t what, int32_t rectype)
{
	return what_kind(what) != EV_IO ||
	       trace_record(w->trace, what_id(what))->rectype == rectype;
}

/* Numbers a request that begins here. */
static uint32_t number_request(struct picl_writer *w, struct picl_out_place *place, uint32_t what)
{
	const bool is_send = what_kind(what) == EV_SEND;
	const struct message *m = message_of(w, what);

	if (!m || (is_send && !(m->flags & MSG_SEND_REQUEST)))
		return 0;
	place->requests++;
	if (is_send)
		w->send_request[what_id(what)] = place->requests;
	else
		w->recv_request[what_id(what)] = place->requests;
	return place->requests;
}

static int64_t request_of(const struct picl_writer *w, uint32_t what)
{
	const struct message *m = message_of(w, what);
	uint32_t request;

	if (!m)
		return 0;
	switch (what_kind(what)) {
	case EV_SEND_COMPLETE: request = w->send_request[what_id(what)]; break;
	case EV_RECV: request = w->recv_request[what_id(what)]; break;
	default:
		request = w->recv_request[what_id(what)];
		if (!request)
			request = w->send_request[what_id(what)];
		break;
	}
	return request;
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
static uint32_t completion_ahead(const struct picl_writer *w, const struct peek *next,
				 uint32_t path, enum picl_role role)
{
	struct peek leave;

	(void)w;
	if (!next->there || !belongs_to_exit(role, what_kind(next->what)))
		return 0;
	leave = peek_behind(&next->cursor);
	return leave.there && leave.same_time && leave.what == what_make(EV_LEAVE, path)
		       ? next->what
		       : 0;
}

/* What an entry or mark says of the event that it begins. */
static void entry_values(struct picl_writer *w, struct picl_out_place *place,
			 const struct picl_out_site *site, uint32_t what, struct values *values,
			 uint32_t *request)
{
	const enum picl_role role = (enum picl_role)site->role;
	const struct message *m;

	*request = 0;
	switch (what_kind(what)) {
	case EV_SEND:
		add_sent(w, values, trace_message(w->trace, what_id(what)), site->call);
		if (role == ROLE_SEND_BEGIN)
			*request = number_request(w, place, what);
		break;
	case EV_RECV_REQUEST:
		m = message_of(w, what);
		add_asked(w, values, m, site->call);
		*request = number_request(w, place, what);
		break;
	case EV_RECV:
		if (role == ROLE_RECV)
			add_asked(w, values, message_of(w, what), site->call);
		else
			add_request(values, request_of(w, what), site->call);
		break;
	case EV_SEND_COMPLETE:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: add_request(values, request_of(w, what), site->call); break;
	default: break;
	}
}

/* A call without message: fields that are unknown could be taken for a broadcast or for a wildcard,
 * so that its entry has none, and a record before it says where the call stands. */
static bool is_silent(enum picl_role role)
{
	return role == ROLE_SEND || role == ROLE_SEND_BEGIN || role == ROLE_RECV ||
	       role == ROLE_RECV_BEGIN || role == ROLE_PROBE;
}

static void compose_call_site(struct picl_writer *w, const struct picl_out_place *place,
			      const struct picl_out_site *site, int64_t time, uint32_t last)
{
	struct values values = { .n = 0 };

	if (!site->call || trace_event_extra(w->trace, last))
		return;
	head(w, place, REC_CALL_SITE, site->type, time, last);
	add(&values, site->call);
	add_values(w, &values);
	str_add_char(&w->text, '\n');
}

/* What is written of an entry of which nothing else is known: the call site, in its place. */
static void bare_values(struct picl_writer *w, const struct picl_out_site *site,
			struct values *values)
{
	int before;

	if (!site->call)
		return;
	switch ((enum picl_role)site->role) {
	case ROLE_SEND:
	case ROLE_SEND_BEGIN:
	case ROLE_RECV:
	case ROLE_PROBE:
	case ROLE_RECV_BEGIN: return;
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED:
		add_collective(w, values, (enum picl_role)site->role, 0, site->call);
		return;
	case ROLE_PLAIN: before = 0; break;
	case ROLE_IO:
	case ROLE_TRACING: return;
	default: before = 1; break;
	}
	while (before--)
		add(values, -1);
	add(values, site->call);
}

static void compose_enter(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const uint32_t path = what_id(cursor_what(c));
	const struct callpath *callpath = trace_callpath(w->trace, path);
	const struct picl_out_site *site = &w->sites[callpath->site];
	const enum picl_role role = (enum picl_role)site->role;
	const struct peek next = peek_behind(c);
	const int64_t time = cursor_time(c);
	struct values values = { .n = 0 };
	uint32_t last = c->id, what = 0, request = 0;
	const bool joined = next.there && next.same_time &&
			    belongs_to_entry(role, what_kind(next.what)) &&
			    is_io_of(w, next.what, REC_ENTRY);

	if (joined) {
		what = next.what;
		last = next.cursor.id;
		*c = next.cursor;
	} else {
		what = completion_ahead(w, &next, path, role);
	}
	if (!what && is_silent(role))
		compose_call_site(w, place, site, time, last);
	head(w, place, REC_ENTRY, site->type, time, last);
	if (joined && what_kind(what) == EV_IO) {
		str_add(&w->text,
			trace_string(w->trace, trace_record(w->trace, what_id(what))->text));
		str_add_char(&w->text, '\n');
		return;
	}
	if (what_kind(what) == EV_COLLECTIVE_BEGIN)
		add_collective(w, &values, role, what, site->call);
	else if (what)
		entry_values(w, place, site, what, &values, &request);
	if (values.n == 0)
		bare_values(w, site, &values);
	if (role == ROLE_SEND_BEGIN || role == ROLE_RECV_BEGIN)
		open_visit(place, callpath->depth, request);
	payload(w, last, &values);
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
	struct values values = { .n = 0 };
	const struct message *m;
	uint32_t request;

	head(w, place, REC_EXIT, site->type, cursor_time(c), c->id);
	switch (what_kind(what)) {
	case EV_RECV:
		m = message_of(w, what);
		if (m)
			add_received(w, &values, m);
		break;
	case EV_COLLECTIVE_END:
		if (what_id(what) != ID_NONE && site->role != ROLE_BARRIER)
			add(&values,
			    bytes_or_unknown(trace_member(w->trace, what_id(what))->received));
		break;
	case EV_IO:
		str_add(&w->text,
			trace_string(w->trace, trace_record(w->trace, what_id(what))->text));
		str_add_char(&w->text, '\n');
		return;
	default: break;
	}
	if (what_kind(leave) == EV_LEAVE &&
	    (site->role == ROLE_SEND_BEGIN || site->role == ROLE_RECV_BEGIN)) {
		request = close_visit(place, trace_callpath(w->trace, what_id(leave))->depth);
		if (request)
			add(&values, request);
	}
	payload(w, c->id, &values);
}

/* ---- marks ---- */

/* The event type that a message's event is marked as where no record of its own bore it. */
static int32_t mark_type(const struct message *m, enum event_kind kind)
{
	static const int32_t done[] = { -30, -36, -42, -48 }, begin[] = { -27, -33, -39, -45 };
	const int mode = m ? (m->flags & MSG_MODE_MASK) >> MSG_MODE_SHIFT : 0;
	const uint16_t flags = m ? m->flags : 0;

	switch (kind) {
	case EV_SEND: return flags & MSG_SEND_REQUEST ? begin[mode] : -21 - mode;
	case EV_SEND_COMPLETE: return done[mode] - (flags & MSG_SEND_BLOCKED ? 1 : 0);
	case EV_RECV_REQUEST: return -57;
	case EV_RECV:
		return (flags & MSG_RECV_REQUEST ? -60 : -51) - (flags & MSG_RECV_BLOCKED ? 1 : 0);
	case EV_REQUEST_TEST: return -59;
	default: return -62;
	}
}

static enum picl_role role_of(int32_t type)
{
	const struct picl_type *found = picl_type_find(type);

	return found ? (enum picl_role)found->role : ROLE_PLAIN;
}

/* Drops unknown fields of the entry: those of the exit follow. */
static void trim(struct values *values, int keep)
{
	while (values->n > keep && values->v[values->n - 1] == -1)
		values->n--;
}

static void compose_mark(struct picl_writer *w, struct picl_out_place *place, uint32_t what,
			 int64_t time, struct picl_out_site site)
{
	struct values values = { .n = 0 };
	const struct message *m = what ? message_of(w, what) : NULL;
	uint32_t request = 0;

	site.call = 0;
	head(w, place, REC_MARK, site.type, time, place->cursor.id);
	if (what)
		entry_values(w, place, &site, what, &values, &request);
	switch (what_kind(what)) {
	case EV_SEND:
		if (request) {
			trim(&values, 3);
			add(&values, request);
		}
		break;
	case EV_RECV_REQUEST:
		trim(&values, 1);
		if (request)
			add(&values, request);
		break;
	case EV_RECV:
		trim(&values, 1);
		if (m)
			add_received(w, &values, m);
		break;
	default: break;
	}
	payload(w, place->cursor.id, &values);
}

static bool is_marked_with(enum picl_role role, enum event_kind kind)
{
	return kind != EV_IO && kind != EV_COLLECTIVE_BEGIN && kind != EV_COLLECTIVE_END &&
	       (belongs_to_entry(role, kind) || belongs_to_exit(role, kind));
}

static void compose_own_mark(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const struct picl_out_site *site = &w->sites[what_id(cursor_what(c))];
	const struct peek next = peek_behind(c);
	const int64_t time = cursor_time(c);

	if (next.there && next.same_time &&
	    is_marked_with((enum picl_role)site->role, what_kind(next.what))) {
		*c = next.cursor;
		compose_mark(w, place, next.what, time, *site);
	} else {
		compose_mark(w, place, 0, time, *site);
	}
}

/* Writes the exit whose first half the event at the cursor is; false where it is none. */
static bool compose_exit(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const uint32_t what = cursor_what(c);
	const struct peek next = peek_behind(c);
	const struct picl_out_site *site;

	if (!next.there || !next.same_time)
		return false;
	site = site_left(w, next.what);
	if (!site || !belongs_to_exit((enum picl_role)site->role, what_kind(what)) ||
	    !is_io_of(w, what, REC_EXIT))
		return false;
	*c = next.cursor;
	compose_leave(w, place, what);
	return true;
}

/* A message's event by itself. */
static void compose_message_event(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const uint32_t what = cursor_what(c);
	struct picl_out_site site = { 0 };

	site.type = mark_type(message_of(w, what), what_kind(what));
	site.role = (uint8_t)role_of(site.type);
	compose_mark(w, place, what, cursor_time(c), site);
}

/* A collective that is not at its region's ends: in a record of tview's own. */
static void compose_collective_event(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const uint32_t what = cursor_what(c), id = what_id(what);
	const bool begin = what_kind(what) == EV_COLLECTIVE_BEGIN;
	struct values values = { .n = 0 };
	int32_t type = -1;

	if (id != ID_NONE)
		type = w->region_type[trace_collective(w->trace,
						       trace_member_collective(w->trace, id))
					      ->region];
	head(w, place, begin ? REC_COLLECTIVE_BEGIN : REC_COLLECTIVE_END, type, cursor_time(c),
	     c->id);
	if (begin)
		add_collective(w, &values, ROLE_ROOTED, what, 0);
	else if (id != ID_NONE)
		add(&values, bytes_or_unknown(trace_member(w->trace, id)->received));
	payload(w, c->id, &values);
}

/* ---- records with text ---- */

static void compose_text(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const struct record *record = trace_record(w->trace, what_id(cursor_what(c)));
	const char *text = trace_string(w->trace, record->text);
	const char *extra = trace_event_extra(w->trace, c->id);

	head(w, place, REC_MESSAGE, w->sites[record->site].type, cursor_time(c), c->id);
	if (extra) {
		str_add(&w->text, extra);
	} else {
		str_add_fmt(&w->text, "%zu \"%%c\" ", strlen(text));
		for (; *text; text++)
			str_add_char(&w->text,
				     (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
	}
	str_add_char(&w->text, '\n');
}

static void compose_record(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const struct record *record = trace_record(w->trace, what_id(cursor_what(c)));
	int32_t rectype = record->rectype;

	switch (what_kind(cursor_what(c))) {
	case EV_IO: rectype = REC_IO; break;
	default: break;
	}
	head(w, place, rectype, w->sites[record->site].type, cursor_time(c), c->id);
	str_add(&w->text, trace_string(w->trace, record->text));
	str_add_char(&w->text, '\n');
}

static void compose_site(struct picl_writer *w, struct picl_out_place *place, int32_t rectype)
{
	const struct cursor *c = &place->cursor;
	struct values values = { .n = 0 };

	head(w, place, rectype, w->sites[what_id(cursor_what(c))].type, cursor_time(c), c->id);
	payload(w, c->id, &values);
}

void picl_compose(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;

	switch (what_kind(cursor_what(c))) {
	case EV_ENTER: compose_enter(w, place); break;
	case EV_LEAVE:
	case EV_STRAY_LEAVE: compose_leave(w, place, 0); break;
	case EV_TRACING_ON: compose_site(w, place, REC_ENTRY); break;
	case EV_TRACING_OFF: compose_site(w, place, REC_EXIT); break;
	case EV_MARK: compose_own_mark(w, place); break;
	case EV_SEND_COMPLETE:
	case EV_RECV:
		if (!compose_exit(w, place))
			compose_message_event(w, place);
		break;
	case EV_SEND:
	case EV_RECV_REQUEST:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: compose_message_event(w, place); break;
	case EV_COLLECTIVE_BEGIN: compose_collective_event(w, place); break;
	case EV_COLLECTIVE_END:
		if (!compose_exit(w, place))
			compose_collective_event(w, place);
		break;
	case EV_IO:
		if (!compose_exit(w, place))
			compose_record(w, place);
		break;
	case EV_MESSAGE_TEXT: compose_text(w, place); break;
	default: compose_record(w, place); break;
	}
	place->more = cursor_next(c);
}
