/* Events that are records of their own: marks, messages and collectives that are not at the ends of
 * their call, texts, details. */
#include <string.h>

#include "model/meaning/picl_types.h"
#include "model/picl/picl_text.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/record_type.h"

/* ---- marks ---- */

/* The event type that a message's event is marked as where no record of its own bore it. */
int32_t picl_mark_type(const struct message *m, enum event_kind kind)
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
static void trim(struct picl_out_values *values, int keep)
{
	while (values->n > keep && values->v[values->n - 1] == -1)
		values->n--;
}

static void compose_mark(struct picl_writer *w, struct picl_out_place *place, int32_t rectype,
			 uint32_t what, int64_t time, struct picl_out_site site)
{
	struct picl_out_values values = { .n = 0 };
	const struct message *m = what ? picl_out_message(w, what) : NULL;
	uint32_t request = 0;

	site.call = 0;
	picl_out_head(w, place, rectype, site.type, time, place->cursor.id);
	if (what)
		picl_entry_values(w, place, &site, what, &values, &request);
	switch (what_kind(what)) {
	case EV_SEND:
		if (request) {
			trim(&values, 3);
			picl_out_add(&values, request);
		}
		break;
	case EV_RECV_REQUEST:
		trim(&values, 1);
		/* Two fields and a request could be mistaken for three fields. */
		if (values.n == 2)
			picl_out_add(&values, -1);
		if (request)
			picl_out_add(&values, request);
		break;
	case EV_RECV:
		trim(&values, 1);
		if (m)
			picl_out_received(w, &values, m);
		break;
	default: break;
	}
	picl_out_payload(w, place->cursor.id, &values);
}

static bool is_marked_with(enum picl_role role, enum event_kind kind)
{
	return kind != EV_IO && kind != EV_COLLECTIVE_BEGIN && kind != EV_COLLECTIVE_END &&
	       (picl_belongs_to_entry(role, kind) || picl_belongs_to_exit(role, kind));
}

static void compose_own_mark(struct picl_writer *w, struct picl_out_place *place)
{
	struct cursor *c = &place->cursor;
	const struct picl_out_site *site = &w->sites[what_id(cursor_what(c))];
	const struct picl_peek next = picl_peek(c);
	const int64_t time = cursor_time(c);

	/* Two records if the reader would take both for one (a mark inside a region of MPI is its
	 * message's event), or if one has attributes. */
	if (!w->own && next.there && next.same_time &&
	    is_marked_with((enum picl_role)site->role, what_kind(next.what))) {
		*c = next.cursor;
		compose_mark(w, place, REC_MARK, next.what, time, *site);
		return;
	}
	if (w->own)
		picl_compose_call_site(w, place, site, time, c->id);
	compose_mark(w, place, REC_MARK, 0, time, *site);
}

/* A message's event by itself. */
static void compose_message_event(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const uint32_t what = cursor_what(c);
	struct picl_out_site site = { 0 };

	const struct message *m = picl_out_message(w, what);
	int32_t rectype = REC_MARK;

	/* Outside any region of MPI a mark would be an event of its own. */
	if (w->own && (!place->nested || (!m && what_kind(what) == EV_RECV_REQUEST)))
		rectype = REC_MESSAGE_EVENT;
	site.type = picl_mark_type(m, what_kind(what));
	site.role = (uint8_t)role_of(site.type);
	compose_mark(w, place, rectype, what, cursor_time(c), site);
}

/* The event type of a collective, -1 where it is unknown. */
static int32_t operation_type(const struct picl_writer *w, const struct collective *c)
{
	return c ? w->region_type[c->region] : TYPE_ALL;
}

/* The number of a member's request on its location: -1 where its other half is missing. */
static int64_t collective_request(struct picl_writer *w, struct picl_out_place *place,
				  uint32_t what)
{
	const uint32_t id = what_id(what);

	if (id == ID_NONE)
		return -1;
	if (what_kind(what) == EV_COLLECTIVE_BEGIN)
		w->member_request[id] = w->hands_over ? id + 1 : ++place->collective_requests;
	return w->member_request[id] ? (int64_t)w->member_request[id] : -1;
}

/* A nonblocking collective: its completion says what it was. */
static void compose_request(struct picl_writer *w, struct picl_out_place *place, uint32_t what)
{
	struct cursor *c = &place->cursor;
	const bool begin = what_kind(what) == EV_COLLECTIVE_BEGIN;
	const int64_t request = collective_request(w, place, what);
	struct picl_out_values values = { .n = 0, .least = 1 };

	picl_out_head(w, place, begin ? REC_COLLECTIVE_REQUEST : REC_COLLECTIVE_COMPLETE,
		      operation_type(w, picl_out_collective_of(w, what_id(what))), cursor_time(c),
		      c->id);
	picl_out_add(&values, request);
	if (!begin && request != -1) {
		picl_out_add(&values,
			     picl_out_bytes(trace_member(w->trace, what_id(what))->received));
		picl_out_collective(w, &values, ROLE_ROOTED,
				    what_make(EV_COLLECTIVE_BEGIN, what_id(what)), 0);
	}
	picl_out_payload(w, c->id, &values);
}

/* A collective that is not at its region's ends: in a record of tview's own. */
static void compose_collective_event(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *at = &place->cursor;
	const uint32_t what = cursor_what(at), id = what_id(what);
	const struct collective *c = picl_out_collective_of(w, id);
	const bool begin = what_kind(what) == EV_COLLECTIVE_BEGIN;
	struct picl_out_values values = { .n = 0 };

	if (c ? c->flags & COLL_REQUEST : w->own) {
		compose_request(w, place, what);
		return;
	}
	picl_out_head(w, place, begin ? REC_COLLECTIVE_BEGIN : REC_COLLECTIVE_END,
		      operation_type(w, c), cursor_time(at), at->id);
	if (!begin)
		place->collective = UINT32_MAX;
	if (begin)
		picl_out_collective(w, &values, ROLE_ROOTED, what, 0);
	/* No end tells what it received. */
	if (begin && c && trace_member(w->trace, id)->end == EVENT_NONE)
		picl_out_add(&values, picl_out_bytes(trace_member(w->trace, id)->received));
	else if (!begin && c)
		picl_out_add(&values, picl_out_bytes(trace_member(w->trace, id)->received));
	picl_out_payload(w, at->id, &values);
}

/* ---- records with text ---- */

static void compose_text(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const struct record *record = trace_record(w->trace, what_id(cursor_what(c)));
	const char *text = trace_string(w->trace, record->text);
	const char *extra = picl_out_extra(w, c->id);

	picl_out_head(w, place, REC_MESSAGE, w->sites[record->site].type, cursor_time(c), c->id);
	if (extra)
		str_add(&w->text, extra);
	else
		picl_add_text(&w->text, text, strlen(text));
	str_add_char(&w->text, '\n');
}

static void compose_record(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const struct record *record = trace_record(w->trace, what_id(cursor_what(c)));
	const int32_t rectype =
		what_kind(cursor_what(c)) == EV_IO ? REC_IO : (int32_t)record->rectype;

	picl_out_head(w, place, rectype, w->sites[record->site].type, cursor_time(c), c->id);
	picl_compose_kept(w, cursor_what(c));
}

static void compose_tracing(struct picl_writer *w, struct picl_out_place *place, int32_t rectype)
{
	const struct cursor *c = &place->cursor;
	const struct picl_out_site *site = &w->sites[what_id(cursor_what(c))];
	struct picl_out_values values = { .n = 0 };

	picl_out_head(w, place, rectype, site->role == ROLE_TRACING ? site->type : TYPE_TRACING,
		      cursor_time(c), c->id);
	picl_out_payload(w, c->id, &values);
}

/* ---- details ---- */

static void compose_detail(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	const struct detail *detail = trace_detail(w->trace, what_id(cursor_what(c)));
	const enum detail_type type = (enum detail_type)detail->type;
	const uint64_t *values = trace_detail_values(w->trace, detail);
	const bool metric = type == DETAIL_METRIC;

	picl_out_head(w, place, metric ? REC_METRIC : REC_DETAIL, TYPE_ALL, cursor_time(c), c->id);
	str_add_int(&w->text, (int64_t)detail->n + !metric);
	str_add(&w->text, " 2");
	if (!metric)
		picl_add_value(&w->text, type);
	for (uint32_t i = 0; i < detail->n; i++)
		picl_add_value(&w->text, picl_value_out(w, picl_value_of(type, i), values[i]));
	str_add_char(&w->text, '\n');
}

void picl_compose_attributes(struct picl_writer *w, struct picl_out_place *place)
{
	const struct cursor *c = &place->cursor;
	uint32_t n;
	const struct event_attribute *list = trace_event_attributes(w->trace, c->id, &n);

	picl_out_head(w, place, REC_ATTRIBUTE, TYPE_ALL, cursor_time(c), c->id);
	str_add_int(&w->text, 2 * (int64_t)n);
	str_add(&w->text, " 2");
	for (uint32_t i = 0; i < n; i++) {
		picl_add_value(&w->text, list[i].object);
		picl_add_value(&w->text, picl_attribute_out(w, &list[i]));
	}
	str_add_char(&w->text, '\n');
}

/* ---- all ---- */

void picl_compose_alone(struct picl_writer *w, struct picl_out_place *place)
{
	switch (what_kind(cursor_what(&place->cursor))) {
	case EV_TRACING_ON: compose_tracing(w, place, REC_ENTRY); break;
	case EV_TRACING_OFF: compose_tracing(w, place, REC_EXIT); break;
	case EV_MARK: compose_own_mark(w, place); break;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: compose_message_event(w, place); break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: compose_collective_event(w, place); break;
	case EV_MESSAGE_TEXT: compose_text(w, place); break;
	case EV_DATA:
	case EV_STATISTICS:
	case EV_IO: compose_record(w, place); break;
	default: compose_detail(w, place); break;
	}
}
