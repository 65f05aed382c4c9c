/* Marks, and messages' events by themselves: the fields of the entry, then those of the exit. */
#include "model/picl/read/picl_fields.h"
#include "model/picl/read/picl_reader.h"

static bool mark_received(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			  const struct picl_record *record, int32_t split, struct picl_fields *f)
{
	struct picl_fields asked;
	const bool has_exit = record->values > split;

	picl_fields_received(r, record->v + split, record->values - split, f);
	if (kind->role == ROLE_RECV_DONE) {
		picl_fields_request(r, record->v, split, &asked);
		f->end.has_request = true;
		f->end.request = asked.any ? picl_translate(place, asked.request) : f->end.tag;
		f->exact = f->exact && asked.any && picl_is_ordinal(place, asked.request);
		f->any = f->any || asked.any;
	} else {
		picl_fields_asked(r, record->v, split, &asked);
		if (!has_exit)
			*f = asked;
		f->exact = f->exact && has_exit && asked.exact && asked.end.tag == f->end.tag &&
			   asked.comm == f->comm;
	}
	if (kind->blocked)
		f->end.flags |= MSG_RECV_BLOCKED;
	return f->any;
}

static void mark_begin(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		       const struct picl_record *record, int32_t split, struct picl_fields *f)
{
	const bool named = record->values > split;

	picl_fields_begin(r, kind, record->v, split, f);
	if (!f->any && !named)
		return;
	picl_fields_name(kind, named ? record->v[split] : f->end.tag, f);
	f->exact =
		picl_count_request(place, f->end.request) && f->exact && named && f->end.tag != -1;
}

/* The message or collective event that a mark records; false for a plain mark. */
static bool mark_event(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
		       const struct picl_record *record, struct picl_fields *f)
{
	const int32_t split = picl_fields_split((enum picl_role)kind->role, record->values);

	*f = (struct picl_fields){ .exact = record->count == 0 };
	switch ((enum picl_role)kind->role) {
	case ROLE_SEND: picl_fields_send(r, record->v, record->values, f); break;
	case ROLE_SEND_BEGIN:
	case ROLE_RECV_BEGIN: mark_begin(r, place, kind, record, split, f); break;
	case ROLE_RECV:
	case ROLE_RECV_DONE: mark_received(r, place, kind, record, split, f); break;
	case ROLE_SEND_DONE:
	case ROLE_SEND_TEST:
	case ROLE_SEND_CANCEL:
	case ROLE_RECV_TEST:
	case ROLE_RECV_CANCEL:
		picl_fields_request(r, record->v, record->values, f);
		f->exact = f->exact && picl_is_ordinal(place, f->request);
		break;
	default: return false;
	}
	return f->any;
}

void picl_emit(struct picl_reader *r, struct picl_place *place, const struct picl_kind *kind,
	       int64_t time, struct picl_fields *f)
{
	const uint32_t l = place->location;

	switch ((enum picl_role)kind->role) {
	case ROLE_SEND:
	case ROLE_SEND_BEGIN:
		f->end.flags |= (uint16_t)(kind->mode << MSG_MODE_SHIFT);
		builder_send(r->feed, l, time, &f->end);
		break;
	case ROLE_RECV_BEGIN: builder_recv_request(r->feed, l, time, &f->end); break;
	case ROLE_RECV:
	case ROLE_RECV_DONE: builder_recv(r->feed, l, time, &f->end); break;
	case ROLE_SEND_DONE:
		builder_send_complete(r->feed, l, time, picl_translate(place, f->request),
				      kind->blocked ? MSG_SEND_BLOCKED : 0);
		break;
	case ROLE_BARRIER:
	case ROLE_COLLECTIVE:
	case ROLE_ROOTED:
		builder_collective_begin(r->feed, l, time, f->comm, picl_region_of(r, place, kind),
					 f->root, f->bytes,
					 kind->role == ROLE_BARRIER ? 0 : UINT64_MAX);
		place->collective = kind;
		break;
	case ROLE_SEND_TEST:
	case ROLE_RECV_TEST: builder_request_test(r->feed, l, time, f->request); break;
	default:
		builder_request_cancelled(r->feed, l, time, picl_translate(place, f->request));
		break;
	}
}

bool picl_message_event(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
			const struct picl_record *record)
{
	struct picl_fields f;

	if (kind->role < ROLE_SEND || kind->role > ROLE_RECV_CANCEL || kind->role == ROLE_PROBE)
		return false;
	if (!record->plain && record->values < record->count)
		return false;
	mark_event(r, place, kind, record, &f);
	picl_emit(r, place, kind, record->time, &f);
	if (!f.exact || record->values != record->count)
		picl_keep_payload(r, place, record);
	return true;
}

void picl_mark(struct picl_reader *r, struct picl_place *place, struct picl_kind *kind,
	       const struct picl_record *record)
{
	const uint32_t call = place->call_kind == kind ? place->call : 0;
	struct picl_fields f;
	bool event;

	place->call = 0;
	event = mark_event(r, place, kind, record, &f);
	if (!event)
		f.exact = record->count == 0;
	/* Inside a region of MPI tview writes a message's event as a mark where it is not part of
	 * an entry or exit: it belongs to that region, and is not an event of its own. */
	if (record->time >= place->from && (!event || !place->nested || !r->own)) {
		builder_mark(r->feed, place->location, record->time,
			     picl_site(r, place, kind, call));
		if (kind->type == TYPE_FULL)
			picl_note(r, FINDING_INFO, "buffer-full", record->line,
				  "a trace buffer was full: nothing more was recorded there");
		if (kind->type == TYPE_WRAP)
			picl_note(r, FINDING_INFO, "overwritten", record->line,
				  "a trace buffer was full: older records were overwritten");
	}
	if (event)
		picl_emit(r, place, kind, record->time, &f);
	picl_keep(r, place, record, f.exact && record->values == record->count);
}
