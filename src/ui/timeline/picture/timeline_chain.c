#include "ui/timeline/picture/timeline_chain.h"

#include <stdlib.h>

#include "ui/timeline/picture/timeline_hits.h"

/* Events before a send that are looked at. */
enum { CHAIN_EVENTS = 64 };

/* False where it has not two ends on two visible rows. */
static bool arrow_of(const struct timeline_picture *p, const struct query *query,
		     const int32_t *rows, uint32_t id, struct timeline_arrow *a)
{
	const struct trace *trace = query->trace;
	const struct message *m = trace_message(trace, id);

	if (m->flags & (MSG_NO_SEND | MSG_NO_RECV))
		return false;
	*a = (struct timeline_arrow){ .id = id,
				      .from = rows[trace_event_location(trace, m->send)],
				      .to = rows[trace_event_location(trace, m->recv)] };
	a->x0 = timeline_half_column(p, trace_event_time(trace, query->base, m->send));
	a->x1 = timeline_half_column(p, trace_event_time(trace, query->base, m->recv));
	return a->from != ROW_HIDDEN && a->to != ROW_HIDDEN && a->from != a->to;
}

/* The last message that was received where and before another one was sent; NO_MESSAGE. */
#define NO_MESSAGE UINT32_MAX
static uint32_t received_before(const struct query *query, uint32_t id)
{
	struct cursor c;

	cursor_at(&c, query->trace, query->base, trace_message(query->trace, id)->send);
	for (int i = 0; i < CHAIN_EVENTS && cursor_prev(&c); i++)
		if (what_kind(cursor_what(&c)) == EV_RECV && what_id(cursor_what(&c)) != ID_NONE)
			return what_id(cursor_what(&c));
	return NO_MESSAGE;
}

static void find_messages(struct timeline_chain *chain, const struct timeline_picture *p,
			  const struct query *query, uint32_t id)
{
	int32_t *rows = timeline_rows_by_location(p, query->trace);

	while (id != NO_MESSAGE && chain->n < CHAIN_MESSAGES &&
	       arrow_of(p, query, rows, id, &chain->messages[chain->n]) &&
	       (chain->n == 0 || chain->messages[chain->n].x1 >= 0)) {
		chain->n++;
		id = received_before(query, id);
	}
	free(rows);
}

void timeline_chain_find(struct timeline_chain *chain, const struct timeline_picture *p,
			 const struct query *query, uint32_t message, uint32_t collective)
{
	chain->n = 0;
	chain->parts.n = 0;
	if (p->visible < 2)
		return;
	if (message < trace_message_count(query->trace))
		find_messages(chain, p, query, message);
	if (collective < trace_collective_count(query->trace))
		timeline_parts_of(p, query, collective, chain);
}

void timeline_chain_fini(struct timeline_chain *chain)
{
	vec_fini(&chain->parts);
	*chain = (struct timeline_chain){ .n = 0 };
}
