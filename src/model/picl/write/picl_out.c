/* The fields of a written record, and its text. */
#include <string.h>

#include "model/picl/picl_header.h"
#include "model/picl/picl_text.h"
#include "model/picl/write/picl_out.h"
#include "model/trace/record_type.h"

static int64_t known(int32_t rank)
{
	return rank == RANK_UNKNOWN ? -1 : rank;
}

/* OTF2 tags are unsigned and may have any value. */
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

const struct collective *picl_out_collective_of(const struct picl_writer *w, uint32_t member)
{
	return member == ID_NONE
		       ? NULL
		       : trace_collective(w->trace, trace_member_collective(w->trace, member));
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
	/* No other record tells the source of a request that is never completed. */
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

	if (what_kind(what) == EV_COLLECTIVE_BEGIN)
		c = picl_out_collective_of(w, what_id(what));
	if (c)
		m = trace_member(w->trace, what_id(what));
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

/* The head of an event's record, with the time as the file had it where that was kept. */
void picl_out_head(struct picl_writer *w, const struct picl_out_place *place, int32_t rectype,
		   int32_t evtype, int64_t time, uint32_t last)
{
	const char *text = NULL;
	char *p;

	if (w->texts && w->options->base == BASE_MEASURED)
		text = trace_event_time_text(w->trace, last);
	if (!text && place->pair_n && units_is_near(&w->near, time)) {
		p = str_room(&w->text, PICL_PAIR + UNITS_NEAR + sizeof place->pair);
		p = picl_put_pair(p, rectype, evtype);
		p = units_put_near(p, time, &w->near);
		memcpy(p, place->pair, sizeof place->pair);
		str_end(&w->text, p + place->pair_n);
		return;
	}
	picl_add_pair(&w->text, rectype, evtype);
	if (text)
		str_add(&w->text, text);
	else
		units_seconds_near(&w->text, time, trace_scale(w->trace), w->digits, &w->near);
	str_add_char(&w->text, ' ');
	picl_add_pair(&w->text, place->processor, place->process);
}

void picl_out_payload(struct picl_writer *w, uint32_t last, struct picl_out_values *values)
{
	const char *extra = picl_out_extra(w, last);

	picl_trim_values(values);
	if (extra)
		str_add(&w->text, extra);
	else
		picl_add_values(&w->text, values->v, values->n);
	str_add_char(&w->text, '\n');
}

/* ---- lines of the header ---- */

void picl_header_head(struct picl_writer *w, int32_t rectype, int32_t evtype)
{
	static const struct picl_out_place everybody = { .processor = -1, .process = -1 };

	picl_out_head(w, &everybody, rectype, evtype, w->header_time, EVENT_NONE);
}

void picl_text_record(struct picl_writer *w, int32_t rectype, int32_t evtype, const char *text)
{
	picl_header_head(w, rectype, evtype);
	picl_add_text(&w->text, text, strlen(text));
	str_add_char(&w->text, '\n');
}

void picl_line_add(struct picl_writer *w, int64_t value)
{
	if (w->line.n)
		str_add_char(&w->line, ' ');
	str_add_int(&w->line, value);
}

/* With the digits of a tick: offsets may be finer than the file's times. */
void picl_line_seconds(struct picl_writer *w, int64_t ticks)
{
	if (w->line.n)
		str_add_char(&w->line, ' ');
	units_seconds(&w->line, ticks, trace_scale(w->trace),
		      units_export_digits(trace_scale(w->trace)));
}

void picl_line_end(struct picl_writer *w, const char *key)
{
	OWNED_STR text = STR_INIT;

	str_add_fmt(&text, PICL_HEADER_PREFIX "%s=%s", key, w->line.text);
	picl_text_record(w, REC_MESSAGE, TYPE_ALL, text.text);
	str_clear(&w->line);
}

void picl_line(struct picl_writer *w, const char *key, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	str_add_fmt_v(&w->line, format, args);
	va_end(args);
	picl_line_end(w, key);
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
