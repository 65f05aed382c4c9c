#include <string.h>

#include "base/exchange.h"
#include "model/cache/cache_shared.h"
#include "model/trace/halo.h"

static uint32_t location_of(const struct shared *s, uint32_t event)
{
	return store_event_block(s->trace, event)->location;
}

static void renumber(const struct shared *s, uint32_t *event)
{
	if (*event != EVENT_NONE)
		*event = (uint32_t)shared_event(s, *event);
}

/* ---- blocks ---- */

/* All processes know how many events all locations have. */
static void count_blocks(struct shared *s)
{
	for (uint32_t l = 0; l < s->trace->locations.n; l++) {
		const uint64_t events = s->trace->locations.data[l].events;
		s->next[COUNT_BLOCK][l] = (events + BLOCK_EVENTS - 1) / BLOCK_EVENTS;
	}
}

/* ---- what events name ---- */

/* The table of rows that events of a kind name, if they are details or records. */
static uint32_t *table_of(const struct shared *s, enum event_kind kind)
{
	switch (kind) {
	case EV_ENTER:
	case EV_LEAVE:
	case EV_STRAY_LEAVE:
	case EV_MARK:
	case EV_TRACING_ON:
	case EV_TRACING_OFF: return NULL;
	case EV_SEND:
	case EV_SEND_COMPLETE:
	case EV_RECV_REQUEST:
	case EV_RECV:
	case EV_REQUEST_TEST:
	case EV_REQUEST_CANCELLED: return s->message;
	case EV_COLLECTIVE_BEGIN:
	case EV_COLLECTIVE_END: return s->member;
	case EV_DATA:
	case EV_MESSAGE_TEXT:
	case EV_STATISTICS:
	case EV_IO: return s->record;
	default: return s->detail;
	}
}

/* Calls the function with each event of this process. */
static void each_event(struct shared *s,
		       void (*see)(struct shared *s, uint32_t location, uint32_t *what))
{
	for (uint32_t l = 0; l < s->trace->locations.n; l++) {
		const struct block_ids *list = &s->trace->lists.data[l];
		for (size_t i = 0; i < list->n; i++) {
			struct block *block = store_block(s->trace, list->data[i]);
			store_prefetch(s->trace, BASE_MEASURED, list, i + 2);
			for (uint32_t slot = 0; slot < block->n; slot++)
				see(s, l, &block->what[slot]);
		}
	}
}

/* Details and records are in the order of the file, which is not that of the events. */
/* NOLINTNEXTLINE(readability-non-const-parameter): each_event() */
static void note_location(struct shared *s, uint32_t location, uint32_t *what)
{
	uint32_t *table = table_of(s, what_kind(*what));

	if (table && what_id(*what) != ID_NONE)
		table[what_id(*what)] = location;
}

static void renumber_what(struct shared *s, uint32_t location, uint32_t *what)
{
	const uint32_t *table = table_of(s, what_kind(*what));

	(void)location;
	if (table && what_id(*what) != ID_NONE)
		*what = what_make(what_kind(*what), table[what_id(*what)]);
}

static void find_locations(struct shared *s)
{
	const uint32_t details = store_detail_count(s->trace);
	const size_t records = s->trace->records.n;

	s->detail = xmalloc((details + 1u) * sizeof *s->detail);
	s->record = xmalloc((records + 1) * sizeof *s->record);
	memset(s->detail, 0xff, (details + 1u) * sizeof *s->detail);
	memset(s->record, 0xff, (records + 1) * sizeof *s->record);
	each_event(s, note_location);
}

static void place_detail(struct shared *s, uint32_t id)
{
	struct detail *d = store_detail(s->trace, id);
	const uint32_t location = s->detail[id];
	const uint64_t to = shared_place(s, COUNT_DETAIL, location, id, 1);
	const uint64_t first = shared_place(s, COUNT_VALUE, location, d->first, d->n);

	if (s->counting)
		return;
	for (uint32_t i = 0; i < d->n; i++) {
		uint64_t *value = store_value(s->trace, d->first + i);
		if (detail_is_text(d, i) && *value < s->trace->strings.start.n)
			*value = s->text[*value];
	}
	d->first = first;
	s->detail[id] = (uint32_t)to;
}

static void go_over_details(struct shared *s)
{
	struct record *records = s->trace->records.data;

	for (uint32_t id = 0; id < store_detail_count(s->trace); id++)
		if (s->detail[id] != UINT32_MAX)
			place_detail(s, id);
	for (uint32_t id = 0; id < s->trace->records.n; id++) {
		uint64_t to;
		if (s->record[id] == UINT32_MAX)
			continue;
		to = shared_place(s, COUNT_RECORD, s->record[id], id, 1);
		if (s->counting)
			continue;
		records[id].text = s->text[records[id].text];
		s->record[id] = (uint32_t)to;
	}
}

/* ---- messages ---- */

/* Counts, or numbers, the messages that this process writes: all but far ones, whose senders'
 * processes do. */
static void go_over_messages(struct shared *s)
{
	const struct halo *halo = s->trace->halo;
	const uint32_t n = store_message_count(s->trace);

	for (uint32_t row = 0; row < n; row++) {
		const struct message *m = store_message(s->trace, row);
		const bool sent = row < halo->far_first;
		uint64_t to;
		if (trace_message_is_far(s->trace, row))
			continue;
		to = shared_place(s, sent ? COUNT_SEND : COUNT_UNMATCHED,
				  location_of(s, sent ? m->send : m->recv), row, 1);
		if (!s->counting)
			s->message[row] = (uint32_t)to;
	}
}

static void say_row(void *context, uint32_t event, void *said)
{
	const struct shared *s = context;

	*(uint32_t *)said = s->message[what_id(*store_what(s->trace, event))];
}

static void place_messages(struct shared *s)
{
	const struct trace *trace = s->trace;
	const uint32_t n = store_message_count(trace);
	const uint32_t end = store_block_count(trace) * BLOCK_EVENTS;
	OWNED uint32_t *said = xcalloc(halo_number(trace->halo, end) + 1u, sizeof *said);

	s->message = xmalloc((n + 1u) * sizeof *s->message);
	go_over_messages(s);
	halo_ask(trace, HALO_SENDS, sizeof *said, say_row, s, said);
	for (uint32_t row = trace->halo->far_first; row < trace->halo->far_end; row++)
		s->message[row] = said[halo_number(trace->halo, store_message(trace, row)->send)];
}

/* When nothing asks for the ends of messages any more. */
static void renumber_messages(const struct shared *s)
{
	for (uint32_t row = 0; row < store_message_count(s->trace); row++) {
		struct message *m = store_message(s->trace, row);
		if (trace_message_is_far(s->trace, row))
			continue;
		if (!(m->flags & MSG_NO_SEND))
			renumber(s, &m->send);
		if (!(m->flags & MSG_NO_RECV))
			renumber(s, &m->recv);
	}
}

/* ---- tables by location or event ---- */

static void go_over_texts(struct shared *s, enum counted kind, struct event_texts *texts)
{
	struct event_text *text;

	vec_each (text, &texts->rows) {
		shared_place(s, kind, location_of(s, text->event),
			     (uint64_t)(text - texts->rows.data), 1);
		if (s->counting)
			continue;
		renumber(s, &text->event);
		text->text = s->text[text->text];
	}
}

static void go_over_attributes(struct shared *s)
{
	struct event_attribute *a;

	vec_each (a, &s->trace->attributes) {
		shared_place(s, COUNT_ATTRIBUTE, location_of(s, a->event),
			     (uint64_t)(a - s->trace->attributes.data), 1);
		if (s->counting)
			continue;
		renumber(s, &a->event);
		if (attribute_kind(s->trace, a) == FIELD_STRING &&
		    a->value < s->trace->strings.start.n)
			a->value = s->text[a->value];
	}
}

static void go_over_gaps(struct shared *s)
{
	struct trace *trace = s->trace;

	for (size_t i = 0; i < trace->gaps.n; i++) {
		struct gap *gap = &trace->gaps.data[i];
		const uint64_t end = i + 1 < trace->gaps.n ? gap[1].first_part : trace->gap_parts.n;
		const uint64_t parts = shared_place(s, COUNT_GAP_PART, gap->location,
						    gap->first_part, end - gap->first_part);
		shared_place(s, COUNT_GAP, gap->location, i, 1);
		if (s->counting)
			continue;
		renumber(s, &gap->begin);
		renumber(s, &gap->end);
		gap->first_part = (uint32_t)parts;
	}
}

static void go_over_copies(struct shared *s)
{
	struct copy *copy;

	vec_each (copy, &s->trace->copies) {
		shared_place(s, COUNT_COPY, location_of(s, copy->begin),
			     (uint64_t)(copy - s->trace->copies.data), 1);
		if (s->counting)
			continue;
		renumber(s, &copy->begin);
		renumber(s, &copy->end);
	}
}

/* ---- all of it ---- */

static void go_over_tables(struct shared *s)
{
	go_over_details(s);
	go_over_texts(s, COUNT_EXTRA, &s->trace->extras);
	go_over_texts(s, COUNT_TIME_TEXT, &s->trace->time_texts);
	go_over_attributes(s);
	go_over_gaps(s);
	go_over_copies(s);
	shared_bases_go_over(s);
}

static uint64_t counted_here(const struct shared *s, enum counted kind)
{
	uint64_t sum = 0;

	for (uint32_t l = 0; l < s->trace->locations.n; l++)
		sum += s->next[kind][l];
	return sum;
}

/* From the counts of the processes to the places of the locations' first rows. */
static void add_up(struct shared *s)
{
	const uint32_t locations = (uint32_t)s->trace->locations.n;

	s->common[COUNT_DETAIL] = store_detail_count(s->trace) - counted_here(s, COUNT_DETAIL);
	s->common[COUNT_VALUE] = store_value_count(s->trace) - counted_here(s, COUNT_VALUE);
	s->common[COUNT_RECORD] = s->trace->records.n - counted_here(s, COUNT_RECORD);
	for (int kind = 0; kind < COUNT_KINDS; kind++) {
		uint64_t at = s->common[kind];
		if (exchange_process(s->x) == 0)
			stretches_add(&s->at[kind], 0, 0, s->common[kind]);
		if (kind == COUNT_UNMATCHED)
			at = s->all[COUNT_SEND];
		if (kind == COUNT_ALONE)
			at = s->all[COUNT_MEMBER];
		if (kind != COUNT_BLOCK)
			exchange_sums(s->x, s->next[kind], locations);
		for (uint32_t l = 0; l < locations; l++) {
			const uint64_t n = s->next[kind][l];
			s->next[kind][l] = at;
			at += n;
		}
		s->all[kind] = at;
	}
}

static bool is_too_much(const struct shared *s, struct err *err)
{
	const uint64_t *all = s->all;

	if (all[COUNT_BLOCK] * BLOCK_EVENTS <= EVENT_NONE && all[COUNT_UNMATCHED] < ID_NONE &&
	    all[COUNT_ALONE] < ID_NONE && all[COUNT_DETAIL] < ID_NONE &&
	    all[COUNT_RECORD] < ID_NONE)
		return false;
	err_set(err, STATUS_NO,
		"%s has more than a prepared trace can have yet: 2^32 events (there are %llu), "
		"2^27 messages, members of collectives, or events with data",
		s->trace->path, (unsigned long long)s->trace->events);
	return true;
}

/* Blocks, and what one process has in the same order. */
static void place_blocks(struct shared *s)
{
	struct trace *trace = s->trace;

	for (uint32_t l = 0; l < trace->locations.n; l++) {
		const struct block_ids *list = &trace->lists.data[l];
		for (size_t i = 0; i < list->n; i++) {
			const uint64_t to = shared_place(s, COUNT_BLOCK, l, list->data[i], 1);
			vec_push(&s->lists, (uint32_t)to);
		}
	}
}

static void begin(struct shared *s)
{
	const uint32_t locations = (uint32_t)s->trace->locations.n;

	for (int kind = 0; kind < COUNT_KINDS; kind++)
		s->next[kind] = xcalloc(locations + 1u, sizeof *s->next[kind]);
	s->first_event = trace_first_numbers(s->trace);
	shared_bases_drop(s->trace);
	s->counting = true;
	count_blocks(s);
	find_locations(s);
	shared_groups_find(s);
	go_over_messages(s);
	go_over_tables(s);
	add_up(s);
	s->counting = false;
}

bool shared_make(struct shared *s, struct trace *trace, struct err *err)
{
	*s = (struct shared){ .trace = trace, .x = trace->exchange };
	if (!shared_texts(s, err))
		return false;
	begin(s);
	if (is_too_much(s, err))
		return false;
	place_messages(s);
	shared_groups_place(s);
	go_over_tables(s);
	each_event(s, renumber_what);
	renumber_messages(s);
	place_blocks(s);
	shared_sections_make(s);
	return true;
}

void shared_fini(struct shared *s)
{
	for (int kind = 0; kind < COUNT_KINDS; kind++) {
		free(s->next[kind]);
		vec_fini(&s->at[kind].list);
	}
	free_all(s->first_event, s->message, s->member, s->detail, s->record, s->text, s->seats,
		 s->collectives, s->members);
	vec_fini(&s->groups);
	vec_fini(&s->lists);
	vec_fini(&s->listed.list);
	vec_fini(&s->sections.list);
}
