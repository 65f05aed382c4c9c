/* view_events: one row for each event of the chosen locations, in one order; walked, never
 * collected, also where several processes have the locations. */
#include <stdlib.h>
#include <string.h>

#include "base/exchange.h"
#include "correct/virtual/virtual_compare.h"
#include "correct/virtual/virtual_values.h"
#include "model/trace/detail.h"
#include "model/trace/gap.h"
#include "views/facts/event_content.h"
#include "views/query/event_merge.h"
#include "views/query/table_gather.h"
#include "views/query/view_common.h"

/* The first thirteen and their order (not the move, which only a difference has) are promised to
 * readers of exports. */
#define COLUMNS(ROW)                                                                         \
	ROW(E_TIME, "time_s", "time [s]", COLUMN_TIME, 14, true, true)                       \
	ROW(E_MOVED, "moved_s", "moved", COLUMN_MOVE, 11, false, false)                      \
	ROW(E_BOUND, "virtual_bound_s", "virtual +-", COLUMN_DURATION, 10, false, false)     \
	ROW(E_OTHER_BOUND, "compensated_bound_s", "compens. +-", COLUMN_DURATION, 11, false, \
	    false)                                                                           \
	ROW(E_BEYOND, "beyond", "beyond", COLUMN_INT, 6, false, false)                       \
	ROW(E_RANK, "rank", "rank", COLUMN_RANK, 5, true, true)                              \
	ROW(E_THREAD, "thread", "thread", COLUMN_INT, 6, true, false)                        \
	ROW(E_KIND, "kind", "kind", COLUMN_TEXT, 16, true, true)                             \
	ROW(E_REGION, "region", "region", COLUMN_NAME, 18, true, true)                       \
	ROW(E_PEER, "peer", "peer", COLUMN_RANK, 5, true, true)                              \
	ROW(E_TAG, "tag", "tag", COLUMN_INT, 6, true, true)                                  \
	ROW(E_BYTES, "bytes", "bytes", COLUMN_BYTES, 10, true, true)                         \
	ROW(E_COMM, "comm", "comm", COLUMN_TEXT, 14, true, false)                            \
	ROW(E_ROOT, "root", "root", COLUMN_RANK, 5, true, false)                             \
	ROW(E_CALLPATH, "callpath", "call path", COLUMN_NAME, 0, true, true)                 \
	ROW(E_FILE, "file", "file", COLUMN_TEXT, 16, true, false)                            \
	ROW(E_LINE, "line", "line", COLUMN_INT, 6, true, false)                              \
	ROW(E_TEXT, "text", "text", COLUMN_TEXT, 20, true, false)                            \
	ROW(E_LOCATION, "location", "location", COLUMN_TEXT, 16, true, false)                \
	ROW(E_APPROXIMATE, "approximate", "approximate", COLUMN_INT, 3, true, false)         \
	ROW(E_EVENT, "event", "event", COLUMN_INT, 10, true, false)                          \
	ROW(E_CALLPATH_ID, "callpath_id", "path", COLUMN_INT, 8, true, false)
enum events_column { COLUMNS(COLUMN_ID) E_COLUMNS };
static const struct column columns[E_COLUMNS] = { COLUMNS(COLUMN_ROW) };

static bool has_bounds(const struct query *query)
{
	return query->difference && virtual_compares(query->trace, query->base, query->against);
}

static void show_locations(struct column *shown, const struct query *query)
{
	const struct naming naming = query_naming(query);

	memcpy(shown, columns, sizeof columns);
	shown[E_APPROXIMATE].exported = trace_has_gaps(query->trace);
	shown[E_MOVED].exported = shown[E_MOVED].on_screen = query->difference;
	for (int i = E_BOUND; i <= E_BEYOND; i++)
		shown[i].exported = shown[i].on_screen = has_bounds(query);
	shown[E_LOCATION].on_screen = naming.names;
	shown[E_RANK].on_screen = shown[E_PEER].on_screen = naming.ranks;
	shown[E_TAG].on_screen =
		exchange_any(trace_exchange(query->trace), trace_message_count(query->trace) > 0) ||
		!naming.names;
}

/* Rare events and attributes are shown in the last column if the trace has any. */
static void show_texts(struct column *shown, const struct trace *trace)
{
	shown[E_TEXT].on_screen = exchange_any(trace_exchange(trace), event_content_any(trace));
	shown[E_TEXT].width = 0;
}

/* Neighbouring events share texts of call paths, hence this small direct-mapped cache of them. */
enum { PATH_TEXTS = 256 };

struct path_text {
	bool made;
	uint32_t path;
	struct str text;
};

struct events_table {
	struct table table;
	struct column columns[E_COLUMNS];
	struct query query;
	struct event_merge fingers[2]; /* one for a page, one for a search elsewhere */
	struct event_merge *merge;     /* the one that was moved last */
	int64_t *bounds;               /* of virtual times, NULL: not shown */
	struct path_text paths[PATH_TEXTS];
	struct str detail; /* text of the current row */
};

static struct events_table *events_of(struct table *table)
{
	return (struct events_table *)table;
}

/* ---- walking ---- */

static bool matches(const struct events_table *e)
{
	return !e->query.filter ||
	       filter_event(e->query.filter, e->query.base, event_merge_event(e->merge));
}

static uint64_t skip_forward(struct events_table *e, bool ok)
{
	while (ok && !matches(e))
		ok = event_merge_next(e->merge);
	return ok ? event_merge_event(e->merge) : ROW_NONE;
}

static uint64_t skip_backward(struct events_table *e, bool ok)
{
	while (ok && !matches(e))
		ok = event_merge_prev(e->merge);
	return ok ? event_merge_event(e->merge) : ROW_NONE;
}

/* Moves to a row that was returned before: stays if it is the current one, else moves the nearer
 * finger if a few steps suffice, else makes the other finger jump. */
static bool stand_on(struct events_table *e, uint64_t row)
{
	struct event_merge *other = &e->fingers[e->merge == &e->fingers[0]];
	const uint32_t event = (uint32_t)row;

	if (event_merge_event(e->merge) == event)
		return true;
	if (event_merge_nearer(other, e->merge, event)) {
		struct event_merge *last = e->merge;
		e->merge = other;
		other = last;
	}
	if (event_merge_near(e->merge, event))
		return true;
	e->merge = other;
	return event_merge_go(e->merge, event);
}

static uint64_t events_first(struct table *table)
{
	struct events_table *e = events_of(table);

	return skip_forward(e, event_merge_first(e->merge));
}

static uint64_t events_last(struct table *table)
{
	struct events_table *e = events_of(table);

	return skip_backward(e, event_merge_last(e->merge));
}

static uint64_t events_next(struct table *table, uint64_t row)
{
	struct events_table *e = events_of(table);

	return skip_forward(e, stand_on(e, row) && event_merge_next(e->merge));
}

static uint64_t events_prev(struct table *table, uint64_t row)
{
	struct events_table *e = events_of(table);

	return skip_backward(e, stand_on(e, row) && event_merge_prev(e->merge));
}

static uint64_t events_seek_time(struct table *table, int64_t t)
{
	struct events_table *e = events_of(table);

	return skip_forward(e, event_merge_seek(e->merge, t));
}

static uint64_t events_position(struct table *table, uint64_t row)
{
	struct events_table *e = events_of(table);

	return stand_on(e, row) ? event_merge_position(e->merge) : ROW_NONE;
}

/* ---- cells ---- */

static const char *path_text(struct events_table *e, uint32_t path)
{
	struct path_text *slot = &e->paths[path % PATH_TEXTS];

	if (!slot->made || slot->path != path) {
		str_clear(&slot->text);
		trace_callpath_text(e->query.trace, path, &slot->text);
		slot->made = true;
		slot->path = path;
	}
	return slot->text.text;
}

/* Region, file and line of a site: of the call if known, otherwise of the region's definition. */
static void site_cells(const struct trace *trace, const struct site *site, struct value *v)
{
	const struct region *region = trace_region(trace, site->region);
	const bool called = site->file || site->line;
	const uint32_t line = called ? site->line : region->line;

	v[E_REGION] = value_text(trace_string(trace, region->name));
	v[E_FILE] = value_text(trace_string(trace, called ? site->file : region->file));
	v[E_LINE] = value_integer(line, line);
}

static void message_cells(const struct trace *trace, uint32_t event, uint32_t id, struct value *v)
{
	const struct message *m;
	bool sent_here;

	if (id >= trace_message_count(trace))
		return;
	m = trace_message(trace, id);
	sent_here = !(m->flags & MSG_NO_SEND) &&
		    trace_event_location(trace, m->send) == trace_event_location(trace, event);
	if (!(sent_here && m->flags & MSG_BROADCAST)) /* it has no single peer */
		v[E_PEER] = value_rank(sent_here ? message_destination(trace, m)
						 : message_source(trace, m));
	v[E_TAG] = value_integer(!(m->flags & MSG_NO_TAG), m->tag);
	v[E_BYTES] = value_integer(!(m->flags & MSG_NO_BYTES), (int64_t)message_bytes(m));
	v[E_COMM] = value_comm(trace, m->comm);
}

static void member_cells(const struct trace *trace, uint32_t id, bool end, struct value *v)
{
	const struct member *member;
	const struct collective *c;

	if (id == ID_NONE)
		return;
	member = trace_member(trace, id);
	c = trace_collective(trace, trace_member_collective(trace, id));
	v[E_BYTES] = value_bytes(end ? member->received : member->sent);
	v[E_COMM] = value_comm(trace, c->comm);
	v[E_ROOT] = value_rank(c->root);
	v[E_REGION] = value_text(trace_region_name(trace, c->region));
}

static void record_cells(const struct trace *trace, enum event_kind kind, uint32_t id,
			 struct value *v)
{
	const struct record *record = trace_record(trace, id);

	if (kind != EV_MESSAGE_TEXT)
		site_cells(trace, trace_site(trace, record->site), v);
	if (kind == EV_IO)
		v[E_BYTES] = value_bytes(trace_io_bytes(trace, id));
	v[E_TEXT] = value_text(trace_string(trace, record->text));
}

/* Fills the columns that fit a field of a rare event. */
static void field_cells(const struct trace *trace, const struct field_info *field, uint64_t value,
			struct value *v)
{
	if (field->kind == FIELD_RANK && strcmp(field->name, "root") != 0)
		v[E_PEER] = value_rank((int32_t)value);
	else if (field->kind == FIELD_RANK)
		v[E_ROOT] = value_rank((int32_t)value);
	else if (field->kind == FIELD_BYTES && !v[E_BYTES].known)
		v[E_BYTES] = value_bytes(value);
	else if (field->kind == FIELD_COMM && value < trace_comm_count(trace))
		v[E_COMM] = value_comm(trace, (uint32_t)value);
	else if (field->kind == FIELD_SITE && value < trace_site_count(trace))
		site_cells(trace, trace_site(trace, (uint32_t)value), v);
}

/* Writes a rare event as one text; the site of a sample is its place. */
static void detail_cells(struct events_table *e, uint32_t id, struct value *v)
{
	const struct trace *trace = e->query.trace;
	const struct detail *detail = trace_detail(trace, id);
	const struct detail_info *info = detail_info((enum detail_type)detail->type);
	const uint64_t *values = trace_detail_values(trace, detail);

	for (uint32_t i = 0; i < info->fields && i < detail->n; i++)
		field_cells(trace, &info->field[i], values[i], v);
	trace_detail_text(trace, id, &e->detail);
	v[E_TEXT] = value_text(e->detail.text);
}

/* Appends attributes to the event's own fields. */
static void attribute_cells(struct events_table *e, uint32_t event, struct value *v)
{
	const struct trace *trace = e->query.trace;
	struct str *text = &e->detail;
	uint32_t n;

	if (trace_attribute_count(trace) == 0)
		return;
	trace_event_attributes(trace, event, &n);
	if (n == 0)
		return;
	if (v[E_TEXT].known && v[E_TEXT].text != text->text)
		str_add(text, v[E_TEXT].text);
	if (v[E_TEXT].known)
		str_add(text, "; ");
	trace_attributes_text(trace, event, text);
	v[E_TEXT] = value_text(text->text);
}

static void kind_cells(struct events_table *e, uint32_t event, uint32_t what, struct value *v)
{
	const struct trace *trace = e->query.trace;
	const enum event_kind kind = what_kind(what);
	const uint32_t id = what_id(what);

	switch (kind) {
	case EV_ENTER:
	case EV_LEAVE: break; /* the call path names the region */
	case EV_STRAY_LEAVE:
	case EV_MARK:
	case EV_TRACING_ON:
	case EV_TRACING_OFF: site_cells(trace, trace_site(trace, id), v); break;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: message_cells(trace, event, id, v); break;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: member_cells(trace, id, kind == EV_COLLECTIVE_END, v); break;
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS:
	case EV_IO: record_cells(trace, kind, id, v); break;
	default: detail_cells(e, id, v);
	}
}

static void bound_cells(const struct events_table *e, uint32_t event, struct value *v)
{
	const struct virtual_pair p = virtual_pair_of(e->query.trace, e->bounds, event);

	v[E_BOUND] = value_integer(p.virtual_bound >= 0, p.virtual_bound);
	v[E_OTHER_BOUND] = value_integer(true, p.compensated_bound);
	v[E_BEYOND] = value_integer(p.virtual_bound >= 0, p.beyond);
}

static void events_cells(struct table *table, uint64_t row, struct value *v)
{
	struct events_table *e = events_of(table);
	const struct trace *trace = e->query.trace;
	const struct location *location;
	uint32_t path, event, what;

	for (unsigned i = 0; i < E_COLUMNS; i++)
		v[i].known = false;
	if (!stand_on(e, row))
		return;
	event = event_merge_event(e->merge);
	what = cursor_what(event_merge_cursor(e->merge));
	path = event_merge_path(e->merge);
	location = trace_location(trace, trace_event_location(trace, event));
	v[E_TIME] = value_integer(true, cursor_time(event_merge_cursor(e->merge)));
	v[E_TIME].approximate = gap_at(trace, e->query.base, trace_event_location(trace, event),
				       v[E_TIME].integer) != NULL;
	v[E_APPROXIMATE] = value_integer(true, v[E_TIME].approximate);
	if (e->query.difference)
		v[E_MOVED] = value_integer(true, v[E_TIME].integer -
							 trace_event_time(trace, e->query.against,
									  event));
	if (e->bounds)
		bound_cells(e, event, v);
	v[E_RANK] = value_rank(location->rank);
	v[E_THREAD] = value_integer(true, location->thread);
	v[E_KIND] = value_text(event_kind_name(what_kind(what)));
	if (path) {
		site_cells(trace, trace_site(trace, trace_callpath(trace, path)->site), v);
		v[E_CALLPATH] = value_text(path_text(e, path));
	}
	v[E_LOCATION] = value_text(trace_string(trace, location->name));
	v[E_EVENT] = value_event(trace, event);
	v[E_CALLPATH_ID] = value_callpath_id(trace, path);
	str_clear(&e->detail);
	kind_cells(e, event, what, v);
	attribute_cells(e, event, v);
}

/* ---- the table ---- */

static void events_free(struct table *table)
{
	OWNED struct events_table *e = events_of(table);

	for (unsigned i = 0; i < 2; i++)
		event_merge_fini(&e->fingers[i]);
	free(e->bounds);
	str_fini(&e->detail);
	for (unsigned i = 0; i < PATH_TEXTS; i++)
		str_fini(&e->paths[i].text);
}

/* A row's handle is its event. */
static struct row_thing events_thing(const struct table *table, uint64_t row)
{
	(void)table;
	return (struct row_thing){ THING_EVENT, (uint32_t)row, 0 };
}

static const struct table_ops events_ops = {
	.free = events_free,
	.first = events_first,
	.last = events_last,
	.next = events_next,
	.prev = events_prev,
	.cells = events_cells,
	.seek_time = events_seek_time,
	.position = events_position,
	.thing = events_thing,
};

/* Where the events of several processes come in their order (event_merge.h). */
static struct row_key key_of(const struct table *table, uint64_t row)
{
	const struct events_table *e = (const struct events_table *)(const void *)table;
	const uint32_t event = (uint32_t)row;
	const uint32_t id = trace_event_location(e->query.trace, event);
	const struct location *l = trace_location(e->query.trace, id);

	return (struct row_key){ { cursor_time(event_merge_cursor(e->merge)), l->rank, l->thread,
				   l->process, id } };
}

struct table *events_table_new(const struct query *query, struct err *err)
{
	struct events_table *e = xcalloc(1, sizeof *e);

	(void)err;
	e->query = *query;
	for (unsigned i = 0; i < 2; i++)
		event_merge_init(&e->fingers[i], query);
	e->merge = &e->fingers[0];
	str_init(&e->detail);
	for (unsigned i = 0; i < PATH_TEXTS; i++)
		str_init(&e->paths[i].text);
	if (has_bounds(query))
		e->bounds = virtual_bounds_new(query->trace);
	show_locations(e->columns, query);
	show_texts(e->columns, query->trace);
	e->table = (struct table){ .ops = &events_ops,
				   .columns = e->columns,
				   .second = E_LOCATION,
				   .n_columns = E_COLUMNS,
				   .scale = trace_scale(query->trace),
				   .rows = e->merge->events };
	return table_gather_walked(&e->table, trace_exchange(query->trace), key_of);
}

uint64_t events_table_row(struct table *table, uint32_t event)
{
	struct events_table *e = events_of(table);

	return stand_on(e, event) && matches(e) ? event : ROW_NONE;
}
