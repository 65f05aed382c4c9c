/* picl_out: the fields of written records, the counterpart of picl_fields.h, and their text. */
#pragma once

#include "model/picl/write/picl_writer.h"

/* The values of a record's data. */
struct picl_out_values {
	int64_t v[16];
	int n;
	int least; /* written at least, even if the last ones are unknown */
};

static inline void picl_out_add(struct picl_out_values *values, int64_t value)
{
	values->v[values->n++] = value;
}

/* Leaves out the last ones that are unknown. */
static inline void picl_trim_values(struct picl_out_values *values)
{
	while (values->n > values->least && values->v[values->n - 1] == -1)
		values->n--;
}

/* The message of an event, NULL without. */
const struct message *picl_out_message(const struct picl_writer *w, uint32_t what);

/* The collective of a member, NULL without. */
const struct collective *picl_out_collective_of(const struct picl_writer *w, uint32_t member);

/* In the order of picl_fields.h; `call` is the number of a call site, 0 none. */
void picl_out_sent(struct picl_writer *w, struct picl_out_values *values, const struct message *m,
		   uint32_t call);
void picl_out_asked(struct picl_writer *w, struct picl_out_values *values, const struct message *m,
		    uint32_t call);
void picl_out_received(struct picl_writer *w, struct picl_out_values *values,
		       const struct message *m);
void picl_out_request(struct picl_out_values *values, int64_t request, uint32_t call);
/* `what` is the begin's, or 0 if the region has no collective. */
void picl_out_collective(struct picl_writer *w, struct picl_out_values *values, enum picl_role role,
			 uint32_t what, uint32_t call);
/* The number of bytes, -1 if unknown. */
int64_t picl_out_bytes(uint64_t bytes);

/* The data of an event's record as the source had it; NULL where that was not kept. */
static inline const char *picl_out_extra(const struct picl_writer *w, uint32_t event)
{
	return w->texts ? trace_event_extra(w->trace, event) : NULL;
}

/* Appends the head of an event's record, with the time as the source had it if that was kept. */
void picl_out_head(struct picl_writer *w, const struct picl_out_place *place, int32_t rectype,
		   int32_t evtype, int64_t time, uint32_t last);
/* Appends the data, as the source had it if that was kept, else these values; and the line's
 * end. */
void picl_out_payload(struct picl_writer *w, uint32_t last, struct picl_out_values *values);

/* ---- lines of the header ---- */

/* The head of a record of the header. */
void picl_header_head(struct picl_writer *w, int32_t rectype, int32_t evtype);
/* A record whose data is a text, with what cannot be printed replaced. */
void picl_text_record(struct picl_writer *w, int32_t rectype, int32_t evtype, const char *text);
/* Appends a number, or a time with a tick's digits, to w->line: after a blank, unless it is the
 * first. */
void picl_line_add(struct picl_writer *w, int64_t value);
void picl_line_seconds(struct picl_writer *w, int64_t ticks);
/* Writes w->line as "tview:KEY=..."; it is empty then. */
void picl_line_end(struct picl_writer *w, const char *key);
/* The same, with formatted text at its end. */
void picl_line(struct picl_writer *w, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The number of a string in the tables, which its first use assigns. */
int64_t picl_string_number(struct picl_writer *w, uint32_t id);
int64_t picl_comm_number(const struct picl_writer *w, uint64_t id);

/* ---- picl_compose.c: groups of events that are one record ---- */

/* The event after the cursor's, and whether it has the same time. */
struct picl_peek {
	struct cursor cursor;
	bool there;
	bool same_time;
	uint32_t what;
};

struct picl_peek picl_peek(const struct cursor *cursor);
/* True if events of a kind are part of the entry, or the exit, of a region with this role. */
bool picl_belongs_to_entry(enum picl_role role, enum event_kind kind);
bool picl_belongs_to_exit(enum picl_role role, enum event_kind kind);
/* The values of an entry or mark for the event that it begins; *request: the number of a request
 * that it begins. */
void picl_entry_values(struct picl_writer *w, struct picl_out_place *place,
		       const struct picl_out_site *site, uint32_t what,
		       struct picl_out_values *values, uint32_t *request);
/* Whether entries, or exits, of calls of a site are never one record with another event, and name
 * no request. */
bool picl_is_alone(const struct picl_out_site *site, bool entries);
/* The values of an entry of which only the call site is known. */
void picl_bare_values(struct picl_writer *w, const struct picl_out_site *site,
		      struct picl_out_values *values);
/* Whether the reader will count its calls as regions of MPI or I/O. */
static inline bool picl_is_nested(const struct picl_out_site *site)
{
	return site->cls != CLASS_USER && site->cls != CLASS_OVERHEAD;
}
/* Appends the data of an event that was kept as text, and the line's end. */
void picl_compose_kept(struct picl_writer *w, uint32_t what);
/* Appends a record -308 before a record that has no field for its call site; `last`: the record's
 * last event. */
void picl_compose_call_site(struct picl_writer *w, const struct picl_out_place *place,
			    const struct picl_out_site *site, int64_t time, uint32_t last);

/* ---- picl_single_event.c: events that are records of their own ---- */

/* The event type with which a message's event is written as a mark, if it had no record of its
 * own. */
int32_t picl_mark_type(const struct message *m, enum event_kind kind);
/* Appends the record that begins at the cursor, and leaves the cursor on the record's last
 * event. */
void picl_compose_alone(struct picl_writer *w, struct picl_out_place *place);
/* Appends the record of that event's attributes. */
void picl_compose_attributes(struct picl_writer *w, struct picl_out_place *place);
