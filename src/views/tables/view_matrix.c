/* view_matrix: messages between ranks: one row for each pair that exchanged any; and copies between
 * hosts and accelerators, one row for each two locations. */
#include <stdlib.h>

#include "base/exchange.h"
#include "base/keymap.h"
#include "model/meaning/meaning.h"
#include "model/trace/copy.h"
#include "model/trace/program.h"
#include "patterns/graph/graph.h"
#include "views/query/table_kept.h"
#include "views/query/table_list.h"
#include "views/query/view_common.h"

#define COLUMNS(ROW)                                                                           \
	ROW(X_SRC, "src", "src", COLUMN_RANK, 5, true, true)                                   \
	ROW(X_DST, "dst", "dst", COLUMN_RANK, 5, true, true)                                   \
	ROW(X_MESSAGES, "messages", "messages", COLUMN_COUNT, 10, true, true)                  \
	ROW(X_BYTES, "bytes", "bytes", COLUMN_BYTES, 10, true, true)                           \
	ROW(X_MEAN_BYTES, "mean_bytes", "mean size", COLUMN_BYTES, 10, true, true)             \
	ROW(X_MIN_LATENCY, "min_latency_s", "min latency", COLUMN_DURATION, 11, true, true)    \
	ROW(X_MEAN_LATENCY, "mean_latency_s", "mean latency", COLUMN_DURATION, 12, true, true) \
	ROW(X_MAX_LATENCY, "max_latency_s", "max latency", COLUMN_DURATION, 11, true, true)    \
	ROW(X_COPY, "copy", "copy", COLUMN_TEXT, 9, false, false)                              \
	ROW(X_FROM, "from", "from", COLUMN_TEXT, 16, false, false)                             \
	ROW(X_TO, "to", "to", COLUMN_TEXT, 16, false, false)
enum matrix_column { COLUMNS(COLUMN_ID) X_COLUMNS };
static const struct column columns[X_COLUMNS] = { COLUMNS(COLUMN_ROW) };

struct pair {
	int32_t src, dst;
	uint32_t from, to;  /* locations, of copies; UINT32_MAX: of messages, or unknown */
	uint8_t copies;     /* bool */
	uint8_t sent_known; /* bool: from statistics, of the sender */
	uint64_t messages;
	uint64_t sized, bytes; /* messages whose size is known, and their sum */
	uint64_t matched;      /* messages whose ends are both known */
	int64_t min, max;      /* latency, ticks */
	__int128 sum;
};

/* While they are made. */
struct pairs {
	const struct query *query;
	struct keymap items; /* (src, dst, from, to): row */
	VEC(struct pair) rows;
};

/* The row of a pair that is counted where `like` has its ends. */
static struct pair *pair_like(struct pairs *pairs, const struct pair *like)
{
	uint32_t row;

	/* The ends of copies tell their ranks. */
	if (keymap_new(&pairs->items,
		       like->copies ? KEY_OF(like->from, like->to, 1)
				    : KEY_OF((uint32_t)like->src, (uint32_t)like->dst),
		       pairs->rows.n, &row))
		vec_push(&pairs->rows, ((struct pair){ .src = like->src,
						       .dst = like->dst,
						       .from = like->from,
						       .to = like->to,
						       .copies = like->copies }));
	return &pairs->rows.data[row];
}

static struct pair *pair_of(struct pairs *pairs, int32_t src, int32_t dst)
{
	return pair_like(pairs,
			 &(struct pair){
				 .src = src, .dst = dst, .from = UINT32_MAX, .to = UINT32_MAX });
}

static int32_t rank_of(const struct trace *trace, uint32_t location)
{
	return location == UINT32_MAX ? RANK_UNKNOWN : trace_location(trace, location)->rank;
}

static bool add_copy(void *context, uint32_t id, const struct copy *copy)
{
	struct pairs *pairs = context;
	const struct trace *trace = pairs->query->trace;
	const uint32_t from = copy_from(trace, copy), to = copy_to(trace, copy);
	struct pair *pair = pair_like(pairs, &(struct pair){ .src = rank_of(trace, from),
							     .dst = rank_of(trace, to),
							     .from = from,
							     .to = to,
							     .copies = true });

	(void)id;
	pair->messages++;
	pair->sized++;
	pair->bytes += copy->bytes;
	return true;
}

static bool add_message(void *context, uint32_t id, const struct message *m)
{
	struct pairs *pairs = context;
	const struct trace *trace = pairs->query->trace;
	struct pair *pair = pair_of(pairs, message_source(trace, m), message_destination(trace, m));

	(void)id;
	pair->messages++;
	if (!(m->flags & MSG_NO_BYTES)) {
		pair->sized++;
		pair->bytes += message_bytes(m);
	}
	if (message_arrived(m)) {
		const enum time_base base = pairs->query->base;
		const int64_t latency = trace_event_time(trace, base, m->recv) -
					trace_event_time(trace, base, m->send);
		if (!pair->matched || latency < pair->min)
			pair->min = latency;
		if (!pair->matched || latency > pair->max)
			pair->max = latency;
		pair->matched++;
		pair->sum += latency;
	}
	return true;
}

/* Adds those of other processes that share the trace: receives without a send are where they were
 * posted, all other messages where they were sent. */
static void share(struct pairs *pairs)
{
	struct pairs all = { .query = pairs->query };
	const struct pair *p;

	exchange_rows(trace_exchange(pairs->query->trace), &pairs->rows);
	vec_each (p, &pairs->rows) {
		struct pair *sum = pair_like(&all, p);
		sum->messages += p->messages;
		sum->sized += p->sized;
		sum->bytes += p->bytes;
		if (p->matched && (!sum->matched || p->min < sum->min))
			sum->min = p->min;
		if (p->matched && (!sum->matched || p->max > sum->max))
			sum->max = p->max;
		sum->matched += p->matched;
		sum->sum += p->sum;
	}
	vec_fini(&pairs->rows);
	keymap_fini(&pairs->items);
	*pairs = all;
}

/* ---- from statistics ---- */

/* What a rank sent to another one, or where that is not recorded what the other one received. */
static void add_part(struct pairs *pairs, int32_t rank, const struct graph_part *part, bool sends)
{
	const struct graph_values *v = &part->values;
	struct pair *pair;

	if (part->partner < 0 || !(sends ? v->sent || v->flags & RECORD_SENT
					 : v->received || v->flags & RECORD_RECEIVED))
		return;
	pair = sends ? pair_of(pairs, rank, part->partner) : pair_of(pairs, part->partner, rank);
	if (pair->sent_known && !sends)
		return;
	pair->sent_known = pair->sent_known || sends;
	pair->messages += v->count;
	pair->sized += v->count;
	pair->bytes += sends ? v->sent : v->received;
}

/* The communication statements of messages, by location and destination. False if stopped. */
static bool add_records(struct pairs *pairs, struct err *err)
{
	const struct query *query = pairs->query;
	const uint32_t n = query_location_count(query);
	struct graph *graph = query_graph(query, err);

	for (uint32_t node = 1; graph && node < 2 * graph_node_count(graph); node++) {
		/* All sends first. */
		const bool sends = node < graph_node_count(graph);
		const uint32_t at = sends ? node : node - graph_node_count(graph);
		const struct graph_node *s = graph_node(graph, at);

		if (s->kind != GRAPH_KIND_COMMUNICATION ||
		    meaning_of_region(trace_string(query->trace, s->name), CLASS_COUNT, 0, 0).cls !=
			    CLASS_P2P)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t location = query_location(query, i);
			struct graph_part *parts;
			const uint32_t count = graph_destinations(graph, at, location, &parts);

			for (uint32_t p = 0; p < count; p++)
				add_part(pairs, trace_location(query->trace, location)->rank,
					 &parts[p], sends);
			free(parts);
		}
	}
	graph_free(graph);
	return graph != NULL;
}

/* ---- the table ---- */

static void cells(struct list_table *list, uint32_t item, struct value *v)
{
	const struct pair *p = list_table_row(list, item);
	const bool matched = p->matched != 0;

	v[X_SRC] = value_rank(p->src);
	v[X_DST] = value_rank(p->dst);
	v[X_MESSAGES] = value_integer(true, (int64_t)p->messages);
	v[X_BYTES] = value_integer(p->sized, (int64_t)p->bytes);
	v[X_MEAN_BYTES] = value_integer(p->sized, 0);
	if (p->sized)
		v[X_MEAN_BYTES].integer = (int64_t)((p->bytes + p->sized / 2) / p->sized);
	v[X_MIN_LATENCY] = value_integer(matched, p->min);
	v[X_MEAN_LATENCY] = value_integer(matched, 0);
	if (matched)
		v[X_MEAN_LATENCY].integer = (int64_t)(p->sum / (__int128)p->matched);
	v[X_MAX_LATENCY] = value_integer(matched, p->max);
	v[X_COPY] = v[X_FROM] = v[X_TO] = value_text(NULL);
	if (p->copies) {
		v[X_COPY] = value_text(
			copy_direction_name(copy_direction_of(list->trace, p->from, p->to)));
		v[X_FROM] = value_location(list->trace, p->from);
		v[X_TO] = value_location(list->trace, p->to);
	}
}

static struct row_thing thing(const struct list_table *list, uint32_t item)
{
	const struct pair *p = list_table_row(list, item);

	if (p->copies)
		return (struct row_thing){ THING_LOCATION, p->from == UINT32_MAX ? p->to : p->from,
					   0 };
	return (struct row_thing){ THING_RANKS, (uint32_t)p->src, (uint32_t)p->dst };
}

/* ---- with the trace ---- */

static const char keep_name[] = "matrix";

static bool is_time(int64_t ticks)
{
	return ticks >= -RECORD_TIME_MAX && ticks <= RECORD_TIME_MAX;
}

static bool holds(const struct trace *trace, const void *kept)
{
	const struct pair *p = kept;
	const uint32_t n = trace_location_count(trace);

	return p->copies <= 1 && p->sent_known <= 1 && (p->from == UINT32_MAX || p->from < n) &&
	       (p->to == UINT32_MAX || p->to < n) && p->messages <= UINT32_MAX &&
	       p->sized <= p->messages && p->matched <= p->messages && is_time(p->min) &&
	       is_time(p->max);
}

/* ---- making ---- */

/* False if stopped. */
static bool make(struct list_table *list, const struct query *query, struct err *err)
{
	struct pairs pairs = { .query = query };
	const struct pair *p;
	bool ok = true;

	if (trace_records_alone(query->trace))
		ok = add_records(&pairs, err);
	else
		messages_collect(query, add_message, &pairs);
	if (trace_has_copies(query->trace))
		copies_collect(query, add_copy, &pairs);
	if (trace_exchange(query->trace))
		share(&pairs);
	vec_each (p, &pairs.rows)
		list_table_add_row(list, p);
	vec_fini(&pairs.rows);
	keymap_fini(&pairs.items);
	ok = ok && !query_stopped(query);
	if (ok)
		list_table_keep(list, query, keep_name);
	return ok;
}

struct table *matrix_table_new(const struct query *query, struct err *err)
{
	static const struct list_ops ops = { .cells = cells,
					     .row_size = sizeof(struct pair),
					     .thing = thing };
	struct list_table *list =
		list_table_new(sizeof *list, &ops, columns, X_COLUMNS, query->trace);
	const bool ok =
		list_table_take_kept(list, query, keep_name, holds) || make(list, query, err);

	for (unsigned c = X_COPY; c <= X_TO && trace_has_copies(query->trace); c++)
		list->columns[c].exported = list->columns[c].on_screen = true;
	for (unsigned c = X_TO; c >= X_COPY && list->columns[c].exported; c--)
		list_table_sort(&list->table, c, false);
	list_table_sort(&list->table, X_DST, false);
	list_table_sort(&list->table, X_SRC, false);
	return list_table_done(list, ok);
}
