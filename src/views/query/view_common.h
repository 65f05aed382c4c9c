/* view_common: what the table views share: the query's effective window and choice, and values
 * that every view writes the same way. */
#pragma once

#include "base/mem.h"
#include "model/trace/message.h"
#include "views/query/view.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof *(array))

/* True if neither end of the window is given; true if also all locations are chosen. */
bool query_is_whole(const struct query *query);
bool query_is_all(const struct query *query);
/* The window clamped to the run: [*t0, *t1], *t1 the last event's time where the window is open. */
void query_span(const struct query *query, int64_t *t0, int64_t *t1);
/* [location] true if chosen. The caller frees it. */
bool *query_chosen(const struct query *query);
/* What tells the chosen locations apart: their ranks, and names where some have none. */
struct naming {
	bool ranks, names;
};
struct naming query_naming(const struct query *query);

/* The chosen locations by rank, which the caller frees; and the index of the first one after i with
 * another rank. */
uint32_t *query_by_rank(const struct query *query);
uint32_t query_rank_end(const struct query *query, const uint32_t *locations, uint32_t i);

/* Locations whose sums are rows of a table: all, or those of a rank. */
struct exchange;
struct query_group {
	const uint32_t *locations;
	uint32_t n;
	struct exchange *exchange; /* of the processes that have some of them; NULL: one has all */
	bool has_rows;             /* this process adds the rows, if there are any */
};

/* The next of the locations of query_by_rank(), without ranks that other processes have; false
 * after the last. The group begins zeroed. With `by_rank`, list_table_share() is due at the end. */
bool query_group_next(const struct query *query, const uint32_t *locations, bool by_rank,
		      struct query_group *group);

struct value value_text(const char *text); /* NULL and "" are unknown */
struct value value_integer(bool known, int64_t integer);
struct value value_count(uint64_t count);
struct value value_real(bool known, double real);      /* unknown where it is not finite */
struct value value_duration(bool known, double ticks); /* the same, rounded */
struct value value_rank(int32_t rank);                 /* negative: unknown */
/* The rank of a location that was waited for; unknown for UINT32_MAX and a device. */
struct value value_partner(const struct trace *trace, uint32_t partner);
/* The numbers by which filters and exports name things: of regions, call paths (the canonical one;
 * 0, outside all regions, is unknown) and events (EVENT_NONE: unknown; by trace_event_number()).
 * Where only a part of the trace was loaded those of call paths and events would be others than in
 * the whole, and are unknown. */
struct value value_region_id(uint32_t region);
struct value value_callpath_id(const struct trace *trace, uint32_t callpath);
struct value value_event(const struct trace *trace, uint32_t event);
struct value value_event_number(const struct trace *trace, uint64_t number);
struct value value_bytes(uint64_t bytes); /* UINT64_MAX: unknown */
struct value value_comm(const struct trace *trace, uint32_t comm);
struct value value_location(const struct trace *trace, uint32_t location); /* its name */
/* The region an event belongs to: its call path's innermost. */
struct value value_region_at(const struct trace *trace, uint32_t event);

/* Marks a time as approximate if enough of it was estimated (model/trace/gap.h); true if so. Both
 * in ticks. */
bool value_estimated(struct value *value, double estimated, double time);

struct list_table;

/* The sort key of a row of messages or collectives: time, rank, thread, then the file's order. */
struct row_place {
	int64_t time;
	int32_t rank, thread;
	uint32_t location; /* distinguishes locations without a rank */
	uint32_t event;    /* the end, or member, that gave time and place */
	uint32_t row;
};
struct row_places {
	const struct query *query;
	VEC(struct row_place) list;
};
int row_place_compare(const void *a, const void *b); /* for qsort */
/* The place that an event gives a row. */
struct row_place row_place_of(const struct query *query, uint32_t event, uint32_t row);
/* Sorts the places if need be, adds their rows, and frees the places. Then ends the making as
 * list_table_done(), with the rows of all processes (table_gather()). */
struct table *list_table_of_places(struct list_table *list, struct row_places *places);

/* Walks over the messages of a query (crossing its window, one end on a chosen location, matching
 * its filter), by their earlier end, and over its collectives, by their begin (a member on a chosen
 * location). False at the end, and where progress stopped it. */
struct row_walk {
	const struct query *query; /* borrowed */
	bool *chosen;              /* [location]; NULL: all */
	struct span_query span;
	uint64_t seen;
	bool far;     /* messages that this process only receives, too */
	bool stopped; /* by progress */
};
void messages_walk_begin(struct row_walk *walk, const struct query *query);
void collectives_walk_begin(struct row_walk *walk, const struct query *query);
bool row_walk_next(struct row_walk *walk, uint32_t *id);
void row_walk_end(struct row_walk *walk);

/* Visits the messages of the query, as walked. The visitor returns false to stop; then
 * messages_collect() is false, too. */
typedef bool messages_visit(void *context, uint32_t id, const struct message *m);
bool messages_collect(const struct query *query, messages_visit *visit, void *context);

/* The same for the ends of messages in this process: those that were sent here, or have no other
 * end, and those that were sent elsewhere and received here. */
bool message_ends_collect(const struct query *query, messages_visit *visit, void *context);

/* The same as messages_collect() for copies of accelerators, by location; one matches the filter if
 * the event that begins it does. */
struct copy;
typedef bool copies_visit(void *context, uint32_t id, const struct copy *copy);
bool copies_collect(const struct query *query, copies_visit *visit, void *context);

/* The same as messages_collect() for collectives. */
typedef void collectives_visit(void *context, uint32_t id, const struct collective *c);
/* The first event of a member that is known, EVENT_NONE. */
uint32_t collective_event(const struct member *member);
void collectives_collect(const struct query *query, collectives_visit *visit, void *context);

/* Reversed messages of the query, in its base. */
struct reversed_messages {
	const struct query *query;
	uint64_t matched, count;
	int64_t worst; /* ticks, 0 without */
};
struct reversed_messages messages_reversed(const struct query *query);
