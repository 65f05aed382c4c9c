/* The fields of a written record, and its text. */
#include <string.h>

#include "model/picl/picl_header.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/record_type.h"

static int64_t known(int32_t rank)
{
	return rank == RANK_UNKNOWN ? -1 : rank;
}

/* Of OTF2 it is unsigned, and may be any. */
static int64_t tag_of(const struct picl_writer *w, const struct message *m)
{
	if (m->flags & MSG_NO_TAG)
		return -1;
	return w->own ? (int64_t)(uint32_t)m->tag : m->tag;
}

const struct message *picl_out_message(const struct picl_writer *w, uint32_t what)
{
	return what_id(what) == ID_NONE ? NULL : trace_message(w->trace, what_id(what));
}

/* ---- fields: the order of picl_fields.h ---- */

void picl_out_sent(struct picl_writer *w, struct picl_out_values *values, const struct message *m,
		   uint32_t call)
{
	picl_out_add(values, m->flags & MSG_NO_BYTES ? -1 : (int64_t)message_bytes(m));
	picl_out_add(values, tag_of(w, m));
	picl_out_add(values,
		     m->flags & MSG_BROADCAST ? -1 : known(message_destination(w->trace, m)));
	values->least = m->flags & MSG_BROADCAST ? 3 : 0;
	picl_out_add(values, -1);
	picl_out_add(values, w->comm_ids[m->comm]);
	picl_out_add(values, call ? (int64_t)call : -1);
}

void picl_out_asked(struct picl_writer *w, struct picl_out_values *values, const struct message *m,
		    uint32_t call)
{
	/* Of a request that is never completed nothing else tells the source. */
	const bool pending =
		w->own && m && m->flags & MSG_RECV_PENDING && !(m->flags & MSG_GUESSED);

	picl_out_add(values, m ? tag_of(w, m) : -1);
	picl_out_add(values, pending ? known(message_source(w->trace, m)) : -1);
	picl_out_add(values, -1);
	picl_out_add(values, m ? w->comm_ids[m->comm] : -1);
	picl_out_add(values, call ? (int64_t)call : -1);
}

void picl_out_received(struct picl_writer *w, struct picl_out_values *values,
		       const struct message *m)
{
	picl_out_add(values, m->flags & MSG_NO_BYTES ? -1 : (int64_t)message_bytes(m));
	picl_out_add(values, tag_of(w, m));
	picl_out_add(values, m->flags & MSG_GUESSED ? -1 : known(message_source(w->trace, m)));
	picl_out_add(values, -1);
	picl_out_add(values, w->comm_ids[m->comm]);
}

void picl_out_request(struct picl_out_values *values, int64_t request, uint32_t call)
{
	picl_out_add(values, request);
	picl_out_add(values, call ? (int64_t)call : -1);
}

int64_t picl_out_bytes(uint64_t bytes)
{
	return bytes > INT64_MAX ? -1 : (int64_t)bytes;
}

/* `what` is the begin, or 0 where the region holds no collective. */
void picl_out_collective(struct picl_writer *w, struct picl_out_values *values, enum picl_role role,
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
		picl_out_add(values, m ? picl_out_bytes(m->sent) : -1);
	if (role == ROLE_ROOTED)
		picl_out_add(values, !c                                  ? -1
				     : w->own && c->root == RANK_UNKNOWN ? -2
									 : known(c->root));
	/* The world has a number of its own here: a communicator tells that there is a
	 * collective. */
	picl_out_add(values, c ? (w->own && c->comm == 0 ? -2 : w->comm_ids[c->comm]) : -1);
	picl_out_add(values, call ? (int64_t)call : -1);
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
void picl_out_head(struct picl_writer *w, const struct picl_out_place *place, int32_t rectype,
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

void picl_out_values(struct picl_writer *w, struct picl_out_values *values)
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
void picl_out_payload(struct picl_writer *w, uint32_t last, struct picl_out_values *values)
{
	const char *extra = trace_event_extra(w->trace, last);

	if (extra)
		str_add(&w->text, extra);
	else
		picl_out_values(w, values);
	str_add_char(&w->text, '\n');
}

/* ---- lines of the header ---- */

static void add_printable(struct str *out, const char *text)
{
	for (; *text; text++)
		str_add_char(out, (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text);
}

void picl_text_record(struct picl_writer *w, int32_t rectype, int32_t evtype, int64_t time,
		      const char *text)
{
	picl_compose_head(w, rectype, evtype, time, -1, -1);
	str_add_fmt(&w->text, "%zu \"%%c\" ", strlen(text));
	add_printable(&w->text, text);
	str_add_char(&w->text, '\n');
}

int64_t picl_string_number(struct picl_writer *w, uint32_t id)
{
	if (id == 0 || id >= trace_string_count(w->trace))
		return 0;
	if (w->string_numbers[id] == 0) {
		vec_push(&w->strings, id);
		w->string_numbers[id] = (uint32_t)w->strings.n;
	}
	return w->string_numbers[id];
}

int64_t picl_comm_number(const struct picl_writer *w, uint64_t id)
{
	return id < trace_comm_count(w->trace) ? PICL_WORLD - (int64_t)id : -1;
}

/* One line "tview:KEY=..."; the caller has put what is after the '=' into `value`. */
void picl_preface_line(struct picl_writer *w, int64_t time, const char *key, const char *value)
{
	struct str text = STR_INIT;

	str_add(&text, PICL_HEADER_PREFIX);
	str_add(&text, key);
	str_add_char(&text, '=');
	str_add(&text, value);
	picl_text_record(w, REC_MESSAGE, -1, time, text.text);
	str_fini(&text);
}

/* In ticks' digits: offsets are finer than a file's times may be. */
void picl_preface_seconds(const struct picl_writer *w, struct str *out, int64_t ticks)
{
	if (out->n)
		str_add_char(out, ' ');
	units_seconds(out, ticks, trace_scale(w->trace),
		      units_export_digits(trace_scale(w->trace)));
}
