/* view_messages: one row a message, by the time of its send (of its receive where no send is
 * known), then the sender's rank and thread and the order of the file. */
#include <stdlib.h>
#include <string.h>

#include "views/query/table_list.h"
#include "views/query/view_common.h"

enum messages_column {
	M_SEND_TIME,
	M_RECV_TIME,
	M_SRC,
	M_DST,
	M_TAG,
	M_BYTES,
	M_COMM,
	M_SEND_REGION,
	M_RECV_REGION,
	M_LATENCY,
	M_CHANGE,
	M_BEFORE,
	M_FLAGS,
	M_COLUMNS
};

/* The first nine are promised to the readers of exports, in this order. */
static const struct column columns[M_COLUMNS] = {
	[M_SEND_TIME] = { "send_time_s", "sent [s]", COLUMN_TIME, 14, true, true },
	[M_RECV_TIME] = { "recv_time_s", "received [s]", COLUMN_TIME, 14, true, true },
	[M_SRC] = { "src", "src", COLUMN_RANK, 5, true, true },
	[M_DST] = { "dst", "dst", COLUMN_RANK, 5, true, true },
	[M_TAG] = { "tag", "tag", COLUMN_INT, 6, true, true },
	[M_BYTES] = { "bytes", "bytes", COLUMN_BYTES, 10, true, true },
	[M_COMM] = { "comm", "comm", COLUMN_TEXT, 14, true, false },
	[M_SEND_REGION] = { "send_region", "sent in", COLUMN_TEXT, 14, true, true },
	[M_RECV_REGION] = { "recv_region", "received in", COLUMN_TEXT, 14, true, true },
	[M_LATENCY] = { "latency_s", "latency", COLUMN_DURATION, 10, true, true },
	[M_CHANGE] = { "latency_change_s", "change", COLUMN_MOVE, 10, false, false },
	[M_BEFORE] = { "latency_before_s", "before", COLUMN_DURATION, 10, false, false },
	[M_FLAGS] = { "flags", "remarks", COLUMN_TEXT, 0, true, true },
};

struct messages_table {
	struct list_table list;
	struct column columns[M_COLUMNS];
	const struct trace *trace;
	enum time_base base, against;
	bool difference;
	struct str flags;
};

/* Words for what is odd about a message, joined by blanks. */
static const char *flag_words(struct messages_table *t, const struct message *m, bool reversed)
{
	static const struct {
		uint16_t flag;
		const char *word;
	} words[] = {
		{ MSG_NO_SEND, "no-send" },
		{ MSG_NO_RECV, "no-receive" },
		{ MSG_GUESSED, "guessed" },
		{ MSG_BROADCAST, "broadcast" },
		{ MSG_CANCELLED, "cancelled" },
		{ MSG_RECV_PENDING, "pending" },
		{ MSG_RECV_BLOCKED, "receive-blocked" },
		{ MSG_SEND_BLOCKED, "send-blocked" },
	};

	str_clear(&t->flags);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (m->flags & words[i].flag)
			str_add_fmt(&t->flags, "%s%s", t->flags.n ? " " : "", words[i].word);
	if (reversed)
		str_add_fmt(&t->flags, "%sreversed", t->flags.n ? " " : "");
	return t->flags.text;
}

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	struct messages_table *t = (struct messages_table *)list;
	const struct message *m = trace_message(t->trace, item);
	const bool sent = !(m->flags & MSG_NO_SEND), received = !(m->flags & MSG_NO_RECV);
	const int64_t send = sent ? trace_event_time(t->trace, t->base, m->send) : 0;
	const int64_t recv = received ? trace_event_time(t->trace, t->base, m->recv) : 0;

	v[M_SEND_TIME] = value_integer(sent, send);
	v[M_RECV_TIME] = value_integer(received, recv);
	v[M_SRC] = value_rank(message_source(t->trace, m));
	v[M_DST] = value_rank(message_destination(t->trace, m));
	v[M_TAG] = value_integer(!(m->flags & MSG_NO_TAG), m->tag);
	v[M_BYTES] = value_integer(!(m->flags & MSG_NO_BYTES), (int64_t)message_bytes(m));
	v[M_COMM] = value_comm(t->trace, m->comm);
	v[M_SEND_REGION] = value_text(NULL);
	v[M_RECV_REGION] = value_text(NULL);
	if (sent)
		v[M_SEND_REGION] = value_region_at(t->trace, m->send);
	if (received)
		v[M_RECV_REGION] = value_region_at(t->trace, m->recv);
	v[M_LATENCY] = value_integer(sent && received, recv - send);
	v[M_CHANGE] = v[M_BEFORE] = value_integer(false, 0);
	if (t->difference && sent && received) {
		const int64_t before = trace_event_time(t->trace, t->against, m->recv) -
				       trace_event_time(t->trace, t->against, m->send);

		v[M_BEFORE] = value_integer(true, before);
		v[M_CHANGE] = value_integer(true, recv - send - before);
	}
	v[M_FLAGS] = value_text(flag_words(t, m, sent && received && recv < send));
}

static void fini(struct list_table *list)
{
	str_fini(&((struct messages_table *)list)->flags);
}

/* ---- which rows, in which order ---- */

static struct row_place place_of(const struct query *query, uint32_t id)
{
	const struct message *m = trace_message(query->trace, id);
	const uint32_t event = m->flags & MSG_NO_SEND ? m->recv : m->send;
	const struct location *location;

	location = trace_location(query->trace, trace_event_location(query->trace, event));
	return (struct row_place){ .time = trace_event_time(query->trace, query->base, event),
				   .rank = location->rank,
				   .thread = location->thread,
				   .location = trace_event_location(query->trace, event),
				   .event = event,
				   .row = id };
}

struct collection {
	const struct query *query;
	VEC(struct row_place) places;
	bool sorted;
};

static bool collect(void *context, uint32_t id, const struct message *m)
{
	struct collection *c = context;
	const struct row_place place = place_of(c->query, id);

	(void)m;
	if (c->places.n && row_place_compare(vec_last(&c->places), &place) > 0)
		c->sorted = false;
	vec_push(&c->places, place);
	return true;
}

/* With a difference: what the latency was, and less of the rest. */
static void choose_columns(struct column *shown, const struct query *query)
{
	static const uint8_t other[] = { M_TAG, M_BYTES, M_SEND_REGION, M_RECV_REGION };

	memcpy(shown, columns, sizeof columns);
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
	static const struct list_ops ops = { .cells = cells, .fini = fini, .items = THING_MESSAGE };
	struct messages_table *t = xcalloc(1, sizeof *t);
	struct collection c = { .query = query, .sorted = true };

	(void)err;
	t->trace = query->trace;
	t->base = query->base;
	t->against = query->against;
	t->difference = query->difference;
	choose_columns(t->columns, query);
	str_init(&t->flags);
	list_table_init(&t->list, &ops, t->columns, M_COLUMNS, trace_scale(query->trace));
	messages_collect(query, collect, &c);
	if (query_stopped(query)) {
		vec_fini(&c.places);
		table_free(&t->list.table);
		return NULL;
	}
	if (!c.sorted)
		qsort(c.places.data, c.places.n, sizeof *c.places.data, row_place_compare);
	for (size_t i = 0; i < c.places.n; i++)
		list_table_add(&t->list, c.places.data[i].row);
	vec_fini(&c.places);
	return &t->list.table;
}
