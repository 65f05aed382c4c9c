/* Turns records into events. The entry of a message or request waits for the next record of its
 * place (struct picl_pending): the exit may name its request, and only both together tell whether
 * the writer can reproduce the fields or their text must be kept. */
#include <string.h>

#include "model/picl/picl_text.h"
#include "model/picl/read/picl_fields.h"
#include "model/picl/read/picl_reader.h"
#include "model/trace/record_type.h"

/* ---- entries that wait for their exit ---- */

static void set_pending(struct picl_place *place, struct picl_kind *kind,
			const struct picl_record *record)
{
	struct picl_pending *pending = &place->pending;

	pending->active = true;
	pending->kind = kind;
	pending->record = *record;
	str_clear(&pending->payload);
	str_clear(&pending->time_text);
	if (!record->plain)
		str_add_n(&pending->payload, record->payload, record->payload_n);
	if (record->time_text)
		str_add_n(&pending->time_text, record->time_text, record->time_n);
}

/* Points the waiting record at the copies of its payload and time. */
static void revive(struct picl_pending *pending)
{
	struct picl_record *record = &pending->record;

	if (record->plain)
		picl_add_values(&pending->payload, record->v, record->count);
	record->payload = pending->payload.text;
	record->payload_n = pending->payload.n;
	record->time_text = pending->time_text.n ? pending->time_text.text : NULL;
	record->time_n = pending->time_text.n;
}

static void enter_at(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		     int64_t time, uint32_t call)
{
	if (!call && place->call_kind == kind)
		call = place->call;
	place->call = 0;
	if (time < place->from)
		picl_part_enter(place, picl_site(r, place, kind, call));
	else
		builder_enter(r->feed, place->location, time, picl_site(r, place, kind, call));
	if (kind->cls != CLASS_USER && kind->cls != CLASS_OVERHEAD)
		place->nested++;
}

/* A send or receive that begins a request; `exit` is the record that names it, NULL unknown. */
static void begin_request(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			  const struct picl_record *record, const struct picl_record *exit)
{
	const bool named = exit && exit->values >= 1 && exit->v[0] != -1;
	struct picl_fields f;

	picl_fields_begin(r, kind, record->v, record->values, &f);
	enter_at(r, place, kind, record->time, f.call);
	place->begun = f.any || named;
	if (place->begun) {
		const bool complete = kind->role == ROLE_SEND_BEGIN ? f.any : f.end.tag != -1;
		/* Without an id the type serves as one, as in PICL itself. */
		picl_fields_name(kind,
				 named  ? exit->v[0]
				 : exit ? f.end.tag
					: -((int64_t)1 << 40) - place->requests,
				 &f);
		picl_emit(r, place, kind, record->time, &f);
		if (!exit)
			picl_open_push(place, kind->type, true, f.end.request);
		picl_count_request(place, f.end.request);
		/* A wildcard or a missing tag may be filled in by the completion. */
		f.exact = f.exact && complete;
	}
	picl_keep(r, place, record, f.exact && record->values == record->count);
}

/* The entry of a receive: exact where the writer, which sees the exit, would write it so. */
static void begin_recv(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		       const struct picl_record *record, const struct picl_record *exit)
{
	struct picl_fields f, got = { 0 };
	bool exact;

	picl_fields_asked(r, record->v, record->values, &f);
	if (exit)
		picl_fields_received(r, exit->v, exit->values, &got);
	exact = f.exact && f.any == got.any &&
		(!f.any || (f.end.tag == got.end.tag && f.comm == got.comm && got.exact));
	enter_at(r, place, kind, record->time, f.call);
	picl_keep(r, place, record, exact);
}

/* The entry of a completion: it names the request. */
static void begin_completion(struct picl_reader *r, struct picl_place *place,
			     struct picl_kind *kind, const struct picl_record *record,
			     const struct picl_record *exit)
{
	struct picl_fields f, got = { 0 };
	bool exact;

	picl_fields_request(r, record->v, record->values, &f);
	if (exit && kind->role == ROLE_RECV_DONE)
		picl_fields_received(r, exit->v, exit->values, &got);
	else
		got.any = exit != NULL;
	if (f.any)
		exact = f.exact && got.any && picl_is_ordinal(place, f.request);
	else
		exact = f.exact && !(kind->role == ROLE_RECV_DONE && got.any);
	enter_at(r, place, kind, record->time, f.call);
	picl_keep(r, place, record, exact);
	picl_open_push(place, kind->type, f.any, f.request);
}

/* Emits the entry that waits. `exit` is its own exit if that is the record that comes now. */
static void resolve(struct picl_reader *r, struct picl_place *place, const struct picl_record *exit)
{
	struct picl_pending *pending = &place->pending;

	pending->active = false;
	revive(pending);
	switch (pending->kind->role) {
	case ROLE_SEND_BEGIN:
	case ROLE_RECV_BEGIN: begin_request(r, place, pending->kind, &pending->record, exit); break;
	case ROLE_RECV: begin_recv(r, place, pending->kind, &pending->record, exit); break;
	default: begin_completion(r, place, pending->kind, &pending->record, exit); break;
	}
}

static const char no_entry[] = "a call site (-308) is not followed by the call's entry: skipped";

void picl_events_flush(struct picl_reader *r)
{
	for (size_t i = 0; i < r->places.n; i++) {
		if (r->divided)
			picl_divided_flush(r, i);
		else if (r->options->exchange)
			picl_shared_note(r, i ? r->places.data[i - 1] : NULL);
		if (r->places.data[i]->pending.active)
			resolve(r, r->places.data[i], NULL);
		if (r->places.data[i]->early.n)
			picl_part_inside(r, r->places.data[i]);
		if (r->places.data[i]->call)
			picl_note(r, FINDING_ODDITY, "call-site", 0, no_entry);
		if (r->places.data[i]->after)
			picl_note(r, FINDING_ODDITY, "after-the-end", r->places.data[i]->after,
				  "an event comes after the record that ends the trace of its "
				  "process (-901)");
	}
	if (r->options->exchange && !r->divided && r->places.n)
		picl_shared_note(r, *vec_last(&r->places));
}

/* ---- entries ---- */

static void add_record(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		       const struct picl_record *record, enum event_kind event)
{
	struct record made = { .rectype = record->rectype, .site = picl_site(r, place, kind, 0) };
	const char *payload;
	size_t n;

	/* Statistics cover the whole run, so a window has none. */
	if (record->time < place->from || (event == EV_STATISTICS && r->windowed))
		return;
	payload = picl_payload(r, record, &n);
	made.text = builder_string(r->feed, payload, n);
	builder_record(r->feed, place->location, record->time, event, &made);
}

static void enter(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		  const struct picl_record *record)
{
	const enum picl_role role = (enum picl_role)kind->role;
	struct picl_fields f;

	switch (role) {
	case ROLE_TRACING:
		builder_tracing(r->feed, place->location, record->time,
				picl_site(r, place, kind, 0), true);
		picl_keep(r, place, record, record->count == 0);
		place->ended = false;
		place->after = 0; /* between two intervals there may be messages */
		return;
	case ROLE_SEND_BEGIN:
	case ROLE_SEND_DONE:
	case ROLE_RECV:
	case ROLE_RECV_BEGIN:
	case ROLE_RECV_DONE: set_pending(place, kind, record); return;
	case ROLE_IO:
		enter_at(r, place, kind, record->time, 0);
		if (record->count)
			add_record(r, place, kind, record, EV_IO);
		picl_keep_time(r, place, record);
		return;
	case ROLE_SEND: picl_fields_send(r, record->v, record->values, &f); break;
	case ROLE_SEND_TEST:
	case ROLE_SEND_CANCEL:
	case ROLE_RECV_TEST:
	case ROLE_RECV_CANCEL:
		picl_fields_request(r, record->v, record->values, &f);
		f.exact = f.exact && (!f.any || picl_is_ordinal(place, f.request));
		break;
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED: picl_fields_collective(r, role, record->v, record->values, &f); break;
	case ROLE_PROBE:
		picl_fields_asked(r, record->v, record->values, &f);
		f.exact = f.exact && !f.any;
		f.any = false;
		break;
	case ROLE_PLAIN: picl_fields_plain(r, kind, record->v, record->values, &f); break;
	}
	enter_at(r, place, kind, record->time, f.call);
	if (f.any)
		picl_emit(r, place, kind, record->time, &f);
	picl_keep(r, place, record, f.exact);
}

/* ---- exits ---- */

static void exit_request(struct picl_place *place, struct picl_kind *kind,
			 const struct picl_record *record, bool paired, bool *exact)
{
	struct picl_open open;

	if (paired) {
		/* Counted when the entry was resolved. */
		if (place->begun)
			*exact = record->count == 1 && place->ordinals &&
				 record->v[0] == place->requests;
		return;
	}
	*exact = record->count == 0;
	if (!picl_open_pop(place, kind->type, &open))
		return;
	*exact = false;
	if (record->values)
		vec_push(&place->renamed, ((struct picl_rename){ record->v[0], open.request }));
}

static bool exit_send_done(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			   const struct picl_record *record)
{
	struct picl_open open;

	if (picl_open_pop(place, kind->type, &open) && open.has_request)
		picl_emit(r, place, kind, record->time,
			  &(struct picl_fields){ .request = open.request });
	return record->count == 0;
}

static bool exit_recv(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		      const struct picl_record *record)
{
	struct picl_open open = { 0 };
	struct picl_fields f;

	picl_fields_received(r, record->v, record->values, &f);
	if (kind->blocked)
		f.end.flags |= MSG_RECV_BLOCKED;
	if (kind->role == ROLE_RECV_DONE) {
		const bool opened = picl_open_pop(place, kind->type, &open);
		f.end.has_request = true;
		f.end.request = opened && open.has_request ? picl_translate(place, open.request)
							   : f.end.tag;
		f.any = f.any || (opened && open.has_request);
		f.exact = f.exact && record->values >= 3;
	}
	if (f.any)
		picl_emit(r, place, kind, record->time, &f);
	return (f.exact || (record->count == 0 && !f.any)) && record->values == record->count;
}

static bool exit_collective(struct picl_reader *r, struct picl_place *place,
			    const struct picl_kind *kind, const struct picl_record *record)
{
	uint64_t received = UINT64_MAX;

	if (place->collective != kind)
		return record->count == 0;
	place->collective = NULL;
	if (record->values && record->v[0] >= 0)
		received = (uint64_t)record->v[0];
	builder_collective_end(r->feed, place->location, record->time, UINT64_MAX, received);
	return record->count == 0 ||
	       (record->count == 1 && received != UINT64_MAX && kind->role != ROLE_BARRIER);
}

static void leave(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		  const struct picl_record *record, bool paired)
{
	bool exact = record->count == 0;

	switch ((enum picl_role)kind->role) {
	case ROLE_TRACING:
		builder_tracing(r->feed, place->location, record->time,
				picl_site(r, place, kind, 0), false);
		picl_keep(r, place, record, exact);
		place->ended = true;
		return;
	case ROLE_SEND_BEGIN:
	case ROLE_RECV_BEGIN: exit_request(place, kind, record, paired, &exact); break;
	case ROLE_SEND_DONE: exact = exit_send_done(r, place, kind, record); break;
	case ROLE_RECV:
	case ROLE_RECV_DONE: exact = exit_recv(r, place, kind, record); break;
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED: exact = exit_collective(r, place, kind, record); break;
	case ROLE_IO:
		if (record->count)
			add_record(r, place, kind, record, EV_IO);
		exact = true;
		break;
	default: break;
	}
	if (record->time < place->from)
		picl_part_leave(r, place, picl_site(r, place, kind, 0));
	else
		builder_leave(r->feed, place->location, record->time, picl_site(r, place, kind, 0));
	if (kind->cls != CLASS_USER && kind->cls != CLASS_OVERHEAD && place->nested)
		place->nested--;
	if (kind->role == ROLE_IO)
		picl_keep_time(r, place, record);
	else
		picl_keep(r, place, record, exact);
}

/* ---- everything else ---- */

static void message_text(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			 const struct picl_record *record)
{
	struct record made = { .rectype = REC_MESSAGE, .site = picl_site(r, place, kind, 0) };
	const char *payload;
	size_t n;
	bool exact;

	if (record->time < place->from)
		return;
	payload = picl_payload(r, record, &n);
	str_clear(&r->scratch);
	picl_add_text(&r->scratch, record->text, record->text ? record->text_n : 0);
	exact = record->text && r->scratch.n == n && memcmp(r->scratch.text, payload, n) == 0;
	made.text = builder_string(r->feed, record->text ? record->text : payload,
				   record->text ? record->text_n : n);
	builder_record(r->feed, place->location, record->time, EV_MESSAGE_TEXT, &made);
	if (!exact)
		picl_keep_payload(r, place, record);
	picl_keep_time(r, place, record);
}

static enum event_kind record_kind(int32_t rectype)
{
	return rectype == REC_IO ? EV_IO : picl_is_statistics(rectype) ? EV_STATISTICS : EV_DATA;
}

static void check_lifetime(struct picl_place *place, const struct picl_record *record)
{
	if (!place->after && record->rectype <= REC_MARK && record->rectype >= REC_EXIT &&
	    !(record->rectype == REC_ENTRY &&
	      (record->evtype == TYPE_TRACING || record->evtype == TYPE_ALL)))
		place->after = record->line;
}

static void check_call_site(struct picl_reader *r, struct picl_place *place,
			    const struct picl_kind *kind, const struct picl_record *record)
{
	if ((record->rectype == REC_ENTRY || record->rectype == REC_MARK) &&
	    kind == place->call_kind && record->count == 0)
		return;
	place->call = 0;
	picl_note(r, FINDING_ODDITY, "call-site", record->line, no_entry);
}

void picl_event(struct picl_reader *r, struct picl_place *place, struct picl_record *record)
{
	struct picl_kind *kind = picl_kind(r, record->evtype);
	const bool paired =
		place->pending.active && record->rectype == REC_EXIT && place->pending.kind == kind;

	if (place->pending.active)
		resolve(r, place, paired ? record : NULL);
	if (record->time >= place->from && place->from != INT64_MIN)
		picl_part_inside(r, place);
	if (place->call)
		check_call_site(r, place, kind, record);
	if (place->ended)
		check_lifetime(place, record);
	if (record->rectype <= REC_MARK && record->rectype >= REC_EXIT && !record->plain &&
	    record->values < record->count)
		record->values = 0;
	switch (record->rectype) {
	case REC_ENTRY: enter(r, place, kind, record); break;
	case REC_EXIT: leave(r, place, kind, record, paired); break;
	case REC_MARK: picl_mark(r, place, kind, record); break;
	case REC_MESSAGE: message_text(r, place, kind, record); break;
	case REC_ATTRIBUTE:
	case REC_CALL_SITE:
	case REC_STATEMENT:
		if (r->own && picl_own_record(r, place, kind, record))
			break;
		add_record(r, place, kind, record, EV_DATA);
		picl_keep_time(r, place, record);
		break;
	case REC_DETAIL:
	case REC_MESSAGE_EVENT:
	case REC_METRIC:
	case REC_COLLECTIVE_BEGIN:
	case REC_COLLECTIVE_END:
	case REC_COLLECTIVE_REQUEST:
	case REC_COLLECTIVE_COMPLETE:
		if (!r->own || !picl_own_record(r, place, kind, record))
			add_record(r, place, kind, record, EV_DATA);
		picl_keep_time(r, place, record);
		break;
	default:
		/* The file's statement records contain the same. */
		if (picl_is_statistics(record->rectype) && r->own_statistics &&
		    builder_statement_count(r->builder))
			break;
		add_record(r, place, kind, record, record_kind(record->rectype));
		picl_keep_time(r, place, record);
		break;
	}
}
