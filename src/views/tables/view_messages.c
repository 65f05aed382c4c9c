/* view_messages: one row for each message, by the time of its send (of its receive if no send is
 * known), then by the sender's rank and thread and the order of the file. */
#include <stdlib.h>

#include "correct/correct.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

/* The first nine and their order are promised to readers of exports. */
#define COLUMNS(ROW)                                                                   \
	ROW(M_SEND_TIME, "send_time_s", "sent [s]", COLUMN_TIME, 14, true, true)       \
	ROW(M_RECV_TIME, "recv_time_s", "received [s]", COLUMN_TIME, 14, true, true)   \
	ROW(M_SRC, "src", "src", COLUMN_RANK, 5, true, true)                           \
	ROW(M_DST, "dst", "dst", COLUMN_RANK, 5, true, true)                           \
	ROW(M_TAG, "tag", "tag", COLUMN_INT, 6, true, true)                            \
	ROW(M_BYTES, "bytes", "bytes", COLUMN_BYTES, 10, true, true)                   \
	ROW(M_COMM, "comm", "comm", COLUMN_TEXT, 14, true, false)                      \
	ROW(M_SEND_REGION, "send_region", "sent in", COLUMN_NAME, 14, true, true)      \
	ROW(M_RECV_REGION, "recv_region", "received in", COLUMN_NAME, 14, true, true)  \
	ROW(M_LATENCY, "latency_s", "latency", COLUMN_DURATION, 10, true, true)        \
	ROW(M_CHANGE, "latency_change_s", "change", COLUMN_MOVE, 10, false, false)     \
	ROW(M_BEFORE, "latency_before_s", "before", COLUMN_DURATION, 10, false, false) \
	ROW(M_FLAGS, "flags", "remarks", COLUMN_TEXT, 0, true, true)                   \
	ROW(M_SEND, "send_event", "send", COLUMN_INT, 10, true, false)                 \
	ROW(M_RECV, "recv_event", "receive", COLUMN_INT, 10, true, false)
enum messages_column { COLUMNS(COLUMN_ID) M_COLUMNS };
static const struct column columns[M_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct messages_table {
	struct list_table list;
	enum time_base base, against;
	bool difference;
	const struct clock_room *room; /* NULL: clocks were not compared */
};

/* A time that is below what the clocks of both ends may be wrong by. */
static bool is_uncertain(const struct messages_table *t, const struct message *m, int64_t latency)
{
	const struct trace *trace = t->list.trace;
	const struct clock_place from = clock_place_of(t->room, trace, t->base, m->send);
	const struct clock_place to = clock_place_of(t->room, trace, t->base, m->recv);
	struct room_span span;

	if (!from.known || !to.known)
		return false;
	span = clock_room_between(t->room, &from, &to);
	return (double)latency < span.high - span.low;
}

/* Words for what is odd about a message, joined by blanks. */
static void add_flags(const struct message *m, bool reversed, bool uncertain, struct str *out)
{
	static const struct {
		uint16_t flag;
		const char *word;
	} words[] = {
		{ MSG_NO_SEND, "no-send" },           { MSG_NO_RECV, "no-receive" },
		{ MSG_GUESSED, "guessed" },           { MSG_TURN_GUESSED, "turn-guessed" },
		{ MSG_BROADCAST, "broadcast" },       { MSG_CANCELLED, "cancelled" },
		{ MSG_RECV_PENDING, "pending" },      { MSG_RECV_BLOCKED, "receive-blocked" },
		{ MSG_SEND_BLOCKED, "send-blocked" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (m->flags & words[i].flag)
			str_add_fmt(out, "%s%s", out->n ? " " : "", words[i].word);
	if (reversed)
		str_add_fmt(out, "%sreversed", out->n ? " " : "");
	if (uncertain)
		str_add_fmt(out, "%suncertain", out->n ? " " : "");
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct messages_table *t = (struct messages_table *)list;
	const struct message *m = trace_message(list->trace, item);
	const bool sent = !(m->flags & MSG_NO_SEND), received = !(m->flags & MSG_NO_RECV);
	const int64_t send = sent ? trace_event_time(list->trace, t->base, m->send) : 0;
	struct str *flags = list_table_text(list);
	const int64_t recv = received ? trace_event_time(list->trace, t->base, m->recv) : 0;

	v[M_SEND_TIME] = value_integer(sent, send);
	v[M_RECV_TIME] = value_integer(received, recv);
	v[M_SRC] = value_rank(message_source(list->trace, m));
	v[M_DST] = value_rank(message_destination(list->trace, m));
	v[M_TAG] = value_integer(!(m->flags & MSG_NO_TAG), m->tag);
	v[M_BYTES] = value_integer(!(m->flags & MSG_NO_BYTES), (int64_t)message_bytes(m));
	v[M_COMM] = value_comm(list->trace, m->comm);
	v[M_SEND_REGION] = value_text(NULL);
	v[M_RECV_REGION] = value_text(NULL);
	if (sent)
		v[M_SEND_REGION] = value_region_at(list->trace, m->send);
	if (received)
		v[M_RECV_REGION] = value_region_at(list->trace, m->recv);
	v[M_LATENCY] = value_integer(message_arrived(m), recv - send);
	v[M_CHANGE] = v[M_BEFORE] = value_integer(false, 0);
	if (t->difference && message_arrived(m)) {
		const int64_t before = trace_event_time(list->trace, t->against, m->recv) -
				       trace_event_time(list->trace, t->against, m->send);

		v[M_BEFORE] = value_integer(true, before);
		v[M_CHANGE] = value_integer(true, recv - send - before);
	}
	add_flags(m, sent && received && recv < send,
		  message_arrived(m) && is_uncertain(t, m, recv - send), flags);
	v[M_FLAGS] = value_text(flags->text);
	v[M_SEND] = value_event(list->trace, sent ? m->send : EVENT_NONE);
	v[M_RECV] = value_event(list->trace, received ? m->recv : EVENT_NONE);
}

/* ---- which rows, in which order ---- */

static bool collect(void *context, uint32_t id, const struct message *m)
{
	struct row_places *places = context;
	const uint32_t event = m->flags & MSG_NO_SEND ? m->recv : m->send;

	vec_push(&places->list, row_place_of(places->query, event, id));
	return true;
}

/* Whether all have a send: it gives them their place. */
static bool is_by_send(const struct trace *trace, const struct row_places *places)
{
	const struct row_place *place;

	vec_each (place, &places->list)
		if (trace_message(trace, place->row)->flags & MSG_NO_SEND)
			return false;
	return true;
}

/* With a difference: shows the latency in the other base, and fewer other columns. */
static void choose_columns(struct column *shown, const struct query *query)
{
	static const uint8_t other[] = { M_TAG, M_BYTES, M_SEND_REGION, M_RECV_REGION };

	if (!query->difference)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		shown[other[i]].on_screen = false;
	shown[M_CHANGE].exported = shown[M_CHANGE].on_screen = true;
	shown[M_BEFORE].exported = shown[M_BEFORE].on_screen = true;
	shown[M_BEFORE].title = time_base_name(query->against);
}

struct table *messages_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells, .items = THING_MESSAGE };
	struct messages_table *t =
		list_table_new(sizeof *t, &ops, columns, M_COLUMNS, query->trace);
	struct row_places places = { .query = query };

	(void)err;
	t->base = query->base;
	t->room = query->corrections ? &query->corrections->room : NULL;
	t->against = query->against;
	t->difference = query->difference;
	choose_columns(t->list.columns, query);
	messages_collect(query, collect, &places);
	if (is_by_send(query->trace, &places))
		t->list.table.sorted_by = M_SEND_TIME;
	return list_table_of_places(&t->list, &places);
}
